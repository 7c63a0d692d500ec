#!/usr/bin/env bash
# Goal: an ApplicationMaster of nothing but shell and curl runs five containers, and every view of
# the application shows how it ended.
# Method: submitted over YARN's REST (JSON, then XML), watched there, in the CLI and in what the
# containers wrote.
. "$(dirname "$0")/lib.sh"
start_cluster --nodes 2 --map-slots 3
AM="$(cd "$(dirname "$0")" && pwd)/sample-am.sh"
API=$CREEL_RM/ws/v1/cluster
mkdir "$T/out"

new_id() { curl -sf -X POST "$API/apps/new-application?user.name=ann" | jq -r '."application-id"'; }
app() { curl -sf "$API/apps/$1" | jq -r ".app.$2"; }
app_is() { [ "$(app "$1" state)/$(app "$1" finalStatus)" = "$2" ]; }
app_ended() { case $(app "$1" state) in FINISHED | FAILED | KILLED) ;; *) return 1 ;; esac; }
state_is() { [ "$(curl -sf "$API/apps/$1/state" | jq -r .state)" = "$2" ]; }
# submit ID NAME COMMAND: a master that runs COMMAND in its five containers
submit() {
    jq -n --arg id "$1" --arg name "$2" --arg run "sh '$AM' 5 '$3'" \
        '{"application-id":$id,"application-name":$name,"application-type":"SHELL",
          "max-app-attempts":1,"resource":{"memory":256,"vCores":1},
          "am-container-spec":{"commands":{"command":$run}}}' > "$T/body.json"
    curl -s -D "$T/head" -o "$T/answer" -w '%{http_code}' -H 'Content-Type: application/json' \
        -d @"$T/body.json" \
        "$API/apps?user.name=ann"
}

# Five containers, all successful.
id=$(new_id)
check_equal "$(submit "$id" five "echo worker > $T/out/\$CONTAINER_ID")" 202 \
    "status of the submission"
grep -qi "^location: $API/apps/$id"$'\r'"*$" "$T/head" || fail "Location is wrong: $(cat "$T/head")"
check_equal "$(submit "$id" again 'exit 9')" 202 "status of the same id again"
wait_for 60 "end of $id" app_ended "$id"
wait_for 10 "FINISHED of $id" state_is "$id" FINISHED
app_is "$id" FINISHED/SUCCEEDED ||
    fail "$id is $(app "$id" state)/$(app "$id" finalStatus): $(app "$id" diagnostics)"
check_equal "$(app "$id" name)" five "name"
check_equal "$(app "$id" user)" ann "user"
check_equal "$(app "$id" progress)" 100 "progress"
check_equal "$(app "$id" diagnostics)" "0 of 5 containers failed" "diagnostics"
check_equal "$(app "$id" runningContainers)" -1 "running containers"
check_equal "$(cat "$T"/out/container_* | grep -c worker)" 5 "containers that ran"
master=$(curl -sf "$API/apps/$id/appattempts" | jq -r '.appAttempts.appAttempt[0].containerId')
[ ! -e "$T/out/$master" ] ||
    fail "the master's own container ran a worker"
creel application -status "$id" > "$T/status"
grep -q FINISHED "$T/status" && grep -q SUCCEEDED "$T/status" || fail "CLI says: $(cat "$T/status")"
creel application -list -appStates FINISHED | grep -q "$id" || fail "the CLI does not list $id"

creel why "$id" | grep -q '^reason *it has ended$' || fail "$(creel why "$id")"

# While the application runs, the policy explains it like any other.
id=$(new_id)
submit "$id" slow "until test -e $T/go; do sleep 0.05; done" > /dev/null
for policy in fair hfsp fifo; do
    creel rmadmin -policy $policy > /dev/null
    wait_for 20 "RUNNING of $id" state_is "$id" RUNNING
    creel why "$id" > "$T/why"
    grep -q "^policy *$policy$" "$T/why" && grep -q '^reason *.*[a-z]' "$T/why" ||
        fail "why: $(cat "$T/why")"
done
touch "$T/go"
wait_for 60 "end of $id" app_ended "$id"
app_is "$id" FINISHED/SUCCEEDED || fail "$id is $(app "$id" state)/$(app "$id" finalStatus)"

# Failures longer ago than the submission says do not count towards its attempts.
submit_failing() { # ID INTERVAL
    jq -n --arg id "$1" --argjson interval "$2" \
        '{"application-id":$id,"application-name":"ages","max-app-attempts":2,
          "attempt-failures-validity-interval":$interval,"resource":{"memory":256,"vCores":1},
          "am-container-spec":{"commands":{"command":"exit 3"}}}' |
        curl -sf -H 'Content-Type: application/json' -d @- "$API/apps?user.name=ann"
}
attempts() { curl -sf "$API/apps/$1/appattempts" | jq '.appAttempts.appAttempt | length'; }
has_attempts() { [ "$(attempts "$1")" -ge "$2" ]; }
id=$(new_id)
submit_failing "$id" 1
wait_for 60 "a third attempt" has_attempts "$id" 3
app_ended "$id" && fail "$id is $(app "$id" state): $(app "$id" diagnostics)"
creel application -kill "$id" > /dev/null
id=$(new_id)
submit_failing "$id" 3600000
wait_for 60 "end of $id" app_ended "$id"
check_equal "$(attempts "$id")" 2 "attempts within an hour"
app "$id" diagnostics | grep -q "^Application $id failed 2 times in previous 3600000 millisec" ||
    fail "$id: $(app "$id" diagnostics)"

# One container fails: the master reports FAILED, YARN's state is still FINISHED.
id=$(new_id)
submit "$id" fails 'case $CONTAINER_ID in *3) exit 3;; esac' > /dev/null
wait_for 60 "end of $id" app_ended "$id"
app_is "$id" FINISHED/FAILED || fail "$id is $(app "$id" state)/$(app "$id" finalStatus)"

# The other containers hold the application's token, which is not the master's.
id=$(new_id)
intruder="curl -s -o /dev/null -w %{http_code} \
    -H \"Authorization: Bearer \$(cat \$CREEL_APP_TOKEN_FILE)\" \
    -H \"Content-Type: application/json\" -d {\\\"finalStatus\\\":\\\"KILLED\\\"} \
    $API/apps/$id/master/finish > $T/out/intruder"
submit "$id" intruder "$intruder" > /dev/null
wait_for 60 "end of $id" app_ended "$id"
app_is "$id" FINISHED/SUCCEEDED || fail "$id is $(app "$id" state)/$(app "$id" finalStatus)"
check_equal "$(cat "$T/out/intruder")" 403 "a container that speaks for the master"

# A master that never registers: the RM ends the application as FAILED.
id=$(new_id)
printf '<application-submission-context><application-id>%s</application-id>' "$id" > "$T/body.xml"
printf '%s' '<max-app-attempts>1</max-app-attempts><am-container-spec><commands>' \
    '<command>exit 4</command></commands></am-container-spec></application-submission-context>' \
    >> "$T/body.xml"
status=$(curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/xml' \
    -d @"$T/body.xml" "$API/apps?user.name=ann")
check_equal "$status" 202 "XML submission"
wait_for 60 "end of $id" app_ended "$id"
app_is "$id" FAILED/FAILED || fail "$id is $(app "$id" state)/$(app "$id" finalStatus)"

# Killed while its containers run.
id=$(new_id)
submit "$id" long 'sleep 300' > /dev/null
containers() {
    curl -sf "$API/apps/$id/appattempts/appattempt_${id#application_}_000001/containers" |
        jq '.container | length'
}
busy() { [ "$(containers)" -ge 2 ]; }
wait_for 30 "containers of $id" busy
status=$(curl -s -o "$T/answer" -w '%{http_code}' -X PUT -H 'Content-Type: application/json' \
    -d '{"state":"KILLED","diagnostics":"enough"}' "$API/apps/$id/state?user.name=bob")
check_equal "$status" 202 "status of the kill"
wait_for 30 "KILLED of $id" state_is "$id" KILLED
check_equal "$(app "$id" diagnostics)" \
    "Application $id was killed by user bob with diagnostic message: enough" "diagnostics"
status=$(curl -s -o /dev/null -w '%{http_code}' -X PUT -H 'Content-Type: application/json' \
    -d '{"state":"KILLED"}' "$API/apps/$id/state?user.name=bob")
check_equal "$status" 200 "status of a second kill"

# A request beyond the maximum, and a wrong token.
id=$(new_id)
status=$(curl -s -o "$T/answer" -w '%{http_code}' -H 'Content-Type: application/json' \
    -d '{"application-id":"'"$id"'","resource":{"memory":999999,"vCores":1}}' \
    "$API/apps?user.name=ann")
check_equal "$status" 400 "status of a huge request"
grep -q 'Requested more memory than configured max' "$T/answer" || fail "says $(cat "$T/answer")"
check_equal "$(curl -s -o /dev/null -w '%{http_code}' "$API/apps/$id")" 404 "a refused application"
echo "all applications ended as they should"
