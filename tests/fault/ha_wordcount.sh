#!/usr/bin/env bash
# Goal: a word count survives two kill -9 of the active ResourceManager: same output, no finished
#   map repeated, and the progress bar of the waiting client never goes back.
# Method: tests/fault/ha_wordcount.sh [MB]; creel dev --ha, started as a user does; the submission
#   waits on a terminal of its own (script), whose screen is judged afterwards; maps note their task
#   and attempt when they begin.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/../e2e/zookeeper.sh"
zk_or_skip
mb=${1:-32}
"$BIN/gen-text" "$mb" > "$T/in"
start=$SECONDS
wc_expected "$T/in" > "$T/expected"
echo "the pipeline alone: $((SECONDS - start)) s, $(wc -l < "$T/expected") words"
start_cluster --ha
export T BIN WC_SUM SPLIT=$((mb * 32768)) \
    MAP="echo \$CREEL_TASK_ID \$CREEL_TASK_ATTEMPT >> $T/started; $WC_MAP"
cat > "$T/submit.sh" << 'END'
exec "$BIN/creel" job submit --name wc --input "$T/in" --output "$T/out" --reduces 3 \
    --split-size "$SPLIT" --map "$MAP" --combine "$WC_SUM" --reduce "$WC_SUM" --wait
END
: > "$T/started"
start=$SECONDS
script -qefc "stty cols 100; sh $T/submit.sh" "$T/screen" < /dev/null > /dev/null &
client=$!
call() { local u; for u in ${CREEL_RM//,/ }; do curl -sfL -m 2 "$u$1" && return; done; return 1; }
job() { call /ws/v1/cluster/jobs | jq '.jobs[0]'; }
maps_done() { [ "$(job | jq '.taskCounts.map.succeeded')" -ge "$1" ]; }
active() {
    { creel dev --status --dir "$DEV" --json ||
        true; } | jq -r '.daemons[] | select(.role == "active") | .name'
}
taken_over() { local n; n=$(active) && [ -n "$n" ] && [ "$n" != "$dead" ]; }
for moment in 8 20; do
    wait_for 600 "$moment finished maps" maps_done $moment
    dead=$(active)
    kill -9 "$(daemon_pid "$dead")"
    wait_for 30 "another active ResourceManager than $dead" taken_over
    creel dev --restart "$dead" --dir "$DEV" > /dev/null
    echo "$dead killed with $moment maps done, $(active) is active"
done
rc=0
wait $client || rc=$?
[ $rc = 0 ] || { tail -c 2000 "$T/screen" >&2; fail "the submission ended with $rc"; }
echo "the job: $((SECONDS - start)) s"
check_output "$T/out" "$T/expected" 3
maps=$(job | jq '.taskCounts.map.total')
check_equal "$(cut -d' ' -f1 "$T/started" | sort -u | wc -l)" "$maps" "maps that ran"
check_equal "$(wc -l < "$T/started")" "$maps" "starts of maps"
# The percentages on the screen, phase by phase, in their order.
tr '\r' '\n' < "$T/screen" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' > "$T/lines"
LC_ALL=C grep -aoE '(map|reduce) +[^0-9%]*[0-9]+ ?%' "$T/lines" | awk '
    {
        v = $NF + 0
        if (v == 0 && $NF == "%") v = $(NF - 1)
        if (v < top[$1]) { print $1 " went from " top[$1] " to " v; exit 1 }
        top[$1] = v
        n++
    }
    END { if (n < 5) { print "only " n " percentages"; exit 1 } }' > "$T/back" ||
    { tail -n 5 "$T/lines" >&2; fail "the progress bar: $(cat "$T/back")"; }
echo "two failovers, $maps maps, each ran once; the bar only went forward"
