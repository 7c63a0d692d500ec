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
for command in "job status" "job kill" "job counters" logs "application status"; do
    expect 2 creel $command ''; one_line
done
expect 255 creel application -status ''; one_line
for command in "application -kill" "node -status" "applicationattempt -status" \
    "container -status" "applicationattempt -list"; do
    expect 1 creel $command ''; one_line
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

# --- as the yarn script: options before the command, a configuration
mkdir "$T/conf"
echo "<configuration><property><name>yarn.resourcemanager.webapp.address</name>" \
    "<value>${CREEL_RM#http://}</value></property></configuration>" > "$T/conf/yarn-site.xml"
CREEL_RM= expect 0 creel --config "$T/conf" --loglevel ERROR --debug node -list
check_equal "$(head -n 1 "$T/o")" "Total Nodes:2" "nodes found by --config"
CREEL_RM= expect 0 creel node -conf "$T/conf/yarn-site.xml" -list
echo "ok --config"

# --- wrong options
expect 2 creel job submit --nmae x; one_line "no option '--nmae'" "did you mean --name"
expect 2 creel job submit --name; one_line "name needs a value"
expect 2 creel job list --json=1; one_line "takes no value"
usage() { # COMMAND...: is refused with yarn's usage, on stdout
    expect 255 creel "$@"
    grep -q "^usage: $1\$" "$T/o" || fail "usage of $*: $(cat "$T/o")"
}
usage application -status
grep -qx "Missing argument for options" "$T/o" || fail "no value: $(cat "$T/o")"
expect 255 creel node -list -states BOGUS
grep -qx "The node state BOGUS is invalid." "$T/o" || fail "states: $(cat "$T/o")"
usage node -status x:1 -all
usage application -status "$id" -appStates ALL
usage application -list stray
usage applicationattempt -list "$id" -status x
expect 2 creel application list -kill "$id"; one_line "no other option"
expect 2 creel application list stray; one_line stray
expect 2 creel node list -states BOGUS; one_line BOGUS RUNNING LOST
expect 2 creel node list -all; one_line "all states already"
expect 2 creel node status; one_line "is missing"
expect 1 creel application -statsu "$id"; one_line "did you mean -status"
expect 2 creel job submit --tasks "$T/no such file"; one_line "no such file"
echo '[{' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line "$T/tasks"
running=$(creel job submit --task 'sleep 1000')
expect 2 creel job kill "$running" bogus; one_line bogus
check_equal "$(creel job status "$running" --json | jq -r .job.finalStatus)" UNDEFINED \
    "job beside a wrong id"
expect 0 creel application -changeQueue default -appId "$id"
check_equal "$(cat "$T/o")" "Application $id has already finished " "moving an ended application"
usage application -changeQueue default
usage application -movetoqueue "$running"
expect 1 creel application -movetoqueue "$running" -queue nowhere
grep -q '^creel: .*"nowhere" does not exist' "$T/e" ||
    fail "move: $(cat "$T/e")"
is_json '.queue == "root.default"' creel application -changeQueue default -appId "$running" --json
expect 0 creel job kill "$running" "$id"
grep -q "^$running KILLED" "$T/o" && grep -q "^$id has already finished" "$T/o" ||
    fail "kill: $(cat "$T/o")"
expect 0 creel application -kill "$id"
grep -q "$id has already finished" "$T/o" || fail "kill: $(cat "$T/o")"
echo "ok options"

# --- draining; top
node=$(creel node -list | awk 'NR == 3 {print $1}')
state() { creel node status "$node" --json | jq -r .node.state; }
state_is() { [ "$(state)" = "$1" ]; }
expect 0 creel node -drain "$node"
grep -q "^$node gets no new containers" "$T/o" || fail "drain: $(cat "$T/o")"
wait_for 10 "$node out of service" state_is DECOMMISSIONING
check_equal "$(creel node -list | grep -c RUNNING)" 1 "nodes in service beside a drained one"
expect 0 creel node -undrain "$node"
wait_for 10 "$node in service" state_is RUNNING
expect 1 creel node -drain nowhere:1; one_line nowhere:1
running=$(creel job submit --name topmost --task 'sleep 1000')
topmost_runs() { creel top -cols 250 -rows 20 <<< q | grep -q "$running .* topmost"; }
wait_for 20 "$running in top" topmost_runs
creel top -cols 60 -rows 12 <<< q > "$T/o"
check_equal "$(wc -l < "$T/o")" 11 "lines of top on 12 rows"
check_equal "$(awk 'length > 59' "$T/o")" "" "lines of top that are too long"
printf 'h\nx\ns\na\nz\nf\nn\nz\nq\n' | creel top -cols 250 -rows 20 > "$T/o"
grep -q '^Help for yarn top' "$T/o" && grep -q '^\* a: APPLICATIONID ' "$T/o" &&
    grep -q '^  n: NAME ' "$T/o" || fail "keys of top: $(cat "$T/o")"
! tail -n 12 "$T/o" | grep -q topmost || fail "a hidden column: $(tail -n 12 "$T/o")"
expect 0 creel job kill "$running"
echo "ok drain, top"

# --- help
for words in "help" "help help" "help --help" "--help"; do
    expect 0 creel $words
    grep -q '^Start here' "$T/o" || fail "creel $words: $(cat "$T/o")"
done
for command in dev run "job submit" "job list" "job status" "job kill" "job counters" logs \
    application applicationattempt container node queue top rmadmin cluster classpath version; do
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
    logs) grep -qE '^ +-applicationId ' "$T/o" && grep -q -e '-follow' "$T/o" ||
        fail "logs --help: $(cat "$T/o")" ;;
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
