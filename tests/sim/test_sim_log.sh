#!/usr/bin/env bash
# Goal: equal seeds give byte-equal event logs: in another run, with other processes, in every build
# and by every compiler.
# Method: a busy cluster in three racks and one with deadlines, each twice under every policy of the
# registry: once in one process, once in two. All builds share one list of the logs' checksums,
# tests/sim/log_hashes.
# usage: test_sim_log.sh [--update]: rewrites the list, after an intended change of scheduling.
set -euo pipefail
BIN=${CREEL_BIN:?}
HASHES=$(dirname "${BASH_SOURCE[0]}")/log_hashes
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# All policies: the words at the left of their paragraph.
policies=$("$BIN/creel" sim --list |
    awk '/^Policies/ { f = 1; next }
        /^$/ { f = 0 }
        f && /^  [a-z]/ { printf "%s%s", c, $1; c = "," }')
[[ $policies == fifo,*,hfsp,* ]] || fail "policies: $policies"
# sim ARGUMENTS...
sim() {
    "$BIN/creel" sim --policy "$policies" --slowdown off --format csv "$@" > "$T/out" 2> "$T/err" ||
        fail "creel sim $*: $(cat "$T/err")"
}
# logs FOLDER PROCESSES SEED
logs() {
    mkdir "$T/$1"
    sim --workload w-hsrtf --nodes 16 --map-slots 4 --racks 3 --seed "$3" --jobs "$2" \
        --log "$T/$1/racks.csv"
    sim --workload w-rtmr-1 --nodes 30 --map-slots 2 --reduce-slots 1 --oob off --seed "$3" \
        --jobs "$2" \
        --log "$T/$1/dates.csv"
}
logs one 1 7
logs two 2 7
logs other 2 8
for log in "$T"/one/*; do
    cmp "$log" "$T/two/${log##*/}" || fail "${log##*/} is another one in other processes"
done
for policy in ${policies//,/ }; do
    for name in racks dates; do
        log=$name-$policy-seed7.csv
        [[ $(wc -l < "$T/one/$log") -gt 500 ]] || fail "$log: $(wc -l < "$T/one/$log") lines"
        [[ $(grep -c ^time_us "$T/one/$log") == 1 ]] || fail "$log: $(head -n 3 "$T/one/$log")"
        ! cmp -s "$T/one/$log" "$T/other/${log/seed7/seed8}" ||
            fail "$log: equal to that of another seed"
    done
done
echo "ok equal seeds, equal logs"

(cd "$T/one" && sha256sum ./*-seed7.csv | sed 's|\./||') > "$T/hashes"
if [[ ${1-} == --update ]]; then
    cp "$T/hashes" "$HASHES"
    echo "wrote $HASHES"
    exit 0
fi
diff "$HASHES" "$T/hashes" >&2 ||
    fail "logs differ from those of other builds." \
        "If scheduling was changed on purpose: CREEL_BIN=$BIN $0 --update"
echo "ok logs as in every build"
