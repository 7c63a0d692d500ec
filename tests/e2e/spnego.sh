#!/usr/bin/env bash
# Goal: with Kerberos, a user is who the ticket says: curl and the commands submit, read logs and
# are refused what is others'; without a ticket, with garbage, with a ticket for another service, or
# as a principal who is no user, nobody gets in; the cookie that a ticket has earned is good until
# it expires and no longer, and no page of another site can use it; tokens go on working.
# Method: a realm of the test's own with a real key distribution centre, `curl --negotiate`, and a
# cluster of one node that listens on localhost.
AUTH=spnego
. "$(dirname "$0")/cli_lib.sh"
. "$(dirname "$0")/kdc_lib.sh"
cleanup_more() { stop_kdc; }
start_kdc
for person in ann bob hue; do add_person $person; done
add_service HTTP/localhost "$T/rm.keytab"
add_service HTTP/elsewhere "$T/elsewhere.keytab"
kadmin addprinc -randkey other/localhost
(umask 077; head -c 32 /dev/urandom > "$T/signature")
JSON=(-H 'Content-Type: application/json')
JOB='{"job":{"tasks":[{"command":"echo hidden"}]}}'
SETTINGS=(-D yarn.resourcemanager.webapp.spnego-keytab-file="$T/rm.keytab"
    -D yarn.nodemanager.webapp.spnego-keytab-file="$T/rm.keytab"
    -D yarn.resourcemanager.webapp.spnego-principal="HTTP/localhost@$REALM"
    -D yarn.nodemanager.webapp.spnego-principal="HTTP/localhost@$REALM"
    -D hadoop.http.authentication.token.validity=3
    -D hadoop.http.authentication.signature.secret.file="$T/signature"
    -D hadoop.proxyuser.hue.users=ann -D hadoop.proxyuser.hue.hosts='*'
    -D hadoop.security.auth_to_local="RULE:[1:\$1](bob)s/bob/robert/ DEFAULT")

# --- what a daemon refuses to start with
# MIT's gss_acquire_cred() loses the name when the keytab lacks it: for leak sanitizers.
echo leak:krb5_copy_principal > "$T/suppressions"
refused() { # WORDS -D ...
    local rc=0
    LSAN_OPTIONS=suppressions=$T/suppressions:print_suppressions=0 timeout 20 "$BIN/creel-rm" \
        -D creel.rm.port=0 -D creel.rm.state-dir="$T/rm" "${SETTINGS[@]}" "${@:2}" 2> "$T/e" ||
        rc=$?
    check_equal "$rc" 2 "status for $*: $(cat "$T/e")"
    grep -q -e "$1" "$T/e" || fail "'$1' is not in $(cat "$T/e")"
}
cp "$T/rm.keytab" "$T/open.keytab"
chmod 640 "$T/open.keytab"
K=yarn.resourcemanager.webapp.spnego
refused "$K-keytab-file.*not set" -D $K-keytab-file=
refused "$K-keytab-file.*$T/none" -D $K-keytab-file="$T/none"
refused "$K-keytab-file.*0640" -D $K-keytab-file="$T/open.keytab"
refused "$K-keytab-file.*has no key of HTTP/localhost" -D $K-keytab-file="$T/elsewhere.keytab"
refused "$K-principal.*HTTP/_HOST" -D $K-principal=
refused "$K-principal.*rm/localhost" -D $K-principal="rm/localhost@$REALM"
refused "has no key of HTTP/here.example@" -D $K-principal="HTTP/_HOST@$REALM" \
    -D yarn.resourcemanager.hostname=Here.Example
for all in 0.0.0.0 ::; do # the name is the host's own
    refused "has no key of HTTP/[a-z0-9][-a-z0-9.]*@" -D $K-principal="HTTP/_HOST@$REALM" \
        -D yarn.resourcemanager.hostname=$all -D creel.rm.bind=127.0.0.1 \
        -D $K-keytab-file="$T/elsewhere.keytab"
    ! grep -qF "HTTP/$all@" "$T/e" || fail "an address is taken for a name: $(cat "$T/e")"
done
for odd in HTTP/_HOSTS HTTP/_HOST/x HTTP/x/_HOST HTTP/a_HOST; do # it is a whole part, the second
    refused "has no key of $odd@" -D $K-principal="$odd@$REALM" \
        -D yarn.resourcemanager.hostname=here.example
done
refused 'hadoop.security.auth_to_local: "RULE:\[1:$1\](\\d+)"' \
    -D 'hadoop.security.auth_to_local=RULE:[1:$1](\d+)'
for mode in 640 604; do
    (umask 077; head -c 32 /dev/urandom > "$T/signature-$mode")
    chmod $mode "$T/signature-$mode"
    refused "signature.secret.file.*0$mode" \
        -D hadoop.http.authentication.signature.secret.file="$T/signature-$mode"
done
(umask 077; echo short > "$T/signature-short")
refused "signature.secret.file.*6 bytes.*at least 16" \
    -D hadoop.http.authentication.signature.secret.file="$T/signature-short"
refused 'auth_to_local.mechanism.*mit' -D hadoop.security.auth_to_local.mechanism=mit

# the record of tickets seen, in places that others may have made
for at in open link file other plain; do mkdir -p "$T/$at/creel"; done
mkdir -m 755 "$T/open/creel/krb5"
mkdir -m 700 "$T/link/else" "$T/file/creel/krb5" "$T/other/creel/krb5"
ln -s "$T/link/else" "$T/link/creel/krb5"
: > "$T/plain/creel/krb5"
ln -s "$T/link/else/x" "$T/file/creel/krb5/rcache2"
(umask 022; : > "$T/other/creel/krb5/rcache2")
XDG_STATE_HOME=$T/open refused "$T/open/creel/krb5 has mode 0755"
XDG_STATE_HOME=$T/link refused "$T/link/creel/krb5 is not a folder"
XDG_STATE_HOME=$T/file refused "$T/file/creel/krb5/rcache2"
XDG_STATE_HOME=$T/other refused "$T/other/creel/krb5/rcache2 has mode 0644"
XDG_STATE_HOME=$T/plain refused "XDG_STATE_HOME, or KRB5RCACHENAME.*$T/plain/creel/krb5"
# ... unless Kerberos is to keep it elsewhere
XDG_STATE_HOME=$T/open KRB5RCACHENAME=dfl: refused "has no key of" \
    -D $K-keytab-file="$T/elsewhere.keytab"
sed "s/^\[libdefaults\]/&\n default_rcache_name = dfl:/" "$KRB5_CONFIG" > "$T/krb5.conf"
XDG_STATE_HOME=$T/open KRB5_CONFIG=$T/krb5.conf refused "has no key of" \
    -D $K-keytab-file="$T/elsewhere.keytab"

start_cluster --nodes 1 --map-slots 2 "${SETTINGS[@]}" -D creel.rm.audit-log="$T/audit" \
    -D yarn.resourcemanager.webapp.cross-origin.enabled=true
CREEL_RM=${CREEL_RM/127.0.0.1/localhost}
RM_TOKEN=$CREEL_TOKEN_FILE
unset CREEL_TOKEN_FILE
node=$(curl -s "$CREEL_RM/ws/v1/cluster/nodes" | jq -r '.nodes.node[0].nodeHTTPAddress')
node=http://localhost:${node##*:}

status() { curl -s -o "$T/body" -D "$T/head" -w '%{http_code}' "$@"; }
answers() { # STATUS CURL ARGS
    check_equal "$(status "${@:2}")" "$1" "${*:2}: $(head -c 300 "$T/body")"
}
head_has() { grep -qi -- "$1" "$T/head" || fail "no '$1' in $(cat "$T/head")"; }
head_lacks() { ! grep -qi -- "$1" "$T/head" || fail "'$1' in $(cat "$T/head")"; }
with() { # NAME STATUS CURL ARGS: with the ticket of NAME
    of "$1" answers "$2" --negotiate -u : "${@:3}"
}
me() { jq -r .requestedUser "$T/body"; }
ME=$CREEL_RM/ws/v1/cluster/userinfo
JOBS=$CREEL_RM/ws/v1/cluster/jobs
raw() { # ASK...: a token in base64, or whatever is given
    printf 'Authorization: Negotiate %s' "$1"
}

# --- without a ticket: both schemes are offered, nothing is done
answers 401 "$JOBS" "${JSON[@]}" -d "$JOB"
head_has '^WWW-Authenticate: Negotiate'
head_has '^WWW-Authenticate: Bearer'
head_lacks '^Set-Cookie'
answers 401 "$JOBS?user.name=ann" "${JSON[@]}" -d "$JOB"
with none 401 "$JOBS" "${JSON[@]}" -d "$JOB"
answers 401 "$CREEL_RM/conf"
answers 401 "$node/conf"

# --- garbage: no ticket at all, one cut off, one for another service, another mechanism's
head -c 3000 /dev/urandom | base64 -w 0 > "$T/noise"
ticket_for() { # NAME SERVICE: the token that NAME's client would send to SERVICE@localhost
    KRB5CCNAME=FILE:$KDC/$1 "$BIN/make_ticket" "$2@localhost"
}
good=$(ticket_for ann HTTP)
wrong=$(ticket_for ann other)
for token in "" "$(cat "$T/noise")" "YII" '%%%%' "${good:0:200}" "${good:0:-60}" "$wrong" \
    TlRMTVNTUAABAAAAB4IIogAAAAAAAAAAAAAAAAAAAAAGAbEdAAAADw== \
    "$(head -c 9000 /dev/zero | base64 -w 0)"; do
    answers 401 "$JOBS" "${JSON[@]}" -d "$JOB" -H "$(raw "$token")"
    head_has '^WWW-Authenticate: Negotiate'
    head_lacks '^Set-Cookie'
    ! grep -qiE 'gss|krb|encrypt|checksum|HTTP/localhost' "$T/body" ||
        fail "the caller learns why: $(cat "$T/body")"
done
answers 401 "$ME" -H "$(raw "$wrong")" # also where nobody is asked for
flipped=$(printf %s "$good" | base64 -d | python3 -c '
import sys
b = bytearray(sys.stdin.buffer.read()); b[-20] ^= 1; sys.stdout.buffer.write(b)' | base64 -w 0)
answers 401 "$ME" -H "$(raw "$flipped")"
answers 200 "$ME" -H "$(raw "$good")"
check_equal "$(me)" ann "the caller"
head_has '^WWW-Authenticate: Negotiate [A-Za-z0-9+/]'
answers 401 "$ME" -H "$(raw "$good")"        # the same ticket again
answers 401 "$node/conf" -H "$(raw "$good")" # also by another daemon of this user
check_equal "$(stat -c %a "$XDG_STATE_HOME/creel/krb5/rcache2")" 600 "mode of the record"
[ -s "$XDG_STATE_HOME/creel/krb5/rcache2" ] || fail "nothing is recorded"
grep -q 'result=refused status=401.*[Rr]eplay' "$T/audit" ||
    fail "the log does not say why: $(tail -n 5 "$T/audit")"

# --- with a ticket
with ann 201 "$JOBS" "${JSON[@]}" -d "$JOB"
head_has '^Set-Cookie: hadoop.auth="u=ann&p=ann@CREEL.TEST&t=kerberos&e=[0-9]*&s=.*HttpOnly'
id=$(jq -r .job.id "$T/body")
of ann creel job wait "$id" > /dev/null 2> "$T/e" || fail "creel job wait: $(cat "$T/e")"
with bob 200 "$ME"
check_equal "$(me)" robert "bob, by the rule of his"
with hue 200 "$ME?doAs=ann"
check_equal "$(me)" ann "ann, for whom hue acts"
with hue 403 "$ME?doAs=root"
with ann 403 "$ME?doAs=hue"
for who in bob hue; do # strangers
    with $who 403 "$JOBS/$id"
    with $who 403 "$CREEL_RM/ws/v1/cluster/apps/$id/state" -X PUT "${JSON[@]}" \
        -d '{"state":"KILLED"}'
done
with ann 200 "$JOBS/$id"

# --- the node's logs
log=$node/ws/v1/node/containers/${id/application/container}_01_000002/logs/stdout
answers 401 "$log"
head_has '^WWW-Authenticate: Negotiate'
with ann 200 "$log"
grep -q hidden "$T/body" || fail "not the log: $(cat "$T/body")"
with bob 403 "$log"
answers 401 "$log" -H "$(raw "$wrong")"

# --- a principal who is no user
kadmin addprinc -pw other-secret ann/a/b
echo other-secret | kinit -c "$KDC/odd" "ann/a/b@$REALM" > "$T/said" 2>&1 || fail "$(cat "$T/said")"
with odd 403 "$ME"
head_lacks '^Set-Cookie'

# --- the cookie: good for a while, for its own user, from our own pages
with ann 200 "$ME" -c "$T/jar"
answers 200 "$ME" -b "$T/jar"
check_equal "$(me)" ann "the cookie's user"
head_lacks '^Set-Cookie'
answers 201 "$JOBS" -b "$T/jar" "${JSON[@]}" -d "$JOB"
for from in http://evil.example null "${node%:*}:1"; do
    # a form, which a page can send unasked; JSON, which cross-origin settings let any site send
    answers 403 "$JOBS" -b "$T/jar" -d "$JOB" -H "Origin: $from" -H 'Sec-Fetch-Site: cross-site'
    answers 401 "$JOBS" -b "$T/jar" "${JSON[@]}" -d "$JOB" -H "Origin: $from" \
        -H 'Sec-Fetch-Site: cross-site'
    answers 401 "$CREEL_RM/conf" -b "$T/jar" -H "Origin: $from"
    of ann status --negotiate -u : "$CREEL_RM/conf" -H "Origin: $from" > "$T/status"
    check_equal "$(cat "$T/status")" 401 "a ticket sent for a page of $from"
done
value=$(awk '/hadoop.auth/ { print $7 }' "$T/jar")
answers 200 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=$value"
answers 401 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=${value/u=ann/u=bob}"
answers 401 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=${value/t=kerberos/t=simple-dt}"
answers 401 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=${value/&e=/&e=9}"
answers 401 "$CREEL_RM/conf" -H 'Cookie: hadoop.auth="u=ann&p=ann&t=kerberos&e=9999999999999&s="'
# a page on another port of this host can plant the cookie of somebody else
with hue 200 "$ME" -c "$T/planted"
planted=$(awk '/hadoop.auth/ { print $7 }' "$T/planted")
answers 200 "$ME" -H "Cookie: hadoop.auth=$planted" -H "$(raw "$(ticket_for ann HTTP)")"
check_equal "$(me)" ann "the ticket's user, whatever the cookie"
answers 401 "$ME" -H "Cookie: hadoop.auth=$planted" -H "$(raw "$wrong")"
with ann 200 "$ME" -c "$T/own"
own=$(awk '/hadoop.auth/ { print $7 }' "$T/own")
answers 401 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=$planted; hadoop.auth=$own"
answers 401 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=$own; hadoop.auth=$planted"

# the cookie of a node, which knows the same secret, is none for the ResourceManager
with ann 200 "$node/conf" -c "$T/node-jar"
for_node=$(awk '/hadoop.auth/ { print $7 }' "$T/node-jar")
answers 200 "$node/conf" -H "Cookie: hadoop.auth=$for_node"
answers 401 "$CREEL_RM/conf" -H "Cookie: hadoop.auth=$for_node"

# --- logging out ends the cookie; the ticket, which says who one is again, is the browser's
for at in "$CREEL_RM" "$node"; do
    with ann 200 "$at/conf" -c "$T/kept"
    grep -q hadoop.auth "$T/kept" || fail "no cookie in $(cat "$T/kept")"
    answers 200 "$at/logout" -X POST -H "Origin: $at" -b "$T/kept" -c "$T/kept"
    head_has '^Set-Cookie: hadoop.auth=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict.$'
    head_has '^Set-Cookie: creel-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict.$'
    grep -q 'Kerberos ticket is known again' "$T/body" || fail "not said: $(cat "$T/body")"
    ! grep -q hadoop.auth "$T/kept" || fail "the cookie is kept: $(cat "$T/kept")"
    answers 401 "$at/conf" -b "$T/kept"
    # also when the browser has shown the ticket with this request
    with ann 200 "$at/logout" -X POST -H "Origin: $at" -c "$T/kept"
    ! grep -q hadoop.auth "$T/kept" || fail "a cookie is made: $(cat "$T/kept")"
done
cookie_expired() { [ "$(status "$CREEL_RM/conf" -H "Cookie: hadoop.auth=$value")" = 401 ]; }
wait_for 20 "the end of a cookie" cookie_expired

# --- the commands
of ann expect 0 creel run -- sh -c 'echo out'
check_equal "$(cat "$T/o")" out "output"
of ann expect 0 creel job submit --task true --wait --json
check_equal "$(of ann creel logs "$id" 2> "$T/e" | tail -n 1)" hidden "the log, by the command"
of none expect 2 creel run -- true
one_line kinit token
of bob expect 2 creel logs "$id"

# --- tokens: the administrator's, and those of users
CREEL_TOKEN_FILE=$RM_TOKEN expect 0 creel token --new --user eve
(umask 077; cp "$T/o" "$T/eve")
answers 200 "$ME" -H "Authorization: Bearer $(head -n 1 "$T/eve")"
check_equal "$(me)" eve "the token's user"
of ann env CREEL_TOKEN_FILE="$T/eve" "$BIN/creel" run -- true || fail "a token is not used"
answers 401 "$ME" -H 'Authorization: Bearer wrong'
head_has '^WWW-Authenticate: Bearer error="invalid_token"'
with ann 200 "$CREEL_RM/ws/v1/cluster/tokens"

# --- a new key in the file is used without a restart
kadmin ktadd -q -k "$T/rm.keytab" HTTP/localhost
add_person carl
with carl 200 "$ME"
check_equal "$(me)" carl "the caller, by the new key"
echo "users are who their tickets say"
