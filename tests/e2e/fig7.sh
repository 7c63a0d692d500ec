#!/usr/bin/env bash
# Goal: preemption of real processes gives what Fig. 7 of the HFSP paper shows (Pastorelli et al.,
# arXiv:1302.2749), at a hundredth of its time: 4 nodes with 2 reduce slots; j1 has 11 reduces of
# 5 s; 0.1 s later come j2 with 2, and j3 to j5 with 1 reduce of 4 s each.
#   eager: 5 tasks are suspended, resumed and end; mean sojourn 5.2 s
#   wait:  9.12 s
#   kill:  5 tasks start again; 5.2 s
# Method: the same jobs under each of the three; ratios within 10 %, and every task's line is
# written as often as it ran to its end.
# Usage: fig7.sh [eager|wait|kill ...]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"

body() { # NAME COUNT SECONDS: a submission
    jq -nc --arg n "$1" --argjson c "$2" --argjson s "$3" \
        --arg cmd "$LIVED $3 $T/out-$1 & wait \$!" \
        '{job:{name:$n, tasks:[{kind:"reduce", count:$c, "expected-s":$s, command:$cmd}]}}'
}
stopped() { # processes of the tasks that are stopped
    ps -eo stat=,args= | awk -v c="$T/out-" '$1 ~ /^T/ && index($0, c)' | wc -l
}
# post BODY...: submits one after another over one connection, without a pause; prints the ids
post() {
    local args=() b
    for b; do
        args+=(${args[@]+--next} -sf -H 'Content-Type: application/json' -d "$b"
            "$CREEL_RM/ws/v1/cluster/jobs")
    done
    curl "${args[@]}" | jq -r .job.id
}
others_ended() { # j2 to j5
    local id
    for id in "${ids[@]:1}"; do job_ended "$id" || return 1; done
}
one() { # eager|wait|kill
    local ids sum=0 seen=0 n first others
    first=$(body j1 11 5)
    others=("$(body j2 2 4)" "$(body j3 1 4)" "$(body j4 1 4)" "$(body j5 1 4)")
    start_cluster --nodes 4 --map-slots 1 --reduce-slots 2 --policy hfsp -D creel.hfsp.sizes=given \
        -D creel.hfsp.preemption="$1"
    wait_for 20 "4 nodes" nodes_running 4
    post "$first" > "$T/ids"
    mapfile -t ids < "$T/ids"
    fills() { [ "$(job "${ids[0]}" .job.taskCounts.reduce.running)" = 8 ]; }
    wait_for 20 "j1 on all slots" fills # else the others would find free ones
    post "${others[@]}" >> "$T/ids"
    mapfile -t ids < "$T/ids"
    check_equal "${#ids[@]}" 5 "jobs"
    # Sample until j2 to j5 have ended: the greatest number of processes stopped at once.
    until others_ended; do
        n=$(stopped)
        seen=$((n > seen ? n : seen))
        sleep 0.05
    done
    succeeded "${ids[@]}"
    for n in "${ids[@]}"; do sum=$((sum + $(sojourn "$n"))); done
    mean[$1]=$((sum / 5))
    suspended[$1]=$(preemptions suspended)
    echo "$1: mean sojourn ${mean[$1]} ms, suspended ${suspended[$1]}," \
        "resumed $(preemptions resumed)," \
        "killed $(preemptions killed), processes seen stopped: $seen"
    check_equal "$(cat "$T"/out-* | wc -l)" 16 "lines of tasks that ended"
    check_equal "$(wc -l < "$T/out-j1")" 11 "lines of j1"
    no_answer_overruled
    case $1 in
        eager)
            # Of each of the five tasks the shell and the command that it waits for.
            [ "$seen" -ge 10 ] || fail "only $seen processes were stopped"
            check_equal "$(preemptions suspended)/$(preemptions resumed)/$(preemptions killed)" \
                5/5/0 "preemptions"
            check_equal "$(job "${ids[0]}" .job.taskCounts.reduce.killedAttempts)" 0 \
                "killed attempts of j1" ;;
        wait)
            check_equal "$(preemptions suspended)/$(preemptions killed)/$seen" 0/0/0 "preemptions"
            ;;
        kill)
            check_equal "$(preemptions suspended)/$(preemptions killed)/$seen" 0/5/0 "preemptions"
            check_equal "$(job "${ids[0]}" .job.taskCounts.reduce.killedAttempts)" 5 \
                "killed attempts of j1" ;;
    esac
    creel dev --stop --dir "$DEV" > /dev/null
    rm -rf "$DEV" "$T"/out-*
}
declare -A mean suspended
if [ $# -gt 0 ]; then
    for how; do one "$how"; done
    exit 0
fi
for how in eager wait kill; do one $how; done
within() { # NAME VALUE/1000 WANTED/1000
    local low=$(($3 * 9 / 10)) high=$(($3 * 11 / 10))
    [ "$2" -ge $low ] && [ "$2" -le $high ] || fail "$1 is $2/1000, not $3/1000 within 10 %"
    echo "$1: $2/1000 ($3/1000 in the paper's figures)"
}
within wait/eager $((mean[wait] * 1000 / mean[eager])) 1754
within kill/eager $((mean[kill] * 1000 / mean[eager])) 1000
