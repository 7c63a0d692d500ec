# Completion of the creel command in bash. All words come from the command's own help: commands, the
# verbs of `creel job`, options; after --policy the names of the policies. Anything else completes
# as a file.

# Commands and verbs: the first words of those lines of a help that are indented by two spaces.
__creel_names() {
    "$@" 2> /dev/null | sed -n '/^ResourceManager\|^The \|^Each /q;s/^  \([a-z][a-z-]*\)  *.*/\1/p'
}
# Every option that begins a line of a help; "-o, --output=FILE" gives both spellings.
__creel_options() {
    local option='\(-[A-Za-z], \)\{0,1\}\(--\{0,1\}[A-Za-z][A-Za-z-]*\)'
    "$@" --help 2> /dev/null | sed -n "s/^ \\{1,8\\}$option.*/\\1\\2/p" |
        sed 's/, /\n/' | sort -u
}
__creel_policies() {
    if [[ $1 == sim ]]; then
        "$creel" sim --list 2> /dev/null | sed -n '/^Policies/,/^$/s/^  \([a-z][a-z-]*\)  *.*/\1/p'
    else # the policies of a cluster, without those that only simulations offer
        "$creel" dev --policy ? 2>&1 | sed -n 's/.*there are //p' | tr -d , | tr ' ' '\n'
    fi
}

_creel() {
    local creel=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
    local last=${COMP_WORDS[COMP_CWORD - 1]} at=1 command verb= words
    COMPREPLY=()
    while ((at < COMP_CWORD)) && [[ ${COMP_WORDS[at]} == -* ]]; do # options before the command
        [[ ${COMP_WORDS[at]} == --json ]] || ((at++))
        while [[ ${COMP_WORDS[at]} == = || ${COMP_WORDS[at + 1]} == = ]]; do ((at++)); done
        ((at++))
    done
    command=${COMP_WORDS[at]}
    if ((COMP_CWORD <= at)); then
        words="$(__creel_names "$creel" help) --help --version --rm --json"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
    fi
    [[ $last != = ]] || last=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $word != = ]] || word=
    case $last in
    --policy | -policy)
        local before=
        if [[ $command == sim && $word == *,* ]]; then # several, separated by commas
            before=${word%,*},
            word=${word##*,}
        fi
        words=$(__creel_policies "$command")
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "$word")
        return
        ;;
    esac
    case $command in
    help)
        mapfile -t COMPREPLY < <(compgen -W "$(__creel_names "$creel" help)" -- "$word")
        return
        ;;
    job)
        if ((COMP_CWORD == at + 1)); then
            words="$(__creel_names "$creel" job --help) --help"
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
            return
        fi
        verb=${COMP_WORDS[at + 1]}
        ;;
    history)
        if ((COMP_CWORD == at + 1)) && [[ $word != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W export -- "$word")
            return
        fi
        ;;
    run)
        local i
        for ((i = at + 1; i < COMP_CWORD; i++)); do
            if [[ ${COMP_WORDS[i]} == -- ]]; then # here begins the command to be run
                ((COMP_CWORD > i + 1)) || mapfile -t COMPREPLY < <(compgen -c -- "$word")
                return
            fi
        done
        ;;
    esac
    [[ $word == -* ]] || return # a file: -o default
    words=$(__creel_options "$creel" "$command" ${verb:+"$verb"})
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _creel creel
