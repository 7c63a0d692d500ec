# tests/e2e/own_processes.sh - signals processes by what cannot be reused: the pid and the time of
# the start. Tests run in parallel and start hundreds of processes a second, so the pid of one that
# has ended soon belongs to a process of another test.

# process_start PID: prints when the process was started (field 22 of proc(5)'s stat, in clock
# ticks since the boot); fails when there is none, or a zombie only.
process_start() {
    local stat
    read -r stat 2> /dev/null < "/proc/$1/stat" || return 1
    # shellcheck disable=SC2086
    set -- ${stat##*) } # the name of the program, in parentheses, may contain blanks
    [ "$1" != Z ] && echo "${20}"
}
# signal_process SIGNAL PID START: fails when that process has ended.
signal_process() {
    [ "$(process_start "$2")" = "$3" ] && kill "-$1" "$2" 2> /dev/null
}
# signal_child SIGNAL PID: the same for a process that this shell has started.
signal_child() {
    local stat
    read -r stat 2> /dev/null < "/proc/$2/stat" || return 1
    # shellcheck disable=SC2086
    set -- "$1" "$2" ${stat##*) }
    [ "$4" = $$ ] && kill "-$1" "$2" 2> /dev/null
}
# container_processes PID_FILE: prints "shimPid PID START" and "pid PID START", the shim and the
# first process of the container that this pid.json is about.
container_processes() {
    jq -r '(select(.shimPid) | "shimPid \(.shimPid) \(.shimStart)"),
           (select(.pid) | "pid \(.pid) \(.start)")' "$1" 2> /dev/null
}
