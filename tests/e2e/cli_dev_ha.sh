#!/usr/bin/env bash
# Goal: creel dev --ha starts a ZooKeeper and ResourceManagers that take over from each other, says
# who is active, starts each of them again, and leaves nothing. Users' tokens outlive a leader, and
# the cluster's own user needs nothing but the file of the folder.
AUTH=token
. "$(dirname "$0")/cli_lib.sh"
. "$(dirname "$0")/zookeeper.sh"
zk_or_skip
nobody() { ! pgrep -f -- "$DEV/" > /dev/null; }
role() {
    creel dev --status --dir "$DEV" --json |
        jq -r --arg n "$1" '.daemons[] | select(.name == $n) | .role'
}
who_is() {
    creel dev --status --dir "$DEV" --json |
        jq -r --arg r "$1" '.daemons[] | select(.role == $r) | .name'
}
is_one() { [ "$(who_is "$1" | wc -l)" = 1 ]; }
settled() { is_one active && is_one standby; }

# --- options that exclude each other, and missing programs
expect 2 creel dev --rms 2 --dir "$DEV"; one_line --rms --ha
expect 2 creel dev --ha --rms 4 --dir "$DEV"; one_line --rms
expect 2 creel dev --ha -Dyarn.resourcemanager.zk-address=x:1 --dir "$DEV"; one_line zk-address
expect 2 creel dev --ha -Dhadoop.zk.address=x:1 --dir "$DEV"; one_line hadoop.zk.address
expect 1 env PATH=/nowhere "$BIN/creel" dev --ha --port 0 --dir "$DEV"; one_line java 'apt install'
for odd in ünï 'back\slash' 'a#b'; do
    expect 1 creel dev --ha --port 0 --dir "$T/$odd"; one_line 'ZooKeeper needs a folder'
done
nobody || fail "a refused command started something"
echo "ok refusals"

# --- what the folder holds, and which ResourceManager is active
start_cluster --ha --nodes 2
[[ $CREEL_RM == http://127.0.0.1:*,http://127.0.0.1:* ]] || fail "rm.url: $CREEL_RM"
check_equal "$CREEL_RM" "$(cat "$DEV/rm-1.url"),$(cat "$DEV/rm-2.url")" "rm.url"
for f in rm-2.pid rm-2.url rm-2.log zookeeper.pid zookeeper.log zookeeper/zoo.cfg; do
    [ -s "$DEV/$f" ] || fail "$f is not in the folder"
done
grep -qF QuorumPeerMain "/proc/$(daemon_pid zookeeper)/cmdline" ||
    fail "zookeeper.pid is not its process"
wait_for 30 "active ResourceManager and standby" settled
table_says() {
    creel dev --status --dir "$DEV" > "$T/table" && grep -q '^rm-[12]  *active ' "$T/table"
}
wait_for 30 "active one in the table" table_says
grep -q '^  ResourceManager *http.*([a-z]*)$' "$T/dev.out" || fail "says $(cat "$T/dev.out")"
expect 1 creel dev --port 0 --dir "$DEV"; one_line "in use"
echo "ok folder"

# --- the active ResourceManager is killed during a job, and started again
(umask 077; creel token --new --user ann > "$T/ann"; creel token --new --user bob > "$T/bob")
creel token --revoke "$(cut -d . -f 1 "$T/bob")" > /dev/null
creel job submit --task 'sleep 0.2' --count 60 --wait > "$T/job.out" 2>&1 &
job=$!
busy() { creel job list --states RUNNING --json | jq -e '.jobs | length == 1'; }
wait_for 20 "job" busy
wait_for 30 "active ResourceManager and standby" settled
old=$(who_is active)
[ "$old" = rm-1 ] && new=rm-2 || new=rm-1
kill -9 "$(daemon_pid "$old")"
took_over() { [ "$(role "$new")" = active ]; }
wait_for 30 "takeover by $new" took_over
expect 0 creel dev --restart "$old" --dir "$DEV"
wait "$job" || fail "the job: $(cat "$T/job.out")"
grep -q '60 of 60' "$T/job.out" || fail "the job: $(cat "$T/job.out")"
answer_to() { # USER: of the ResourceManager that leads now
    curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(cat "$T/$1")" \
        "$(cat "$DEV/$new.url")/conf"
}
check_equal "$(answer_to ann)" 200 "the next leader to a user"
check_equal "$(answer_to bob)" 401 "the next leader to a revoked token"
CREEL_TOKEN_FILE=$T/ann expect 0 creel run -- true
joined() { [ "$(role "$old")" = standby ]; }
wait_for 20 "$old as standby" joined

# --- a browser that asks the standby is sent to the same page of the active one, which alone knows
# sessions; from a page that each of them has, to the form there, which knows the user already, or
# else takes his token and leads on to that page
leader=$(cat "$DEV/$new.url") standby=$(cat "$DEV/$old.url")
browse() { # ADDRESS: prints status, number of redirections, and the address at the end
    curl -s -L -b "$T/jar" -o "$T/page" -w '%{http_code} %{num_redirects} %{url_effective}' \
        -H 'Accept: text/html' "$1"
}
link_to_login() { sed -n 's/.*href="\(\/login?to=[^"]*\)".*/\1/p' "$T/page"; }
curl -s -o "$T/page" -c "$T/jar" -d to=/conf --data-urlencode "token=$(cat "$T/ann")" \
    "$leader/login"
grep -q creel-session "$T/jar" || fail "no session: $(cat "$T/page")"
check_equal "$(browse "$standby/cluster/apps?user=ann")" "200 1 $leader/cluster/apps?user=ann" \
    "a page of the cluster"
check_equal "$(browse "$standby/conf")" "401 0 $standby/conf" "a page of the standby itself"
check_equal "$(browse "$standby$(link_to_login)")" "200 2 $leader/conf" "no second login"
: > "$T/jar"
check_equal "$(browse "$standby/conf")" "401 0 $standby/conf" "the same without a session"
check_equal "$(browse "$standby$(link_to_login)")" "200 1 $leader/login?to=%2Fconf" "the form"
grep -q '<form method="post" action="/login">' "$T/page" || fail "no form: $(cat "$T/page")"
expect 0 creel dev --restart zookeeper --dir "$DEV"
leads_again() { is_one active && creel job list; }
wait_for 30 "an active ResourceManager after ZooKeeper's restart" leads_again
expect 2 creel dev --restart rm-9 --dir "$DEV"; one_line rm-9 rm-2 zookeeper
echo "ok takeover"

# --- all ends; the folder stays reserved for clusters of this kind, which still know their jobs
id=$(creel job list --json | jq -r '.jobs[0].id')
expect 0 creel dev --stop --dir "$DEV"
nobody || fail "left: $(pgrep -af -- "$DEV/")"
expect 1 creel dev --port 0 --dir "$DEV"; one_line "started with --ha"
start_cluster --ha --rms 3 --nodes 1
check_equal "$(tr , '\n' < "$DEV/rm.url" | wc -l)" 3 "addresses in rm.url"
expect 0 creel job status "$id"
expect 0 creel dev --stop --dir "$DEV"
nobody || fail "left: $(pgrep -af -- "$DEV/")"
echo "ok stop"
