#!/usr/bin/env bash
# Goal: the pages for users are complete and up to date.
# Method: generated pages are generated again and compared; every command, option and key that
# --help prints is looked up in the manual; every link between the pages is followed.
. "$(dirname "$0")/lib.sh"
SOURCE=${CREEL_SOURCE:?}
DOC=$SOURCE/deploy/doc

# --- configuration.md
"$BIN/configuration_page" > "$T/configuration.md"
diff "$DOC/configuration.md" "$T/configuration.md" ||
    fail "deploy/doc/configuration.md is out of date:" \
        "cmake --build --preset asan --target update_configuration_page"
echo "ok configuration"

# --- the manual: a page for each command, with each option
"$DOC/manual" "$BIN" 1.2.3 "$T/man"
checked=0
# check_page PAGE COMMAND...: every option and command that the help text lists is in the page.
check_page() {
    local page=$T/man/$1 word
    shift
    [ -s "$page" ] || fail "the manual has no page $page"
    "$@" > "$T/help"
    for section in NAME SYNOPSIS DESCRIPTION 'SEE ALSO'; do
        grep -qx ".SH $section" "$page" || fail "$page has no section $section"
    done
    sed -n '/^\.B /p' "$page" | sed 's/\\-/-/g' > "$T/tags"
    for word in $(grep -oE '^ {2,6}(-[a-zA-Z?](, +)?)?(--?[a-zA-Z_-]+)?' "$T/help" |
        grep -oE '\-[-a-zA-Z_?]+' | sort -u); do
        grep -qE -- "[ ,]${word/\?/\\?}([ =,[]|\$)" "$T/tags" || fail "$page lacks the option $word"
        checked=$((checked + 1))
    done
    for word in $(grep -oE '^  (creel|yarn|hadoop)\.[^ ]*' "$T/help"); do
        grep -qF ".B ${word//-/\\-} " "$page" || fail "$page lacks the key $word"
        checked=$((checked + 1))
    done
    if command -v groff > /dev/null; then
        groff -K utf8 -ww -man -Tutf8 -z "$page" > "$T/said" 2>&1 || true
        [ ! -s "$T/said" ] || fail "$page: $(cat "$T/said")"
    fi
}
commands=$(creel help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx help)
verbs=$(creel job --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
check_page man1/creel.1 creel help
for command in $commands; do
    check_page "man1/creel-$command.1" creel "$command" --help
    grep -q "^\.B $command\$" "$T/man/man1/creel.1" || fail "creel.1 lacks the command $command"
done
for verb in $verbs; do
    check_page "man1/creel-job-$verb.1" creel job "$verb" --help
    grep -q "^\.B $verb\$" "$T/man/man1/creel-job.1" || fail "creel-job.1 lacks the verb $verb"
done
check_page man8/creel-rm.8 "$BIN/creel-rm" --help
check_page man8/creel-nm.8 "$BIN/creel-nm" --help
check_equal "$(find "$T/man" -type f | wc -l)" "$(($(wc -w <<< "$commands $verbs") + 3))" \
    "pages of the manual"
[ $checked -gt 200 ] || fail "only $checked options and keys were looked for"
echo "ok manual: $checked options and keys"

# --- links
links=0
for page in "$SOURCE"/*.md "$DOC"/*.md; do
    while IFS= read -r link; do
        case $link in http*) continue ;; esac
        [ -e "$(dirname "$page")/${link%%#*}" ] || fail "$page links to $link, which is not there"
        links=$((links + 1))
    done < <(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//')
done
echo "ok $links links"
