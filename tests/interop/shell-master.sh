#!/bin/sh
# shell-master.sh N KIND COMMAND - the master of the bench's shell applications, as Hadoop's
# distributed shell is one: registers, runs COMMAND in N containers of 1024 MB, each in a slot of
# KIND (map or reduce), and finishes as SUCCEEDED or FAILED when all have ended.
set -eu
n=$1 kind=$2 command=$3
app=$(echo "$CONTAINER_ID" | sed -E 's/^container_(e[0-9]+_)?([0-9]+_[0-9]+)_.*$/application_\2/')

# call WHAT BODY: prints the answer; the token goes through a pipe, since arguments are visible
call() {
    printf 'header = "Authorization: Bearer %s"\n' "$(cat "$CREEL_APP_TOKEN_FILE")" |
        curl -sSf --location-trusted --max-time 30 -K - -H 'Content-Type: application/json' \
            -d "$2" "$CREEL_RM/ws/v1/cluster/apps/$app/master/$1"
}
json_text() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'; }

call register '{"host":"localhost","rpcPort":-1,"trackingUrl":""}'
ask='"ask":[{"priority":0,"resourceName":"*","numContainers":'$n',
    "capability":{"memory":1024,"vCores":1,"'$kind'-slots":1},
    "launch":{"commands":{"command":"'$(json_text "$command")'"}}}],'
response=0 over='' failed=0
while [ "$(echo "$over" | wc -w)" -lt "$n" ]; do
    answer=$(call allocate "{$ask\"responseId\":$response,\"progress\":0}")
    ask=''
    response=$(echo "$answer" | sed -n 's/^.*"responseId":\([0-9]*\).*$/\1/p')
    for ended in $(echo "$answer" | grep -o '"id":"container_[^"]*","exitStatus":-\{0,1\}[0-9]*' |
        cut -d'"' -f4,7); do
        case " $over " in *" ${ended%\"*} "*) continue ;; esac
        over="$over ${ended%\"*}"
        [ "${ended#*\":}" -eq 0 ] || failed=$((failed + 1))
    done
    [ "$(echo "$over" | wc -w)" -ge "$n" ] || sleep 0.1 # between heartbeats
done
said=''
final=SUCCEEDED
if [ "$failed" -gt 0 ]; then
    final=FAILED
    said="Application Failure: desired = $n, completed = $n, allocated = $n, failed = $failed"
fi
call finish '{"finalStatus":"'$final'","diagnostics":"'"$said"'"}'
