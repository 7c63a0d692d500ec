#!/bin/sh
# sample-am.sh N COMMAND - an ApplicationMaster in shell and curl.
#
# Runs in the master's container: registers with the ResourceManager, asks for N containers that run COMMAND (in sh, each
# in a container of its own), waits until all have ended, and finishes: SUCCEEDED when all exited with 0, else FAILED.
# Environment, as every master finds it: CONTAINER_ID, CREEL_RM (URLs), CREEL_APP_TOKEN_FILE.
set -eu
n=${1:-5}
command=${2:-hostname}
rm=${CREEL_RM%%,*}
app=$(echo "$CONTAINER_ID" | sed -E 's/^container_(e[0-9]+_)?([0-9]+_[0-9]+)_.*$/application_\2/')

# call WHAT BODY: prints the answer. The token goes by a pipe: arguments are visible to everybody on the host.
call() {
    printf 'header = "Authorization: Bearer %s"\n' "$(cat "$CREEL_APP_TOKEN_FILE")" |
        curl -sS --fail-with-body --max-time 30 --retry 5 --retry-connrefused -K - -X POST \
            -H 'Content-Type: application/json' -d "$2" "$rm/ws/v1/cluster/apps/$app/master/$1"
}
json_text() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g'; }

echo "registering $app with $rm"
call register '{"host":"localhost","rpcPort":-1,"trackingUrl":""}'
echo

response=0 ended=0 failed=0
ask='"ask":[{"priority":1,"resourceName":"*","numContainers":'$n',"capability":{"memory":256,"vCores":1},
    "launch":{"commands":{"command":"'$(json_text "$command")'"}}}],'
while [ "$ended" -lt "$n" ]; do
    answer=$(call allocate "{$ask\"responseId\":$response,\"progress\":0.$((ended * 9 / n))}")
    ask='' # absolute, so it is said once
    response=$(echo "$answer" | sed -n 's/^.*"responseId":\([0-9]*\).*$/\1/p')
    for id in $(echo "$answer" | sed 's/"completed".*//' | grep -o '"id":"container_[^"]*"' || true); do
        echo "allocated $id"
    done
    for status in $(echo "$answer" | grep -o '"exitStatus":-\{0,1\}[0-9]*' | cut -d: -f2 || true); do
        ended=$((ended + 1))
        echo "completed $ended of $n, exit status $status"
        [ "$status" -eq 0 ] || failed=$((failed + 1))
    done
    [ "$ended" -ge "$n" ] || sleep 0.1 # between heartbeats
done

if [ "$failed" -eq 0 ]; then final=SUCCEEDED; else final=FAILED; fi
call finish '{"finalStatus":"'$final'","diagnostics":"'$failed' of '$n' containers failed"}'
echo
echo "finished $final"
