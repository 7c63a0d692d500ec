#!/usr/bin/env bash
# Goal: what cmake --install puts down works by itself: a cluster and a small job from another prefix.
. "$(dirname "$0")/cli_lib.sh"
cmake --install "$BIN/.." --prefix "$T/prefix" > "$T/install.out" 2>&1 || { cat "$T/install.out" >&2; exit 1; }
BIN=$(dirname "$(find "$T/prefix" -name creel -type f -perm -u+x)")
[ -x "$BIN/creel" ] || fail "no creel is installed: $(cat "$T/install.out")"
export PATH=/usr/local/bin:/usr/bin:/bin
start_cluster --nodes 1
for name in rm-1 nm-1; do
    case $(readlink "/proc/$(daemon_pid $name)/exe") in "$T/prefix"/*) ;; *) fail "$name is not the installed one" ;; esac
done
expect 7 creel run -- sh -c 'echo here; exit 7'
check_equal "$(cat "$T/o")" here "output of run"
printf 'b a\na\n' > "$T/words"
printf 'a\t2\nb\t1\n' > "$T/expected"
expect 0 creel job submit --input "$T/words" --output "$T/out" --map "$WC_MAP" --combine "$WC_SUM" --reduce "$WC_SUM" --wait
check_output "$T/out" "$T/expected" 1
expect 0 creel dev --stop --dir "$DEV"
echo "ok installed"
