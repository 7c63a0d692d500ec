#!/usr/bin/env bash
# Goal: a NodeManager of Hadoop registers, is shown with slots, and gets keys, the same after a
# restart; lost, repeated and skipped heartbeats follow YARN's rules; containers of another cluster
# are ended and forgotten; nobody registers whose address is not listed.
# Method: rpc_peer.py, a client of its own, against a ResourceManager, which is started again.
. "$(dirname "$0")/lib.sh"
PEER=$(dirname "$0")/rpc_peer.py
TRACKER=(-D yarn.resourcemanager.resource-tracker.address=127.0.0.1:0)
NODE=1.1==n1.example.org BEAT_NODE=1.1.1==n1.example.org

start_rm() { # ARGS: until it listens
    "$BIN/creel-rm" --url-file "$T/url" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
        "$@" > "$T/rm.log" 2>&1 &
    rm_pid=$!
}
call() { "$PEER" "$PORT" "$@" > "$T/answer"; }
says() { # FIELD VALUE: the last answer has it
    grep -qxF "$1: $2" "$T/answer" || fail "no '$1: $2' in $(cat "$T/answer")"
}
refuses() { # WORDS
    grep -qF "$1" "$T/answer" || fail "not '$1': $(cat "$T/answer")"
}
start_tracker() { # ARGUMENTS
    rm -f "$T/url"
    start_rm "${TRACKER[@]}" "$@"
    wait_for 30 "listening" test -s "$T/url"
    CREEL_RM=$(cat "$T/url")
    PORT=$(sed -n 's/.*ResourceTrackerPB at port \([0-9]*\),.*/\1/p' "$T/rm.log" | tail -n 1)
}
stop_tracker() { kill "$rm_pid" && wait "$rm_pid"; }
node() { curl -sf "$CREEL_RM/ws/v1/cluster/nodes?user.name=alice" | jq -r ".nodes.node[0]$1"; }
register() { call registerNodeManager "$NODE" 1.2=4711 3=8042 4.1=8192 4.2=8 5==3.4.2; }
beat() { call nodeHeartbeat "$BEAT_NODE" 1.1.2=4711 "1.2=$1" 1.4.1=1 "${@:2}"; }
# METHOD COUNT FIELD ...: so many messages; FIELD: of their text, theirs, that of what has them
send_many() {
    python3 -B - "$(dirname "$PEER")" "$PORT" "$@" > "$T/answer" 2>&1 << 'END'
import sys
sys.path.insert(0, sys.argv[1])
import rpc_peer
port, method, count, text, repeated, *outer = int(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:])
message = rpc_peer.field(repeated, rpc_peer.field(text, b"x" * 20)) * count
for number in outer:
    message = rpc_peer.field(number, message)
rpc_peer.Connection(port, "yarn").call(method, message, rpc_peer.TRACKER)
END
}
keys() { grep -E '^[12]\.' "$T/answer"; }

start_tracker -D creel.rm.audit-log="$T/audit"
beat 0
says 4 1 # RESYNC: the node is unknown
register
says 3 0 # NORMAL
says 6 3.4.2
keys > "$T/keys"
check_equal "$(wc -l < "$T/keys")" 4 "lines of two keys"
check_equal "$(node .id) $(node .state) $(node .version)" "n1.example.org:4711 RUNNING 3.4.2" "node"
check_equal "$(node .nodeHTTPAddress)" n1.example.org:8042 "pages of the node"
grep -q 'RUNNING with 3 map and 1 reduce slots' "$T/rm.log" || fail "slots: $(cat "$T/rm.log")"
grep -q 'op=registerNodeManager .* result=' "$T/audit" || fail "no audit line: $(cat "$T/audit")"
beat 0
says 1 1
says 4 0
grep -q '^7: [1-9]' "$T/answer" || fail "no interval: $(cat "$T/answer")"
beat 0
says 1 1 # the answer again
beat 1
says 1 2
beat 5
says 4 1 # RESYNC: heartbeats were lost
# containers that nobody here has started
app=(1.3.1.2.1.1=1 1.3.1.2.1.2=5 1.3.1.2.2=1)
beat 2 +1.3.2=2 1.3.1.3=3 "${app[@]}" +1.3.2=3 1.3.1.3=4 "${app[@]}"
says 1 3
says 5.3 3
says 9.3 4
beat 3 1.4.2==bad-disk
says 1 4
check_equal "$(node .healthReport)" bad-disk "report"
beat 4 1.4.2=="x$(printf 'é%.0s' {1..40000})" # cut before half a character
check_equal "$(node .healthReport | tr -d '\n' | wc -c)" 65535 "length of a long report"
call nodeHeartbeat "$BEAT_NODE" 1.1.2=4711 1.2=5 1.4.1=0 1.4.2==bad-disk
check_equal "$(node .state)" UNHEALTHY "state"
for wrong in '1.1==a/b 1.2=4711' '1.1==a 1.2=0' '1.1==a 1.2=65536' '1.2=4711' '3=1'; do
    # shellcheck disable=SC2086 # fields
    ! call registerNodeManager $wrong || fail "registered: $wrong"
    refuses 'nodeId: expected the name of a host and a port'
done
# more than any node has
! send_many nodeHeartbeat 40001 3 3 1 || fail "many containers in a heartbeat"
refuses 'YarnException: containers: 40001: expected at most 40000'
! send_many registerNodeManager 40001 5 6 || fail "many containers"
refuses 'YarnException: containers: 40001: expected at most 40000'
grep -q 'op=registerNodeManager .* why="containers: 40001' "$T/audit" || fail "$(cat "$T/audit")"
! send_many registerNodeManager 40001 9 7 || fail "many applications"
refuses 'YarnException: applications: 40001: expected at most 40000'
! send_many registerNodeManager 40000 9 7 || fail "no nodeId"
refuses 'nodeId: expected the name of a host and a port'
nodes=$(curl -sf "$CREEL_RM/ws/v1/cluster/nodes?user.name=alice")
check_equal "$(jq ".nodes.node | length" <<< "$nodes")" 1 nodes
stop_tracker

# another instance has the same keys, and wants the node to register again
start_tracker
beat 5
says 4 1
register
diff "$T/keys" <(keys) || fail "other keys after the restart"
call unRegisterNodeManager "$NODE" 1.2=4711
check_equal "$(node .state)" SHUTDOWN "state"
stop_tracker

# only addresses that are listed
start_tracker -D creel.rpc.tracker.hosts=192.0.2.1,::1 -D creel.rm.audit-log="$T/audit2"
! register || fail "registered from an address that is not listed"
refuses AccessControlException
grep -q 'op=registerNodeManager .* result=refused' "$T/audit2" || fail "$(cat "$T/audit2")"
stop_tracker
# ... and they all name the same user, which has no limit of calls
start_tracker -D creel.rpc.tracker.hosts=192.0.2.1,127.0.0.1 -D creel.http.requests-per-user=1
for _ in 1 2 3; do
    register
    says 3 0
done
stop_tracker

! "$BIN/creel-rm" --insecure -D creel.rm.port=0 -D creel.rm.state-dir="$T/open" \
    -D yarn.resourcemanager.resource-tracker.address=0.0.0.0:0 2> "$T/open.log" || fail "opened"
grep -q 'receive keys there without a proof' "$T/open.log" || fail "$(cat "$T/open.log")"
! "$BIN/creel-rm" "${TRACKER[@]}" -D creel.rm.port=0 -D creel.rm.state-dir="$T/share" \
    -D creel.rpc.reduce-share=1.5 2> "$T/share.log" || fail "share of 1.5"
grep -q 'reduce-share: 1.5: expected 0 to 1' "$T/share.log" || fail "$(cat "$T/share.log")"
