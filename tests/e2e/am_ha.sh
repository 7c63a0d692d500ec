#!/usr/bin/env bash
# Goal: a master of nothing but shell and curl, and its containers, survive ResourceManagers killed
# at any moment: the new leader has forgotten all requests and answers, gets them again, and no
# container runs twice or in vain.
# Method: five containers in four slots wait for a file, which appears when another ResourceManager
# leads. One kill when the master registers; one as soon as a container runs, which the master
# mostly has not heard yet; the same twice in a row; one when the first container has ended, mostly
# before the master has heard; one when the master has heard of all running containers.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
start_cluster --ha --nodes 1 --map-slots 4
AM="$(cd "$(dirname "$0")" && pwd)/sample-am.sh"
who_is() {
    creel dev --status --dir "$DEV" --json |
        jq -r --arg r "$1" '.daemons[] | select(.role == $r) | .name'
}
api() { curl -sf --location-trusted "${CREEL_RM%%,*}/ws/v1/cluster/$1" "${@:2}"; }
app() { api "apps/$id" | jq -r ".app.$1"; }

# submit NAME: sets id, and out, the folder into which its containers write
submit() {
    out=$T/$1
    mkdir "$out"
    id=$(api 'apps/new-application?user.name=ann' -X POST | jq -r '."application-id"')
    run="echo >> $out/\$CONTAINER_ID; until test -e $out/go; do sleep 0.05; done; echo > $out/ended"
    jq -n --arg id "$id" --arg run "sh '$AM' 5 '$run'" \
        '{"application-id":$id,"application-name":"am","max-app-attempts":1,
          "resource":{"memory":256,"vCores":1},
          "am-container-spec":{"commands":{"command":$run}}}' > "$T/body.json"
    api 'apps?user.name=ann' -H 'Content-Type: application/json' -d @"$T/body.json" -o /dev/null
}
starts() { find "$out" -name 'container_*' -exec cat {} + | wc -l; }
heard() { cat "$DEV/nm-1/logs/$id"/container_*/stdout 2> /dev/null | grep -c "^$1" || true; }
# at_once WHAT COMMAND...: waits like wait_for, but polls without a pause
at_once() {
    local what=$1 end=$((SECONDS + 60))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "no $what"
        sleep 0.01
    done
}
registers() { [ "$(heard registering)" != 0 ]; }
one_runs() { compgen -G "$out/container_*" > /dev/null; }
one_has_ended() { [ -e "$out/ended" ]; }
has_heard() { [ "$(starts)" = 3 ] && [ "$(heard allocated)" = 3 ]; }

took_over() { [ "$(who_is active)" != "" ] && [ "$(who_is active)" != "$old" ]; }
aim() {
    old=$(who_is active)
    pid=$(daemon_pid "$old")
}
fail_over() {
    kill -9 "$pid"
    echo "killed $old, the master had heard of $(heard allocated) of $(starts) containers that run"
    wait_for 60 "takeover" took_over
    creel dev --restart "$old" --dir "$DEV" > /dev/null
}
ended() { case $(app state) in FINISHED | FAILED | KILLED) ;; *) return 1 ;; esac; }
check_end() {
    touch "$out/go"
    wait_for 60 "end of $id" ended
    check_equal "$(app state)/$(app finalStatus): $(app diagnostics)" \
        "FINISHED/SUCCEEDED: 0 of 5 containers failed" "the application"
    check_equal "$(starts)" 5 "starts of containers, $1"
    check_equal "$(api "apps/$id/appattempts" | jq '.appAttempts.appAttempt | length')" 1 "attempts"
}

for moment in registers one_runs has_heard; do
    aim
    submit $moment
    at_once $moment $moment
    fail_over
    check_end "killed when $moment"
done

aim
submit twice
at_once one_runs one_runs
fail_over
aim
fail_over
check_end "killed twice"

aim
submit end
at_once has_heard has_heard
touch "$out/go"
at_once one_has_ended one_has_ended
fail_over
check_end "killed when one had ended"
echo "the master found the next ResourceManager each time, and asked it for what was missing"
