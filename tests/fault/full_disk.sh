#!/usr/bin/env bash
# Goal: a full disk fails the task there with "No space left on device" and marks the node
# unhealthy, and the job finishes elsewhere; with room again the node is healthy again.
# Method: one of two NodeManagers has its folder on a small tmpfs, mounted in a mount namespace of
# this test's own.
if [ -z "${CREEL_IN_NAMESPACE:-}" ]; then
    root=-r
    [ "$(id -u)" -ne 0 ] || root=
    unshare $root -m true 2> /dev/null || { echo "no mount namespaces here: skipped"; exit 77; }
    CREEL_IN_NAMESPACE=1 exec unshare $root -m "$0"
fi
. "$(dirname "$0")/../e2e/lib.sh"
mkdir -p "$DEV/nm-1" "$T/in"
cleanup_more() { umount -l "$DEV/nm-1"; }
mount -t tmpfs -o size=16m,mode=0755 tmpfs "$DEV/nm-1"
for i in 1 2 3 4 5 6 7 8; do
    awk -v s=$i 'BEGIN {
            for (i = 0; i < 150000; i++) {
                s = (s * 1103515245 + 12345) % 2147483648
                printf "w%d%s", s % 5000, (i % 9 ? " " : "\n")
            }
        }' |
        tr 0-9 a-j > "$T/in/$i"
done
wc_expected "$T/in"/* > "$T/expected"
start_cluster --nodes 2 -D creel.nodemanager.min-free-disk-mb=0
head -c 15M /dev/zero > "$DEV/nm-1/filler"
id=$(creel job submit --name full --input "$T/in" --output "$T/out" --map "$WC_MAP" \
    --reduce "$WC_SUM" --reduces 2 --json | jq -r '.job.id // .id')
node=$(sed 's|.*//||' "$DEV/nm-1.url")
node_state() {
    curl -sf "$CREEL_RM/ws/v1/cluster/nodes/$node" | jq -r '.node.state + " " + .node.healthReport'
}
unhealthy() { [[ $(node_state) == "UNHEALTHY "*"No space left on device"* ]]; }
healthy() { [[ $(node_state) == "RUNNING "* ]]; }
wait_for 60 "unhealthy node" unhealthy
wait_for 120 "end of the job" job_ended "$id"
job_is "$id" FINISHED/SUCCEEDED ||
    fail "job: $(job_state "$id"): $(job_diagnostics "$id")"
check_output "$T/out" "$T/expected" 2
curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$id/tasks" |
    jq -e '[.tasks[] | select(.attempts > 1)] | length > 0' > /dev/null ||
    fail "no task was tried twice"
rm "$DEV/nm-1/filler"
wait_for 30 "healthy node" healthy
echo "the job went on elsewhere; the node came back with room"
