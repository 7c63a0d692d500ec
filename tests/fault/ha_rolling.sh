#!/usr/bin/env bash
# Goal: a rolling restart under load - NodeManagers one by one, then ResourceManagers in turn, the
#   standby first - fails no task and repeats none.
# Method: tests/fault/ha_rolling.sh; daemons are ended by SIGTERM, as systemd does, and started
#   again; a job of many short tasks runs through all of it.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/ha_world.sh"
. "$here/ha_lib.sh"
ha_script "$0" "$@"
. "$here/../e2e/zookeeper.sh"
SESSION_MS=1000 NODE_EXPIRY_MS=20000
world_begin 2 3 1
task="echo \$CONTAINER_ID \$CREEL_TASK_ID >> $W/ledger; sleep 0.5"
id=$("$BIN/creel" job submit --json --name rolling --task "$task" --count 250 |
    jq -r '.job.id // .id')
served() { [ "$(wc -l < "$W/ledger")" -ge $((lines + 9)) ] || job_ended "$id"; }
gone() { ! host_alive "$1"; }
restart() { # NAME START-COMMAND...
    lines=$(wc -l < "$W/ledger")
    wait_until 30000 served || fail "no task starts before $1 is restarted"
    host_signal "$1" TERM
    wait_until 20000 gone "$1" || fail "$1 does not end on SIGTERM"
    shift
    "$@"
    wait_until 30000 nodes_running || fail "nodes are missing after $*"
}
for n in 1 2 3; do restart nm$n nm_start $n; done
both_up() { rm_up 1 && rm_up 2 && rm_active && rm_standby; }
a=$(rm_active)
for r in $((3 - a)) "$a"; do
    restart "rm$r" rm_start "$r"
    wait_until 30000 both_up || fail "rm$r does not come back"
done
wait_until 120000 job_ended "$id" || fail "the job does not end"
[ "$(job_field "$id" finalStatus)" = SUCCEEDED ] ||
    fail "the job ended as $(job_field "$id" finalStatus)"
[ "$(wc -l < "$W/ledger")" = 250 ] || fail "$(wc -l < "$W/ledger") tasks were started, of 250"
[ "$(cut -d' ' -f2 "$W/ledger" | sort -u | wc -l)" = 250 ] || fail "not every task was started"
echo "3 NodeManagers and 2 ResourceManagers restarted under load: 250 tasks, each ran once"
