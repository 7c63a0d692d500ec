#!/usr/bin/env bash
# Goal: the policy of a running cluster is changed from one to the next, and no job is lost, no task
# started again: running tasks go on, waiting ones go in another order.
# Method: N jobs (30 unless given) of all kinds in two queues; fifo -> hfsp (that never preempts
# here) -> fair -> rtmr while they run, by creel rmadmin and by REST; maps of the first job run
# through all of that, in the same containers; in the end every task of every job has run once, and
# its line is there once.
# Usage: policy_switch.sh [N]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"
N=${1:-30}
start_cluster --nodes 2 --map-slots 3 --reduce-slots 2 --policy fifo -D creel.hfsp.preemption=wait \
    -D creel.scheduler.queues=a,b
wait_for 20 "2 nodes" nodes_running 2
policy() { curl -sf "$CREEL_RM/ws/v1/cluster/scheduler/policy" | jq -r .policy; }
put_policy() { # BODY: prints the status
    curl -s -o "$T/answer" -w '%{http_code}' -X PUT -H 'Content-Type: application/json' -d "$1" \
        "$CREEL_RM/ws/v1/cluster/scheduler/policy"
}
running_jobs() {
    curl -sf "$CREEL_RM/ws/v1/cluster/jobs?states=RUNNING,ACCEPTED&limit=1000" | jq '.jobs | length'
}

# ---- bad input changes nothing
check_equal "$(put_policy '{"policy":"nosuch"}')" 400 "an unknown policy"
for name in fair hsrtf-prp hfsp rtmr dc las; do
    [[ $(jq -r .RemoteException.message "$T/answer") == \
        *'"nosuch" is unknown; there are fifo, '*"$name"* ]] ||
        fail "no $name in $(cat "$T/answer")"
done
check_equal "$(put_policy '{"policy":"srpt"}')" 400 "a policy for simulations alone"
[[ $(jq -r .RemoteException.message "$T/answer") == *'for simulations alone'* ]] ||
    fail "$(cat "$T/answer")"
check_equal "$(put_policy '{"policy":5}')" 400 "a number as policy"
check_equal "$(put_policy '{"polciy":"fair"}')" 400 "a misspelt member"
check_equal "$(put_policy '{')" 400 "no JSON"
rc=0; creel rmadmin -policy nosuch 2> "$T/err" || rc=$?
check_equal $rc 2 "creel rmadmin -policy nosuch"
grep -q "there are fifo, " "$T/err" || fail "$(cat "$T/err")"
check_equal "$(creel rmadmin -policy)" fifo "the policy after refusals"

# ---- N jobs: only maps, maps and reduces, only reduces; some with sizes, deadlines, weights. The
# first and the last job wait for the last policy.
ids=()
jq -nc --argjson jobs "$N" --arg c "$LIVED" --arg t "$T" '
    range($jobs) as $i |
    (if $i == 0 or $i == $jobs - 1
     then "until [ -e \($t)/last-policy ]; do sleep 0.05; done; " else "" end) as $wait |
    def task($kind; $n; $s): {kind:$kind, count:$n, command:"\($wait)\($c) \($s) \($t)/out-\($i)"} +
        (if $i % 2 == 0 then {"expected-s":$s} else {} end);
    {job:({name:"j\($i)", queue:(if $i % 3 == 0 then "a" else "b" end),
           tasks:([task("map"; 2 + $i % 3; 1 + $i % 4 / 5)] +
                  if $i % 5 == 0 then [task("reduce"; 2; 0.3)] else [] end)} +
          (if $i % 7 == 0 then {"deadline-s":600} else {} end) +
          (if $i % 4 == 0 then {weight:2} else {} end))}' > "$T/jobs"
while read -r body; do
    ids+=("$(curl -sf -H 'Content-Type: application/json' -d "$body" \
        "$CREEL_RM/ws/v1/cluster/jobs" | jq -r .job.id)")
done < "$T/jobs"
tasks=0
for ((i = 0; i < N; i++)); do tasks=$((tasks + 2 + i % 3 + (i % 5 == 0 ? 2 : 0))); done
ended() { [ $((N - $(running_jobs))) -ge "$1" ]; }
# The running maps of the first job, with their containers and attempts.
running_maps() {
    curl -sf "$CREEL_RM/ws/v1/cluster/jobs/${ids[0]}/tasks?kind=map" |
        jq -c '[.tasks[] | select(.kind == "map" and .state == "RUNNING") |
            [.id, .containerId, .attempts]] | sort'
}
two_run() { [ "$(running_maps | jq length)" = 2 ]; }
wait_for 60 "both maps of the first job" two_run
going=$(running_maps)
they_go_on() {
    check_equal "$(running_maps)" "$going" "running maps of the first job, under $(policy)"
}
# Wait until each quarter of the jobs has ended.
wait_for 120 "first quarter" ended $((N / 4))
creel rmadmin -policy hfsp > "$T/said"
grep -q "fifo -> hfsp; running tasks go on" "$T/said" || fail "$(cat "$T/said")"
check_equal "$(policy)" hfsp "the policy"
they_go_on
last=${ids[N - 1]}
creel why "$last" | grep -q '^policy *hfsp$' || fail "$(creel why "$last")"
wait_for 120 "second quarter" ended $((N / 2))
check_equal "$(put_policy '{"policy":"fair"}')" 200 "PUT policy"
check_equal "$(jq -c . "$T/answer")" '{"policy":"fair"}' "its answer"
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/scheduler" |
    jq -r '.scheduler.schedulerInfo.type')" capacityScheduler "shape"
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/scheduler" |
    jq -c '[.scheduler.schedulerInfo.queues.queue[].queuePath] | sort')" \
    '["root.a","root.b","root.default"]' "queues"
they_go_on
wait_for 120 "third quarter" ended $((N * 3 / 4))
creel rmadmin -policy rtmr > /dev/null
they_go_on
touch "$T/last-policy"
succeeded "${ids[@]}"
check_equal "$(policy)" rtmr "the policy"

# ---- no job is lost, no task started again
check_equal "$(cat "$T"/out-* | wc -l)" "$tasks" "lines of $N jobs"
for id in "${ids[@]}"; do
    check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id/tasks" |
        jq -c '[.tasks[].attempts] | unique')" '[1]' \
        "attempts of $id"
done
check_equal "$(preemptions killed)/$(preemptions suspended)" 0/0 "preemptions"
no_answer_overruled
hadoops=org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler
check_equal "$(put_policy '{"policy":"'$hadoops'"}')" 200 \
    "Hadoop's name"
check_equal "$(policy)" fifo "the policy of that name"

# ---- a restart begins with the configured policy
creel rmadmin -policy fair > /dev/null
kill -9 "$(daemon_pid rm-1)"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
wait_for 20 "the ResourceManager" policy
check_equal "$(policy)" fifo "the policy after a restart"
echo "$N jobs, $tasks tasks: none lost, none started again"
