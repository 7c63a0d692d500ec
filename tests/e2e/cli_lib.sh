# tests/e2e/cli_lib.sh - sourced by the tests of the creel command: lib.sh, and what a command is
# expected to do.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# expect RC COMMAND...: runs it; stdout in $T/o, stderr in $T/e.
expect() {
    local want=$1 rc=0
    shift
    "$@" > "$T/o" 2> "$T/e" || rc=$?
    [ "$rc" = "$want" ] || { cat "$T/o" "$T/e" >&2; fail "'$*' exits $rc, not $want"; }
}
# one_line WORD...: exactly one line on stderr, starting with "creel: ", naming every WORD; no JSON.
one_line() {
    check_equal "$(wc -l < "$T/e")" 1 "lines on stderr"
    grep -q '^creel: ' "$T/e" || fail "no 'creel: ': $(cat "$T/e")"
    ! grep -qE '[{]"|RemoteException|javaClassName' "$T/e" || fail "JSON for people: $(cat "$T/e")"
    for word; do grep -q -e "$word" "$T/e" || fail "'$word' is not in: $(cat "$T/e")"; done
    [ ! -s "$T/o" ] || fail "stdout has $(cat "$T/o")"
}
# ends_within SECONDS PID RC: the child ends by itself, with this status.
ends_within() {
    local rc=0
    wait_for "$1" "end of process $2" gone "$2"
    wait "$2" || rc=$?
    check_equal "$rc" "$3" "status of process $2"
}
gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }
# A test that fails ends its background processes.
cleanup_more() {
    local left
    left=$(jobs -p)
    [ -z "$left" ] || kill $left 2> /dev/null
}
