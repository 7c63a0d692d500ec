#!/usr/bin/env bash
# Goal: the active ResourceManager is stopped (SIGSTOP) for three times its session and continued:
#   there is no late order and no late write, it is a standby within a second, and the same process.
#   With --no-lease (a binary whose lease never ends) late orders and writes do happen; nodes and
#   store refuse every one, and nothing is broken.
# Method: tests/fault/ha_paused.sh [TIMES] [--no-lease]; short tasks all the time; nodes and RMs
#   count refusals. Without the lease the new leader is killed in the moment in which the deposed
#   one continues, so that nodes which have obeyed the new leader report to the deposed one.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/ha_world.sh"
. "$here/ha_lib.sh"
ha_script "$0" "$@"
. "$here/../e2e/zookeeper.sh"
times=2 lease=1
for a; do
    case $a in
    --no-lease) lease= ;;
    *) times=$a ;;
    esac
done
[ -n "$lease" ] || RM_PROGRAM=$BIN/creel-rm-no-lease
[ -x "${RM_PROGRAM:-$BIN/creel-rm}" ] ||
    { echo "skipped: built without CREEL_HA_LEASE_OFF"; exit 77; }
SESSION_MS=1000 NODE_EXPIRY_MS=10000
world_begin 2 3 1
# Enough tasks to outlast the test; each notes its container.
task="echo S \$(date +%s%N) \$CONTAINER_ID >> $W/ledger; sleep 0.1"
id=$("$BIN/creel" job submit --json --name work --task "$task" --count 100000 |
    jq -r '.job.id // .id')
# It may be the active one again by the time it is asked.
standbys() { grep -c 'rm: standby: ' "$W/rm$1/log" || true; }
gave_up() { [ "$(standbys "$a")" -gt "$standbys_before" ]; }
other_leads() { b=$(rm_active) && [ "$b" != "$a" ]; }
served() { [ "$(wc -l < "$W/ledger")" -gt $((lines + 20)) ]; }
writes=0
for ((k = 1; k <= times; k++)); do
    wait_until 20000 rm_active || fail "nobody is active"
    a=$(rm_active) pid=$(host_pid "rm$a")
    lines=$(wc -l < "$W/ledger")
    wait_until 30000 served || fail "round $k: nothing is started under rm$a"
    writes_before=$(metric "$(rm_url "$a")" creel_store_refused_writes_total)
    standbys_before=$(standbys "$a")
    host_signal "rm$a" STOP
    stopped=$(now_ms)
    other=$((3 - a))
    wait_until 20000 eval "[ \"\$(rm_state $other)\" = ACTIVE ]" ||
        fail "round $k: rm$other does not take over"
    wait_until 20000 nodes_running || fail "round $k: nodes do not register with rm$other"
    while [ $(($(now_ms) - stopped)) -lt $((3 * SESSION_MS)) ]; do sleep 0.01; done
    if [ -z "$lease" ]; then
        # All of this waits in the stopped process's queue of connections.
        curl -s -m 20 -o /dev/null -X POST "$(rm_url "$a")/ws/v1/cluster/jobs?user.name=bench" \
            -H 'Content-Type: application/json' \
            -d '{"job":{"name":"late","tasks":[{"kind":"map","command":"true"}]}}' &
        late_client=$!
        host_kill "rm$other"
        at_the_door() {
            local waiting
            waiting=$($(net_in "rm$a") ss -Htn state established "sport = :$RM_PORT" |
                awk '$1 > 0' | wc -l)
            [ "$waiting" -ge 4 ]
        }
        wait_until 10000 at_the_door || fail "round $k: nodes do not turn to rm$a"
    fi
    host_signal "rm$a" CONT
    if [ -n "$lease" ]; then
        wait_until 1000 gave_up ||
            fail "round $k: rm$a is not a standby a second after it was continued: $(rm_state "$a")"
    else
        # Either the write is late, or the leader first learnt at a renewal that it is deposed.
        wait_until 20000 gave_up || fail "round $k: rm$a goes on for ever"
        refused=$(metric "$(rm_url "$a")" creel_store_refused_writes_total)
        writes=$((writes + refused - writes_before))
        wait "$late_client" || true
        rm_start "$other"
    fi
    [ "$(host_pid "rm$a")" = "$pid" ] && host_alive "rm$a" ||
        fail "round $k: rm$a is not the same process"
    wait_until 20000 nodes_running || fail "round $k: nodes are missing"
    [ -z "$lease" ] || writes=$(rm_refused)
    echo "round $k: rm$a stopped for $(($(now_ms) - stopped)) ms; refused so far:" \
        "$(nm_refused) orders by nodes, $writes writes by the store"
done
# No container was started twice, and none under an epoch that its node had left behind.
twice=$(awk '{ print $3 }' "$W/ledger" | sort | uniq -d | wc -l)
[ "$twice" = 0 ] || fail "$twice containers ran twice"
for log in "$W"/nm*/log; do
    grep -oE 'order carried out: [^ ]+ epoch [0-9]+' "$log" |
        awk '{ if ($NF < top) { print "order of epoch " $NF " after " top; exit 1 } top = $NF }' ||
        fail "$log: an order of a lower epoch was carried out"
done
if [ -n "$lease" ]; then
    [ "$(nm_refused)" = 0 ] || fail "$(nm_refused) late orders"
    [ "$(rm_refused)" = 0 ] || fail "$(rm_refused) late writes"
    echo "$times times: no late order, no late write"
else
    [ "$(nm_refused)" -gt 0 ] || fail "no late order happened: the test shows nothing"
    [ "$writes" -gt 0 ] || fail "no late write happened: the test shows nothing"
    echo "$times times without lease: $(nm_refused) late orders and $writes late writes," \
        "all refused"
fi
rm_call PUT "/ws/v1/cluster/apps/$id/state?user.name=bench" '{"state":"KILLED"}' > "$T/killed"
