#!/usr/bin/env bash
# Goal: whatever is killed -9 at random moments (RM, NodeManagers, shims, tasks), the job ends with the right output.
# Method: a seed (first argument, or drawn and printed) decides victims and moments; daemons are started again.
. "$(dirname "$0")/../e2e/lib.sh"
seed=${1:-$((RANDOM * 32768 + RANDOM))}
echo "seed $seed"
RANDOM=$((seed % 32768))
start_cluster --nodes 3
awk 'BEGIN{s=11;for(i=0;i<200000;i++){s=(s*1103515245+12345)%2147483648;printf "w%d%s",s%3000,(i%9?" ":"\n")}}' |
    tr 0-9 a-j > "$T/in"
wc_expected "$T/in" > "$T/expected"
id=$(creel job submit --name kills --input "$T/in" --output "$T/out" --reduces 3 --split-size 24000 --max-attempts 100 \
    --map "sleep 0.2; $WC_MAP" --combine "$WC_SUM" --reduce "$WC_SUM" --json | jq -r '.job.id // .id')
rm_answers() { curl -sf -m 1 "$CREEL_RM/ws/v1/cluster/info"; }
victim_process() { # KEY of pid.json: a random live container's process
    local files
    mapfile -t files < <(find "$DEV" -name pid.json 2> /dev/null | LC_ALL=C sort)
    local n=${#files[@]}
    [ "$n" -gt 0 ] || return 0
    for _ in 1 2 3 4 5; do
        local f=${files[RANDOM % n]} pid
        [ -e "${f%pid.json}exit.json" ] && continue
        pid=$(jq -r ".$1" "$f" 2> /dev/null) || continue
        kill -9 "$pid" 2> /dev/null && echo "killed $1 $pid"
        return 0
    done
}
count() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id" | jq '.job.taskCounts | .map.succeeded + .reduce.succeeded'; }
for round in {1..12}; do
    job_ended "$id" && break
    before=$(count)
    case $((RANDOM % 4)) in
    0) kill -9 "$(daemon_pid rm-1)"; echo "killed rm-1"; creel dev --restart rm-1 --dir "$DEV" > /dev/null ;;
    1) n=nm-$((RANDOM % 3 + 1)); kill -9 "$(daemon_pid $n)"; echo "killed $n"; creel dev --restart $n --dir "$DEV" > /dev/null ;;
    2) victim_process shimPid ;;
    3) victim_process pid ;;
    esac
    wait_for 20 "RM" rm_answers
    wait_for 30 "nodes" nodes_running 3
    moved() { job_ended "$id" || [ "$(count)" -gt "$before" ]; } # the job must get on between two kills
    wait_for 60 "progress after round $round" moved
done
wait_for 240 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "job: $(job_state "$id"): $(curl -s "$CREEL_RM/ws/v1/cluster/jobs/$id" | jq -r .job.diagnostics)"
check_output "$T/out" "$T/expected" 3
echo "right output after random kills, seed $seed"
