#!/usr/bin/env bash
# Goal: an application that came over Hadoop RPC outlives two ResourceManagers that are killed.
# Standbys send clients and masters on; the next leader knows the application, takes the tokens that
# its predecessor made, and has its master register again; containers go on, the end of one that
# ended while nobody led is told, one that was not started is not given any more, and what was asked
# for counts only when it is asked for again. An end that was acknowledged is there after the next
# failover.
# Method: rpc_ha_master, a master in C, is submitted by rpc_peer.py, and checks each answer itself;
# the first leader is killed while two containers run and one is granted, the second one as soon as
# it has acknowledged the end.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
PEER=$(dirname "$0")/rpc_peer.py
start_cluster --ha --nodes 1 --map-slots 4 -D yarn.resourcemanager.address=127.0.0.1:0 \
    -D yarn.resourcemanager.scheduler.address=127.0.0.1:0 -D yarn.nodemanager.address=127.0.0.1:0
who_is() { # STATE
    creel dev --status --dir "$DEV" --json |
        jq -r --arg r "$1" '.daemons[] | select(.role == $r) | .name'
}
port_of() { # PROTOCOL DAEMON
    sed -n "s/.*rpc: .*$1.* at port \([0-9]*\),.*/\1/p" "$DEV/$2.log" | tail -n 1
}
write_port() { # FILE DAEMON: its port of masters, where the master finds it, whole or not at all
    port_of ApplicationMasterProtocolPB "$2" > "$T/$1.new"
    [ -s "$T/$1.new" ] || fail "$2 has no port of masters"
    mv "$T/$1.new" "$T/$1"
}
call() { # DAEMON ARGS
    "$PEER" "$(port_of ApplicationClientProtocolPB "$1")" "${@:2}" > "$T/answer"
}
says() { grep -qxF "$1: $2" "$T/answer" || fail "no '$1: $2' in $(cat "$T/answer")"; }
field_of() { sed -n "s/^$1: //p" "$T/answer"; }
report() { call "$1" getApplicationReport "${id[@]}"; } # DAEMON
standby_sends_on() { # DAEMON ARGS
    ! call "$@" || fail "a standby answered $2"
    grep -q '^org.apache.hadoop.ipc.StandbyException: ' "$T/answer" ||
        fail "the standby: $(cat "$T/answer")"
}
is_a_standby() { [ "$(who_is active)" != "" ] && [ "$(who_is standby)" = "$1" ]; }
leads() { # DAEMON: as clients find out, who are sent on until then, and told nothing else
    report "$1" && return
    grep -q '^org.apache.hadoop.ipc.StandbyException: ' "$T/answer" || mv "$T/answer" "$T/wrong"
    return 1
}
wait_until_it_leads() { # DAEMON
    wait_for 60 "takeover by $1" leads "$1"
    [ ! -e "$T/wrong" ] || fail "during the takeover: $(cat "$T/wrong")"
}

leader=$(who_is active) next=$(who_is standby)
write_port port "$leader"
write_port standby "$next"
call "$leader" getNewApplication
id=(1.1="$(field_of 1.1)" 1.2="$(field_of 1.2)")
submission=(1.1.1="${id[0]#*=}" 1.1.2="${id[1]#*=}" 1.2==outlives 1.8=1 1.9.1=256 1.9.2=1
    1.5.5=="'$BIN/rpc_ha_master' '$T' 2> '$T/err'")
standby_sends_on "$next" getNewApplication
standby_sends_on "$next" submitApplication "${submission[@]}"
standby_sends_on "$next" getApplicationReport "${id[@]}"
call "$leader" submitApplication "${submission[@]}"
ended() { # has the master ended too early?
    report "$1" 2> /dev/null && grep -q '^1.8: [678]$' "$T/answer"
}
reaches() { # FILE DAEMON: the master's file, or its end
    [ -e "$T/$1" ] || ended "$2"
}
wait_for_master() { # FILE DAEMON
    wait_for 60 "the master's $1" reaches "$1" "$2"
    [ -e "$T/$1" ] || fail "no $1: $(cat "$T/err") $(cat "$T/answer")"
}
wait_for_master working "$leader"
report "$leader"
says 1.8 5 # RUNNING
says 1.5 localhost
says 1.6 4711
says 1.14.1 4 # containers
started=$(field_of 1.11)

kill -9 "$(daemon_pid "$leader")"
touch "$T/end-ended"
wait_until_it_leads "$next"
check_equal "$(field_of 1.11)" "$started" "start of the application after the takeover"
says 1.16.2 1 # the attempt
creel dev --restart "$leader" --dir "$DEV" > /dev/null
write_port port "$next"
touch "$T/over"
wait_for_master back "$next"
report "$next"
says 1.8 5
says 1.6 4711
wait_for 60 "the standby's return" is_a_standby "$leader"
standby_sends_on "$leader" submitApplication "${submission[@]}"
call "$next" submitApplication "${submission[@]}" # again, as a client whose answer was lost
touch "$T/end-kept"
wait_for_master finished "$next"
kill -9 "$(daemon_pid "$next")"
wait_until_it_leads "$leader"
says 1.8 6  # FINISHED, although its container runs
says 1.13 1 # SUCCEEDED
says 1.10 "all is well"
touch "$T/leave"
attempt_has_ended() {
    call "$leader" getApplicationAttempts "${id[@]}" && grep -qx '1.6: 10' "$T/answer"
}
wait_for 60 "the end of the attempt" attempt_has_ended
check_equal "$(grep -c '^1.1.2: ' "$T/answer")" 1 "attempts"
for c in kept ended further; do
    check_equal "$(wc -l < "$T/$c")" 1 "starts of the container $c"
done
[ ! -e "$T/unstarted" ] || fail "a container of the first leader was started after its end"
check_equal "$(cat "$T/err")" "" "what the master says"
