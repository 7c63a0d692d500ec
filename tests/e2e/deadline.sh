#!/usr/bin/env bash
# Goal: under rtmr a job whose deadline cannot be met is refused with the earliest date that could
# be promised; submitted again at once with that date, it is accepted and has finished by then,
# beside other running jobs.
# Method: N times (20 unless given) on 2 nodes with 2+2 slots, jobs of maps and reduces of changing
# sizes, whose tasks take as long as they claim. Each job is submitted with an impossible deadline,
# then with the offered date; before it comes a job without deadline, every second time one with a
# deadline of its own. The first two go through the command line.
# Usage: deadline.sh [N]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"
N=${1:-20}
start_cluster --nodes 2 --map-slots 2 --reduce-slots 2 --policy rtmr
wait_for 20 "2 nodes" nodes_running 2

tasks() { # MAPS SECONDS REDUCES SECONDS: a list of tasks
    jq -nc --argjson m "$1" --argjson ms "$2" --argjson r "$3" --argjson rs "$4" --arg c "$LIVED" \
        '[{kind:"map", count:$m, "expected-s":$ms, command:"\($c) \($ms)"}] +
         if $r > 0 then [{kind:"reduce", count:$r, "expected-s":$rs, command:"\($c) \($rs)"}]
         else [] end'
}
ask() { # NAME TASKS [MEMBER VALUE]: submits, prints the id
    submit --arg n "$1" --argjson t "$2" --arg m "${3:-}" --argjson v "${4:-0}" \
        '{job:({name:$n, tasks:$t} + if $m != "" then {($m): $v} else {} end)}'
}
decided() { job "$1" '.job | .state == "FAILED" or .promisedFinish != null' | grep -qx true; }

# ---- the command line
tasks 6 0.5 2 0.5 > "$T/tasks.json"
rc=0
id=$(creel job submit --name first --task "$LIVED 0.5" --count 6 --expected 0.5s \
    --reduce-task "$LIVED 0.5" --count 2 --expected 0.5s --deadline 0.2s 2> "$T/refused") || rc=$?
check_equal $rc 1 "exit status of a refused submission"
check_equal "$(job "$id" '.job.state + "/" + .job.finalStatus')" FAILED/FAILED \
    "state of a refused job"
diagnostics=$(job "$id" .job.diagnostics)
[[ $diagnostics == *"refused by rtmr: "*"Submitted again now with the deadline "* ]] ||
    fail "diagnostics: $diagnostics"
check_equal "$(creel job list --result REFUSED --json | jq -r '.jobs[].id')" "$id" \
    "list of refused jobs"
creel job status "$id" | grep -q '^result *REFUSED' || fail "$(creel job status "$id")"
curl -sf -o "$T/metrics" "$CREEL_RM/metrics" # whole: curl fails when its reader has seen enough
grep -q '^creel_apps_ended_total{result="REFUSED"} 1$' "$T/metrics" ||
    fail "no refused job in /metrics"
grep -q "was refused" "$T/refused" || fail "$(cat "$T/refused")"
option=$(grep -o -- '--deadline [^ ]*$' "$T/refused") ||
    fail "no option to ask again with in: $(cat "$T/refused")"
# shellcheck disable=SC2086
id=$(creel job submit --name second --tasks "$T/tasks.json" $option 2> "$T/accepted") ||
    fail "$(cat "$T/accepted")"
grep -q "accepted; promised to finish by" "$T/accepted" || fail "$(cat "$T/accepted")"
succeeded "$id"
creel job status "$id" | grep -q '^deadline .* met, .* to spare$' ||
    fail "$(creel job status "$id")"
creel why "$id" | grep -q '^reason *it has ended$' || fail "$(creel why "$id")"

# ---- bad input
bad() { # WORDS ARGS...: refused with exit status 2 in one line
    local words=$1 code=0
    shift
    creel job submit --task true "$@" > /dev/null 2> "$T/err" || code=$?
    check_equal $code 2 "creel job submit $*"
    grep -q -- "$words" "$T/err" || fail "no \"$words\" in: $(cat "$T/err")"
}
bad "--deadline: 'tomorrow' is neither" --deadline tomorrow
bad "--deadline: '-5' is neither" --deadline=-5
bad "--deadline: '2026-02-30T00:00' is neither" --deadline 2026-02-30T00:00
bad "--weight: '0' is not" --weight 0
bad "--expected: 'soon' is not" --expected soon
bad "--weight: 'heavy' is not" --weight heavy
rest() { # WORDS MEMBERS
    local message
    message=$(curl -s -H 'Content-Type: application/json' \
        -d "{\"job\":{\"tasks\":[{\"command\":\"true\"}],$2}}" \
        "$CREEL_RM/ws/v1/cluster/jobs" | jq -r '.RemoteException | .exception + ": " + .message')
    [[ $message == "BadRequestException: "*"$1"* ]] || fail "$2: $message"
}
rest "deadline-s: 0" '"deadline-s":0'
rest "one deadline" '"deadline-s":5,"deadline-at-ms":1900000000000'
rest "deadline-at-ms: -1" '"deadline-at-ms":-1'
rest "weight: -2" '"weight":-2'
rest "deadline-at-ms: 1000 is in the past: it is 1" '"deadline-at-ms":1000'
bad "--deadline: 1577836800000 is in the past" --deadline 2020-01-01T00:00Z

id=$(creel job submit --task true --expected 0.1s --deadline 2020-01-01T00:00Z --deadline 10m \
    2> "$T/accepted") ||
    fail "of two deadlines the last one holds: $(cat "$T/accepted")"
succeeded "$id"

# ---- N times, beside other jobs
others=() promised=()
for ((i = 0; i < N; i++)); do
    others+=("$(ask "be-$i" "$(tasks 3 0.4 1 0.3)")")
    [ $((i % 2)) -eq 0 ] || others+=("$(ask "far-$i" "$(tasks 2 0.5 0 0)" deadline-s 600)")
    work=$(tasks $((2 + i % 5)) "0.$((3 + i % 4))" $((i % 3)) 0.4)
    first=$(ask "refused-$i" "$work" deadline-s 0.1)
    wait_for 20 "an answer to $first" decided "$first"
    earliest=$(job "$first" .job.earliestFinish)
    check_equal "$(job "$first" .job.state)" FAILED "state of $first"
    [ "$earliest" != null ] ||
        fail "$first is refused without another date: $(job "$first" .job.diagnostics)"
    check_equal $((earliest % 1000)) 0 "a date in whole seconds"
    again=$(ask "again-$i" "$work" deadline-at-ms "$earliest")
    wait_for 20 "an answer to $again" decided "$again"
    [ "$(job "$again" .job.state)" != FAILED ] ||
        fail "$i: refused again: $(job "$again" .job.diagnostics)"
    promised+=("$again")
    # Some jobs run on beside the next ones.
    [ $((i % 4)) -ne 3 ] || wait_for 120 "end of $again" job_ended "$again"
done
succeeded "${promised[@]}" "${others[@]}"
for id in "${promised[@]}"; do
    job "$id" '.job | if .finishTime <= .deadline and .promisedFinish <= .deadline then empty else
        "\(.name): finished \(.finishTime - .deadline) ms after its deadline" end' | grep . &&
        fail "$id is late"
done
job "$id" '.job | "the last one: promised \(.promisedFinish - .submitTime) ms, " +
    "finished \(.finishTime - .submitTime) ms, " +
    "deadline \(.deadline - .submitTime) ms after its submission"'
no_answer_overruled
echo "$N of $N refused, asked again, accepted and in time"
