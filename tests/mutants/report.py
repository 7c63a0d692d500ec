"""The tables of mutants.md: scores by part, and each mutant with the test that killed it."""
import json


def load(paths):
    """Rows by name; a later row replaces an earlier one."""
    rows = {}
    for path in paths:
        with open(path) as f:
            for line in f:
                row = json.loads(line)
                rows[row['name']] = row
    return rows


def scores(rows, parts):
    out = ['| part | killed | of | without a build | equivalent |', '|---|---:|---:|---:|---:|']
    total = [0, 0, 0, 0]
    for part in parts:
        mine = [row['status'] for row in rows if row['part'] == part]
        n = [mine.count('killed'), mine.count('killed') + mine.count('survived'),
             mine.count('unbuilt'), mine.count('equivalent')]
        total = [a + b for a, b in zip(total, n)]
        out.append(f'| {part} | {n[0]} | {n[1]} | {n[2]} | {n[3]} |')
    out.append('| all | ' + ' | '.join(map(str, total)) + ' |')
    return '\n'.join(out)


def listing(rows):
    out = ['| mutant | file, function | what | seen by |', '|---|---|---|---|']
    for row in rows:
        what = row['what'].replace('|', '\\|')
        seen = row['status']
        if row['test']:
            seen = row['test'] + (' (time limit)' if row['how'] == 'timeout' else '')
        out.append(f"| {row['name']} | {row['path']}, {row['function']} | {what} | {seen} |")
    return '\n'.join(out)
