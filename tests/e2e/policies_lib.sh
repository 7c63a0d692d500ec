# tests/e2e/policies_lib.sh - sourced after lib.sh by the tests of policies: tasks that take as long
# as they say.
LIVED=$BIN/creel-test-lived
submit() { # JOB-OBJECT as jq arguments and program: prints the id
    jq -nc "$@" |
        curl -sf -H 'Content-Type: application/json' --data-binary @- \
            "$CREEL_RM/ws/v1/cluster/jobs" |
        jq -r .job.id
}
job() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" | jq -r "$2"; }
# succeeded ID...: waits for all of them, at most 120 s each
succeeded() {
    for id; do
        wait_for 120 "end of $id" job_ended "$id"
        job_is "$id" FINISHED/SUCCEEDED ||
            fail "$id: $(job_state "$id"): $(job "$id" .job.diagnostics)"
    done
}
preemptions() { # suspended|resumed|killed
    curl -sf "$CREEL_RM/metrics" | sed -n "s/^creel_preemptions_total{how=\"$1\"} //p"
}
no_answer_overruled() {
    check_equal "$(curl -sf "$CREEL_RM/metrics" | sed -n 's/^creel_policy_fallbacks_total //p')" 0 \
        "fallbacks to FIFO"
}
# sojourn ID: from submission to end, in ms
sojourn() { job "$1" '.job.finishTime - .job.submitTime'; }
