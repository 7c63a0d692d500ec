#!/usr/bin/env bash
# Goal: with TLS at every port a word count runs, its logs, pages and history are read, and every
# address that a daemon prints, stores or redirects to begins with https://. Nodes show their
# certificates where that is asked for. Renewed certificates are used after a SIGHUP, which cuts
# nothing. What is wrong is said in words.
. "$(dirname "$0")/cli_lib.sh"
cd "$(dirname "$0")/../.."
CREEL_CA_FILE=$DEV/tls/ca.pem CURL_CA_BUNDLE=$DEV/tls/ca.pem
export CREEL_CA_FILE CURL_CA_BUNDLE
free_port() {
    python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
# has TEXT URL: the answer, behind its redirects, contains TEXT.
has() { curl -sfL "$2" > "$T/answer" && grep -qF -e "$1" "$T/answer"; }
certificate() { # HOST:PORT: the digest of what is shown there
    gnutls-cli --x509cafile "$CREEL_CA_FILE" --print-cert "$1" < /dev/null 2> /dev/null |
        sed -n '/BEGIN CERT/,/END CERT/p' | sha256sum
}

# --- the cluster
history=127.0.0.1:$(free_port)
start_cluster --tls --nodes 2 -Dcreel.tls.client-auth=daemons \
    -Dmapreduce.jobhistory.webapp.https.address="$history"
[[ $CREEL_RM == https://127.0.0.1:* ]] || fail "rm.url: $CREEL_RM"
for nm in nm-1 nm-2; do [[ $(cat "$DEV/$nm.url") == https://* ]] || fail "$nm.url"; done
check_equal "$(stat -c %a "$DEV/tls/host.key")" 600 "mode of the key"
for flags in "" "--cert $DEV/tls/host.pem --key $DEV/tls/host.key"; do
    # shellcheck disable=SC2086
    curl -s $flags -X POST -H 'Content-Type: application/json' -d '{}' \
        "$CREEL_RM/ws/v1/nodetracker/register" | jq -r .RemoteException.message > "$T/why"
    shown=$(grep -cF "certificate of the cluster's authority" "$T/why" || true)
    check_equal "$shown" "$([ -n "$flags" ] && echo 0 || echo 1)" "'$flags': $(cat "$T/why")"
done
echo "ok start"

# --- a word count: tasks speak to the ResourceManager, reduces fetch from nodes
mkdir "$T/in"
for i in 1 2 3; do seq $i 3000 | sed 's/.*/word & and words/' > "$T/in/text-$i"; done
creel job submit --name words --input "$T/in" --output "$T/out" --reduces 2 --wait \
    --map "$WC_MAP" --reduce "$WC_SUM" > "$T/job" 2>&1 || fail "$(cat "$T/job")"
wc_expected "$T/in"/* > "$T/expected"
check_output "$T/out" "$T/expected" 2
id=$(creel job list --json | jq -r '.jobs[0].id')
creel run -- sh -c 'echo "to stdout $CREEL_RM"; test -r "$CREEL_CA_FILE"' > "$T/run" ||
    fail "creel run"
check_equal "$(cat "$T/run")" "to stdout $CREEL_RM" "output of creel run"
echo "ok jobs"

# --- logs: from the node, through the ResourceManager, and as the node's own page
run=$(creel job list --json | jq -r '[.jobs[] | select(.name == "sh")][0].id')
creel logs "$run" > "$T/log" || fail "creel logs"
grep -qF 'to stdout' "$T/log" || fail "creel logs: $(cat "$T/log")"
task=$(curl -sf "$CREEL_RM/ws/v1/cluster/jobs/$run/tasks" | jq -c '.tasks[0]')
container=$(jq -r .containerId <<< "$task") node=$(jq -r .nodeHttpAddress <<< "$task")
[[ $node == https://127.0.0.1:* ]] || fail "nodeHttpAddress: $node"
has 'to stdout' "$node/ws/v1/node/containers/$container/logs/stdout" || fail "log from the node"
has 'to stdout' "$CREEL_RM/ws/v1/cluster/nodes/${node#https://}/raw-logs/$container/stdout" ||
    fail "log through the ResourceManager"
has 'to stdout' "$CREEL_RM/ws/v1/history/containerlogs/$container/stdout" ||
    fail "log by the history's redirect"
echo "ok logs"

# --- addresses: YARN's members, pages, redirects, the proxy, the history
curl -sf "$CREEL_RM/ws/v1/cluster/apps/$id" > "$T/app"
[[ $(jq -r .app.trackingUrl "$T/app") == "$CREEL_RM/"* ]] || fail "trackingUrl: $(cat "$T/app")"
[[ $(jq -r .app.amContainerLogs "$T/app") == https://* ]] || fail "amContainerLogs"
curl -sf "$CREEL_RM/ws/v1/cluster/nodes" > "$T/nodes"
[[ $(jq -r '.nodes.node[0].nodeHTTPAddress' "$T/nodes") == 127.0.0.1:* ]] ||
    fail "nodeHTTPAddress: $(cat "$T/nodes")"
check_equal "$(curl -s -o /dev/null -w '%{redirect_url}' "$CREEL_RM/")" "$CREEL_RM/cluster" "of /"
has "href=\"$node/node/node\"" "$CREEL_RM/cluster/nodes" || fail "page of nodes"
check_equal "$(curl -s -o /dev/null -w '%{redirect_url}' "$CREEL_RM/proxy/$id/")" \
    "https://$history/jobhistory/job/${id/application/job}" "proxy of an ended job"
has "$id" "$CREEL_RM/proxy/$id/" || fail "page behind the proxy"
curl -sf "https://$history/ws/v1/history/mapreduce/jobs" |
    jq -e --arg n words '.jobs.job | any(.name == $n)' > "$T/history" || fail "history"
curl -s -D "$T/head" -o /dev/null "$CREEL_RM/ws/v1/cluster/info?user.name=ann"
grep -qi '^set-cookie: hadoop.auth=.*; secure' "$T/head" || fail "cookie: $(cat "$T/head")"
! grep -rhoF 'http://127.0.0.1' "$DEV"/*.log "$DEV"/*.url || fail "a daemon prints http://"
echo "ok addresses"

# --- renewed certificates: a command that waits goes on, new connections see the new one
rm=${CREEL_RM#https://}
before=$(certificate "$rm") node_before=$(certificate "${node#https://}")
creel run -- sh -c "until [ -e $T/go ]; do sleep 0.05; done; echo done" > "$T/long" &
long=$!
deploy/make-certs --renew "$DEV/tls" host,localhost,127.0.0.1 > /dev/null
for d in rm-1 nm-1 nm-2; do kill -HUP "$(daemon_pid "$d")"; done
rm_renewed() { [ "$(certificate "$rm")" != "$before" ]; }
node_renewed() { [ "$(certificate "${node#https://}")" != "$node_before" ]; }
wait_for 20 "new certificate of the ResourceManager" rm_renewed
wait_for 20 "new certificate of the node" node_renewed
touch "$T/go"
wait "$long" || fail "a command under the renewal: $(cat "$T/long")"
check_equal "$(cat "$T/long")" done "its output"
chmod 0644 "$DEV/tls/host.key"
kill -HUP "$(daemon_pid rm-1)"
refused() { grep -qF 'host.key has mode 0644: expected 0600' "$DEV/rm-1.log"; }
wait_for 20 "words on the key's mode" refused
expect 0 creel job list
chmod 0600 "$DEV/tls/host.key"
echo "ok renewal"

# --- in words
expect 2 creel --rm "http://$rm" job list; one_line 'https://'
deploy/make-certs "$T/other" stranger > /dev/null
expect 3 env CREEL_CA_FILE="$T/other/ca.pem" "$BIN/creel" job list
one_line "is not signed by an authority of $T/other/ca.pem"
deploy/make-certs --renew "$DEV/tls" host,elsewhere.example > /dev/null
kill -HUP "$(daemon_pid rm-1)"
other_host() { ! creel job list > "$T/o" 2>&1; grep -qF 'certificate is for another host' "$T/o"; }
wait_for 20 "words on the wrong host" other_host
curl -s "http://$rm/ws/v1/cluster/info" | jq -e '.RemoteException.message' > /dev/null ||
    fail "plain HTTP: no words"
refuses() { # WORDS KEY=VALUE...: creel-rm does not start
    local words=$1 args=() pair
    shift
    for pair; do args+=(-D "$pair"); done
    expect 2 "$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/rm" "${args[@]}"
    grep -qF -e "$words" "$T/e" || fail "'$words' is not in: $(cat "$T/e")"
}
https=yarn.http.policy=HTTPS_ONLY
refuses 'HTTP_AND_HTTPS is not served' yarn.http.policy=HTTP_AND_HTTPS
refuses 'creel.tls.certificate-file is not set' $https
refuses 'is not the key of the certificate' $https \
    creel.tls.certificate-file="$T/other/stranger.pem" creel.tls.key-file="$T/other/ca.key"
echo "ok words"
