#!/usr/bin/env python3
"""Compares the verdicts of the papers' experiments with the list of rows known to be red.

usage: judge.py --known known_red.tsv [--record RESULTS.md] TABLE.json...

A table is what `creel sim --paper ... --format json` printed for the seeds that name its file. The
list has lines "paper TAB row TAB when TAB reason": the row misses its criterion with all seeds
("always"), or with exactly those tens of seeds that are named ("11-20,101-110"). Prints the table
(of several: how often each row is met, and each result) and exits with 1 when a row is red and not
listed, when one is listed and not red, or when there is no row.
"""
import json
import os
import re
import sys

COLUMNS = ["id", "of", "published", "here", "criterion", "verdict"]
MARK = "<!-- tables: written by tests/paper/run --record"


def read_known(path):
    known = {}
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("#") or not line.strip():
            continue
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 4 or not re.fullmatch(r"always|\d+-\d+(,\d+-\d+)*", parts[2]):
            sys.exit(f"{path}:{number}: expected paper, row, "
                     "always or seeds as in 11-20,101-110, reason")
        known[parts[0], parts[1]] = parts[2]
    return known


def key_of(row):
    return row["paper"], row["id"]


def rows_of(tables):
    """Rows by (paper, id), in order. A reported row, without a criterion, shares another's id."""
    rows = {}
    for seeds, table in tables:
        for row in table:
            if row["verdict"] != "reported":
                rows.setdefault(key_of(row), []).append((seeds, row))
    return rows


def differences(rows, known, papers):
    if not rows:
        yield "there is no row to judge"
    for key, seen in rows.items():
        when = known.get(key, "")
        for seeds, row in seen:
            expected = when == "always" or seeds in when.split(",")
            if row["verdict"] == "FAIL" and not expected:
                yield f"{key[0]} {key[1]} is red with seeds {seeds}, and not listed: {row['here']}"
            elif row["verdict"] != "FAIL" and expected:
                yield (f"{key[0]} {key[1]} is listed as red with seeds {seeds}, and is met: "
                       f"{row['here']}")
    for key in known:
        if key[0] in papers and key not in rows:
            yield f"{key[0]} {key[1]} is listed, there is no such row"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def one_table(table, out):
    paper = None
    for row in table:
        if row["paper"] != paper:
            paper = row["paper"]
            out += ["", f"### {paper}", "", line(COLUMNS), "|" + "---|" * len(COLUMNS)]
        out.append(line([row[c] for c in COLUMNS]))


def many_tables(tables, rows, out):
    paper = None
    for key, seen in rows.items():
        if key[0] != paper:
            paper = key[0]
            heads = ["id", "criterion", "met"] + [seeds for seeds, _ in tables]
            out += ["", f"### {paper}", "", line(heads), "|" + "---|" * len(heads)]
        met = sum(row["verdict"] == "pass" for _, row in seen)
        cells = [("" if row["verdict"] == "pass" else "**red** ") + row["here"] for _, row in seen]
        out.append(line([key[1], seen[0][1]["criterion"], f"{met} of {len(seen)}"] + cells))


def record(path, out):
    text = open(path, encoding="utf-8").read()
    which = "hundred" if out[0].startswith("## Over") else "ten"
    begin, end = f"{MARK}: {which} -->", f"<!-- end: {which} -->"
    at, to = text.find(begin), text.find(end)
    if at < 0 or to < at:
        sys.exit(f"{path} has no place for it: {begin} ... {end}")
    text = text[: at + len(begin)] + "\n" + "\n".join(out) + "\n" + text[to:]
    open(path, "w", encoding="utf-8").write(text)


def main(args):
    known, where, files = {}, None, []
    while args:
        arg = args.pop(0)
        if arg == "--known":
            known = read_known(args.pop(0))
        elif arg == "--record":
            where = args.pop(0)
        else:
            files.append(arg)
    tables = [(os.path.basename(f)[: -len(".json")], json.load(open(f, encoding="utf-8")))
              for f in files]
    rows, out = rows_of(tables), []
    if len(tables) > 1:
        out.append(f"## Over {len(tables)} times ten seeds")
        many_tables(tables, rows, out)
    else:
        out.append(f"## Seeds {tables[0][0]}")
        one_table(tables[0][1], out)
    print("\n".join(out) + "\n")
    if where:
        record(where, out)
    found = list(differences(rows, known, {row["paper"] for _, t in tables for row in t}))
    for text in found:
        print(text, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
