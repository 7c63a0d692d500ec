# tests/interop/rpc/mapreduce.sh - sourced by `mapreduce` and `race`: a real YARN and Creel, two
# nodes each, with the same configuration for MapReduce, in a folder of their own. Needs here, lib
# (Hadoop's jars), out (for the logs of history servers), port (the first of some sixty) and
# CREEL_BIN.
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
    [ ! -f "$run/yarn/pids" ] || "$peer" stop "$run/yarn" || :
    "$bin/creel" dev --stop --dir "$run/creel" > /dev/null 2>&1 || :
    [ -n "${KEEP:-}" ] || rm -rf "$run"
}
trap stop EXIT

# ---- the two clusters ----

conf() { # KEY VALUE ...
    echo '<configuration>'
    while [ $# -gt 0 ]; do
        printf '<property><name>%s</name><value>%s</value></property>\n' "$1" "$2"
        shift 2
    done
    echo '</configuration>'
}
jvm="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
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
start_creel() {
    local rm=127.0.0.1:$((port + 41)) masters=127.0.0.1:$((port + 42))
    JAVA_HOME=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")} \
        "$bin/creel" dev --detach --port 0 --auth simple --nodes 2 --map-slots 4 \
        --reduce-slots 2 --dir "$run/creel" -D creel.nodemanager.host=localhost \
        -D yarn.resourcemanager.address=$rm -D yarn.resourcemanager.scheduler.address=$masters \
        -D yarn.nodemanager.address=127.0.0.1:0 \
        -D yarn.nm.liveness-monitor.expiry-interval-ms=5000 \
        -D yarn.nodemanager.aux-services=mapreduce_shuffle -D mapreduce.shuffle.port=0 > /dev/null
    url[creel]=$(cat "$run/creel/rm.url")
    dir[creel]=$run/client
    mkdir "$run/client"
    conf yarn.resourcemanager.address $rm yarn.resourcemanager.scheduler.address $masters \
        yarn.resourcemanager.webapp.address "${url[creel]#http://}" "${quick[@]}" \
        yarn.application.classpath "$run/client,$lib/*" > "$run/client/yarn-site.xml"
    conf fs.defaultFS file:/// hadoop.tmp.dir "$run/client/tmp" > "$run/client/core-site.xml"
    mapred_site "$run/client" "$run/staging-creel" $((port + 45)) > "$run/client/mapred-site.xml"
    printf '%s\n' 'log4j.rootLogger=INFO,A' 'log4j.appender.A=org.apache.log4j.ConsoleAppender' \
        'log4j.appender.A.target=System.err' \
        'log4j.appender.A.layout=org.apache.log4j.PatternLayout' \
        'log4j.appender.A.layout.ConversionPattern=%d %p %c{1}: %m%n' \
        > "$run/client/log4j.properties"
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
rest() { curl -sf "${url[$1]}/ws/v1/cluster/$2" | jq -r "$3"; } # SIDE PATH JQ
two_nodes() { [ "$(rest "$1" metrics .clusterMetrics.activeNodes)" = 2 ]; }
# The clients ask the history server for the counters of a job that has ended.
start_history() { # SIDE
    HADOOP_CONF_DIR=${dir[$1]} java $jvm -Xmx160m --add-opens java.base/java.lang=ALL-UNNAMED \
        -cp "${dir[$1]}:$lib/*" org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer \
        > "$out/$1-history.log" 2>&1 < /dev/null &
    history_server[$1]=$!
    until_true grep -q 'IPC Server listener on .*: starting' "$out/$1-history.log"
}
