# Completion of the creel command in bash. What there is to complete, the command says itself in its help: commands,
# the verbs of `creel job`, options; after --policy and its like the names of the policies; else files.

# The first words of the lines of a help that are set in by two blanks: commands and verbs.
__creel_names() {
    "$@" 2> /dev/null | sed -n '/^ResourceManager\|^The \|^Each /q;s/^  \([a-z][a-z-]*\)  *.*/\1/p'
}
# Every option that begins a line of a help, "-o, --output=FILE" both ways.
__creel_options() {
    "$@" --help 2> /dev/null | sed -n 's/^ \{1,8\}\(-[A-Za-z], \)\{0,1\}\(--\{0,1\}[A-Za-z][A-Za-z-]*\).*/\1\2/p' |
        sed 's/, /\n/' | sort -u
}
__creel_policies() {
    if [[ $1 == sim ]]; then
        "$creel" sim --list 2> /dev/null | sed -n '/^Policies/,/^$/s/^  \([a-z][a-z-]*\)  *.*/\1/p'
    else # those of a cluster: the others are named as "for simulations alone"
        "$creel" dev --policy ? 2>&1 | sed -n 's/.*there are //p' | tr -d , | tr ' ' '\n'
    fi
}

_creel() {
    local creel=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} at=1 command verb=
    COMPREPLY=()
    while ((at < COMP_CWORD)) && [[ ${COMP_WORDS[at]} == -* ]]; do # options before the command
        [[ ${COMP_WORDS[at]} == --json ]] || ((at++))
        while [[ ${COMP_WORDS[at]} == = || ${COMP_WORDS[at + 1]} == = ]]; do ((at++)); done
        ((at++))
    done
    command=${COMP_WORDS[at]}
    if ((COMP_CWORD <= at)); then
        mapfile -t COMPREPLY < <(compgen -W "$(__creel_names "$creel" help) --help --version --rm --json" -- "$word")
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
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$(__creel_policies "$command")" -- "$word")
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
            mapfile -t COMPREPLY < <(compgen -W "$(__creel_names "$creel" job --help) --help" -- "$word")
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
            if [[ ${COMP_WORDS[i]} == -- ]]; then # the command to be run
                ((COMP_CWORD > i + 1)) || mapfile -t COMPREPLY < <(compgen -c -- "$word")
                return
            fi
        done
        ;;
    esac
    [[ $word == -* ]] || return # a file: -o default
    mapfile -t COMPREPLY < <(compgen -W "$(__creel_options "$creel" "$command" ${verb:+"$verb"})" -- "$word")
}
complete -o default -F _creel creel
