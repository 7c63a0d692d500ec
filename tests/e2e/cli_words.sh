#!/usr/bin/env bash
# Goal: what the creel command says: JSON for programs, one line for mistakes, help that is true,
# logs of every attempt.
# Method: each command and mistake once, on a cluster of two NodeManagers.
. "$(dirname "$0")/cli_lib.sh"
start_cluster --nodes 2

# --- every --json is one JSON document with what it should hold
is_json() { # FILTER COMMAND...: exits 0 and FILTER holds for what it prints
    local filter=$1
    shift
    expect 0 "$@"
    check_equal "$(wc -l < "$T/o")" 1 "lines of $*"
    jq -e "$filter" "$T/o" > /dev/null || fail "'$*' prints $(cat "$T/o")"
}
is_json '.creel and .resourceManager' creel version --json
is_json '.job.id | startswith("application_")' creel job submit --task true --json
id=$(jq -r .job.id "$T/o")
is_json '.job.finalStatus == "SUCCEEDED"' creel job submit --task 'echo out' --wait --json
is_json '.job.id and (.tasks | length == 1)' creel job status "$id" --tasks --json
is_json '.job.id and (has("tasks") | not)' creel job status "$id" --json
is_json '.counters.TOTAL_LAUNCHED_MAPS >= 1' creel job counters "$id" --json
is_json '.jobs | length == 2' creel job list --json
is_json '.apps.app | length == 2' creel application -list -appStates ALL --json
is_json ".app.id == \"$id\"" creel application -status "$id" --json
is_json '.nodes.node | length == 2' creel node -list -all --json
is_json '.node.state == "RUNNING"' creel node -status "$(jq -r '.nodes.node[0].id' "$T/o")" --json
is_json '.daemons | length == 3' creel dev --status --json --dir "$DEV"
is_json "has(\"$id\")" creel application -kill "$id" --json
is_json "has(\"$id\")" creel job kill "$id" --json
id=$(creel job submit --task "printf 'a\\377b\\n'")
wait_for 20 "end of job" job_is "$id" FINISHED/SUCCEEDED
is_json '.logs[] | select(.file == "stdout") | .text == "a\ufffdb\n"' creel logs "$id" --json
expect 2 creel run --json -- true; one_line json
echo "ok json"

# --- tables on a terminal of 80 columns hold whole ids
on_terminal() { script -qec "stty cols $1; $BIN/creel $2" /dev/null < /dev/null | tr -d '\r'; }
for width in 80 100; do
    on_terminal $width "job list" > "$T/o"
    grep -q "^$id " "$T/o" || fail "job list on $width columns: $(cat "$T/o")"
    on_terminal $width "application list -appStates ALL" > "$T/o"
    grep -q "^$id " "$T/o" || fail "application list on $width columns: $(cat "$T/o")"
    on_terminal $width "job status $id --tasks" > "$T/o"
    grep -q "^${id/application/task}_m_000000 " "$T/o" ||
        fail "tasks on $width columns: $(cat "$T/o")"
done
echo "ok tables"

# --- logs of every attempt, wherever it ran; logs of a task that wrote nothing
id=$(creel job submit --max-attempts 4 --task 'echo attempt of $$; exit 1')
wait_for 30 "failed job" job_is "$id" FINISHED/FAILED
last=$(creel job status "$id" --tasks --json | jq -r '.tasks[0].containerId')
nodes=
for i in 3 2 1 0; do
    container=$(printf '%s%06d' "${last%??????}" $((10#${last: -6} - i)))
    expect 0 creel logs "$container" -log_files stdout
    grep -q '^attempt of ' "$T/o" || fail "log of $container: $(cat "$T/o")"
    nodes="$nodes $(creel logs "$container" --json | jq -r '.logs[0].node')"
done
expect 0 creel logs "$id" -log_files stdout
check_equal "$(grep -c '^attempt of ' "$T/o")" 4 "attempts in the job's logs"
check_equal "$(grep -c '^==> earlier attempt container_' "$T/o")" 3 \
    "earlier attempts in the job's logs"
check_equal "$(tr ' ' '\n' <<< "${nodes# }" | sort -u | wc -l)" 2 "nodes with attempts"
expect 4 creel logs "${last%??????}009999"; one_line 009999
id=$(creel job submit --task true)
wait_for 20 "end of job" job_is "$id" FINISHED/SUCCEEDED
expect 0 creel logs "$id"; one_line "$id wrote nothing to stdout or stderr"
echo "ok logs"

# --- malformed ids and addresses
for command in "job status" "job kill" "job counters" logs "application -status" \
    "application -kill" "node -status"; do
    expect 2 creel $command ''; one_line
done
for url in http:// ftp://x / , http://h:0 http://h:99999 'http://h x://y' 'http://a b?c'; do
    expect 2 creel job list --rm "$url"; one_line -- --rm
    CREEL_RM=$url expect 2 creel job list; one_line CREEL_RM
done
expect 3 creel job list --rm http://no.such.host.invalid; one_line no.such.host.invalid "[Rr]esolve"
node=$(cat "$DEV/nm-1.url") # answers HTTP, and is no ResourceManager
expect 3 creel job list --rm "$node"; one_line "is it a ResourceManager"
expect 3 creel job status "$id" --rm "$node"; one_line "is it a ResourceManager"
expect 3 creel run --rm "$node" -- true; one_line "is it a ResourceManager"
echo "ok addresses"

# --- wrong options
expect 2 creel job submit --nmae x; one_line "no option '--nmae'" "did you mean --name"
expect 2 creel job submit --name; one_line "name needs a value"
expect 2 creel job list --json=1; one_line "takes no value"
expect 2 creel application -status; one_line "status needs a value"
expect 2 creel node -list -states BOGUS; one_line BOGUS RUNNING LOST
expect 2 creel node -list -all -states RUNNING; one_line all states
expect 2 creel node -status x:1 -all; one_line all status
expect 2 creel application -status "$id" -appStates ALL; one_line appStates status
expect 2 creel job submit --tasks "$T/no such file"; one_line "no such file"
echo '[{' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line "$T/tasks"
running=$(creel job submit --task 'sleep 1000')
expect 2 creel job kill "$running" bogus; one_line bogus
check_equal "$(creel job status "$running" --json | jq -r .job.finalStatus)" UNDEFINED \
    "job beside a wrong id"
expect 2 creel application -changeQueue default -appId "$id"; one_line "$id has already finished"
expect 2 creel application -changeQueue default; one_line appId
expect 2 creel application -movetoqueue "$running"; one_line "needs -queue"
expect 2 creel application -list -appId "$running"; one_line appId changeQueue
expect 2 creel application -movetoqueue "$running" -queue nowhere
grep -q '^creel: policy fifo cannot move applications between queues$' "$T/e" ||
    fail "move: $(cat "$T/e")"
is_json '.queue == "default"' creel application -changeQueue default -appId "$running" --json
expect 0 creel job kill "$running" "$id"
grep -q "^$running KILLED" "$T/o" && grep -q "^$id has already finished" "$T/o" ||
    fail "kill: $(cat "$T/o")"
expect 0 creel application -kill "$id"
grep -q "$id has already finished" "$T/o" || fail "kill: $(cat "$T/o")"
echo "ok options"

# --- help
for words in "help" "help help" "help --help" "--help"; do
    expect 0 creel $words
    grep -q '^Start here' "$T/o" || fail "creel $words: $(cat "$T/o")"
done
for command in dev run "job submit" "job list" "job status" "job kill" "job counters" logs \
    application node version; do
    expect 0 creel help $command
    grep -q "^Usage: creel $command" "$T/o" || fail "help $command: $(cat "$T/o")"
    expect 0 creel $command --help
    case $command in
    run) ! grep -q -e '--json' "$T/o" || fail "run has no --json" ;;
    application | node) grep -qE '^ +-list ' "$T/o" && grep -qE '^(Usage|  or): .* -list' "$T/o" ||
        fail "$(cat "$T/o")" ;;
    "job submit")
        required=$(grep -n -e '--map=' "$T/o" | cut -d: -f1)
        optional=$(grep -n -e '--name=' "$T/o" | cut -d: -f1)
        [ "$required" -lt "$optional" ] || fail "required options are not first: $(cat "$T/o")"
        ;;
    esac
done
echo "ok help"

# --- a configuration that the user may not read: addresses come from elsewhere, or the message
# names the file
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@"; }
if [ "$(id -u)" = 0 ] && chmod o+x "$T" && as_nobody test -x "$BIN/creel" &&
    as_nobody test -x "$T"; then
    mkdir "$T/hidden"
    echo '<configuration/>' > "$T/hidden/yarn-site.xml"
    chmod 0600 "$T/hidden/yarn-site.xml"
    CREEL_CONF_DIR=$T/hidden expect 0 as_nobody "$BIN/creel" job list
    CREEL_CONF_DIR=$T/hidden CREEL_RM= expect 2 as_nobody "$BIN/creel" job list
    grep -q "you may not read $T/hidden/yarn-site.xml; name the ResourceManagers with --rm" \
        "$T/e" || fail "says $(cat "$T/e")"
    echo "ok hidden"
fi

# --- run adds no comment of its own to the command's end; a failed job's last line
expect 143 creel run -- sh -c 'kill $$'
check_equal "$(cat "$T/e")" "" "stderr of a terminated command"
expect 1 creel job submit --max-attempts 1 --task 'exit 1' --wait
grep -q '^[0-9:]* FAILED' "$T/e" || fail "last line of progress: $(cat "$T/e")"
echo "ok ends"
