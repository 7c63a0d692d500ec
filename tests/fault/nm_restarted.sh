#!/usr/bin/env bash
# Goal: a NodeManager killed -9 with 20 running containers, 5 of which end while it is away, loses
# none; all exit codes are right, the others keep their pids and go on.
# Method: 20 jobs of one task each, so that one failing task ends nothing else.
. "$(dirname "$0")/../e2e/lib.sh"
start_cluster --nodes 1 --map-slots 20
ids=()
for i in {0..19}; do
    jq -n --arg t "$T" --argjson i "$i" '[{kind:"map", command:
        ("echo $$ >> \($t)/pid-\($i); while [ ! -e \($t)/end-\($i) ]; do sleep 0.05; done; " +
        "exit \(if $i < 5 then $i + 10 else 0 end)")}]' > "$T/task.json"
    jq -n --slurpfile t "$T/task.json" --arg n "t$i" \
        '{job:{name:$n, tasks:$t[0], "max-attempts":1}}' > "$T/body.json"
    ids+=("$(curl -sf -H 'Content-Type: application/json' --data-binary @"$T/body.json" \
        "$CREEL_RM/ws/v1/cluster/jobs" | jq -r .job.id)")
done
running() { [ "$(find "$T" -maxdepth 1 -name 'pid-*' | wc -l)" -eq 20 ]; }
wait_for 30 "20 containers" running
kill -9 "$(daemon_pid nm-1)"
for i in {0..4}; do touch "$T/end-$i"; done
ended() { [ "$(find "$DEV" -name exit.json | wc -l)" -eq 5 ]; }
wait_for 30 "5 ended containers" ended
creel dev --restart nm-1 --dir "$DEV" > /dev/null
exit_code() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1/tasks?kind=map" | jq '.tasks[0].exitCode'; }
has_code() { [ "$(exit_code "$1")" = "$2" ]; }
for i in {0..4}; do wait_for 30 "exit code of container $i" has_code "${ids[i]}" $((i + 10)); done
for i in {5..19}; do
    kill -0 "$(cat "$T/pid-$i")" || fail "container $i died with its NodeManager"
    touch "$T/end-$i"
done
for i in {5..19}; do
    wait_for 30 "success of container $i" job_is "${ids[i]}" FINISHED/SUCCEEDED
done
for i in {0..4}; do
    job_is "${ids[i]}" FINISHED/FAILED || fail "job $i: $(job_state "${ids[i]}")"
done
check_equal "$(cat "$T"/pid-* | wc -l)" 20 "containers started"
echo "20 containers, none lost, all exit codes right"
