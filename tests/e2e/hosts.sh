#!/usr/bin/env bash
# Goal: deploy/creel-site-hosts.xml, unchanged, makes a cluster of several hosts: "master" runs the
# ResourceManager, two others a NodeManager each, every host with its own name and addresses
# (network namespaces). A user on a fourth host runs a command and a word count whose reduce fetches
# from both nodes. Without a token nobody learns more than whether the ResourceManager is alive.
BIN=${CREEL_BIN:?folder with the creel binaries}
. "$(dirname "$0")/../fault/ha_world.sh"
ha_enter "$0" "$@"
. "$(dirname "$0")/lib.sh"
W=$T
cleanup_more() { for h in rm1 nm1 nm2; do host_signal $h KILL; done; }

mkdir "$W/conf"
cp "${CREEL_SOURCE:?}/deploy/creel-site-hosts.xml" "$W/conf/creel-site.xml"
export CREEL_CONF_DIR=$W/conf
printf '127.0.0.1 localhost\n10.77.0.11 master\n10.77.0.21 nm1\n10.77.0.22 nm2\n' > "$W/hosts"
mount --bind "$W/hosts" /etc/hosts
net_open
for h in rm1 nm1 nm2; do net_host $h; done
named() { # NAMESPACE HOSTNAME COMMAND...
    local ns=$1 name=$2
    shift 2
    host_run "$ns" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$name" "$@"
}
# Folders and the secret come from the command line, because all hosts share one file system here.
"$BIN/creel" secret --new --file "$W/cluster.secret"
secret=(-D "creel.cluster.secret-file=$W/cluster.secret")
named rm1 master "$BIN/creel-rm" "${secret[@]}" -D creel.rm.state-dir="$W/state" --log-format text
for i in 1 2; do
    named nm$i nm$i "$BIN/creel-nm" "${secret[@]}" \
        -D creel.nodemanager.local-dir="$W/local$i" --log-format text
done
export CREEL_RM=http://master:8088
RM_HEADER=$XDG_STATE_HOME/creel/rm.header # this user also runs the daemons
wait_for 60 "two nodes" nodes_running 2 || { tail -n 5 "$W"/*/log >&2; exit 1; }
answer() { curl -s -o /dev/null -w '%{http_code}' "$1"; }
check_equal "$(answer $CREEL_RM/isActive)" 200 "answer about being alive"
for url in $CREEL_RM/ws/v1/cluster/info $CREEL_RM/cluster http://nm1:8042/ws/v1/node/info; do
    check_equal "$(answer "$url")" 401 "answer to a stranger who asks for $url"
done
unset CREEL_RM # from here on the configuration tells, as it tells users
case $(creel run -- sh -c 'hostname; echo to stderr >&2' 2> "$T/e") in
    nm1 | nm2) ;;
    *) fail "run does not say where it ran" ;;
esac
check_equal "$(cat "$T/e")" "to stderr" "stderr of run"
mkdir "$T/in"
for i in 1 2 3 4 5 6 7 8; do printf 'b a\na %s\n' $i > "$T/in/$i"; done
wc_expected "$T"/in/* > "$T/expected"
# A node has four map slots: once five maps have begun, both nodes take part.
both="touch '$T/began.'\$CONTAINER_ID;"
both+=" until [ \$(ls '$T' | grep -c began) -gt 4 ]; do sleep 0.05; done"
creel job submit --input "$T/in" --output "$T/out" --map "$both; $WC_MAP" --reduce "$WC_SUM" \
    --reduces 2 --wait > "$T/o" 2>&1 ||
    { cat "$T/o" >&2; exit 1; }
check_output "$T/out" "$T/expected" 2
id=$(grep -om1 'application_[0-9_]*' "$T/o")
creel job status "$id" --tasks > "$T/o"
for h in nm1 nm2; do
    grep -q "$h:8042" "$T/o" || fail "no task of the job ran on $h: $(cat "$T/o")"
done
echo "ok several hosts"
