#!/usr/bin/env bash
# Goal: a user of the creel command hardly notices a failover: jobs, commands and logs that the user
# waits for go on, nothing runs twice, and rmadmin tells which ResourceManager leads.
# Method: a ZooKeeper server, two ResourceManagers with sessions of one second, one NodeManager; the
# active one is told to give up, or killed, while the commands wait.
. "$(dirname "$0")/cli_lib.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
declare -A PIDS
stop_daemon() { # NAME SIGNAL
    [ -n "${PIDS[$1]:-}" ] || return 0
    kill "-$2" "${PIDS[$1]}" 2> /dev/null || true
    wait "${PIDS[$1]}" 2> /dev/null || true
    unset "PIDS[$1]"
}
cleanup_more() {
    local d left
    for d in "${!PIDS[@]}"; do stop_daemon "$d" KILL; done
    left=$(jobs -p)
    [ -z "$left" ] || kill $left 2> /dev/null
    zk_stop_all "$T/zk"
}
# Containers outlive their NodeManager; these end when the test's folder vanishes.
DEV=$T # where the logs are, for who looks at a failure

zk_start "$T/zk"
export CREEL_CONF_DIR=$T/conf
mkdir "$CREEL_CONF_DIR"
configure() { # PORT: the configuration of all
    local k
    {
        echo '<?xml version="1.0"?><configuration>'
        for k in "yarn.resourcemanager.ha.rm-ids=rm-1,rm-2" \
            "yarn.resourcemanager.webapp.address.rm-1=127.0.0.1:$1" \
            "yarn.resourcemanager.webapp.address.rm-2=127.0.0.1:$(($1 + 1))" \
            "yarn.resourcemanager.zk-address=$ZK_SERVERS" \
            yarn.resourcemanager.zk-timeout-ms=1000 yarn.resourcemanager.cluster-id=cli \
            creel.auth=$AUTH \
            creel.nodemanager.map-slots=4; do
            echo "<property><name>${k%%=*}</name><value>${k#*=}</value></property>"
        done
        echo '</configuration>'
    } > "$CREEL_CONF_DIR/yarn-site.xml"
}
start_rm() { # ID
    "$BIN/creel-rm" --ha --rm-id "$1" -D "creel.rm.state-dir=$T/$1" --url-file "$T/$1.url" \
        --log-format text >> "$T/$1.log" 2>&1 &
    PIDS[$1]=$!
}
listens() { [ -s "$T/$1.url" ] || gone "${PIDS[$1]}"; }
for try in 1 2 3 4 5 6; do # another pair of ports where one is taken
    configure $((10000 + (RANDOM % 10000) * 2))
    start_rm rm-1
    start_rm rm-2
    for id in rm-1 rm-2; do wait_for 30 "address of $id" listens $id; done
    ! gone "${PIDS[rm-1]}" && ! gone "${PIDS[rm-2]}" && break
    for id in rm-1 rm-2; do stop_daemon $id KILL; rm -f "$T/$id.url"; done
done
mkdir "$T/nm"
"$BIN/creel-nm" -D creel.nodemanager.port=0 -D "creel.nodemanager.local-dir=$T/nm" \
    --log-format text >> "$T/nm.log" 2>&1 &
PIDS[nm]=$!

state() { creel rmadmin -getServiceState "$1" 2> /dev/null; }
is_state() { [ "$(state "$1")" = "$2" ]; }
one_leads() {
    is_state rm-1 active && is_state rm-2 standby ||
        { is_state rm-1 standby && is_state rm-2 active; }
}
roles() { # sets ACTIVE, STANDBY
    wait_for 30 "leader" one_leads
    ACTIVE=rm-1 STANDBY=rm-2
    is_state rm-1 active || ACTIVE=rm-2 STANDBY=rm-1
}
roles
node_runs() { [ "$(creel node -list | grep -c RUNNING)" = 1 ]; }
wait_for 30 node node_runs
echo "ok start"

# --- a ResourceManager that does not fit ends with a status on which systemd does not restart it:
# another password, another cluster's root
unfit() {
    timeout 60 "$BIN/creel-rm" --ha --rm-id rm-1 -D creel.rm.port=0 \
        -D "creel.rm.state-dir=$T/unfit" "$@"
}
"$BIN/creel" secret --new --file "$T/other.secret" 2> "$T/e" || fail "$(cat "$T/e")"
expect 2 unfit -D creel.zk.secret-file="$T/other.secret"
grep -q 'ZooKeeper does not let us use /creel' "$T/e" || fail "a wrong password: $(cat "$T/e")"
expect 2 unfit -D creel.ha.zk-root=/creel/cli -D yarn.resourcemanager.cluster-id=other
grep -q 'belongs to cluster "cli"' "$T/e" || fail "another cluster's root: $(cat "$T/e")"
echo "ok unfit"

# --- what a standby answers
url=$(cat "$T/$STANDBY.url")
redirect=$(curl -s -o "$T/o" -w '%{http_code} %{redirect_url}' \
    "$url/ws/v1/cluster/apps?states=A,B")
check_equal "$redirect" \
    "307 $(cat "$T/$ACTIVE.url")/ws/v1/cluster/apps?states=A%2CB" "redirect"
check_equal "$(curl -s "$url/ws/v1/cluster/info" |
    jq -r '.clusterInfo.haState + " " + .clusterInfo.haZooKeeperConnectionState')" \
    "STANDBY Connected to zookeeper : true" "info of the standby"
check_equal "$(curl -s -o /dev/null -w '%{http_code}' "$url/isActive")" 405 \
    "isActive of the standby"
curl -s -o "$T/o" "$url/metrics"
grep -q '^creel_ha_state{state="standby"} 1$' "$T/o" || fail "metrics of the standby: $(cat "$T/o")"
creel rmadmin -getAllServiceState > "$T/o"
check_equal "$(awk '{print $2}' "$T/o" | sort | tr '\n' ' ')" "active standby " "states"
CREEL_RM=$url expect 0 creel node -list # the standby alone is told: it knows where to go
echo "ok standby"

# --- a command and its output during a planned failover
command="echo one; touch $T/runs; while [ -d $T -a ! -e $T/go ]; do sleep 0.1; done;"
command+=" echo two; exit 7"
"$BIN/creel" run -- sh -c "$command" > "$T/run.out" 2> "$T/run.err" &
run=$!
wait_for 30 "running command" test -e "$T/runs"
expect 0 creel rmadmin -failover $ACTIVE $STANDBY
grep -q "^Failover from $ACTIVE to $STANDBY successful (" "$T/o" || fail "failover: $(cat "$T/o")"
check_equal "$(state $STANDBY)" active "state of the new active one"
expect 1 creel rmadmin -failover $ACTIVE $STANDBY; one_line "$ACTIVE is"
touch "$T/go"
ends_within 60 $run 7
check_equal "$(tr '\n' ' ' < "$T/run.out")" "one two " "output over a failover"
! grep -v '; retrying$' "$T/run.err" || fail "noise over a planned failover: $(cat "$T/run.err")"
echo "ok run"

# --- a submission that waits, and its logs, while the active ResourceManager is killed
roles
"$BIN/creel" job submit \
    --task "echo \$\$ >> $T/ledger; while [ -d $T -a ! -e $T/go2 ]; do sleep 0.1; done; echo done" \
    --count 6 --wait \
    > "$T/job.out" 2> "$T/job.err" &
job=$!
wait_for 30 "running tasks" test -s "$T/ledger"
id=$(creel job list --json | jq -r '.jobs[0].id')
six=$id
"$BIN/creel" logs "$id" -f > "$T/logs.out" 2> "$T/logs.err" &
logs=$!
four_run() { [ "$(creel job status "$id" --json | jq .job.taskCounts.map.running)" = 4 ]; }
wait_for 30 "four running tasks" four_run
stop_daemon $ACTIVE KILL
expect 0 creel job submit --task true # at once, while nobody leads: it waits
touch "$T/go2"
ends_within 60 $job 0
ends_within 60 $logs 0
grep -q SUCCEEDED "$T/job.out" || fail "job: $(cat "$T/job.out" "$T/job.err")"
check_equal "$(wc -l < "$T/ledger")" 6 "tasks that ran"
check_equal "$(grep -c '| done$' "$T/logs.out")" 6 "lines of the logs"
check_equal "$(creel job list --json | jq '.jobs | length')" 3 "jobs"
expect 0 creel rmadmin -getAllServiceState
grep -q "Failed to connect" "$T/o" || fail "states: $(cat "$T/o")"
echo "ok kill"

# --- the killed ResourceManager returns as a standby; kills and states reach the leader
start_rm $ACTIVE
roles
id=$(creel job submit --task "while [ -d $T ]; do sleep 0.2; done")
expect 0 creel rmadmin -transitionToStandby $ACTIVE
check_equal "$(cat "$T/o")" standby "state after transitionToStandby"
expect 0 creel job kill "$id"
check_equal "$(creel job status "$id" --json | jq -r .job.state)" KILLED "state"
expect 0 creel job status "$six" --tasks # another leader saw it end
grep -q "^Its tasks are no longer known: " "$T/o" || fail "tasks: $(cat "$T/o")"
expect 255 creel rmadmin -transitionToActive $ACTIVE
one_line "Automatic failover is enabled for $ACTIVE"
echo "ok back"
