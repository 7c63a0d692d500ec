#!/usr/bin/env bash
# Goal: creel-rm alone keeps its promises: protocol, durability, recovery, refusals.
# Method: a real creel-rm; curl plays the node: it registers, gets its launch in a parked heartbeat
# and reports the end. Then kill -9 and a restart: everything is back, and the epoch is higher.
. "$(dirname "$0")/lib.sh"
RM_PID=
end_rm() { [ -z "$RM_PID" ] || kill -9 "$RM_PID" 2> /dev/null || true; }
trap 'end_rm; cleanup' EXIT
mkdir -p "$DEV"

start_rm() { # ARGS...
    rm -f "$T/url"
    "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
        --url-file "$T/url" --pid-file "$T/pid" "$@" 2>> "$DEV/rm.log" &
    RM_PID=$!
    wait_for 10 "creel-rm" test -s "$T/url"
    RM=$(cat "$T/url")
}
api() { # METHOD PATH [BODY]: the answer in $T/body, prints the status
    curl -s -o "$T/body" -w '%{http_code}' -X "$1" -H 'Content-Type: application/json' \
        ${TOKEN:+-H "Authorization: Bearer $TOKEN"} ${SIGN:+-H "Authorization: $(signed "$@")"} \
        ${3:+-d "$3"} "$RM$2"
}
signed() { "$CREEL_SOURCE/tests/e2e/sign" "$XDG_STATE_HOME/creel/cluster.secret" "$@"; }
want() { # STATUS METHOD PATH [BODY]
    local status=$1 got
    shift
    got=$(api "$@")
    [ "$got" = "$status" ] || fail "$1 $2: $got is not $status: $(cat "$T/body")"
}
body() { jq -r "$1" "$T/body"; }
tracker() { SIGN=y want "$@"; } # as a node
# refused STATUS BODY WORDS: the submission gets this status and a message with these words
refused() {
    want "$1" POST /ws/v1/cluster/jobs "$2"
    [[ $(body .RemoteException.message) == *"$3"* ]] || fail "no \"$3\" in $(cat "$T/body")"
}

start_rm
check_equal "$(cat "$T/pid")" "$RM_PID" "pid file"

# ---- refusals: nothing half done
printf 'a b\n' > "$T/in.txt"
mkdir "$T/there"
refused 400 '{' 'line 1'
refused 400 '{"job":{"nmae":"x","tasks":[{"command":"true"}]}}' 'did you mean "name"'
refused 400 '{"job":{"tasks":[{"command":"true","count":0}]}}' 'count: 0 is not an integer from 1'
refused 400 '{"job":{"tasks":[{"command":"true"}],"queue":"nosuch"}}' 'nosuch'
refused 400 "{\"job\":{\"input\":[\"$T/nosuch\"],\"output\":\"$T/out\",\"map\":\"cat\"}}" \
    "$T/nosuch"
refused 409 "{\"job\":{\"input\":[\"$T/in.txt\"],\"output\":\"$T/there\",\"map\":\"cat\"}}" \
    "$T/there"
head -c 9000000 /dev/zero | tr '\0' ' ' > "$T/huge"
post_code() { # ARGUMENTS...: the status of a submission with these arguments of curl
    curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' "$@" \
        "$RM/ws/v1/cluster/jobs"
}
long_body() { cat "$T/huge" "$T/huge" "$T/huge"; }
check_equal "$(post_code --data-binary "@$T/huge")" 413 "a body over the limit"
check_equal "$(long_body | post_code -H 'Expect:' -H 'Transfer-Encoding: chunked' \
    --data-binary @-)" 413 "a long body in chunks"
check_equal "$(long_body | post_code -H 'Expect:' --data-binary @-)" 413 "a long body at once"
JOB='{"job":{"tasks":[{"command":"true"}]}}'
want 400 POST '/ws/v1/cluster/jobs?user.name=%ff' "$JOB"
[[ $(body .RemoteException.message) == 'user.name: "%FF" is not'* ]] || fail "$(cat "$T/body")"
want 400 POST "/ws/v1/cluster/jobs?user.name=$(printf 'u%.0s' {1..3000})" "$JOB"
want 404 GET /ws/v1/cluster/jobs/application_1_0001
want 405 DELETE /ws/v1/cluster/jobs
want 200 GET /ws/v1/cluster/jobs
check_equal "$(body '.jobs | length')" 0 "jobs after refusals"

# ---- submit; the same id again
want 200 POST /ws/v1/cluster/apps/new-application
ID=$(body '."application-id"')
JOB='{"job":{"id":"'$ID'","name":"first","tasks":[{"command":"true","count":2}]}}'
want 201 POST /ws/v1/cluster/jobs "$JOB"
check_equal "$(body .job.id)" "$ID" "id of the job"
want 200 POST /ws/v1/cluster/jobs "$JOB"
want 409 POST /ws/v1/cluster/jobs \
    '{"job":{"id":"'$ID'","name":"other","tasks":[{"command":"true"}]}}'
want 201 POST /ws/v1/cluster/jobs '{"job":{"name":"second","tasks":[{"command":"true"}]}}'
want 200 GET "/ws/v1/cluster/jobs?limit=1"
check_equal "$(body '.jobs[0].name')" second "newest first"
CURSOR=$(body .cursor)
want 200 GET "/ws/v1/cluster/jobs?limit=1&cursor=$CURSOR"
check_equal "$(body '.jobs[0].name')" first "the page behind the cursor"

# ---- a node: without a signature, then with one
NODE='"nodeId":"127.0.0.1:9","instance":"00000000000000000000000000000001"'
REGISTER='{'$NODE',"httpAddress":"127.0.0.1:9","rack":"/default-rack","mapSlots":1,'
REGISTER+='"reduceSlots":1,"bootId":"b","epochSeen":0,"version":"0.1.0","containers":[]}'
# heartbeat HOLD_MS [CONTAINERS]: the node's next heartbeat, with reports of these containers
heartbeat() {
    tracker 200 POST /ws/v1/nodetracker/heartbeat '{'$NODE',"responseId":'$RESPONSE',"epochSeen":0,
        "healthy":true,"holdMs":'"$1"',"containers":['"${2-}"']}'
}
# ended EXIT: the report of the container $C
ended() {
    printf '%s' '{"id":"'$C'","state":"complete","slot":"map","exitCode":'"$1" \
        ',"startedMs":1,"endedMs":2}'
}
TOKEN=wrong want 401 POST /ws/v1/nodetracker/register "$REGISTER"
tracker 200 POST /ws/v1/nodetracker/heartbeat '{'$NODE',"responseId":0,"holdMs":0}'
check_equal "$(body '.orders[0].type')" resync "an unknown node is told to register"
tracker 200 POST /ws/v1/nodetracker/register "$REGISTER"
check_equal "$(body .epoch)" 0 "epoch of a fresh store"
RESPONSE=$(body .responseId)
cp "$T/body" "$T/orders"
for i in 1 2 3; do # one slot: the three tasks come one after another
    while [ "$(jq '[.orders[] | select(.type == "launch")] | length' "$T/orders")" = 0 ]; do
        heartbeat 5000
        RESPONSE=$(body .responseId)
        cp "$T/body" "$T/orders"
    done
    C=$(jq -r '[.orders[] | select(.type == "launch")][0].container' "$T/orders")
    check_equal "$(jq -r '[.orders[] | select(.type == "launch")][0].command' "$T/orders")" true \
        "command of the launch"
    APP_TOKEN=$(jq -r '[.orders[] | select(.type == "launch")][0].token' "$T/orders")
    heartbeat 0 "$(ended 0)"
    RESPONSE=$(body .responseId)
    cp "$T/body" "$T/orders"
done
export CREEL_RM=$RM
wait_for 5 "end of $ID" job_is "$ID" FINISHED/SUCCEEDED
check_equal "${#APP_TOKEN}" 32 "length of an application's token"

# A repeated heartbeat gets the stored answer; the wake-up ends a parked one at once.
tracker 200 POST /ws/v1/nodetracker/heartbeat \
    '{'$NODE',"responseId":'$RESPONSE',"healthy":true,"holdMs":0}'
AGAIN=$(cat "$T/body")
tracker 200 POST /ws/v1/nodetracker/heartbeat \
    '{'$NODE',"responseId":'$RESPONSE',"healthy":true,"holdMs":0}'
check_equal "$(cat "$T/body")" "$AGAIN" "repeated heartbeat"
RESPONSE=$(body .responseId)
parked() {
    local beat='{'$NODE',"responseId":'$RESPONSE',"healthy":true,"holdMs":30000}'
    curl -s -H "Authorization: $(signed POST /ws/v1/nodetracker/heartbeat "$beat")" \
        -H 'Content-Type: application/json' -o "$T/parked" -d "$beat" \
        "$RM/ws/v1/nodetracker/heartbeat"
}
parked & PARKED=$!
until tracker 204 POST /ws/v1/nodetracker/wake '{'$NODE'}' && ! kill -0 $PARKED 2> /dev/null; do
    :
done
wait $PARKED
RESPONSE=$(jq .responseId "$T/parked")

# ---- masters: the first attempt's master is refused once the second one is there
want 200 POST /ws/v1/cluster/apps/new-application
APP=$(body '."application-id"')
MASTER=/ws/v1/cluster/apps/$APP/master
want 202 POST '/ws/v1/cluster/apps?user.name=ann' \
    '{"application-id":"'$APP'","max-app-attempts":2,
      "am-container-spec":{"commands":{"command":"true"}}}'
# container_token CONTAINER: the token that its node makes of the application's secret
container_token() {
    python3 -c 'import hashlib, hmac, sys, time
secret, name = sys.argv[1], "%s@%d" % (sys.argv[2], time.time() * 1000 + 60000)
text = "creel-container-1\n" + name
print(name + "." + hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest())' \
        "$APP_SECRET" "$1"
}
TOKENS=()
for i in 1 2; do
    while [ "$(jq '[.orders[] | select(.kind == "master")] | length' "$T/body" || true)" != 1 ]; do
        heartbeat 5000
        RESPONSE=$(body .responseId)
    done
    C=$(body '[.orders[] | select(.kind == "master")][0].container')
    APP_SECRET=$(body '[.orders[] | select(.kind == "master")][0].token')
    TOKENS+=("$(container_token "$C")")
    TOKEN=${TOKENS[-1]} want 200 POST "$MASTER/register" '{"host":"h"}'
    [ $i = 1 ] || break
    heartbeat 0 "$(ended 1)"
    RESPONSE=$(body .responseId)
done
TOKEN=${TOKENS[0]} want 403 POST "$MASTER/finish" '{"finalStatus":"SUCCEEDED"}'
TOKEN=$APP_SECRET want 403 POST "$MASTER/finish" '{"finalStatus":"SUCCEEDED"}'
TOKEN=${TOKENS[1]/%?/x} want 403 POST "$MASTER/finish" '{"finalStatus":"SUCCEEDED"}'
want 200 GET "/ws/v1/cluster/apps/$APP"
check_equal "$(body .app.finalStatus)" UNDEFINED "final status said by a superseded master"
TOKEN=${TOKENS[1]} want 200 POST "$MASTER/finish" '{"finalStatus":"SUCCEEDED"}'
heartbeat 0 "$(ended 0)"
RESPONSE=$(body .responseId)

# ---- kill -9: everything is back, and the epoch is higher
want 201 POST /ws/v1/cluster/jobs \
    '{"job":{"name":"third","env":{"A":"1"},"tasks":[{"command":"true"}]}}'
THIRD=$(body .job.id)
second=$("$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" 2>&1 |
    grep -c locked) || true
check_equal "$second" 1 \
    "a second RM on the same store is refused"
kill -9 "$RM_PID"
wait "$RM_PID" 2> /dev/null || true
start_rm
export CREEL_RM=$RM
want 200 GET /ws/v1/cluster/jobs
check_equal "$(body '[.jobs[].name] | join(",")')" "third,second,first" "jobs after the restart"
want 200 GET "/ws/v1/cluster/jobs/$ID"
check_equal "$(body '.job.state + "/" + .job.finalStatus')" FINISHED/SUCCEEDED "the finished one"
check_equal "$(body .job.taskCounts.map.succeeded)" 2 "its tasks"
want 200 POST /ws/v1/cluster/jobs "$JOB"
tracker 200 POST /ws/v1/nodetracker/register "$REGISTER"
check_equal "$(body .epoch)" 1 "epoch after a restart"
RESPONSE=$(body .responseId)
while [ "$(jq '[.orders[] | select(.type == "launch")] | length' "$T/body")" = 0 ]; do
    tracker 200 POST /ws/v1/nodetracker/heartbeat \
        '{'$NODE',"responseId":'$RESPONSE',"epochSeen":1,"healthy":true,"holdMs":5000}'
    RESPONSE=$(body .responseId)
done
check_equal "$(body '[.orders[] | select(.type == "launch")][0] | .app + " " + .env.A')" \
    "$THIRD 1" "launch after the restart"
[[ $(body '[.orders[] | select(.type == "launch")][0].container') == container_e01_* ]] ||
    fail "no epoch in the id"

# ---- everything accepted so far reads back, deeply nested XML too
DEEP=$(printf '<a/><a>%.0s' {1..40})$(printf '</a>%.0s' {1..40})
want 200 POST /ws/v1/cluster/apps/new-application
printf '%s' "<application-submission-context><application-id>$(body '."application-id"')" \
    "</application-id>$DEEP</application-submission-context>" > "$T/deep.xml"
status=$(curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/xml' \
    -d @"$T/deep.xml" "$RM/ws/v1/cluster/apps?user.name=ann")
check_equal "$status" 202 "a deep XML submission"
kill -9 "$RM_PID"
wait "$RM_PID" 2> /dev/null || true
start_rm

# ---- a clean stop; then a damaged store is refused with advice
kill -TERM "$RM_PID"
wait "$RM_PID" || fail "creel-rm ended with $?"
RM_PID=
[ ! -e "$T/pid" ] || fail "the pid file was left behind"
printf 'garbage garbage garbage' | dd of="$T/state/state.db" conv=notrunc bs=1 status=none
rc=0
"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" 2> "$T/refusal" || rc=$?
check_equal "$rc" 1 "exit code with a damaged store"
grep -q "$T/state/state.db.*move it away" "$T/refusal" || fail "no advice: $(cat "$T/refusal")"
rc=0
"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.prot=1 2> "$T/refusal" || rc=$?
check_equal "$rc" 2 "exit code with an unknown key"
rc=0
"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/untouched" \
    --rm-id rm1 2> "$T/refusal" || rc=$?
check_equal "$rc" 2 "exit code of one of several that would be alone"
grep -q -e '--rm-id rm1: .*expected --ha' "$T/refusal" ||
    fail "no word of --ha: $(cat "$T/refusal")"
: > "$T/file"
"$BIN/creel-rm" --ha --rm-id a -D yarn.resourcemanager.ha.rm-ids=a -D creel.rm.port=0 \
    -D yarn.resourcemanager.zk-address=127.0.0.1:1 \
    -D yarn.resourcemanager.webapp.address.a=127.0.0.1:8088 \
    -D yarn.resourcemanager.cluster-id=c -D creel.rm.state-dir="$T/file/below" 2> "$T/refusal" &
RM_PID=$!
wait_for 10 "a word about the folder" grep -q "creel.rm.state-dir: .*$T/file/below.* history" \
    "$T/refusal"
kill -TERM "$RM_PID"
wait "$RM_PID" || fail "creel-rm ended with $?: $(cat "$T/refusal")"
RM_PID=
for bind in 0.0.0.0 no.such.host.invalid; do # before the store is touched
    "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.bind="$bind" \
        -D creel.rm.state-dir="$T/untouched" 2> "$T/refusal" &&
        fail "it listened on $bind"
    grep -q "creel.rm.bind: .*$bind" "$T/refusal" || fail "no $bind in $(cat "$T/refusal")"
    [ ! -e "$T/untouched" ] || fail "a refused start on $bind made a store"
done
echo "creel-rm keeps its word"
