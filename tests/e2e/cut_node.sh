#!/usr/bin/env bash
# Goal: a node's host that vanishes from the network (its link goes down, nobody closes a
# connection) is said, and keeps no command waiting: `creel run` and `creel logs -f` say that they
# do not get its output, go on with the attempt that is started elsewhere, and end with the job;
# what is missing is named. A node that hangs is named as such.
# A client whose own link is down for longer than it is patient says how to find its job again.
# Method: the ResourceManager, two nodes and clients in network namespaces; links are taken down.
BIN=${CREEL_BIN:?folder with the creel binaries}
. "$(dirname "$0")/../fault/ha_world.sh"
ha_enter "$0" "$@"
. "$(dirname "$0")/cli_lib.sh"
W=$T
end_commands=$(declare -f cleanup_more)
eval "${end_commands/cleanup_more/end_commands}"
cleanup_more() {
    touch "$T/go"
    end_commands
    for h in rm1 nm1 nm2; do host_signal $h KILL; done
}

mkdir "$W/conf"
"$BIN/creel" secret --new --file "$T/cluster.secret"
cat > "$W/conf/creel-site.xml" << END
<configuration>
<property><name>creel.cluster.secret-file</name><value>$T/cluster.secret</value></property>
<property><name>creel.auth</name><value>$AUTH</value></property>
<property><name>creel.rm.bind</name><value>0.0.0.0</value></property>
<property><name>creel.rm.insecure</name><value>true</value></property>
<property><name>creel.rm.state-dir</name><value>$T/state</value></property>
<property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>15000</value></property>
<property><name>creel.nodemanager.rm</name><value>http://10.77.0.11:8088</value></property>
<property><name>creel.nodemanager.insecure</name><value>true</value></property>
</configuration>
END
export CREEL_CONF_DIR=$W/conf CREEL_RM=http://10.77.0.11:8088
net_open
for h in rm1 nm1 nm2 nm9; do net_host $h; done # nm9: the other client
host_run rm1 "$BIN/creel-rm" --log-format text
node_start() {
    host_run "nm$1" "$BIN/creel-nm" -D creel.nodemanager.bind="$(net_ip "nm$1")" \
        -D creel.nodemanager.local-dir="$T/local$1" -D creel.nodemanager.map-slots=5 \
        --log-format text
}
node_start 1
wait_for 60 "a node" nodes_running 1 || { tail -n 5 "$W"/*/log >&2; exit 1; }

# Three commands follow tasks on the first node, the only one so far.
waiting="echo here; until [ -e '$T/go' ]; do sleep 0.05; done; echo done"
creel run --name run -- sh -c "$waiting" > "$T/run.o" 2> "$T/run.e" &
run=$!
id=$(creel job submit --json --task "$waiting" | jq -r '.job.id // .id')
creel logs -f "$id" > "$T/job.o" 2> "$T/job.e" &
job=$!
creel logs -f "task_${id#application_}_m_000000" > "$T/task.o" 2> "$T/task.e" &
task=$!
for f in run job task; do
    wait_for 60 "output" grep -q here "$T/$f.o" || { cat "$T/$f.e" >&2; exit 1; }
done
away() { nsenter --net=/run/netns/nm9 "$BIN/creel" "$@"; }
away run --name away -- sh -c "$waiting" > "$T/away_run.o" 2> "$T/away_run.e" &
away_run=$!
away job submit --name away --task "$waiting" --wait > "$T/away_wait.o" 2> "$T/away_wait.e" &
away_wait=$!
wait_for 60 "output" grep -q here "$T/away_run.o"
wait_for 60 "progress" grep -q RUNNING "$T/away_wait.e"
net_down nm9
first=$(creel job status "$id" --tasks --json | jq -r '.tasks[0].containerId')
node_start 2
wait_for 60 "two nodes" nodes_running 2

net_down nm1
told="cannot be read at the moment (.*); retrying"
wait_for 60 "word of run" \
    grep -q "^creel: the output cannot be read at the moment (node 10.77.0.21:8042: .*; retrying" \
    "$T/run.e"
for f in job task; do
    wait_for 60 "word of logs" grep -q "^creel: logs of node 10.77.0.21:8042 $told" "$T/$f.e"
done
again() { [ "$(grep -c here "$T/$1.o")" = 2 ]; }
for f in run job task; do wait_for 60 "second attempt" again $f; done
grep -qx "creel: the command was lost with its node and has been started again" "$T/run.e" ||
    fail "run: $(cat "$T/run.e")"
touch "$T/go"
ends_within 60 $run 0
for f in job task; do
    ends_within 60 "${!f}" 5
    grep -q "^creel: missing: .*$first.*10.77.0.21:8042" "$T/$f.e" ||
        fail "logs -f does not name $first: $(cat "$T/$f.e")"
    check_equal "$(grep -c "$told" "$T/$f.e")" 1 "words about the same trouble"
done
check_equal "$(grep -c "$told" "$T/run.e")" 1 "words about the same trouble"

# The node is back, but hangs: the message names the node, not the ResourceManager, which waits for
# the node.
net_up nm1
wait_for 60 "two nodes" nodes_running 2
host_signal nm1 STOP
expect 5 creel logs "$id"
host_signal nm1 CONT
grep -q "^creel: missing: what ran on node 10.77.0.21:8042: .*it does not answer in time" "$T/e" ||
    fail "the node that hangs is not named: $(cat "$T/e")"
grep -q "^done" "$T/o" || fail "the second attempt's output is missing: $(cat "$T/o")"

# All slots and tasks are free again; the attempt that was out of reach has ended and left its log.
wait_for 60 "all logs" creel logs "$id"

# A client that gives up says how to find what goes on without it.
ends_within 120 $away_run 3
ends_within 120 $away_wait 3
still="the command may go on (creel logs application_.*, creel job kill "
tail -n 1 "$T/away_run.e" | grep -q "^creel: no longer waiting; $still" ||
    fail "run does not say that the command goes on: $(cat "$T/away_run.e")"
tail -n 1 "$T/away_wait.e" |
    grep -q "^creel: no longer waiting; the job may go on (creel job wait application_" ||
    fail "--wait does not say that the job goes on: $(cat "$T/away_wait.e")"
lost=$(grep -o 'application_[0-9_]*' "$T/away_wait.e" | tail -n 1)
expect 0 creel job wait "$lost"
grep -q "^$lost  away  SUCCEEDED" "$T/o" || fail "job wait: $(cat "$T/o")"

# Without any node the command says what its job waits for.
for i in 1 2; do host_kill nm$i; done
wait_for 60 "lost nodes" nodes_running 0
creel job submit --task true --wait > "$T/none.o" 2> "$T/none.e" &
none=$!
wait_for 30 "the reason" grep -q "^creel: application_.* waits: no node runs (2 LOST)" "$T/none.e"
node_start 2
ends_within 60 $none 0
echo "a node cut off: ok"
