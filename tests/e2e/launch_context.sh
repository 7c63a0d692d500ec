#!/usr/bin/env bash
# Goal: a submission as Hadoop's REST documentation shows it, JSON and XML, runs with all that its
# launch context has: environment, local resources, credentials, log aggregation context; so do the
# containers that its master asks for. A resource that is not as it should be fails its container
# with YARN's exit status and a clear reason, and nothing is written outside of the cache.
# Method: a real ResourceManager and NodeManager, and a web server that logs what it is asked; the
# documented members and values, with the places of the resources and the command replaced.
. "$(dirname "$0")/lib.sh"
HERE="$(cd "$(dirname "$0")" && pwd)"
AM="$HERE/sample-am.sh"
LOGS=org.apache.hadoop.yarn.server.nodemanager.containermanager.logaggregation
mkdir -p "$DEV" "$T/web" "$T/out" "$T/state"
declare -A PID=()
cleanup_more() { for p in "${PID[@]}"; do signal_child KILL "$p"; done; }

python3 "$HERE/resource_server.py" "$T/web" "$T/asked" "$T/port" &
PID[web]=$!
cat > "$T/fair.xml" << 'EOF'
<allocations><queue name="testqueue"/><queue name="default"/></allocations>
EOF
"$BIN/creel-rm" -D creel.rm.port=0 -D creel.rm.state-dir="$T/state" \
    -D creel.scheduler.policy=fair -D yarn.scheduler.fair.allocation.file="$T/fair.xml" \
    --url-file "$T/url" 2>> "$DEV/rm.log" &
PID[rm]=$!
wait_for 20 "creel-rm" test -s "$T/url"
CREEL_RM=$(cat "$T/url")
export CREEL_RM
wait_for 20 "the web server" test -s "$T/port"
WEB=http://127.0.0.1:$(cat "$T/port")
API=$CREEL_RM/ws/v1/cluster
start_nm() { # ARGS...
    "$BIN/creel-nm" -D creel.nodemanager.rm="$CREEL_RM" -D creel.nodemanager.port=0 \
        -D creel.nodemanager.local-dir="$T/nm" -D creel.nodemanager.map-slots=8 \
        -D creel.nodemanager.localizer.max-mb=4 -D creel.nodemanager.localizer.timeout-s=300 \
        -D creel.nodemanager.localizer.webhdfs="ns=$WEB/standby, name:9000=$WEB,ns=$WEB" \
        "$@" 2>> "$DEV/nm.log" &
    PID[nm]=$!
}
JAVA_HOME=/opt/of-the-node MALLOC_ARENA_MAX=4 start_nm
wait_for 20 "the node" nodes_running 1

new_id() { curl -sf -X POST "$API/apps/new-application?user.name=ann" | jq -r '."application-id"'; }
app() { curl -sf "$API/apps/$1" | jq -r ".app.$2"; }
app_ended() { case $(app "$1" state) in FINISHED | FAILED | KILLED) ;; *) return 1 ;; esac; }
ended_well() { # ID
    wait_for 60 "end of $1" app_ended "$1"
    check_equal "$(app "$1" state)/$(app "$1" finalStatus)" FINISHED/SUCCEEDED \
        "end of $1 ($(app "$1" diagnostics))"
}
asked() { grep -cx -- "$1" "$T/asked" || true; }
json_text() { jq -Rs . <<< "$1"; }
# post TYPE FILE: submits it; prints the status
post() {
    curl -s -o "$T/answer" -w '%{http_code}' -H "Content-Type: application/$1" -d @"$2" \
        "$API/apps?user.name=ann"
}
# changed_ms FILE: when it was changed
changed_ms() { echo $(($(date -r "$1" +%s%N) / 1000000)); }

# The resources: of the documented size and time.
truncate -s 43004 "$T/AppMaster.jar"
touch -d @1405452071.209 "$T/AppMaster.jar"
cp -p "$T/AppMaster.jar" "$T/web/"

# What the master's container and the container that it asks for see, in files.
look='ls -l > '$T/out/'$OUT.ls; env > '$T/out/'$OUT.env; pwd -P > '$T/out/'$OUT.pwd'
look="$look; readlink -f AppMaster.jar > $T/out/\$OUT.jar"
command="OUT=\$WHO; $look; echo said; echo one > <LOG_DIR>/file1; echo two > <LOG_DIR>/file2;"
command="$command echo three > {{LOG_DIRS}}/file3; echo <ADD_OPENS> > $T/out/opens;"
command="$command echo \$\$ > $T/out/shell; echo made > tmp/of-it && cp tmp/of-it $T/out/;"
command="$command sh '$AM' 1 true"
cat > "$T/classpath" << 'EOF'
{{CLASSPATH}}<CPS>./*<CPS>{{HADOOP_CONF_DIR}}<CPS>{{JAVA_HOME}}/lib/*<CPS>./log4j.properties
EOF
classpath=$(cat "$T/classpath")

# --- JSON ---
id=$(new_id)
jq -n --arg id "$id" --arg command "$command" --arg classpath "$classpath" \
    --arg class "$LOGS.AllContainerLogAggregationPolicy" --arg url "file://$T/AppMaster.jar" '{
 "application-id": $id, "application-name": "test",
 "am-container-spec": {
  "local-resources": {"entry": [{"key": "AppMaster.jar", "value": {"resource": $url,
    "type": "FILE", "visibility": "APPLICATION", "size": 43004, "timestamp": 1405452071209}}]},
  "commands": {"command":
   ($command + " 1><LOG_DIR>/AppMaster.stdout 2><LOG_DIR>/AppMaster.stderr")},
  "environment": {"entry": [
    {"key": "DISTRIBUTEDSHELLSCRIPTTIMESTAMP", "value": "1405459400754"},
    {"key": "CLASSPATH", "value": $classpath},
    {"key": "PATH", "value": "$PATH:{{PWD}}/bin"},
    {"key": "WHO", "value": "json"},
    {"key": "DISTRIBUTEDSHELLSCRIPTLEN", "value": "6"}]}},
 "unmanaged-AM": false, "max-app-attempts": 2, "resource": {"memory": 1024, "vCores": 1},
 "application-type": "YARN", "keep-containers-across-application-attempts": false,
 "log-aggregation-context": {"log-include-pattern": "file1", "log-exclude-pattern": "file2",
  "rolled-log-include-pattern": "file3", "rolled-log-exclude-pattern": "file4",
  "log-aggregation-policy-class-name": $class,
  "log-aggregation-policy-parameters": ""},
 "attempt-failures-validity-interval": 3600000, "reservation-id": "reservation_1454114874_1",
 "am-black-listing-requests": {"am-black-listing-enabled": true,
  "disable-failure-threshold": 0.01}}' > "$T/body.json"
check_equal "$(post json "$T/body.json")" 202 "the documented JSON ($(cat "$T/answer"))"
ended_well "$id"
variable() { sed -n "s/^$2=//p" "$T/out/$1.env"; } # OUT NAME
json_jar=$(cat "$T/out/json.jar")
cmp "$T/AppMaster.jar" "$T/web/AppMaster.jar"
grep -q "^l.*AppMaster.jar -> $T/nm/cache/" "$T/out/json.ls" || fail "$(cat "$T/out/json.ls")"
check_equal "$(variable json CLASSPATH)" ":./*::/opt/of-the-node/lib/*:./log4j.properties" CLASSPATH
check_equal "$(variable json PATH)" "$PATH:$(variable json PWD)/bin" PATH
check_equal "$(variable json DISTRIBUTEDSHELLSCRIPTLEN)" 6 DISTRIBUTEDSHELLSCRIPTLEN
check_equal "$(variable json USER)" ann USER
check_equal "$(variable json MAX_APP_ATTEMPTS)" 2 MAX_APP_ATTEMPTS
check_equal "$(variable json APPLICATION_WEB_PROXY_BASE)" "/proxy/$id" APPLICATION_WEB_PROXY_BASE
check_equal "$(variable json APP_SUBMIT_TIME_ENV)" "$(app "$id" startedTime)" APP_SUBMIT_TIME_ENV
check_equal "$(variable json NM_HOST):$(variable json NM_PORT)" \
    "$(curl -sf "$API/nodes" | jq -r '.nodes.node[0].id')" "NM_HOST and NM_PORT"
check_equal "$(variable json NM_HTTP_PORT)" "$(variable json NM_PORT)" NM_HTTP_PORT
check_equal "$(variable json LOCAL_DIRS)" "$T/nm/apps/$id/shared" LOCAL_DIRS
check_equal "$(variable json LOCAL_USER_DIRS)" "$T/nm/apps/$id/shared" LOCAL_USER_DIRS
check_equal "$(variable json MALLOC_ARENA_MAX)" 4 MALLOC_ARENA_MAX
check_equal "$(variable json JVM_PID)" "$(cat "$T/out/shell")" JVM_PID
check_equal "$(cat "$T/out/opens")" "--add-opens=java.base/java.lang=ALL-UNNAMED" "<ADD_OPENS>"
check_equal "$(cat "$T/out/of-it")" made "a file in tmp of the work folder"
check_equal "$(cat "$T/out/json.pwd")" "$(variable json PWD)" "the working folder"
[ -n "$(variable json HOME)" ] || fail "no HOME"
[ -n "$(variable json CONTAINER_ID)" ] || fail "no CONTAINER_ID"
check_equal "$(variable json HADOOP_TOKEN_FILE_LOCATION)" "" "tokens without credentials"
check_equal "$(basename "$(variable json LOG_DIRS)")" "$(variable json CONTAINER_ID)" LOG_DIRS

# --- XML, from the web server, through a redirect; with credentials ---
id=$(new_id)
{
    printf '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><application-submission-context>'
    printf '<application-id>%s</application-id><application-name>test</application-name>' "$id"
    printf '<queue>testqueue</queue><priority>3</priority><am-container-spec><local-resources>'
    printf '<entry><key>AppMaster.jar</key><value><resource>%s</resource><type>FILE</type>' \
        "$WEB/to/AppMaster.jar"
    printf '<visibility>APPLICATION</visibility><size>43004</size>'
    printf '<timestamp>1405452071209</timestamp></value></entry></local-resources><environment>'
    printf '<entry><key>WHO</key><value>xml</value></entry>'
    printf '<entry><key>CLASSPATH</key><value>%s</value></entry></environment>' \
        "$(sed 's/</\&lt;/g; s/>/\&gt;/g' "$T/classpath")"
    printf '<commands><command>%s</command></commands>' \
        "$(sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<< "cp container_tokens $T/out; \
           stat -c %a container_tokens > $T/out/mode; $command")"
    printf '<service-data><entry><key>test</key><value>dmFsdWUxMg</value></entry></service-data>'
    printf '<credentials><tokens/><secrets><entry><key>secret1</key><value>c2VjcmV0MQ</value>'
    printf '</entry></secrets></credentials><application-acls><entry><key>VIEW_APP</key><value>'
    printf 'testuser3, testuser4</value></entry><entry><key>MODIFY_APP</key><value>testuser1, '
    printf 'testuser2</value></entry></application-acls></am-container-spec>'
    printf '<unmanaged-AM>false</unmanaged-AM><max-app-attempts>2</max-app-attempts><resource>'
    printf '<memory>1024</memory><vCores>1</vCores></resource><application-type>YARN'
    printf '</application-type><keep-containers-across-application-attempts>false'
    printf '</keep-containers-across-application-attempts><application-tags><tag>tag 2</tag>'
    printf '<tag>tag1</tag></application-tags><attempt-failures-validity-interval>3600000'
    printf '</attempt-failures-validity-interval><reservation-id>reservation_1454114874_1'
    printf '</reservation-id></application-submission-context>'
} > "$T/body.xml"
check_equal "$(post xml "$T/body.xml")" 202 "the documented XML ($(cat "$T/answer"))"
ended_well "$id"
check_equal "$(asked /AppMaster.jar)" 1 "downloads of AppMaster.jar"
check_equal "$(variable xml CLASSPATH)" ":./*::/opt/of-the-node/lib/*:./log4j.properties" CLASSPATH
check_equal "$(cat "$T/out/mode")" 600 "mode of the token file"
check_equal "$(variable xml HADOOP_TOKEN_FILE_LOCATION)" "$(variable xml PWD)/container_tokens" \
    HADOOP_TOKEN_FILE_LOCATION
printf 'HDTS\0\0\1\7secret1\7secret1' > "$T/tokens"
cmp "$T/tokens" "$T/out/container_tokens" || fail "the token file is wrong"

# The files of ended applications are removed, and their containers' logs are those that the context
# includes.
gone() { [ ! -e "$1" ]; }
wait_for 30 "removal of the first application's resource" gone "$json_jar"
logs=$T/nm/logs/$(basename "$(dirname "$(variable json LOG_DIRS)")")/$(variable json CONTAINER_ID)
only_file1() { [ "$(ls "$logs")" = file1 ]; }
wait_for 30 "the choice of logs in $logs" only_file1

# --- a master's containers; types, visibilities, one copy for all ---
mkdir -p "$T/pack/bin"
printf '#!/bin/sh\necho tool\n' > "$T/pack/bin/tool"
ln -s bin/tool "$T/pack/tool"
tar -C "$T/pack" -czf "$T/web/pack.tgz" .
python3 - "$T" << 'EOF'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/some.jar", "w") as z:
    z.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    z.writestr("a/B.class", "b")
    z.writestr("lib/", "")
    z.writestr("lib/used.jar", "u")
    z.writestr("classes/C.class", "c")
    z.writestr("a/lib/unused.jar", "n")
EOF
echo plain > "$T/web/plain.txt"
mkdir -p "$T/web/hdfs/user/ann/tree/in side" "$T/web/hdfs/user/ann/lying" \
    "$T/web/hdfs/user/ann/of much" "$T/web/hdfs/user/ann/heavy/a/b/lying"
cp -p "$T/some.jar" "$T/web/hdfs/user/ann/some.jar"
echo of-ann > "$T/web/hdfs/user/ann/of ann"
chmod o-r "$T/web/hdfs/user/ann/of ann"
echo deep > "$T/web/hdfs/user/ann/tree/in side/100%"
: > "$T/web/hdfs/user/ann/tree/empty"
mkdir "$T/folder"
ln -s ../pack "$T/folder/pack" # links are followed
cat > "$T/master.sh" << 'EOF'
# asks for three containers with resources of their own, and finishes when all have ended
app=${PWD%/container_*} app=${app##*/}
post() {
    printf 'header = "Authorization: Bearer %s"\n' "$(cat "$CREEL_APP_TOKEN_FILE")" |
        curl -sf -K - -X POST -H 'Content-Type: application/json' -d "$2" \
            "$CREEL_RM/ws/v1/cluster/apps/$app/master/$1"
}
post register '{"host":"localhost"}' > /dev/null || exit 1
over=0 response=0 ask=$(cat "$1") status=
while [ $over -lt 3 ]; do
    answer=$(post allocate "{\"ask\":[$ask],\"responseId\":$response}") || exit 1
    ask= response=$(echo "$answer" | jq .responseId)
    over=$((over + $(echo "$answer" | jq '.completed | length')))
    status="$status$(echo "$answer" | jq -r '.completed[] | "\(.exitStatus) \(.diagnostics);"')"
    sleep 0.05
done
echo "$status" > "$2"
post finish '{"finalStatus":"SUCCEEDED"}' > /dev/null
EOF
# ask FILE RESOURCES COMMAND: the ask of three containers
ask() {
    jq -n --argjson resources "$2" --arg command "$3" '{"priority": 1, "resourceName": "*",
      "numContainers": 3, "capability": {"memory": 256, "vCores": 1}, "launch": {
      "local-resources": {"entry": $resources}, "commands": {"command": $command}}}' > "$1"
}
# run_master ASK OUT
run_master() {
    id=$(new_id)
    jq -n --arg id "$id" --arg command "sh $T/master.sh $1 $2" '{"application-id": $id,
      "max-app-attempts": 1, "am-container-spec": {"commands": {"command": $command}}}' > "$T/body"
    check_equal "$(post json "$T/body")" 202 "submission of the master"
    ended_well "$id"
}
# resource NAME URL TYPE VISIBILITY SIZE TIMESTAMP
resource() {
    jq -n --arg name "$1" --arg url "$2" --arg type "$3" --arg visibility "$4" --argjson size "$5" \
        --argjson timestamp "$6" '{"key": $name, "value": {"resource": $url, "type": $type,
          "visibility": $visibility, "size": $size, "timestamp": $timestamp}}'
}
# with_pattern RESOURCE PATTERN
with_pattern() { jq --arg pattern "$2" '.value.pattern = $pattern' <<< "$1"; }
resources=$(jq -s . <<< "$(resource deep/er/plain "$WEB/plain.txt" FILE PRIVATE 6 0)
    $(resource pack "$WEB/pack.tgz" ARCHIVE PUBLIC 0 0)
    $(resource jar "file://$T/some.jar" PATTERN APPLICATION 0 "$(changed_ms "$T/some.jar")")
    $(with_pattern "$(resource some "file://$T/some.jar" PATTERN APPLICATION 0 \
        "$(changed_ms "$T/some.jar")")" '(?:classes/|lib/).*')
    $(resource whole "$WEB/pack.tgz" FILE PUBLIC 0 0)
    $(resource folder "file://$T/folder" FILE PUBLIC 1 "$(changed_ms "$T/folder")")
    $(resource hdfs.jar hdfs://ns/user/ann/some.jar PATTERN PUBLIC 0 "$(changed_ms "$T/some.jar")")
    $(resource hdfs.file hdfs://name:9000/user/ann/of%20ann FILE PRIVATE 7 \
        "$(changed_ms "$T/web/hdfs/user/ann/of ann")")
    $(resource hdfs.tree "web${WEB/http/hdfs}/user/ann/tree" FILE APPLICATION 1 \
        "$(changed_ms "$T/web/hdfs/user/ann/tree")")")
ask "$T/ask" "$resources" "{ cat deep/er/plain jar/a/B.class; echo; pack/tool; ls jar;
    folder/pack/tool; cat hdfs.jar/a/B.class; echo; cat hdfs.file; find hdfs.tree/ -type f | sort;
    cd some; find * -type f; } > $T/out/{{CONTAINER_ID}}.all"
run_master "$T/ask" "$T/completed"
check_equal "$(cat "$T/completed")" "$(printf '0 ;\n0 ;\n0 ;' )" "ends of the containers"
check_equal "$(cat "$T"/out/container_*.all | sort | uniq -c | tr -s ' \n' ' ')" \
    " 3 META-INF 3 a 6 b 3 classes 3 classes/C.class 3 hdfs.tree/empty 3 hdfs.tree/in side/100%$(
    ) 3 lib 3 lib/used.jar 3 of-ann 3 plain 6 some.jar 6 tool " \
    "what three containers read"
check_equal "$(asked /pack.tgz)" 2 "downloads of pack.tgz, as an archive and as a file"
check_equal "$(asked /plain.txt)" 1 "downloads of plain.txt"
run_master "$T/ask" "$T/completed" # another application of the same user
check_equal "$(asked /pack.tgz)" 2 "downloads of pack.tgz for two applications"
check_equal "$(asked /plain.txt)" 1 "downloads of plain.txt for one user"
wait_for 30 "removal of what belongs to ended applications" \
    sh -c "[ \$(grep -l 'app application' $T/nm/cache/*/resource.json | wc -l) = 0 ]"

# --- what fails ---
# fails WHAT RESOURCE TEXT: a master with it fails with -1000 and a text
fails() {
    local what=$1 text=$3
    id=$(new_id)
    jq -n --arg id "$id" --argjson resource "$2" '{"application-id": $id, "max-app-attempts": 1,
      "am-container-spec": {"commands": {"command": "true"},
      "local-resources": {"entry": $resource}}}' > "$T/body"
    check_equal "$(post json "$T/body")" 202 "submission with $what"
    wait_for 60 "end of $id with $what" app_ended "$id"
    check_equal "$(app "$id" state)" FAILED "state with $what"
    app "$id" diagnostics > "$T/why"
    grep -q 'exitCode: -1000' "$T/why" || fail "$what: $(cat "$T/why")"
    grep -qF -- "$text" "$T/why" || fail "$what: '$text' is not in: $(cat "$T/why")"
}
fails "a missing file" "$(resource x "file:///no/such/file" FILE PUBLIC 1 1)" \
    "File file:///no/such/file does not exist"
fails "a changed file" "$(resource x "file://$T/AppMaster.jar" FILE PUBLIC 0 1405452071208)" \
    'expected: "2014-07-15T19:21:11.208+0000", was: "2014-07-15T19:21:11.209+0000"'
fails "another size" "$(resource x "file://$T/AppMaster.jar" FILE PUBLIC 9 1405452071209)" \
    'expected: 9 bytes, was: 43004 bytes'
fails "a time in a download" "$(resource x "$WEB/AppMaster.jar" FILE PUBLIC 0 1405452072209)" \
    'changed on src filesystem'
fails "404" "$(resource x "$WEB/missing" FILE PUBLIC 0 0)" "404"
fails "a redirect to a file" "$(resource x "$WEB/to-file" FILE PUBLIC 0 0)" "Protocol"
fails "an endless redirect" "$(resource x "$WEB/round" FILE PUBLIC 0 0)" "redirects"
fails "an endless download" "$(resource x "$WEB/endless" FILE PUBLIC 0 0)" \
    "more than the 4194304 bytes of creel.nodemanager.localizer.max-mb"
fails "another file system" "$(resource x "s3a://bucket/x" FILE PUBLIC 0 0)" \
    'No FileSystem for scheme "s3a"'
fails "a missing file of HDFS" "$(resource x hdfs://ns/user/ann/none FILE PRIVATE 0 1)" \
    "File hdfs://ns/user/ann/none does not exist"
fails "a changed file of HDFS" "$(resource x hdfs://ns/user/ann/some.jar FILE PRIVATE 0 1)" \
    'changed on src filesystem - expected: "1970-01-01T00:00:00.001+0000"'
fails "a user's file as one for everybody" "$(resource x hdfs://ns/user/ann/of%20ann FILE PUBLIC 0 \
    "$(changed_ms "$T/web/hdfs/user/ann/of ann")")" "HDFS answered 403 AccessControlException: Perm"
fails "a name .. in HDFS" "$(resource x hdfs://ns/user/ann/lying FILE PRIVATE 0 \
    "$(changed_ms "$T/web/hdfs/user/ann/lying")")" 'HDFS names a file "../evil"'
fails "a long answer of HDFS" "$(resource x hdfs://ns/user/ann/of%20much FILE PRIVATE 0 \
    "$(changed_ms "$T/web/hdfs/user/ann/of much")")" "an answer has more than 65536 bytes"
fails "long lists of HDFS within each other" "$(resource x hdfs://ns/user/ann/heavy FILE PRIVATE 0 \
    "$(changed_ms "$T/web/hdfs/user/ann/heavy")")" 'HDFS names a file "../evil"'
fails "a FIFO" "$(mkfifo "$T/fifo" && resource x "file://$T/fifo" FILE PUBLIC 0 0)" "not a file"
fails "a changed folder" "$(resource x "file://$T/pack" FILE PUBLIC 0 1)" "changed on src"
fails "a FIFO in a folder" "$(mkdir "$T/with" && mkfifo "$T/with/fifo" &&
    resource x "file://$T/with" FILE PUBLIC 0 "$(changed_ms "$T/with")")" "not a file"
fails "the node's files in a folder" "$(mkdir "$T/of-node" && ln -s "$T/nm" "$T/of-node/nm" &&
    resource x "file://$T/of-node" FILE PUBLIC 0 "$(changed_ms "$T/of-node")")" \
    "belongs to the NodeManager"
fails "a folder in itself" "$(mkdir "$T/round" && ln -s . "$T/round/a" &&
    resource x "file://$T/round" FILE PUBLIC 0 "$(changed_ms "$T/round")")" \
    "more than 100 folders within each other"
fails "the node's own file" "$(resource x "file://$T/nm/state.json" FILE PUBLIC 0 0)" \
    "belongs to the NodeManager"
fails "%00 in a name" "$(resource x "file://$T/AppMaster.jar%00x" FILE PUBLIC 0 0)" "not a URL"
fails "a link's name outside" "$(resource ../x "file://$T/fifo" FILE PUBLIC 0 0)" \
    'its name leads out of the container'
python3 - "$T" << 'EOF'
import io, sys, tarfile, zipfile
t = sys.argv[1]
def tar(name, *members):
    with tarfile.open(f"{t}/{name}", "w:gz") as out:
        for m, kind, link in members:
            i = tarfile.TarInfo(m)
            i.type, i.linkname, i.size = kind, link, 4 if kind == tarfile.REGTYPE else 0
            out.addfile(i, io.BytesIO(b"evil"))
R, S, H, F = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE
tar("dots.tgz", ("../../../../evil", R, ""))
tar("absolute.tgz", (f"{t}/evil", R, ""))
tar("link.tgz", ("in", S, t), ("in/evil", R, ""))
tar("deep.tgz", ("a/b/l", S, "../.."), ("k", S, "a/b/l/../.."), ("k/evil", R, ""))
tar("through.tgz", ("a/x", R, ""), ("l", S, "a"), ("l/evil", R, ""))
tar("hard.tgz", ("h", H, f"{t}/AppMaster.jar"))
tar("hard2.tgz", ("h", H, "../../resource.json"))
tar("fifo.tgz", ("f", F, ""))
with tarfile.open(f"{t}/bomb.tgz", "w:gz") as out:
    i = tarfile.TarInfo("big")
    i.size = 64 << 20
    out.addfile(i, io.BytesIO(bytes(64 << 20)))
with zipfile.ZipFile(f"{t}/dots.zip", "w") as z:
    z.writestr("../../../../evil", "evil")
open(f"{t}/broken.zip", "w").write("PK\3\4 no archive")
EOF
archive() { resource x "file://$T/$1" ARCHIVE PRIVATE 0 "$(changed_ms "$T/$1")"; }
fails "a member .." "$(archive dots.tgz)" "would be written outside"
fails "an absolute member" "$(archive absolute.tgz)" "would be written outside"
fails "a link to elsewhere" "$(archive link.tgz)" "is a link that leads outside"
fails "a link in two steps" "$(archive deep.tgz)" "is a link that leads outside"
fails "a member below a link" "$(archive through.tgz)" "cannot be unpacked"
fails "a hard link to elsewhere" "$(archive hard.tgz)" "is a link to a file that the archive"
fails "a hard link .." "$(archive hard2.tgz)" "is a link to a file that the archive"
fails "a FIFO in an archive" "$(archive fifo.tgz)" "is not a file, a folder or a link"
fails "a bomb" "$(archive bomb.tgz)" "creel.nodemanager.localizer.max-mb"
fails "a member .. of a zip" "$(archive dots.zip)" "would be written outside"
fails "a broken zip" "$(archive broken.zip)" "cannot be unpacked"
check_equal "$(find "$T" -name evil -not -path '*/nm/trash/*' | wc -l)" 0 "files named evil"
left=$(grep -lE '(dots|link|bomb|missing|endless)' "$T"/nm/cache/*/resource.json || true)
check_equal "$left" "" "what is left of refused ones"

# --- killed while it downloads ---
# slow_app: submits one whose resource never comes; sets id
slow_app() {
    id=$(new_id)
    jq -n --arg id "$id" --argjson resource "$(resource x "$WEB/slow" FILE PUBLIC 0 0)" \
        '{"application-id": $id, "max-app-attempts": 1, "am-container-spec": {
          "commands": {"command": "true"}, "local-resources": {"entry": $resource}}}' > "$T/body"
    check_equal "$(post json "$T/body")" 202 "submission of a slow one"
}
downloading() { pgrep -f "creel-localize $T/nm/cache/.*/slow" > "$T/pids"; }
not_downloading() { ! downloading; }
memory_limited() { # a sanitizer's build is not limited
    ldd "$CREEL_BIN/creel-localize" | grep -qE 'lib(asan|tsan)' ||
        { downloading && grep -qE 'address space +536870912 ' "/proc/$(head -1 "$T/pids")/limits"; }
}
slow_app
wait_for 30 "the download" downloading
wait_for 10 "the limit of its memory" memory_limited
status=$(curl -s -o /dev/null -w '%{http_code}' -X PUT -H 'Content-Type: application/json' \
    -d '{"state":"KILLED"}' "$API/apps/$id/state?user.name=ann")
check_equal "$status" 202 "status of the kill"
wait_for 30 "end of the killed one" app_ended "$id"
wait_for 30 "end of its download" not_downloading

# The NodeManager dies in the middle of a download: the download dies too, a new NodeManager removes
# what is there of it, still has what was complete, and reports the container as lost.
complete=$(asked /pack.tgz)
slow_app
wait_for 30 "the download" downloading
kill -9 "${PID[nm]}"
wait_for 30 "end of the download" not_downloading
start_nm
wait_for 60 "end of the lost one" app_ended "$id"
check_equal "$(app "$id" state)" FAILED "state of the lost one ($(app "$id" diagnostics))"
! grep -l /slow "$T"/nm/cache/*/resource.json || fail "the broken download is still there"
run_master "$T/ask" "$T/completed"
check_equal "$(asked /pack.tgz)" "$complete" "downloads of pack.tgz after a restart"
echo "launch contexts work"
