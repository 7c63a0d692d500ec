"""Draws one-line mutants by seed.

First a kind, by weight; then a line of the part's .c files that it fits, each being equally likely;
then the place in the line. Lines are left out when no test could pin down what their change does:
assertions, prefetches, log lines, comments, includes, sizes of buffers in declarations. So are
calls that only free memory: the sanitizers' runs of the same tests find leaks.

    comparison   < and <=, > and >=, == and !=, && and || exchanged
    negation     the condition of an if or while negated
    constant     an integer plus or minus one, true and false exchanged
    reset        an assignment of 0, NULL, false or -1, or a memset, dropped
    statement    any other assignment or call, or a break or continue, dropped
    error        a check of a result never fires, or an error is returned as 0
    order        two neighbouring statements that share something exchanged"""
import random
import re
import subprocess

import mutant

PARTS = {'core': ['rm/core/'], 'policies': ['policies/'], 'ha': ['ha/'], 'rm': ['rm/'],
         'nodemanager': ['nodemanager/'], 'api': ['api/'], 'sim': ['sim/']}
QUOTAS = {'core': 29, 'policies': 15, 'ha': 15, 'rm': 10, 'nodemanager': 12, 'api': 12, 'sim': 7}
SPARE = 2  # candidates per wanted mutant: some do not build, are equivalent, or lose their line

WEIGHTS = {'comparison': 3, 'negation': 2, 'constant': 3, 'reset': 2, 'statement': 3, 'error': 2,
           'order': 1}

DULL = re.compile(r'\b(base_assert|static_assert|assert|__builtin_\w+|base_log_\w+|rm_emit_note|'
                  r'_Static_assert|free|\w+_free|\w+_unref)\b')
DECLARES = re.compile(r'^(?:[A-Za-z_]\w*\s+)+\**\s*[A-Za-z_]\w*\s*(?:=|;|,|\[)')
KEYWORDS = ('return', 'goto', 'case', 'else', 'if', 'for', 'while', 'do', 'switch', 'default',
            'typedef', 'sizeof')
ASSIGN = re.compile(r'^[*(&]*[A-Za-z_][\w\->.\[\]&*+() ]*? (?:[-+|&*/]?=|<<=|>>=) .*;$')
STEP = re.compile(r'^(?:\+\+|--)?[*(]*[A-Za-z_][\w\->.\[\]()* ]*?(?:\+\+|--)?;$')
CALL = re.compile(r'^(?:\(void\))?[A-Za-z_][\w\->.]*\(.*\);$')
RESET = re.compile(r'^[^=]* = (?:0|NULL|false|-1|RM_NONE|UINT64_MAX|INT64_MAX|\([\w ]+\)\{0\});$'
                   r'|^memset\(.*\);$')
FAILS = re.compile(r'^(?:\} else )?if \((.*(?:< 0|!= 0|== NULL|!= \w+_OK|\brc\b).*)\)( \{)?$')
CONDITION = re.compile(r'^(?:\} else |else )?(if|while) \((.*)\)( \{)?;?$')
NUMBER = re.compile(r'(?<![\w.#])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])')


def part_of(path):
    """The part with the longest folder that holds @path."""
    fits = [(len(folder), part) for part, folders in PARTS.items()
            for folder in folders if path.startswith(folder)]
    return max(fits)[1] if fits else None


def mask(lines):
    """The lines with strings, character constants and comments blanked, column for column."""
    out, comment = [], False
    for line in lines:
        m, i = [], 0
        while i < len(line):
            if comment:
                end = line.find('*/', i)
                stop = len(line) if end < 0 else end + 2
                comment = end < 0
            elif line.startswith('/*', i):
                comment, stop = True, i + 2
            elif line.startswith('//', i):
                stop = len(line)
            elif line[i] in '"\'':
                stop = i + 1
                while stop < len(line) and line[stop] != line[i]:
                    stop += 2 if line[stop] == '\\' else 1
                stop = min(stop + 1, len(line))
            else:
                m.append(line[i])
                i += 1
                continue
            m.append(' ' * (stop - i))
            i = stop
        out.append(''.join(m))
    return out


def balanced(text):
    return text.count('(') == text.count(')') and text.count('{') == text.count('}')


def simple(masked, i):
    """Line @i is one whole statement and no declaration."""
    s = masked[i].strip()
    before = next((masked[j].strip() for j in range(i - 1, -1, -1) if masked[j].strip()), '')
    if not s.endswith(';') or not balanced(s) \
            or not before.endswith((';', '{', '}', ')', ':', 'else')):
        return False
    if s in ('break;', 'continue;', 'return;'):
        return True
    if s.split('(')[0].split(' ')[0].rstrip(';') in KEYWORDS or DECLARES.match(s):
        return False
    return bool(ASSIGN.match(s) or CALL.match(s) or STEP.match(s))


def swaps(line, masked, pairs):
    """@line with one operator exchanged, for each of its places."""
    longest_first = sorted(pairs, key=len, reverse=True)
    operators = '|'.join(map(re.escape, longest_first))
    for m in re.finditer(r'(?<= )(' + operators + r')(?= )', masked):
        yield line[:m.start()] + pairs[m.group()] + line[m.end():]


def constants(line, masked):
    s = masked.strip()
    if s.startswith(('#include', '#if', '#undef')) \
            or (s.startswith('#') and not s.startswith('#define')):
        return
    for m in NUMBER.finditer(masked):
        before = masked[:m.start()].rstrip()
        if before.endswith('[') and DECLARES.match(s):
            continue  # the size of an array
        if masked[:m.start()].endswith('{') and masked[m.end():].startswith('}'):
            continue  # {0}
        if s.startswith('#define') and len(masked[:m.start()].split()) < 2:
            continue
        digits = m.group(1)
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == '0'
        value = int(digits, 8 if octal else 0)
        for by in ((1,) if value == 0 else (-1, 1)):
            changed = f'0{value + by:o}' if octal else str(value + by)
            yield line[:m.start()] + changed + m.group(2) + line[m.end():]
    for m in re.finditer(r'\b(true|false)\b', masked):
        yield line[:m.start()] + {'true': 'false', 'false': 'true'}[m.group()] + line[m.end():]


def conditions(line, masked, pattern, wrap):
    m = pattern.match(masked.strip())
    if not m or not balanced(m.group(m.lastindex if pattern is FAILS and m.lastindex == 1 else
                                     (1 if pattern is FAILS else 2))):
        return
    group = 1 if pattern is FAILS else 2
    indent = len(masked) - len(masked.lstrip())
    a, b = indent + m.start(group), indent + m.end(group)
    yield line[:a] + wrap.format(line[a:b]) + line[b:]


def returns(line, masked):
    m = re.match(r'^(\s*)return (-BASE_E\w+|-errno|rc|-1|base_error_\w+\(.*\));$', masked)
    if m:
        yield m.group(1) + 'return 0;'


def names_of(text):
    return set(mutant.IDENT.findall(text)) - {'NULL', 'true', 'false', 'sizeof', 'self', 'c', 'err'}


def exchangeable(masked, i):
    if i + 1 >= len(masked) or not simple(masked, i) or not simple(masked, i + 1):
        return False
    a, b = masked[i], masked[i + 1]
    leaves = ('break', 'continue', 'return')
    if len(a) - len(a.lstrip()) != len(b) - len(b.lstrip()) or a.strip().startswith(leaves) \
            or b.strip().startswith(leaves) or DULL.search(b):
        return False
    before = next((masked[j].strip() for j in range(i - 1, -1, -1) if masked[j].strip()), '')
    if before.endswith((')', 'else')):  # the first statement is the body of an if
        return False
    if CALL.match(a.strip()) and CALL.match(b.strip()):
        return True
    return bool(names_of(a.split('=')[0]) & names_of(b) or names_of(b.split('=')[0]) & names_of(a))


def kinds_of(lines, masked, i):
    """What can be done to line @i: kind -> list of lists of (mark, line)."""
    line, m = lines[i], masked[i]
    s, out = m.strip(), {}
    indent = line[:len(line) - len(line.lstrip())]

    def add(kind, new):
        if new:
            out[kind] = [[('-', line), ('+', text)] for text in new]
    if not s or DULL.search(m) or s.startswith('}') and len(s) < 3:
        return out
    add('comparison', list(swaps(line, m, {'<': '<=', '<=': '<', '>': '>=', '>=': '>',
                                           '==': '!=', '!=': '==', '&&': '||', '||': '&&'})))
    add('constant', list(constants(line, m)))
    add('negation', list(conditions(line, m, CONDITION, '!({})')))
    add('error', list(conditions(line, m, FAILS, '({}) && 0')) + list(returns(line, m)))
    if simple(masked, i):
        add('reset' if RESET.match(s) else 'statement', [indent + ';'])
    if exchangeable(masked, i):
        out['order'] = [[('-', line), ('-', lines[i + 1]), ('+', lines[i + 1]), ('+', line)]]
    return out


def with_context(path, function, lines, i, hunk, kind):
    """The mutant, with as many lines around it as it takes to find it again."""
    n = sum(mark == '-' for mark, _ in hunk)
    before = after = 0
    while True:
        full = [(' ', line) for line in lines[i - before:i]] + hunk + \
               [(' ', line) for line in lines[i + n:i + n + after]]
        drawn = mutant.Mutant(kind, path, function, full)
        if mutant.find(drawn, lines) is not None or before + after > 12:
            return drawn
        if before <= after:
            before += 1
        else:
            after += 1


def candidates(root, part):
    names = subprocess.run(['git', '-C', root, 'ls-files', '*.c'],
                           check=True, capture_output=True, text=True).stdout
    for path in sorted(name for name in names.split('\n') if part_of(name) == part):
        with open(f'{root}/{path}') as f:
            lines = f.read().split('\n')
        masked, function = mask(lines), mutant.functions(lines)
        for i in range(len(lines)):
            kinds = kinds_of(lines, masked, i)
            if kinds:
                yield path, function[i], lines, i, kinds


def draw(root, seed, quotas):
    """Draws for each part SPARE times as many mutants as its quota, in the order to try them."""
    drawn, kinds, weights = [], list(WEIGHTS), list(WEIGHTS.values())
    for part in PARTS:
        rng, pool, seen = random.Random(f'{seed}/{part}'), list(candidates(root, part)), set()
        fits = {kind: [one for one in pool if kind in one[4]] for kind in kinds}
        while len(seen) < SPARE * quotas.get(part, 0):
            kind = rng.choices(kinds, weights)[0]
            path, function, lines, i, hunks = fits[kind][rng.randrange(len(fits[kind]))]
            hunk = hunks[kind][rng.randrange(len(hunks[kind]))]
            one = with_context(path, function, lines, i, hunk, kind)
            if (path, i) not in seen and mutant.find(one, lines) is not None:
                seen.add((path, i))
                drawn.append(one)
    return drawn
