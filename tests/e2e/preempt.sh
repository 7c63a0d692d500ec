#!/usr/bin/env bash
# Goal: a preempted task is a process tree that stops as a whole and later goes on as if nothing had
# happened: MapReduce output byte for byte, one attempt per task, also when its NodeManager or the
# ResourceManager is killed meanwhile; a suspended tree can be killed.
# Method: hfsp with eager preemption on 2 nodes with one map slot each; a MapReduce job of slow
# maps, and smaller jobs that take its slots. /proc gives the state of every process of its
# containers.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"
start_cluster --nodes 2 --map-slots 1 --reduce-slots 1 --policy hfsp -D creel.hfsp.sizes=given \
    -D creel.hfsp.preemption=eager -D creel.hfsp.sample_maps=1 -D creel.hfsp.sample_reduces=1 \
    -D creel.scheduler.slowstart=1
seq 1 4000 > "$T/in"
sort "$T/in" | sed 's/$/\tx/' > "$T/expected"

# The first maps are the sample of its size: their slots are not taken.
large() { # NAME: a job of 12 slow maps and one reduce
    creel job submit --name "$1" --input "$T/in" --split-size 1600 --output "$T/$1" --reduces 1 \
        --reduce "cat" \
        --map "$LIVED 1.5 | cat & sed 's/\$/\tx/'; wait"
}
small() { # NAME SECONDS: takes both map slots for so long
    submit --arg n "$1" --argjson s "$2" --arg c "$LIVED $2" \
        '{job:{name:$n, tasks:[{kind:"map", count:2, "expected-s":$s, command:$c}]}}'
}
# states ID: "<state> <command>" of every process of the job's containers, without shims
states() {
    local pids
    pids=$(grep -lasz "^CONTAINER_ID=container_[^=]*${1#application_}_" /proc/[0-9]*/environ |
        tr -dc '0-9\n' | paste -sd,)
    [ -z "$pids" ] || ps -o stat=,comm= -p "$pids" | grep -v creel-shim || true
}
all_stopped() { seen=$(states "$1"); [ -n "$seen" ] && ! grep -qv '^T' <<< "$seen"; }
none_stopped() { ! states "$1" | grep -q '^T'; }
has_runners() { [ "$(states "$1" | grep -c creel-task)" -eq 2 ]; }
no_process() { [ -z "$(states "$1")" ]; }
is_suspended() { [ "$(job "$1" .job.taskCounts.map.suspended)" = 2 ]; }
measured() { job "$1" .job.taskCounts.map | jq -e '.succeeded >= 2 and .running == 2'; }
one_attempt_each() {
    check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1/tasks" |
        jq -c '[.tasks[].attempts] | unique')" '[1]' \
        "attempts of $1"
}
# preempted NAME SECONDS: sets L and S, the ids of a large job and the small job that suspends it
preempted() {
    L=$(large "$1")
    wait_for 30 "maps of $1" measured "$L"
    wait_for 10 "task runners of $1" has_runners "$L"
    S=$(small "small-$1" "$2")
    wait_for 20 "suspended tasks" is_suspended "$L"
    wait_for 10 "stopped processes" all_stopped "$L"
}

# ---- suspended, resumed
preempted plain 4
echo "stopped:"
echo "$seen"
# A task may be suspended before its shim has become the task runner.
grep -q creel-task <<< "$seen" || fail "no task runner among them"
[ "$(grep -c creel-test <<< "$seen")" -eq 2 ] || fail "no child of a child among them"
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$L/tasks?state=SUSPENDED" |
    jq '.tasks | length')" 2 "list of suspended tasks"
succeeded "$S"
job_ended "$L" && fail "the large job has ended before the small one"
wait_for 20 "resumed processes" none_stopped "$L"
succeeded "$L"
check_output "$T/plain" "$T/expected" 1
one_attempt_each "$L"
echo "ok: suspended and resumed"

# ---- the history does not count suspended time as work
creel history export -o "$T/history"
jq -es --arg id "$L" 'any(.app == $id and (.map_durations_s | length == 12 and max < 3))' \
    "$T/history" > /dev/null ||
    fail "time suspended counts as work: $(cat "$T/history")"

# ---- reduces: the first two are the sample; two of the others are suspended
L=$(creel job submit --name reduces --input "$T/in" --output "$T/reduces" \
    --map "sed 's/\$/\tx/'" --reduces 8 --reduce "$LIVED 1.5 | cat & cat; wait")
reduced() { job "$L" .job.taskCounts.reduce | jq -e '.succeeded >= 2 and .running == 2'; }
wait_for 30 "two reduces" reduced
S=$(submit --arg c "$LIVED 2" \
    '{job:{tasks:[{kind:"reduce", count:2, "expected-s":2, command:$c}]}}')
reduce_suspended() { [ "$(job "$L" .job.taskCounts.reduce.suspended)" = 2 ]; }
wait_for 20 "suspended reduces" reduce_suspended
wait_for 10 "stopped processes" all_stopped "$L"
succeeded "$S" "$L"
check_output "$T/reduces" "$T/expected" 8
one_attempt_each "$L"
echo "ok: reduces"

# ---- killed while it is suspended
preempted killed 4
creel job kill "$L" > /dev/null
wait_for 10 "end of its processes" no_process "$L"
succeeded "$S"
echo "ok: killed while suspended"

# ---- the NodeManager killed meanwhile
preempted nm 4
kill -9 "$(daemon_pid nm-1)"
all_stopped "$L" || fail "the death of a NodeManager has woken tasks: $(states "$L")"
creel dev --restart nm-1 --dir "$DEV" > /dev/null
succeeded "$S" "$L"
check_output "$T/nm" "$T/expected" 1
one_attempt_each "$L"
echo "ok: NodeManager restarted"

# ---- the ResourceManager killed meanwhile
preempted rm 4
kill -9 "$(daemon_pid rm-1)"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
all_stopped "$L" || fail "the death of the ResourceManager has woken tasks: $(states "$L")"
succeeded "$S" "$L"
check_output "$T/rm" "$T/expected" 1
one_attempt_each "$L"
no_answer_overruled
echo "ok: ResourceManager restarted"
