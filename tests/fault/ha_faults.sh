# tests/fault/ha_faults.sh - sourced by run: the plan of faults, drawn by seed, and how each fault
# is made.
#
# A plan is a list of steps "AT:KIND:TARGET:LAST", times in milliseconds from the beginning of the
# work. An RM as TARGET is a role, resolved when the fault strikes. A fault is mended LAST later;
# for "kill" that means: started again.
#   kill pause   rm-active rm-standby nm zk-leader zk-follower     -9; SIGSTOP and later SIGCONT
#   cut          rm-active rm-standby nm zk-leader                 the link is down
#   split        rm-active/zk rm-active/nm rm-active/nms rm-active/rm-standby nm/nm
#                                                                  both ways between the two
#   oneway       the same pairs, and reversed                      only what the first sends is lost
#   quorum       zk                   two of three servers paused
#   disk         nm rm-active zk      its disk is full; zk: the disk of all servers, which end and
#                                     are started again
#   clock        rm-active nm         stepped by an hour, forward or back
# A second fault may strike while the first one's effects are repaired ("double").

FAULT_CELLS=(kill:rm-active kill:rm-standby kill:nm kill:zk-leader kill:zk-follower
    pause:rm-active pause:rm-standby pause:nm pause:zk-leader
    cut:rm-active cut:rm-standby cut:nm cut:zk-leader
    split:rm-active/zk split:rm-active/nm split:rm-active/nms split:rm-active/rm-standby split:nm/nm
    oneway:rm-active/zk oneway:zk/rm-active oneway:rm-active/nms oneway:nms/rm-active
    quorum:zk disk:nm disk:rm-active disk:zk clock:rm-active clock:nm)

# Random numbers by seed (splitmix64, so that close seeds have nothing in common).
rnd_seed() { RND=$(($1 * 1000003 + $2)); }
rnd() { # sets R to a number below $1
    RND=$((RND - 7046029254386353131))
    local z=$RND
    z=$(((z ^ ((z >> 30) & 0x3ffffffff)) * -4658895280553007687))
    z=$(((z ^ ((z >> 27) & 0x1fffffffff)) * -7723592293110705685))
    R=$((((z >> 31) & 0x1ffffffff) % $1))
}
fault_last() { # KIND: how long, into LAST
    case $1 in
    pause) rnd 2001 && LAST=$((1000 + R)) ;; # up to three times the session
    kill) rnd 1500 && LAST=$((100 + R)) ;;
    clock) rnd 2 && LAST=$R ;; # 0: back, 1: forward
    *) rnd 2500 && LAST=$((300 + R)) ;;
    esac
}
faults_plan() { # SEED I: into PLAN
    local cell at n
    rnd_seed "$1" "$2"
    n=${#FAULT_CELLS[@]}
    cell=${FAULT_CELLS[$((($2 + $1) % n))]} # the first fault takes the cells in turn
    rnd 2500 && at=$((300 + R))
    fault_last "${cell%%:*}"
    PLAN=("$at:$cell:$LAST")
    rnd 3
    [ "$R" != 0 ] || return 0
    rnd 2
    if [ "$R" = 0 ]; then rnd 400; else rnd 2500; fi # during the repair, or later
    at=$((at + 100 + R))
    rnd $n
    cell=${FAULT_CELLS[$R]}
    fault_last "${cell%%:*}"
    PLAN+=("$at:$cell:$LAST")
}
# faults_want KIND HOST: may the plan do KIND to HOST? (Some kinds need preparation.)
faults_want() {
    case $2 in
    rm*) [[ ${PLAN[*]} == *:$1:rm-active:* ]] ;;
    nm2) [[ ${PLAN[*]} == *:$1:nm:* ]] ;;
    *) return 1 ;;
    esac
}

# The hosts that a target means now, one per word.
fault_hosts() {
    local i
    case $1 in
    rm-active) i=$(rm_active) || i=1; echo "rm$i" ;;
    rm-standby) i=$(rm_standby) || i=2; echo "rm$i" ;;
    nm) echo nm2 ;;
    nms) echo nm1 nm2 nm3 ;;
    zk) echo zk1 zk2 zk3 ;;
    zk-leader) i=$(zk_leader "$T/zk") || i=1; echo "zk$i" ;;
    zk-follower) i=$(zk_leader "$T/zk") || i=1; echo "zk$((i % 3 + 1))" ;;
    esac
}
host_do() { # HOST SIGNAL
    case $1 in
    zk*) zk_signal "$T/zk" "${1#zk}" "$2" ;;
    *) host_signal "$1" "$2" ;;
    esac
}
host_again() {
    case $1 in
    zk*) zk_alive "$T/zk" "${1#zk}" > /dev/null || zk_restart "$T/zk" "${1#zk}" ;;
    rm*) host_alive "$1" || rm_start "${1#rm}" ;;
    nm*) host_alive "$1" || nm_start "${1#nm}" ;;
    esac
}
disk_again() { # TARGET: who ends without a disk is started again
    local i
    [ "$1" = zk ] || return 0
    for i in 1 2 3; do host_again zk$i; done
}
block_pairs() { # net_block|net_unblock FROMS TOS
    local a b
    for a in $2; do
        for b in $3; do [ "$a" = "$b" ] || "$1" "$a" "$b"; done
    done
}
# Does KIND to the hosts, and puts the commands that mend it into MEND.
fault_begin() { # KIND TARGET LAST
    local a b h
    MEND=:
    case $1 in
    kill)
        a=$(fault_hosts "$2")
        host_do "$a" KILL
        MEND="host_again $a"
        ;;
    pause)
        a=$(fault_hosts "$2")
        host_do "$a" STOP
        MEND="host_do $a CONT"
        ;;
    cut)
        a=$(fault_hosts "$2")
        net_down "$a"
        MEND="net_up $a"
        ;;
    split | oneway)
        a=$(fault_hosts "${2%/*}") b=$(fault_hosts "${2#*/}")
        [ "$2" != nm/nm ] || a=nm2 b="nm1 nm3"
        block_pairs net_block "$a" "$b"
        MEND="block_pairs net_unblock '$a' '$b'"
        if [ "$1" = split ]; then
            block_pairs net_block "$b" "$a"
            MEND+="; block_pairs net_unblock '$b' '$a'"
        fi
        ;;
    quorum)
        h=$(fault_hosts zk-leader)
        a=$(fault_hosts zk-follower)
        host_do "$h" STOP
        host_do "$a" STOP
        MEND="host_do $h CONT; host_do $a CONT"
        ;;
    disk)
        a=$(fault_hosts "$2")
        case $2 in
        zk) h=$T/zk ;;
        nm) h=$W/$a/local ;;
        *) h=$W/$a/state ;;
        esac
        dd if=/dev/zero of="$h/full" bs=64k > /dev/null 2>&1 || true
        MEND="rm -f '$h/full'; disk_again $2"
        ;;
    clock)
        a=$(fault_hosts "$2")
        if [ "$3" = 1 ]; then echo +3600; else echo -3600; fi > "$W/$a/clock"
        ;;
    esac
    echo "$(date +%s%N) $1 $2 = ${a:-} ${b:-}" >> "$W/faults"
}
faults_carry_out() {
    local step at kind target last began mends=() i due
    began=$(now_ms)
    for step in "${PLAN[@]}"; do
        IFS=: read -r at kind target last <<< "$step"
        faults_until $((began + at))
        fault_begin "$kind" "$target" "$last"
        mends+=("$(($(now_ms) + last)):$MEND")
    done
    faults_until 0
}
# Sleeps until the given time (0: until all is mended) and mends meanwhile what is due.
faults_until() {
    local t due i
    while :; do
        t=$(now_ms)
        due=0
        for i in "${!mends[@]}"; do
            if [ "${mends[i]%%:*}" -le "$t" ]; then
                eval "${mends[i]#*:}"
                unset "mends[i]"
            else
                due=1
            fi
        done
        if [ "$1" != 0 ] && [ "$t" -ge "$1" ]; then return; fi
        if [ "$1" = 0 ] && [ $due = 0 ]; then return; fi
        sleep 0.02
    done
}
# The table of a file of results: cell x (strikes, runs violated).
faults_table() {
    awk -F'\t' '
        { n++; bad += $4 != "ok"; sum += $5; if ($5 > max) max = $5
          k = split($3, steps, " ")
          for (i = 1; i <= k; i++) {
              split(steps[i], p, ":")
              cell = p[2] " " p[3]
              count[cell]++
              if ($4 != "ok") broken[cell]++
          }
          if (k > 1) doubles++ }
        END { printf "%-9s %-22s %8s %10s\n", "fault", "target", "times", "violated"
              for (c in count) {
                  split(c, p, " ")
                  printf "%-9s %-22s %8d %10d\n", p[1], p[2], count[c], broken[c] | "sort"
              }
              close("sort")
              printf "%d runs, %d with two faults, %d violated; %.1f s a run, at most %.1f s\n",
                  n, doubles, bad, sum / n / 1000, max / 1000 }
    ' "$1"
}
