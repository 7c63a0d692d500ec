# tests/fault/ha_check.sh - sourced by run: what must hold once all is quiet. Each breach is a line
# in $T/violations.
#
#   I1 an acknowledged submission, kill or move is never lost
#   I2 committed output exists once and is complete
#   I3 no slot has two masters; no order of a lower epoch is carried out after a higher one was seen
#   I4 containers that nobody ordered to stop are the same processes
#   I5 every job ends, in the right state
#   I6 the leader's accounting equals the nodes' truth
#   I7 nothing waits for ever

breach() { echo "$*" >> "$T/violations"; }

# I1 and I5. $1: the leader's list of applications.
check_acks() {
    local what kind id name state row
    while read -r what kind id name; do
        [ "$what" != move ] || continue
        if [ "$what" = kill ]; then
            state=$id id=$kind
            row=$(grep "^$id " <<< "$1") ||
                { breach "I1 $id was killed, and is not known"; continue; }
            if [ "$state" = FINISHED ] || grep -qE "^$id KILLED " <<< "$row"; then continue; fi
            breach "I1 the kill of $id was acknowledged as $state, and now: $row"
            continue
        fi
        row=$(grep "^$id " <<< "$1") ||
            { breach "I1 $kind $id ($name) was acknowledged, and is not known"; continue; }
        case "$row" in
        "$id FINISHED SUCCEEDED "*) ;;
        "$id KILLED KILLED "*)
            grep -q "^kill $id " "$W/acks" || [ "$name" = doomed ] ||
                breach "I5 $id ($name) was killed by nobody"
            ;;
        "$id FINISHED FAILED "*)
            # This master does not ask again for containers that failed on a full disk or went with
            # a lost node.
            grep -q ' disk nm ' "$W/faults" || grep -qh ': LOST' "$W"/rm*/log ||
                breach "I5 $id ($name) failed"
            ;;
        *)
            why=$(rm_call GET "/ws/v1/cluster/apps/$id" | sed -n 1p | jq -r .app.diagnostics) ||
                true
            breach "I5 $id ($name) ended wrongly: $row $why"
            ;;
        esac
    done < "$W/acks"
    if grep -vE ' (FINISHED|FAILED|KILLED) ' <<< "$1" > "$W/unended"; then
        breach "I5 not ended: $(head -n 3 "$W/unended" | tr '\n' ';')"
    fi
}
# I1: each application that was moved is in the queue that the last acknowledgement names, or in one
# that a later request named whose outcome nobody knows.
check_moves() {
    local id queue is last
    queue_is() {
        is=$(rm_call GET "/ws/v1/cluster/apps/$id/queue" | sed -n 1p | jq -r .queue) && [ -n "$is" ]
    }
    while read -r id queue; do
        wait_until 5000 queue_is || true
        last=$(awk -v id="$id" '$1 == "move" && $2 == id { q = $3 } END { print q }' "$W/asked") ||
            true
        [ "$is" = "$queue" ] || [ "$is" = "$last" ] ||
            breach "I1 the move of $id to $queue was acknowledged, and it is in $is"
    done < <(awk '$1 == "move" { q[$2] = $3 } END { for (id in q) print id, q[id] }' "$W/acks")
}
# I2: each job that succeeded has its output, once. $1: the leader's list.
check_outputs() {
    local id state final name out
    while read -r id state final name; do
        out=$W/out-$name
        [ "$final" = SUCCEEDED ] && [[ $name != app* ]] || continue # plain applications have none
        [ -f "$out/_SUCCESS" ] || breach "I2 $name has no _SUCCESS"
        [ ! -e "$out/_temporary" ] || breach "I2 $name has left _temporary"
        parts=$(find "$out" -name 'part-*' | wc -l) || true
        [ "$parts" = 1 ] || breach "I2 $name has $parts parts"
        cat "$out"/part-* 2> /dev/null | LC_ALL=C sort | cmp -s - "$T/expected" ||
            breach "I2 the output of $name is not the pipeline's"
    done <<< "$1"
}
# I3 and I4, from the ledger and the nodes' logs.
check_ledger() {
    # No container starts twice. A container that has started ends, unless its end was ordered.
    awk '$1 == "S" {
            if (($3 SUBSEP $4) in s && !($4 == "-")) print "I4 " $3 " was started twice"
            s[$3, $4] = $7 " " $8
        }
        $1 == "E" {
            if (s[$3, $4] != $7 " " $8 && $4 != "-")
                print "I4 " $3 " ended as another process: " $7 " " $8 \
                    ", it began as " s[$3, $4]
        }' "$W/ledger" >> "$T/violations"
    grep -hoE '(kill|cleanup-app) order carried out: [^ ]+' "$W"/nm*/log 2> /dev/null |
        awk '{ print $NF }' | sort -u > "$W/ordered" || true
    awk -v ordered="$W/ordered" -v full="$(grep -c ' disk nm ' "$W/faults")" '
        BEGIN { while ((getline id < ordered) > 0) ok[id] = 1 }
        {
            if (split($3, p, "_") && p[2] ~ /^e/) app = "application_" p[3] "_" p[4]
            else app = "application_" p[2] "_" p[3]
        }
        $1 == "S" { open[$3] = app; node[$3] = $6 }
        $1 == "E" { delete open[$3] }
        END {
            for (c in open)
                if (!(c in ok) && !(open[c] in ok) && !(full && node[c] == "10.77.0.22"))
                    print "I4 " c " on " node[c] " ended without an order"
        }' "$W/ledger" >> "$T/violations"
    # In the order in which a node carried out its orders, their epochs never go back.
    local log
    for log in "$W"/nm*/log; do
        grep -oE 'order carried out: [^ ]+ epoch [0-9]+' "$log" | awk -v node="${log%/log}" '
            {
                if ($NF < top)
                    print "I3 " node ": order for " $4 " of epoch " $NF " after epoch " top
                if ($NF > top) top = $NF
            }' >> "$T/violations"
    done
    check_slots
}
# I3: containers at work on a node at one time, against its slots. A container that was ordered to
# end counts as ended from then on. A node whose clock was stepped is left out: its log tells
# no times.
check_slots() {
    local log stepped=
    for log in "$W"/nm*/log; do
        [ ! -e "${log%/log}/clock" ] ||
            { stepped+=" $(net_ip "$(basename "${log%/log}")")" && continue; }
        TZ=UTC awk -v node="$(net_ip "$(basename "${log%/log}")")" '
            / (kill|cleanup-app) order carried out: / {
                split(substr($1, 4), t, /[-T:.Z]/)
                ns = mktime(t[1] " " t[2] " " t[3] " " t[4] " " t[5] " " t[6]) t[7] "000000"
                for (i = 2; i < NF; i++) if ($i == "out:") print ns, "K", node, $(i + 1)
            }' "$log"
    done > "$W/killed"
    awk -v stepped="$stepped" \
        'index(stepped, $6) == 0 { print $2, $1, $6, $3, ($4 ~ /_r_/ ? "reduce" : "map") }' \
        "$W/ledger" |
        sort -n - "$W/killed" | awk -v maps="${NM_MAPS:-3}" -v reduces="${NM_REDUCES:-1}" '
        function ended(c) { if (c in kind) { n[where[c], kind[c]]--; delete kind[c] } }
        $2 == "S" {
            app = $4
            sub(/^container_(e[0-9]+_)?/, "", app)
            sub(/_[0-9]+_[0-9]+$/, "", app)
            if (($3, $4) in killed || ($3, app) in killed) next # it began as the order came
            kind[$4] = $5
            where[$4] = $3
            limit = $5 == "map" ? maps : reduces
            if (++n[$3, $5] > limit)
                print "I3 " n[$3, $5] " " $5 " containers at work on " $3 " at " $1 \
                    ", the last one " $4
        }
        $2 == "E" || ($2 == "K" && $4 ~ /^container/) { ended($4) }
        $2 == "K" { killed[$3, $4] }
        $2 == "K" && $4 ~ /^application/ {
            app = substr($4, 13)
            killed[$3, app]
            for (c in kind) if (where[c] == $3 && index(c, "_" app "_")) ended(c)
        }' |
        sed -n 1,2p >> "$T/violations"
}
node_containers() {
    curl -s -m 2 "$(nm_url "$1")/ws/v1/node/containers" |
        jq '[.containers.container // [] | .[] |
            select(.state != "COMPLETE" and .state != "DONE")] | length'
}
# I6: nothing runs, the leader knows it, and all nodes are there (a node whose disk was full until
# now calls itself unhealthy).
at_rest() {
    local i m
    m=$(rm_call GET /ws/v1/cluster/metrics | sed -n 1p)
    [ "$(jq '.clusterMetrics | [.containersAllocated, .containersPending, .containersReserved,
        .allocatedMB, .activeNodes + .unhealthyNodes] | join(" ")' <<< "$m")" = \
        "\"0 0 0 0 $NMS\"" ] || return 1
    for ((i = 1; i <= NMS; i++)); do [ "$(node_containers $i)" = 0 ] || return 1; done
}
check_all() {
    local list again a
    if ! wait_until 10000 at_rest; then
        metrics=$(rm_call GET /ws/v1/cluster/metrics | sed -n 1p | jq -c '.clusterMetrics |
            {activeNodes, lostNodes, containersAllocated, containersPending, allocatedMB}') || true
        breach "I6 not at rest: $metrics, containers on nodes:" \
            "$(node_containers 1) $(node_containers 2) $(node_containers 3)"
    fi
    list=$(apps_now) || { breach "I7 no ResourceManager is active at the end" && return; }
    check_acks "$list"
    check_moves
    check_outputs "$list"
    check_ledger
    # The store must hold the same list: the next leader reads it from there.
    a=$(rm_active) && wait_until 5000 rm_standby && host_kill "rm$a"
    next_leads() { b=$(rm_active) && [ "$b" != "$a" ]; }
    wait_until 15000 next_leads || { breach "I7 nobody takes over at the end" && return; }
    again=$(apps_now)
    check_moves
    difference=$(diff <(echo "$list") <(echo "$again") | head -n 4 | tr '\n' ';') || true
    [ "$list" = "$again" ] || breach "I1 the next leader knows something else: $difference"
}
