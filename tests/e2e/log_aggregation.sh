#!/usr/bin/env bash
# Goal: the logs of an ended application get to the folder that the nodes share, where and as
# `yarn logs` looks for them, whatever happens to the NodeManager meanwhile. Method: a real
# ResourceManager and NodeManager; files are read back by tests/unit/tfile_read, which knows nothing
# of the writer.
. "$(dirname "$0")/lib.sh"
HERE="$(cd "$(dirname "$0")" && pwd)"
export LC_ALL=C.UTF-8
mkdir -p "$DEV" "$T/state"
REMOTE=$T/remote
declare -A PID=()
cleanup_more() { for p in "${PID[@]}"; do signal_child KILL "$p"; done; }

"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
    -D yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=200 \
    -D yarn.log-aggregation-enable=true --url-file "$T/url" 2>> "$DEV/rm.log" &
PID[rm]=$!
wait_for 20 "creel-rm" test -s "$T/url"
CREEL_RM=$(cat "$T/url")
export CREEL_RM
start_nm() { # ARGS...
    "$BIN/creel-nm" -D creel.nodemanager.rm="$CREEL_RM" -D creel.nodemanager.port=0 \
        -D creel.nodemanager.local-dir="$T/nm" -D creel.nodemanager.map-slots=8 \
        -D yarn.log-aggregation-enable=true -D yarn.nodemanager.remote-app-log-dir="$REMOTE" \
        "$@" 2>> "$DEV/nm.log" &
    PID[nm]=$!
}
# job COMMAND: submits a job with one task, and prints its id
job() { creel job submit --name logs --task "$1" --json 2> /dev/null | jq -r .job.id; }
status_is() { [ "$(app "$1" logAggregationStatus)" = "$2" ]; }
ended() { [ "$(app "$1" state)" = FINISHED ]; }
app() { curl -sf "$CREEL_RM/ws/v1/cluster/apps/$1" | jq -r ".app.$2"; }
node_file() { curl -sf "$CREEL_RM/ws/v1/cluster/nodes" | jq -r '.nodes.node[0].id' | tr : _; }
# folder ID: where the application's logs belong
USER=$(id -un)
folder() {
    printf '%s/%04d/%s' "$REMOTE/$USER/bucket-logs-tfile" $((10#${1##*_} % 10000)) "$1"
}
# logs ID NAME: the content of the log NAME of the application's only container
logs() {
    local file container
    file=$(folder "$1")/$(node_file)
    container=$("$HERE/../unit/tfile_read" "$file" | sed -n 's/^\(container_[0-9_e]*\)\t.*/\1/p')
    "$HERE/../unit/tfile_read" "$file" "$container" "$2"
}
mode() { stat -c '%a' "$1"; }

start_nm
wait_for 20 "the node" nodes_running 1
NODE=$(node_file)

# The file is there, complete, and as Hadoop's has it.
first=$(job 'echo said; echo erred >&2; seq 1 200000 > "$LOG_DIRS/long"')
wait_for 30 "the file" test -f "$(folder "$first")/$NODE"
check_equal "$(logs "$first" stdout)/$(logs "$first" stderr)" said/erred "logs"
logs "$first" long | cmp - <(seq 1 200000) || fail "the long log differs"
"$HERE/../unit/tfile_read" "$(folder "$first")/$NODE" > "$T/read"
grep -qx $'APPLICATION_OWNER\t'"$USER" "$T/read" || fail "no owner"
check_equal "$(ls -A "$(folder "$first")")" "$NODE" "files in the folder"
check_equal "$(mode "$REMOTE") $(mode "$REMOTE/$USER") $(mode "$(folder "$first")/$NODE")" \
    "1777 770 640" "modes"

wait_for 30 "the status" status_is "$first" SUCCEEDED

# The shared folder cannot be written to, the NodeManager is killed, and something is in the way.
mv "$REMOTE" "$T/away"
touch "$REMOTE"
second=$(job 'echo second')
wait_for 30 "the end" ended "$second"
wait_for 30 "the failure" status_is "$second" RUNNING_WITH_FAILURE
wait_for 30 "an error in the log" grep -q "$second: .*remote: .*Not a directory" "$DEV/nm.log"
signal_child KILL "${PID[nm]}"
wait "${PID[nm]}" 2> /dev/null || :
rm "$REMOTE"
mv "$T/away" "$REMOTE"
mkdir -m 770 -p "$(folder "$second")"
chmod 770 "$(dirname "$(folder "$second")")"
echo half > "$(folder "$second")/$NODE.tmp"
start_nm
wait_for 30 "the file" test -f "$(folder "$second")/$NODE"
check_equal "$(logs "$second" stdout)" second "the log after a restart"
wait_for 30 "the status" status_is "$second" SUCCEEDED
check_equal "$(ls -A "$(folder "$second")")" "$NODE" "files in the folder after a restart"
no_notes() { [ -z "$(find "$T/nm/logs" -name .aggregate)" ]; }
wait_for 10 "the end of the notes" no_notes

# Old files go, folders of other users are left alone.
signal_child TERM "${PID[nm]}"
wait "${PID[nm]}" 2> /dev/null || :
touch -d '2 hours ago' "$(folder "$first")/$NODE"
start_nm -D yarn.log-aggregation.retain-seconds=3600 \
    -D yarn.nodemanager.log-aggregation.compression-type=gz
gone() { [ ! -e "$1" ]; }
wait_for 20 "the end of the old file" gone "$(folder "$first")"
[ -f "$(folder "$second")/$NODE" ] || fail "a file was removed too early"

# Compressed, too; and what is wrong in the configuration is named.
wait_for 20 "the node" nodes_running 1
third=$(job 'yes compressible | head -n 100000')
wait_for 30 "the file" test -f "$(folder "$third")/$NODE"
logs "$third" stdout | cmp - <(yes compressible | head -n 100000) || fail "compressed log differs"
[ "$(stat -c %s "$(folder "$third")/$NODE")" -lt 50000 ] || fail "the file is not compressed"
signal_child TERM "${PID[nm]}"
wait "${PID[nm]}" 2> /dev/null || :
start_nm -D yarn.nodemanager.remote-app-log-dir=hdfs:///logs
! wait "${PID[nm]}" || fail "a folder in HDFS was accepted"
grep -q 'yarn.nodemanager.remote-app-log-dir: "hdfs:///logs": expected' "$DEV/nm.log" ||
    fail "the error does not name the key"
echo "logs are aggregated"
