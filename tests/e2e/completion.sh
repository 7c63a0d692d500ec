#!/usr/bin/env bash
# Goal: bash completes commands, verbs, options and policies of creel, in either way that options
# are written.
. "$(dirname "$0")/lib.sh"
. "${CREEL_SOURCE:?}/deploy/creel.bash"

# completes WORD... LAST: the candidates for LAST, sorted, on one line
completes() {
    COMP_WORDS=("$BIN/creel" "$@")
    COMP_CWORD=$#
    _creel
    printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
}
has() { # CANDIDATE, as completes: it is among them
    local want=$1
    shift
    case " $(completes "$@") " in
        *" $want "*) ;;
        *) fail "$want is not offered for creel $*: $(completes "$@")" ;;
    esac
}
check_equal "$(completes ru)" run "creel ru"
check_equal "$(completes h)" "help history" "creel h"
check_equal "$(completes job s)" "status submit" "creel job s"
check_equal "$(completes job submit --reduce)" \
    "--reduce --reduce-task --reduces" "creel job submit --reduce"
check_equal "$(completes job submit --inp)" "--input" "creel job submit --inp"
check_equal "$(completes --rm http://h:1 jo)" job "a command behind --rm"
check_equal "$(completes --rm = http job lis)" list "a verb behind --rm=URL"
check_equal "$(completes application -li)" -list "creel application -li"
check_equal "$(completes history ex)" export "creel history ex"
check_equal "$(completes rmadmin -failov)" -failover "creel rmadmin -failov"
check_equal "$(completes queue -st)" -status "creel queue -st"
check_equal "$(completes dev --policy hfs)" hfsp "creel dev --policy hfs"
check_equal "$(completes rmadmin -policy rt)" rtmr "creel rmadmin -policy rt"
check_equal "$(completes sim --policy fifo,ps)" "fifo,ps fifo,psbs" "several policies"
check_equal "$(completes dev --policy ps)" "" \
    "a policy for simulations alone is offered for a cluster"
has --wait job submit --
has -o history export -
has --seeds sim --
check_equal "$(completes job submit --input /us)" "" "files are bash's own matter"
check_equal "$(completes run -- ec)" "$(compgen -c ec | sort | xargs)" "the command of run"
echo "ok completion"
