# tests/fault/ha_lib.sh - sourced after `set -euo pipefail`, with here=folder of this file:
# functions that the scripts over ha_world.sh share.
# A script calls: ha_script "$0" "$@" first, then world_begin RMS NMS ZKS. $T is the private folder,
# $W the world's.

ha_script() {
    [ -e /usr/share/java/zookeeper.jar ] && command -v java > /dev/null ||
        { echo "skipped: needs Debian's package zookeeper"; exit 77; }
    BIN=${CREEL_BIN:?folder with the creel binaries}
    ha_enter "$@"
}
now_ms() { echo $(($(date +%s%N) / 1000000)); }
fail() { echo "FAIL: $*" >&2; exit 1; }
wait_until() { # MILLISECONDS COMMAND...
    local until=$(($(now_ms) + $1))
    shift
    until "$@" > /dev/null 2>&1; do
        [ "$(now_ms)" -lt "$until" ] || return 1
        sleep 0.03
    done
}
world_finish() {
    local rc=$? h
    trap - EXIT
    set +e
    if [ $rc -ne 0 ] && [ $rc -ne 77 ]; then
        for h in "$W"/*/log; do [ -f "$h" ] && { echo "== $h" >&2; tail -n 15 "$h" >&2; }; done
    fi
    for h in "$W"/*/pid; do
        [ ! -e "$h" ] || host_signal "$(basename "$(dirname "$h")")" KILL
    done
    world_containers_end
    zk_stop_all "$T/zk"
    rm -rf "$T"
    exit $rc
}
# Processes started by NodeManagers outlive them: found by the pids that they wrote down.
world_containers_end() {
    find "$W" -name pid.json -exec jq -r '.pid, .shimPid // empty' {} + 2> /dev/null |
        while read -r p; do # each is named in its environment, so that no stranger is killed
        grep -qzF "$W" "/proc/$p/environ" 2> /dev/null && kill -9 -- "-$p" "$p" 2> /dev/null
    done
    return 0
}
world_begin() { # RMS NMS ZKS
    local i
    RMS=$1 NMS=$2
    T=$(mktemp -d "${TMPDIR:-/tmp}/creel-fault.XXXXXX")
    W=$T/world
    mkdir -p "$W"
    trap world_finish EXIT
    trap 'exit 130' INT TERM
    net_open
    ZK_HOSTS=() ZK_PREFIX=()
    for ((i = 1; i <= $3; i++)); do
        net_host zk$i
        ZK_HOSTS+=("$(net_ip zk$i)") ZK_PREFIX+=("$(net_in zk$i)")
    done
    zk_start "$T/zk" "$3"
    world_conf "$W/conf" "$RMS" "$ZK_SERVERS" "world-$$"
    for ((i = 1; i <= RMS; i++)); do net_host rm$i && rm_start $i; done
    for ((i = 1; i <= NMS; i++)); do net_host nm$i && nm_start $i; done
    wait_until 30000 nodes_running || fail "the cluster did not start"
    CREEL_RM=$(rm_urls)
    export CREEL_RM
    : > "$W/ledger" && : > "$W/acks"
}
nodes_running() {
    local all
    all=$(rm_call GET '/ws/v1/cluster/nodes?states=RUNNING' | sed -n 1p | jq '.nodes.node | length')
    [ "$all" = "$NMS" ]
}
# metric URL NAME: the sum over its labels, 0 when it is absent.
metric() {
    curl -s -m 3 "$1/metrics" |
        awk -v n="$2" '$1 == n || index($1, n "{") == 1 { s += $2 } END { printf "%d\n", s }'
}
nm_refused() { # orders of lower epochs that nodes have refused
    local i s=0
    for ((i = 1; i <= NMS; i++)); do
        s=$((s + $(metric "$(nm_url $i)" creel_nm_refused_orders_total)))
    done
    echo $s
}
rm_refused() { # writes that the store has refused
    local i s=0
    for ((i = 1; i <= RMS; i++)); do
        s=$((s + $(metric "$(rm_url $i)" creel_store_refused_writes_total)))
    done
    echo $s
}
job_field() { rm_call GET "/ws/v1/cluster/jobs/$1" | sed -n 1p | jq -r ".job.$2"; }
job_ended() { case $(job_field "$1" state) in FINISHED | FAILED | KILLED) ;; *) return 1 ;; esac; }
