# tests/interop/rpc/compare.sh - sourced by `run` and `jobs`: runs the commands of a table on a real
# YARN and on Creel and compares what they print. Needs here, lib (Hadoop's jars), out (where the
# outputs stay), and by side conf (the folder of the client's configuration); the functions fill
# SIDE WORDS (prints the words of a command with the ids of that side) and mask SIDE (a filter that
# replaces what differs from run to run).
class_of() { # NAME: Hadoop's class, as a table names it
    case $1 in
        JobClient) echo "org.apache.hadoop.mapred.$1" ;;
        *) echo "org.apache.hadoop.yarn.client.cli.$1" ;;
    esac
}
command_of() { # SIDE CLASS ARGS...: Hadoop's own command
    local terminal=()
    [ "$2" != TopCLI ] || terminal=("$here/terminal")
    HADOOP_CONF_DIR=${conf[$1]} timeout 100 "${terminal[@]}" java -XX:TieredStopAtLevel=1 \
        -XX:+UseSerialGC -Xmx256m --add-opens java.base/java.lang=ALL-UNNAMED \
        -cp "${conf[$1]}:$lib/*" "$(class_of "$2")" "${@:3}"
}
bad=0 n=0 # ONLY: a regular expression of the commands to run
ask_side() { # SIDE NAME CLASS WORDS
    local words
    words=$(fill "$1" "$4")
    read -ra words <<< "$words"
    { command_of "$1" "$3" "${words[@]}" 2>&1; echo "exit status $?"; } < /dev/null \
        > "$out/$2.$1.raw" || :
    mask "$1" < "$out/$2.$1.raw" > "$out/$2.$1"
}
ask() { # PHASE TABLE: the table's commands for it; known differences are in differences.txt
    local phase class args name first
    while IFS=$'\t' read -r phase class args; do
        [ "$phase" = "$1" ] && [[ "$class $args" =~ ${ONLY:-} ]] || continue
        n=$((n + 1))
        name=$(tr -cs 'a-zA-Z0-9{}' - <<< "$phase $class $args" | sed 's/-*$//')
        ask_side yarn "$name" "$class" "$args" &
        first=$!
        ask_side creel "$name" "$class" "$args"
        wait $first
        if grep -l 'Could not find or load main class' "$out/$name".*.raw; then
            echo "FAIL   $class $args: has not run"
            bad=$((bad + 1))
        elif cmp -s "$out/$name.yarn" "$out/$name.creel"; then
            echo "same   $class $args"
        elif grep -qF "$class $args	" "$here/differences.txt"; then
            echo "known  $class $args"
        else
            echo "DIFFERS $class $args"
            diff "$out/$name.yarn" "$out/$name.creel" || bad=$((bad + 1))
        fi
    done < "$2"
}
