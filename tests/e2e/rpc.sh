#!/usr/bin/env bash
# Goal: a client of Hadoop RPC sees and kills what was submitted over REST, as REST shows it;
# callers name themselves with creel.auth=simple, and show tokens otherwise; what is malformed ends
# its connection and nothing else; a standby sends clients on.
# Method: rpc_peer.py, a client of its own, against a cluster of each kind; rights and audit lines.
. "$(dirname "$0")/lib.sh"
PEER=$(dirname "$0")/rpc_peer.py
RPC=(-D yarn.resourcemanager.address=127.0.0.1:0)

port_of() { # PROTOCOL LOG: the port at which a ResourceManager serves it
    sed -n "s/.*rpc: .*$1.* at port \([0-9]*\),.*/\1/p" "$2" | tail -n 1
}
call() { "$PEER" "$PORT" "$@" > "$T/answer"; }
says() { # FIELD VALUE: the last answer has it
    grep -qxF "$1: $2" "$T/answer" || fail "no '$1: $2' in $(cat "$T/answer")"
}
refuses() { # JAVA CLASS, WORDS
    grep -qF "$1: " "$T/answer" || fail "not $1: $(cat "$T/answer")"
    grep -qF "$2" "$T/answer" || fail "not '$2': $(cat "$T/answer")"
}
app_fields() { # PREFIX APP: the fields of an application id
    local seq=${2##*_} ts=${2#application_}
    echo "$1.1=$((10#$seq)) $1.2=${ts%_*}"
}
rest() { # JQ PATH: what REST says, for whoever may ask
    curl -sf ${RM_HEADER:+-H "@$RM_HEADER"} "$CREEL_RM/ws/v1/cluster/$1?user.name=alice" |
        jq -r "$2"
}
submit_sleeper() { # [CURL ARGS]: sets app to an application that runs a master which sleeps
    local new=$CREEL_RM/ws/v1/cluster/apps
    app=$(curl -sf "$@" -X POST "$new/new-application?user.name=alice" | jq -r '."application-id"')
    curl -sf "$@" -H 'Content-Type: application/json' "$new?user.name=alice" -d '{
        "application-id":"'"$app"'","application-name":"sleeper","application-type":"KIND",
        "application-tags":{"tag":["one","two"]},
        "am-container-spec":{"commands":{"command":"sleep 1000"}}}'
}
launched() {
    local attempt=appattempt_${app#application_}_000001
    [ "$(rest "apps/$app/appattempts/$attempt" .appAttemptState)" = LAUNCHED ]
}

# ---- callers name themselves
start_cluster --nodes 1 "${RPC[@]}" -D yarn.resourcemanager.admin.address=127.0.0.1:0 \
    -D creel.rm.audit-log="$T/audit"
PORT=$(port_of ApplicationClientProtocolPB "$DEV/rm-1.log")
submit_sleeper
wait_for 30 "launched master" launched
read -ra id <<< "$(app_fields 1 "$app")"
call getApplicationReport "${id[@]}"
says 1.2 alice
says 1.3 "$(rest "apps/$app" .app.queue)"
says 1.4 sleeper
says 1.8 4 # ACCEPTED
says 1.9 "$CREEL_RM/proxy/$app/"
says 1.11 "$(rest "apps/$app" .app.startedTime)"
says 1.18 KIND
says 1.20 two
says 1.14.3.1 "$(rest "apps/$app" .app.allocatedMB)"
call getApplications 1==KIND 2=4 3==alice 10==TWO
says 1.4 sleeper
for none in 1==OTHER 2=5 3==bob 4==nowhere 10==three 12==other 6=99999999999999 11=3; do
    call --user bob getApplications "${none/11=3/11=2}"
    check_equal "$(cat "$T/answer")" "" "applications with $none"
done
call getApplicationAttempts "${id[@]}"
says 1.6 6 # LAUNCHED
says 1.7.3 1
read -ra attempt <<< "$(app_fields 1.1 "$app") 1.2=1"
call getApplicationAttemptReport "${attempt[@]}"
says 1.10 0
call getContainers "${attempt[@]}"
says 1.9 0
says 1.10 2 # RUNNING
says 1.11 "http://$(rest nodes '.nodes.node[0].nodeHTTPAddress')"
read -ra container <<< "$(app_fields 1.2.1 "$app") 1.2.2=1 1.3=1"
call getContainerReport "${container[@]}"
says 1.10 2
! call getContainerReport "${container[@]/#1.3=1/1.3=9}" || fail "container 9"
refuses org.apache.hadoop.yarn.exceptions.ContainerNotFoundException 000009
! call getApplicationAttemptReport "${attempt[@]/#1.2=1/1.2=7}" || fail "attempt 7"
refuses org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException _000007
! call getApplicationReport 1.1=77 1.2=5 || fail "application 77"
refuses org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException application_5_0077
call getClusterNodes 1=2
says 1.1.2 "$(rest nodes '.nodes.node[0].id | split(":")[1]')"
says 1.4.1 "$(rest nodes '.nodes.node[0].usedMemoryMB')"
call getClusterNodes 1=5
check_equal "$(cat "$T/answer")" "" "lost nodes"
call getClusterMetrics
says 1.3 1
call getQueueInfo 1==root 3=1 4=1
says 1.6.15 root.default
call getQueueInfo 1==nowhere
check_equal "$(cat "$T/answer")" "" "a queue that is not there"
call getQueueUserAcls
says 1.1 root.default
call getResourceTypeInfo
says 1.1 vcores
! call getResourceProfiles || fail "profiles"
refuses org.apache.hadoop.yarn.exceptions.YARNFeatureNotEnabledException profile
! call submitReservation || fail "a method that is not served"
refuses org.apache.hadoop.ipc.RpcNoSuchMethodException submitReservation
call --twice getNewApplication
grep -qx '1.1: 4' "$T/answer" || fail "no fourth id: $(cat "$T/answer")"
PORT=$(port_of ResourceManagerAdministrationProtocolPB "$DEV/rm-1.log") call getServiceStatus
says 1 1 # active

call updateApplicationTimeouts "${id[@]}" 2.1=1 2.2==2999-01-01T00:00:00.000+0000
says 1.1 1
call getApplicationReport "${id[@]}"
grep -q '^1.26.2.2: 2999-01-01T' "$T/answer" || fail "no lifetime: $(cat "$T/answer")"
! call updateApplicationTimeouts "${id[@]}" 2.1=1 2.2==tomorrow || fail "tomorrow"
refuses org.apache.hadoop.yarn.exceptions.YarnException tomorrow
call failApplicationAttempt "${attempt[@]}"
second() { call getApplicationAttempts "${id[@]}" && grep -qx '1.1.2: 2' "$T/answer"; }
wait_for 30 "the second attempt" second
! call failApplicationAttempt "${attempt[@]}" || fail "an attempt that has ended"
refuses org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException _000001

# what is malformed ends its connection, and is logged; nothing else changes
raw=$("$PEER" --raw "$PORT" 687270630800000000000000)
mismatch=$(printf 'RPC$VersionMismatch' | od -An -tx1 | tr -d ' \n')
grep -q "$mismatch" <<< "$raw" || fail "version: $raw"
"$PEER" --raw "$PORT" 687270630900007fffffff00 > "$T/raw"
grep -q 'rpc: connection of 127.0.0.1 closed: a frame of 2147483647 bytes' "$DEV/rm-1.log" ||
    fail "no line about a large frame"

# a kill, and its audit line; then the application has ended
! call forceKillApplication 1.1=77 1.2=5 || fail "kill of application 77"
refuses org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException 'kill an absent'
killed() { call forceKillApplication "${id[@]}" 2==enough && grep -qx '1: 1' "$T/answer"; }
wait_for 30 "the end of the kill" killed
call getApplicationReport "${id[@]}"
says 1.8 8 # KILLED
says 1.13 3
says 1.10 "Application $app was killed by user alice at 127.0.0.1 with diagnostic message: enough"
says 1.9 "$CREEL_RM/cluster/app/$app"
grep -q "op=kill user=alice ip=127.0.0.1 result=success by=rpc app=$app" "$T/audit" ||
    fail "no audit line: $(cat "$T/audit")"
creel dev --stop --dir "$DEV" > /dev/null

# ---- callers show tokens
AUTH=token
start_cluster --nodes 1 --hadoop -D creel.rm.audit-log="$T/audit2"
PORT=$(port_of ApplicationClientProtocolPB "$DEV/rm-1.log")
grep -q "resourcemanager.address</name><value>127.0.0.1:$PORT<" "$DEV/hadoop/yarn-site.xml" ||
    fail "not port $PORT: $(cat "$DEV/hadoop/yarn-site.xml")"
grep -q -- "--rpc-address 127.0.0.1:$PORT" "$T/dev.out" || fail "not told: $(cat "$T/dev.out")"
RM_HEADER=$DEV/rm.header
submit_sleeper -H "@$RM_HEADER"
read -ra id <<< "$(app_fields 1 "$app")"
creel token --hadoop-file "$T/own" --rpc-address "127.0.0.1:$PORT"
check_equal "$(stat -c %a "$T/own")" 600 "mode of the file"
call --token "$T/own" getApplicationReport "${id[@]}"
says 1.2 "$(id -un)"
! call getApplicationReport "${id[@]}" || fail "a caller who named himself"
refuses org.apache.hadoop.security.AccessControlException 'SIMPLE authentication is not enabled'
! call --token "$T/own" --spoil getApplicationReport "${id[@]}" || fail "a wrong password"
refuses 'org.apache.hadoop.security.token.SecretManager$InvalidToken' 'not valid'
for why in 'the token is not valid' 'SIMPLE authentication is not enabled'; do
    grep -q "op=connect user=- ip=127.0.0.1 result=refused by=rpc why=\"$why" "$T/audit2" ||
        fail "no audit line about a connection: $(cat "$T/audit2")"
done
(umask 077; creel token --new --user ann > "$T/ann.token")
CREEL_TOKEN_FILE=$T/ann.token creel token --hadoop-file "$T/ann" --rpc-address "127.0.0.1:$PORT"
! call --token "$T/ann" forceKillApplication "${id[@]}" || fail "a kill by a stranger"
refuses org.apache.hadoop.yarn.exceptions.YarnException \
    "AccessControlException: User ann cannot perform operation MODIFY_APP on $app"
grep -q "user=ann ip=127.0.0.1 result=refused by=rpc app=$app" "$T/audit2" || fail "no audit line"
call --token "$T/ann" getApplicationReport "${id[@]}" # without what is not for her
says 1.6 -1
says 1.9 N/A
creel token --revoke "$(cut -d . -f 1 "$T/ann.token")" > /dev/null
! call --token "$T/ann" getClusterMetrics || fail "a revoked token"
refuses 'org.apache.hadoop.security.token.SecretManager$InvalidToken' revoked
creel dev --stop --dir "$DEV" > /dev/null

# ---- ports that cannot be served, and a standby
start_rm() { # ARGS: until it listens
    "$BIN/creel-rm" --url-file "$T/url" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
        "$@" > "$T/rm.log" 2>&1 &
    rm_pid=$!
}
cleanup_more() { [ -z "${rm_pid:-}" ] || kill "$rm_pid" 2> /dev/null; }
! "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" -D creel.auth=token \
    -D yarn.resourcemanager.admin.address=127.0.0.1:0 2> "$T/rm.log" || fail "8033 with tokens"
grep -q 'yarn.resourcemanager.admin.address: .*creel.auth' "$T/rm.log" || fail "$(cat "$T/rm.log")"
! "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
    -D yarn.resourcemanager.address=0.0.0.0:0 2> "$T/rm.log" || fail "open to everybody"
grep -q 'yarn.resourcemanager.address: refusing to listen on 0.0.0.0' "$T/rm.log" ||
    fail "$(cat "$T/rm.log")"
! "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
    -D yarn.resourcemanager.address=nowhere 2> "$T/rm.log" || fail "no port"
grep -q 'yarn.resourcemanager.address: "nowhere": expected HOST:PORT' "$T/rm.log" ||
    fail "$(cat "$T/rm.log")"

# a move: with one queue for all the application stays where it is; one that has ended is refused
start_rm -D yarn.resourcemanager.address=127.0.0.1:0 -D creel.rm.audit-log="$T/audit3" \
    -D creel.yarn.scheduler-shape=fifo
wait_for 30 "listening" test -s "$T/url"
CREEL_RM=$(cat "$T/url") PORT=$(port_of ApplicationClientProtocolPB "$T/rm.log") RM_HEADER=
submit_sleeper
read -ra id <<< "$(app_fields 1 "$app")"
call --user alice moveApplicationAcrossQueues "${id[@]}" 2==default
! call --user alice moveApplicationAcrossQueues "${id[@]}" 2==other || fail "another queue"
refuses org.apache.hadoop.yarn.exceptions.YarnException 'shown as fifo there is one queue'
call forceKillApplication "${id[@]}"
ended() { [ "$(rest "apps/$app" .app.state)" = KILLED ]; }
wait_for 30 "the end of the application" ended
! call --user alice moveApplicationAcrossQueues "${id[@]}" 2==default || fail "an ended application"
refuses org.apache.hadoop.yarn.exceptions.YarnException 'App in KILLED state cannot be moved'
grep -q "op=move user=alice ip=127.0.0.1 result=refused by=rpc app=$app why=\"App in KILLED" \
    "$T/audit3" || fail "no audit line: $(cat "$T/audit3")"
kill "$rm_pid" && wait "$rm_pid"
rm "$T/url"

# thousands of queues: the memory for an answer grows with their number, not with its square
queue_property() {
    echo "<property><name>yarn.scheduler.capacity.root.$1</name><value>$2</value></property>"
}
{
    echo '<configuration>'
    queue_property queues "default$(printf ',q%d' {1..3000})"
    queue_property default.capacity 100
    for i in {1..3000}; do queue_property "q$i.capacity" 0; done
    echo '</configuration>'
} > "$T/capacity.xml"
start_rm -D yarn.resourcemanager.address=127.0.0.1:0 \
    -D creel.scheduler.capacity-file="$T/capacity.xml"
wait_for 30 "listening" test -s "$T/url"
PORT=$(port_of ApplicationClientProtocolPB "$T/rm.log")
most_memory() { awk '/VmHWM/ { print $2 }' "/proc/$rm_pid/status"; } # in KiB
before=$(most_memory)
call getQueueInfo 1==root 3=1 4=1
says 1.6.15 root.q3000
more=$(($(most_memory) - before))
[ "$more" -lt 40000 ] || fail "$more KiB for 3000 queues"
kill "$rm_pid" && wait "$rm_pid"
rm "$T/url"

start_rm --ha --rm-id rm1 -D yarn.resourcemanager.ha.rm-ids=rm1 \
    -D yarn.resourcemanager.zk-address=127.0.0.1:1 \
    -D yarn.resourcemanager.cluster-id=c -D yarn.resourcemanager.webapp.address.rm1=127.0.0.1:1 \
    -D yarn.resourcemanager.address.rm1=127.0.0.1:0 \
    -D yarn.resourcemanager.admin.address=127.0.0.1:0
wait_for 30 "listening standby" test -s "$T/url"
PORT=$(port_of ApplicationClientProtocolPB "$T/rm.log")
! call getClusterMetrics || fail "a standby answered"
refuses org.apache.hadoop.ipc.StandbyException 'not active'
PORT=$(port_of ResourceManagerAdministrationProtocolPB "$T/rm.log") call getServiceStatus
says 1 2 # standby
