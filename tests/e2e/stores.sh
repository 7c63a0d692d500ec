#!/usr/bin/env bash
# Goal: this version reads the states that earlier versions have written: what they knew about
# applications, labels and queues is what it answers, and a job that waited runs.
#   tests/e2e/stores.sh [--record NAME]
# tests/e2e/stores/NAME is a state, and answers.json is what its own version answered from it.
# --record NAME writes one with the programs in CREEL_BIN. A new one is due when a version is
# released; none is ever written again.
. "$(dirname "$0")/lib.sh"
STORES=$(cd "$(dirname "$0")" && pwd)/stores
get() { curl -sf "$CREEL_RM/ws/v1/cluster/$1"; }
start() {
    start_cluster --nodes 1 -D yarn.node-labels.enabled=true \
        -D yarn.scheduler.configuration.store.class=memory \
        -D yarn.cluster.max-application-priority=10
}
# What each version must be able to tell. Members that a later version may add are left out.
answers() {
    for id in $(get apps | jq -r '.apps.app[].id' | sort); do
        get "apps/$id" | jq '.app | {id, user, name, queue, state, finalStatus, diagnostics,
            applicationType, applicationTags, priority, startedTime, finishedTime}'
        if get "jobs/$id" > "$T/job" 2> /dev/null; then
            jq '.job | {id, input, output, map, "reduce", reduces, tasks, result, submitTime,
                finishTime, taskCounts, counters}' "$T/job"
            get "jobs/$id/tasks" | jq '.tasks[] | {id, state, node, containerId, attempts,
                startTime, finishTime, exitCode, diagnostics}'
        fi
        get "apps/$id/appattempts" | jq '.appAttempts.appAttempt[]? | {appAttemptId, startTime,
            finishedTime, diagnosticsInfo}' 2> /dev/null || true
    done
    get get-node-labels | jq ".nodeLabelInfo[] | {name, exclusivity}"
    get get-node-to-labels | jq .
    get scheduler-conf | jq -S '.property? // . | sort_by(.name)?'
}

write() { # METHOD PATH BODY
    curl -sf -X "$1" -H 'Content-Type: application/json' "$CREEL_RM/ws/v1/cluster/$2" -d "$3" \
        > "$T/written" || fail "$1 $2: $(cat "$T/written")"
}
app_ended() { get "apps/$1" | jq -e '.app.state | IN("FINISHED", "FAILED", "KILLED")'; }

record() {
    local id waits
    start
    printf 'b a\na\n' > "$T/words"
    creel job submit --name counted --input "$T/words" --output "$T/out" --map "$WC_MAP" \
        --reduce "$WC_SUM" --reduces 2 --wait > /dev/null
    creel job submit --name failed --task 'echo no >&2; exit 3' --max-attempts 2 --wait \
        > /dev/null 2>&1 || true
    id=$(creel job submit --name killed --task 'sleep 600')
    creel job kill "$id" > /dev/null
    wait_for 20 "end of $id" job_ended "$id"
    id=$(curl -sf -X POST "$CREEL_RM/ws/v1/cluster/apps/new-application" -d '' |
        jq -r '."application-id"')
    write POST apps '{"application-id":"'"$id"'","application-name":"master, \"quoted\" é",
        "application-type":"TEST","max-app-attempts":1,"priority":3,
        "application-tags":{"tag":["one","two"]},
        "am-container-spec":{"commands":{"command":"exit 5"}},
        "resource":{"memory":1024,"vCores":1}}'
    wait_for 20 "end of $id" app_ended "$id"
    write POST add-node-labels '{"nodeLabelInfo":[{"name":"gpu","exclusivity":true},
        {"name":"ssd","exclusivity":false}]}'
    write PUT scheduler-conf '{"update-queue":[{"queue-name":"root.default","params":{"entry":
        {"key":"capacity","value":"70"}}}],"add-queue":[{"queue-name":"root.lab","params":{"entry":
        {"key":"capacity","value":"30"}}}]}'
    kill "$(daemon_pid nm-1)"
    waits=$(creel job submit --name waits --task 'echo ran' --count 2)
    [ "$(job_state "$waits")" != FINISHED/SUCCEEDED ] || fail "the last job does not wait"
    mkdir -p "$STORES/$1"
    answers > "$STORES/$1/answers.json"
    creel dev --stop --dir "$DEV" > /dev/null
    cp "$DEV"/rm-1/* "$STORES/$1/"
    chmod 644 "$STORES/$1"/*
}

if [ "${1:-}" = --record ]; then
    [ ! -e "$STORES/$2" ] || fail "$STORES/$2 is there"
    record "$2"
    exit
fi
for store in "$STORES"/*/; do
    name=$(basename "$store")
    mkdir -m 700 "$DEV" "$DEV/rm-1"
    find "$store" -type f ! -name answers.json -exec cp {} "$DEV/rm-1/" \;
    chmod 600 "$DEV"/rm-1/*
    start
    waits=$(jq -r 'select(.name? == "waits") | .id' "$store/answers.json")
    [ -n "$waits" ] || fail "$name has no job that waits"
    wait_for 30 "end of the job that waited" job_is "$waits" FINISHED/SUCCEEDED
    # That one has gone on since; everything else is as it was.
    without="select((.id? // .appAttemptId? // \"\") | tostring |
        contains(\"${waits#application}\") | not)"
    answers | jq -S "$without" > "$T/now"
    jq -S "$without" "$store/answers.json" | diff - "$T/now" ||
        fail "$name: this version (>) reads other things from that state than its own (<)"
    check_equal "$(creel logs "$waits" 2> /dev/null | grep -c ran)" 2 "$name: tasks that waited"
    creel dev --stop --dir "$DEV" > /dev/null
    rm -rf "$DEV"
    echo "ok $name"
done
