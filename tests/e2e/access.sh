#!/usr/bin/env bash
# Goal: each route of both daemons is open to those it is for and closed to all others: callers
# without a token, a stranger, those whom an application's lists name, administrators of its queue
# and of the cluster, nodes, and masters of this and of another application.
# Method: access.tsv says what each of them gets from each route. The routes come from the daemons'
# own tables; one without a row, or a row without a route, is an error. The requests go to real
# daemons.
AUTH=token
. "$(dirname "$0")/lib.sh"
property() {
    echo "<property><name>yarn.scheduler.capacity.root.$1</name><value>$2</value></property>"
}
{
    echo '<configuration>'
    property queues default,other
    property default.capacity 50
    property other.capacity 50
    property acl_administer_queue ' ' # without these everybody would have both rights
    property acl_submit_applications ' '
    property default.acl_submit_applications owner
    property default.acl_administer_queue queueadmin
    property other.acl_administer_queue queueadmin
    echo '</configuration>'
} > "$T/capacity-scheduler.xml"
start_cluster --nodes 1 --map-slots 8 -D mapreduce.cluster.acls.enabled=true \
    -D yarn.acl.enable=true -D yarn.admin.acl=admin -D yarn.node-labels.enabled=true \
    -D creel.rm.activities-wait-ms=100 -D yarn.nodemanager.aux-services.manifest.enabled=true \
    -D creel.scheduler.capacity-file="$T/capacity-scheduler.xml"
"$BIN/list_routes" > "$T/routes"
python3 "$(dirname "$0")/access.py" "$T" "$DEV" "$(dirname "$0")/access.tsv" "$@"
