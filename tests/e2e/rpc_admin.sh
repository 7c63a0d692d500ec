#!/usr/bin/env bash
# Goal: yarn rmadmin changes over Hadoop RPC what creel rmadmin changes over REST: queues and hosts
# are read again, nodes get other resources and labels; administrators alone may do so, from the
# addresses that the configuration lists.
# Method: rpc_peer.py, a client of its own, against a cluster; REST shows what has changed.
. "$(dirname "$0")/lib.sh"
PEER=$(dirname "$0")/rpc_peer.py
call() { "$PEER" "$PORT" "$@" > "$T/answer"; }
refuses() { # JAVA CLASS, WORDS
    grep -qF "$1: " "$T/answer" || fail "not $1: $(cat "$T/answer")"
    grep -qF "$2" "$T/answer" || fail "not '$2': $(cat "$T/answer")"
}
port_of() { # LOG
    sed -n 's/.*rpc: .*ResourceManagerAdministration.* at port \([0-9]*\),.*/\1/p' "$1" | tail -n 1
}
rest() { curl -sf "$CREEL_RM/ws/v1/cluster/$1?user.name=root" | jq -r "$2"; } # PATH JQ
node_is() { [ "$(rest "nodes/$node" .node.state)" = "$1" ]; }
YARN_EXCEPTION=org.apache.hadoop.yarn.exceptions.YarnException

allocations() { # QUEUE
    echo "<allocations><queue name=\"$1\"/></allocations>" > "$T/fair.xml"
}
allocations one
: > "$T/exclude"
HADOOP_HOME='/a <b' start_cluster --nodes 1 \
    --hadoop --policy fair -D creel.rm.audit-log="$T/audit" \
    -D yarn.scheduler.fair.allocation.file="$T/fair.xml" -D yarn.admin.acl=root \
    -D yarn.resourcemanager.nodes.exclude-path="$T/exclude" -D yarn.node-labels.enabled=true
PORT=$(port_of "$DEV/rm-1.log")
grep -q "admin.address</name><value>127.0.0.1:$PORT<" "$DEV/hadoop/yarn-site.xml" ||
    fail "clients do not know the port: $(cat "$DEV/hadoop/yarn-site.xml")"
grep -q "staging-dir</name><value>$DEV/hadoop/staging<" "$DEV/hadoop/mapred-site.xml" ||
    fail "jobs of MapReduce have no folder: $(cat "$DEV/hadoop/mapred-site.xml")"
grep -q '<value>/a &lt;b/share/hadoop/mapreduce/\*,' "$DEV/hadoop/mapred-site.xml" ||
    fail "jobs of MapReduce do not find its classes: $(cat "$DEV/hadoop/mapred-site.xml")"
wait_for 30 "shuffle of MapReduce" grep -q 'shuffle: ' "$DEV/nm-1.log"
node=$(rest nodes '.nodes.node[0].id')
id=(1.1.1=="${node%:*}" "1.1.2=${node#*:}")

# ---- who may
for method in refreshQueues refreshNodes refreshUserToGroupsMappings updateNodeResource \
    checkForDecommissioningNodes addToClusterNodeLabels; do
    ! call --user mallory $method || fail "mallory may $method"
    refuses $YARN_EXCEPTION "AccessControlException: User mallory doesn't have permission to call"
done
grep -q 'op=refresh-queues user=mallory ip=127.0.0.1 result=refused by=rpc' "$T/audit" ||
    fail "no audit line: $(cat "$T/audit")"

# ---- files
queues() { rest scheduler '[.. | .queueName? // empty] | join(" ")'; }
allocations two
call --user root refreshQueues
[[ $(queues) == *" two"* ]] || fail "queues: $(queues)"
echo '<allocations><queue name="a.b"/></allocations>' > "$T/fair.xml"
! call --user root refreshQueues || fail "a queue with a dot"
refuses $YARN_EXCEPTION 'java.io.IOException: '
[[ $(queues) == *" two"* ]] || fail "queues after a bad file: $(queues)"
! call --user root refreshNodes 1=4 || fail "a kind of decommissioning that is none"
refuses $YARN_EXCEPTION 'decommissionType: 4: expected'
echo "${node%:*}" > "$T/exclude"
call --user root refreshNodes
wait_for 30 "decommissioned node" node_is DECOMMISSIONED
: > "$T/exclude"
call --user root refreshNodes
creel dev --restart nm-1 --dir "$DEV" > /dev/null
wait_for 30 "node that is back" node_is RUNNING
call --user root checkForDecommissioningNodes
check_equal "$(cat "$T/answer")" "" "nodes that wait for their applications"
! call --user root refreshAdminAcls || fail "administrators were read again"
refuses $YARN_EXCEPTION 'restart it'
call --user nobody getGroupsForUser 1==root
check_equal "$(cat "$T/answer")" "1: $(id -gn root)" "groups of root"

# ---- nodes
call --user root updateNodeResource "${id[@]}" 1.2.1.1=2048 1.2.1.2=2
check_equal "$(rest "nodes/$node" '.node.totalResource.memory')" 2048 "memory of the node"
! call --user root updateNodeResource "${id[@]}" 1.2.1.1=1024 1.2.1.2=1 \
    +1.1.1==nowhere 1.1.2=1 1.2.1.1=1024 1.2.1.2=1 || fail "an unknown node"
refuses $YARN_EXCEPTION 'nowhere:1 is not known'
check_equal "$(rest "nodes/$node" '.node.totalResource.memory')" 2048 "memory after a refusal"
! call --user root updateNodeResource "${id[@]}" 1.2.1.1=-1 1.2.1.2=1 || fail "memory below 0"
refuses $YARN_EXCEPTION 'resource: expected memory'
call --user root addToClusterNodeLabels 2.1==red 2.2=0
! call --user root addToClusterNodeLabels 2.1==red 2.2=1 || fail "another exclusivity"
refuses $YARN_EXCEPTION 'java.io.IOException: Exclusivity cannot be modified'
call --user root replaceLabelsOnNodes "${id[@]}" 1.2==red 2=1
check_equal "$(rest "nodes/$node" '.node.nodeLabels[0]')" red "label of the node"
! call --user root replaceLabelsOnNodes 1.1.1==nowhere 1.1.2=0 1.2==red 2=1 || fail "no such host"
refuses $YARN_EXCEPTION 'nowhere:0'
RM_PORT=$(sed -n 's/.*ApplicationClientProtocolPB at port \([0-9]*\),.*/\1/p' "$DEV/rm-1.log")
PORT=$RM_PORT call getNodeToLabels
check_equal "$(paste -sd ' ' "$T/answer")" "1.1.1: ${node%:*} 1.1.2: ${node#*:} 1.2: red" "labels"
PORT=$RM_PORT call getLabelsToNodes 1==red
check_equal "$(paste -sd ' ' "$T/answer")" "1.1: red 1.2.1: ${node%:*} 1.2.2: ${node#*:}" "nodes"
PORT=$RM_PORT call getLabelsToNodes 1==blue
check_equal "$(cat "$T/answer")" "" "nodes of another label"
! PORT=$RM_PORT call getDelegationToken || fail "a token"
refuses $YARN_EXCEPTION 'creel token --hadoop-file'
call --user root replaceLabelsOnNodes "${id[@]}"
call --user root removeFromClusterNodeLabels 1==red
! call --user root removeFromClusterNodeLabels 1==red || fail "a label that is gone"
refuses $YARN_EXCEPTION 'java.io.IOException: Node label=red'
by='user=root ip=127.0.0.1 result=success by=rpc'
for line in "op=add-labels $by label=red" "op=label-nodes $by node=$node" \
    "op=node-resource $by node=$node" "op=refresh-nodes $by graceful=false"; do
    grep -qF "$line" "$T/audit" || fail "no audit line with '$line': $(cat "$T/audit")"
done

# ---- from where: with tokens at the other ports, this one is open to listed addresses
start_rm() { # ARGS: a second ResourceManager, until it listens
    rm -f "$T/url"
    "$BIN/creel-rm" --url-file "$T/url" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
        -D yarn.resourcemanager.admin.address=127.0.0.1:0 -D creel.auth=token "$@" \
        > "$T/rm.log" 2>&1 &
    rm_pid=$!
    wait_for 30 "listening" test -s "$T/url"
    PORT=$(port_of "$T/rm.log")
}
cleanup_more() { [ -z "${rm_pid:-}" ] || kill "$rm_pid" 2> /dev/null; }
start_rm -D creel.rpc.admin.hosts=192.0.2.1
! call getServiceStatus || fail "an address that is not listed"
refuses org.apache.hadoop.security.AccessControlException 'is not in creel.rpc.admin.hosts'
kill "$rm_pid" && wait "$rm_pid" || :
start_rm -D creel.rpc.admin.hosts=192.0.2.1,127.0.0.1
call getServiceStatus
