#!/usr/bin/env bash
# Goal: a master that speaks Hadoop RPC finds its token in its container, registers, asks, starts a
# container on a node with the tokens that it got, learns of its end, releases another and finishes.
# The token is valid after a restart of the ResourceManager, a false one never; answers are given
# again when they are asked for again, and what is out of turn is refused with YARN's classes. A
# registration after the restart is held until the nodes have reported, and not refused.
# Method: rpc_master, a master in C, is submitted over REST to a real cluster, and checks each
# answer itself; the ResourceManager is restarted between its first registration and its first ask,
# and the nodes stand still until the master has noticed that.
. "$(dirname "$0")/lib.sh"
start_cluster --nodes 2 -D yarn.resourcemanager.scheduler.address=127.0.0.1:0 \
    -D yarn.nodemanager.address=127.0.0.1:0 -D creel.rm.takeover-grace-ms=60000
API=$CREEL_RM/ws/v1/cluster
write_port() { # where the master finds it, whole or not at all
    sed -n 's/.*rpc: .*ApplicationMasterProtocolPB.* at port \([0-9]*\),.*/\1/p' \
        "$DEV/rm-1.log" | tail -n 1 > "$T/port.new"
    [ -s "$T/port.new" ] || fail "no port of masters: $(grep rpc: "$DEV/rm-1.log")"
    mv "$T/port.new" "$T/port"
}
write_port
app=$(curl -sf -X POST "$API/apps/new-application?user.name=ann" | jq -r '."application-id"')
jq -n --arg id "$app" --arg run "'$BIN/rpc_master' '$T' 2> '$T/err'" \
    '{"application-id":$id,"application-name":"over rpc","application-type":"C",
      "max-app-attempts":1,"resource":{"memory":256,"vCores":1},
      "am-container-spec":{"commands":{"command":$run}}}' |
    curl -sf -H 'Content-Type: application/json' -d @- "$API/apps?user.name=ann"
field() { curl -sf "$API/apps/$app" | jq -r ".app.$1"; }
ended() { case $(field state) in FINISHED | FAILED | KILLED) ;; *) return 1 ;; esac; }
registered_or_ended() { [ -e "$T/registered" ] || ended; }
wait_for 60 "a registration" registered_or_ended
[ -e "$T/registered" ] || fail "$(cat "$T/err") $(field diagnostics)"
check_equal "$(field state)" RUNNING "state after the registration"
nodes() { kill "$1" "$(cat "$DEV/nm-1.pid")" "$(cat "$DEV/nm-2.pid")"; }
nodes -STOP
creel dev --restart rm-1 --dir "$DEV" > /dev/null
write_port
touch "$T/go"
back_or_ended() { [ -e "$T/back" ] || ended; }
wait_for 60 "the master to notice the restart" back_or_ended
nodes -CONT
wait_for 60 "both nodes" nodes_running 2
wait_for 90 "the end of $app" ended
check_equal "$(field state)/$(field finalStatus)" FINISHED/SUCCEEDED "$(cat "$T/err")"
check_equal "$(field diagnostics)" "all is well" "diagnostics"
check_equal "$(cat "$T/written")" written "what the container wrote"
