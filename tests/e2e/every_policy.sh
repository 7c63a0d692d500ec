#!/usr/bin/env bash
# Goal: real jobs end under every policy that there is, and no policy has to be overruled.
# Method: the refusal of an unknown policy lists them. Each is set on one running cluster, gets a
# MapReduce job, a list of tasks and a job with a deadline at once, explains why they wait, and sees
# the ResourceManager killed while they run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"
start_cluster --nodes 2 --map-slots 2 --reduce-slots 2
wait_for 20 "2 nodes" nodes_running 2
policies=$(creel rmadmin -policy nosuch 2>&1 | sed -n 's/.*there are //p' | tr -d ',') || true
[ "$(wc -w <<< "$policies")" -ge 10 ] || fail "policies: $policies"
seq 1 3000 > "$T/in"
sort "$T/in" | sed 's/$/\tx/' > "$T/expected"
decided() { [[ $(job "$1" .job.state) != NEW* ]] && [ "$(job "$1" .job.state)" != SUBMITTED ]; }
site=$DEV/conf/creel-site.xml
for policy in $policies; do
    creel rmadmin -policy "$policy" > /dev/null
    # The job with a deadline goes first: dc only admits it while there are free slots.
    c=$(submit --arg c "$LIVED 0.3" \
        '{job:{name:"deadline", "deadline-s":900, priority:1, tasks:[{count:5, command:$c}]}}')
    wait_for 20 "an answer to $c" decided "$c"
    a=$(creel job submit --name mr --input "$T/in" --split-size 4000 --output "$T/$policy" \
        --reduces 3 --reduce cat --map "$LIVED 0.2 | cat & sed 's/\$/\tx/'; wait")
    b=$(submit --arg c "$LIVED 0.3" '{job:{name:"tasks", weight:3, tasks:[
        {kind:"map", count:6, command:$c},
        {kind:"reduce", count:2, "expected-s":0.3, command:$c}]}}')
    creel why "$b" > "$T/why"
    grep -q '^reason *.*[a-z]' "$T/why" || fail "$policy has no words: $(cat "$T/why")"
    # The restarted ResourceManager begins with this policy.
    property="<name>creel.scheduler.policy</name><value>"
    sed "s|$property[^<]*|$property$policy|" "$site" > "$site.new"
    grep -q ">$policy<" "$site.new" || fail "no policy in $(cat "$site")"
    mv "$site.new" "$site"
    kill -9 "$(daemon_pid rm-1)"
    creel dev --restart rm-1 --dir "$DEV" > /dev/null
    check_equal "$(creel rmadmin -policy)" "$policy" "the policy after a restart"
    succeeded "$a" "$b" "$c"
    check_output "$T/$policy" "$T/expected" 3
    no_answer_overruled
    echo "ok $policy: $(sed -n 's/^reason *//p' "$T/why" | cut -c 1-150)"
done
