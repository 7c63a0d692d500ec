#!/usr/bin/env bash
# Goal: the word count of a gigabyte is right in every form, and stays so while NodeManagers and the
# ResourceManager die. Takes a quarter of an hour, so CTest leaves it out (the same with small input
# is in wordcount.sh, nm_lost.sh and rm_killed.sh). Usage: CREEL_BIN=build/release/bin
# tests/e2e/gigabyte.sh; SIZE_MB=1024 is the size of the text.
. "$(dirname "$0")/lib.sh"
size=${SIZE_MB:-1024}
split=$((size * 16384)) # 64 splits
mkdir "$T/in" "$T/packed"
"$BIN/gen-text" "$size" > "$T/in/text"
gzip -1 -c "$T/in/text" > "$T/packed/text.gz"
start=$SECONDS
wc_expected "$T/in/text" > "$T/expected"
echo "the pipeline alone: $((SECONDS - start)) s, $(wc -l < "$T/expected") words"
start_cluster --nodes 3

run() { # NAME REDUCES INPUT EXTRA...
    local name=$1 reduces=$2 input=$3 start=$SECONDS
    shift 3
    creel job submit --name "$name" --input "$T/$input" --output "$T/out" --map "$WC_MAP" \
        --reduce "$WC_SUM" --reduces "$reduces" --wait "$@" > "$T/log" 2>&1 ||
        { cat "$T/log" >&2; fail "job $name failed"; }
    check_output "$T/out" "$T/expected" "$reduces"
    rm -rf "$T/out"
    echo "ok $name: $((SECONDS - start)) s"
}
run "1 reduce" 1 in --combine "$WC_SUM"
run "7 reduces" 7 in --combine "$WC_SUM"
run "40 reduces" 40 in --combine "$WC_SUM"
run "7 reduces without combine" 7 in
run "gzip, one map" 3 packed --combine "$WC_SUM"

maps_done() {
    [ "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" |
        jq '.job.taskCounts.map.succeeded')" -ge "$2" ]
}
maps_started() { [ "$(sort -u "$T/started" | wc -l)" -ge "$1" ]; }
reduces_running() {
    [ "$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" | jq '.job.taskCounts.reduce.running')" -ge 1 ]
}
submit() {
    : > "$T/started"
    creel job submit --name faults --input "$T/in" --output "$T/out" \
        --map "echo \$CREEL_TASK_ID >> $T/started; $WC_MAP" \
        --combine "$WC_SUM" --reduce "$WC_SUM" --reduces 3 --split-size $split --json |
        jq -r '.job.id // .id'
}
finish() { # ID
    wait_for 600 "end of the job" job_ended "$1"
    job_is "$1" FINISHED/SUCCEEDED ||
        fail "job: $(job_state "$1"): $(job_diagnostics "$1")"
    check_output "$T/out" "$T/expected" 3
    rm -rf "$T/out"
}
back() { # NAME: that NodeManager again
    creel dev --restart "$1" --dir "$DEV" > /dev/null
    wait_for 30 "three nodes" nodes_running 3
}

id=$(submit)
wait_for 300 "20 finished maps" maps_done "$id" 20
kill -9 "$(daemon_pid nm-2)" # the daemon alone: what it ran goes on and must not count twice
finish "$id"
back nm-2
echo "ok NodeManager killed in the map phase: $(wc -l < "$T/started") maps started for 64"

id=$(submit)
wait_for 600 "all maps" maps_done "$id" 64
wait_for 60 "running reduces" reduces_running "$id"
kill -9 "$(daemon_pid nm-3)"
finish "$id"
back nm-3
echo "ok NodeManager killed in the reduce phase: $(wc -l < "$T/started") maps started for 64"

rm_answers() { curl -sf -m 1 "$CREEL_RM/ws/v1/cluster/info"; }
id=$(submit)
for moment in 1 2 3 4 5 6 7 8 9 10; do
    if [ $moment -lt 10 ]; then
        wait_for 300 "map $((moment * 7))" maps_started $((moment * 7))
    else
        wait_for 300 "all maps" maps_done "$id" 64
    fi
    find "$DEV" -name pid.json -exec cat {} + 2> /dev/null |
        jq -r '"\(.pid) \(.start)"' > "$T/before" || true
    kill -9 "$(daemon_pid rm-1)"
    creel dev --restart rm-1 --dir "$DEV" > /dev/null
    wait_for 20 "RM" rm_answers
    wait_for 20 "nodes" nodes_running 3
    same=0
    while read -r pid start; do # still there: the same process; gone: it ended by itself
        now=$(sed 's/.*) //' "/proc/$pid/stat" 2> /dev/null | cut -d' ' -f20) || continue
        [ -n "$now" ] || continue
        check_equal "$now" "$start" "start time of pid $pid"
        same=$((same + 1))
    done < "$T/before"
    echo "moment $moment: $same containers with their pid and start time"
done
finish "$id"
check_equal "$(wc -l < "$T/started")" 64 "maps started"
check_equal "$(sort -u "$T/started" | wc -l)" 64 "different maps started"
echo "ok ResourceManager killed ten times: 64 maps, each ran once"
