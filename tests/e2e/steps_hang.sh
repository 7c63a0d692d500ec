#!/usr/bin/env bash
# Goal: setups that never end keep no place from the jobs of another user, and are ended at their
# limit: the job then fails, and says which step, where, and for how long; no process of it stays.
# Method: on two nodes, the setups of one user wait at their rename(2) (tests/fault/hold_step.c)
# while another user's jobs run.
. "$(dirname "$0")/lib.sh"
LIMIT_MS=2000
start_cluster --nodes 2 --map-slots 2 --reduce-slots 1 -D creel.job.step-timeout-ms=$LIMIT_MS
mkdir "$T/hold"
touch "$T/hold/setup"
seq 1 300 > "$T/in"
submit() { # USER NAME ARGS...
    HADOOP_USER_NAME=$1 creel job submit --name "$2" --input "$T/in" --output "$T/$2" \
        --map cat --max-attempts 2 "${@:3}"
}
submit_held() { # NAME
    submit ann "$1" --env "LD_PRELOAD=$CREEL_BIN/hold_step.so" --env "HOLD_STEP_DIR=$T/hold" \
        --env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
}
step_pids() { pgrep -f "^[^ ]*creel-task --dir $DEV/"; }
no_steps() { ! step_pids; }

held=()
for i in 1 2; do held+=("$(submit_held "held-$i")"); done
wait_for 60 "a setup that hangs" [ -e "$T/hold/setup.held" ]
id=$(submit bob first)
wait_for 60 "the end of another user's job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "bob's job: $(job_state "$id") $(job_diagnostics "$id")"
id=$(submit bob second)
wait_for 60 "the end of another user's second job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "bob's job: $(job_state "$id") $(job_diagnostics "$id")"

for id in "${held[@]}"; do
    wait_for 90 "the end of $id" job_ended "$id"
    job_is "$id" FINISHED/FAILED || fail "$id: $(job_state "$id")"
    [[ $(job_diagnostics "$id") =~ ^"The job's setup failed 2 times; last on node "[^\ ]+": it was \
not done after $LIMIT_MS ms, which is the limit (creel.job.step-timeout-ms)"$ ]] ||
        fail "diagnostics: $(job_diagnostics "$id")"
done
wait_for 20 "end of all steps" no_steps
rm "$T/hold/setup"
id=$(submit ann after)
wait_for 60 "the end of ann's next job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "ann's job: $(job_state "$id") $(job_diagnostics "$id")"
check_equal "$(find "$T" -maxdepth 1 -name 'held-*' -o -maxdepth 1 -name '.creel_*' | wc -l)" 0 \
    "folders that setups have left"
echo "setups that hang are ended, and let others pass"
