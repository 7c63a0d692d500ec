#!/usr/bin/env bash
# Goal: a master of nothing but shell and curl, and its containers, live through a ResourceManager that is killed: the new
# one has forgotten what was asked, is asked again, and no container runs twice.
# Method: five containers in four slots wait for a file, which comes when another ResourceManager leads. The kill comes when
# the master has heard of those that run: what was allocated in an answer that never came it would ask for again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
start_cluster --ha --nodes 1 --map-slots 4
AM="$(cd "$(dirname "$0")" && pwd)/sample-am.sh"
mkdir "$T/out"
who_is() { creel dev --status --dir "$DEV" --json | jq -r --arg r "$1" '.daemons[] | select(.role == $r) | .name'; }
api() { curl -sf --location-trusted "${CREEL_RM%%,*}/ws/v1/cluster/$1" "${@:2}"; }
app() { api "apps/$id" | jq -r ".app.$1"; }

id=$(api 'apps/new-application?user.name=ann' -X POST | jq -r '."application-id"')
run="echo >> $T/out/\$CONTAINER_ID; until test -e $T/go; do sleep 0.05; done; sleep 0.2"
jq -n --arg id "$id" --arg run "sh '$AM' 5 '$run'" \
    '{"application-id":$id,"application-name":"am","max-app-attempts":1,"resource":{"memory":256,"vCores":1},
      "am-container-spec":{"commands":{"command":$run}}}' > "$T/body.json"
api 'apps?user.name=ann' -H 'Content-Type: application/json' -d @"$T/body.json" -o /dev/null
three_run() {
    [ "$(find "$T/out" -name 'container_*' | wc -l)" = 3 ] &&
        [ "$(cat "$DEV/nm-1/logs/$id"/container_*/stdout | grep -c '^allocated')" = 3 ]
}
wait_for 60 "three containers beside the master" three_run

old=$(who_is active)
kill -9 "$(daemon_pid "$old")"
took_over() { [ "$(who_is active)" != "" ] && [ "$(who_is active)" != "$old" ]; }
wait_for 60 "takeover" took_over
creel dev --restart "$old" --dir "$DEV" > /dev/null
touch "$T/go"
ended() { case $(app state) in FINISHED | FAILED | KILLED) ;; *) return 1 ;; esac; }
wait_for 60 "end of $id" ended
check_equal "$(app state)/$(app finalStatus): $(app diagnostics)" "FINISHED/SUCCEEDED: 0 of 5 containers failed" "the application"
check_equal "$(cat "$T"/out/container_* | wc -l)" 5 "starts of containers"
check_equal "$(api "apps/$id/appattempts" | jq '.appAttempts.appAttempt | length')" 1 "attempts"
echo "the master found the next ResourceManager, and asked again"
