#!/usr/bin/env bash
# Goal: a fair-scheduler.xml as in Hadoop's documentation (nested queues, weights, minima, limits,
# fifo inside, placement rules) is honoured: the slots that real tasks hold are within one of the
# computed shares; a changed file is taken over while jobs run, a bad one is refused whole with its
# line.
# Method: 4 nodes of 5 map slots, a backlog in every queue, many looks at how many tasks of each
# queue run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/policies_lib.sh"
FILE=$T/fair-scheduler.xml

allocations() { # WEIGHT of sample_queue
    cat > "$FILE.new" << XML
<?xml version="1.0"?>
<allocations>
  <queue name="sample_queue">
    <minResources>10 mb,0vcores</minResources>
    <maxResources>90000 mb,0vcores</maxResources>
    <maxRunningApps>50</maxRunningApps>
    <maxAMShare>0.1</maxAMShare>
    <weight>$1</weight>
    <schedulingPolicy>fair</schedulingPolicy>
    <queue name="sample_sub_queue">
      <aclSubmitApps>charlie</aclSubmitApps>
      <minResources>map-slots=5</minResources>
    </queue>
    <queue name="other_sub_queue"/>
  </queue>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
  <!-- Queue 'secondary_group_queue' is a parent queue and may have user queues under it -->
  <queue name="secondary_group_queue" type="parent">
    <weight>3.0</weight>
  </queue>
  <queue name="org">
    <queue name="first_come">
      <weight>2</weight>
      <schedulingPolicy>fifo</schedulingPolicy>
    </queue>
    <queue name="one_at_a_time">
      <maxRunningApps>1</maxRunningApps>
    </queue>
  </queue>
  <user name="sample_user">
    <maxRunningApps>30</maxRunningApps>
  </user>
  <userMaxAppsDefault>50</userMaxAppsDefault>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="nestedUserQueue">
      <rule name="default" queue="secondary_group_queue"/>
    </rule>
  </queuePlacementPolicy>
</allocations>
XML
    mv "$FILE.new" "$FILE"
}
allocations 2.0
: > "$T/now"
start_cluster --nodes 4 --map-slots 5 --reduce-slots 1 --policy fair -D creel.yarn.show-slots=true \
    -D creel.yarn.scheduler-shape=fair \
    -D yarn.scheduler.fair.allocation.file="$FILE"
wait_for 20 "4 nodes" nodes_running 4

# scheduler: a line per queue: name, running containers, map slots of its fair share, its limit of
# applications, its policy.
scheduler() {
    curl -sf "$CREEL_RM/ws/v1/cluster/scheduler" |
        jq -r '.scheduler.schedulerInfo.rootQueue | recurse(.childQueues.queue[]?) |
        [.queueName, .allocatedContainers,
         (.fairResources.resourceInformations.resourceInformation[]
             | select(.name == "map-slots") | .value), .maxApps,
         .schedulingPolicy] | @tsv'
}
queue() { scheduler | awk -v q="$1" -v f="$2" '$1 == q { print $f }'; }
backlog() { # QUEUE USER COUNT: tasks of 0.4 to 0.9 s
    submit --arg q "$1" --arg u "$2" --argjson n "$3" --arg c "$LIVED" \
        '{job:({name:"backlog \($q)", user:$u,
            tasks:[range(6) | {kind:"map", count:$n, command:"\($c) 0.\(. + 4)"}]} +
            (if $q == "" then {} else {queue:$q} end))}'
}
refused() { # QUEUE: prints the message
    curl -s -H 'Content-Type: application/json' \
        -d "{\"job\":{\"queue\":\"$1\",\"tasks\":[{\"command\":\"true\"}]}}" \
        "$CREEL_RM/ws/v1/cluster/jobs" | jq -r '.RemoteException.message // "accepted"'
}

# ---- the tree of queues, and the placement rules
check_equal "$(scheduler | cut -f 1 | LC_ALL=C sort | paste -sd' ')" \
    "root root.default root.org root.org.first_come \
root.org.one_at_a_time root.sample_queue root.sample_queue.other_sub_queue \
root.sample_queue.sample_sub_queue \
root.secondary_group_queue" "queues"
limits="$(queue root.sample_queue 4)/$(queue root.org.one_at_a_time 4)"
check_equal "$limits/$(queue root.org.first_come 5)" 50/1/FIFO "limits"
[[ $(refused sample_queue) == *"has queues below it"* ]] || fail "$(refused sample_queue)"
small=$(submit '{job:{user:"ann", tasks:[{command:"true"}]}}')
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$small" | jq -r .app.queue)" \
    root.secondary_group_queue.ann \
    "the queue of a user"
succeeded "$small"

# ---- backlogs: slots as computed by hand
#   20 slots at 2 : 3 : 1 for sample_queue, secondary_group_queue and org (default has no work):
#   6.67, 10 and 3.33. sample_sub_queue has its minimum of 5, other_sub_queue the rest, 1.67; in
#   org, at 2 : 1, 2.22 and 1.11.
ids=("$(backlog sample_queue.sample_sub_queue bob 60)"
    "$(backlog sample_queue.other_sub_queue bob 60)"
    "$(backlog "" ann 60)" "$(backlog "" cid 60)"
    "$(backlog org.first_come bob 60)" "$(backlog org.first_come bob 60)"
    "$(backlog org.one_at_a_time bob 60)" "$(backlog org.one_at_a_time bob 60)")
# off NAME*SHARE...: how many of these queues are more than one slot off
off() {
    scheduler > "$T/now"
    local off=0 pair
    for pair; do
        awk -v q="${pair%\**}" -v s="${pair#*\*}" \
            '$1 == q && ($2 - s > 1.001 || s - $2 > 1.001) { exit 1 }' "$T/now" ||
            off=$((off + 1))
    done
    echo $off
}
shares() { # WHAT NAME*SHARE...: settles, then 20 looks
    local what=$1 i
    shift
    settled() { [ "$(off "$@")" = 0 ]; }
    wait_for 30 "shares: $what ($(paste -sd' ' "$T/now"))" settled "$@"
    for ((i = 0; i < 20; i++)); do
        check_equal "$(off "$@")" 0 \
            "$what: queues off their share: $(cut -f 1-3 "$T/now" | tr '\t' ' ' | paste -sd';')"
        sleep 0.05
    done
    echo "$what:"
    for i; do
        awk -v q="${i%\**}" -v s="${i#*\*}" \
            '$1 == q { print "  " q ": computed " s ", runs " $2 ", share " $3 }' "$T/now"
    done
}
shares "weights 2:3:1" "root.sample_queue*6.67" "root.sample_queue.sample_sub_queue*5" \
    "root.sample_queue.other_sub_queue*1.67" "root.secondary_group_queue*10" \
    "root.secondary_group_queue.ann*5" "root.secondary_group_queue.cid*5" "root.org*3.33" \
    "root.org.first_come*2.22" "root.org.one_at_a_time*1.11"
for q in root.sample_queue*6.67 root.secondary_group_queue*10 root.org*3.33; do
    share=$(queue "${q%\**}" 3)
    awk -v a="$share" -v b="${q#*\*}" 'BEGIN { exit !(a - b <= 1 && b - a <= 1) }' ||
        fail "share of $q shown as $share"
done
# In the fifo queue the second job waits; so it does where only one may run at a time.
for second in "${ids[5]}" "${ids[7]}"; do
    check_equal "$(job "$second" '.job.taskCounts.map | "\(.running)/\(.succeeded)"')" 0/0 \
        "tasks of $second"
done
creel why "${ids[0]}" | grep '^reason' || fail "no reason"

# ---- a bad file is refused as a whole, with its line; the queues stay
sed 's|<weight>3.0</weight>|<weight>three</weight>|' "$FILE" > "$FILE.bad"
line=$(grep -n three "$FILE.bad" | cut -d: -f 1)
cp "$FILE" "$FILE.good"
mv "$FILE.bad" "$FILE"
rc=0
creel rmadmin -refreshQueues 2> "$T/err" || rc=$?
check_equal $rc 255 "creel rmadmin -refreshQueues with a bad file"
grep -q "fair-scheduler.xml:$line: .*three" "$T/err" || fail "$(cat "$T/err")"
logged() { grep -q "queues stay as they are: .*fair-scheduler.xml:$line: .*three" "$DEV/rm-1.log"; }
wait_for 20 "the line in the log" logged
check_equal "$(scheduler | wc -l)" 11 "queues after a bad file" # with the two users'

# ---- a changed file takes effect: 20 slots at 12 : 3 : 1 are 15, 3.75 and 1.25
allocations 12
shares "weights 12:3:1" "root.sample_queue*15" "root.secondary_group_queue*3.75" "root.org*1.25"
creel rmadmin -refreshQueues 2>&1 | grep -q 'fair-scheduler.xml: 9 queues' ||
    fail "$(creel rmadmin -refreshQueues 2>&1)"
kill -HUP "$(daemon_pid rm-1)"
hup() { grep -q 'SIGHUP: reading .*fair-scheduler.xml' "$DEV/rm-1.log"; }
wait_for 10 "a word about SIGHUP" hup
no_answer_overruled
creel job kill "${ids[@]}" > /dev/null

# ---- queues vanish while they hold a job; it is moved, and the ResourceManager killed as soon as
# the move is answered; rules that ask for groups
# The last task waits for the moves, or a fast machine might end the job before.
moved=$(submit --arg c "$LIVED 0.3" --arg w "until [ -e $T/moved ]; do sleep 0.05; done" \
    '{job:{queue:"org.first_come", tasks:[{count:59, command:$c}, {command:$w}]}}')
group=$(id -gn daemon)
cat > "$FILE.new" << XML
<allocations>
  <queue name="other"/>
  <queue name="$group"/>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="primaryGroup" create="false"/>
    <rule name="default" queue="other"/>
  </queuePlacementPolicy>
</allocations>
XML
mv "$FILE.new" "$FILE"
creel rmadmin -refreshQueues 2> /dev/null
begun() { [ "$(job "$moved" '.job.taskCounts.map.succeeded')" -gt 0 ]; }
wait_for 30 "tasks of $moved" begun
moving=$(creel application -changeQueue other -appId "$moved" && kill -9 "$(daemon_pid rm-1)") ||
    true
check_equal "$moving" \
    "Moving application $moved to queue other
Successfully completed move." "a move"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$moved/queue")" '{"queue":"root.other"}' \
    "the queue after a restart"
creel application -movetoqueue "$moved" -queue org.first_come > /dev/null 2> "$T/err" &&
    fail "moved to a queue that has gone"
grep -q '^creel: queue "org.first_come" does not exist; applications go to: .*root.other' \
    "$T/err" || fail "$(cat "$T/err")"
creel application -movetoqueue "$moved" -queue "$group" > /dev/null
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$moved" | jq -r .app.queue)" "root.$group" \
    "moved again"
touch "$T/moved"
succeeded "$moved"
of_group=$(submit '{job:{user:"daemon", tasks:[{command:"true"}]}}')
of_nobody=$(submit '{job:{user:"no-such-user", tasks:[{command:"true"}]}}')
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$of_group" | jq -r .app.queue)" \
    "root.$group" "the queue of a group"
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps/$of_nobody" | jq -r .app.queue)" root.other \
    "the queue of somebody unknown"
succeeded "$of_group" "$of_nobody"

# ---- with a bad file the ResourceManager does not start
echo '<allocations><queue><weight>1</weight></queue></allocations>' > "$T/bad.xml"
rc=0
"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
    -D yarn.scheduler.fair.allocation.file="$T/bad.xml" \
    2> "$T/err" || rc=$?
check_equal $rc 2 "creel-rm with a bad file"
grep -q "bad.xml:1: " "$T/err" || fail "$(cat "$T/err")"
rc=0
"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
    -D yarn.scheduler.fair.allocation.file="$T/none.xml" \
    2> "$T/err" || rc=$?
check_equal $rc 2 "creel-rm without the file that is named"
grep -q "none.xml" "$T/err" || fail "$(cat "$T/err")"
echo "queues as computed"
