#!/usr/bin/env bash
# Goal: output and logs reach a client that cannot reach the nodes; whatever is out of reach is
# named, with exit status 5.
# Method: the ResourceManager and two NodeManagers in one network namespace, the nodes on its
# 127.0.0.1; the client in another one, linked to the ResourceManager alone. Later a node is killed.
. "$(dirname "$0")/../fault/ha_world.sh"
ha_enter "$0" "$@"
. "$(dirname "$0")/cli_lib.sh"
ip link set lo up
mount -t tmpfs none /run && mkdir -p /run/netns && ip netns add far
ip link add v-far type veth peer name eth0 netns far
ip addr add 10.78.0.1/24 dev v-far && ip link set v-far up
ip -n far addr add 10.78.0.2/24 dev eth0 && ip -n far link set eth0 up && ip -n far link set lo up
export CREEL_RM=http://10.78.0.1:8088
mkdir -p "$DEV"
"$BIN/creel" secret --new --file "$T/secret"
"$BIN/creel-rm" --insecure -D creel.cluster.secret-file="$T/secret" \
    -D creel.rm.bind=0.0.0.0 -D creel.rm.state-dir="$T/rm" \
    > "$DEV/rm.log" 2>&1 &
for n in 1 2; do
    "$BIN/creel-nm" -D creel.cluster.secret-file="$T/secret" \
        -D creel.nodemanager.rm=http://127.0.0.1:8088 -D creel.nodemanager.port=804$n \
        -D creel.nodemanager.local-dir="$T/nm$n" -D creel.nodemanager.map-slots=3 \
        > "$DEV/nm$n.log" 2>&1 &
    eval "nm$n=$!"
done
wait_for 30 "two nodes" nodes_running 2
far() { nsenter --net=/run/netns/far "$BIN/creel" "$@"; }

expect 7 far run -- sh -c 'echo out; echo err >&2; exit 7'
check_equal "$(cat "$T/o")/$(cat "$T/e")" out/err "output through the ResourceManager"
# Output that arrives is enough: that the first try, directly to the node, failed is not reported,
# however long the command runs.
expect 0 far run -- sh -c 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done'
check_equal "$(cat "$T/e")" "" "words about an output that is had"
far run -- seq 1 200000 > "$T/seq"
seq 1 200000 | cmp - "$T/seq" || fail "a long output is not whole"

mkdir "$T/here" # all six run at once: three on each node
wait_all="touch $T/here/\$CONTAINER_ID;"
wait_all+=" until [ \$(ls $T/here | wc -l) -ge 6 ]; do sleep 0.05; done; echo here"
id=$(creel job submit --task "$wait_all" --count 6 --wait --json 2> /dev/null | jq -r .job.id)
expect 0 far logs "$id"
check_equal "$(grep -c '^here$' "$T/o")" 6 "logs through the ResourceManager"

# With all slots taken the command says what it waits for.
id_full=$(creel job submit --task "until [ -e $T/go ]; do sleep 0.05; done" --count 6)
runs_six() {
    [ "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id_full" | jq .job.taskCounts.map.running)" = 6 ]
}
wait_for 30 "six tasks" runs_six
creel run -- echo done > "$T/o" 2> "$T/e" &
run=$!
wait_for 30 "the reason" grep -q "^creel: application_.* waits: all 6 map slots run $id_full" "$T/e"
touch "$T/go"
ends_within 30 "$run" 0
check_equal "$(cat "$T/o")" done "output after the wait"

# The RM relays only paths that a node serves itself, and only from registered nodes.
base=$CREEL_RM/ws/v1/cluster/nodes
container=$(ls "$T/here" | head -n 1)
status() { curl -s --path-as-is -o /dev/null -w '%{http_code}' "$1"; }
check_equal "$(status "$base/127.0.0.1:8088/raw-logs/$container/stdout")" 404 \
    "an address that is no node"
check_equal "$(status "$base/127.0.0.1:8041/raw-logs/$container/..%2Fstdout")" 400 \
    "a path as a file's name"
check_equal "$(status "$base/127.0.0.1:8041/raw-logs/x/stdout")" 400 "no container"
check_equal "$(status "$base/127.0.0.1:8041/raw-logs/container_1_0001_01_000001/stdout")" 404 \
    "no such container"

kill -9 "$nm2"
# The only attempt of a failed task is its last one: no other node has any output of it, and none is
# asked.
expect 7 creel run --name failed -- sh -c 'echo failed; exit 7'
id_failed=$(creel job list --json | jq -r '[.jobs[] | select(.name == "failed")][0].id')
expect 0 creel logs "$id_failed"
check_equal "$(grep -c '^failed$' "$T/o")/$(cat "$T/e")" 1/ \
    "logs of a failed command, beside a dead node"
for from in far creel; do
    expect 5 $from logs "$id"
    check_equal "$(grep -c '^here$' "$T/o")" 3 "logs of the node that is left"
    check_equal "$(grep -c '^creel: missing: task_.*127.0.0.1:8042' "$T/e")" 3 \
        "tasks named as missing"
done
echo "unreachable: ok"
