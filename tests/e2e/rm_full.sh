#!/usr/bin/env bash
# Goal: a full disk under the ResourceManager's store loses nothing that was acknowledged:
# submissions get 503 until there is room again, without a restart.
# Method: the state folder on a tiny tmpfs of the test's own (needs root; skipped without).
. "$(dirname "$0")/lib.sh"
RM_PID=
undo() {
    [ -z "$RM_PID" ] || kill -9 "$RM_PID" 2> /dev/null || true
    umount -l "$T/small" 2> /dev/null || true
}
trap 'undo; cleanup' EXIT
mkdir -p "$DEV" "$T/small"
mount -t tmpfs -o size=1m none "$T/small" 2> /dev/null ||
    { echo "skipped: no right to mount"; exit 0; }
start_rm() {
    rm -f "$T/url"
    "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/small/state" \
        --url-file "$T/url" 2>> "$DEV/rm.log" &
    RM_PID=$!
    wait_for 10 "creel-rm" test -s "$T/url"
    RM=$(cat "$T/url")
}
submit() { # NAME: prints the status; the id in $T/body
    jq -n --arg name "$1" --arg pad "$PAD" \
        '{job: {name: $name, tasks: [{command: ("true #" + $pad)}]}}' > "$T/job"
    curl -s -o "$T/body" -w '%{http_code}' -H 'Content-Type: application/json' \
        --data-binary "@$T/job" \
        "$RM/ws/v1/cluster/jobs"
}
stored_again() { [ "$(submit later)" = 201 ]; }

PAD=$(head -c 50000 /dev/zero | tr '\0' x)
start_rm
for i in $(seq 100); do
    status=$(submit "job$i")
    [ "$status" = 201 ] || break
    jq -r .job.id "$T/body" >> "$T/acknowledged"
done
check_equal "$status" 503 "status on a full disk"
grep -q 'No space left on device' "$T/body" || fail "the answer does not say why: $(cat "$T/body")"
check_equal "$(submit again)" 503 "status while it is full"
check_equal "$(curl -s -o /dev/null -w '%{http_code}' "$RM/ws/v1/cluster/jobs")" 200 \
    "reading while it is full"
mount -o remount,size=64m "$T/small"
wait_for 10 "store that goes on" stored_again
jq -r .job.id "$T/body" >> "$T/acknowledged"
kill -9 "$RM_PID"
wait "$RM_PID" 2> /dev/null || true
start_rm
curl -s "$RM/ws/v1/cluster/jobs?limit=1000" | jq -r '.jobs[].id' | sort > "$T/kept"
[ -z "$(sort "$T/acknowledged" | comm -23 - "$T/kept")" ] || fail "acknowledged jobs are missing"
kill -TERM "$RM_PID"
wait "$RM_PID" || fail "creel-rm ended with $?"
RM_PID=
echo "$(wc -l < "$T/acknowledged") acknowledged jobs kept over a full disk"
