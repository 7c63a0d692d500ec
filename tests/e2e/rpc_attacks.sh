#!/usr/bin/env bash
# Goal: whatever comes to the ports of Hadoop RPC from another host without a right to come gets the
# class that YARN gives, has a line in the audit log or the daemon's, and changes nothing: states in
# REST stay equal, and applications that run meanwhile end right.
# Method: a ResourceManager and a NodeManager on hosts of their own (network namespaces), closed as
# deploy/creel-site-hosts.xml says, with all ports of Hadoop RPC open. On another host
# rpc_attacks.py attacks, with tokens that masters (rpc_victim.py) have lost; a third one is in the
# lists of hosts, and lies about its containers.
BIN=${CREEL_BIN:?folder with the creel binaries}
. "$(dirname "$0")/../fault/ha_world.sh"
ha_enter "$0" "$@"
AUTH=token
. "$(dirname "$0")/lib.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
W=$T
cleanup_more() {
    for h in rm1 nm1; do host_signal $h KILL; done
    [ "${rc:-0}" = 0 ] || tail -n 40 "$W"/{rm1,nm1}/log "$W"/*.audit "$W"/*.err >&2
}

mkdir "$W/conf"
cp "${CREEL_SOURCE:?}/deploy/creel-site-hosts.xml" "$W/conf/creel-site.xml"
{
    echo '<configuration>'
    while read -r key value; do
        echo "<property><name>$key</name><value>$value</value></property>"
    done << 'END'
yarn.resourcemanager.address 10.77.0.11:8032
yarn.resourcemanager.scheduler.address 10.77.0.11:8030
yarn.resourcemanager.resource-tracker.address 10.77.0.11:8031
yarn.resourcemanager.admin.address 10.77.0.11:8033
creel.rpc.tracker.hosts 10.77.0.25
creel.rpc.admin.hosts 10.77.0.25
yarn.nodemanager.address 10.77.0.21:8041
yarn.resourcemanager.rm.container-allocation.expiry-interval-ms 10000
END
    echo '</configuration>'
} > "$W/conf/yarn-site.xml"
export CREEL_CONF_DIR=$W/conf
printf '%s\n' '127.0.0.1 localhost' '10.77.0.11 master' '10.77.0.21 nm1' '10.77.0.25 liar' \
    > "$W/hosts"
mount --bind "$W/hosts" /etc/hosts
net_open
for h in rm1 nm1 nm4 nm5; do net_host $h; done # nm4: the attacker; nm5: whose node lies
# What one address has refused is logged up to a number in a minute; each attack has its own.
for i in {100..199}; do ip -n nm4 addr add 10.77.0.$i/24 dev eth0; done
make_credentials master nm1
export CREEL_RM=https://master:8090
umask 077
host_start rm1 master creel-rm -D creel.rm.state-dir="$W/state" -D creel.rm.audit-log="$W/rm.audit"
host_start nm1 nm1 creel-nm -D creel.nodemanager.local-dir="$W/local" \
    -D creel.nodemanager.user-launcher= -D creel.nodemanager.isolation=none \
    -D creel.nodemanager.audit-log="$W/nm.audit" -D creel.nodemanager.map-slots=10
RM_HEADER=$XDG_STATE_HOME/creel/rm.header
wait_for 60 "a node" nodes_running 1

# --- the victims
for user in ann eve; do
    CREEL_TOKEN_FILE=$XDG_STATE_HOME/creel/rm.token creel token --new --user $user > "$T/$user"
    CREEL_TOKEN_FILE=$T/$user creel token --hadoop-file "$T/$user.hdts" \
        --rpc-address 10.77.0.11:8032
done
call() { # USER ARGS
    "$HERE/rpc_peer.py" --host 10.77.0.11 --token "$T/$1.hdts" 8032 "${@:2}" > "$T/answer"
}
field_of() { sed -n "s/^$1: //p" "$T/answer"; }
declare -A ids
submit() { # USER NAME ROLE
    local id
    call "$1" getNewApplication
    id=("$(field_of 1.1)" "$(field_of 1.2)")
    ids[$2]="1.1=${id[0]} 1.2=${id[1]}"
    call "$1" submitApplication 1.1.1="${id[0]}" 1.1.2="${id[1]}" 1.2=="$2" 1.8=1 1.9.1=256 \
        1.9.2=1 1.5.5=="'$HERE/rpc_victim.py' '$T' $2 master 8030 $3 2> '$T/$2.err'"
}
is_in_state() { # USER NAME STATE
    # shellcheck disable=SC2086 # fields
    call "$1" getApplicationReport ${ids[$2]} && grep -qx "1.8: $3" "$T/answer"
}
submit ann honest works
submit eve lost waits
submit eve past ends
wait_for 60 "the end of an application" is_in_state eve past 6
for name in honest lost; do wait_for 60 "what $name knows" test -s "$T/$name.json"; done

# shellcheck disable=SC2046
RM_HEADER=$RM_HEADER $(net_in nm4) python3 -B "$HERE/rpc_attacks.py" "$T" "$(net_in nm5)" ||
    fail "an attack"
touch "$T/go"
wait_for 60 "the end of the honest application" is_in_state ann honest 6
check_equal "$(field_of 1.13) $(field_of 1.10)" "1 honest" "its end"
wait_for 60 "the end of the robbed application" is_in_state eve lost 6
check_equal "$(field_of 1.13) $(field_of 1.10)" "1 lost" "its end"
check_equal "$(cat "$T"/{honest,lost,past}.err)" "" "what masters say"
