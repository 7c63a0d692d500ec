# tests/fault/ha_work.sh - sourced by run: the work under faults, the ledger that witnesses it, and
# the answers that clients got.
#
#   $W/ledger   a line per event of a task's process:
#               "S|E  nanoseconds  container  task  attempt  node  pid  start-ticks"
#   $W/acks     a line per acknowledgement that a client got:
#               "submit job|app ID", "kill ID STATE", "move ID QUEUE"
#   $W/asked    requests whose outcome the client may not know:
#               "submit job|app ID", "move ID QUEUE"
# Clients act as users would: with the creel command, or with curl on YARN's REST, again until they
# get an answer.

WORK_JOBS=4 WORK_APPS=2
work_inputs() {
    awk 'BEGIN {
            s = 5
            for (i = 0; i < 9000; i++) {
                s = (s * 1103515245 + 12345) % 2147483648
                printf "w%d%s", s % 300, (i % 9 ? " " : "\n")
            }
        }' | tr 0-9 a-j > "$T/in"
    WC_MAP="tr -cs 'A-Za-z' '\\n' | sed '/^\$/d;s/\$/\\t1/'"
    WC_SUM="awk -F'\\t' '{if(\$1!=k){if(NR>1)print k\"\\t\"s;k=\$1;s=0}s+=\$2}"
    WC_SUM+="END{if(NR)print k\"\\t\"s}'"
    sh -c "$WC_MAP" < "$T/in" | LC_ALL=C sort | sh -c "$WC_SUM" | LC_ALL=C sort > "$T/expected"
    cat > "$T/witness" << 'END'
#!/bin/sh
# witness LEDGER S|E: one line, written at once.
read -r stat < /proc/$PPID/stat
set -- "$1" "$2" ${stat##*) }
printf '%s %s %s %s %s %s %s %s\n' "$2" "$(date +%s%N)" "$CONTAINER_ID" "${CREEL_TASK_ID:--}" \
    "${CREEL_TASK_ATTEMPT:--}" "$NM_HOST" "$PPID" "${22}" >> "$1"
END
    chmod +x "$T/witness"
}
# witnessed SECONDS COMMAND: a task's command that works for so long between its two lines.
witnessed() { echo "$T/witness $W/ledger S; $2 sleep $1; $T/witness $W/ledger E"; }

client_job() { # NAME SECONDS: one submission
    local out id
    out=$(CREEL_RM=$(rm_urls) "$BIN/creel" job submit --name "$1" --input "$T/in" \
        --output "$W/out-$1" --reduces 1 --split-size 6K \
        --max-attempts 20 --map "$(witnessed "$2" "$WC_MAP;")" --combine "$WC_SUM" \
        --reduce "$T/witness $W/ledger S; $WC_SUM; $T/witness $W/ledger E" --json \
        2>> "$W/clients.log") || return 0
    id=$(jq -r '.job.id // .id' <<< "$out")
    echo "submit job $id $1" >> "$W/acks"
}
client_kill() { # NAME: kills the job of that name, once it was acknowledged
    local id out
    wait_until 8000 grep -q " $1\$" "$W/acks" || return 0
    id=$(awk -v name="$1" '$4 == name { print $3 }' "$W/acks")
    sleep "$2"
    local state="/ws/v1/cluster/apps/$id/state?user.name=bench"
    until out=$(rm_call PUT "$state" '{"state":"KILLED"}'); do
        sleep 0.1
    done
    case ${out##*$'\n'} in
    200 | 202) echo "kill $id $(sed -n 1p <<< "$out" | jq -r .state)" >> "$W/acks" ;;
    esac
}
# NAME QUEUE...: moves to one queue after another, each once the last move was acknowledged,
# until it has ended.
client_move() {
    local name=$1 id out queue
    shift
    wait_until 8000 grep -q " $name\$" "$W/acks" || return 0
    id=$(awk -v name="$name" '$4 == name { print $3 }' "$W/acks")
    for queue; do
        echo "move $id $queue" >> "$W/asked"
        body="{\"queue\":\"$queue\"}"
        until out=$(rm_call PUT "/ws/v1/cluster/apps/$id/queue?user.name=bench" "$body"); do
            sleep 0.1
        done
        [ "${out##*$'\n'}" = 200 ] || return 0
        echo "move $id $queue" >> "$W/acks"
        sleep 0.4
    done
}
client_app() { # NAME
    local id out body
    until out=$(rm_call POST '/ws/v1/cluster/apps/new-application?user.name=bench'); do
        sleep 0.1
    done
    id=$(sed -n 1p <<< "$out" | jq -r '."application-id"')
    body=$(jq -n --arg id "$id" --arg name "$1" \
        --arg am "sh $here/../e2e/sample-am.sh 3 '$(witnessed 0.4 '')'" '{"application-id": $id,
        "application-name": $name, "max-app-attempts": 3, "application-type": "YARN",
        "resource": {"memory": 512, "vCores": 1},
        "am-container-spec": {"commands": {"command": $am}}}')
    echo "submit app $id" >> "$W/asked"
    until out=$(rm_call POST '/ws/v1/cluster/apps?user.name=bench' "$body"); do sleep 0.1; done
    if [ "${out##*$'\n'}" = 202 ]; then
        echo "submit app $id $1" >> "$W/acks"
    else
        echo "$out" >> "$W/clients.log"
    fi
}
work_start() {
    local i
    : > "$W/ledger" && : > "$W/acks" && : > "$W/asked" && : > "$W/faults"
    CLIENTS=()
    for ((i = 1; i <= WORK_JOBS; i++)); do
        (sleep "$(awk -v i=$i 'BEGIN { print (i - 1) * 0.8 }')" &&
            client_job "job$i" "0.$((2 + i))") &
        CLIENTS+=($!)
    done
    (sleep 0.5 && client_job doomed 10) & CLIENTS+=($!)
    client_kill doomed 1 & CLIENTS+=($!)
    client_move job2 root.other root.default root.other root.default root.other & CLIENTS+=($!)
    for ((i = 1; i <= WORK_APPS; i++)); do
        (sleep $i && client_app "app$i") &
        CLIENTS+=($!)
    done
}
clients_ended() {
    local p
    for p in "${CLIENTS[@]}"; do
        [ ! -e "/proc/$p" ] || [ "$(cut -d' ' -f3 < "/proc/$p/stat")" = Z ] || return 1
    done
}
# All that the leader knows: a line "ID STATE FINALSTATUS NAME" each, sorted.
apps_now() {
    rm_call GET /ws/v1/cluster/apps | sed -n 1p |
        jq -r '.apps.app // [] | .[] | "\(.id) \(.state) \(.finalStatus) \(.name)"' | LC_ALL=C sort
}
all_ended() {
    local list
    list=$(apps_now) && [ -n "$list" ] && ! grep -qvE ' (FINISHED|FAILED|KILLED) ' <<< "$list"
}
# Waits until clients and work have come to their end. What is not done then is a violation that the
# checks report.
work_wait() {
    wait_until 20000 clients_ended || echo "I7 clients still wait for an answer" >> "$T/violations"
    wait_until 30000 all_ended || true
    for p in "${CLIENTS[@]}"; do kill "$p" 2> /dev/null || true; done
    wait "${CLIENTS[@]}" 2> /dev/null || true
}
