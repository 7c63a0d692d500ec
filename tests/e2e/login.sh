#!/usr/bin/env bash
# Goal: a person with a browser logs in with a token, on either daemon, and then reads what the
# token's user may read, on both, until the token or the session ends; the session is good for
# nothing else, and for nobody who made it up, changed it, or sends it from a page of another site;
# the way back from the page leads nowhere but to this server.
# Method: creel dev with tokens, and curl in place of a browser, sending what browsers send.
AUTH=token
. "$(dirname "$0")/cli_lib.sh"
cleanup_more() { creel dev --stop --dir "$T/tls" > /dev/null 2>&1 || true; }
(umask 077; head -c 32 /dev/urandom > "$T/signature")
free_address() {
    python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print("127.0.0.1:%d" % s.getsockname()[1])'
}
history=$(free_address)
start_cluster --nodes 1 --map-slots 4 -D creel.rm.audit-log="$T/audit" \
    -D mapreduce.jobhistory.webapp.address="$history" \
    -D creel.nodemanager.audit-log="$T/nm-audit" \
    -D hadoop.http.authentication.signature.secret.file="$T/signature"
JSON=(-H 'Content-Type: application/json')
JOB='{"job":{"tasks":[{"command":"true"}]}}'
HTML=(-H 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')

status() { curl -s -o "$T/body" -D "$T/head" -w '%{http_code}' "$@"; }
answers() { # STATUS CURL ARGS
    check_equal "$(status "${@:2}")" "$1" "${*:2}: $(head -c 300 "$T/body")"
}
head_has() { grep -qi -- "$1" "$T/head" || fail "no '$1' in $(cat "$T/head")"; }
head_lacks() { ! grep -qi -- "$1" "$T/head" || fail "'$1' in $(cat "$T/head")"; }
body_has() { grep -q -e "$1" "$T/body" || fail "no '$1' in $(cat "$T/body")"; }
new_token() { # USER [OPTION]...: in the file $T/USER
    (umask 077; creel token --new --user "$1" "${@:2}" > "$T/$1")
}
token() { head -n 1 "$T/$1"; }
id() { cut -d . -f 1 "$T/$1"; }
login() { # USER URL: sets SESSION
    answers 200 "$2/login" --data-urlencode "token=$(token "$1")" -d to=/conf
    SESSION=$(sed -n 's/^Set-Cookie: creel-session=\([^;]*\);.*/\1/p' "$T/head")
    [ -n "$SESSION" ] || fail "no cookie in $(cat "$T/head")"
}
flip() { case $1 in *0) echo "${1%?}1" ;; *) echo "${1%?}0" ;; esac; } # its last digit
cookie() { printf 'Cookie: a=b; creel-session=%s' "$1"; }
node=http://$(curl -s "$CREEL_RM/ws/v1/cluster/nodes" | jq -r '.nodes.node[0].nodeHTTPAddress')
new_token ann
new_token bob
job=$(CREEL_TOKEN_FILE=$T/ann creel job submit --task 'echo hidden' --wait --json 2> "$T/e" |
    jq -r .job.id)
container=${job/application/container}_01_000002
log=$node/node/containerlogs/$container/ann/stdout

# --- a page that needs a user: people get a link to the form, programs what they always got
for page in "$CREEL_RM/conf?name=a%26b" "$log?start=0"; do
    answers 401 "$page" "${HTML[@]}"
    head_has '^WWW-Authenticate: Bearer'
    head_has '^Content-Type: text/html'
    to=$(sed -n 's/.*href="\/login?to=\([^"]*\)".*/\1/p' "$T/body")
    check_equal "$(python3 -c 'import sys, urllib.parse; print(urllib.parse.unquote(sys.argv[1]))' \
        "$to")" "/${page#http://*/}" "where the link leads back to"
    answers 401 "$page"
    body_has RemoteException
done
answers 401 "$CREEL_RM/ws/v1/cluster/jobs" "${HTML[@]}" "${JSON[@]}" -d "$JOB"
body_has RemoteException
for at in "$CREEL_RM" "$node"; do
    answers 200 "$at/login"
    body_has '<form method="post" action="/login">'
    head_has '^Cache-Control: no-store'
    head_has "^Content-Security-Policy: .*form-action 'self'"
done

# --- the form
answers 200 "$CREEL_RM/login" --data-urlencode "token=$(token ann)" \
    --data-urlencode 'to=/conf?a=b&c'
head_has '^Refresh: 0;url=/conf?a=b&c.$'
head_has '^Cache-Control: no-store'
body_has '<a href="/conf?a=b&amp;c">'
head_has '^Set-Cookie: creel-session=session-[0-9a-f.]*; Path=/; Max-Age=3[56][0-9]*; Http'
head_has '^Set-Cookie: .*; HttpOnly; SameSite=Strict.$'
login ann "$CREEL_RM"
ann=$SESSION
answers 200 "$CREEL_RM/conf" -H "$(cookie "$ann")"
answers 200 "$CREEL_RM/login" -H "$(cookie "$ann")"
body_has 'You are ann'
answers 303 "$CREEL_RM/login?to=/cluster/apps" -H "$(cookie "$ann")"
head_has '^Location: /cluster/apps.$'
check_equal "$(curl -s -H "$(cookie "$ann")" "$CREEL_RM/ws/v1/cluster/userinfo" |
    jq -r .requestedUser)" ann "the session's user"
answers 200 "$CREEL_RM/ws/v1/cluster/tokens" -H "$(cookie "$ann")"
check_equal "$(jq -r '.tokens[].user' "$T/body" | xargs)" ann "the tokens that ann sees"

# --- the same session at the node, and one that the node has begun at the ResourceManager
answers 200 "$log" -H "$(cookie "$ann")"
body_has hidden
login bob "$node"
bob=$SESSION
head_has '^Refresh: 0;url=/conf.$'
answers 200 "$log" -H "$(cookie "$bob")" # a page that says why not, as YARN's
! grep -q hidden "$T/body" || fail "bob reads ann's log"
body_has 'not authorized'
answers 403 "$node/ws/v1/node/containers/$container/logs/stdout" -H "$(cookie "$bob")"
answers 200 "$node/conf" -H "$(cookie "$bob")"
answers 200 "$CREEL_RM/conf" -H "$(cookie "$bob")"
answers 403 "$CREEL_RM/ws/v1/cluster/jobs/$job" -H "$(cookie "$bob")"

refused() { # COOKIE
    for at in "$CREEL_RM" "$node"; do
        answers 401 "$at/conf" -H "$(cookie "$1")"
    done
}

# --- the end of a token that is revoked ends its sessions; why is in the log, which takes only some
# refusals a minute, so before the many others
new_token carl
login carl "$CREEL_RM"
carl=$SESSION
answers 200 "$CREEL_RM/conf" -H "$(cookie "$carl")"
expect 0 creel token --revoke "$(id carl)"
# what needs no user is answered, and is no refusal, whatever the cookie
for at in "$CREEL_RM/ws/v1/cluster/info" "$node/ws/v1/node/info"; do
    answers 200 "$at" -H "$(cookie "$carl")"
done
refused "$carl"
head_has '^Set-Cookie: creel-session=; Path=/; Max-Age=0; ' # by the node
for audit in "$T/audit" "$T/nm-audit"; do
    grep -q 'result=refused status=401 path=/conf .*why=' "$audit" || fail "not in $(cat "$audit")"
    ! grep 'result=refused status=2' "$audit" || fail "a request that was answered is in $audit"
done
answers 401 "$CREEL_RM/login" -d token=wrong
answers 401 "$CREEL_RM/conf" -H "$(cookie "$(flip "$ann")")"
for line in "op=login .*result=success .*of=ann" 'op=login .*result=refused status=401' \
    'result=refused status=401 .*why="the secret of session of token' \
    'result=refused status=401 .*may have been revoked'; do
    grep -q "$line" "$T/audit" || fail "the audit log lacks '$line': $(tail -n 20 "$T/audit")"
done

# --- wrong tokens, and no cookie for them
for at in "$CREEL_RM" "$node"; do
    for wrong in "" "${ann}" "$(token ann)0" "$(id ann).$(token bob | cut -d . -f 2)" \
        "$(head -c 600 /dev/zero | tr '\0' a)" '<script>'; do
        answers 401 "$at/login" --data-urlencode "token=$wrong" --data-urlencode 'to=/"><script>'
        head_lacks '^Set-Cookie'
        body_has 'not valid'
        ! grep -q '"><script>' "$T/body" || fail "markup in the page: $(cat "$T/body")"
    done
    answers 401 "$at/login" -X POST
    answers 413 "$at/login" --data-binary "token=$(head -c 9000 /dev/zero | tr '\0' a)"
done

# --- the same in a real browser, if there is one
if command -v chromium > /dev/null; then
    # a page that leads to another origin: here to that of the history, and back
    elsewhere=/proxy/$job/
    answers 302 "$CREEL_RM$elsewhere" -H "$(cookie "$ann")"
    head_has "^Location: http://$history/"
    end=$(curl -sL -o /dev/null -w '%{url_effective}' -H "$(cookie "$ann")" "$CREEL_RM$elsewhere")
    python3 "$(dirname "$0")/login.py" "$CREEL_RM" "$log" "$elsewhere" "$end" "$T/ann" "$T"
fi

# --- sessions that nobody has begun
IFS=. read -r open expiry mac <<< "$ann"
IFS=. read -r bob_open bob_expiry bob_mac <<< "$bob"
refused "$open.$((expiry + 1)).$mac"
refused "$open.0$expiry.$mac"
refused "$open.+$expiry.$mac"
refused "$bob_open.$expiry.$mac"
refused "$open.$expiry.$bob_mac"
refused "$(flip "$ann")"
refused "$open.$expiry.${mac%?}"
refused "$open.$expiry.${mac}0"
refused "$open.$expiry.${mac^^}"
refused "$open.$expiry."
refused "session-"
refused "session-$(id "ann").9999999999.$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')"
refused "$(token ann)" # a token is no session
# who knows what the store holds, the digest of a token's secret, lacks the key
digest=$(printf %s "$(token ann | cut -d . -f 2)" | sha256sum | cut -d ' ' -f 1)
forged=$(printf 'creel-session-1\n%s\n9999999999\n%s' "$(id ann)" "$digest" |
    openssl dgst -sha256 -hmac "$digest" | sed 's/.* //')
refused "session-$(id ann).9999999999.$forged"
answers 401 "$CREEL_RM/conf" -H "Authorization: Bearer $ann" # a session is no token
answers 200 "$CREEL_RM/ws/v1/cluster/metrics" -H "$(cookie "$open.1.$mac")" # like no cookie

# --- a session changes nothing, from our own pages as little as from others'
own=(-H "Origin: $CREEL_RM" -H 'Sec-Fetch-Site: same-origin')
answers 401 "$CREEL_RM/ws/v1/cluster/jobs" -H "$(cookie "$ann")" "${JSON[@]}" -d "$JOB"
answers 401 "$CREEL_RM/ws/v1/cluster/jobs" -H "$(cookie "$ann")" "${JSON[@]}" -d "$JOB" "${own[@]}"
answers 401 "$CREEL_RM/ws/v1/cluster/tokens/$(id ann)" -X DELETE -H "$(cookie "$ann")" "${own[@]}"
answers 401 "$CREEL_RM/ws/v1/cluster/tokens" -H "$(cookie "$ann")" "${JSON[@]}" -d '{"token":{}}'
answers 401 "$CREEL_RM/ws/v1/cluster/apps/$job/state" -X PUT -H "$(cookie "$ann")" "${JSON[@]}" \
    -d '{"state":"KILLED"}'
for origin in http://evil.example null "${CREEL_RM%:*}:1"; do
    foreign=(-H "Origin: $origin" -H 'Sec-Fetch-Site: cross-site')
    answers 403 "$CREEL_RM/ws/v1/cluster/jobs" -H "$(cookie "$ann")" -d "$JOB" "${foreign[@]}"
    # ... reads nothing for scripts of other sites ...
    answers 401 "$CREEL_RM/conf" -H "$(cookie "$ann")" -H "Origin: $origin"
    answers 401 "$node/conf" -H "$(cookie "$ann")" -H "Origin: $origin"
    # ... and these log nobody in or out
    for at in "$CREEL_RM" "$node"; do
        answers 403 "$at/login" -d "token=$(token bob)" "${foreign[@]}"
        head_lacks '^Set-Cookie'
        answers 403 "$at/logout" -X POST "${foreign[@]}"
        head_lacks '^Set-Cookie'
    done
done

# --- the way back
for to in //evil.example 'https://evil.example/' '/\evil.example' '\\evil.example' evil.example '' \
    javascript:alert '/a b' $'/a\tb' $'/\n/evil.example' $'/a\r\nX-Evil: 1' /ä \
    "/$(head -c 3000 /dev/zero | tr '\0' a)"; do
    answers 200 "$CREEL_RM/login" --data-urlencode "token=$(token ann)" --data-urlencode "to=$to"
    check_equal "$(sed -n 's/^Refresh: 0;url=\(.*\).$/\1/p' "$T/head")" / "the way back to '$to'"
    answers 303 -G "$CREEL_RM/login" --data-urlencode "to=$to" -H "$(cookie "$ann")"
    check_equal "$(sed -n 's/^Location: \(.*\).$/\1/p' "$T/head")" / "the way on to '$to'"
done
answers 200 -G "$CREEL_RM/login" --data-urlencode 'to=/"><script>'
! grep -q '"><script>' "$T/body" || fail "markup in the page: $(cat "$T/body")"

# --- logging out
for at in "$CREEL_RM" "$node"; do
    answers 200 "$at/logout" -X POST -H "$(cookie "$ann")" -H "Origin: $at"
    head_has '^Set-Cookie: creel-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict.$'
    head_lacks hadoop.auth
    ! grep -q Kerberos "$T/body" || fail "tickets are none here: $(cat "$T/body")"
    answers 200 "$at/logout" -H "$(cookie "$ann")"
    head_lacks '^Set-Cookie'
done

# --- the administrator's own token
cp "$DEV/rm.token" "$T/root"
login root "$CREEL_RM"
root=$SESSION
check_equal "$(curl -s -H "$(cookie "$root")" "$CREEL_RM/ws/v1/cluster/userinfo" |
    jq -r .requestedUser)" "$(command id -un)" "the administrator's session"

# --- the end of a token by date ends its sessions
new_token eve --expires 2
login eve "$CREEL_RM"
head_has '; Max-Age=[12]; '
eve=$SESSION
ended() { [ "$(status "$1/conf" -H "$(cookie "$2")")" = 401 ]; }
wait_for 20 "the end of eve's session" ended "$CREEL_RM" "$eve"
wait_for 20 "the end of eve's session at the node" ended "$node" "$eve"
grep -q 'op=login .*result=success .*of=bob' "$T/nm-audit" || fail "no login at the node is logged"
! grep -qF -e "$mac" -e "$(token ann | cut -d . -f 2)" "$T/audit" "$T/nm-audit" "$DEV"/*.log ||
    fail "a log has a session or a token"

# --- over a restart, since the secret that signs is in a file; the administrator's token is another
kill -9 "$(daemon_pid rm-1)"
answers 503 "$node/login" -d "token=$(token ann)"
creel dev --restart rm-1 --dir "$DEV" > /dev/null
answers 200 "$CREEL_RM/conf" -H "$(cookie "$ann")"
answers 401 "$CREEL_RM/conf" -H "$(cookie "$root")"
creel dev --stop --dir "$DEV" > /dev/null

# --- over TLS the cookie is for TLS alone; a session ends by its own date, too; where callers name
# themselves there are none
history=$(free_address)
creel dev --detach --port 0 --tls --nodes 1 -D hadoop.http.authentication.token.validity=2 \
    -D mapreduce.jobhistory.webapp.https.address="$history" --dir "$T/tls" > "$T/out" ||
    fail "$(cat "$T/out")"
tls=$(cat "$T/tls/rm.url")
over_tls() { status --cacert "$T/tls/tls/ca.pem" "$@"; }
check_equal "$(over_tls "$tls/login" -d "token=$(head -n 1 "$T/tls/rm.token")")" 200 "login by TLS"
head_has '^Set-Cookie: creel-session=.*; Max-Age=[12]; .*; SameSite=Strict; Secure.$'
short=$(sed -n 's/^Set-Cookie: creel-session=\([^;]*\);.*/\1/p' "$T/head")
short_ended() { [ "$(over_tls "$tls/conf" -H "$(cookie "$short")")" = 401 ]; }
wait_for 20 "the end of a short session" short_ended
check_equal "$(over_tls "$tls/conf" -H "@$T/tls/rm.header")" 200 "the token after its session"
# the port of the history has no form to lead to
private=https://$history/ws/v1/history/containers/container_1_0001_01_000001/logs
check_equal "$(over_tls "$private" "${HTML[@]}")" 401 "logs by the history"
! grep -q /login "$T/body" || fail "a link to a page that is not there: $(cat "$T/body")"
creel dev --stop --dir "$T/tls" > /dev/null
creel dev --detach --port 0 --auth simple --nodes 1 --dir "$DEV" > "$T/out" ||
    fail "$(cat "$T/out")"
answers 404 "$(cat "$DEV/rm.url")/login" -d "token=$(token ann)"
head_lacks '^Set-Cookie'
answers 404 "$(cat "$DEV/rm.url")/login"
echo "sessions are for reading, for their users, and end"
