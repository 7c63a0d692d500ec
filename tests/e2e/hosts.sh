#!/usr/bin/env bash
# Goal: deploy/creel-site-hosts.xml, unchanged, makes a closed cluster of several hosts: "master"
# runs the ResourceManager, two others a NodeManager each, every host with its own name, addresses
# and certificate (network namespaces). A user on a fourth host runs a command and a word count
# whose reduce fetches from both nodes. A fifth host attacks: it joins, repeats what it has
# recorded, submits, kills, reads logs and map outputs, each without a proof, with that of another
# and with a wrong one; all of it is refused, and stands in the audit logs.
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
for h in rm1 nm1 nm2 nm3; do net_host $h; done
"$CREEL_SOURCE/deploy/make-certs" "$W/certs" master nm1 nm2 > /dev/null
export CREEL_CA_FILE=$W/certs/ca.pem CURL_CA_BUNDLE=$W/certs/ca.pem
named() { # NAMESPACE HOSTNAME COMMAND...
    local ns=$1 name=$2
    shift 2
    host_run "$ns" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$name" "$@"
}
# Folders, secret and certificates come from the command line, because all hosts share one file
# system here.
"$BIN/creel" secret --new --file "$W/cluster.secret" 2> /dev/null
of_host() { # NAME: sets $given
    given=(-D "creel.cluster.secret-file=$W/cluster.secret"
        -D "creel.tls.certificate-file=$W/certs/$1.pem" -D "creel.tls.key-file=$W/certs/$1.key"
        -D "creel.tls.ca-file=$W/certs/ca.pem" --log-format text)
}
of_host master
named rm1 master "$BIN/creel-rm" "${given[@]}" -D creel.rm.state-dir="$W/state" \
    -D creel.rm.audit-log="$W/rm.audit"
for i in 1 2; do
    of_host nm$i
    named nm$i nm$i "$BIN/creel-nm" "${given[@]}" -D creel.nodemanager.local-dir="$W/local$i" \
        -D creel.nodemanager.audit-log="$W/nm$i.audit"
done
export CREEL_RM=https://master:8090
RM_HEADER=$XDG_STATE_HOME/creel/rm.header # this user also runs the daemons
wait_for 60 "two nodes" nodes_running 2 || { tail -n 5 "$W"/*/log >&2; exit 1; }
rm=$CREEL_RM
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
    grep -q "$h:8044" "$T/o" || fail "no task of the job ran on $h: $(cat "$T/o")"
done
echo "ok several hosts"

# --- the attacker's host
umask 077
for user in ann eve; do creel token --new --user $user > "$T/$user"; done
creel token --new --user eve --expires 1 > "$T/expired"
as() { CREEL_TOKEN_FILE=$T/$1 creel "${@:2}"; }
job=$(as ann job submit --task 'echo hidden; exec sleep 1000')
log() {
    echo "https://$1/ws/v1/node/containers/${job/application/container}_01_000002/logs/stdout"
}
node=
where_it_runs() {
    node=$(as ann job status "$job" --tasks --json | jq -r '.. | .node? // empty' | head -n 1)
    [ -n "$node" ] && curl -sf -H "Authorization: Bearer $(cat "$T/ann")" "$(log "$node")" |
        grep -q hidden
}
wait_for 30 "the log of the job" where_it_runs
refused() { # STATUS CURL ARGS: what the attacker's host is answered
    # shellcheck disable=SC2046
    check_equal "$($(net_in nm3) curl -s -m 20 -o "$T/body" -w '%{http_code}' \
        -H 'Content-Type: application/json' "${@:2}")" "$1" "${*:2}: $(head -c 200 "$T/body")"
}
bearer() { echo "Authorization: Bearer $(cat "$T/$1")"; }
refused 200 "$rm/isActive"
for url in "$rm/ws/v1/cluster/info" "$rm/cluster" "$rm/conf" "https://$node/ws/v1/node/info"; do
    refused 401 "$url"
done
sign() { "$(dirname "$0")/sign" "$@"; }
# joining: without a signature, with one of another secret, and with one that was recorded
beat=/ws/v1/nodetracker/heartbeat
"$BIN/creel" secret --new --file "$T/other.secret" 2> /dev/null
for path in register heartbeat wake unregister identify; do
    refused 401 "$rm/ws/v1/nodetracker/$path" -d '{}'
    refused 401 "$rm/ws/v1/nodetracker/$path" -d '{}' \
        -H "Authorization: $(sign "$T/other.secret" POST "$rm/ws/v1/nodetracker/$path" '{}')"
done
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
refused 401 "$(log "$node")"
refused 403 "$(log "$node")" -H "$(bearer eve)"
# tokens of containers: one of another application, for this one's map outputs and commits
other=$(as eve job submit --task "cp \$CREEL_APP_TOKEN_FILE '$T/other'; exec sleep 1000")
wait_for 30 "a token of another application" test -s "$T/other"
task=${job/application/task}_m_000000
refused 403 "$rm/ws/v1/nodetracker/commit" -H "$(bearer other)" \
    -d "{\"task\":\"$task\",\"taskAttempt\":0}"
refused 403 "$rm/ws/v1/nodetracker/apps/$job/mapoutputs" -H "$(bearer other)"
check_equal "$(as ann job status "$job" --json | jq -r .job.state)" RUNNING "the job under attack"
for line in "op=register-node .*ip=10.77.0.23 result=refused status=401" \
    "op=heartbeat .*ip=10.77.0.23 result=refused status=401" \
    "op=submit-job .*ip=10.77.0.23 result=refused status=401" \
    "op=kill user=eve ip=10.77.0.23 result=refused status=403" \
    "op=set-policy user=eve ip=10.77.0.23 result=refused status=403"; do
    grep -q "$line" "$W/rm.audit" || fail "the audit log lacks '$line': $(cat "$W/rm.audit")"
done
grep -q "op=request user=eve ip=10.77.0.23 result=refused status=403" "$W"/nm?.audit ||
    fail "no node's audit log has the log that eve asked for"
as ann job kill "$job" > /dev/null
as eve job kill "$other" > /dev/null
echo "ok strangers"
