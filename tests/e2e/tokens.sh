#!/usr/bin/env bash
# Goal: with tokens, the default, a user needs one for every change and for logs; the commands find
# that of their own cluster; tokens of users work until they expire or are revoked, after a restart,
# too; nodes ask the ResourceManager whose one is; files that others can read are refused in words.
# Method: creel dev with the default way of telling users; the command and curl with tokens of the
# administrator, of two users, wrong ones and none.
AUTH=token
. "$(dirname "$0")/cli_lib.sh"
start_cluster --nodes 1 --map-slots 4 -D creel.rm.audit-log="$T/audit" \
    -D creel.nodemanager.token-lifetime-ms=3000
JSON=(-H 'Content-Type: application/json')
JOB='{"job":{"tasks":[{"command":"true"}]}}'

status() { curl -s -o "$T/body" -D "$T/head" -w '%{http_code}' "$@"; }
bearer() { # FILE: the header of the token in it
    printf 'Authorization: Bearer %s' "$(head -n 1 "$1")"
}
answers() { # STATUS CURL ARGS
    check_equal "$(status "${@:2}")" "$1" "${*:2}: $(head -c 300 "$T/body")"
}

# --- the own token: files of this user alone, and the commands of this user
check_equal "$(stat -c '%a' "$DEV/rm.token" "$DEV/rm.header" | xargs)" "600 600" "modes"
check_equal "$(cat "$DEV/rm.header")" "$(bearer "$DEV/rm.token")" "the header"
expect 7 creel run -- sh -c 'echo out; exit 7'
check_equal "$(cat "$T/o")" out "output"
expect 0 creel rmadmin status
# in the default folder it is found without being named
unset CREEL_TOKEN_FILE
mkdir -p "$XDG_STATE_HOME/creel"
ln -s "$DEV" "$XDG_STATE_HOME/creel/dev"
expect 0 creel run -- true
CREEL_RM=${CREEL_RM/127.0.0.1/localhost} expect 0 creel run -- true
CREEL_RM=$CREEL_RM,http://127.0.0.1:1 expect 2 creel run -- true # not that of the other address
one_line 'wants a token' CREEL_TOKEN_FILE "$XDG_CONFIG_HOME/creel/token" 'creel token --new'
rm "$XDG_STATE_HOME/creel/dev"
expect 2 creel run -- true
mkdir -p "$XDG_CONFIG_HOME/creel"
cp "$DEV/rm.token" "$XDG_CONFIG_HOME/creel/token"
expect 0 creel run -- true
chmod 640 "$XDG_CONFIG_HOME/creel/token"
expect 2 creel job list
one_line "$XDG_CONFIG_HOME/creel/token" 0640 0600
rm "$XDG_CONFIG_HOME/creel/token"
CREEL_TOKEN_FILE=$T/none expect 2 creel job list
one_line CREEL_TOKEN_FILE "$T/none"
ln -s "$DEV/rm.token" "$T/link"
CREEL_TOKEN_FILE=$T/link expect 2 creel job list
one_line "$T/link" 'not a plain file'
(umask 077; echo wrong > "$T/wrong")
CREEL_TOKEN_FILE=$T/wrong expect 2 creel job list
one_line "$T/wrong" expired revoked
(umask 077; : > "$T/empty")
CREEL_TOKEN_FILE=$T/empty expect 2 creel job list
one_line "$T/empty"
export CREEL_TOKEN_FILE=$DEV/rm.token

# --- without a token: reading, but no change and no log
answers 200 "$CREEL_RM/ws/v1/cluster/metrics"
answers 401 "$CREEL_RM/ws/v1/cluster/jobs" "${JSON[@]}" -d "$JOB"
grep -qi '^WWW-Authenticate: Bearer' "$T/head" || fail "no scheme is offered: $(cat "$T/head")"
answers 401 "$CREEL_RM/ws/v1/cluster/jobs?user.name=$(id -un)" "${JSON[@]}" -d "$JOB"
for page in conf logs stacks logLevel ws/v1/cluster/tokens; do answers 401 "$CREEL_RM/$page"; done
answers 201 "$CREEL_RM/ws/v1/cluster/jobs" "${JSON[@]}" -d "$JOB" -H "@$DEV/rm.header"
answers 401 "$CREEL_RM/ws/v1/cluster/metrics" -H "$(bearer "$T/wrong")"

# --- tokens of users
umask 077
expect 0 creel token --new --user ann
mv "$T/o" "$T/ann"
chmod 600 "$T/ann"
expect 0 creel token --new --user bob --expires 1h --json
jq -r .token.text "$T/o" > "$T/bob"
umask 022
expect 0 creel token --list
check_equal "$(awk 'NR > 1 { print $2 }' "$T/o" | sort | xargs)" "ann bob" "users with tokens"
answers 201 "$CREEL_RM/ws/v1/cluster/jobs" "${JSON[@]}" -d "$JOB" -H "$(bearer "$T/ann")"
check_equal "$(curl -s -H "$(bearer "$T/ann")" "$CREEL_RM/ws/v1/cluster/userinfo" |
    jq -r .requestedUser)" ann "the caller"
expect 0 creel job list
grep -q ' ann ' "$T/o" || fail "no job is ann's: $(cat "$T/o")"
as() { # USER COMMAND...
    local user=$1
    shift
    CREEL_TOKEN_FILE=$T/$user "$@"
}
id=$(cut -d . -f 1 "$T/ann")
as bob expect 2 creel token --new --user ann # ... nobody takes another's name
one_line administrators
as bob expect 4 creel token --revoke "$id"
as bob expect 0 creel token --list
check_equal "$(awk 'NR > 1 { print $2 }' "$T/o" | xargs)" bob "what bob sees"
as bob expect 0 creel token --new --expires 60
expect 2 creel token --new --expires never; one_line --expires never
expect 2 creel token --new --list; one_line --list
expect 2 creel token --revoke x --user ann; one_line user
expect 2 creel token --revoke x; one_line tokenid
answers 400 "$CREEL_RM/ws/v1/cluster/tokens" "${JSON[@]}" -H "@$DEV/rm.header" \
    -d '{"token":{"user":"ann","expiresInSeconds":0}}'
for body in '{}' '[]' '{"token":7}' '{"token":{"user":7}}' '{"token":{"user":""}}' \
    '{"token":{"user":"a\u0007"}}' '{"token":{"expiresInSeconds":"1"}}' \
    '{"token":{"usr":"ann"}}'; do
    answers 400 "$CREEL_RM/ws/v1/cluster/tokens" "${JSON[@]}" -H "@$DEV/rm.header" -d "$body"
done
grep -q usr "$T/body" || fail "the wrong member is not named: $(cat "$T/body")"

# --- nodes
node=$(curl -s "$CREEL_RM/ws/v1/cluster/nodes" | jq -r '.nodes.node[0].nodeHTTPAddress')
job=$(as ann creel job submit --task 'echo hidden' --wait --json 2> /dev/null | jq -r .job.id)
log=http://$node/ws/v1/node/containers/${job/application/container}_01_000002/logs/stdout
answers 401 "$log"
answers 200 "$log" -H "$(bearer "$T/ann")"
grep -q hidden "$T/body" || fail "not the log: $(cat "$T/body")"
answers 403 "$log" -H "$(bearer "$T/bob")"
answers 200 "$log" -H "@$DEV/rm.header"
answers 401 "$log" -H "$(bearer "$T/wrong")"
answers 401 "http://$node/conf"
answers 200 "http://$node/conf" -H "$(bearer "$T/bob")"
answers 200 "http://$node/ws/v1/node/info"
answers 401 "http://$node/ws/v1/node/info" -H "$(bearer "$T/wrong")"
answers 401 -X PUT "http://$node/ws/v1/node/auxiliaryservices" "${JSON[@]}" -d '{}'
# through the ResourceManager, which the node knows
relayed=$CREEL_RM/ws/v1/cluster/nodes/$node/raw-logs/${job/application/container}_01_000002/stdout
answers 401 "$relayed"
answers 403 "$relayed" -H "$(bearer "$T/bob")"
answers 200 "$relayed" -H "$(bearer "$T/ann")"
check_equal "$(cat "$T/body")" hidden "the log through the ResourceManager"
# whose a token is, only nodes may ask
answers 401 "$CREEL_RM/ws/v1/nodetracker/identify" "${JSON[@]}" -d '{"token":"x"}'

# --- log tokens: they open the logs of one application or container, for minutes, nothing else
container=${job/application/container}_01_000002
others=$(as bob creel job submit --task 'echo other' --wait --json 2> /dev/null | jq -r .job.id)
log_token() { # USER JOB [BODY]: makes the token in $T/log
    answers 201 "$CREEL_RM/ws/v1/cluster/apps/$2/log-token" "${JSON[@]}" -H "$(bearer "$T/$1")" \
        -d "${3:-{\}}"
    jq -r .logToken.text "$T/body" > "$T/log"
}
made() { # APPLICATION SECONDS: one of ann's, as the ResourceManager would have made it
    "$CREEL_SOURCE/tests/e2e/sign" "$DEV/conf/cluster.secret" log-token "$1" ann "$2" > "$T/log"
}
log_token ann "$job"
answers 200 "$log" -H "$(bearer "$T/log")"
check_equal "$(grep -c hidden "$T/body")" 1 "the log"
answers 200 "$log?log-token=$(cat "$T/log")"
grep -qi '^Referrer-Policy: no-referrer' "$T/head" || fail "no policy: $(cat "$T/head")"
answers 200 "http://$node/node/containerlogs/$container/ann?log-token=$(cat "$T/log")"
answers 200 "http://$node$(grep -o '/node/containerlogs/[^"]*stdout[^"]*' "$T/body" | head -n 1)"
grep -q hidden "$T/body" || fail "the page does not lead to the log: $(cat "$T/body")"
answers 401 "${log//${job#application_}/${others#application_}}" -H "$(bearer "$T/log")"
for url in "http://$node/conf" "http://$node/ws/v1/node/info" \
    "http://$node/ws/v1/node/apps/$others" \
    "$CREEL_RM/ws/v1/cluster/metrics" "$CREEL_RM/ws/v1/cluster/apps/$job" "$relayed"; do
    answers 401 "$url" -H "$(bearer "$T/log")"
done
answers 401 "http://$node/conf?log-token=$(cat "$T/log")"
answers 401 "$CREEL_RM/ws/v1/cluster/jobs" "${JSON[@]}" -d "$JOB" -H "$(bearer "$T/log")"
answers 401 "$log?log-token=$(head -n 1 "$T/ann")" # no query takes a user's token
sed -i 's/.$/x/' "$T/log"
answers 401 "$log" -H "$(bearer "$T/log")"
log_token ann "$job" '{"container":"'"$container"'"}'
answers 200 "$log" -H "$(bearer "$T/log")"
answers 401 "${log/_000002/_000001}" -H "$(bearer "$T/log")"
answers 401 "http://$node/ws/v1/node/apps/$job" -H "$(bearer "$T/log")"
answers 400 "$CREEL_RM/ws/v1/cluster/apps/$others/log-token" "${JSON[@]}" -H "$(bearer "$T/bob")" \
    -d '{"container":"'"$container"'"}'
answers 403 "$CREEL_RM/ws/v1/cluster/apps/$job/log-token" "${JSON[@]}" -d '{}' \
    -H "$(bearer "$T/bob")"
answers 401 "$CREEL_RM/ws/v1/cluster/apps/$job/log-token" "${JSON[@]}" -d '{}'
made "$job" 60
answers 200 "$log" -H "$(bearer "$T/log")"
made "$job" 0
answers 401 "$log" -H "$(bearer "$T/log")"
made "$job" 86400
answers 401 "$log" -H "$(bearer "$T/log")"
for why in "is for logs of $job alone" "is for logs of $container alone" \
    "the log token is malformed" "the log token of ann for $job has expired"; do
    grep -q "$why" "$DEV/nm-1.log" ||
        fail "the node's log lacks '$why': $(grep audit "$DEV/nm-1.log")"
done
# a redirect of the history, which clients follow without their own token
history=$CREEL_RM/ws/v1/history/containerlogs/$container/stdout
check_equal "$(curl -sL -H "$(bearer "$T/ann")" "$history" | grep -c hidden)" 1 \
    "a followed redirect"
answers 403 "$history" -H "$(bearer "$T/bob")"
grep -q "op=new-log-token user=ann .*of=$container" "$T/audit" ||
    fail "no line of a log token: $(grep log-token "$T/audit")"
# the command sends no other token to nodes: a server in the place of one notes what it gets
as ann expect 0 creel logs "$job"
grep -q hidden "$T/o" || fail "no log: $(cat "$T/o")"
python3 - "$T" <<'PYTHON' &
import http.server
import os
import sys


class Node(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(os.path.join(sys.argv[1], "seen"), "a", encoding="utf-8") as f:
            f.write(f"{self.path} {self.headers.get('Authorization')}\n")
        self.send_error(404)

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Node)
with open(os.path.join(sys.argv[1], "port"), "w", encoding="utf-8") as f:
    f.write(f"{server.server_port}\n")
server.serve_forever()
PYTHON
wait_for 20 "a server in the place of a node" test -s "$T/port"
tracker() { # WHAT BODY: of the node that is none
    curl -sf -o "$T/body" "${JSON[@]}" -d "$2" "$CREEL_RM/ws/v1/nodetracker/$1" -H "Authorization: \
$("$CREEL_SOURCE/tests/e2e/sign" "$DEV/conf/cluster.secret" POST "/ws/v1/nodetracker/$1" "$2")"
}
false_node='"nodeId":"127.0.0.1:'$(cat "$T/port")'","instance":"1"'
tracker register "{$false_node,\"httpAddress\":\"127.0.0.1:$(cat "$T/port")\",\"mapSlots\":0,
    \"reduceSlots\":0,\"bootId\":\"b\",\"epochSeen\":0,\"version\":\"0.1.0\",\"containers\":[]}"
as ann creel logs "${container/_000002/_000009}" > /dev/null 2>&1 || true
tracker unregister "{$false_node}"
kill %%
grep -q 'Bearer log\.' "$T/seen" || fail "no log token in: $(cat "$T/seen")"
! grep -v 'Bearer log\.\|Creel-HMAC' "$T/seen" || fail "that is no log token"
! grep -qF "$(head -n 1 "$T/ann")" "$T/seen" || fail "a node gets a user's token"

# --- without a setting nobody but its owner and the daemon's user changes a job, or the policy
sleeps='{"job":{"tasks":[{"command":"exec sleep 1000"}]}}'
answers 201 "$CREEL_RM/ws/v1/cluster/jobs" "${JSON[@]}" -d "$sleeps" -H "$(bearer "$T/ann")"
long=$(jq -r .job.id "$T/body")
as bob expect 2 creel job kill "$long"
as bob expect 2 creel rmadmin -policy fifo
answers 403 "$CREEL_RM/ws/v1/cluster/jobs/$long" -H "$(bearer "$T/bob")"
as ann expect 0 creel job kill "$long"
expect 0 creel rmadmin -policy fifo

# --- masters: the token is that of the container, for seconds here, and renewed without the RM
answers 200 -X POST "$CREEL_RM/ws/v1/cluster/apps/new-application" "${JSON[@]}" -d '{}' \
    -H "$(bearer "$T/ann")"
app=$(jq -r '."application-id"' "$T/body")
master="cp \$CREEL_APP_TOKEN_FILE $T/first; echo \$CREEL_APP_TOKEN_FILE > $T/path.part; \
    mv $T/path.part $T/path; sleep 1000"
answers 202 "$CREEL_RM/ws/v1/cluster/apps" "${JSON[@]}" -H "$(bearer "$T/ann")" -d '{
    "application-id":"'"$app"'","am-container-spec":{"commands":{"command":"'"$master"'"}}}'
wait_for 20 "a master" test -e "$T/path"
# the_master_gets STATUS TOKEN-FILE APPLICATION WHAT BODY. A host under load is slow: a token that
# has expired meanwhile has been renewed by the next try.
the_master_gets() {
    [ "$(status "$CREEL_RM/ws/v1/cluster/apps/$3/master/$4" "${JSON[@]}" -d "$5" \
        -H "$(bearer "$2")")" = "$1" ]
}
ALLOCATE=(allocate '{"responseId":0}')
wait_for 20 "a registered master" the_master_gets 200 "$(cat "$T/path")" "$app" register '{}'
wait_for 20 "an allocation" the_master_gets 200 "$(cat "$T/path")" "$app" "${ALLOCATE[@]}"

# --- over a restart: users keep their tokens; the own one is another: waiting commands learn it
cp "$DEV/rm.token" "$T/old"
creel job submit --task "until [ -e $T/go ]; do sleep 0.05; done" --wait > "$T/wait.out" 2>&1 &
waiting=$!
wait_for 20 "the job to wait for" grep -q RUNNING "$T/wait.out"
kill -9 "$(daemon_pid rm-1)"
# a node that cannot ask says so; whom it knows it still serves
answers 200 "$log" -H "$(bearer "$T/ann")"
answers 503 "$log" -H "Authorization: Bearer unknown"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
touch "$T/go"
ends_within 30 $waiting 0
answers 200 "$CREEL_RM/conf" -H "$(bearer "$T/ann")"
answers 200 "$CREEL_RM/conf" -H "@$DEV/rm.header"
answers 401 "$CREEL_RM/conf" -H "$(bearer "$T/old")"

wait_for 20 "an allocation" the_master_gets 200 "$(cat "$T/path")" "$app" "${ALLOCATE[@]}"
others_master() {
    the_master_gets 403 "$(cat "$T/path")" "$job" "${ALLOCATE[@]}" &&
        grep -q "is of another application" "$T/audit"
}
wait_for 20 "a refusal" others_master
wait_for 20 "the end of a master's first token" the_master_gets 403 "$T/first" "$app" \
    "${ALLOCATE[@]}"
wait_for 20 "an allocation" the_master_gets 200 "$(cat "$T/path")" "$app" "${ALLOCATE[@]}"
cp "$(cat "$T/path")" "$T/last"
as ann expect 0 creel application -kill "$app"
ended() { [ "$(curl -s "$CREEL_RM/ws/v1/cluster/apps/$app" | jq -r .app.state)" = KILLED ]; }
wait_for 20 "the end of $app" ended
the_master_gets 403 "$T/last" "$app" "${ALLOCATE[@]}" || fail "the token outlives its master"

# --- the end of a token
expect 0 creel token --revoke "$id"
answers 401 "$CREEL_RM/ws/v1/cluster/metrics" -H "$(bearer "$T/ann")"
grep -q invalid_token "$T/head" || fail "no reason for programs: $(cat "$T/head")"
! grep -qi revoked "$T/body" || fail "the caller learns why: $(cat "$T/body")"
expect 0 creel token --new --user eve --expires 1
mv "$T/o" "$T/eve"
expired() { [ "$(status "$CREEL_RM/conf" -H "$(bearer "$T/eve")")" = 401 ]; }
wait_for 20 "the end of a token" expired
for why in "the token container_.*@.* has expired" \
    "may have been revoked" "has expired" "is malformed" \
    "op=new-token user=bob.*refused.*of=ann" "op=revoke-token .*success.*of=ann"; do
    grep -q "$why" "$T/audit" || fail "the audit log lacks '$why': $(tail -n 40 "$T/audit")"
done
for token in bob first log; do
    ! grep -qF "$(sed 's/.*\.//' "$T/$token")" "$T/audit" "$DEV"/*.log || fail "a log has a token"
done
expect 0 creel dev --stop --dir "$DEV"
[ ! -e "$DEV/rm.token" ] && [ ! -e "$DEV/rm.header" ] || fail "the token is left"

# --- callers who name themselves are for loopback addresses
rc=0
timeout 20 "$BIN/creel-rm" -D creel.auth=simple -D creel.rm.bind=0.0.0.0 -D creel.rm.port=0 \
    -D creel.rm.state-dir="$T/rm" -D creel.cluster.secret-file="$DEV/conf/cluster.secret" \
    2> "$T/e" || rc=$?
check_equal "$rc" 2 "status of a daemon whose users name themselves"
grep -q 'refusing to listen on 0.0.0.0.*creel.auth is simple' "$T/e" || fail "$(cat "$T/e")"
echo "users are who their tokens say"
