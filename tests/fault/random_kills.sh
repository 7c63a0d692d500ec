#!/usr/bin/env bash
# Goal: processes of any kind (RM, NodeManagers, shims, tasks) are killed -9 at random moments, and
# the job ends with the right output.
# Method: a seed (first argument, or drawn and printed) decides victims and moments; daemons are
# started again.
. "$(dirname "$0")/../e2e/lib.sh"
seed=${1:-$((RANDOM * 32768 + RANDOM))}
echo "seed $seed"
RANDOM=$((seed % 32768))
start_cluster --nodes 3
awk 'BEGIN {
        s = 11
        for (i = 0; i < 200000; i++) {
            s = (s * 1103515245 + 12345) % 2147483648
            printf "w%d%s", s % 3000, (i % 9 ? " " : "\n")
        }
    }' |
    tr 0-9 a-j > "$T/in"
wc_expected "$T/in" > "$T/expected"
id=$(creel job submit --name kills --input "$T/in" --output "$T/out" --reduces 3 \
    --split-size 24000 --max-attempts 100 \
    --map "sleep 0.2; $WC_MAP" --combine "$WC_SUM" \
    --reduce "until [ -e '$T/enough' ]; do sleep 0.05; done; $WC_SUM" --json |
    jq -r '.job.id // .id')
rm_answers() { curl -sf -m 1 "$CREEL_RM/ws/v1/cluster/info"; }
declare -A kills=([rm]=0 [nm]=0 [shimPid]=0 [pid]=0)
# KEY of pid.json: kills a random live container's process; fails when there is none at this moment.
victim_process() {
    local files f pid start n at
    mapfile -t files < <(find "$DEV" -name pid.json 2> /dev/null | LC_ALL=C sort)
    n=${#files[@]}
    at=$((n ? RANDOM % n : 0))
    for f in "${files[@]:at}" "${files[@]:0:at}"; do
        [ ! -e "${f%pid.json}exit.json" ] || continue
        read -r _ pid start < <(container_processes "$f" | grep "^$1 ") || continue
        if signal_process KILL "$pid" "$start"; then
            echo "killed $1 $pid"
            return 0
        fi
    done
    return 1
}
count() {
    curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id" |
        jq '.job.taskCounts | .map.succeeded + .reduce.succeeded'
}
maps_done() {
    curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id" |
        jq -e '.job.taskCounts.map | .succeeded == .total'
}
# First one kill of each kind, in an order drawn by the seed, so that every run kills all kinds;
# then at random. Reduces wait for a file until then, or a fast machine might end the job before.
order=($(for kind in rm nm shimPid pid; do echo "$RANDOM $kind"; done | sort -n | cut -d ' ' -f 2))
for round in {0..11}; do
    job_ended "$id" && break
    before=$(count)
    kind=${order[round]:-$(printf '%s\n' rm nm shimPid pid | sed -n "$((RANDOM % 4 + 1))p")}
    case $kind in
    rm)
        kill -9 "$(daemon_pid rm-1)"
        echo "killed rm-1"
        creel dev --restart rm-1 --dir "$DEV" > /dev/null
        ;;
    nm)
        n=nm-$((RANDOM % 3 + 1))
        kill -9 "$(daemon_pid $n)"
        echo "killed $n"
        creel dev --restart $n --dir "$DEV" > /dev/null
        ;;
    *) # one with a container that runs comes, unless the job ends
        until victim_process "$kind"; do
            ! job_ended "$id" || break 2
            sleep 0.05
        done
        ;;
    esac
    kills[$kind]=$((kills[$kind] + 1))
    ((round < 7)) || touch "$T/enough"
    wait_for 20 "RM" rm_answers
    wait_for 30 "nodes" nodes_running 3
    # Between two kills the job must get on, where it can.
    moved() {
        job_ended "$id" || [ "$(count)" -gt "$before" ] || { [ ! -e "$T/enough" ] && maps_done; }
    }
    wait_for 60 "progress after round $round" moved
done
wait_for 240 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED || fail "job: $(job_state "$id"): $(job_diagnostics "$id")"
check_output "$T/out" "$T/expected" 3
for kind in rm nm shimPid pid; do # a job that ends before anybody was killed shows nothing
    [ "${kills[$kind]}" -ge 1 ] || fail "no $kind was killed: the job was too short (seed $seed)"
done
lost=$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id" |
    jq '[.job.taskCounts[] | .failedAttempts + .killedAttempts] | add')
[ "$lost" -ge 1 ] || fail "containers were killed, and the job knows of no attempt that was lost"
echo "right output after ${kills[rm]} + ${kills[nm]} daemons and" \
    "${kills[shimPid]} + ${kills[pid]} containers killed, seed $seed"
