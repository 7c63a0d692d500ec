#!/usr/bin/env bash
# Goal: what deploy/ gives to administrators is right: systemd takes the units without a complaint,
# the daemons take the example configuration, and the pages name only keys, metrics and options that
# exist.
. "$(dirname "$0")/lib.sh"
DEPLOY=${CREEL_SOURCE:?}/deploy
checked=0

# --- units
if command -v systemd-analyze > /dev/null; then
    for unit in creel-rm.service creel-rm@rm1.service creel-nm.service; do
        sed "s|/usr/sbin/|$BIN/|" "$DEPLOY/systemd/${unit/@rm1/@}" > "$T/$unit"
        systemd-analyze verify "$T/$unit" > "$T/said" 2>&1 || fail "$unit: $(cat "$T/said")"
        [ ! -s "$T/said" ] || fail "$unit: $(cat "$T/said")"
        checked=$((checked + 1))
    done
    printf '[Service]\nExecStart=%s/creel-nm\nKilMode=process\n' "$BIN" > "$T/wrong.service"
    systemd-analyze verify "$T/wrong.service" > "$T/said" 2>&1 || true
    grep -q KilMode "$T/said" || fail "systemd-analyze finds no mistakes here: $(cat "$T/said")"
fi
echo "ok $checked units"

# --- the user and the folder, as systemd would make them
if command -v systemd-sysusers > /dev/null && command -v systemd-tmpfiles > /dev/null &&
    [ "$EUID" = 0 ]; then
    mkdir -p "$T/root/etc" "$T/root/usr/lib/sysusers.d" "$T/root/usr/lib/tmpfiles.d"
    cp "$DEPLOY/creel.sysusers" "$T/root/usr/lib/sysusers.d/creel.conf"
    cp "$DEPLOY/creel.tmpfiles" "$T/root/usr/lib/tmpfiles.d/creel.conf"
    systemd-sysusers --root="$T/root" creel.conf > "$T/said" 2>&1 ||
        fail "sysusers.d: $(cat "$T/said")"
    grep -q '^creel:.*:/var/lib/creel:' "$T/root/etc/passwd" ||
        fail "no user creel: $(cat "$T/root/etc/passwd")"
    systemd-tmpfiles --root="$T/root" --create creel.conf > "$T/said" 2>&1 ||
        fail "tmpfiles.d: $(cat "$T/said")"
    check_equal "$(stat -c '%a %u' "$T/root/etc/creel")" "755 0" "mode and owner of /etc/creel"
    echo secret > "$T/root/etc/creel/cluster.secret"
    systemd-tmpfiles --root="$T/root" --create creel.conf > "$T/said" 2>&1 ||
        fail "tmpfiles.d: $(cat "$T/said")"
    check_equal "$(stat -c '%a %u' "$T/root/etc/creel/cluster.secret")" \
        "600 $(sed -n 's/^creel:[^:]*:\([0-9]*\):.*/\1/p' "$T/root/etc/passwd")" \
        "mode and owner of the secret"
    for user in $(sed -n 's/^\(User\|Group\)=//p' "$DEPLOY"/systemd/*.service | sort -u); do
        check_equal "$user" creel "the units' user"
    done
    echo "ok user and folder"
fi

# --- the example: every id is a ResourceManager, and nothing else is reported
"$BIN/creel" secret --new --file "$T/cluster.secret" 2> "$T/said" || fail "$(cat "$T/said")"
"$BIN/creel" secret --new --file "$T/zookeeper.secret" 2> "$T/said" || fail "$(cat "$T/said")"
said() {
    "$BIN/creel-rm" --conf "$DEPLOY/yarn-site-ha.xml" \
        -D creel.cluster.secret-file="$T/cluster.secret" "$@" 2>&1 || true
}
said --rm-id rm3 | grep -q 'yarn.resourcemanager.ha.id: rm3 is not one of .*rm1,rm2' ||
    fail "says $(said --rm-id rm3)"
for id in rm1 rm2; do # all of it was read when the port is what is wrong
    said --rm-id $id -D creel.rm.bind=999.9.9.9 | grep -q '999.9.9.9' ||
        fail "says $(said --rm-id $id -D creel.rm.bind=999.9.9.9)"
done
echo "ok example"

# --- the pages
pages=$(ls "$DEPLOY"/doc/*.md "$CREEL_SOURCE"/{README,SECURITY}.md | grep -v /configuration.md)
"$BIN/creel-rm" --help > "$T/help"
for key in $(grep -oh '`\(yarn\|creel\|hadoop\)\.[a-z][a-z.-]*[a-z][` =]' $pages |
    tr -d '` =' | sort -u); do
    case $key in
        hadoop.auth) ;; # a cookie
        # settings of Hadoop's own programs
        yarn.nodemanager.resource.memory-mb | yarn.nodemanager.resource.cpu-vcores) ;;
        yarn.resourcemanager.work-preserving-recovery.enabled | yarn.app.mapreduce.*) ;;
        yarn.client.failover-sleep-* | yarn.scheduler.minimum-allocation-mb) ;;
        yarn.application.classpath) ;;
        yarn.resourcemanager.webapp.address | yarn.resourcemanager.webapp.https.address) ;;
        *) grep -qE "$key( \\(|$)" "$T/help" || fail "$key is no key" ;;
    esac
done
for metric in $(grep -oh 'creel_[a-z_]*' $pages | sort -u); do
    grep -rqF "\"${metric#creel_}\"" "$CREEL_SOURCE/rm" ||
        grep -rqF "\"${metric#creel_nm_}\"" "$CREEL_SOURCE/nodemanager" ||
        fail "$metric is no metric"
done
"$BIN/creel" rmadmin --help > "$T/help"
for option in $(grep -o 'rmadmin -[a-zA-Z]*' $pages -h | sed 's/.* //' | sort -u); do
    grep -qe "$option" "$T/help" || fail "rmadmin $option is no option"
done
for file in $(grep -ohE '(tests/)?deploy/[a-z@./-]*[a-z]' $pages | sort -u); do
    [ -e "$CREEL_SOURCE/$file" ] || [ -d "$CREEL_SOURCE/$file" ] || fail "$file is not there"
done
! grep -nE '^ +[A-Za-z.]+=[^#]*#' "$DEPLOY/doc/high-availability.md" ||
    fail "zoo.cfg knows no comment behind a value: it is taken as a part of that"
echo "ok pages"
