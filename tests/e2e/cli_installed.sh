#!/usr/bin/env bash
# Goal: what cmake --install installs works by itself: a cluster and a small job, from another
# prefix.
. "$(dirname "$0")/cli_lib.sh"
# A second goal: everything that the README and the pages mention is installed, in the places where
# Debian's programs look.
DESTDIR=$T/root cmake --install "$BIN/.." --prefix /usr > "$T/install.out" 2>&1 ||
    { cat "$T/install.out" >&2; exit 1; }
sort > "$T/wanted" << 'END'
usr/bin/creel
usr/lib/systemd/system/creel-nm.service
usr/lib/systemd/system/creel-rm.service
usr/lib/systemd/system/creel-rm@.service
usr/lib/systemd/system/creel.slice
usr/lib/sysusers.d/creel.conf
usr/lib/tmpfiles.d/creel.conf
usr/libexec/creel/creel-cgroups
usr/libexec/creel/creel-exec
usr/libexec/creel/creel-localize
usr/libexec/creel/creel-shim
usr/libexec/creel/creel-task
usr/libexec/creel/creel-user
usr/sbin/creel-nm
usr/sbin/creel-rm
usr/share/bash-completion/completions/creel
usr/share/doc/creel/LICENSE
usr/share/doc/creel/README.md
usr/share/doc/creel/configuration.md
usr/share/doc/creel/examples/creel-exec.conf
usr/share/doc/creel/examples/creel-site-hosts.xml
usr/share/doc/creel/examples/creel-site.xml
usr/share/doc/creel/examples/fair-scheduler.xml
usr/share/doc/creel/examples/make-certs
usr/share/doc/creel/examples/monitoring/creel.rules.yml
usr/share/doc/creel/examples/monitoring/grafana-dashboard.json
usr/share/doc/creel/examples/monitoring/prometheus.yml
usr/share/doc/creel/examples/yarn-site-ha.xml
usr/share/doc/creel/hadoop.md
usr/share/doc/creel/high-availability.md
usr/share/doc/creel/jobs.md
usr/share/doc/creel/operations.md
usr/share/doc/creel/rest.md
usr/share/doc/creel/simulator.md
usr/share/doc/creel/yarn-command.md
END
[ -s "$T/root/usr/share/man/man1/creel-job-submit.1" ] &&
    [ -s "$T/root/usr/share/man/man8/creel-rm.8" ] || fail "no manual"
(cd "$T/root" && find . -type f ! -path './usr/share/man/*' | sed 's|^\./||' | sort) |
    diff "$T/wanted" - || fail "what is installed is not what is wanted (<)"
# Each of these files is in one of the packages, and in no other.
cat "$CREEL_SOURCE"/deploy/debian/*.install "$CREEL_SOURCE/deploy/debian/not-installed" |
    sed 's/ .*//' | grep '^usr/' > "$T/packed"
(cd "$T/root" && find . -type f | sed 's|^\./||') | while read -r file; do
    owners=$(awk -v file="$file" 'file == $0 || index(file, $0 "/") == 1' "$T/packed" | wc -l)
    [ "$file" = usr/share/doc/creel/LICENSE ] || check_equal "$owners" 1 "packages with $file"
done
while read -r path; do
    [ -e "$T/root/$path" ] || fail "deploy/debian names $path, which is not installed"
done < "$T/packed"
for path in $(grep -ohE '/usr/(s?bin|share|libexec)/[a-z/.-]*[a-z]' \
    "$T"/root/usr/lib/systemd/system/*); do
    [ -e "$T/root$path" ] || fail "a unit names $path, which is not installed"
done
cmake --install "$BIN/.." --prefix "$T/prefix" > "$T/install.out" 2>&1 ||
    { cat "$T/install.out" >&2; exit 1; }
for unit in "$T"/prefix/lib/systemd/system/creel-*.service; do
    for path in $(grep -oE "($T/prefix|/usr)/(s?bin|share|libexec)/[a-z/.-]*[a-z]" "$unit"); do
        [ -e "$path" ] && [ "${path#"$T/prefix"}" != "$path" ] ||
            fail "$unit names $path, and the prefix is $T/prefix"
    done
done
[ ! -e "$T/prefix/bin/yarn" ] || fail "yarn is installed without CREEL_YARN_LINK"
cmake -DCREEL_YARN_LINK=ON -DCMAKE_INSTALL_PREFIX="$T/linked" -P "$BIN/../cmake_install.cmake" \
    > "$T/install.out" 2>&1 || { cat "$T/install.out" >&2; exit 1; }
check_equal "$(readlink "$T/linked/bin/yarn")" creel "the link yarn"
"$T/linked/bin/yarn" queue -help | grep -qx 'usage: queue' || fail "yarn does not run creel"
BIN=$(dirname "$(find "$T/prefix" -name creel -type f -perm -u+x)")
[ -x "$BIN/creel" ] || fail "no creel is installed: $(cat "$T/install.out")"
export PATH=/usr/local/bin:/usr/bin:/bin
start_cluster --nodes 1
for name in rm-1 nm-1; do
    case $(readlink "/proc/$(daemon_pid $name)/exe") in
        "$T/prefix"/*) ;;
        *) fail "$name is not the installed one" ;;
    esac
done
expect 7 creel run -- sh -c 'echo here; exit 7'
check_equal "$(cat "$T/o")" here "output of run"
printf 'b a\na\n' > "$T/words"
printf 'a\t2\nb\t1\n' > "$T/expected"
expect 0 creel job submit --input "$T/words" --output "$T/out" --map "$WC_MAP" --combine "$WC_SUM" \
    --reduce "$WC_SUM" --wait
check_output "$T/out" "$T/expected" 1
expect 0 creel dev --stop --dir "$DEV"
echo "ok installed"
