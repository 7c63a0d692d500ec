#!/usr/bin/env bash
# Goal: an application submitted over Hadoop RPC runs with all that its launch context has, and is
# accepted again without effect; what is wrong is refused with YARN's class, and nothing is left of
# it; both are in the audit log.
# Method: rpc_peer.py submits to a real cluster what Hadoop's clients send; the master writes down
# what it finds.
. "$(dirname "$0")/lib.sh"
HERE="$(cd "$(dirname "$0")" && pwd)"
PEER=$HERE/rpc_peer.py
YARN=org.apache.hadoop.yarn.exceptions
cat > "$T/fair.xml" << 'END'
<allocations>
  <queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>
    <queue name="default"><aclSubmitApps>*</aclSubmitApps></queue>
    <queue name="closed"><aclSubmitApps>nobody no-such-group</aclSubmitApps></queue>
  </queue>
</allocations>
END
start_cluster --nodes 1 --policy fair -D yarn.scheduler.fair.allocation.file="$T/fair.xml" \
    -D yarn.resourcemanager.address=127.0.0.1:0 \
    -D yarn.resourcemanager.scheduler.address=127.0.0.1:0 \
    -D yarn.scheduler.fair.user-as-default-queue=false \
    -D yarn.acl.enable=true -D yarn.admin.acl=operator -D creel.rm.audit-log="$T/audit"
PORT=$(sed -n 's/.*rpc: .*ApplicationClientProtocolPB.* at port \([0-9]*\),.*/\1/p' "$DEV/rm-1.log")
call() { "$PEER" "$PORT" "$@" > "$T/answer"; }
says() { grep -qxF "$1: $2" "$T/answer" || fail "no '$1: $2' in $(cat "$T/answer")"; }
refuses() { # JAVA CLASS, WORDS
    grep -qF "$1: " "$T/answer" || fail "not $1: $(cat "$T/answer")"
    grep -qF "$2" "$T/answer" || fail "not '$2': $(cat "$T/answer")"
}
field_of() { sed -n "s/^$1: //p" "$T/answer"; }
new_id() { # sets seq and ts
    call getNewApplication
    seq=$(field_of 1.1) ts=$(field_of 1.2)
    app=$(printf 'application_%s_%04d' "$ts" "$seq")
}
submit() { call "${as[@]}" submitApplication 1.1.1="$seq" 1.1.2="$ts" "$@"; }
report() { call "${as[@]}" getApplicationReport 1.1="$seq" 1.2="$ts"; }
state_is() { report && grep -qx "1.8: $1" "$T/answer"; }
as=()

# ---- what Hadoop's clients send: a token file, resources, an environment, the master's request
new_id
echo content > "$T/plain.txt"
changed_ms=$(($(date -r "$T/plain.txt" +%s%N) / 1000000))
printf 'HDTS\0\0\1\7secret1\7secret1' > "$T/tokens"
look="cp container_tokens in/it.txt $T/; stat -c %a container_tokens > $T/mode; env > $T/env"
submit 1.2==named 1.5.1.1==in/it.txt 1.5.1.2.1.1==file 1.5.1.2.1.3=-1 \
    1.5.1.2.1.4=="$T/plain.txt" 1.5.1.2.2=8 1.5.1.2.3="$changed_ms" 1.5.1.2.4=2 1.5.1.2.5=3 \
    1.5.2=%"$(od -An -tx1 "$T/tokens" | tr -d ' \n')" \
    1.5.4.1==OWN 1.5.4.2=='{{CONTAINER_ID}}<CPS>$PATH' +1.5.4.1==OTHER 1.5.4.2=='$OWN!' \
    1.5.5=="$look;" 1.5.5=="sh $HERE/sample-am.sh" 1.5.5==1 1.5.5==true \
    1.5.6.1=1 1.5.6.2==carol 1.9.1=5 1.17.2=='*' 1.17.3.1=300 1.17.3.2=1 \
    1.18.1=1 1.18.2=500000
check_equal "$(cat "$T/answer")" "" "the answer to a submission"
wait_for 60 "the end of $app" state_is 6
says 1.13 1 # SUCCEEDED
says 1.2 alice
says 1.3 root.default
says 1.4 named
says 1.18 YARN
# the client's secret, and the token by which the master proves to the ResourceManager who it is
printf 'HDTS\0\1\0' | cmp - <(head -c 7 "$T/container_tokens") || fail "no token in the token file"
printf '\20YARN_AM_RM_TOKEN\0\1\7secret1\7secret1' | cmp - <(tail -c 35 "$T/container_tokens") ||
    fail "the token file is wrong: $(od -c "$T/container_tokens")"
check_equal "$(cat "$T/mode")" 600 "mode of the token file"
check_equal "$(cat "$T/it.txt")" content "the local resource"
variable() { sed -n "s/^$1=//p" "$T/env"; }
check_equal "$(variable OWN)" "$(variable CONTAINER_ID):$(variable PATH)" OWN
check_equal "$(variable OTHER)" "$(variable OWN)!" OTHER
check_equal "$(variable APPLICATION_WEB_PROXY_BASE)" "/proxy/$app" APPLICATION_WEB_PROXY_BASE
check_equal "$(variable APP_SUBMIT_TIME_ENV)" "$(field_of 1.11)" APP_SUBMIT_TIME_ENV

# who may see it: the access list of the launch context
as=(--user carol)
report && says 1.4 named && ! grep -qx '1.9: N/A' "$T/answer" || fail "what carol sees"
as=(--user bob)
report && says 1.9 N/A
as=()

# ---- again, also by somebody else, and with what would now be refused: no effect
for who in alice bob; do
    as=(--user $who)
    submit 1.2==other 1.9.1=99999999 1.5.5==false
done
as=()
report && says 1.4 named
says 1.2 alice

# ---- a second one, of the least that a client may send; its master's resource is that of field 9
new_id
submit 1.9.1=512 1.9.2=1 1.4.1=0 1.5.5=='sleep 1000' 1.18.1=1 1.18.2=500000
wait_for 30 "the launch of $app" state_is 4
says 1.4 N/A
grep -q '^1.26.2.3: 49[0-9][0-9][0-9][0-9]$' "$T/answer" || fail "lifetime: $(cat "$T/answer")"
running=$app

# ---- refused, each with YARN's class; none leaves an application behind
new_id
submit 1.9.1=99999999 1.5.5==true && fail "a huge master"
refuses $YARN.InvalidResourceRequestException "more memory than configured max"
submit 1.5.5==true && fail "no resource"
refuses $YARN.InvalidResourceRequestException "no resources requested"
submit 1.9.1=-5 1.5.5==true && fail "a negative resource"
refuses $YARN.InvalidResourceRequestException "less than 0"
submit 1.9.1=1 1.5.2=%4844545300ff && fail "broken credentials"
refuses $YARN.YarnException "credentials: the number of tokens is cut off"
submit 1.9.1=1 1.12==caf$'\xc3\xa9' && fail "a tag that is not ASCII"
refuses java.lang.IllegalArgumentException "A tag can only have ASCII characters"
submit 1.9.1=1 1.5.1.1==x 1.5.1.2.4=2 && fail "a resource without a URL"
refuses java.lang.NullPointerException "Null resource URL for local resource x"
submit 1.9.1=1 1.3==root.closed && fail "a queue that is closed to alice"
refuses $YARN.YarnException "AccessControlException: "
submit 1.9.1=1 1.16==nowhere && fail "a label that is not there"
refuses $YARN.YarnException nowhere
call submitApplication 1.2==x && fail "no id"
refuses $YARN.ApplicationNotFoundException "Invalid id"
call submitApplication 1.1.1=4711 1.1.2="$ts" 1.9.1=1 && fail "an id that was not given"
refuses $YARN.YarnException "was not given"
check_equal "$(curl -sf "$CREEL_RM/ws/v1/cluster/apps" | jq '.apps.app | length')" 2 "applications"

line="op=submit-app user=alice ip=127.0.0.1 result=success by=rpc app=$running name=.* queue="
grep -q "$line" "$T/audit" ||
    fail "no line of a success: $(cat "$T/audit")"
grep -q "op=submit-app user=alice ip=127.0.0.1 result=refused by=rpc app=$app why=.*no resources" \
    "$T/audit" || fail "no line of a refusal: $(cat "$T/audit")"

# ---- what was acknowledged is there after a crash, with all of its launch context
creel dev --restart rm-1 --dir "$DEV" > /dev/null
PORT=$(sed -n 's/.*rpc: .*ApplicationClientProtocolPB.* at port \([0-9]*\),.*/\1/p' \
    "$DEV/rm-1.log" | tail -n 1)
seq=$((10#${running##*_}))
wait_for 60 "$running after a restart" state_is 4
grep -q '^1.26.2.3: 49' "$T/answer" || fail "lifetime: $(cat "$T/answer")"
