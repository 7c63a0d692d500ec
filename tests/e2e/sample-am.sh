#!/bin/sh
# sample-am.sh N COMMAND - an ApplicationMaster in shell and curl.
#
# Runs in the master's container: registers with the ResourceManager, asks for N containers that run
# COMMAND (in sh, each in a container of its own), waits until all have ended, and finishes:
# SUCCEEDED when all exited with 0, else FAILED. Environment, as for every master:
# CONTAINER_ID, CREEL_RM (URLs, separated by commas), CREEL_APP_TOKEN_FILE.
# Any of several ResourceManagers may be the active one, and that may change: a standby redirects
# us, others are skipped, and a request without an answer is repeated. A new active one has
# forgotten our requests and says so: "resync". Then we register again. The answer lists all live
# containers, even those of which we never heard; a container that we know and that is not listed is
# gone. We ask for the missing ones, and count containers by id, since some news may come twice.
set -eu
n=${1:-5}
command=${2:-hostname}
app=$(echo "$CONTAINER_ID" | sed -E 's/^container_(e[0-9]+_)?([0-9]+_[0-9]+)_.*$/application_\2/')

# post URL BODY: prints the answer and, as its last line, the status. The token goes through a pipe,
# because arguments are visible to everybody on the host.
post() {
    printf 'header = "Authorization: Bearer %s"\n' "$(cat "$CREEL_APP_TOKEN_FILE")" |
        curl -sS --location-trusted --max-redirs 3 --connect-timeout 2 --max-time 30 -K - -X POST \
            -H 'Content-Type: application/json' -d "$2" -w '\n%{http_code}' "$1"
}
# call WHAT BODY: prints the answer of the active ResourceManager; waits for one for some minutes.
call() {
    tries=0
    while [ $tries -lt 600 ]; do
        for rm in $(echo "$CREEL_RM" | tr , ' '); do
            answer=$(post "$rm/ws/v1/cluster/apps/$app/master/$1" "$2") || continue
            case $(echo "$answer" | tail -n 1) in
            2??) echo "$answer" | sed '$d' && return ;;
            4??) echo "$answer" >&2 && return 1 ;;
            esac
        done
        tries=$((tries + 1))
        sleep 0.2
    done
    return 1
}
json_text() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g'; }
ids() { grep -o '"id":"container_[^"]*"' | cut -d'"' -f4 || true; }
# in_list ID LIST...: is ID in the list?
in_list() {
    id=$1
    shift
    case " $* " in *" $id "*) ;; *) return 1 ;; esac
}

# Live containers, containers that have ended, and how many of those did not exit with 0.
live='' over='' failed=0
add_live() {
    for id in "$@"; do
        if ! in_list "$id" $live $over; then
            echo "allocated $id"
            live="$live $id"
        fi
    done
}
count() { echo $#; }
register() {
    echo "registering $app with $CREEL_RM"
    answer=$(call register '{"host":"localhost","rpcPort":-1,"trackingUrl":""}')
    echo "$answer"
    live=''
    add_live $(echo "$answer" | ids)
    missing=$((n - $(count $live $over)))
    [ "$missing" -ge 0 ] || missing=0
    ask='"ask":[{"priority":1,"resourceName":"*","numContainers":'$missing',
        "capability":{"memory":256,"vCores":1},
        "launch":{"commands":{"command":"'$(json_text "$command")'"}}}],'
    response=0
}

register
while [ "$(count $over)" -lt "$n" ]; do
    progress=0.$(($(count $over) * 9 / n))
    answer=$(call allocate "{$ask\"responseId\":$response,\"progress\":$progress}")
    case $answer in
    *'"command":"resync"'*)
        register
        continue
        ;;
    esac
    ask='' # absolute, so it is said once
    response=$(echo "$answer" | sed -n 's/^.*"responseId":\([0-9]*\).*$/\1/p')
    add_live $(echo "$answer" | sed 's/"completed".*//' | ids)
    for ended in $(echo "$answer" |
        grep -o '"id":"container_[^"]*","exitStatus":-\{0,1\}[0-9]*' | cut -d'"' -f4,7 || true); do
        id=${ended%\"*} status=${ended#*\":}
        in_list "$id" $over && continue
        over="$over $id"
        live=$(for other in $live; do [ "$other" = "$id" ] || printf ' %s' "$other"; done)
        echo "completed $(count $over) of $n, exit status $status"
        [ "$status" -eq 0 ] || failed=$((failed + 1))
    done
    [ "$(count $over)" -ge "$n" ] || sleep 0.1 # between heartbeats
done

if [ "$failed" -eq 0 ]; then final=SUCCEEDED; else final=FAILED; fi
call finish '{"finalStatus":"'$final'","diagnostics":"'$failed' of '$n' containers failed"}'
echo
echo "finished $final"
