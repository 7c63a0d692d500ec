# tests/e2e/zookeeper.sh - sourced: real ZooKeeper servers for scripts (Debian's package zookeeper),
# one or an ensemble, with short sessions, each in a folder of its own: DIR/1, DIR/2, ... (zoo.cfg,
# zookeeper.pid, zookeeper.log, data). They end with the shell that called zk_start (so do not call
# it in a subshell), or by zk_stop_all in the script's cleanup_more.
#
#   zk_or_skip                    exits 77 (skipped) where java or the package is missing
#   zk_start DIR [N]              starts N servers (1), waits until they serve, and sets
#                                 ZK_SERVERS=host:port,...; no link in DIR
#   zk_restart DIR I              starts server I again, on its old port and data
#   zk_stop|zk_kill|zk_pause|zk_continue DIR I    TERM (waits for its end) | KILL | STOP | CONT
#   zk_wait DIR I [SECONDS]       waits until server I serves
#   zk_serves DIR I, zk_leader DIR, zk_wait_leader DIR, zk_pid DIR I, zk_4lw DIR I WORD,
#   zk_stop_all DIR
#
# Settings, as variables: ZK_HOSTS=(a b c) their addresses (127.0.0.1 each);
# ZK_PREFIX=("ip netns exec z1" ...) commands to run them with; ZK_CONF lines for zoo.cfg;
# ZK_FORCE_SYNC=yes for a real fsync per write (default no: files outlive a killed server anyway,
# and a slow disk then expires no short session).
# Ports lie below the kernel's ephemeral ones, so that nobody else gets a stopped server's port.

ZK_JARS=/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-log4j12.jar
ZK_JARS+=:/usr/share/java/log4j-1.2.jar
: "${ZK_FORCE_SYNC:=no}" "${ZK_CONF:=}"

zk_or_skip() {
    if ! command -v java > /dev/null || [ ! -e /usr/share/java/zookeeper.jar ]; then
        echo "skipped: needs java and Debian's package zookeeper"
        exit 77
    fi
}
zk_host() { echo "${ZK_HOSTS[$(($1 - 1))]:-127.0.0.1}"; }
zk_pid() { cat "$1/$2/zookeeper.pid"; }
zk_port() { sed -n 's/^clientPort=//p' "$1/$2/zoo.cfg"; }
zk_prefix() { echo "${ZK_PREFIX[$(($1 - 1))]:-}"; }

# The pid of server I, if that process is still this server.
zk_alive() {
    local pid
    pid=$(cat "$1/$2/zookeeper.pid" 2> /dev/null) &&
        grep -qzF "$1/$2/zoo.cfg" "/proc/$pid/cmdline" 2> /dev/null && echo "$pid"
}
zk_4lw() {
    # shellcheck disable=SC2016,SC2046
    timeout 2 $(zk_prefix "$2") \
        bash -c 'exec 3<>"/dev/tcp/$0/$1" && printf %s "$2" >&3 && cat <&3' \
        "$(zk_host "$2")" "$(zk_port "$1" "$2")" "$3" 2> /dev/null
}
# Does server I answer, is it ours (not one of another test that got the same port), and is it part
# of a quorum?
zk_serves() {
    zk_4lw "$1" "$2" conf | grep -qF "dataDir=$1/$2/data" &&
        zk_4lw "$1" "$2" srvr | grep -q '^Mode: \(standalone\|leader\|follower\)'
}
# Returns 0 when it serves, 1 when not in time, 2 when the server has ended.
zk_wait() {
    local until=$((SECONDS + ${3:-60}))
    until zk_serves "$1" "$2"; do
        zk_alive "$1" "$2" > /dev/null || return 2
        if [ $SECONDS -ge $until ]; then
            echo "ZooKeeper $2 in $1 does not serve" >&2
            return 1
        fi
        sleep 0.05
    done
}
zk_leader() {
    local d
    for d in "$1"/[0-9]*; do
        if zk_4lw "$1" "${d##*/}" srvr | grep -q '^Mode: \(standalone\|leader\)'; then
            echo "${d##*/}" && return
        fi
    done
    return 1
}
zk_wait_leader() {
    local until=$((SECONDS + 60))
    until zk_leader "$1"; do
        [ $SECONDS -lt $until ] || return 1
        sleep 0.05
    done
}
zk_restart() {
    local d=$1/$2
    # shellcheck disable=SC2046
    (cd "$d" && exec $(zk_prefix "$2") setpriv --pdeathsig KILL \
        java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
        -XX:-UsePerfData -Dzookeeper.jmx.log4j.disable=true -Dzookeeper.forceSync="$ZK_FORCE_SYNC" \
        -Dzookeeper.preAllocSize=4096 \
        -Dlog4j.configuration="file:$d/log4j.properties" -cp "$d:$ZK_JARS" \
        org.apache.zookeeper.server.quorum.QuorumPeerMain "$d/zoo.cfg") < /dev/null \
        >> "$d/zookeeper.out" 2>&1 &
    echo $! > "$d/zookeeper.pid"
    disown $!
}
zk_signal() { local pid; if pid=$(zk_alive "$1" "$2"); then kill "-$3" "$pid"; fi; }
zk_gone() {
    while zk_alive "$1" "$2" > /dev/null; do sleep 0.02; done
}
zk_stop() { zk_signal "$1" "$2" TERM && zk_signal "$1" "$2" CONT && zk_gone "$1" "$2"; }
zk_kill() { zk_signal "$1" "$2" KILL && zk_gone "$1" "$2"; }
zk_pause() { zk_signal "$1" "$2" STOP; }
zk_continue() { zk_signal "$1" "$2" CONT; }
zk_stop_all() {
    local d
    for d in "$1"/[0-9]*; do [ ! -d "$d" ] || zk_kill "$1" "${d##*/}"; done
}

zk_configure() { # DIR N FIRST_PORT
    local i d
    ZK_SERVERS=
    for ((i = 1; i <= $2; i++)); do
        d=$1/$i
        rm -rf "$d" && mkdir -p "$d/data" && echo "$i" > "$d/data/myid"
        ZK_SERVERS+=${ZK_SERVERS:+,}$(zk_host "$i"):$(($3 + i))
        cat > "$d/zoo.cfg" << END
tickTime=200
initLimit=50
syncLimit=10
minSessionTimeout=400
maxSessionTimeout=60000
maxClientCnxns=0
dataDir=$d/data
clientPortAddress=$(zk_host "$i")
clientPort=$(($3 + i))
admin.enableServer=false
4lw.commands.whitelist=*
$ZK_CONF
END
        cat > "$d/log4j.properties" << END
log4j.rootLogger=INFO, FILE
log4j.appender.FILE=org.apache.log4j.FileAppender
log4j.appender.FILE.File=$d/zookeeper.log
log4j.appender.FILE.layout=org.apache.log4j.PatternLayout
log4j.appender.FILE.layout.ConversionPattern=%d{ISO8601} %-5p %c{1}: %m%n
END
    done
    [ "$2" -gt 1 ] || return 0
    for ((i = 1; i <= $2; i++)); do
        for ((d = 1; d <= $2; d++)); do
            echo "server.$d=$(zk_host "$d"):$(($3 + 10 + d)):$(($3 + 20 + d))"
        done >> "$1/$i/zoo.cfg"
    done
}
zk_start() {
    local dir n=${2:-1} i try rc
    mkdir -p "$1" && dir=$(realpath "$1")
    for try in 1 2 3 4 5 6; do # another one where a port is taken: then the server ends
        zk_configure "$dir" "$n" $((10000 + (RANDOM % 700) * 30))
        rc=0
        for ((i = 1; i <= n; i++)); do zk_restart "$dir" "$i"; done
        for ((i = 1; i <= n && rc == 0; i++)); do zk_wait "$dir" "$i" || rc=$?; done
        [ $rc -ne 0 ] || return 0
        zk_stop_all "$dir"
        [ $rc -eq 2 ] || break
    done
    tail -n 20 "$dir"/*/zookeeper.log "$dir"/*/zookeeper.out >&2
    echo "ZooKeeper did not start in $dir (try $try)" >&2
    return 1
}
