#!/usr/bin/env bash
# Goal: on a real cluster, masters take the slots that a node offers for them alone, and leave its
# map slot to tasks, also after the ResourceManager was killed.
# Method: one node of one map slot and two master slots, applications whose masters sleep.
. "$(dirname "$0")/lib.sh"
start_cluster --nodes 1 --map-slots 1 --reduce-slots 0 -D creel.nodemanager.master-slots=2
wait_for 20 "a node" nodes_running 1
slots() { creel node list --json | jq -c '.nodes[0].slots | [.map.used, .master.used]'; }
slots_are() { [ "$(slots)" = "$1" ]; }
submit() {
    local app
    app=$(curl -sf -X POST "$CREEL_RM/ws/v1/cluster/apps/new-application?user.name=ann" |
        jq -r '."application-id"')
    curl -sf -H 'Content-Type: application/json' "$CREEL_RM/ws/v1/cluster/apps?user.name=ann" -d "{
        \"application-id\":\"$app\", \"application-name\":\"m\", \"application-type\":\"YARN\",
        \"am-container-spec\":{\"commands\":{\"command\":\"sleep 60\"}},
        \"resource\":{\"memory\":1024,\"vCores\":1}}"
    echo "$app"
}
metric() { curl -sf "$CREEL_RM/metrics" | sed -n "s/^creel_$1 //p"; }

first=$(submit)
submit > /dev/null
third=$(submit)
wait_for 20 "masters" slots_are '[0,2]'
check_equal "$(creel node list | awk 'NR == 2 { print $3, $4, $5 }')" "0/1 0/0 2/2" "the list"
creel node status "$(creel node list --json | jq -r '.nodes[0].id')" > "$T/status"
grep -q '^mast. slots 2/2 in use' "$T/status" || fail "$(cat "$T/status")"
check_equal "$(metric master_slots) $(metric master_slots_used)" "2 2" "metrics"
creel why "$third" > "$T/why"
grep -q 'its master waits for a master slot: 2 of 2 are taken' "$T/why" || fail "$(cat "$T/why")"
check_equal "$(creel run -- echo free)" free "the map slot"

# ---- the ResourceManager is killed and started again
kill -9 "$(daemon_pid rm-1)"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
wait_for 30 "the node" nodes_running 1
wait_for 20 "the same slots" slots_are '[0,2]'

curl -sf -X PUT -H 'Content-Type: application/json' -d '{"state":"KILLED"}' \
    "$CREEL_RM/ws/v1/cluster/apps/$first/state?user.name=ann" > /dev/null
has_master() {
    [ "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$third" | jq .app.allocatedMB)" = 1024 ]
}
wait_for 20 "the third master" has_master
check_equal "$(slots)" '[0,2]' "the slots at the end"
