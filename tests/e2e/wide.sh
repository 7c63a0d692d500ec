#!/usr/bin/env bash
# Goal: containers of several slots on a real cluster. A job with wide tasks starts although a job
# with narrow ones takes every slot that comes free; a master gets the slots that its memory needs;
# what no node has, and what policies of single slots cannot promise, is refused.
# Method: one node of three map slots, tasks that wait for files of the test.
. "$(dirname "$0")/lib.sh"
start_cluster --nodes 1 --map-slots 3 --reduce-slots 1 --policy naive-fair
wait_for 20 "a node" eval '[ "$(curl -sf "$CREEL_RM/ws/v1/cluster/metrics" |
    jq .clusterMetrics.activeNodes)" = 1 ]'
metric() { curl -sf "$CREEL_RM/ws/v1/cluster/metrics" | jq ".clusterMetrics.$1"; }
metric_is() { [ "$(metric "$1")" = "$2" ]; }
post_job() { # BODY: prints the status
    curl -s -o "$T/answer" -w '%{http_code}' -H 'Content-Type: application/json' -d "$1" \
        "$CREEL_RM/ws/v1/cluster/jobs"
}
message() { jq -r .RemoteException.message "$T/answer"; }

# ---- refused
job() { echo "{\"job\":{\"slots\":$1,\"tasks\":[{\"command\":\"true\"}]}}"; }
check_equal "$(post_job "$(job 0)")" 400 "no slots"
check_equal "$(post_job "$(job 4)")" 400 "more slots than a node has"
check_equal "$(message)" "job.slots: 4: the largest node has 3 slots for maps" "the reason"
check_equal "$(curl -sf -X POST "$CREEL_RM/ws/v1/cluster/apps/new-application?user.name=ann" |
    jq -c '."maximum-resource-capability" | [.memory, .vCores]')" "[6144,3]" "the largest container"

# ---- not starved
narrow=$(creel job submit --task "until rm $T/go 2> /dev/null; do sleep 0.05; done" --count 12)
wait_for 20 "narrow tasks" metric_is containersAllocated 3
wide=$(creel job submit --slots 2 \
    --task "touch $T/wide; until [ -e $T/end ]; do sleep 0.05; done")
: > "$T/go" # one task ends: its slot is held
wait_for 20 "a reserved node" metric_is containersReserved 1
check_equal "$(metric reservedMB)" 4096 "the reserved memory"
check_equal "$(metric containersAllocated)" 2 "containers beside the slot that is held"
creel why "$wide" > "$T/why"
grep -q 'needs 2 of one node at once: .* is reserved for it, where 1 of 2 have yet to come free' \
    "$T/why" || fail "$(cat "$T/why")"
wait_for 20 "the first task to end" eval "! [ -e $T/go ]"
: > "$T/go"
wait_for 20 "the wide task" test -e "$T/wide"
check_equal "$(metric containersReserved)" 0 "reserved containers"
check_equal "$(metric allocatedMB)" 6144 "a wide and a narrow container"
check_equal "$(creel node list --json | jq -c '.nodes[0].slots.map')" \
    '{"used":3,"total":3}' "the slots of the node"

# ---- a policy of single slots
put_policy() { # NAME: prints the status
    curl -s -o "$T/answer" -w '%{http_code}' -X PUT -H 'Content-Type: application/json' \
        -d "{\"policy\":\"$1\"}" "$CREEL_RM/ws/v1/cluster/scheduler/policy"
}
check_equal "$(put_policy rtmr)" 400 "rtmr while a wide job runs"
check_equal "$(message)" "policy: \"rtmr\" gives single slots, and $wide asks for several at once" \
    "the reason"
: > "$T/end"
creel job kill "$narrow" > /dev/null
wait_for 20 "the wide job to end" eval '[ "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$wide" |
    jq -r .app.finalStatus)" = SUCCEEDED ]'
for policy in rtmr dc; do
    check_equal "$(put_policy $policy)" 200 "policy $policy"
    check_equal "$(post_job "$(job 2)")" 400 "two slots under $policy"
    check_equal "$(message)" "job.slots: 2: the policy $policy gives each task one slot" \
        "the reason"
done
check_equal "$(put_policy naive-fair)" 200 "the first policy again"

# ---- a master of two slots
wait_for 20 "free slots" metric_is containersAllocated 0
app=$(curl -sf -X POST "$CREEL_RM/ws/v1/cluster/apps/new-application?user.name=ann" |
    jq -r '."application-id"')
curl -sf -H 'Content-Type: application/json' "$CREEL_RM/ws/v1/cluster/apps?user.name=ann" -d "{
    \"application-id\":\"$app\", \"application-name\":\"wide\", \"application-type\":\"YARN\",
    \"am-container-spec\":{\"commands\":{\"command\":\"sleep 60\"}},
    \"resource\":{\"memory\":3000,\"vCores\":1}}"
wait_for 20 "a master" metric_is containersAllocated 1
check_equal "$(metric allocatedMB)" 3000 "the memory of the master"
check_equal "$(creel node list --json | jq -c '.nodes[0].slots.map')" \
    '{"used":2,"total":3}' "the slots of the node"
