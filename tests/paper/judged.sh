#!/usr/bin/env bash
# Goal: a run of the papers' experiments fails when a row is red and not listed, or listed and not
# red. Method: judge.py with small tables and lists; then with the real list, of which it must be
# able to read every line.
set -euo pipefail
judge=$CREEL_SOURCE/tests/paper/judge.py
dir=$(mktemp -d "${TMPDIR:-/tmp}/creel-judged.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# table SEEDS VERDICT: one row
table() {
    printf '[{"paper":"p","id":"R","of":"","published":"","here":"","criterion":"",%s}]\n' \
        "\"verdict\":\"$2\"" > "$1.json"
}

# expect STATUS WHEN SEEDS...: judge.py's exit status; WHEN "": the row is not listed
expect() {
    local wanted=$1 when=$2 rc=0
    shift 2
    if [[ $when ]]; then printf 'p\tR\t%s\tbecause\n' "$when"; fi > list
    python3 "$judge" --known list "${@/%/.json}" > out 2>&1 || rc=$?
    [[ $rc == "$wanted" ]] ||
        { echo "list \"$when\", seeds $*: exit $rc, expected $wanted"; cat out; exit 1; }
}

table 1-10 pass
table 11-20 FAIL
expect 0 "" 1-10
expect 1 "" 11-20
expect 1 "" 1-10 11-20
expect 0 always 11-20
expect 1 always 1-10
expect 1 always 1-10 11-20
expect 0 11-20 1-10
expect 0 11-20 11-20
expect 0 11-20 1-10 11-20
expect 1 1-10 1-10
expect 1 1-10 11-20
expect 1 1-10,11-20 1-10 11-20
expect 1 some 1-10
grep -q "expected paper, row" out
table 1-10 reported
expect 1 always 1-10
echo '[]' > 1-10.json
expect 1 "" 1-10

table 1-10 pass
python3 "$judge" --known "$CREEL_SOURCE/tests/paper/known_red.tsv" 1-10.json > out
