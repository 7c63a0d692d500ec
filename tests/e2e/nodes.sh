#!/usr/bin/env bash
# Goal: operators see what nodes use, and take nodes out of service as the manual says: draining,
# decommissioning at once and gracefully, excluded hosts; what runs on a drained node ends in its
# time. Labelled nodes run what names their label, and keep the label when the ResourceManager is
# killed.
# Method: a real ResourceManager and two real NodeManagers, told apart by their node ids.
. "$(dirname "$0")/lib.sh"
mkdir -p "$DEV"
declare -A PID=()
cleanup_more() { for p in "${PID[@]}"; do signal_child KILL "$p"; done; }

start_rm() { # PORT
    rm -f "$T/url"
    "$BIN/creel-rm" -D creel.rm.port="$1" -D creel.rm.state-dir="$T/state" \
        -D yarn.resourcemanager.nodes.exclude-path="$T/exclude" \
        -D yarn.node-labels.enabled=true -D creel.rm.activities-wait-ms=500 \
        --url-file "$T/url" 2>> "$DEV/rm.log" &
    PID[rm]=$!
    wait_for 20 "creel-rm" test -s "$T/url"
    CREEL_RM=$(cat "$T/url")
    export CREEL_RM
}
restart_rm() {
    kill -9 "${PID[rm]}"
    start_rm "${CREEL_RM##*:}"
}
start_nm() { # NAME
    "$BIN/creel-nm" -D creel.nodemanager.rm="$CREEL_RM" -D creel.nodemanager.port=0 \
        -D creel.nodemanager.local-dir="$T/$1" -D creel.nodemanager.map-slots=2 \
        -D yarn.nodemanager.resource-monitor.interval-ms=200 \
        2>> "$DEV/$1.log" &
    PID[$1]=$!
}
put() { # PATH BODY: prints the answer
    curl -s -X PUT -H 'Content-Type: application/json' -d "$2" "$CREEL_RM/ws/v1/cluster/$1"
}
status() { # PATH ARGUMENTS...: of curl; prints the status, leaves the answer in $T/body
    curl -s -o "$T/body" -w '%{http_code}' "${@:2}" "$CREEL_RM/ws/v1/cluster/$1"
}
nodes() { curl -s "$CREEL_RM/ws/v1/cluster/nodes?states=$1" | jq -r '.nodes.node[]?.id'; }
state() { curl -s "$CREEL_RM/ws/v1/cluster/nodes/$1" | jq -r .node.state; }
is() { [ "$(state "$1")" = "$2" ]; }
containers() { curl -s "$CREEL_RM/ws/v1/cluster/nodes/$1" | jq -r .node.numContainers; }
has() { [ "$(containers "$1")" = "$2" ]; }

echo "# nobody yet
never-seen" > "$T/exclude"
start_rm 0
check_equal "$(state never-seen:-1)" DECOMMISSIONED "an excluded host"
start_nm nm-1
wait_for 10 "the first node" nodes_running 1
A=$(nodes RUNNING)

# ---- more rounds than there will be: those that there were
check_equal "$(status 'scheduler/bulk-activities?activitiesCount=228666')" 200 "many rounds"
check_equal "$(jq '.bulkActivities.activities | length < 228666' "$T/body")" true "rounds"

# ---- utilization: what containers and the whole machine use, by the ResourceManager
uses() { # CONDITION [CONDITION]: of jq, on the node's utilization, and on the node
    curl -s "$CREEL_RM/ws/v1/cluster/nodes/$A" |
        jq -e ".node | ${2:-true} and (.resourceUtilization | $1)" > /dev/null
}
JOB=$(creel job submit --task "until [ -e $T/spun ]; do :; done" --count 1)
wait_for 20 "a container that keeps a processor busy" uses ".containersCPUUsage > 0.1 and
    .aggregatedContainersPhysicalMemoryMB > 0 and
    .aggregatedContainersVirtualMemoryMB > .aggregatedContainersPhysicalMemoryMB and
    .nodeCPUUsage > 0.1 and .nodePhysicalMemoryMB > 0 and
    .nodeVirtualMemoryMB >= .nodePhysicalMemoryMB" \
    ".cpuUtilization > 0 and .memUtilization > 0 and .memUtilization < 100"
creel node -status "$A" | grep -qE 'by Containers : PMem:[1-9][0-9]* MB, VMem:[1-9][0-9]* MB' ||
    fail "utilization by containers: $(creel node -status "$A")"
touch "$T/spun"
wait_for 20 "the end of the busy job" job_is "$JOB" FINISHED/SUCCEEDED
wait_for 20 "no use by containers" uses ".containersCPUUsage == 0 and
    .aggregatedContainersPhysicalMemoryMB == 0"

# ---- the resources that an operator gives are those that the node says it has, also after a
# restart of the ResourceManager
node_has() { # prints the memory and the cores of the node, by the node itself
    local at; at=$(curl -s "$CREEL_RM/ws/v1/cluster/nodes/$A" | jq -r .node.nodeHTTPAddress)
    curl -s "http://$at/ws/v1/node/info" |
        jq -r '.nodeInfo | "\(.totalPmemAllocatedContainersMB) \(.totalVCoresAllocatedContainers)"'
}
node_says() { [ "$(node_has)" = "$*" ]; }
read -r MEMORY CORES < <(node_has)
creel rmadmin -updateNodeResource "$A" $((MEMORY - 512)) "$CORES" || fail "an update of resources"
wait_for 10 "the resources on the node" node_says $((MEMORY - 512)) "$CORES"
restart_rm
wait_for 20 "the node with its resources again" is "$A" RUNNING
wait_for 10 "the resources after a restart" node_says $((MEMORY - 512)) "$CORES"
creel rmadmin -updateNodeResource "$A" "$MEMORY" "$CORES" || fail "the former resources"
wait_for 10 "the former resources on the node" node_says "$MEMORY" "$CORES"

# ---- draining: what runs goes on, nothing new starts, the state survives the RM
JOB=$(creel job submit --task "until [ -e $T/go ]; do sleep 0.1; done" --count 4)
wait_for 20 "two containers" has "$A" 2
check_equal "$(put "nodes/$A/drain" '{"drain":true}')" \
    '{"node":"'"$A"'","drain":true,"state":"DECOMMISSIONING"}' "answer to a drain"
restart_rm
wait_for 20 "the drained node again" is "$A" DECOMMISSIONING
touch "$T/go"
wait_for 20 "an empty node" has "$A" 0
METRICS=$(curl -s "$CREEL_RM/ws/v1/cluster/metrics")
check_equal "$(jq .clusterMetrics.decommissioningNodes <<< "$METRICS")" 1 "decommissioning nodes"
check_equal "$(job_state "$JOB")" RUNNING/UNDEFINED "two tasks wait"
put "nodes/$A/drain" '{"drain":false}' > /dev/null
wait_for 20 "the end of the job" job_is "$JOB" FINISHED/SUCCEEDED
is "$A" RUNNING || fail "$A is $(state "$A")"
check_equal "$(put nodes/nobody:1/drain '{"drain":true}' | jq -r .RemoteException.message)" \
    "java.lang.Exception: nodeId, nobody:1, is not found" "draining an unknown node"

# ---- gracefully: the node leaves when the job has ended, and its process too
start_nm nm-2
wait_for 10 "the second node" nodes_running 2
B=$(nodes RUNNING | grep -v "^$A\$")
rm "$T/go"
JOB=$(creel job submit --task "until [ -e $T/go ]; do sleep 0.1; done" --count 4)
wait_for 20 "two containers" has "$B" 2
echo "$B" > "$T/exclude"
check_equal "$(put refresh-nodes '{"graceful":true,"timeoutSeconds":-1}' | jq -c .)" \
    '{"included":0,"excluded":1,"decommissioning":["'"$B"'"]}' "answer to a refresh"
check_equal "$(status "nodes/never-seen:-1")" 404 "a host that is not excluded any more"
has "$B" 2 || fail "containers ended"
touch "$T/go"
wait_for 20 "the decommissioned node" is "$B" DECOMMISSIONED
ended() { ! kill -0 "$1" 2> /dev/null; }
wait_for 20 "the end of its process" ended "${PID[nm-2]}"
wait_for 20 "the end of the job" job_is "$JOB" FINISHED/SUCCEEDED

# ---- at once: containers end there and run elsewhere
: > "$T/exclude"
put refresh-nodes '{}' > /dev/null
start_nm nm-2
wait_for 10 "the second node again" nodes_running 2
B=$(nodes RUNNING | grep -v "^$A\$")
rm "$T/go"
JOB=$(creel job submit --task "until [ -e $T/go ]; do sleep 0.1; done" --count 4)
wait_for 20 "two containers" has "$B" 2
echo "$B" > "$T/exclude"
check_equal "$(put refresh-nodes '{"graceful":false}' | jq -c .decommissioning)" '[]' "at once"
is "$B" DECOMMISSIONED || fail "$B is $(state "$B")"
touch "$T/go"
wait_for 20 "the end of the job" job_is "$JOB" FINISHED/SUCCEEDED
wait_for 20 "the end of its process" ended "${PID[nm-2]}"

# ---- labels: an application that names one runs on its nodes, everything else elsewhere
post() { # PATH BODY: prints the status
    curl -s -o "$T/body" -w '%{http_code}' -X POST -H 'Content-Type: application/json' -d "$2" \
        "$CREEL_RM/ws/v1/cluster/$1"
}
: > "$T/exclude"
put refresh-nodes '{}' > /dev/null
start_nm nm-2
wait_for 10 "the second node for labels" nodes_running 2
B=$(nodes RUNNING | grep -v "^$A\$")
check_equal "$(post add-node-labels '{"nodeLabelInfo":[{"name":"gpu","exclusivity":true}]}')" 200 \
    "a new label"
check_equal "$(post "nodes/$B/replace-labels?labels=gpu" '')" 200 "a label for a node"
restart_rm
wait_for 20 "both nodes again" nodes_running 2
check_equal "$(curl -s "$CREEL_RM/ws/v1/cluster/nodes/$B" | jq -c .node.nodeLabels)" '["gpu"]' \
    "the label after a restart"
JOB=$(creel job submit --task true --count 6)
wait_for 20 "the end of a job without a label" job_is "$JOB" FINISHED/SUCCEEDED
TASKS=$(curl -s "$CREEL_RM/ws/v1/cluster/jobs/$JOB/tasks")
check_equal "$(jq -r '.tasks[].node' <<< "$TASKS" | sort -u)" "$A" "nodes of its tasks"
ID=$(curl -s -X POST "$CREEL_RM/ws/v1/cluster/apps/new-application" | jq -r '."application-id"')
check_equal "$(post apps '{"application-id":"'"$ID"'","application-name":"labelled",
    "app-node-label-expression":"gpu",
    "am-container-spec":{"commands":{"command":["sleep 60"]}}}')" 202 "an application with a label"
master_node() { curl -s "$CREEL_RM/ws/v1/cluster/apps/$ID" | jq -r .app.masterNodeId; }
on_labelled_node() { [ "$(master_node)" = "$B" ]; }
wait_for 20 "its master on the labelled node" on_labelled_node
check_equal "$(post apps '{"application-id":"'"${ID%_*}_0099"'","app-node-label-expression":"ssd",
    "am-container-spec":{"commands":{"command":["true"]}}}')" 400 "a label that does not exist"
curl -s -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"state":"KILLED"}' \
    "$CREEL_RM/ws/v1/cluster/apps/$ID/state"

# ---- resources: half of the node's slots
check_equal "$(post "nodes/$A/resource" '{"resource":{"memory":"x"}}')" 200 "resources of zero"
check_equal "$(curl -s "$CREEL_RM/ws/v1/cluster/nodes/$A" | jq .node.availMemoryMB)" 0 "no memory"

# ---- mistakes change nothing
mv "$T/exclude" "$T/exclude.away"
check_equal "$(status refresh-nodes -X PUT)" 400 "a missing file"
grep -q "$T/exclude" "$T/body" || fail "$(cat "$T/body")"
check_equal "$(put refresh-nodes '{"gracefull":true}' | jq -r .RemoteException.message)" \
    'gracefull: unknown member; did you mean "graceful"?' "a misspelt member"
is "$B" RUNNING || fail "$B is $(state "$B")"
