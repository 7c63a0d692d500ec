#!/usr/bin/env bash
# Goal: with TLS, and certificates of daemons, a standby redirects to https://, and nodes, tasks and
# commands follow a failover of two ResourceManagers.
. "$(dirname "$0")/cli_lib.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
CREEL_CA_FILE=$DEV/tls/ca.pem CURL_CA_BUNDLE=$DEV/tls/ca.pem
export CREEL_CA_FILE CURL_CA_BUNDLE
who_is() {
    creel dev --status --dir "$DEV" --json |
        jq -r --arg r "$1" '.daemons[] | select(.role == $r) | .name'
}
is_one() { [ "$(who_is "$1" | wc -l)" = 1 ]; }
settled() { is_one active && is_one standby; }

start_cluster --tls --ha --nodes 2 -Dcreel.tls.client-auth=daemons
[[ $CREEL_RM == https://127.0.0.1:*,https://127.0.0.1:* ]] || fail "rm.url: $CREEL_RM"
wait_for 30 "active ResourceManager and standby" settled
old=$(who_is active) new=$(who_is standby)
active=$(cat "$DEV/$old.url") standby=$(cat "$DEV/$new.url")
check_equal "$(curl -s -o /dev/null -w '%{redirect_url}' "$standby/ws/v1/cluster/apps")" \
    "$active/ws/v1/cluster/apps" "redirection of the standby"
check_equal "$(curl -sf "$standby/ws/v1/cluster/ha" | jq -r .activeUrl)" "$active" "activeUrl"
echo "ok standby"

# Nodes show their certificates; whoever shows none is no node.
for flags in "" "--cert $DEV/tls/host.pem --key $DEV/tls/host.key"; do
    # shellcheck disable=SC2086
    curl -s $flags -X POST -H 'Content-Type: application/json' -d '{}' \
        "$active/ws/v1/nodetracker/register" | jq -r .RemoteException.message > "$T/why"
    [ -n "$flags" ] || grep -qF "certificate of the cluster's authority" "$T/why" ||
        fail "without a certificate: $(cat "$T/why")"
    [ -z "$flags" ] || ! grep -qF "certificate of the cluster's authority" "$T/why" ||
        fail "with a certificate: $(cat "$T/why")"
done
echo "ok certificates of daemons"

mkdir "$T/in"
seq 1 3000 | sed 's/.*/word & and words/' > "$T/in/text"
creel job submit --name words --input "$T/in" --output "$T/out" --reduces 2 --wait \
    --map "sleep 2; $WC_MAP" --reduce "$WC_SUM" > "$T/job" 2>&1 &
job=$!
runs() { creel job list --states RUNNING --json | jq -e '.jobs | length == 1'; }
wait_for 20 "job" runs
kill -9 "$(daemon_pid "$old")"
wait "$job" || fail "the job: $(cat "$T/job")"
wc_expected "$T/in/text" > "$T/expected"
check_output "$T/out" "$T/expected" 2
check_equal "$(who_is active)" "$new" "active ResourceManager"
both_run() {
    creel node list --json | jq -e '[.nodes[] | select(.state == "RUNNING")] | length == 2'
}
wait_for 20 "both nodes" both_run
echo "ok failover"
