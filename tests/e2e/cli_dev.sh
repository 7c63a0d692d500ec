#!/usr/bin/env bash
# Goal: creel dev in the foreground reports every daemon that dies and ends all it started,
# including daemons restarted since; waits end at Ctrl-C.
# Method: a foreground cluster, restarts, signals; then a detached one whose ResourceManager is
# killed and stopped.
. "$(dirname "$0")/cli_lib.sh"

front() { # starts a cluster in front; sets dev, CREEL_RM
    rm -f "$T/dev.out"
    "$BIN/creel" dev --nodes 2 --port 0 --dir "$DEV" "$@" > "$T/dev.out" 2> "$T/dev.err" &
    dev=$!
    wait_for 60 "cluster" grep -q 'Ctrl-C stops it' "$T/dev.out"
    CREEL_RM=$(cat "$DEV/rm.url")
    export CREEL_RM
}
nobody() { ! pgrep -f -- "$DEV/" > /dev/null; }

# --- what the folder holds; the name of a Hadoop class names a policy, too
front --policy org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler
check_equal "$(creel rmadmin -policy)" fair "the policy"
for f in dev.json rm-1.pid nm-1.pid nm-2.pid rm-1.url nm-1.url nm-2.url rm-1.log nm-1.log nm-2.log \
    rm.url conf/creel-site.xml; do
    [ -s "$DEV/$f" ] || [[ $f == *.log && -e $DEV/$f ]] || fail "$f is not in the folder"
done
check_equal "$(stat -c %a "$DEV")" 700 "mode of the folder"
check_equal "$(stat -c %a "$DEV/conf/creel-site.xml")" 600 "mode of the secret's file"
check_equal "$(cat "$DEV/rm.url")" "$(cat "$DEV/rm-1.url")" "rm.url"
for name in rm-1 nm-1 nm-2; do
    grep -q "creel-${name%-*}" "/proc/$(daemon_pid $name)/cmdline" ||
        fail "$name.pid is not its process"
    curl -s -o /dev/null "$(cat "$DEV/$name.url")/" || fail "$name.url does not answer"
done
expect 0 env CREEL_RM="$(cat "$DEV/rm.url")" "$BIN/creel" node -list
echo "ok folder"

# --- the foreground reports a death and adopts a restarted daemon; Ctrl-C ends all
kill -9 "$(daemon_pid nm-2)"
wait_for 10 "report" grep -q 'nm-2 .*signal 9.*creel dev --restart nm-2' "$T/dev.err"
expect 0 creel dev --restart nm-2 --dir "$DEV" --json
jq -e '.name == "nm-2" and .pid > 0 and (.url | startswith("http://"))' "$T/o" > /dev/null ||
    fail "json: $(cat "$T/o")"
wait_for 10 "nm-2 taken up" grep -q 'nm-2 is running again' "$T/dev.err"
wait_for 20 "two nodes" nodes_running 2
kill -INT "$dev"
ends_within 30 "$dev" 0
nobody || fail "left after Ctrl-C: $(pgrep -af -- "$DEV/")"
echo "ok death, Ctrl-C"

# --- Ctrl-C right after a restart, and during one
for when in after during; do
    front
    if [ $when = after ]; then
        expect 0 creel dev --restart nm-1 --dir "$DEV"
        kill -INT "$dev"
    else
        "$BIN/creel" dev --restart nm-1 --dir "$DEV" > /dev/null 2>&1 &
        restart=$!
        kill -INT "$dev"
        wait $restart || true
    fi
    ends_within 30 "$dev" 0
    nobody || fail "left after a restart ($when): $(pgrep -af -- "$DEV/")"
done
echo "ok Ctrl-C after a restart"

# --- no single daemon of a stopped cluster is restarted; options that exclude each other
expect 1 creel dev --restart nm-1 --dir "$DEV"
one_line "nothing runs in $DEV" "creel dev --dir $DEV"
nobody || fail "a lone NodeManager: $(pgrep -af -- "$DEV/")"
expect 4 creel dev --restart nm-1 --dir "$T/never"; one_line "$T/never"
expect 2 creel dev --stop --nodes 2 --dir "$DEV"; one_line nodes stop
expect 2 creel dev --status --detach --dir "$DEV"; one_line detach status
expect 2 creel dev --restart nm-1 --policy fifo --dir "$DEV"; one_line policy restart
expect 2 creel dev --stop -D creel.rm.port=1 --dir "$DEV"; one_line -D stop
expect 2 creel dev --stop --status --dir "$DEV"; one_line stop status
for set in creel.scheduler.policy=naive-fair:--policy creel.nodemanager.map-slots=1:--map-slots \
    creel.nodemanager.reduce-slots=1:--reduce-slots creel.rm.port=1:--port \
    creel.nodemanager.local-dir=/x:--dir creel.rm.state-dir=/x:--dir creel.cluster.secret-file=x: \
    creel.nodemanager.rm=x: \
    creel.nodemanager.port=0:; do
    expect 2 creel dev "-D${set%%:*}" --port 0 --dir "$DEV"; one_line "${set%%=*}" "${set##*:}"
done
expect 2 creel dev --rm http://127.0.0.1:1 --dir "$DEV"; one_line rm
! creel dev --help | grep -qE -- '--rm\b|--conf' || fail "dev --help names options it does not have"
nobody || fail "a refused command started something"
echo "ok refusals"

# --- Ctrl-C during waits while no ResourceManager answers: first killed, then stopped
start_cluster --nodes 1
for sig in KILL STOP; do
    id=$(creel job submit --name waited --task 'sleep 1000')
    rm -f "$T/e"
    "$BIN/creel" job submit --task 'sleep 1000' --wait > "$T/o" 2> "$T/e" &
    waiting=$!
    wait_for 20 "progress" grep -q RUNNING "$T/e"
    kill -$sig "$(daemon_pid rm-1)"
    [ $sig = STOP ] || wait_for 20 "line about the wait" grep -q 'does not answer' "$T/e"
    kill -INT $waiting
    ends_within 3 $waiting 130
    grep -q 'no longer waiting; the job goes on (creel job wait' "$T/e" ||
        fail "after Ctrl-C: $(cat "$T/e")"
    if [ $sig = STOP ]; then
        kill -CONT "$(daemon_pid rm-1)"
    else
        creel dev --restart rm-1 --dir "$DEV" > /dev/null
    fi
    wait_for 20 "one node" nodes_running 1
    creel job list --states ACCEPTED,RUNNING --json | jq -r '.jobs[].id' |
        xargs "$BIN/creel" job kill > /dev/null
done
echo "ok Ctrl-C on --wait"

# --- run reports a missing ResourceManager; the second Ctrl-C leaves at once
rm -f "$T/e"
"$BIN/creel" run -- sleep 1000 > "$T/o" 2> "$T/e" &
run=$!
running() { [ "$(creel job list --states RUNNING --json | jq '.jobs | length')" = 1 ]; }
wait_for 20 "run" running
id=$(creel job list --states RUNNING --json | jq -r '.jobs[0].id')
kill -9 "$(daemon_pid rm-1)"
wait_for 20 "line about the wait" grep -q 'does not answer' "$T/e"
kill -INT $run
wait_for 5 "first Ctrl-C taken" grep -qs '^ShdPnd:.*0000000000000000' "/proc/$run/status"
kill -INT $run
ends_within 3 $run 130
check_equal "$(grep -c 'does not answer' "$T/e")" 1 "lines about the wait"
grep -q "interrupted; the command may go on (creel job kill $id)" "$T/e" ||
    fail "second Ctrl-C: $(cat "$T/e")"
SECONDS=0
expect 3 creel job kill "$id"; one_line "no ResourceManager"
[ $SECONDS -lt 10 ] || fail "job kill waits $SECONDS s for nobody"
expect 0 creel dev --restart rm-1 --dir "$DEV"
expect 0 creel job kill "$id"
expect 0 creel dev --stop --dir "$DEV" --json
jq -e '.stopped == true and (.dir | length) > 0' "$T/o" > /dev/null || fail "json: $(cat "$T/o")"
expect 0 creel dev --stop --dir "$DEV" --json
jq -e '.stopped == false' "$T/o" > /dev/null || fail "json: $(cat "$T/o")"
echo "ok run without a ResourceManager"

# --- the requested port goes to the ResourceManager and to no other daemon
for try in 1 2 3 4 5; do # somebody may have it already
    port=$((20000 + RANDOM % 12000))
    ! "$BIN/creel" dev --detach --nodes 1 --port $port --dir "$DEV" > "$T/o" 2> "$T/e" || break
done
check_equal "$(cat "$DEV/rm.url")" "http://127.0.0.1:$port" "address"
curl -sf "http://127.0.0.1:$port/ws/v1/cluster/info" > /dev/null ||
    fail "nobody answers on port $port"
expect 0 creel dev --stop --dir "$DEV"
echo "ok port"
