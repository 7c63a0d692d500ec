#!/usr/bin/env bash
# Goal: the creel command does what its help says on a real cluster.
# Method: creel dev with 2 NodeManagers; run (status, both streams, signals, Ctrl-C), submit --wait
# against the pipeline, list, status, kill, counters, logs, application, node; bad input is one line
# and status 2.
. "$(dirname "$0")/cli_lib.sh"
one_line_of() { check_equal "$(grep -c "$1" "$T/e")" 1 "lines with '$1'"; }
start_cluster --nodes 2

# --- run
expect 7 creel run -- sh -c 'echo out; echo err >&2; exit 7'
check_equal "$(cat "$T/o")" out "stdout of run"
check_equal "$(cat "$T/e")" err "stderr of run"
expect 0 creel run -- printf '%s|' 'a b' "it's" '$HOME' '*'
check_equal "$(cat "$T/o")" "a b|it's|\$HOME|*|" "words of run"
expect 0 creel run --env "GREETING=good day" -- sh -c 'echo "$GREETING"'
check_equal "$(cat "$T/o")" "good day" "environment of run"
expect 137 creel run -- sh -c 'kill -9 $$'
expect 127 creel run -- /no/such/command
expect 0 creel run -- seq 200000
seq 200000 | cmp - "$T/o" || fail "a long output is not whole"
# Input that never reaches the command is reported; empty input is not worth a word.
seq 3 > "$T/numbers"
expect 0 creel run -- sh -c 'wc -l' < "$T/numbers"
check_equal "$(cat "$T/o")" 0 "lines that a command on the cluster reads"
one_line_of "standard input is not passed on"
# The first line is read before creel starts: the others, written with it, are in the pipe then.
expect 0 sh -c "cat '$T/numbers' | { read -r first; '$BIN/creel' run -- true; }"
one_line_of "standard input is not passed on"
for input in /dev/null "$T/numbers"; do # the second: read to its end
    { cat > /dev/null; expect 0 creel run -- true; } < "$input"
    check_equal "$(cat "$T/e")" "" "stderr of run without input"
done
echo "ok run"

# --- standard output that is full, that nobody reads, that is closed
id=$(creel job submit --task 'echo there' --wait --json 2> /dev/null | jq -r .job.id)
for words in "job list" "job list --json" "job submit --help" "application -list" "help" \
    "sim --list" "run -- echo hi" "logs $id" "logs $id -f" "logs $id --json"; do
    rc=0
    creel $words > /dev/full 2> "$T/e" || rc=$?
    check_equal $rc 1 "status of creel $words > /dev/full"
    grep -qx "creel: cannot write to standard output.*" "$T/e" && [ "$(wc -l < "$T/e")" = 1 ] ||
        fail "creel $words > /dev/full: $(cat "$T/e")"
    rc=0
    creel $words >&- 2> "$T/e" || rc=$?
    check_equal $rc 1 "status of creel $words with a closed output"
    grep -q "cannot write to standard output" "$T/e" ||
        fail "creel $words with a closed output: $(cat "$T/e")"
done
mkfifo "$T/unread"
for words in "job list" "help"; do
    rc=0
    : < "$T/unread" & # reads nothing, and is gone
    exec 5> "$T/unread"
    wait $!
    creel $words >&5 2> "$T/e" || rc=$?
    exec 5>&-
    check_equal $rc 1 "status of creel $words that nobody reads"
    check_equal "$(cat "$T/e")" "" "creel $words that nobody reads"
done
rm "$T/unread"
echo "ok standard output"

# --- Ctrl-C ends the command's whole process tree, exit 130
"$BIN/creel" run -- sh -c "sleep 1000 & echo \$! > $T/inner; echo \$\$ > $T/outer; wait" \
    > "$T/o" 2> "$T/e" &
run=$!
wait_for 20 "process of run" test -s "$T/outer"
kill -0 "$(cat "$T/outer")" && kill -0 "$(cat "$T/inner")" || fail "the command does not run"
kill -INT $run
rc=0
wait $run || rc=$?
check_equal $rc 130 "status after Ctrl-C"
for p in "$(cat "$T/outer")" "$(cat "$T/inner")"; do
    wait_for 5 "end of process $p" gone "$p"
done
echo "ok Ctrl-C"

# --- submit --wait: the same output as the pipeline
mkdir "$T/in put"
cp -L /usr/share/common-licenses/{GPL-2,GPL-3,Artistic} "$T/in put/"
wc_expected "$T/in put/"* > "$T/expected"
cd "$T"
expect 0 creel job submit --name wörds --input "in put" --output "out put" --map "$WC_MAP" \
    --combine "$WC_SUM" \
    --reduce "$WC_SUM" --reduces 2 --split-size 20K --wait
cd /
check_output "$T/out put" "$T/expected" 2
grep -q "SUCCEEDED" "$T/o" || fail "no result: $(cat "$T/o")"
grep -qF "$T/out put" "$T/o" || fail "no output folder: $(cat "$T/o")"
grep -q "map 100%" "$T/e" || fail "no progress: $(cat "$T/e")"
id=$(awk 'NR == 1 {print $1}' "$T/o")
echo "ok submit"

# --- list, status, counters, logs
expect 0 creel job list
grep -q "$id.*wörds.*FINISHED.*SUCCEEDED" "$T/o" || fail "list: $(cat "$T/o")"
expect 0 creel job list --json
check_equal "$(jq -r '.jobs[0].id' "$T/o")" "$id" "newest job"
expect 0 creel job status "$id" --tasks
grep -q "^result *SUCCEEDED" "$T/o" || fail "status: $(cat "$T/o")"
check_equal "$(grep -c '^task_' "$T/o")" \
    "$(creel job status "$id" --json | jq '.job.taskCounts | .map.total + .reduce.total')" tasks
# The table is fetched in a short form that leaves out what ids share; the JSON is not.
grep '^task_' "$T/o" | awk '{print $1, $2, $3, $4, $5, $(NF-1), $NF}' > "$T/rows"
expect 0 creel job status "$id" --tasks --json
jq -r '.tasks[] | "\(.id) \(.state) \(.progress)% \(.attempts) \(.exitCode) \(.node) " +
    "\(.containerId)"' "$T/o" |
    diff - "$T/rows" || fail "the table of tasks and its JSON differ"
check_equal "$(jq '.tasks | length' "$T/o")" \
    "$(jq '.job.taskCounts | .map.total + .reduce.total' "$T/o")" "tasks in JSON"
big=$(creel job submit --task true --count 12000) # three pages, one table
expect 0 creel job status "$big" --tasks
check_equal "$(grep -c '^task_' "$T/o")/$(grep -c '^TASK ' "$T/o")" 12000/1 "tasks of all pages"
expect 0 creel job kill "$big"
expect 0 creel job counters "$id" --json
check_equal "$(jq .counters.MAP_INPUT_BYTES "$T/o")" "$(cat "$T/in put/"* | wc -c)" "bytes read"
check_equal "$(jq .counters.REDUCE_OUTPUT_RECORDS "$T/o")" "$(wc -l < "$T/expected")" \
    "lines written"
expect 0 creel application -list -appStates FINISHED -appTypes MAPREDUCE
grep -q "$id" "$T/o" || fail "application -list: $(cat "$T/o")"
heading='^Total number of applications (application-types: \[MAPREDUCE\], states: \[FINISHED\]'
heading+=' and tags: \[\]):[1-9][0-9]*$'
grep -q "$heading" "$T/o" ||
    fail "application -list, as yarn prints it: $(cat "$T/o")"
check_equal "$(sed -n 2p "$T/o" | tr -d ' ' | tr '\t' ' ')" \
    "Application-Id Application-Name Application-Type User Queue State Final-State Progress\
 Tracking-URL" heads
expect 0 creel app -status "$id"
grep -q $'^\tFinal-State : SUCCEEDED$' "$T/o" || fail "application -status: $(cat "$T/o")"
expect 0 creel application list -appStates FINISHED
grep -q "^$id .* SUCCEEDED " "$T/o" || fail "application list: $(cat "$T/o")"
expect 0 creel app -status "$id" --json
check_equal "$(jq -r .app.finalStatus "$T/o")" SUCCEEDED "application's result"
expect 0 creel node -list
check_equal "$(grep -c RUNNING "$T/o")" 2 nodes
check_equal "$(head -n 1 "$T/o")" "Total Nodes:2" "node -list, as yarn prints it"
check_equal "$(sed -n 2p "$T/o")" \
    $'         Node-Id\t     Node-State\tNode-Http-Address\tNumber-of-Running-Containers' heads
node=$(awk 'NR == 3 {print $1}' "$T/o")
expect 0 creel node -status "$node"
grep -q $'^\tNode-State : RUNNING$' "$T/o" || fail "node -status: $(cat "$T/o")"
expect 0 creel node list # ours: slots of each kind, sorted
grep -qE "^$node +RUNNING +0/[0-9]+ +0/[0-9]+ +[0-9.]+ s +$node " "$T/o" ||
    fail "node list: $(cat "$T/o")"
check_equal "$(tail -n +2 "$T/o" | awk '{print $1}')" \
    "$(tail -n +2 "$T/o" | awk '{print $1}' | sort -V)" "sorted nodes"
expect 0 creel node status "$node" --json
check_equal "$(jq -r .node.id "$T/o")" "$node" "node status"
expect 0 creel rmadmin status
grep -qE "^rm-1 +${CREEL_RM#http://} +active +[0-9]+" "$T/o" || fail "rmadmin status: $(cat "$T/o")"
for amount in 16777217Ti 2147483647T; do # more bytes than 64 bits hold
    expect 255 creel rmadmin -updateNodeResource "$node" "memory-mb=$amount,vcores=1"
    grep -q 'too large' "$T/e" || fail "$amount: $(cat "$T/e")"
done
expect 0 creel version
from=$(sed -nE 's/^creel [0-9.]+ \(built from ([0-9a-f]{12}(-dirty)?|creel-[0-9.]+)\)$/\1/p' "$T/o")
[ -n "$from" ] && [ "$(grep -c "(built from $from)" "$T/o")" = 2 ] ||
    fail "version names no commit: $(cat "$T/o")"
for daemon in creel-rm creel-nm; do
    "$BIN/$daemon" --version | grep -qF "(built from $from)" || fail "$daemon: another commit"
done
id=$(creel job submit --task 'echo to-out; echo to-err >&2' \
    --task 'echo second; sleep 0.3; echo third' --count 1)
expect 0 creel logs "$id" -f
grep -q '_m_000000| to-out' "$T/o" && grep -q '_m_000001| third' "$T/o" ||
    fail "logs -f: $(cat "$T/o")"
grep -q '_m_000000| to-err' "$T/e" || fail "logs -f, stderr: $(cat "$T/e")"
wait_for 20 "end of job" job_is "$id" FINISHED/SUCCEEDED
expect 0 creel logs "$id"
grep -q '==> task_.*: stdout <==' "$T/o" && grep -q '^third$' "$T/o" || fail "logs: $(cat "$T/o")"
expect 0 creel logs "${id/application/task}_m_000000" -log_files stderr
check_equal "$(cat "$T/o")" to-err "log of one task"
container=$(creel job status "$id" --tasks --json | jq -r '.tasks[1].containerId')
expect 0 creel logs -applicationId "$id" -containerId "$container" -log_files stdout
check_equal "$(sed -n '/^LogContents:$/,/^$/{//d;p}' "$T/o")" "$(printf 'second\nthird')" \
    "log of one container"
grep -qx 'LogType:stdout' "$T/o" && grep -qx 'End of LogType:stdout' "$T/o" ||
    fail "the log of one container as yarn prints it: $(cat "$T/o")"
expect 0 creel logs -containerId "$container" -log_files stdout -size -6 -out "$T/logs"
check_equal "$(sed -n '/^LogContents:$/,/^$/{//d;p}' "$T/logs"/*/"$container")" third \
    "the end of a log, in a file"
echo "ok list, status, counters, logs"

# --- kill; a job that fails
id=$(creel job submit --task 'sleep 1000' --name sleeper)
expect 0 creel job kill "$id"
check_equal "$(job_state "$id")" KILLED/KILLED "killed job"
expect 1 creel job submit --max-attempts 1 --task 'echo the reason >&2; exit 3' --wait
grep -q "the reason" "$T/e" || fail "diagnostics: $(cat "$T/e")"
expect 1 creel job submit --input "$T/in put" --output "$T/again" --map 'echo part; false' \
    --max-attempts 1 --wait
failed=$(creel job list --limit 1 --json | jq -r '.jobs[0].id')
expect 0 creel job list --result failed
grep -q "^$failed .*FINISHED.*FAILED" "$T/o" || fail "list of failed jobs: $(cat "$T/o")"
! grep -qE "SUCCEEDED|KILLED" "$T/o" || fail "list of failed jobs has others: $(cat "$T/o")"
expect 0 creel job list --result KILLED,REFUSED
! grep -qE "SUCCEEDED|FAILED" "$T/o" && grep -q KILLED "$T/o" ||
    fail "list of killed jobs: $(cat "$T/o")"
expect 2 creel job list --result LOST; one_line LOST REFUSED
ended() { curl -sf "$CREEL_RM/metrics" | sed -n "s/^creel_apps_ended_total{result=\"$1\"} //p"; }
check_equal "$(ended FAILED)" \
    "$(creel job list --limit 0 --result FAILED --json | jq '.jobs | length')" \
    "failed jobs in /metrics"
[ "$(ended FAILED)" -ge 2 ] && [ "$(ended KILLED)" -ge 1 ] ||
    fail "metrics: $(curl -s "$CREEL_RM/metrics" | grep ended)"
[ ! -e "$T/again" ] || fail "a failed job's output folder is there: $(ls -R "$T/again")"
expect 0 creel job submit --input "$T/in put" --output "$T/again" --map cat --wait # at once
echo "ok kill, failure"

# --- bad input: one line, status 2; not found 4; nobody there 3
job() { creel job submit --input "$T/in put" --output "$T/never" --map cat "$@"; }
# Files are looked for as the job's user, on a node: the submission is taken, and the job fails.
expect 1 job --input /no/such/file --wait
setup_failed="^ *The job's setup failed .*on node [^ ]*:"
grep -q "$setup_failed job.input\[1\]: /no/such/file does not exist" "$T/e" ||
    fail "no input: $(cat "$T/e")"
expect 1 job --output "$T/out put" --wait
grep -q "$setup_failed job.output: $T/out put already exists" "$T/e" ||
    fail "output: $(cat "$T/e")"
expect 0 job --input /no/such/file
grep -qx 'application_[0-9_]*' "$T/o" || fail "a submission without --wait: $(cat "$T/o")"
expect 2 job --queue nowhere; one_line nowhere
expect 2 job --reduces -1; one_line '^creel: --reduces: -1'
expect 2 creel job submit --task true --task true --count 2000000
one_line '^creel: --count (task 2): 2000000'
expect 2 job --reduces x; one_line reduces
expect 2 job --map ''; one_line map
expect 2 job --split-size 0; one_line split-size
expect 2 job --split-size big; one_line split-size big
expect 2 job --max-attempts 0; one_line max-attempts
expect 2 job --bogus; one_line bogus
expect 2 creel job submit; one_line
echo '[]' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line tasks
echo '[{"kind":"map","comand":"x"}]' > "$T/tasks"
expect 2 creel job submit --tasks "$T/tasks"
one_line comand command
echo '[{' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line tasks
expect 2 creel job submit --tasks "$T/nofile"; one_line nofile
expect 2 creel run; one_line
expect 2 creel nonsense; one_line nonsense
expect 255 creel application -list -appStates BOGUS
check_equal "$(head -n 1 "$T/o")" "The application state BOGUS is invalid." "a wrong state"
[ ! -e "$T/never" ] || fail "a refused job left its output folder"
for command in "job status" "job wait" "job kill" "job counters" "logs" "application status"; do
    expect 4 creel $command application_1_0001; one_line application_1_0001
    expect 2 creel $command application_x; one_line application_x
done
expect 4 creel node status nowhere:1; one_line nowhere:1
# With a dash, commands say and exit with what yarn does.
expect 255 creel application -status application_1_0001
check_equal "$(cat "$T/o")" \
    "Application with id 'application_1_0001' doesn't exist in RM or Timeline Server." "unknown id"
expect 255 creel application -status application_x; one_line application_x
expect 255 creel application -kill application_1_0001
expect 1 creel application -kill application_x; one_line application_x
expect 0 creel node -status nowhere:1
check_equal "$(cat "$T/o")" "Could not find the node report for node id : nowhere:1" "unknown node"
expect 1 creel classpath; one_line "classpath is refused"
expect 1 creel jar x.jar; one_line "jar is refused"
expect 3 creel job list --rm http://127.0.0.1:1; one_line 127.0.0.1:1
expect 0 creel job list --rm "http://127.0.0.1:1,$CREEL_RM"
# Common options may stand before the command, too.
expect 0 creel --rm "http://127.0.0.1:1,$CREEL_RM" --json -D creel.rm.port=1 job list
jq -e .jobs "$T/o" > "$T/e"
expect 3 creel --rm=http://127.0.0.1:1 node list; one_line 127.0.0.1:1
expect 1 creel --rm=http://127.0.0.1:1 node -list; one_line 127.0.0.1:1
expect 5 creel --rm "$CREEL_RM" run -- sh -c 'exit 5'
expect 2 creel --rm "$CREEL_RM"; one_line "--rm must be followed by a command"
expect 2 creel --rm "$CREEL_RM" jobs; one_line "did you mean creel job"
echo "ok bad input"

# --- dev: folder in use, port busy, status, restart, a daemon's death is reported
expect 1 creel dev --detach --port 0 --dir "$DEV"; one_line "in use"
expect 2 creel dev --policy lottery --port 0 --dir "$T/other"; one_line lottery
expect 1 creel dev --detach --port "${CREEL_RM##*:}" --dir "$T/other"
one_line "port ${CREEL_RM##*:}"
expect 0 creel dev --status --dir "$DEV"
check_equal "$(grep -c running "$T/o")" 3 "running daemons"
kill -9 "$(daemon_pid nm-2)"
wait_for 10 "report in dev.log" grep -q 'nm-2 .*signal 9.*creel dev --restart nm-2' "$DEV/dev.log"
expect 1 creel dev --status --dir "$DEV"
expect 0 creel dev --restart nm-2 --dir "$DEV"
wait_for 10 "nm-2" nodes_running 2
expect 2 creel dev --restart nm-9 --dir "$DEV"; one_line nm-9

# --- run and logs -f survive restarts of their node and the RM: nothing lost, nothing twice
creel run --name ticker -- sh -c 'for i in $(seq 40); do echo $i; sleep 0.1; done; exit 5' \
    > "$T/ticks" 2> "$T/ticks.err" &
run=$!
started() {
    id=$(creel job list --json |
        jq -r '.jobs[] | select(.name == "ticker" and .state == "RUNNING") | .id') && [ -n "$id" ]
}
wait_for 20 "ticker" started
creel logs "$id" -f > "$T/ticks2" 2> "$T/ticks2.err" &
logs=$!
wait_for 20 "ticks" test -s "$T/ticks"
for nm in nm-1 nm-2; do
    kill -9 "$(daemon_pid $nm)"
    expect 0 creel dev --restart $nm --dir "$DEV"
done
kill -9 "$(daemon_pid rm-1)"
expect 0 creel dev --restart rm-1 --dir "$DEV"
rc=0
wait $run || rc=$?
check_equal $rc 5 "status over restarts: $(cat "$T/ticks.err")"
seq 40 | cmp - "$T/ticks" || fail "output over restarts"
wait $logs || fail "logs -f over restarts: $(cat "$T/ticks2.err")"
sed 's/^.*| //' "$T/ticks2" | cmp - "$T/ticks" || fail "logs -f over restarts"
wait_for 20 "two nodes" nodes_running 2
echo "ok restarts"

# --- stop: daemons and containers are gone
creel job submit --task "echo \$\$ > $T/left; exec sleep 1000" > /dev/null
wait_for 20 "a container" test -s "$T/left"
pids=("$(daemon_pid rm-1)" "$(daemon_pid nm-1)" "$(daemon_pid nm-2)" "$(cat "$T/left")")
expect 0 creel dev --stop --dir "$DEV"
for p in "${pids[@]}"; do wait_for 5 "end of process $p" gone "$p"; done
expect 1 creel dev --status --dir "$DEV"
echo "ok dev"
