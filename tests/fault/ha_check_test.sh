#!/usr/bin/env bash
# Goal: the checks of tests/fault/run find each kind of breach, and nothing in a run where all went
# well.
# Method: ledgers, logs and clients' answers as such a run leaves them, each with one thing wrong;
# no daemon.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/ha_world.sh"
. "$here/ha_lib.sh"
. "$here/ha_check.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/creel-check.XXXXXX")
trap 'rm -rf "$T"' EXIT
W=$T/world
C=container_e01_1700000000000_0001_01_00000 A=application_1700000000000_0001

# A node with 3 map slots: containers 1 to 3 at once; the third is killed at 5 s, 4 takes its place.
good_world() {
    rm -rf "$W"
    mkdir -p "$W/nm1" "$W/rm1" "$W/out-job1"
    : > "$T/violations" && : > "$W/faults" && : > "$W/asked" && : > "$W/rm1/log"
    local i
    for i in 1 2 3; do
        echo "S ${i}000000000 $C$i task_m_00000$i 0 10.77.0.21 10$i 7" >> "$W/ledger"
    done
    echo "S 6000000000 ${C}4 task_m_000004 0 10.77.0.21 104 7" >> "$W/ledger"
    for i in 1 2 4; do
        echo "E 9000000000 $C$i task_m_00000$i 0 10.77.0.21 10$i 7" >> "$W/ledger"
    done
    {
        echo "<7>1970-01-01T00:00:01.000Z nm: launch order carried out: ${C}1 epoch 1"
        echo "<7>1970-01-01T00:00:05.000Z nm: kill order carried out: ${C}3 epoch 2"
    } > "$W/nm1/log"
    printf 'a\t1\n' | tee "$T/expected" > "$W/out-job1/part-00000"
    touch "$W/out-job1/_SUCCESS"
    printf 'submit job %s job1\nsubmit app %s app1\nsubmit job %s doomed\nkill %s KILLED\n' "$A" \
        "${A}2" "${A}3" "${A}3" > "$W/acks"
    echo "move $A root.a" >> "$W/acks"
    LIST="$A FINISHED SUCCEEDED job1"$'\n'"${A}2 FINISHED SUCCEEDED app1"
    LIST+=$'\n'"${A}3 KILLED KILLED doomed"
}
# found WHAT: the checks report a breach that begins with WHAT; NONE: they report nothing.
found() {
    check_acks "$LIST" 2> /dev/null
    check_moves
    check_outputs "$LIST" 2> /dev/null
    check_ledger
    if [ "$1" = NONE ]; then
        [ ! -s "$T/violations" ] || fail "nothing is wrong, and yet: $(cat "$T/violations")"
    else
        grep -q "^$1" "$T/violations" || fail "'$1' is not found: $(cat "$T/violations")"
    fi
    n=$((n + 1))
    good_world
}
rm_call() { echo '{"queue":"root.a"}'; }
n=0
good_world
found NONE

# --- what was acknowledged
LIST=$(sed 1d <<< "$LIST") && found "I1 job $A (job1) was acknowledged, and is not known"
LIST=${LIST/KILLED KILLED/RUNNING UNDEFINED} && found "I1 the kill of ${A}3 was acknowledged"
LIST=${LIST/SUCCEEDED job1/FAILED job1} && found "I5 $A (job1) failed"
LIST=${LIST/FINISHED SUCCEEDED app1/KILLED KILLED app1} &&
    found "I5 ${A}2 (app1) was killed by nobody"
LIST=${LIST/FINISHED SUCCEEDED job1/RUNNING UNDEFINED job1} && found "I5 not ended: $A"

echo "move ${A}2 root.b" >> "$W/acks" &&
    found "I1 the move of ${A}2 to root.b was acknowledged, and it is in root.a"

# --- output
rm "$W/out-job1/_SUCCESS" && found "I2 job1 has no _SUCCESS"
rm -r "$W/out-job1" && found "I2 job1 has no _SUCCESS"
mkdir "$W/out-job1/_temporary" && found "I2 job1 has left _temporary"
cp "$W/out-job1/part-00000" "$W/out-job1/part-00001" && found "I2 job1 has 2 parts"
: > "$W/out-job1/part-00000" && found "I2 the output of job1"

# --- containers and orders
echo "S 7000000000 ${C}1 task_m_000001 0 10.77.0.21 190 8" >> "$W/ledger" &&
    found "I4 ${C}1 was started twice"
sed -i "/^E .*${C}1 /s/ 101 7/ 101 8/" "$W/ledger" && found "I4 ${C}1 ended as another process"
sed -i "/^E .*${C}1 /d" "$W/ledger" && found "I4 ${C}1 on 10.77.0.21 ended without an order"
echo "<7>1970-01-01T00:00:07.000Z nm: launch order carried out: ${C}9 epoch 1" >> "$W/nm1/log" &&
    found "I3 .*of epoch 1 after epoch 2"
sed -i "s/^S 6000000000/S 4000000000/" "$W/ledger" &&
    found "I3 4 map containers at work on 10.77.0.21"
[ $n = 17 ] || fail "$n worlds instead of 17"
echo "$n worlds: each breach found"
