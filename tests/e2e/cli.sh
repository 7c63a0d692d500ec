#!/usr/bin/env bash
# Goal: the creel command does what its help says on a real cluster.
# Method: creel dev with 2 NodeManagers; run (status, both streams, signals, Ctrl-C), submit --wait against the
# pipeline, list, status, kill, counters, logs, application, node; bad input is one line and status 2.
. "$(dirname "$0")/cli_lib.sh"
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
echo "ok run"

# --- Ctrl-C: the command's whole tree is gone, exit 130
"$BIN/creel" run -- sh -c "sleep 1000 & echo \$! > $T/inner; echo \$\$ > $T/outer; wait" > "$T/o" 2> "$T/e" &
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

# --- submit --wait: the same as the pipeline
mkdir "$T/in put"
cp -L /usr/share/common-licenses/{GPL-2,GPL-3,Artistic} "$T/in put/"
wc_expected "$T/in put/"* > "$T/expected"
cd "$T"
expect 0 creel job submit --name wörds --input "in put" --output "out put" --map "$WC_MAP" --combine "$WC_SUM" \
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
check_equal "$(grep -c '^task_' "$T/o")" "$(creel job status "$id" --json | jq '.job.taskCounts | .map.total + .reduce.total')" tasks
expect 0 creel job counters "$id" --json
check_equal "$(jq .counters.MAP_INPUT_BYTES "$T/o")" "$(cat "$T/in put/"* | wc -c)" "bytes read"
check_equal "$(jq .counters.REDUCE_OUTPUT_RECORDS "$T/o")" "$(wc -l < "$T/expected")" "lines written"
expect 0 creel application -list -appStates FINISHED -appTypes MAPREDUCE
grep -q "$id" "$T/o" || fail "application -list: $(cat "$T/o")"
expect 0 creel app -status "$id" --json
check_equal "$(jq -r .app.finalStatus "$T/o")" SUCCEEDED "application's result"
expect 0 creel node -list
check_equal "$(grep -c RUNNING "$T/o")" 2 nodes
expect 0 creel node -status "$(awk 'NR == 2 {print $1}' "$T/o")"
expect 0 creel version
id=$(creel job submit --task 'echo to-out; echo to-err >&2' --task 'echo second; sleep 0.3; echo third' --count 1)
expect 0 creel logs "$id" -f
grep -q '_m_000000| to-out' "$T/o" && grep -q '_m_000001| third' "$T/o" || fail "logs -f: $(cat "$T/o")"
grep -q '_m_000000| to-err' "$T/e" || fail "logs -f, stderr: $(cat "$T/e")"
wait_for 20 "end of job" job_is "$id" FINISHED/SUCCEEDED
expect 0 creel logs "$id"
grep -q '==> task_.*: stdout <==' "$T/o" && grep -q '^third$' "$T/o" || fail "logs: $(cat "$T/o")"
expect 0 creel logs "${id/application/task}_m_000000" -log_files stderr
check_equal "$(cat "$T/o")" to-err "log of one task"
container=$(creel job status "$id" --tasks --json | jq -r '.tasks[1].containerId')
expect 0 creel logs -applicationId "$id" -containerId "$container" -log_files stdout
check_equal "$(cat "$T/o")" "$(printf 'second\nthird')" "log of one container"
echo "ok list, status, counters, logs"

# --- kill; a job that fails
id=$(creel job submit --task 'sleep 1000' --name sleeper)
expect 0 creel job kill "$id"
check_equal "$(job_state "$id")" KILLED/KILLED "killed job"
expect 1 creel job submit --max-attempts 1 --task 'echo the reason >&2; exit 3' --wait
grep -q "the reason" "$T/e" || fail "diagnostics: $(cat "$T/e")"
echo "ok kill, failure"

# --- bad input: one line, status 2; not found 4; nobody there 3
job() { creel job submit --input "$T/in put" --output "$T/never" --map cat "$@"; }
expect 2 job --input /no/such/file; one_line /no/such/file
expect 2 job --output "$T/out put"; one_line "out put"
expect 2 job --queue nowhere; one_line nowhere
expect 2 job --reduces -1; one_line reduces -1
expect 2 job --reduces x; one_line reduces
expect 2 job --map ''; one_line map
expect 2 job --split-size 0; one_line split-size
expect 2 job --split-size big; one_line split-size big
expect 2 job --max-attempts 0; one_line max-attempts
expect 2 job --bogus; one_line bogus
expect 2 creel job submit; one_line
echo '[]' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line tasks
echo '[{"kind":"map","comand":"x"}]' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line comand command
echo '[{' > "$T/tasks"; expect 2 creel job submit --tasks "$T/tasks"; one_line tasks
expect 2 creel job submit --tasks "$T/nofile"; one_line nofile
expect 2 creel run; one_line
expect 2 creel nonsense; one_line nonsense
expect 2 creel application -list -appStates BOGUS; one_line BOGUS
[ ! -e "$T/never" ] || fail "a refused job left its output folder"
for command in "job status" "job kill" "job counters" "logs" "application -status" "application -kill"; do
    expect 4 creel $command application_1_0001; one_line application_1_0001
    expect 2 creel $command application_x; one_line application_x
done
expect 4 creel node -status nowhere:1; one_line nowhere:1
expect 3 creel job list --rm http://127.0.0.1:1; one_line 127.0.0.1:1
expect 0 creel job list --rm "http://127.0.0.1:1,$CREEL_RM"
echo "ok bad input"

# --- dev: in use, port busy, status, restart, a death is reported
expect 1 creel dev --detach --port 0 --dir "$DEV"; one_line "in use"
expect 2 creel dev --policy lottery --port 0 --dir "$T/other"; one_line lottery
expect 1 creel dev --detach --port "${CREEL_RM##*:}" --dir "$T/other"; one_line "port ${CREEL_RM##*:}"
expect 0 creel dev --status --dir "$DEV"
check_equal "$(grep -c running "$T/o")" 3 "running daemons"
kill -9 "$(daemon_pid nm-2)"
wait_for 10 "report in dev.log" grep -q 'nm-2 .*signal 9.*creel dev --restart nm-2' "$DEV/dev.log"
expect 1 creel dev --status --dir "$DEV"
expect 0 creel dev --restart nm-2 --dir "$DEV"
wait_for 10 "nm-2" nodes_running 2
expect 2 creel dev --restart nm-9 --dir "$DEV"; one_line nm-9

# --- run and logs -f outlive their node's and the RM's restart: nothing lost, nothing twice
creel run --name ticker -- sh -c 'for i in $(seq 40); do echo $i; sleep 0.1; done; exit 5' > "$T/ticks" 2> "$T/ticks.err" &
run=$!
started() { id=$(creel job list --json | jq -r '.jobs[] | select(.name == "ticker" and .state == "RUNNING") | .id') && [ -n "$id" ]; }
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
