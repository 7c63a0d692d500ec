#!/usr/bin/env bash
# Goal: links cut between RM and ZooKeeper but not between RM and NMs, then the other way round;
#   then ZooKeeper's quorum lost for SECONDS: no container is killed, nothing acknowledged is lost,
#   and service comes back by itself.
# Method: tests/fault/ha_cuts.sh [SECONDS]; long tasks run through all of it, jobs are submitted
#   before, between and after the cuts; each container's process must end by itself, once.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/ha_world.sh"
. "$here/ha_lib.sh"
ha_script "$0" "$@"
. "$here/../e2e/zookeeper.sh"
seconds=${1:-4}
SESSION_MS=1000 NODE_EXPIRY_MS=20000
world_begin 2 3 3
witnessed() {
    echo "echo S \$(date +%s%N) \$CONTAINER_ID >> $W/ledger; sleep $1;" \
        "echo E \$(date +%s%N) \$CONTAINER_ID >> $W/ledger"
}
submit() { # SECONDS COUNT: acknowledged, or not within its patience
    local id
    id=$(timeout 150 "$BIN/creel" job submit --json --name work --task "$(witnessed "$1")" \
        --count "$2" 2>> "$T/clients" |
        jq -r '.job.id // .id') || return 0
    echo "$id" >> "$W/acks"
}
answers() { rm_call GET /ws/v1/cluster/metrics; }
started() { [ "$(grep -c '^S' "$W/ledger")" -ge "$1" ]; }
# Folders may vanish meanwhile.
pids_now() {
    { find "$W" -name pid.json -exec cat {} + 2> /dev/null || true
    } | jq -r '"\(.pid) \(.start)"' | sort
}

long=$((seconds + 25))
submit $long 4 # these run from the beginning to the end
wait_until 20000 started 4 || fail "the long tasks do not start"
# Started by the first nodes that registered, which need not be nm1.
all_noted() { pids_now > "$T/before" && [ "$(wc -l < "$T/before")" = 4 ]; }
wait_until 20000 all_noted || fail "the long tasks are not noted: $(cat "$T/before")"

active() { a=$(rm_active); } # a busy machine may have lost the leadership just now
wait_until 20000 active || fail "no ResourceManager is active before the first cut"
echo "cut: rm$a - ZooKeeper, both ways"
for z in zk1 zk2 zk3; do net_block "rm$a" $z && net_block $z "rm$a"; done
moved() { b=$(rm_active) && [ "$b" != "$a" ]; }
wait_until 20000 moved || fail "nobody takes over from rm$a"
submit 0.1 5
for z in zk1 zk2 zk3; do net_unblock "rm$a" $z && net_unblock $z "rm$a"; done
standby() { [ "$(rm_state "$a")" = STANDBY ]; }
wait_until 20000 standby || fail "rm$a does not come back as standby"
# A node that the next cut keeps away for longer than the takeover's grace would find its tasks
# started elsewhere.
wait_until 30000 nodes_running || fail "nodes do not come to the next leader"

wait_until 20000 active || fail "no ResourceManager is active before the second cut"
echo "cut: rm$a - all NodeManagers, both ways, with ZooKeeper whole"
for n in nm1 nm2 nm3; do net_block "rm$a" $n && net_block $n "rm$a"; done
submit 0.1 5
sleep $((SESSION_MS * 3 / 1000)) # the fault lasts that long; no condition to wait for
for n in nm1 nm2 nm3; do net_unblock "rm$a" $n && net_unblock $n "rm$a"; done
wait_until 30000 nodes_running || fail "nodes do not come back"

echo "quorum lost for $seconds s"
zk_pause "$T/zk" 1
zk_pause "$T/zk" 2
submit 0.1 5 &
client=$!
sleep "$seconds" # the fault lasts
none() { ! rm_active; }
none || fail "rm$(rm_active) is active without a quorum"
zk_continue "$T/zk" 1
zk_continue "$T/zk" 2
wait_until 60000 answers || fail "service does not come back"
wait_until 30000 nodes_running || fail "nodes do not come back"
submit 0.1 5
wait "$client"

acknowledged=$(wc -l < "$W/acks") || true
[ "$acknowledged" -ge 4 ] ||
    fail "of 5 submissions only $acknowledged were acknowledged; one alone met a lost quorum"
pids_now > "$T/after"
[ "$(comm -12 "$T/before" "$T/after" | wc -l)" -ge 4 ] ||
    fail "containers are other processes than before: $(cat "$T/before" "$T/after")"
all_ended() { local id; while read -r id; do job_ended "$id" || return 1; done < "$W/acks"; }
wait_until $((long * 1000 + 60000)) all_ended || fail "jobs do not end"
while read -r id; do
    [ "$(job_field "$id" finalStatus)" = SUCCEEDED ] ||
        fail "$id: $(job_field "$id" finalStatus) $(job_field "$id" diagnostics)"
done < "$W/acks"
awk '$1 == "S" { s[$3]++ }
    $1 == "E" { e[$3]++ }
    END {
        for (c in s) if (s[c] != 1 || e[c] != 1) { print c, s[c], e[c]; bad = 1 }
        exit bad
    }' "$W/ledger" ||
    fail "containers were killed, or ran twice"
echo "$acknowledged jobs acknowledged, all SUCCEEDED;" \
    "$(grep -c ^S "$W/ledger") containers, each ran once to its end"
