#!/usr/bin/env bash
# Goal: people can use the ResourceManager's pages: wide and narrow, light and dark, by keyboard,
# with and without scripts; what is shown stays up to date; names do no harm.
# Method: a real cluster, looked at in a headless Chromium through its debugging pipe.
command -v chromium > /dev/null ||
    { echo "no chromium here (deploy/install-deps): skipped"; exit 77; }
. "$(dirname "$0")/lib.sh"

start_cluster --nodes 2
wait_for 30 "nodes" nodes_running 2
job=$(jq -n --arg go "$T/go" '{job: {
    name: "<script>document.title = \"owned\"</script>",
    tasks: [{command: "until [ -e \($go) ]; do sleep 0.1; done", count: 3}]}}' |
    curl -sf -H 'Content-Type: application/json' -d @- "$CREEL_RM/ws/v1/cluster/jobs" |
    jq -r .job.id)
wait_for 30 "running job" job_is "$job" RUNNING/UNDEFINED
python3 "$(dirname "$0")/rm_pages.py" "$CREEL_RM" "$job" "$T/go" "$T"
