#!/usr/bin/env bash
# Goal: a closed cluster on hosts of their own (network namespaces), each with a name, an address
# and a certificate. First deploy/creel-site-hosts.xml, unchanged but for the folders: "master" runs
# the ResourceManager, two hosts a NodeManager each, and a user on another host runs a command.
# Then with deploy/yarn-site-ha.xml two ResourceManagers, a ZooKeeper and three NodeManagers: the
# active ResourceManager is killed under a word count that runs on all three. At last a host
# attacks: it joins, repeats what it has recorded, submits, kills, reads logs and map outputs, each
# without a proof, with that of another and with a wrong one; all of it is refused, and stands in
# the audit logs.
BIN=${CREEL_BIN:?folder with the creel binaries}
. "$(dirname "$0")/../fault/ha_world.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
ha_enter "$0" "$@"
. "$(dirname "$0")/lib.sh"
W=$T
cleanup_more() {
    for h in rm1 rm2 nm1 nm2 nm3; do host_signal $h KILL; done
    zk_stop_all "$W/zk"
    [ "${rc:-0}" = 0 ] || tail -n 5 "$W"/*/log >&2
}

mkdir "$W/conf"
cp "${CREEL_SOURCE:?}/deploy/creel-site-hosts.xml" "$W/conf/creel-site.xml"
export CREEL_CONF_DIR=$W/conf
printf '%s\n' '127.0.0.1 localhost' '10.77.0.11 master' '10.77.0.12 master2' \
    '10.77.0.21 nm1' '10.77.0.22 nm2' '10.77.0.23 nm3' > "$W/hosts"
mount --bind "$W/hosts" /etc/hosts
net_open
for h in zk1 rm1 rm2 nm1 nm2 nm3 nm4; do net_host $h; done # nm4: the attacker
make_credentials master master2 nm1 nm2 nm3
start_rm() { # I HOSTNAME ARGS...
    host_start "rm$1" "$2" creel-rm -D creel.rm.state-dir="$W/state$1" \
        -D creel.rm.audit-log="$W/rm$1.audit" "${@:3}"
}
start_nm() { # I
    host_start "nm$1" "nm$1" creel-nm -D creel.nodemanager.local-dir="$W/local$1" \
        -D creel.nodemanager.user-launcher= -D creel.nodemanager.isolation=none \
        -D creel.nodemanager.audit-log="$W/nm$1.audit"
}
# This user also runs the daemons.
RM_HEADER=$XDG_STATE_HOME/creel/rm.header OWN_TOKEN=$XDG_STATE_HOME/creel/rm.token
umask 077

# --- the example
start_rm 1 master
for i in 1 2; do start_nm $i; done
CREEL_RM=https://master:8090 wait_for 60 "two nodes" nodes_running 2
case $(creel run -- sh -c 'hostname; echo to stderr >&2' 2> "$T/e") in
    nm1 | nm2) ;;
    *) fail "run does not say where it ran" ;;
esac
check_equal "$(cat "$T/e")" "to stderr" "stderr of run"
for h in rm1 nm1 nm2; do host_kill $h; done
rm -rf "$W"/local* "$W"/state*
echo "ok example"

# --- with two ResourceManagers
ZK_HOSTS=(10.77.0.1) ZK_PREFIX=("$(net_in zk1)")
zk_start "$W/zk"
"$BIN/creel" secret --new --file "$W/zookeeper.secret" 2> /dev/null
sed -i '/creel.nodemanager.rm</d' "$W/conf/creel-site.xml"
sed -e 's/webapp\.address\.rm/webapp.https.address.rm/' -e 's/master1.example:8088/master:8090/' \
    -e 's/master2.example:8088/master2:8090/' -e "s/zk1\.example.*</$ZK_SERVERS</" \
    -e '/zk-timeout-ms/s/4000/1000/' -e '/creel.nodemanager.port/d' \
    "$CREEL_SOURCE/deploy/yarn-site-ha.xml" > "$W/conf/yarn-site.xml"
start_ha() { # I HOSTNAME
    start_rm "$1" "$2" --ha --rm-id "rm$1" -D creel.zk.secret-file="$W/zookeeper.secret"
}
start_ha 1 master
start_ha 2 master2
for i in 1 2 3; do start_nm $i; done
url_of() { echo "https://master${1#1}:8090"; } # of ResourceManager I
role_is() { # I ACTIVE|STANDBY
    [ "$(curl -s -m 1 -H "@$RM_HEADER" "$(url_of "$1")/ws/v1/cluster/info" |
        jq -r .clusterInfo.haState)" = "$2" ]
}
one_leads() {
    if role_is 1 ACTIVE && role_is 2 STANDBY; then old=1 new=2
    elif role_is 2 ACTIVE && role_is 1 STANDBY; then old=2 new=1
    else return 1; fi
}
wait_for 60 "an active ResourceManager and a standby" one_leads
CREEL_RM=$(url_of $old) wait_for 60 "three nodes" nodes_running 3
check_equal "$(curl -s -o /dev/null -w '%{redirect_url}' -H "@$RM_HEADER" \
    "$(url_of $new)/ws/v1/cluster/apps")" "$(url_of $old)/ws/v1/cluster/apps" \
    "redirection of the standby"
# Tokens of users count before and after the failover. The daemons' own is that of one address.
new_token() { CREEL_TOKEN_FILE=$OWN_TOKEN creel token --new "$@"; }
as() { CREEL_TOKEN_FILE=$T/$1 creel "${@:2}"; }
for user in ann eve; do new_token --user $user > "$T/$user"; done
mkdir "$T/in"
for i in {1..12}; do printf 'b a\na %s\n' "$i" > "$T/in/$i"; done
wc_expected "$T"/in/* > "$T/expected"
# A node has four map slots: once nine maps have begun, all nodes take part.
hold="touch '$T/began.'\$CONTAINER_ID; until [ -e '$T/go' ]; do sleep 0.05; done"
as ann job submit --input "$T/in" --output "$T/out" --map "$hold; $WC_MAP" --reduce "$WC_SUM" \
    --reduces 2 --wait > "$T/o" 2>&1 &
job=$!
nine_run() { [ "$(find "$T" -maxdepth 1 -name 'began.*' | wc -l)" -gt 8 ]; }
wait_for 60 "maps on all nodes" nine_run
host_kill rm$old
wait_for 60 "failover" role_is $new ACTIVE
touch "$T/go"
wait $job || { cat "$T/o" >&2; exit 1; }
check_output "$T/out" "$T/expected" 2
id=$(grep -om1 'application_[0-9_]*' "$T/o")
as ann job status "$id" --tasks > "$T/o"
for i in 1 2 3; do
    grep -q "nm$i:8044" "$T/o" || fail "no task of the job ran on nm$i: $(cat "$T/o")"
done
check_equal "$(find "$T" -maxdepth 1 -name 'began.*' | wc -l)" 12 "maps that have begun"
start_ha $old "$(url_of $old | sed 's|https://||;s/:.*//')"
wait_for 60 "the standby's return" role_is $old STANDBY
rm=$(url_of $new) standby=$(url_of $old)
echo "ok failover"

# --- the attacker's host
new_token --user eve --expires 1 > "$T/expired"
bearer() { echo "Authorization: Bearer $(cat "$T/$1")"; }
job=$(as ann job submit --task 'echo hidden; exec sleep 1000')
where_it_runs() { # sets node, container and log
    read -r node container < <(curl -sf -H "$(bearer ann)" "$rm/ws/v1/cluster/jobs/$job/tasks" |
        jq -r '.tasks[0] | "\(.nodeHttpAddress) \(.containerId)"')
    log=$node/ws/v1/node/containers/$container/logs/stdout
    curl -sf -H "$(bearer ann)" "$log" | grep -q hidden
}
wait_for 30 "the log of the job" where_it_runs
# What one address has refused is logged up to a number in a minute, so the attacker has several.
for i in {0..9}; do ip -n nm4 addr add 10.77.0.10$i/24 dev eth0; done
asked=0
refused() { # STATUS CURL ARGS: what the attacker's host is answered
    # shellcheck disable=SC2046
    check_equal "$($(net_in nm4) curl -s -m 20 -o "$T/body" -w '%{http_code}' \
        --interface "10.77.0.10$((asked / 10))" -H 'Content-Type: application/json' "${@:2}")" \
        "$1" "${*:2}: $(head -c 200 "$T/body")"
    [ "$1" = 200 ] || asked=$((asked + 1))
}
refused 200 "$rm/isActive"
for url in {"$rm","$standby"}{/ws/v1/cluster/info,/ws/v1/cluster/apps,/cluster,/conf} \
    "$node/ws/v1/node/info"; do
    refused 401 "$url"
done
sign() { "$(dirname "$0")/sign" "$@"; }
# joining, and orders to a node: without a signature, with one of another secret, and with one that
# was recorded
beat=/ws/v1/nodetracker/heartbeat
"$BIN/creel" secret --new --file "$T/other.secret" 2> /dev/null
for path in register heartbeat wake unregister identify; do
    refused 401 "$rm/ws/v1/nodetracker/$path" -d '{}'
    refused 401 "$rm/ws/v1/nodetracker/$path" -d '{}' \
        -H "Authorization: $(sign "$T/other.secret" POST "$rm/ws/v1/nodetracker/$path" '{}')"
done
for path in heartbeat register; do refused 401 "$standby/ws/v1/nodetracker/$path" -d '{}'; done
recorded=$(sign "$W/cluster.secret" POST "$rm$beat" '{}')
curl -s -o /dev/null -H 'Content-Type: application/json' -H "Authorization: $recorded" -d '{}' \
    "$rm$beat"
refused 401 "$rm$beat" -d '{}' -H "Authorization: $recorded"
# users: none, one whose token has expired, and one who is not the owner
submission='{"job":{"tasks":[{"command":"id"}]}}'
kill='{"state":"KILLED"}'
refused 401 "$rm/ws/v1/cluster/jobs?user.name=root" -d "$submission"
status_of_expired() { curl -s -o /dev/null -w '%{http_code}' -H "$(bearer expired)" "$rm/conf"; }
expired() { [ "$(status_of_expired)" = 401 ]; }
wait_for 20 "the end of a token" expired
refused 401 "$rm/ws/v1/cluster/jobs" -d "$submission" -H "$(bearer expired)"
refused 401 "$rm/ws/v1/cluster/apps/$job/state" -X PUT -d "$kill"
refused 403 "$rm/ws/v1/cluster/apps/$job/state" -X PUT -d "$kill" -H "$(bearer eve)"
refused 403 "$rm/ws/v1/cluster/jobs/$job" -H "$(bearer eve)"
refused 403 "$rm/ws/v1/cluster/scheduler/policy" -X PUT -d '{"policy":"fifo"}' -H "$(bearer eve)"
refused 401 "$log"
refused 403 "$log" -H "$(bearer eve)"
# tokens of containers: one of another application, for this one's map outputs and commits
other=$(as eve job submit --task "cp \$CREEL_APP_TOKEN_FILE '$T/other'; exec sleep 1000")
wait_for 30 "a token of another application" test -s "$T/other"
task=${job/application/task}_m_000000
refused 403 "$rm/ws/v1/nodetracker/commit" -H "$(bearer other)" \
    -d "{\"task\":\"$task\",\"taskAttempt\":0}"
refused 403 "$rm/ws/v1/nodetracker/apps/$job/mapoutputs" -H "$(bearer other)"
shuffle=/ws/v1/node/mapoutput/$container/0
refused 401 "$node$shuffle"
refused 403 "$node$shuffle" -H "$(bearer expired)"
refused 403 "$node$shuffle" -H "$(bearer other)"
refused 401 "$node$shuffle" -H "Authorization: $(sign "$T/other.secret" GET "$node$shuffle")"
check_equal "$(as ann job status "$job" --json | jq -r .job.state)" RUNNING "the job under attack"
for line in "op=register-node .*ip=10.77.0.10. result=refused status=401" \
    "op=heartbeat .*ip=10.77.0.10. result=refused status=401" \
    "op=submit-job .*ip=10.77.0.10. result=refused status=401" \
    "op=kill user=eve ip=10.77.0.10. result=refused status=403" \
    "op=set-policy user=eve ip=10.77.0.10. result=refused status=403"; do
    grep -q "$line" "$W/rm$new.audit" ||
        fail "the audit log lacks '$line': $(cat "$W/rm$new.audit")"
done
for path in /logs/stdout /mapoutput/; do
    grep -q "ip=10.77.0.10. result=refused status=403 .*$path" "$W"/nm?.audit ||
        fail "no node's audit log has the request for $path: $(cat "$W"/nm?.audit)"
done
check_equal "$(cat "$W"/*.audit | grep -c 'ip=10\.77\.0\.10. result=refused')" "$asked" \
    "refusals in the audit logs"
as ann job kill "$job" > /dev/null
as eve job kill "$other" > /dev/null
echo "ok strangers"
