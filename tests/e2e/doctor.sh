#!/usr/bin/env bash
# Goal: creel doctor finds nothing in a closed configuration, and exactly the hole in each that
# differs from it by one; of a running cluster it tells what strangers may do.
. "$(dirname "$0")/cli_lib.sh"
mkdir -m 755 "$T/conf"
mkdir -m 700 "$T/state"
mkdir -m 755 "$T/local"
umask 077
for file in secret zk key token; do echo "$file" > "$T/$file"; done
printf '#!/bin/sh\n' > "$T/creel-exec"
[ "$EUID" != 0 ] || chmod 4750 "$T/creel-exec"

# write_conf [NAME=VALUE...]: the closed configuration, with these values instead of its own; a
# value that is empty removes the key.
write_conf() {
    {
        echo '<configuration>'
        printf '%s\n' creel.rm.bind=0.0.0.0 creel.nodemanager.bind=0.0.0.0 \
            yarn.http.policy=HTTPS_ONLY "creel.tls.key-file=$T/key" \
            "creel.cluster.secret-file=$T/secret" "creel.zk.secret-file=$T/zk" \
            yarn.resourcemanager.zk-address=zk1:2181 "creel.auth.token-file=$T/token" \
            yarn.acl.enable=true 'yarn.admin.acl=root operators' \
            creel.nodemanager.isolation=cgroup creel.container.disk-mb=10240 \
            "creel.nodemanager.user-launcher=$T/creel-exec" \
            "creel.rm.state-dir=$T/state" \
            "creel.nodemanager.local-dir=$T/local" hadoop.security.authorization=true "$@" |
            awk -F= '{ value[$1] = substr($0, length($1) + 2) }
                END {
                    for (name in value)
                        if (value[name] != "") {
                            print "<property><name>" name "</name>"
                            print "<value>" value[name] "</value></property>"
                        }
                }'
        echo '</configuration>'
    } > "$T/conf/creel-site.xml"
}
ids() { jq -r '.findings[].id' "$T/o" | sort -u | paste -sd ' '; }
# finds ID KEY [NAME=VALUE...]: that hole is found, with that key, and no other hole.
finds() {
    local id=$1 key=$2
    shift 2
    write_conf "$@"
    CREEL_CONF_DIR=$T/conf expect 1 creel doctor --json
    check_equal "$(ids)" "$id" "holes with $*"
    jq -e --arg key "$key" 'any(.findings[]; .key == $key and .why != "" and .remedy != "")' \
        "$T/o" > "$T/found" || fail "$id does not name $key: $(cat "$T/o")"
    n=$((n + 1))
}
n=0
write_conf
CREEL_CONF_DIR=$T/conf expect 0 creel doctor --json
check_equal "$(jq -c . "$T/o")" '{"findings":[]}' "holes of a closed configuration"
CREEL_CONF_DIR=$T/conf expect 0 creel doctor

finds simple-auth creel.auth creel.auth=simple
spnego="creel.auth=spnego yarn.resourcemanager.webapp.spnego-principal=HTTP/_HOST@A.EXAMPLE
    yarn.nodemanager.webapp.spnego-principal=HTTP/_HOST@A.EXAMPLE
    yarn.resourcemanager.webapp.spnego-keytab-file=$T/keytab
    yarn.nodemanager.webapp.spnego-keytab-file=$T/keytab"
touch "$T/keytab"
write_conf $spnego
CREEL_CONF_DIR=$T/conf expect 0 creel doctor
for daemon in resourcemanager nodemanager; do
    for key in principal keytab-file; do
        finds no-keytab yarn.$daemon.webapp.spnego-$key $spnego yarn.$daemon.webapp.spnego-$key=
    done
    finds no-keytab yarn.$daemon.webapp.spnego-keytab-file $spnego \
        yarn.$daemon.webapp.spnego-keytab-file="$T/nowhere"
    chmod 640 "$T/keytab"
    finds secret-file yarn.$daemon.webapp.spnego-keytab-file $spnego
    chmod 600 "$T/keytab"
done
finds plain-http yarn.http.policy $spnego yarn.http.policy=HTTP_ONLY
finds insecure creel.rm.insecure creel.rm.insecure=true
finds plain-http yarn.http.policy yarn.http.policy=HTTP_ONLY
finds no-secret creel.cluster.secret-file creel.cluster.secret-file=
finds acl-off yarn.acl.enable yarn.acl.enable=false
finds admin-everybody yarn.admin.acl 'yarn.admin.acl= * '
finds no-user-launcher creel.nodemanager.user-launcher creel.nodemanager.user-launcher=
finds no-disk-limit creel.container.disk-mb creel.container.disk-mb=0
finds no-limits creel.nodemanager.isolation creel.nodemanager.isolation=none
finds cross-origin hadoop.http.cross-origin.allowed-origins \
    yarn.nodemanager.webapp.cross-origin.enabled=true \
    'hadoop.http.cross-origin.allowed-origins=http://a.example,*'
finds jmx-any-origin creel.http.jmx-any-origin creel.http.jmx-any-origin=true
finds master-pages creel.proxy.sandbox creel.proxy.sandbox=false
finds proxy-user hadoop.proxyuser.oozie.hosts 'hadoop.proxyuser.oozie.hosts=*' \
    hadoop.proxyuser.oozie.users=alice
finds admin-pages hadoop.security.authorization hadoop.security.authorization=false
# On loopback there is neither network nor stranger; the state in ZooKeeper needs its digest there.
loopback='creel.rm.bind=127.0.0.1 creel.nodemanager.bind=::1 yarn.http.policy=HTTP_ONLY'
finds zookeeper-open creel.zk.secret-file $loopback creel.cluster.secret-file= creel.zk.secret-file=

for file in secret:creel.cluster.secret-file zk:creel.zk.secret-file key:creel.tls.key-file \
    token:creel.auth.token-file; do
    chmod 644 "$T/${file%%:*}"
    finds secret-file "${file#*:}"
    chmod 600 "$T/${file%%:*}"
done
ln -s secret "$T/link"
finds secret-file creel.cluster.secret-file "creel.cluster.secret-file=$T/link"
if [ "$EUID" = 0 ]; then
    for mode in 0750 4755 4770; do
        chmod $mode "$T/creel-exec"
        finds launcher-file creel.nodemanager.user-launcher
    done
    chmod 4750 "$T/creel-exec"
    chown 1 "$T/creel-exec" && chmod 4750 "$T/creel-exec"
    finds launcher-file creel.nodemanager.user-launcher
    chown 0 "$T/creel-exec" && chmod 4750 "$T/creel-exec"
fi
chmod 755 "$T/state"
finds state-folder creel.rm.state-dir
chmod 700 "$T/state"
chmod 775 "$T/local"
finds local-folder creel.nodemanager.local-dir
chmod 755 "$T/local"
chmod 777 "$T/conf"
finds conf-folder CREEL_CONF_DIR
chmod 755 "$T/conf"

# Two holes, for people and by severity.
write_conf creel.auth=simple creel.http.jmx-any-origin=true
CREEL_CONF_DIR=$T/conf expect 1 creel doctor
check_equal "$(grep -c '^\(high: simple-auth\|low: jmx-any-origin\)$' "$T/o")" 2 "holes for people"
CREEL_CONF_DIR=$T/conf expect 1 creel doctor --severity high --json
check_equal "$(ids)" simple-auth "grave holes"
write_conf creel.http.jmx-any-origin=true
CREEL_CONF_DIR=$T/conf expect 0 creel doctor --severity medium
expect 2 creel doctor --severity grave
one_line grave medium
expect 2 creel doctor --conf "$T/nowhere.xml"
expect 3 creel doctor --rm http://127.0.0.1:1
echo "ok $n open configurations"

# A running cluster.
write_conf
live() {
    CREEL_CONF_DIR=$T/conf creel doctor --json --rm "$1" > "$T/o" 2> "$T/e" ||
        [ $? = 1 ] || fail "$(cat "$T/e")"
}
live_ids='live-claimed-name live-private-page live-submission'
start_cluster --nodes 1
live "$CREEL_RM"
check_equal "$(ids)" "$live_ids" "what a cluster with simple authentication grants"
live "$CREEL_RM/"
check_equal "$(ids)" "$live_ids" "the same, with a slash behind the address"
creel dev --stop --dir "$DEV" > "$T/stop.out"
rm -rf "$DEV" "$T/conf-auth/creel-site.xml"
AUTH=token
start_cluster --nodes 1 --tls
export CREEL_CA_FILE=$DEV/tls/ca.pem
for url in "$CREEL_RM" "$(cat "$DEV/nm-1.url")"; do
    live "$url"
    check_equal "$(ids)" "" "what $url grants to strangers"
done
echo "ok clusters"
