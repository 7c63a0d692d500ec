#!/usr/bin/env bash
# Goal: a cluster's history is exported and replayed by the simulator: every job, with its real
# times.
# Method: jobs that take as long as they claim, a MapReduce job and one that is killed. The export
# is checked; creel sim --history on a cluster of the same size gives the same sojourns under the
# same policy, apart from the daemons' and processes' own time; it also takes the file under other
# policies, twice with the same result.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"
start_cluster --nodes 2 --map-slots 2 --reduce-slots 1 --policy fifo -D creel.scheduler.queues=etl \
    -D creel.scheduler.slowstart=1
wait_for 20 "2 nodes" nodes_running 2
creel history export -o "$T/none" 2> /dev/null
check_equal "$(wc -c < "$T/none")" 0 "bytes of an empty history"

work() { # NAME MAPS SECONDS REDUCES SECONDS
    submit --arg n "$1" --argjson m "$2" --argjson ms "$3" --argjson r "$4" --argjson rs "$5" \
        --arg c "$LIVED" \
        '{job:{name:$n, queue:"etl", weight:2, "deadline-s":500,
          tasks:([{kind:"map", count:$m, command:"\($c) \($ms)"}] +
          if $r > 0 then [{kind:"reduce", count:$r, command:"\($c) \($rs)", "expected-s":$rs}]
          else [] end)}}'
}
seq 1 5000 > "$T/in"
ids=("$(work one 5 1 2 0.7)" "$(work two 3 0.8 0 0)" "$(work three 4 1.2 1 0.6)")
ids+=("$(creel job submit --name mr --input "$T/in" --split-size 9000 --output "$T/out" \
    --map "sed 's/\$/\t1/'" --reduce "cut -f 1" --reduces 2)")
is_set_up() { [ "$(job "${ids[3]}" .job.taskCounts.map.total)" -gt 0 ]; }
wait_for 20 "the setup of mr, before others take all slots" is_set_up
killed=$(work killed 4 30 0 0)
succeeded "${ids[@]}"
is_running() { [ "$(job "$killed" .job.taskCounts.map.running)" -gt 0 ]; }
wait_for 20 "tasks of the one to be killed" is_running
creel job kill "$killed" > /dev/null

creel history export -o "$T/h.jsonl"
cp "$T/h.jsonl" "$T/kept"
rc=0
creel history export --from 1s -o "$T/h.jsonl" 2> "$T/e" || rc=$?
check_equal "$rc $(grep -c 'h.jsonl exists; --force' "$T/e")" "2 1" "export over a file"
cmp "$T/h.jsonl" "$T/kept" || fail "a file was overwritten"
creel history export -o "$T/h.jsonl" --force 2> /dev/null
cmp "$T/h.jsonl" "$T/kept" || fail "--force writes something else"
# The killed job is not exported: nothing is known of it.
check_equal "$(jq -r .name "$T/h.jsonl" | paste -sd' ')" "one two three mr" \
    "names, in order of submission"
check_equal "$(jq -c '[.id, .maps, .reduces, .pool]' "$T/h.jsonl" | head -n 3 | paste -sd' ')" \
    '[1,5,2,"root.etl"] [2,3,0,"root.etl"] [3,4,1,"root.etl"]' "numbers and queues"
check_equal "$(jq -r .time_0_ms "$T/h.jsonl" | sort -u | wc -l)" 1 "beginnings of time"
jq -es 'map(.map_durations_s | min >= 0.79 and max < 1.9) | .[0:3] | all' "$T/h.jsonl" \
    > /dev/null || fail "$(cat "$T/h.jsonl")"
jq -es '.[0].submit_s < 0.01 and (.[3] | .input_bytes == 23893 and .shuffle_bytes > 0
    and .output_bytes == 23893)' "$T/h.jsonl" \
    > /dev/null || fail "$(cat "$T/h.jsonl")"
mkfifo "$T/pipe" # is written to, not replaced
cat "$T/pipe" > "$T/piped" &
creel history export -o "$T/pipe" 2> /dev/null
wait $!
[ -p "$T/pipe" ] || fail "the pipe is gone"
cmp "$T/h.jsonl" "$T/piped"
check_equal "$(creel history export --from 1h | wc -l)" 4 "jobs of the last hour"
check_equal "$(creel history export --to 2020-01-01T00:00 | wc -l)" 0 "jobs of another time"
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/history?limit=3" | jq '.history | length')" 3 \
    "a page"
cursor=$(curl -sf "$CREEL_RM/ws/v1/cluster/history?limit=3" | jq -r .cursor)
last=$(curl -sf "$CREEL_RM/ws/v1/cluster/history?cursor=$cursor" | jq -r '.history[].name')
check_equal "$last" one "the last page"

# ---- bad input
expect2() { # ARGS...
    local rc=0
    creel "$@" > /dev/null 2> "$T/err" || rc=$?
    check_equal $rc 2 "creel $*"
    check_equal "$(wc -l < "$T/err")" 1 "lines about creel $*"
}
expect2 history
expect2 history import
expect2 history export --from yesterday
expect2 history export --from 1h --to 2h
check_equal "$(curl -s -o /dev/null -w '%{http_code}' "$CREEL_RM/ws/v1/cluster/history?from=x")" \
    400 "from=x"

# ---- replayed
replay() {
    creel sim --history "$T/h.jsonl" --nodes 2 --map-slots 2 --reduce-slots 1 --heartbeat 0 \
        --slowstart 1 "$@"
}
replay --policy fifo --out "$T/sim" --no-pictures > /dev/null
live=$(jq -s 'map(.finish_s - .submit_s) | add / length' "$T/h.jsonl")
find "$T/sim" -name jobs.csv | grep -q . || fail "no jobs.csv"
awk -F, -v want="$live" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sojourn_s") col = i; next }
    { sum += $col; n++ }
    END {
        print "mean sojourn: live " want " s, simulated " sum / n " s"
        exit !(n == 4 && sum / n < want + 0.2 && sum / n > want - 1)
    }' \
    "$(find "$T/sim" -name jobs.csv)" ||
    { head -n 3 "$(find "$T/sim" -name jobs.csv)" >&2; fail "the replay is another"; }
for p in fair hfsp rtmr; do
    replay --policy $p --log "$T/log1" --force > /dev/null
    replay --policy $p --log "$T/log2" --force > /dev/null
    cmp "$T/log1" "$T/log2" || fail "$p: two replays differ"
done
echo "exported and replayed"
