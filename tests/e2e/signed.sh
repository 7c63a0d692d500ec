#!/usr/bin/env bash
# Goal: nobody without the secret is taken for a daemon, whatever was recorded on the wire, and the
# secret is replaced under running containers.
# Method: a dev cluster; the attacker sends unsigned, repeated and changed requests of a node, as
# curl and tests/e2e/sign make them; then two secrets follow each other while a job runs.
. "$(dirname "$0")/lib.sh"
SECRET=$DEV/conf/cluster.secret
BEAT=/ws/v1/nodetracker/heartbeat
start_cluster --nodes 2
sign() { "$CREEL_SOURCE/tests/e2e/sign" "$SECRET" "$@"; }
post() { # PATH BODY [AUTHORIZATION]: prints the status
    curl -s -o "$T/body" -w '%{http_code}' -H 'Content-Type: application/json' \
        ${3:+-H "Authorization: $3"} -d "$2" "$CREEL_RM$1"
}
refused() { # WHY PATH BODY [AUTHORIZATION]: 401, and WHY in the audit log alone
    local lines
    lines=$(grep -c "$1" "$DEV/rm-1.log" || true)
    check_equal "$(post "${@:2}")" 401 "status when $1"
    ! grep -q "$1" "$T/body" || fail "the caller is told: $(cat "$T/body")"
    wait_for 5 "a line about: $1" more_lines "$lines" "$1"
}
more_lines() { [ "$(grep -c "$2" "$DEV/rm-1.log")" -gt "$1" ]; }

NODE='{"nodeId":"10.0.0.9:1","instance":"1","responseId":0,"holdMs":0}'
recorded=$(sign POST $BEAT "$NODE")
check_equal "$(post $BEAT "$NODE" "$recorded")" 200 "a signed heartbeat"
check_equal "$(jq -r '.orders[0].type' "$T/body")" resync "its answer"
refused 'repeats an earlier one' $BEAT "$NODE" "$recorded"
refused 'the request is not signed' $BEAT "$NODE"
refused 'the request is not signed' $BEAT "$NODE" 'Bearer 0123'
refused 'not the one that was signed' $BEAT "${NODE/10.0.0.9/10.0.0.8}" "$(sign POST $BEAT "$NODE")"
refused 'signature by key .* is wrong' /ws/v1/nodetracker/unregister "$NODE" \
    "$(sign POST $BEAT "$NODE")"
forged=$(sign POST $BEAT "$NODE")
later=$(sed 's/time=\([0-9]*\)[0-9]\{6\},/time=\1999999,/' <<< "$forged")
refused 'is wrong\|later than this host' $BEAT "$NODE" "$later"
printf '%064d\n' 7 > "$T/other"
chmod 600 "$T/other"
refused 'no valid key is called' $BEAT "$NODE" \
    "$("$CREEL_SOURCE/tests/e2e/sign" "$T/other" POST $BEAT "$NODE")"
echo "ok attacks"

# --- two new secrets in a row, under a job whose containers run through
id=$(creel job submit --name held --task "until [ -e '$T/go' ]; do sleep 0.05; done" --count 2)
running() { [ "$(creel job status "$id" --json | jq '.job.taskCounts.map.running')" = 2 ]; }
wait_for 20 "two running tasks" running
beats() { curl -sf "$CREEL_RM/ws/v1/cluster/nodes" | jq '[.nodes.node[].lastHealthUpdate] | min'; }
beaten_since() { [ "$(beats)" -gt "$1" ]; }
for turn in 1 2; do
    creel secret --new --keep-old --file "$SECRET" 2> "$T/said" || fail "$(cat "$T/said")"
    creel rmadmin -refreshSecret 2> "$T/said" || fail "$(cat "$T/said")"
    grep -q 'the secret has been replaced' "$T/said" || fail "$(cat "$T/said")"
    since=$(beats)
    wait_for 20 "heartbeats under both secrets" beaten_since "$since"
    sed -i 2d "$SECRET"
    creel rmadmin -refreshSecret 2> "$T/said" || fail "$(cat "$T/said")"
    kill -HUP "$(daemon_pid nm-$turn)"
    since=$(beats)
    wait_for 20 "heartbeats under the new secret" beaten_since "$since"
done
check_equal "$(post $BEAT "$NODE" "$(sign POST $BEAT "$NODE")")" 200 "the newest secret"
nodes_running 2 || fail "a node is gone"
running || fail "the tasks do not run on: $(creel job status "$id" --tasks)"
touch "$T/go"
wait_for 20 "end of $id" job_is "$id" FINISHED/SUCCEEDED
check_equal "$(curl -s "$CREEL_RM/ws/v1/cluster/jobs/$id/tasks" |
    jq '[.tasks[]? | .attempts // .attemptsN // 1] | length')" 2 "tasks"
echo "ok new secrets"

# --- what was recorded on the way to one daemon is worth nothing at another one, though its Host
# comes along, nor at the same one once that has been started again
mapfile -t nodes < <(curl -s "$CREEL_RM/ws/v1/cluster/nodes" |
    jq -r '.nodes.node[].nodeHTTPAddress')
recorded=$(sign GET "http://${nodes[0]}/ws/v1/node/info")
asked() { # NODE: the recorded request, sent there
    curl -s -o "$T/body" -w '%{http_code}' -H "Host: ${nodes[0]}" \
        -H "Authorization: $recorded" "http://$1/ws/v1/node/info"
}
check_equal "$(asked "${nodes[1]}")" 401 "a request for another node"
grep -q "signed for ${nodes[0]}, which is not this server" "$DEV"/nm-?.log ||
    fail "no node says why: $(grep audit "$DEV"/nm-?.log)"
check_equal "$(asked "${nodes[0]}")" 200 "the same where it belongs"
recorded=$(sign POST $BEAT "$NODE")
ahead=$(sign --clock 200 POST $BEAT "$NODE") # of a node whose clock is ahead
check_equal "$(post $BEAT "$NODE" "$ahead")" 200 "a request of a node whose clock is ahead"
start=$(sign start-id "$CREEL_RM")
kill -9 "$(daemon_pid rm-1)"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
refused 'was signed for another start' $BEAT "$NODE" "$recorded"
refused 'was signed for another start' $BEAT "$NODE" "$ahead"
[ "$start" != "$(sign start-id "$CREEL_RM")" ] || fail "the ResourceManager has kept its start id"
check_equal "$(post $BEAT "$NODE" "$(sign POST $BEAT "$NODE")")" 200 "one that is signed now"
check_equal "$(post $BEAT "$NODE" "$(sign --clock -200 POST $BEAT "$NODE")")" 200 \
    "one of a node whose clock is behind, at once"
wait_for 20 "both nodes, after the restart" nodes_running 2
echo "ok recorded requests"
