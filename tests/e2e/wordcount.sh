#!/usr/bin/env bash
# Goal: word count over a real cluster equals the pipeline, byte for byte.
# Method: 3 NodeManagers; 1, 7 and 40 reduces; with and without combine; gzip; empty files; lines
# longer than a split.
. "$(dirname "$0")/lib.sh"
start_cluster --nodes 3
mkdir "$T/in"
cp -L /usr/share/common-licenses/* "$T/in/"
gzip -c "$T/in/GPL-3" > "$T/in/packed.gz"
: > "$T/in/empty"
awk 'BEGIN {
    for (i = 0; i < 3000; i++) printf "longline%d ", i % 97
    print ""
    print "tail without newline"
    printf "last"
}' > "$T/in/long"
mapfile -t files < <(find "$T/in" -type f | LC_ALL=C sort)
# The pipeline must not join a last line without a newline to the next file.
for f in "${files[@]}"; do
    case $f in *.gz) gzip -dc "$f" ;; *) cat "$f" ;; esac; echo
done | sh -c "$WC_MAP" | LC_ALL=C sort | sh -c "$WC_SUM" | LC_ALL=C sort > "$T/expected"
run() { # NAME REDUCES EXTRA...
    local name=$1 reduces=$2
    shift 2
    creel job submit --name "$name" --input "$T/in" --output "$T/out-$name" --map "$WC_MAP" \
        --reduce "$WC_SUM" --reduces "$reduces" --wait "$@" > "$T/$name.log" ||
        { cat "$T/$name.log" >&2; fail "job $name failed"; }
    check_output "$T/out-$name" "$T/expected" "$reduces"
    echo "ok $name"
}
run plain1 1
run plain7 7
run combine1 1 --combine "$WC_SUM"
run combine7 7 --combine "$WC_SUM"
run combine40 40 --combine "$WC_SUM"
run smallsplits 3 --combine "$WC_SUM" --split-size 4000

# The machine's own folder of licences too, following links.
cat /usr/share/common-licenses/* | sh -c "$WC_MAP" | LC_ALL=C sort | sh -c "$WC_SUM" |
    LC_ALL=C sort > "$T/expected"
creel job submit --name licences --input /usr/share/common-licenses --output "$T/lic" \
    --map "$WC_MAP" \
    --combine "$WC_SUM" --reduce "$WC_SUM" --reduces 3 --wait > "$T/lic.log"
check_output "$T/lic" "$T/expected" 3

# Map only: the map's output is the job's output.
creel job submit --name maponly --input "$T/in/long" --output "$T/maponly" --map "tr a-z A-Z" \
    --reduces 0 --wait > "$T/mo.log"
[ -f "$T/maponly/_SUCCESS" ] || fail "map-only job has no _SUCCESS"
tr a-z A-Z < "$T/in/long" | cmp - "$T/maponly/part-00000" || fail "map-only output differs"
echo "all word counts equal the pipeline"
