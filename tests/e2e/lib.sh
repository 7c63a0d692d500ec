# tests/e2e/lib.sh - sourced by the end-to-end and fault tests: a private folder, a private cluster,
# bounded waiting. Needs CREEL_BIN (folder of the binaries). Ends only what it started.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/own_processes.sh"
BIN=${CREEL_BIN:?folder with the creel binaries}
T=$(mktemp -d "${TMPDIR:-/tmp}/creel-test.XXXXXX")
DEV=$T/dev
# How users prove who they are to the daemons that a test starts: by their names, as the requests
# of YARN's clients do, unless the test has set AUTH=token before. Tokens are found in this folder
# alone.
AUTH=${AUTH:-simple}
mkdir "$T/conf-auth" "$T/home-state"
# where daemons on loopback find their secret, and commands their token
export XDG_STATE_HOME=$T/home-state XDG_CONFIG_HOME=$T/home-conf
cat > "$T/conf-auth/creel-site.xml" << END
<configuration><property><name>creel.auth</name><value>$AUTH</value></property></configuration>
END
export CREEL_CONF_DIR=$T/conf-auth # of daemons started without --conf and `creel dev`
creel() { "$BIN/creel" "$@"; }

cleanup() {
    local rc=$?
    trap - EXIT
    set +e
    if [ $rc -ne 0 ]; then
        echo "FAILED with $rc; last lines of the logs:" >&2
        for f in "$DEV"/*.log; do [ -f "$f" ] && { echo "== $f" >&2; tail -n 25 "$f" >&2; }; done
    fi
    creel dev --stop --dir "$DEV" > /dev/null 2>&1
    ! declare -F cleanup_more > /dev/null || cleanup_more
    rm -rf "$T"
    exit $rc
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# start_cluster ARGS...: creel dev, detached, on free ports; sets CREEL_RM, and CREEL_TOKEN_FILE
# where users have tokens.
start_cluster() {
    creel dev --detach --port 0 --dir "$DEV" --auth "$AUTH" "$@" > "$T/dev.out" ||
        { cat "$T/dev.out" >&2; return 1; }
    use_dev_cluster
}
# use_dev_cluster: the cluster that creel dev has started in DEV.
use_dev_cluster() {
    CREEL_RM=$(cat "$DEV/rm.url")
    export CREEL_RM
    [ "$AUTH" = simple ] || export CREEL_TOKEN_FILE=$DEV/rm.token
}
# wait_for SECONDS WHAT COMMAND...: polls until COMMAND succeeds.
wait_for() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" > /dev/null 2>&1; do
        if [ $SECONDS -ge $until ]; then echo "no $what in time" >&2; return 1; fi
        sleep 0.05
    done
}
fail() { echo "FAIL: $*" >&2; exit 1; }
check_equal() { [ "$1" = "$2" ] || fail "$3: '$1' is not '$2'"; }
job_state() {
    curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$1" | jq -r '.job.state + "/" + .job.finalStatus'
}
job_is() { [ "$(job_state "$1")" = "$2" ]; }
job_diagnostics() { curl -s "$CREEL_RM/ws/v1/cluster/jobs/$1" | jq -r .job.diagnostics; }
job_ended() { case $(job_state "$1") in FINISHED/* | FAILED/* | KILLED/*) ;; *) return 1 ;; esac; }
nodes_running() {
    [ "$(curl -sf ${RM_HEADER:+-H "@$RM_HEADER"} "$CREEL_RM/ws/v1/cluster/nodes?states=RUNNING" |
        jq '.nodes.node | length')" = "$1" ]
}
daemon_pid() { head -n 1 "$DEV/$1.pid"; }

# Word count, as users write it.
WC_MAP="tr -cs 'A-Za-z' '\\n' | sed '/^\$/d;s/\$/\\t1/'"
WC_SUM="awk -F'\\t' '{if(\$1!=k){if(NR>1)print k\"\\t\"s;k=\$1;s=0}s+=\$2}"
WC_SUM+="END{if(NR)print k\"\\t\"s}'"
# wc_expected FILE...: the same commands as one pipeline over the whole input (gzip files unpacked).
wc_expected() {
    for f; do case $f in *.gz) gzip -dc "$f" ;; *) cat "$f" ;; esac; done |
        sh -c "$WC_MAP" | LC_ALL=C sort | sh -c "$WC_SUM" | LC_ALL=C sort
}
# check_output DIR EXPECTED PARTS: all parts together equal EXPECTED, byte for byte; _SUCCESS is
# there, and nothing else.
check_output() {
    [ -f "$1/_SUCCESS" ] || fail "$1 has no _SUCCESS"
    [ ! -e "$1/_temporary" ] || fail "$1/_temporary was left behind"
    check_equal "$(find "$1" -name 'part-*' | wc -l)" "$3" "number of parts in $1"
    cat "$1"/part-* | LC_ALL=C sort | cmp - "$2" || fail "$1 differs from the pipeline"
}
