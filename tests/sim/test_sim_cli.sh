#!/usr/bin/env bash
# Goal: creel sim does what its options say, gives the same result for the same seed, and names the
# key when it refuses one.
# Method: small simulations, whose output is read back; every mistake once.
set -euo pipefail
BIN=${CREEL_BIN:?}
SOURCE=${CREEL_SOURCE:?}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
sim() { "$BIN/creel" sim "$@"; }
# expect STATUS ARGUMENTS...: output in $T/o, errors in $T/e
expect() {
    local want=$1 got=0
    shift
    sim "$@" > "$T/o" 2> "$T/e" < /dev/null || got=$?
    [[ $got == "$want" ]] || fail "creel sim $*: status $got, not $want: $(cat "$T/e")"
}
# refused TEXT ARGUMENTS...: status 2; the first error line begins like all of ours, TEXT is in one
refused() {
    local text=$1
    shift
    expect 2 "$@"
    head -n 1 "$T/e" | grep -q '^creel: ' || fail "creel sim $*: no error line: $(cat "$T/e")"
    grep -qF -- "$text" "$T/e" || fail "creel sim $*: no '$text' in: $(cat "$T/e")"
    [[ ! -s $T/o ]] || fail "creel sim $*: refused and yet printed $(cat "$T/o")"
}
# column FILE NAME FILTER: the values of a column, in the lines that meet the awk condition
column() {
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        '"${3:-1}"' { print $c }' "$1"
}

# --- the single server on both traces, against published values, within 1e-3
single() { # TRACE LOAD POLICY=MEAN...
    local trace=$1 load=$2 file
    shift 2
    file=$SOURCE/tests/paper/traces/${trace}_samples_24_times_1hr_0.tsv
    expect 0 --single-server --workload "swim:$file" --load "$load"
    [[ $(head -n 1 "$T/o") == policy,mean_sojourn_s ]] || fail "first line: $(head -n 1 "$T/o")"
    for pair in "$@"; do
        awk -F, -v p="${pair%=*}" -v want="${pair#*=}" '
            $1 == p { x = $2 / want - 1; found = x < 1e-3 && x > -1e-3 }
            END { exit !found }' "$T/o" || fail "$trace, load $load, $pair: $(cat "$T/o")"
    done
}
single FB-2009 0.9 fifo=11135.4592 ps=75.1711 las=49.0899 fsp=32.8430 srpt=32.4864
single FB-2010 0.9 fifo=1933.9114 ps=27.7486 las=17.3957 fsp=10.3813 srpt=9.7925
single FB-2009 0.5 fifo=2216.3378 ps=19.1231 fsp=11.9273 srpt=11.7071
single FB-2010 0.5 fifo=319.3678 ps=5.9788 fsp=3.4762 srpt=3.4538
refused "there are" --single-server --workload w-hfs --policy nonsense
expect 0 --single-server --workload w-hsrtf --policy srpt,fifo --format json --seeds 1-3
jq -e 'length == 2 and .[0].policy == "srpt" and .[0].mean_sojourn_s < .[1].mean_sojourn_s' \
    "$T/o" > /dev/null || fail "json: $(cat "$T/o")"
echo "ok single server"

# --- HFSP's Fig. 7: exact, as the heartbeat interval of 0 reports each event at once
fig7=(--workload hfsp-fig7 --nodes 4 --map-slots 0 --reduce-slots 2 --heartbeat 0
    --set hfsp.sizes=given --policy hfsp)
for pair in eager=520 wait=912; do
    expect 0 "${fig7[@]}" --set hfsp.preemption="${pair%=*}" --set tasks=11 --format csv
    got=$(column "$T/o" sojourn_mean_s '$2 == "all"')
    [[ $got == "${pair#*=}" ]] || fail "Fig. 7, $pair: $got"
done
echo "ok figure 7"

# --- the formats agree; there is a row for every variation, policy and class
run=(--workload w-hsrtf --nodes 58 --map-slots 8 --policy fifo,hsrtf-pr --seeds 1-3)
expect 0 "${run[@]}" --format csv
cp "$T/o" "$T/csv"
[[ $(wc -l < "$T/csv") == 9 ]] || fail "rows: $(cat "$T/csv")"
expect 0 "${run[@]}" --format json
for policy in fifo hsrtf-pr; do
    jq -r --arg p $policy '.results[] | select(.policy == $p).classes[]
        | select(.class == "all").sojourn_mean_s.mean' "$T/o" > "$T/json"
    column "$T/csv" sojourn_mean_s "\$1 == \"$policy\" && \$2 == \"all\"" | cmp - "$T/json" ||
        fail "CSV and JSON differ"
done
column "$T/csv" bound_ratio '$2 == "all"' | awk '{ if ($1 < 1) exit 1 }' ||
    fail "better than the bound"
expect 0 "${run[@]}" --slowdown off
grep -q '^policy .*mean sojourn (s) *lower bound (s)' "$T/o" || fail "table: $(cat "$T/o")"
echo "ok formats"

# --- the same seed gives the same result, with any number of processes
expect 0 "${run[@]}" --format csv --jobs 1
cmp "$T/o" "$T/csv" || fail "another number of processes gives another result"
one=(--workload w-hsrtf --nodes 20 --policy hfsp --seed 7)
expect 0 "${one[@]}" --log "$T/a.csv"
expect 0 "${one[@]}" --log "$T/b.csv"
cmp "$T/a.csv" "$T/b.csv" || fail "logs differ"
[[ $(head -n 1 "$T/a.csv") == time_us,event,* ]] || fail "log: $(head -n 2 "$T/a.csv")"
expect 0 "${one[@]}" --seeds 7-8 --log "$T/c.csv"
cmp "$T/a.csv" "$T/c-hfsp-seed7.csv" || fail "the log of one of several runs differs"
cmp -s "$T/a.csv" "$T/c-hfsp-seed8.csv" && fail "another seed gives the same log"
echo "ok seeds"

# --- traces; bad lines
printf 'submit_s,maps,map_s,name\n0,2,10,a\n5,x,10,b\n6,1,10,c\n' > "$T/t.csv"
refused "$T/t.csv:3: maps" --workload "csv:$T/t.csv"
expect 0 --workload "csv:$T/t.csv" --skip-bad --format csv
[[ $(column "$T/o" jobs '$2 == "all"') == 2 ]] || fail "jobs: $(cat "$T/o")"
grep -q 'passed over: 1' "$T/e" || fail "no word of the bad line: $(cat "$T/e")"
sed -i 3d "$T/t.csv"
sim --workload csv:- --format csv < "$T/t.csv" > "$T/o"
[[ $(column "$T/o" jobs '$2 == "all"') == 2 ]] || fail "from standard input: $(cat "$T/o")"
refused "standard input" --workload csv:- --seeds 1-2
mkfifo "$T/pipe"
cat "$T/t.csv" > "$T/pipe" &
expect 0 --workload "csv:$T/pipe" --format csv
wait
[[ $(column "$T/o" jobs '$2 == "all"') == 2 ]] || fail "from a pipe: $(cat "$T/o")"
refused "pipes" --workload "csv:$T/pipe" --policy fifo,fair
printf 'submit_s,mapz\n0,2\n' > "$T/n.csv"
refused "$T/n.csv:1: column 'mapz'" --workload "csv:$T/n.csv" --skip-bad
printf '{"submit_s":0,"maps":1,"map_durations_s":[7]}\n' > "$T/h.jsonl"
expect 0 --history "$T/h.jsonl" --heartbeat 0 --set f_off=1 --set f_rack=1 --format csv
[[ $(column "$T/o" sojourn_mean_s '$2 == "all"') == 7 ]] || fail "history: $(cat "$T/o")"
echo "ok traces"

# --- sweeps
expect 0 --workload w-hsrtf --policy fifo,fair --sweep nodes=20,58 --sweep f_off=1,2 \
    --format csv --slowdown off
[[ $(column "$T/o" variation '$3 == "all"' | sort | uniq -c | wc -l) == 4 ]] ||
    fail "variations: $(cat "$T/o")"
more=$(column "$T/o" sojourn_mean_s '$3 == "all" && $1 == "nodes=20 f_off=2" && $2 == "fifo"')
less=$(column "$T/o" sojourn_mean_s '$3 == "all" && $1 == "nodes=58 f_off=1" && $2 == "fifo"')
awk -v a="$more" -v b="$less" 'BEGIN { exit !(a > b) }' ||
    fail "fewer nodes and remote maps are not slower: $more $less"
expect 0 --workload w-rtmr-1 --policy fifo --set groups=20x4+1/10x2+1@0.8
slots="20 nodes with 4 map and 1 reduce slots, 10 nodes with 2 map and 1 reduce slots of speed 0.8"
grep -q "$slots" "$T/o" || fail "groups: $(cat "$T/o")"
echo "ok sweeps"

# --- arguments that are refused, and in which words
refused "what is to be simulated" --policy fifo
refused "w-hfsp" --workload w-hfps
refused "there is no policy \"fare\" (did you mean fair?): there are fifo," \
    --workload w-hfs --policy fare
refused "hfsp.xi" --workload w-hfs --policy hfsp --set hfsp.xi=0.5
refused "hfsp.sample_maps" --workload w-hfs --policy hfsp --set hfsp.sample_maps=0
refused "delay.w1" --workload w-hfs --set delay.w1=-1
refused "of policies: delay.w1" --workload w-hfs --set nonsense=1
refused "nodes: \"0\"" --workload w-hfs --nodes 0
refused "groups: \"20x4\"" --workload w-hfs --set groups=20x4
refused "nodes: groups" --workload w-hfs --set groups=2x2+2/1x1+1 --nodes 3
refused "slowstart" --workload w-hfs --slowstart 2
refused "cv: \"-1\"" --workload w-hfs --sweep cv=0,-1
refused "both 0" --workload w-hfs --map-slots 0 --reduce-slots 0
refused "did you mean --seeds" --workload w-hfs --sedes 1
refused "--format" --workload w-hfs --format yaml
refused "--seeds" --workload w-hfs --seeds 9-1
refused "needs a value" --workload
refused "takes no value" --list=1
refused "--out" --workload w-hfs --out "" # must not become the root of all folders
refused "--log" --workload w-hfs --log=
refused "--workload" --workload csv:
refused "--history" --history ""
expect 1 --paper hsrtf --out "$T/t.csv" # at once, not only after its runs
[[ ! -s $T/o ]] && grep -q 'cannot create folder' "$T/e" ||
    fail "a file as folder: $(cat "$T/o" "$T/e")"
refused "is unknown" --workload w-hfs --set hfsp.nonsense=1
[[ $(grep -o hfsp.xi "$T/e" | wc -l) == 1 ]] || fail "options are named twice: $(cat "$T/e")"
expect 1 --workload swim:/nonexistent/trace
grep -q '/nonexistent/trace' "$T/e" || fail "$(cat "$T/e")"
echo "ok refusals"

# --- a paper's rows: a row without a criterion says "reported", the others "pass" or "FAIL", and
# the status is 1 when one failed
for paper in hsrtf rtmr; do
    rc=0
    sim --paper "$paper" --seeds 1-1 --no-progress --format csv > "$T/rows" || rc=$?
    failed=0
    while read -r criterion verdict; do
        case $criterion,$verdict in
            reported,reported) ;;
            reported,* | *,reported)
                fail "--paper $paper: the criterion '$criterion' gave '$verdict'"
                ;;
            *,FAIL) failed=1 ;;
            *,pass) ;;
            *) fail "--paper $paper: '$verdict' is no verdict" ;;
        esac
    done < <(python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["criterion"].replace(" ", "_"), row["verdict"])' < "$T/rows")
    (($(grep -c ',reported$' "$T/rows") > 0 && $(grep -c ',pass$' "$T/rows") > 0)) ||
        fail "$(cat "$T/rows")"
    [[ $rc == "$failed" ]] ||
        fail "--paper $paper: status $rc, and its rows say $failed: $(cat "$T/rows")"
done
echo "ok verdicts of a paper"

# --- help and lists
expect 0 --help; grep -q -- '--single-server' "$T/o" || fail "help"
expect 0 --list
for word in hsrtf-prp hfsp.xi oob_heartbeat w-rtmr-2; do
    grep -q "$word" "$T/o" || fail "no $word in --list"
done
awk 'length > 200 { exit 1 }' "$T/o" || fail "long lines in --list"
# terminal COLUMNS COMMAND...: its output on a terminal of that width, in $T/wide. The examples'
# command lines, which do not wrap, are left out.
terminal() {
    script -qec "stty cols $1; $BIN/creel sim ${*:2}" /dev/null < /dev/null |
        tr -d '\r' | grep -v '^  creel sim ' > "$T/wide"
    awk -v wide="$1" 'length > wide {print; bad = 1} END {exit bad}' "$T/wide" ||
        fail "lines of more than $1 columns"
}
small="--workload w-hsrtf --policy fifo,hsrtf-pr --nodes 20 --slowdown off --no-progress"
for args in --help --list "$small"; do
    terminal 60 "$args"
    narrow=$(wc -l < "$T/wide")
    terminal 200 "$args"
    (($(wc -l < "$T/wide") < narrow)) || fail "200 columns are not used: $args"
done
# A table too wide for the terminal goes on below; each part begins with the names of its rows.
terminal 60 --workload w-hsrtf --policy fifo,hsrtf-pr --nodes 20 --slowdown off --no-progress
(($(grep -c '^policy ' "$T/wide") > 3)) || fail "$(cat "$T/wide")"
echo "ok width"

refused "did you mean nodes" --workload w-hsrtf --set nodez=3
refused "did you mean map_s" --workload w-hsrtf --set mapp_s=3
trace=$SOURCE/tests/paper/traces/FB-2009_samples_24_times_1hr_0.tsv
refused "did you mean origin" --workload "swim:$trace" --set orgin=3
refused "did you mean hfsp.resize" --workload w-hsrtf --set hfsp.resise=3
refused "did you mean hfsp" --workload w-hsrtf --policy hsfp
echo "ok did you mean"
echo "ok help"

# --- the report
report() { # the same with and without pictures
    if [[ -e $T/report ]]; then # nothing is overwritten
        refused "report is not empty; --force" "${run[@]}" --out "$T/report"
    fi
    expect 0 "${run[@]}" --out "$T/report" --force --format "$1" "${@:2}"
    for file in summary.csv summary.json jobs.csv manifest.json; do
        [[ -s $T/report/$file ]] || fail "no $file"
    done
    cmp "$T/report/summary.csv" "$T/csv" || fail "the summary differs"
    local rows
    rows=$(wc -l < "$T/report/jobs.csv")
    [[ $rows == 187 ]] || fail "$rows rows of jobs" # 31 x 2 x 3 + 1
    jq -e '.seeds == [1, 2, 3] and .policies == ["fifo", "hsrtf-pr"] and .cluster.nodes == 58
        and (.command | contains("w-hsrtf"))' \
        "$T/report/manifest.json" > /dev/null || fail "manifest: $(cat "$T/report/manifest.json")"
}
report json --no-pictures
jq -e 'length == 186 and all(.sojourn_s > 0 and .class != "")' "$T/report/jobs.json" > /dev/null ||
    fail "jobs.json"
[[ ! -e $T/report/index.html ]] || fail "a page without pictures"
mkdir "$T/bin"
got=0
PATH=$T/bin "$BIN/creel" sim "${run[@]}" --out "$T/none" > "$T/o" 2> "$T/e" || got=$?
[[ $got == 2 ]] && grep -q gnuplot-nox "$T/e" || fail "without gnuplot: $got, $(cat "$T/e")"
[[ ! -e $T/none ]] || fail "a folder without gnuplot"
# No name is ever run as code, nor taken as a format.
cat > "$T/"$'odd \xe9 %s.csv' << EOF
submit_s,maps,map_s,class,pool
0,1,5,"100 % ""a"" \`touch $T/code1\` 'c'",a
3,1,5,'\`touch $T/code2\`',root.'\`touch $T/code3\`
6,1,5,''',root.b
9,1,5,<i>,root.b
EOF
expect 0 --workload "csv:$T/"$'odd \xe9 %s.csv' --out "$T/odd" --no-pictures
jq -e '(.workload | endswith("odd ? %s.csv")) and (.command | contains("--no-pictures"))
    and (.arguments | length == 5)' \
    "$T/odd/manifest.json" > /dev/null || fail "manifest: $(cat "$T/odd/manifest.json")"
if command -v gnuplot > /dev/null; then
    expect 0 --workload "csv:$T/"$'odd \xe9 %s.csv' --policy fifo,fair --out "$T/odd" --force
    grep -qF '<text>100 % "a" `touch ' "$T/odd/sojourn.svg" ||
        fail "the odd class: $(grep -m 3 100 "$T/odd/sojourn.svg")"
    grep -q '<i>' "$T/odd/index.html" && fail "a class is HTML"
    compgen -G "$T/code*" > /dev/null && fail "a name was run"
    report table
    for picture in sojourn locality slowdown cdf-0 speedup-jobs slots-fifo-class-map; do
        for file in "$picture.svg" "data/$picture.dat" "data/$picture.gp"; do
            [[ -s $T/report/$file ]] || fail "no $file"
        done
        grep -q "id=\"$picture-canvas\"" "$T/report/index.html" ||
            fail "$picture is not in the page"
    done
    [[ $(grep -c '<svg' "$T/report/index.html") -ge 10 ]] || fail "few pictures"
    # What a reader needs beside the pictures: the tables' words explained, the files, the version.
    for word in "mean sojourn" waiting slowdown "over bound"; do
        grep -q "<td class=\"\">$word</td><td class=\"meaning\">." "$T/report/index.html" ||
            fail "'$word' is not explained"
    done
    links=$(sed -n 's/.*Files of this report/&/p' "$T/report/index.html" | grep -o 'href="[^"]*"')
    for file in $(cut -d '"' -f 2 <<< "$links"); do
        [[ -e $T/report/$file ]] || fail "a link to $file, which is not there"
        files=${files:-}$file
    done
    [[ $files == summary.csvjobs.csvmanifest.jsondata/ ]] || fail "links: $files"
    if git -C "$SOURCE" rev-parse > /dev/null 2>&1; then
        commit=$(jq -r .commit "$T/report/manifest.json")
        git -C "$SOURCE" rev-parse -q --verify "${commit%-dirty}^{commit}" > /dev/null ||
            fail "commit: $commit"
        grep -q "(built from $commit)<" "$T/report/index.html" ||
            fail "the page does not name $commit"
    fi
    # Bars begin at zero, which a logarithmic axis does not have: it gets dots.
    expect 0 --workload w-hfsp --nodes 20 --policy fifo,fair --seed 1 --out "$T/log" --slowdown off
    grep -q '^set logscale y' "$T/log/data/sojourn.gp" ||
        fail "the sojourns are too much alike for this test"
    grep -q 'with boxes' "$T/log/data/sojourn.gp" && fail "bars on a logarithmic axis"
    grep -q 'with points' "$T/log/data/sojourn.gp" ||
        fail "no dots: $(cat "$T/log/data/sojourn.gp")"
    grep -q 'with boxes' "$T/log/data/locality.gp" || fail "no bars on a linear axis"
    mkdir "$T/blocked"
    touch "$T/blocked/data"
    refused "something other than a report" "${run[@]}" --out "$T/blocked" --force
    touch "$T/blocked/index.html" # a page alone does not make a report
    refused "something other than a report" "${run[@]}" --out "$T/blocked" --force
    touch "$T/blocked/manifest.json"
    expect 1 "${run[@]}" --out "$T/blocked" --force
    grep -q '^hsrtf-pr ' "$T/o" || fail "a report that cannot be written hides the results"
    grep -q blocked "$T/o" && fail "a page that is not there is named"
    sed -n '/<svg/,/<\/svg>/p' "$T/report/index.html" | grep -o "id='[^']*'" | sort | uniq -d \
        > "$T/double"
    [[ ! -s $T/double ]] || fail "ids twice in the page: $(head -n 3 "$T/double")"
    expect 0 --workload w-hsrtf --policy fair,hsrtf-pr --sweep nodes=20,40,58 --out "$T/sweep" \
        --slowdown off
    for file in sweep-sojourn-0.svg v1-cdf-0.svg v3-locality.svg; do
        [[ -s $T/sweep/$file ]] || fail "$(ls "$T/sweep")"
    done
    touch "$T/sweep/notes.txt" # not ours: it stays; nothing of the old report does
    expect 0 --workload w-hsrtf --policy fair --out "$T/sweep" --slowdown off --force
    [[ -e $T/sweep/notes.txt ]] || fail "--force removed a file that is none of a report's"
    (cd "$T/sweep" && ls . data) | grep -E 'sweep-|v[0-9]' && # not the name of $T
        fail "a picture of the earlier report is left"
fi
expect 0 --workload w-hsrtf --slowdown off --log "$T/events"
refused "events already exists; --force" --workload w-hsrtf --slowdown off --log "$T/events"
expect 0 --workload w-hsrtf --slowdown off --log "$T/events" --force
echo "ok report"
