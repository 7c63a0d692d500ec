#!/usr/bin/env bash
# Goal: a daemon with a wrong configuration ends with status 2 and names the fault, so that systemd
# does not restart it for ever (RestartPreventExitStatus=2). Status 1 is for faults that may be gone
# at the next start. --insecure has one rule for both daemons.
. "$(dirname "$0")/cli_lib.sh"
grep -q '^RestartPreventExitStatus=2$' "${CREEL_SOURCE:?}"/deploy/systemd/creel-rm.service ||
    fail "the unit has another status"
echo '<configuration/>' > "$T/empty.xml"
echo '<configuration><property><name>a' > "$T/torn.xml"
echo '<allocations><queue name="a"><weight>x</weight></queue></allocations>' > "$T/queues.xml"
touch "$T/file"
rm_() {
    timeout 60 "$BIN/creel-rm" --conf "$T/empty.xml" -D creel.rm.port=0 \
        -D creel.rm.state-dir="$T/rm" "$@"
}
nm_() {
    timeout 60 "$BIN/creel-nm" --conf "$T/empty.xml" -D creel.nodemanager.port=0 \
        -D creel.nodemanager.local-dir="$T/nm" "$@"
}
ends() { # STATUS WORD DAEMON ARGS...: the last words name WORD
    local status=$1 word=$2
    shift 2
    expect "$status" "$@"
    grep -qe "$word" "$T/e" || fail "'$*' does not name $word: $(cat "$T/e")"
}
alone=(--ha --rm-id a -D yarn.resourcemanager.ha.rm-ids=a
    -D yarn.resourcemanager.webapp.address.a=127.0.0.1:1
    -D hadoop.zk.address=127.0.0.1:1 -D yarn.resourcemanager.cluster-id=c)
ends 2 "did you mean creel.rm.port" rm_ -D creel.rm.prt=1
ends 2 creel.rm.port rm_ -D creel.rm.port=x
ends 2 "torn.xml, line [12]" rm_ --conf "$T/torn.xml"
ends 2 "$T/none.xml" rm_ --conf "$T/none.xml"
ends 2 creel.hfsp.nothing rm_ -D creel.hfsp.nothing=1
ends 2 "creel.scheduler.policy" rm_ -D creel.scheduler.policy=faire
ends 2 'creel.yarn.scheduler-shape: "fare" is not capacity, fair or fifo' rm_ \
    -D creel.yarn.scheduler-shape=fare
ends 2 "yarn.scheduler.fair.allocation.file: .*$T/none.xml" rm_ \
    -D yarn.scheduler.fair.allocation.file="$T/none.xml"
ends 2 "yarn.scheduler.fair.allocation.file: .*queues.xml:1: weight" rm_ \
    -D yarn.scheduler.fair.allocation.file="$T/queues.xml"
expiry="yarn.nm.liveness-monitor.expiry-interval-ms: 30"
ends 2 "$expiry: expected more than .*heartbeat-interval-ms, 1000" rm_ \
    -D yarn.nm.liveness-monitor.expiry-interval-ms=30
ends 2 creel.rm.state-dir rm_ -D creel.rm.state-dir=
ends 2 "creel.rm.state-dir: .*$T/file" rm_ -D creel.rm.state-dir="$T/file/x"
ends 2 'creel.rm.state-store: "bdb" is no state store of a single ResourceManager' rm_ \
    -D creel.rm.state-store=bdb
ends 2 "hadoop.zk.auth.*$T/none" rm_ "${alone[@]}" -D hadoop.zk.auth=@"$T/none"
ends 2 "creel.zk.secret-file.*$T/none" rm_ "${alone[@]}" -D creel.zk.secret-file="$T/none"
ends 2 creel.nodemanager.map-slots nm_ -D creel.nodemanager.map-slots=x
ends 2 'creel.nodemanager.isolation: "jail": expected one of none, cgroup' nm_ \
    -D creel.nodemanager.isolation=jail
ends 2 creel.nodemanager.rm nm_ -D creel.nodemanager.rm=http://
ends 2 creel.nodemanager.local-dir nm_ -D creel.nodemanager.local-dir=
ends 2 "creel.nodemanager.local-dir: .*$T/file" nm_ -D creel.nodemanager.local-dir="$T/file/x"
for daemon in rm_ nm_; do
    ends 2 'nm: creel.http.allowed-hosts: "http://a"\|rm: creel.http.allowed-hosts: "http://a"' \
        $daemon -D creel.http.allowed-hosts=http://a
    ends 2 'creel.http.connections-for-nodes: 1000' $daemon -D creel.http.connections=1000
done
# The secret tells nodes from others, not users: without tokens it lifts the rule for neither
# daemon.
"$BIN/creel" secret --new --file "$T/secret" 2> /dev/null
install -m 0640 "$T/secret" "$T/shown"
printf 'x\n' > "$T/odd" && chmod 600 "$T/odd"
ln -s "$T/secret" "$T/link"
for daemon in rm_ nm_; do
    key=creel.$([ $daemon = rm_ ] && echo rm || echo nodemanager).bind
    ends 2 "$key: .*--insecure" $daemon -D $key=0.0.0.0 -D creel.auth=simple \
        -D creel.cluster.secret-file="$T/secret"
    ends 2 'creel.cluster.secret-file is not set' $daemon --insecure -D $key=0.0.0.0
    ends 2 "creel.cluster.secret-file: $T/shown has mode 0640" $daemon \
        -D creel.cluster.secret-file="$T/shown"
    ends 2 "creel.cluster.secret-file: $T/link" $daemon -D creel.cluster.secret-file="$T/link"
    ends 2 "creel.cluster.secret-file: $T/none does not exist" $daemon \
        -D creel.cluster.secret-file="$T/none"
    ends 2 "creel.cluster.secret-file: $T/odd: expected one or two lines" $daemon \
        -D creel.cluster.secret-file="$T/odd"
    ends 2 '-D: creel.cluster.secret: a secret is not taken from the configuration' $daemon \
        -D creel.cluster.secret=hush
done
for daemon in rm_ nm_; do
    ends 2 'creel.auth: "kerberos": expected token, spnego or simple' $daemon -D creel.auth=kerberos
done
touch "$T/no-folder"
ends 1 "creel.auth.token-file: .*$T/no-folder" rm_ -D creel.auth.token-file="$T/no-folder/token"
# This host may still get that address: status 1.
ends 1 192.0.2.1 rm_ --insecure -D creel.rm.bind=192.0.2.1 \
    -D creel.cluster.secret-file="$T/secret"
ends 1 192.0.2.1 nm_ --insecure -D creel.nodemanager.bind=192.0.2.1 \
    -D creel.cluster.secret-file="$T/secret"
echo "ok wrong configurations"
