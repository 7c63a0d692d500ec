# tests/e2e/kdc_lib.sh - sourced by tests that need a Kerberos realm: one of their own, CREEL.TEST,
# in the test's folder, with a key distribution centre on a free port of 127.0.0.1. Nothing of the
# host's own Kerberos is read or written.
REALM=CREEL.TEST
KDC=$T/kdc
PATH=$PATH:/usr/sbin
for program in krb5kdc kadmin.local kdb5_util kinit kdestroy; do
    command -v $program > /dev/null ||
        { echo "needs $program: apt-get install krb5-kdc krb5-admin-server krb5-user"; exit 77; }
done
curl -V | grep -q SPNEGO || { echo "needs a curl that speaks SPNEGO"; exit 77; }

# start_kdc: makes the realm, and starts its centre.
start_kdc() {
    mkdir -m 700 "$KDC"
    export KRB5_CONFIG=$KDC/krb5.conf KRB5_KDC_PROFILE=$KDC/kdc.conf
    export KRB5CCNAME=FILE:$KDC/none
    unset KRB5RCACHENAME KRB5RCACHETYPE KRB5RCACHEDIR
    cat > "$KDC/kdc.conf" << END
[kdcdefaults]
    kdc_listen = ""
    kdc_tcp_listen = ""
[realms]
    $REALM = {
        database_name = $KDC/principal
        key_stash_file = $KDC/stash
        acl_file = $KDC/kadm5.acl
        max_life = 1h
        supported_enctypes = aes256-cts-hmac-sha1-96:normal
    }
END
    local tries
    for tries in 1 2 3 4 5; do # the port is free when it is chosen, and taken a moment later
        KDC_PORT=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
        cat > "$KDC/krb5.conf" << END
[libdefaults]
    default_realm = $REALM
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    rdns = false
    udp_preference_limit = 1
[realms]
    $REALM = {
        kdc = 127.0.0.1:$KDC_PORT
    }
[logging]
    kdc = FILE:$KDC/log
END
        sed -i "s/_listen = .*/_listen = 127.0.0.1:$KDC_PORT/" "$KDC/kdc.conf"
        [ -e "$KDC/principal" ] ||
            kdb5_util create -s -r $REALM -P master > "$T/said" 2>&1 || fail "$(cat "$T/said")"
        krb5kdc -n -r $REALM > "$KDC/out" 2>&1 &
        KDC_PID=$!
        if wait_for 10 "the centre" kdc_answers && kill -0 $KDC_PID 2> /dev/null; then return; fi
    done
    fail "the centre does not start: $(cat "$KDC/out" "$KDC/log")"
}
kdc_answers() {
    ! kill -0 $KDC_PID 2> /dev/null || (: < "/dev/tcp/127.0.0.1/$KDC_PORT")
}
stop_kdc() { [ -z "${KDC_PID:-}" ] || kill $KDC_PID 2> /dev/null || true; }
kadmin() { kadmin.local -r $REALM "$@" > "$T/said" 2>&1 || fail "kadmin $*: $(cat "$T/said")"; }
# add_person NAME: a principal with a ticket in the cache $KDC/NAME.
add_person() {
    kadmin addprinc -pw "$1-secret" "$1"
    echo "$1-secret" | kinit -c "$KDC/$1" "$1@$REALM" > "$T/said" 2>&1 || fail "$(cat "$T/said")"
}
# add_service PRINCIPAL KEYTAB
add_service() {
    kadmin addprinc -randkey "$1"
    kadmin ktadd -q -k "$2" "$1"
    chmod 600 "$2"
}
# of NAME COMMAND...: with the ticket of NAME.
of() {
    local name=$1
    shift
    KRB5CCNAME=FILE:$KDC/$name "$@"
}
