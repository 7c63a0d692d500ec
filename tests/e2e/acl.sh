#!/usr/bin/env bash
# Goal: who may see and change an application stays the same over restarts of the ResourceManager
# and of its node; groups count as the host knows them; refusals have audit lines; the command acts
# for its user. What each answer says is compared with recordings (tests/interop).
# Method: an application that names a user and a group, asked about by its owner, by these two, by
# administrators and by a stranger. Needs the users daemon and nobody, as Debian has them.
. "$(dirname "$0")/lib.sh"
property() {
    echo "<property><name>yarn.scheduler.capacity.root.$1</name><value>$2</value></property>"
}
{
    echo '<configuration>'
    property queues default
    property default.capacity 100
    property acl_administer_queue ' ' # without it everybody would administer every queue
    property acl_submit_applications ' nogroup'
    property default.acl_submit_applications alice
    echo '</configuration>'
} > "$T/capacity-scheduler.xml"
start_cluster --nodes 1 --map-slots 4 -D yarn.webapp.filter-entity-list-by-user=true \
    -D mapreduce.cluster.acls.enabled=true -D yarn.acl.enable=true -D "yarn.admin.acl= daemon" \
    -D creel.rm.audit-log="$T/audit" -D creel.nodemanager.audit-log="$T/nm-audit" \
    -D creel.scheduler.capacity-file="$T/capacity-scheduler.xml"
APPS=/ws/v1/cluster/apps

ask() { # USER PATH [CURL ARGS]: the status; the body is in $T/body
    local user=$1 path=$2
    shift 2
    curl -s -o "$T/body" -w '%{http_code}' "$@" "$CREEL_RM$path?user.name=$user"
}
expect() { # STATUS USER PATH [CURL ARGS]
    local want=$1
    shift
    check_equal "$(ask "$@")" "$want" "$* answered $(cat "$T/body")"
}
JSON=(-H 'Content-Type: application/json')

# --- an application, and a job
expect 403 bob /ws/v1/cluster/jobs -X POST "${JSON[@]}" \
    -d '{"job":{"tasks":[{"command":"true"}]}}'
expect 200 alice "$APPS/new-application" -X POST
app=$(jq -r '."application-id"' "$T/body")
expect 202 alice "$APPS" "${JSON[@]}" -d '{"application-id":"'"$app"'","max-app-attempts":1,
    "am-container-spec":{"commands":{"command":"echo secret; sleep 1000"},"application-acls":{
    "entry":[{"key":"VIEW_APP","value":"carol"},{"key":"MODIFY_APP","value":" nogroup"}]}}}'
node_of_app() {
    ask alice "$APPS/$app" > /dev/null
    node=$(jq -er .app.amHostHttpAddress "$T/body")
}
log_path() { echo "/ws/v1/node/containers/${app/application/container}_01_000001/logs/stdout"; }
logged() { node_of_app && curl -sf "http://$node$(log_path)" | grep -q secret; }
wait_for 30 "the application's log" logged
# by its group, which the queue names
expect 201 nobody /ws/v1/cluster/jobs -X POST "${JSON[@]}" \
    -d '{"job":{"tasks":[{"command":"true"}]}}'
job=$(HADOOP_USER_NAME=alice creel job submit --task 'sleep 1000')
# a job with lists of its own
expect 201 alice /ws/v1/cluster/jobs -X POST "${JSON[@]}" \
    -d '{"job":{"tasks":[{"command":"sleep 1000"}],"acl-view":"carol","acl-modify":" nogroup"}}'
shared=$(jq -r .job.id "$T/body")

sees() { # USER: true or false
    expect 200 "$1" "$APPS/$app"
    jq '.app.startedTime > 0' "$T/body"
}
sysfs_status() { # [?user.name=USER]
    curl -s -o /dev/null -w '%{http_code}' -X PUT "${JSON[@]}" -d '{}' \
        "http://$node/ws/v1/node/yarn/sysfs/alice/$app$1"
}
log_status() { # [?user.name=USER]
    curl -s -o /dev/null -w '%{http_code}' "http://$node$(log_path)$1"
}
# Applications and containers that the caller may not see are left out of lists, and of what their
# limit counts: alice's own job is newer than the application that carol may see.
listed() { # USER TASKS WHEN
    local seen=0
    [ "$1" = carol ] && seen=2
    expect 200 "$1" "$APPS"
    check_equal "$(jq '.apps.app // [] | length' "$T/body")" "$seen" "applications of $1 $3"
    expect 200 "$1" "$APPS" -G -d limit=2
    check_equal "$(jq '.apps.app // [] | length' "$T/body")" "$seen" "first applications of $1 $3"
    curl -s "http://$node/ws/v1/node/apps?user.name=$1" > "$T/body"
    check_equal "$(jq '.apps.app // [] | length' "$T/body")" "$seen" "$1's of the node $3"
    curl -s "http://$node/ws/v1/node/containers?user.name=$1" > "$T/body"
    check_equal "$(jq '.containers.container // [] | length' "$T/body")" "$seen" "$1's there $3"
    check_equal "$(ask "$1" "$2" | tail -c 3)" "$([ "$1" = carol ] && echo 200 || echo 503)" \
        "tasks for $1 $3"
    curl -s "$CREEL_RM/cluster/apps?user.name=$1" > "$T/body"
    check_equal "$(grep -o 'cluster/app/application_[0-9_]*' "$T/body" | sort -u | wc -l)" "$seen" \
        "applications on the page of $1 $3"
}
check_rights() {
    local user
    node_of_app
    for user in alice carol daemon "$(id -un)"; do
        check_equal "$(sees "$user")" true "$user sees the application $1"
        check_equal "$(log_status "?user.name=$user")" 200 "$user reads the log $1"
    done
    check_equal "$(log_status "")" 200 "a caller without a name reads the log $1"
    for user in bob dr.who; do
        check_equal "$(sees "$user")" false "$user sees the application $1"
        check_equal "$(log_status "?user.name=$user")" 403 "$user reads the log $1"
        expect 503 "$user" "$APPS/$app/appattempts/${app/application/appattempt}_000001"
    done
    for user in carol dr.who bob; do
        expect 403 "$user" "$APPS/$app/state" -X PUT "${JSON[@]}" -d '{"state":"KILLED"}'
        expect 403 "$user" "/ws/v1/cluster/jobs/$job"
        expect 403 "$user" "$APPS/$job/why"
        expect 403 "$user" "$APPS/$shared/state" -X PUT "${JSON[@]}" -d '{"state":"KILLED"}'
        expect 200 "$user" /ws/v1/cluster/jobs
        check_equal "$(jq -r '.jobs[].id' "$T/body")" "$([ "$user" = carol ] && echo "$shared")" \
            "jobs that $user sees $1"
        listed "$user" "/proxy/$shared/ws/v1/mapreduce/jobs/${shared/application/job}/tasks" "$1"
    done
    for user in alice daemon; do
        check_equal "$(sysfs_status "?user.name=$user")" 200 "$user stores a document $1"
    done
    for user in "?user.name=bob" "?user.name=carol" ""; do
        check_equal "$(sysfs_status "$user")" 403 "a stranger ($user) stores a document $1"
    done
    expect 403 alice /logLevel -G -d log=http -d level=INFO
    expect 200 alice /logLevel -G -d log=http
    expect 200 daemon /logLevel -G -d log=http -d level=INFO
    expect 200 carol "/ws/v1/cluster/jobs/$shared"
    check_equal "$(jq -r '.job."acl-view"' "$T/body")" carol "the list of the job $1"
    expect 403 bob "/ws/v1/cluster/jobs/$shared"
    expect 403 bob /ws/v1/cluster/scheduler/policy -X PUT "${JSON[@]}" -d '{"policy":"fifo"}'
    expect 200 daemon /ws/v1/cluster/scheduler/policy -X PUT "${JSON[@]}" -d '{"policy":"fifo"}'
}
check_rights "at first"

# --- what the restarted daemons know of it, they have stored
creel dev --restart rm-1 --dir "$DEV" > /dev/null
wait_for 30 "the node" nodes_running 1
check_rights "after a restart of the ResourceManager"
creel dev --restart nm-1 --dir "$DEV" > /dev/null
wait_for 30 "the node" nodes_running 1
wait_for 30 "the application's log" logged
check_rights "after a restart of the node"

# --- the command acts for its user
HADOOP_USER_NAME=alice creel job list --json | grep -q "$job" || fail "alice does not see her job"
! HADOOP_USER_NAME=bob creel job list --json | grep -q "$job" || fail "bob sees alice's job"
! HADOOP_USER_NAME=bob creel job kill "$job" > "$T/out" 2>&1 || fail "bob kills alice's job"
HADOOP_USER_NAME=alice creel job kill "$job" > /dev/null

# --- a group may change it
[[ $(ask nobody "$APPS/$app/state" -X PUT "${JSON[@]}" -d '{"state":"KILLED"}') = 20[02] ]] ||
    fail "nobody may not kill the application: $(cat "$T/body")"
grep -q "op=kill user=bob .*result=refused status=403 app=$app" "$T/audit" || fail "no line: kill"
grep -q "op=request user=bob .*result=refused status=503" "$T/audit" || fail "no line: attempt"
grep -q "op=set-policy user=bob .*result=refused status=403" "$T/audit" || fail "no line: policy"
grep -q "op=start-container user=alice result=success app=$app " "$T/nm-audit" ||
    fail "no line: start of a container"
grep -q "op=request user=bob .*result=refused status=403 path=.*container_" "$T/nm-audit" ||
    fail "no line: a log"
grep -q "op=set-sysfs user=bob .*result=refused status=403" "$T/nm-audit" ||
    fail "no line: a document"
wait_for 30 "line of the end" grep -q "op=end-container user=alice .* app=$app " "$T/nm-audit"
echo "the same rights before and after the restarts"
