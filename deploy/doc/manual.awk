# manual.awk - turns the --help text of a program into a page of the manual (roff, man macros).
#
#   awk -v name=creel-run -v section=1 -v summary=… -v version=… -v also='creel(1)' \
#       -f manual.awk < HELP
#
# argp must not have wrapped the text: ARGP_HELP_FMT=rmargin=N. Parts are recognised by how their
# lines begin:
#   "Usage: …", "  or:  …"         synopsis
#   "      --option=ARG   text"    an option; its text follows three blanks, or on the next line
#   "  command   text"             a command, before any option
#   " Heading:", "Heading:"        a heading among the options
#   "Examples:", "Exit status: …"  sections of their own
#   anything else                  paragraphs

function plain(s) {                 # text in which roff finds no request
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/'/, "\\(aq", s)
    sub(/^\./, "\\\\\\&.", s)
    return s
}

function item(tag, text) {          # one tagged paragraph
    return ".TP\n.B " plain(tag) "\n" (text == "" ? "\\&" : plain(text)) "\n"
}

function flush_item() {
    if (tag == "")
        return
    if (in_commands)
        commands = commands item(tag, text)
    else if (in_keys)
        keys = keys item(tag, text)
    else
        options = options item(tag, text)
    tag = text = ""
}

# Splits "tag   text" of the current line into tag and text.
function start_item(line,    at) {
    flush_item()
    sub(/^ +/, "", line)
    at = in_commands ? match(line, /  +/) : match(line, /   +/)
    tag = at ? substr(line, 1, at - 1) : line
    text = at ? substr(line, at + RLENGTH) : ""
}

function section_of(title, body) {
    if (body != "")
        printf ".SH %s\n%s", title, body
}

{
    gsub(/[ \t]+$/, "")
}

/^(Usage:|  or: ) / {
    sub(/^(Usage:|  or: ) +/, "")
    synopsis = synopsis (synopsis == "" ? "" : ".br\n") plain($0) "\n"
    next
}

/^Examples?:/ {
    flush_item()
    in_examples = 1
    next
}

in_examples {
    if ($0 != "") {
        sub(/^  /, "")
        examples = examples plain($0) "\n"
        next
    }
    in_examples = 0
}

/^Exit (status|codes):/ {
    flush_item()
    in_exit = 1
    sub(/^Exit (status|codes): */, "")
    if ($0 != "")
        exits = exits plain($0) "\n"
    next
}

in_exit {
    if ($0 != "") {
        sub(/^ +/, "")
        exits = exits (exits == "" ? "" : ".br\n") plain($0) "\n"
        next
    }
    in_exit = 0
}

/^(Configuration keys|Options of the scheduling policies) .*:$/ {
    flush_item()
    in_keys = 1
    sub(/:$/, "")
    keys = keys ".SS " plain($0) "\n"
    next
}

in_keys && /^  [a-z]/ {
    flush_item()
    tag = substr($0, 3)
    next
}

in_keys && /^      / {
    sub(/^ +/, "")
    text = text (text == "" ? "" : " ") $0
    next
}

/^ +-/ {
    if (in_commands)
        flush_item()
    in_commands = 0
    start_item($0)
    next
}

/^ ? ?[A-Z][^.]*:$/ && !/^  / {     # a heading among options
    flush_item()
    sub(/^ +/, "")
    sub(/:$/, "")
    options = options ".SS " plain($0) "\n"
    next
}

/^  [a-z]+  +/ && options == "" && tag == "" || /^  [a-z]+  +/ && in_commands {
    in_commands = 1
    start_item($0)
    next
}

/^ / && tag != "" {                 # the text of an item goes on
    sub(/^ +/, "")
    text = text (text == "" ? "" : " ") $0
    next
}

$0 == "" {
    flush_item()
    in_commands = 0
    if (description != "")
        paragraph = ".PP\n"
    next
}

{
    flush_item()
    description = description paragraph plain($0) "\n"
    paragraph = ""
}

END {
    flush_item()
    printf ".\\\" Made from the text of --help: change that.\n"
    printf ".TH %s %s \"\" \"Creel %s\" \"Creel\"\n.ad l\n", toupper(name), section, version
    section_of("NAME", plain(name) " \\- " plain(summary) "\n")
    section_of("SYNOPSIS", ".nh\n" synopsis ".hy\n")
    section_of("DESCRIPTION", description)
    section_of("COMMANDS", commands)
    section_of("OPTIONS", options)
    section_of("EXIT STATUS", exits)
    section_of("CONFIGURATION", keys)
    if (examples != "")
        section_of("EXAMPLES", ".nf\n" examples ".fi\n")
    section_of("SEE ALSO", plain(also) "\n")
}
