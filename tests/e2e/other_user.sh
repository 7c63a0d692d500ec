#!/usr/bin/env bash
# Goal: on a loopback address another user of the machine gets nothing from a cluster but what
# anybody may read: no change, no log, no secret, whatever that user tries.
# Method: creel dev of one user; commands, every route that changes something or is private, and the
# cluster's files as the user nobody. Needs root, for that other user.
AUTH=token
. "$(dirname "$0")/cli_lib.sh"
[ "$(id -u)" = 0 ] || { echo "needs root, to be another user"; exit 77; }
# the programs where nobody can run them; the rest of the folder stays closed
mkdir -m 755 "$T/open"
cp "$BIN/creel" "$T/open/creel"
chmod 711 "$T"
OTHER_UID=$(id -u nobody)
other() { # as nobody, without anything of ours in the environment
    setpriv --reuid="$OTHER_UID" --regid="$(id -g nobody)" --clear-groups \
        env -i PATH="$PATH" HOME=/nonexistent CREEL_RM="$CREEL_RM" CREEL_CONF_DIR=/nonexistent \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$@"
}
start_cluster --nodes 1 --map-slots 4
node=$(curl -s "$CREEL_RM/ws/v1/cluster/nodes" | jq -r '.nodes.node[0].nodeHTTPAddress')
node_id=$(curl -s "$CREEL_RM/ws/v1/cluster/nodes" | jq -r '.nodes.node[0].id')
# a job that has written a log, and runs
job=$(creel job submit --task "echo hidden; until [ -e $T/go ]; do sleep 0.05; done")
container=${job/application/container}_01_000002
log=ws/v1/node/containers/$container/logs/stdout
has_log() { curl -sf -H "@$DEV/rm.header" "http://$node/$log" | grep -q hidden; }
wait_for 20 "a log" has_log

# --- commands
refused() { # COMMAND...: it fails, and says why
    ! other "$T/open/creel" "$@" > "$T/o" 2> "$T/e" || fail "creel $* succeeds: $(cat "$T/o")"
    grep -q 'wants a token' "$T/e" || fail "creel $*: $(cat "$T/e")"
}
expect 0 other "$T/open/creel" job list
grep -q "$job" "$T/o" || fail "not everybody may read the list: $(cat "$T/o")"
refused run -- id
refused job submit --task id
refused job kill "$job"
refused application -kill "$job"
refused rmadmin -policy fair
refused rmadmin -refreshNodes
refused node -drain "$node_id"
refused token --new --user root
refused token --list
expect 5 other "$T/open/creel" logs "$job"
! grep -q hidden "$T/o" || fail "another user reads a log"
expect 4 other "$T/open/creel" dev --stop --dir "$DEV"
check_equal "$(job_state "$job")" RUNNING/UNDEFINED "the job after all that"

# --- files: the token, the secret, state, logs, containers
other sh -c "find '$DEV' '$T/home-state' -type f -exec cat {} +" > "$T/read" 2> /dev/null || true
[ ! -s "$T/read" ] || fail "another user reads files of the cluster: $(head -c 300 "$T/read")"
secret=$(head -n 1 "$DEV/conf/cluster.secret")
for pid in $(for d in rm-1 nm-1; do daemon_pid $d; done); do
    ! other cat "/proc/$pid/environ" > /dev/null 2>&1 || fail "the environment of $pid is open"
    ! grep -qF -e "$secret" -e "$(head -n 1 "$DEV/rm.token")" "/proc/$pid/cmdline" ||
        fail "the arguments of $pid tell a secret"
done

# --- every route that changes something or is private, with and without the owner's name
fill() { # PATH: with ids that exist, where there are some
    sed -e "s/{appid}/$job/; s/{jobid}/${job/application/job}/; s/{nodeid}/$node_id/" \
        -e "s/{containerid}/$container/; s/{queue}/default/; s/{filename}/stdout/; s/{file}/x/" \
        -e "s/{user}/root/; s/{rest\*}/x/; s/{[a-z]*}/x/g" <<< "$1"
}
while read -r daemon method path role flags; do
    case $method:$role:$flags in
    *FOR_ALL*) continue ;;
    GET:READ:*PRIVATE* | GET:WRITE:* | *:NODE:* | *:MASTER:*) ;;
    GET:*) continue ;;
    esac
    url=$CREEL_RM
    [ "$daemon" = rm ] || url=http://$node
    for query in "" "?user.name=root"; do
        echo "url = \"$url$(fill "$path")$query\""
        echo "request = $method"
        printf 'data = "{}"\nheader = "Content-Type: application/json"\n'
        printf 'output = /dev/null\nwrite-out = "%%{http_code} %s %s\\n"\nnext\n' "$method" "$path"
    done
done < <("$BIN/list_routes") > "$T/curl.conf"
sed -i '$d' "$T/curl.conf" # the last "next"
chmod 644 "$T/curl.conf"
other curl -s -K "$T/curl.conf" > "$T/answers"
! grep -v '^401 ' "$T/answers" || fail "another user is not refused"
[ "$(wc -l < "$T/answers")" -gt 120 ] || fail "too few routes: $(wc -l < "$T/answers")"
check_equal "$(job_state "$job")" RUNNING/UNDEFINED "the job after all that"

# --- a user with a token of their own can do their own things
(umask 077; creel token --new --user nobody > "$T/open/token")
chown nobody "$T/open/token"
expect 0 other env CREEL_TOKEN_FILE="$T/open/token" "$T/open/creel" run -- true
touch "$T/go"
wait_for 20 "the end of the job" job_is "$job" FINISHED/SUCCEEDED
echo "another user of the machine is refused"
