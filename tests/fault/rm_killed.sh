#!/usr/bin/env bash
# Goal: the RM is killed -9 and restarted at ten moments of one job: containers keep pid and start
# time, no finished map is repeated, and the output is the same.
# Method: every map notes its task id before and after its work; each id must appear exactly once.
. "$(dirname "$0")/../e2e/lib.sh"
start_cluster --nodes 3
awk 'BEGIN {
        s = 3
        for (i = 0; i < 200000; i++) {
            s = (s * 1103515245 + 12345) % 2147483648
            printf "w%d%s", s % 3000, (i % 9 ? " " : "\n")
        }
    }' |
    tr 0-9 a-j > "$T/in"
wc_expected "$T/in" > "$T/expected"
id=$(creel job submit --name survive --input "$T/in" --output "$T/out" --reduces 3 \
    --split-size 24000 \
    --map "echo \$CREEL_TASK_ID >> $T/started; sleep 0.3; $WC_MAP" --combine "$WC_SUM" \
    --reduce "$WC_SUM" --json |
    jq -r '.job.id // .id')
maps() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id" | jq '.job.taskCounts.map.total'; }
is_set_up() { [ "$(maps)" -gt 0 ]; }
wait_for 60 "the setup of the job" is_set_up
total=$(maps)
[ "$total" -ge 40 ] || fail "only $total maps"
started() { [ "$(wc -l < "$T/started")" -ge "$1" ]; }
rm_answers() { curl -sf -m 1 "$CREEL_RM/ws/v1/cluster/info"; }
for moment in 1 2 3 4 5 6 7 8 9 10; do
    wait_for 120 "map $((moment * total / 12))" started $((moment * total / 12))
    find "$DEV" -name pid.json -exec cat {} + 2> /dev/null |
        jq -r '"\(.pid) \(.start)"' > "$T/before" || true
    kill -9 "$(daemon_pid rm-1)"
    creel dev --restart rm-1 --dir "$DEV" > /dev/null
    wait_for 20 "RM" rm_answers
    wait_for 20 "nodes" nodes_running 3
    while read -r pid start; do # still there: the same process; gone: it ended by itself
        [ -r "/proc/$pid/stat" ] || continue
        now=$(sed 's/.*) //' "/proc/$pid/stat" 2> /dev/null | cut -d' ' -f20) || continue
        [ -z "$now" ] || check_equal "$now" "$start" "start time of pid $pid"
    done < "$T/before"
done
wait_for 240 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "job: $(job_state "$id")"
check_output "$T/out" "$T/expected" 3
check_equal "$(wc -l < "$T/started")" "$total" "maps started"
check_equal "$(sort -u "$T/started" | wc -l)" "$total" "different maps started"
echo "ten restarts, $total maps, each ran once"
