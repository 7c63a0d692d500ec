# tests/interop/rpc/hdfs.sh - sourced by `mapreduce`, after mapreduce.sh: a real HDFS of one name
# node and one data node, and a configuration of clients whose files all lie there: input, output,
# the staging folder and the histories of jobs.
hdfs_pids=()
stop_hdfs() {
    [ ${#hdfs_pids[@]} = 0 ] || kill "${hdfs_pids[@]}" 2> /dev/null || :
    [ ${#hdfs_pids[@]} = 0 ] || wait "${hdfs_pids[@]}" || :
    hdfs_pids=()
}
hdfs_daemon() { # NAME CLASS ARG...
    JDK_JAVA_OPTIONS= exec java $jvm -Xmx256m --add-opens java.base/java.lang=ALL-UNNAMED \
        -cp "$run/hdfs-conf:$lib/*" "org.apache.hadoop.hdfs.server.$2" "${@:3}" \
        > "$out/hdfs-$1.log" 2>&1 < /dev/null
}
start_hdfs() {
    mkdir "$run/hdfs-conf"
    conf fs.defaultFS "hdfs://$name_node" hadoop.tmp.dir "$run/hdfs" \
        > "$run/hdfs-conf/core-site.xml"
    conf dfs.replication 1 dfs.namenode.http-address "$name_node_http" \
        dfs.datanode.address "127.0.0.1:$((port + 92))" \
        dfs.datanode.http.address "127.0.0.1:$((port + 93))" \
        dfs.datanode.ipc.address "127.0.0.1:$((port + 94))" > "$run/hdfs-conf/hdfs-site.xml"
    cp "${dir[$1]}/log4j.properties" "$run/hdfs-conf"
    (hdfs_daemon format namenode.NameNode -format)
    hdfs_daemon name-node namenode.NameNode &
    hdfs_pids+=($!)
    hdfs_daemon data-node datanode.DataNode &
    hdfs_pids+=($!)
    until_true grep -q 'successfully registered with NN' "$out/hdfs-data-node.log"
}
# in_hdfs SIDE COMMAND...: runs it with a configuration of its own for the side's clients
in_hdfs() {
    local usual=${dir[$1]} status=0
    dir[$1]=$run/client-hdfs-$1
    if [ ! -d "${dir[$1]}" ]; then
        cp -r "$usual" "${dir[$1]}"
        sed -i -e "s#$usual#${dir[$1]}#g" -e "s#$run/staging-$1#/staging-$1#" "${dir[$1]}"/*.xml
        conf fs.defaultFS "hdfs://$name_node" dfs.replication 1 \
            hadoop.tmp.dir "$run/client-hdfs-$1/tmp" > "${dir[$1]}/core-site.xml"
    fi
    "${@:2}" || status=$?
    dir[$1]=$usual
    return $status
}
