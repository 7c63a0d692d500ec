#!/usr/bin/env bash
# Goal: the steps of a job on nodes. The RM is killed -9 while a setup runs and while a commit
# moves parts: the commit goes on, and the output is right. A kill during the setup leaves nothing;
# one during the commit comes too late.
# Method: steps wait at their rename(2) as long as a file is there (tests/fault/hold_step.c).
. "$(dirname "$0")/lib.sh"
start_cluster --nodes 2 --map-slots 2 --reduce-slots 1
mkdir "$T/hold"
seq 1 3000 | awk '{print "w" $1 % 37, "w" $1 % 11}' > "$T/in"
wc_expected "$T/in" > "$T/expected"
submit_held() { # NAME
    creel job submit --name "$1" --input "$T/in" --split-size 9000 --output "$T/$1" --reduces 2 \
        --map "$WC_MAP" --combine "$WC_SUM" --reduce "$WC_SUM" \
        --env "LD_PRELOAD=$CREEL_BIN/hold_step.so" --env "HOLD_STEP_DIR=$T/hold" \
        --env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
}
rm_answers() { curl -sf -m 1 "$CREEL_RM/ws/v1/cluster/info" > /dev/null; }
is_held() { [ -e "$T/hold/$1.held" ]; }
hold() { # STEP
    rm -f "$T/hold/$1.held"
    touch "$T/hold/$1"
}
await_held() { wait_for 60 "a $1 that waits" is_held "$1"; }
step_pids() { pgrep -f "^[^ ]*creel-task --dir $DEV/" | sort; }
restart_rm() {
    kill -9 "$(daemon_pid rm-1)"
    creel dev --restart rm-1 --dir "$DEV" > /dev/null
    wait_for 20 "RM" rm_answers
    wait_for 20 "nodes" nodes_running 2
}
maps() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" | jq .job.taskCounts.map.total; }

# ---- the RM dies during the setup, and during the commit
hold setup
id=$(submit_held killed-rm)
await_held setup
check_equal "$(maps "$id")" 0 "maps before the setup has ended"
creel why "$id" > "$T/o"
grep -q "its setup, .* runs on" "$T/o" || fail "why: $(cat "$T/o")"
restart_rm # the setup goes on, or is begun anew on a node that is back first
hold commit
rm "$T/hold/setup"
await_held commit
[ ! -e "$T/killed-rm/_SUCCESS" ] || fail "_SUCCESS before the commit"
pids=$(step_pids)
restart_rm
check_equal "$(step_pids)" "$pids" "the process of the commit"
rm "$T/hold/commit"
wait_for 60 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "job: $(job_state "$id")"
check_output "$T/killed-rm" "$T/expected" 2
[ ! -e "$T/killed-rm/_temporary" ] || fail "_temporary is left"

# ---- a kill during the setup, and one that comes too late
hold setup
id=$(submit_held early)
await_held setup
creel job kill "$id" > /dev/null
wait_for 60 "end of the killed job" job_ended "$id"
job_is "$id" KILLED/KILLED || fail "job: $(job_state "$id")"
rm "$T/hold/setup"
hold commit
id=$(submit_held late)
await_held commit
curl -sf -X PUT -H 'Content-Type: application/json' -d '{"state": "KILLED"}' \
    "$CREEL_RM/ws/v1/cluster/apps/$id/state" > /dev/null # creel job kill would wait for the end
rm "$T/hold/commit"
wait_for 60 "end of the job killed late" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "job killed too late: $(job_state "$id")"
check_output "$T/late" "$T/expected" 2
[ ! -e "$T/early" ] || fail "the killed job has left: $(ls -R "$T/early")"
check_equal "$(find "$T" -maxdepth 1 -name '.creel_*' | wc -l)" 0 "folders beside the outputs"
echo "steps survive the RM, and kills come in time or too late"
