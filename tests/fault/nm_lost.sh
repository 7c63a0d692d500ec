#!/usr/bin/env bash
# Goal: a job whose NodeManager is killed -9 in the map phase, and another in the reduce phase,
# gives the same output, _SUCCESS once and no task output twice. The node stays dead: its maps are
# run again elsewhere.
. "$(dirname "$0")/../e2e/lib.sh"
start_cluster --nodes 3
awk 'BEGIN {
    s = 7
    for (i = 0; i < 300000; i++) {
        s = (s * 1103515245 + 12345) % 2147483648
        printf "w%d%s", s % 5000, (i % 9 ? " " : "\n")
    }
}' > "$T/text"
tr 0-9 a-j < "$T/text" > "$T/in"
wc_expected "$T/in" > "$T/expected"
maps_done() {
    [ "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" |
        jq '.job.taskCounts.map.succeeded')" -ge "$2" ]
}
reduces_running() {
    [ "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" | jq '.job.taskCounts.reduce.running')" -ge 1 ]
}
submit() { # OUT REDUCE-COMMAND
    creel job submit --name lost --input "$T/in" --output "$1" --map "sleep 0.2; $WC_MAP" \
        --combine "$WC_SUM" \
        --reduce "$2" --reduces 4 --split-size 60000 --json | jq -r '.job.id // .id'
}
kill_nm() { # NAME: the daemon and its containers, as a dead host would lose them
    local pid start f
    kill -9 "$(daemon_pid "$1")"
    for f in "$DEV/$1"/records/*/*/pid.json "$DEV/$1"/*/records/*/*/pid.json; do
        [ -f "$f" ] || continue
        while read -r _ pid start; do
            signal_process KILL "$pid" "$start" || true
        done < <(container_processes "$f")
    done
    rm -rf "$DEV/$1"/{apps,records} "$DEV/$1"/*/{apps,records} # its disk is gone too
}
id=$(submit "$T/out1" "$WC_SUM")
wait_for 60 "finished maps" maps_done "$id" 8
kill_nm nm-2
wait_for 180 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED ||
    fail "job: $(job_state "$id"): $(job_diagnostics "$id")"
check_output "$T/out1" "$T/expected" 4
echo "ok map phase"

creel dev --restart nm-2 --dir "$DEV" > /dev/null
wait_for 30 "three nodes" nodes_running 3
id=$(submit "$T/out2" "cat > held; while [ ! -e $T/go ]; do sleep 0.05; done; $WC_SUM < held")
maps() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id" | jq '.job.taskCounts.map.total'; }
is_set_up() { [ "$(maps)" -gt 0 ]; }
wait_for 60 "the setup of the job" is_set_up
total=$(maps)
wait_for 120 "all maps" maps_done "$id" "$total"
wait_for 60 "running reduces" reduces_running "$id"
kill_nm nm-3
touch "$T/go"
wait_for 180 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED ||
    fail "job: $(job_state "$id"): $(job_diagnostics "$id")"
check_output "$T/out2" "$T/expected" 4
echo "ok reduce phase"
