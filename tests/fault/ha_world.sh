# tests/fault/ha_world.sh - sourced: a cluster for faults. Each ResourceManager, NodeManager and
# ZooKeeper server has its own network namespace, joined by a bridge; this shell is in the bridge's
# namespace and plays the clients.
#
#   zk1..zk3 10.77.0.1-3   rm1..rm3 10.77.0.11-13   nm1..nm5 10.77.0.21-25   clients 10.77.0.254
#
#   ha_enter "$0" "$@"            runs the script again in namespaces of its own (in a user
#                                 namespace unless we are root); exits 77 (skipped) where that is
#                                 refused
#   net_open                      the bridge
#   net_host NAME                 a namespace with its link
#   net_down|net_up NAME          the link of NAME
#   net_block|net_unblock FROM TO  what FROM sends to TO is lost (one way; twice for both ways)
#   world_conf DIR RMS ZK_SERVERS CLUSTER_ID  one configuration for all daemons; clusters that use
#                                 the same ZooKeeper one after the other need one secret for it,
#                                 the file ZK_SECRET
#   rm_start|nm_start I           a daemon
#   rm_up|nm_up I                 whether it answers
#   host_signal NAME SIGNAL, host_pid NAME, host_alive NAME
#   rm_active                     I of the active RM
#   rm_standby                    I of an RM that runs and is not active
#   rm_call METHOD PATH [BODY]    over the RMs, following the active one; prints the body, then the
#                                 status on a line
# Needs W (folder of the world), BIN. Every daemon's folder: $W/NAME (log, state). Ends only what it
# has started.
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/own_processes.sh"

ha_enter() {
    local flags=-nm
    [ -z "${CREEL_HA_WORLD:-}" ] || return 0
    [ "$EUID" = 0 ] || flags=-Urnm
    if ! unshare $flags sh -c 'mount -t tmpfs none /run && mkdir -p /run/netns && ip netns add t &&
        ip link add name br-try type bridge' > /dev/null 2>&1; then
        echo "skipped: network namespaces are refused here (unshare $flags, ip netns, ip link)"
        exit 77
    fi
    CREEL_HA_WORLD=1 exec unshare $flags --fork --kill-child "$@"
}

net_ip() {
    case $1 in
    zk*) echo 10.77.0.$((${1#zk})) ;;
    rm*) echo 10.77.0.$((10 + ${1#rm})) ;;
    nm*) echo 10.77.0.$((20 + ${1#nm})) ;;
    *) echo 10.77.0.254 ;;
    esac
}
net_open() {
    mount -t tmpfs none /run && mkdir -p /run/netns
    ip link set lo up
    ip link add name br0 type bridge
    ip addr add 10.77.0.254/24 dev br0
    ip link set br0 up
}
net_host() {
    ip netns add "$1"
    ip link add "v-$1" type veth peer name eth0 netns "$1"
    ip link set "v-$1" master br0 up
    ip -n "$1" addr add "$(net_ip "$1")/24" dev eth0
    ip -n "$1" link set eth0 up
    ip -n "$1" link set lo up
}
net_in() { echo "nsenter --net=/run/netns/$1"; }
net_down() { ip link set "v-$1" down; }
net_up() { ip link set "v-$1" up; }
net_block() { ip -n "$1" route replace blackhole "$(net_ip "$2")/32"; }
net_unblock() { ip -n "$1" route del blackhole "$(net_ip "$2")/32" 2> /dev/null || true; }

RM_PORT=8088 NM_PORT=8042
world_conf() {
    local i ids= zk_secret=${ZK_SECRET:-$1/zookeeper.secret}
    mkdir -p "$1"
    for i in "$1/cluster.secret" "$zk_secret"; do
        [ -e "$i" ] || "$BIN/creel" secret --new --file "$i" 2> /dev/null
    done
    for ((i = 1; i <= $2; i++)); do ids+=${ids:+,}rm$i; done
    {
        echo '<configuration>'
        property() { echo "<property><name>$1</name><value>$2</value></property>"; }
        property yarn.resourcemanager.ha.enabled true
        property yarn.resourcemanager.ha.rm-ids "$ids"
        for ((i = 1; i <= $2; i++)); do
            property yarn.resourcemanager.webapp.address.rm$i "$(net_ip rm$i):$RM_PORT"
        done
        property hadoop.zk.address "$3"
        property yarn.resourcemanager.cluster-id "$4"
        property yarn.resourcemanager.zk-timeout-ms "${SESSION_MS:-1000}"
        property yarn.nm.liveness-monitor.expiry-interval-ms "${NODE_EXPIRY_MS:-4000}"
        property yarn.resourcemanager.nodemanagers.heartbeat-interval-ms 200
        property yarn.am.liveness-monitor.expiry-interval-ms 10000
        property creel.cluster.secret-file "$1/cluster.secret"
        property creel.zk.secret-file "$zk_secret"
        property creel.auth simple
        property creel.rm.insecure true
        property creel.nodemanager.insecure true
        property creel.nodemanager.min-free-disk-mb 0
        for i in "${WORLD_SET[@]:-}"; do [ -z "$i" ] || property "${i%%=*}" "${i#*=}"; done
        echo '</configuration>'
    } > "$1/yarn-site.xml"
}
# host_run NAME COMMAND...: runs it in NAME's namespace, its output in its log, and keeps its pid.
# It ends with this shell.
host_run() {
    local name=$1
    shift
    mkdir -p "$W/$name"
    (
        cd "$W/$name" || exit 1
        # shellcheck disable=SC2046
        exec $(net_in "$name") setpriv --pdeathsig KILL env CREEL_CONF_DIR="$W/conf" "$@"
    ) < /dev/null >> "$W/$name/log" 2>&1 &
    echo "$! $(process_start $!)" > "$W/$name/pid"
    disown $!
}
rm_start() {
    local faked=()
    if [ -e "$W/rm$1/clock" ]; then
        faked=(LD_PRELOAD="$BIN/clock_step.so" CLOCK_STEP_FILE="$W/rm$1/clock")
    fi
    host_run "rm$1" "${faked[@]}" "${RM_PROGRAM:-$BIN/creel-rm}" --ha --rm-id "rm$1" \
        -D creel.rm.state-dir="$W/rm$1/state" --log-format text
}
nm_start() {
    local faked=()
    if [ -e "$W/nm$1/clock" ]; then
        faked=(LD_PRELOAD="$BIN/clock_step.so" CLOCK_STEP_FILE="$W/nm$1/clock")
    fi
    host_run "nm$1" "${faked[@]}" "$BIN/creel-nm" \
        -D creel.nodemanager.bind="$(net_ip "nm$1")" -D creel.nodemanager.port=$NM_PORT \
        -D creel.nodemanager.map-slots="${NM_MAPS:-3}" \
        -D creel.nodemanager.reduce-slots="${NM_REDUCES:-1}" \
        -D creel.nodemanager.local-dir="$W/nm$1/local" --log-format text --log-level debug
}
host_pid() { cut -d ' ' -f 1 "$W/$1/pid" 2> /dev/null; }
host_alive() {
    local pid start
    read -r pid start 2> /dev/null < "$W/$1/pid" && [ "$(process_start "$pid")" = "$start" ]
}
host_signal() {
    local pid start
    if read -r pid start 2> /dev/null < "$W/$1/pid"; then
        signal_process "$2" "$pid" "$start" || true
    fi
}
host_kill() {
    host_signal "$1" KILL
    while host_alive "$1"; do sleep 0.01; done
}
rm_url() { echo "http://$(net_ip "rm$1"):$RM_PORT"; }
nm_url() { echo "http://$(net_ip "nm$1"):$NM_PORT"; }
rm_state() {
    curl -s -m 0.5 "$(rm_url "$1")/ws/v1/cluster/info" |
        jq -r '.clusterInfo.haState // empty' 2> /dev/null
}
rm_up() { [ -n "$(rm_state "$1")" ]; }
nm_up() { curl -sf -m 0.5 "$(nm_url "$1")/ws/v1/node/info" > /dev/null; }
rm_active() {
    local i
    for ((i = 1; i <= RMS; i++)); do
        if [ "$(rm_state "$i")" = ACTIVE ]; then echo "$i" && return; fi
    done
    return 1
}
rm_standby() {
    local i
    for ((i = 1; i <= RMS; i++)); do
        if [ "$(rm_state "$i")" = STANDBY ]; then echo "$i" && return; fi
    done
    return 1
}
rm_urls() {
    local i out=
    for ((i = 1; i <= RMS; i++)); do out+=${out:+,}$(rm_url "$i"); done
    echo "$out"
}
# One try over all RMs: succeeds, and prints the body followed by the status, when one has answered
# as the active one.
rm_call() {
    local i out status body=()
    [ -z "${3:-}" ] || body=(-H 'Content-Type: application/json' -d "$3")
    for ((i = 1; i <= RMS; i++)); do
        out=$(curl -s -m 3 --connect-timeout 0.5 -X "$1" "${body[@]}" -w '\n%{http_code}' \
            "$(rm_url "$i")$2") || continue
        status=${out##*$'\n'}
        case $status in
        2* | 4*) echo "$out" && return 0 ;;
        esac
    done
    return 1
}
# make_credentials HOST...: a certificate for each host and the cluster's secret, for host_start;
# commands believe the certificates.
make_credentials() {
    "$CREEL_SOURCE/deploy/make-certs" "$W/certs" "$@" > /dev/null
    export CREEL_CA_FILE=$W/certs/ca.pem CURL_CA_BUNDLE=$W/certs/ca.pem
    "$BIN/creel" secret --new --file "$W/cluster.secret" 2> /dev/null
}
# host_start NAME HOST PROGRAM ARGS...: runs a daemon with TLS as on the host HOST. Folders, secret
# and certificates come from the command line, because all hosts share one file system here, and
# without the package there is neither creel-exec nor a group for containers.
host_start() {
    host_run "$1" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$2" "$BIN/$3" \
        -D "creel.cluster.secret-file=$W/cluster.secret" \
        -D "creel.tls.certificate-file=$W/certs/$2.pem" -D "creel.tls.key-file=$W/certs/$2.key" \
        -D "creel.tls.ca-file=$W/certs/ca.pem" --log-format text "${@:4}"
}
