#!/bin/sh
# sample-am.sh N COMMAND - an ApplicationMaster in shell and curl.
#
# Runs in the master's container: registers with the ResourceManager, asks for N containers that run COMMAND (in sh, each
# in a container of its own), waits until all have ended, and finishes: SUCCEEDED when all exited with 0, else FAILED.
# Environment, as every master finds it: CONTAINER_ID, CREEL_RM (URLs, separated by commas), CREEL_APP_TOKEN_FILE.
# Any of several ResourceManagers may be the active one, and that may change: a standby sends us on, the others are passed
# over, and what got no answer is said again. A new active one has forgotten what was asked, and says so: "resync".
set -eu
n=${1:-5}
command=${2:-hostname}
app=$(echo "$CONTAINER_ID" | sed -E 's/^container_(e[0-9]+_)?([0-9]+_[0-9]+)_.*$/application_\2/')

# post URL BODY: prints the answer and, as its last line, the status. The token goes by a pipe: arguments are visible to
# everybody on the host.
post() {
    printf 'header = "Authorization: Bearer %s"\n' "$(cat "$CREEL_APP_TOKEN_FILE")" |
        curl -sS --location-trusted --max-redirs 3 --connect-timeout 2 --max-time 30 -K - -X POST \
            -H 'Content-Type: application/json' -d "$2" -w '\n%{http_code}' "$1"
}
# call WHAT BODY: prints the answer of whichever ResourceManager is the active one; waits for that some minutes.
call() {
    tries=0
    while [ $tries -lt 600 ]; do
        for rm in $(echo "$CREEL_RM" | tr , ' '); do
            answer=$(post "$rm/ws/v1/cluster/apps/$app/master/$1" "$2") || continue
            case $(echo "$answer" | tail -n 1) in
            2??) echo "$answer" | sed '$d' && return ;;
            4??) # a repeated registration is refused: the first one had arrived
                case $answer in *"is already registered"*) return ;; esac
                echo "$answer" >&2 && return 1 ;;
            esac
        done
        tries=$((tries + 1))
        sleep 0.2
    done
    return 1
}
json_text() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g'; }

echo "registering $app with $CREEL_RM"
call register '{"host":"localhost","rpcPort":-1,"trackingUrl":""}'
echo

ask_for() {
    ask='"ask":[{"priority":1,"resourceName":"*","numContainers":'$1',"capability":{"memory":256,"vCores":1},
        "launch":{"commands":{"command":"'$(json_text "$command")'"}}}],'
}
response=0 got=0 ended=0 failed=0
ask_for "$n"
while [ "$ended" -lt "$n" ]; do
    answer=$(call allocate "{$ask\"responseId\":$response,\"progress\":0.$((ended * 9 / n))}")
    ask='' # absolute, so it is said once
    response=$(echo "$answer" | sed -n 's/^.*"responseId":\([0-9]*\).*$/\1/p')
    for id in $(echo "$answer" | sed 's/"completed".*//' | grep -o '"id":"container_[^"]*"' || true); do
        echo "allocated $id"
        got=$((got + 1))
    done
    for status in $(echo "$answer" | grep -o '"exitStatus":-\{0,1\}[0-9]*' | cut -d: -f2 || true); do
        ended=$((ended + 1))
        echo "completed $ended of $n, exit status $status"
        [ "$status" -eq 0 ] || failed=$((failed + 1))
    done
    case $answer in *'"command":"resync"'*) ask_for $((n - got)) ;; esac
    [ "$ended" -ge "$n" ] || sleep 0.1 # between heartbeats
done

if [ "$failed" -eq 0 ]; then final=SUCCEEDED; else final=FAILED; fi
call finish '{"finalStatus":"'$final'","diagnostics":"'$failed' of '$n' containers failed"}'
echo
echo "finished $final"
