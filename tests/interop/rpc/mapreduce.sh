# tests/interop/rpc/mapreduce.sh - sourced by `mapreduce` and `race`: a real YARN ("yarn"), Creel
# ("creel") and Creel with two ResourceManagers ("ha"), two nodes each, with the same configuration
# for MapReduce, in a folder of their own. Needs here, lib (Hadoop's jars), out (for the logs of
# history servers), port (the first of a hundred) and CREEL_BIN. nodes: those of "creel", "creel"
# (its own), "java" (two NodeManagers of Hadoop) or "mixed" (one of each).
peer=$here/../peer/peer
bin=${CREEL_BIN:?folder with the creel binaries}
run=$(mktemp -d "${TMPDIR:-/tmp}/mapreduce.XXXXXX")
export XDG_STATE_HOME=$run/state XDG_CONFIG_HOME=$run/conf
declare -A history_server # pids by side
stop_history() { # SIDE
    kill "${history_server[$1]}" && wait "${history_server[$1]}" || :
    unset "history_server[$1]"
}
stop() {
    local side
    for side in "${!history_server[@]}"; do stop_history "$side" 2> /dev/null; done
    for side in yarn java; do
        [ ! -f "$run/$side/pids" ] || "$peer" stop "$run/$side" || :
    done
    for side in creel ha; do
        [ ! -d "$run/$side/conf" ] || "$bin/creel" dev --stop --dir "$run/$side" > /dev/null || :
    done
    [ ! -f "$run/rm.pid" ] || kill "$(cat "$run/rm.pid")" || :
    [ -n "${KEEP:-}" ] || rm -rf "$run"
}
trap stop EXIT

# ---- the clusters ----

conf() { # KEY VALUE ...
    echo '<configuration>'
    while [ $# -gt 0 ]; do
        printf '<property><name>%s</name><value>%s</value></property>\n' "$1" "$2"
        shift 2
    done
    echo '</configuration>'
}
# Hadoop 3.3 does not open the packages of Java 17 by itself, as 3.4 does.
jvm="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --add-opens=java.base/java.lang=ALL-UNNAMED"
# mapred_site CONF_DIR STAGING HISTORY_PORT
mapred_site() {
    conf mapreduce.framework.name yarn mapreduce.application.classpath "$1,$lib/*" \
        yarn.app.mapreduce.am.resource.mb 512 yarn.app.mapreduce.am.command-opts "-Xmx256m $jvm" \
        mapreduce.map.memory.mb 256 mapreduce.map.java.opts "-Xmx160m $jvm" \
        mapreduce.reduce.memory.mb 256 mapreduce.reduce.java.opts "-Xmx160m $jvm" \
        mapreduce.map.speculative false mapreduce.reduce.speculative false \
        mapreduce.task.io.sort.mb 32 mapreduce.shuffle.port 0 \
        yarn.app.mapreduce.am.staging-dir "$2" \
        mapreduce.jobhistory.address "127.0.0.1:$3" \
        mapreduce.jobhistory.webapp.address "127.0.0.1:$(($3 + 1))" \
        mapreduce.jobhistory.admin.address "127.0.0.1:$(($3 + 2))"
}
# Keys of YARN's clients that both sides have: a node that is gone is given up soon.
quick=(yarn.client.nodemanager-connect.max-wait-ms 5000
    yarn.client.nodemanager-connect.retry-interval-ms 1000)
declare -A url dir
start_yarn() {
    local keys=() i
    for ((i = 0; i < ${#quick[@]}; i += 2)); do keys+=("${quick[i]}=${quick[i + 1]}"); done
    mkdir -p "$run/more"
    mapred_site "$run/yarn/conf" "$run/staging-yarn" $((port + 5)) > "$run/more/mapred-site.xml"
    CONF_FROM=$run/more PORT=$port NM_MB=1536 NM_VCORES=6 "$peer" start "$run/yarn" "$lib" \
        capacity 2 "${keys[@]}" > /dev/null
    url[yarn]=http://127.0.0.1:$port
    dir[yarn]=$run/yarn/conf
}
# What all nodes of Creel's have, among it where the name node of hdfs.sh speaks HTTP.
name_node=127.0.0.1:$((port + 90)) name_node_http=127.0.0.1:$((port + 91))
node_keys=(-D creel.nodemanager.host=localhost -D yarn.nodemanager.address=127.0.0.1:0
    -D yarn.nm.liveness-monitor.expiry-interval-ms=5000
    -D "creel.nodemanager.localizer.webhdfs=$name_node=http://$name_node_http"
    -D yarn.nodemanager.aux-services=mapreduce_shuffle -D mapreduce.shuffle.port=0)
dev() { # SIDE ARG...: starts a cluster of Creel's in the side's folder
    JAVA_HOME=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")} \
        "$bin/creel" dev --detach --port 0 --auth simple --map-slots 4 --reduce-slots 2 \
        --dir "$run/$1" "${node_keys[@]}" "${@:2}" > /dev/null
}
# Without nodes of Creel there is no cluster of `creel dev`: then the ResourceManager runs alone.
rm_alone() { # ARG...
    mkdir "$run/creel"
    "$bin/creel-rm" --url-file "$run/creel/rm.url" -D creel.rm.port=0 -D creel.auth=simple \
        -D creel.rm.state-dir="$run/creel/state" "$@" > "$run/creel/rm.log" 2>&1 &
    echo $! > "$run/rm.pid"
    until_true test -s "$run/creel/rm.url"
}
# client_conf SIDE HISTORY_PORT KEY VALUE ...: a client's folder, with these keys in yarn-site.xml
client_conf() {
    local to=$run/client-$1
    mkdir "$to"
    conf "${quick[@]}" yarn.application.classpath "$to,$lib/*" "${@:3}" > "$to/yarn-site.xml"
    conf fs.defaultFS file:/// hadoop.tmp.dir "$to/tmp" > "$to/core-site.xml"
    mapred_site "$to" "$run/staging-$1" "$2" > "$to/mapred-site.xml"
    printf '%s\n' 'log4j.rootLogger=INFO,A' 'log4j.appender.A=org.apache.log4j.ConsoleAppender' \
        'log4j.appender.A.target=System.err' \
        'log4j.appender.A.layout=org.apache.log4j.PatternLayout' \
        'log4j.appender.A.layout.ConversionPattern=%d %p %c{1}: %m%n' > "$to/log4j.properties"
    dir[$1]=$to
}
start_creel() {
    local keys=(yarn.resourcemanager.address "127.0.0.1:$((port + 41))"
        yarn.resourcemanager.scheduler.address "127.0.0.1:$((port + 42))"
        yarn.resourcemanager.resource-tracker.address "127.0.0.1:$((port + 43))")
    local arg=() java=() i
    for ((i = 0; i < ${#keys[@]}; i += 2)); do
        arg+=(-D "${keys[i]}=${keys[i + 1]}")
        java+=("${keys[i]}=${keys[i + 1]}")
    done
    case ${nodes:-creel} in
    creel) dev creel --nodes 2 "${arg[@]}" ;;
    mixed) dev creel --nodes 1 "${arg[@]}" && java_nodes 1 "${java[@]}" ;;
    java) rm_alone "${arg[@]}" && java_nodes 2 "${java[@]}" ;;
    *) echo "NODES=$nodes: expected creel, java or mixed" >&2; return 1 ;;
    esac
    url[creel]=$(cat "$run/creel/rm.url")
    client_conf creel $((port + 45)) yarn.resourcemanager.webapp.address "${url[creel]#http://}" \
        "${keys[@]}"
}
# A NodeManager of Hadoop has four map slots and two reduce slots of 1 GiB here, as Creel's have.
java_nodes() { # NUMBER KEY=VALUE...
    ONLY_NODES=1 PORT=$((port + 50)) NM_MB=6144 NM_VCORES=6 "$peer" start "$run/java" "$lib" fifo \
        "$@" > /dev/null
}
start_ha() {
    dev ha --nodes 2 --ha --hadoop
    url[ha]=$(cat "$run/ha/rm.url") # of both, separated by a comma
    client_conf ha $((port + 48)) yarn.client.failover-sleep-base-ms 500 \
        yarn.client.failover-sleep-max-ms 5000
    # where the ResourceManagers are, `creel dev` has written
    sed -i "/<configuration>/r "<(grep '<property>' "$run/ha/hadoop/yarn-site.xml") \
        "${dir[ha]}/yarn-site.xml"
}
hadoop() { # SIDE CLASS ARGS...: in the side's folder
    (cd "$run/work-$1" && HADOOP_CONF_DIR=${dir[$1]} exec timeout 600 java $jvm -Xmx256m \
        --add-opens java.base/java.lang=ALL-UNNAMED -cp "${dir[$1]}:$lib/*" "${@:2}")
}
until_true() {
    local i
    for ((i = 0; i < 600; i++)); do "$@" > /dev/null 2>&1 && return; sleep 0.2; done
    echo "gave up waiting for: $*" >&2
    return 1
}
rest() { # SIDE PATH JQ: of whichever ResourceManager answers
    local u
    for u in ${url[$1]//,/ }; do
        curl -sfL "$u/ws/v1/cluster/$2" | jq -re "$3" && return
    done
    return 1
}
two_nodes() { [ "$(rest "$1" metrics .clusterMetrics.activeNodes)" = 2 ]; }
# The clients ask the history server for the counters of a job that has ended.
start_history() { # SIDE
    : > "$out/$1-history.log"
    HADOOP_CONF_DIR=${dir[$1]} java $jvm -Xmx160m --add-opens java.base/java.lang=ALL-UNNAMED \
        -cp "${dir[$1]}:$lib/*" org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer \
        >> "$out/$1-history.log" 2>&1 < /dev/null &
    history_server[$1]=$!
    until_true grep -q 'IPC Server listener on .*: starting' "$out/$1-history.log"
}
