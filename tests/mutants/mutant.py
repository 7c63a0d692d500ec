"""One-line mutants as text: the format of a list, and where in a file a mutant applies.

A list is plain text. Lines that begin with '#' are comments. A block describes one mutant and ends
with an empty line:

    mutant ID KIND FILE FUNCTION
     a line that must come before (or after), unchanged
    -the line that goes
    +the line that comes instead

FUNCTION is '-' outside of functions. Lines are compared without their indentation, never by number:
a list drawn from one version still applies to a later one where the line has only moved.
`quota PART N` says that the first N mutants of PART that build and are not judged equivalent are
scored; without quotas all are."""
import hashlib
import re

IDENT = re.compile(r'[A-Za-z_]\w*')


class Mutant:
    def __init__(self, kind, path, function, hunk, name=None):
        self.kind, self.path, self.function, self.hunk = kind, path, function, hunk
        text = '\n'.join([path, function] + [mark + line.strip() for mark, line in hunk])
        self.name = name or hashlib.sha1(text.encode()).hexdigest()[:8]

    def old(self):
        return [line for mark, line in self.hunk if mark in ' -']

    def new(self):
        return [line for mark, line in self.hunk if mark in ' +']

    def text(self):
        head = f'mutant {self.name} {self.kind} {self.path} {self.function}'
        return '\n'.join([head] + [mark + line for mark, line in self.hunk]) + '\n'

    def short(self):
        """In one line, for tables."""
        gone = ' / '.join(line.strip() for mark, line in self.hunk if mark == '-')
        come = ' / '.join(line.strip() for mark, line in self.hunk if mark == '+')
        if come == ';':
            return f'without `{gone}`'
        return f'`{gone}` -> `{come}`'


def read_list(path):
    """Mutants and quotas of a list."""
    mutants, quotas, block = [], {}, None

    def close():
        nonlocal block
        if block:
            mutants.append(Mutant(block[1], block[2], block[3], block[4], block[0]))
        block = None
    with open(path) as f:
        for line in f.read().split('\n'):
            if block is None and line.startswith('quota '):
                quotas[line.split()[1]] = int(line.split()[2])
            elif line.startswith('mutant '):
                close()
                block = line.split()[1:5] + [[]]
            elif block is not None and line[:1] in (' ', '-', '+') and line:
                block[4].append((line[0], line[1:]))
            else:
                close()
    close()
    return mutants, quotas


def functions(lines):
    """The name of the function that each line is in, or '-'. Functions begin at column 0."""
    names, name, pending = [], '-', '-'
    for line in lines:
        if name == '-' and re.match(r'[A-Za-z_].*\w\(', line) and not line.rstrip().endswith(';') \
                and not line.startswith(('#', 'typedef')):
            line = re.sub(r'^__attribute__\(\(.*?\)\) ', '', line)
            pending = IDENT.findall(line.split('(')[0])[-1]
        if line.startswith('{'):
            name = pending
        names.append(name)
        if line.startswith('}'):
            name = pending = '-'
    return names


def find(mutant, lines):
    """The index in @lines where the mutant's old text begins; None unless it is there just once."""
    want = [line.strip() for line in mutant.old()]
    have = [line.strip() for line in lines]
    at = [i for i in range(len(have) - len(want) + 1) if have[i:i + len(want)] == want]
    if len(at) > 1:
        names = functions(lines)
        at = [i for i in at if names[i] == mutant.function]
    return at[0] if len(at) == 1 else None


def apply(mutant, text):
    """The mutated text, or None when the mutant's line is not there (any more)."""
    lines = text.split('\n')
    at = find(mutant, lines)
    if at is None:
        return None
    return '\n'.join(lines[:at] + mutant.new() + lines[at + len(mutant.old()):])
