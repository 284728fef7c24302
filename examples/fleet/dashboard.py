#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The answers to the questions of this folder as one HTML page, which needs nothing else: no script, no network.

usage: dashboard.py ANSWERS >fleet.html
ANSWERS is a directory with what an engine said: 06-queue-wait-by-label.json is the answer to 06-queue-wait-by-label.sql, an array of
rows (`duckdb -json`), or a row in each line (ClickHouse's JSONEachRow). What was not asked is said to be missing.
"""

import glob
import html
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, BARS = 200, 20  # of a table, of a figure
LABEL, BAR, LINE = 300, 420, 22  # of a figure, pixels

# Of each question what the bars are as long as, and what they are called by.
FIGURES = {
    "01": ("slow_ppm", ("driver_version", "ring")), "02": ("utilisation_percent", ("who", "hour")),
    "03": ("wait_ns", ("waiter", "waited_for", "kind")), "04": ("z", ("host", "ring", "comm")), "05": ("failed", ("host", "ring", "error")),
    "06": ("p99_ns", ("label", "value")), "07": ("lost_ppm", ("host", "cause")), "08": ("busy_percent", ("host", "ring")),
    "09": ("idle_ns", ("host", "ring", "next_job_of")), "10": ("ratio", ("what", "comm", "old_version", "new_version")),
    "11": ("hosts", ("id",)), "12": (None, ()),
}

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #3b6fb6; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
nav a { margin-right: .8em; } .note { opacity: .75; max-width: 60rem; }
div.rows { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.n, th.n { text-align: right; } svg { max-width: 100%; } svg text { fill: currentColor; font-size: 13px; } rect { fill: var(--bar); }
"""


def plain(text):
    """Of a trace, so of anybody: nothing that moves the cursor, or turns the direction of what follows."""
    return re.sub("[\\x00-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def escaped(text):
    return html.escape(plain(text))


# --- values -----------------------------------------------------------------------------------------------------------


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool) or isinstance(value, float) and math.isfinite(value)


def time(ns):
    for unit, name in ((86400e9, "d"), (3600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(ns) >= unit:
            return f"{ns / unit:.3g} {name}" if abs(ns) < 999.5 * unit else f"{ns / unit:,.0f} {name}"
    return f"{ns:g} ns"


def shown(column, value):
    """For people; the value itself stands beside it."""
    if value is None:
        return "–"
    if not is_number(value):
        return value if isinstance(value, str) else json.dumps(value)
    if column.endswith("_ns"):
        return time(value)
    if column.endswith("_percent"):
        return f"{value:g} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def numeric(rows, column):
    values = [row.get(column) for row in rows]
    return any(map(is_number, values)) and all(v is None or is_number(v) for v in values)


# --- one question ------------------------------------------------------------------------------------------------------


def table(rows):
    columns = list(rows[0])
    sides = {c: ' class="n"' if numeric(rows, c) else "" for c in columns}
    yield '<div class="rows"><table><thead><tr>'
    yield from (f"<th{sides[c]}>{escaped(c)}</th>" for c in columns)
    yield "</tr></thead>\n<tbody>"
    for row in rows[:ROWS]:
        yield "<tr>"
        for c in columns:
            value, words = row.get(c), escaped(shown(c, row.get(c)))
            yield f'<td{sides[c]}><data value="{value}">{words}</data></td>' if is_number(value) else f"<td>{words}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>"
    if len(rows) > ROWS:
        yield f'<p class="note">Rows that are not shown: {len(rows) - ROWS:,}.</p>'


def figure(rows, column, names):
    """Bars of the largest values; none where they would all be alike or nothing."""
    of = [(row[column], " · ".join(shown(n, row.get(n)) for n in names)) for row in rows if is_number(row.get(column)) and row[column] > 0]
    of = sorted(of, key=lambda pair: -pair[0])[:BARS]
    if not of:
        return
    width, height = LABEL + BAR + 130, LINE * len(of) + 4
    yield f'<figure><svg role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}"><title>{escaped(column)}</title>'
    for i, (value, name) in enumerate(of):
        long, y = max(1, BAR * value / of[0][0]), LINE * i
        cut = name if len(name) <= 42 else name[:41] + "…"
        yield (f'<g><title>{escaped(name)}</title><text x="{LABEL - 8}" y="{y + 16}" text-anchor="end">{escaped(cut)}</text>'
               f'<rect x="{LABEL}" y="{y + 4}" width="{long:.1f}" height="{LINE - 7}"/>'
               f'<text x="{LABEL + long + 6:.1f}" y="{y + 16}">{escaped(shown(column, value))}</text></g>\n')
    yield "</svg></figure>"


def head_of(sql):
    """The question, and how to read its answer: the comment that the statement begins with."""
    with open(sql, encoding="utf-8") as f:
        lines = [line.strip() for line in f]
    words = []
    for line in lines[1:]:
        if not line.startswith("--"):
            break
        words.append(line[2:].strip())
    return words[0], " ".join(words[1:])


def rows_of(path):
    """None: it was not asked."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        text = f.read().strip()
    if text.startswith("["):
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def section(number, sql, rows):
    question, how = head_of(sql)
    yield f'<section id="q{number}"><h2>{int(number)}. {escaped(question)}</h2>\n<p class="note">{escaped(how)}</p>\n'
    if rows is None:
        yield "<p>This was not asked.</p>"
    elif not rows:
        yield "<p>Nothing: the answer has no rows.</p>"
    else:
        column, names = FIGURES.get(number, (None, ()))
        if column:
            yield from figure(rows, column, names)
        yield from table(rows)
    yield "</section>\n"


def page(answers):
    questions = sorted(glob.glob(os.path.join(HERE, "[0-9][0-9]-*.sql")))
    numbers = [os.path.basename(q)[:2] for q in questions]
    yield "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>xtr: a fleet</title>\n"
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield f"<style>{STYLE}</style></head>\n<body><h1>A fleet, in {len(questions)} questions</h1>\n<nav>"
    yield from (f'<a href="#q{n}">{int(n)}</a>' for n in numbers)
    yield "</nav>\n"
    for number, sql in zip(numbers, questions):
        yield from section(number, sql, rows_of(os.path.join(answers, os.path.basename(sql)[:-len("sql")] + "json")))
    yield "</body></html>\n"


def main(arguments):
    if len(arguments) != 1 or not os.path.isdir(arguments[0]):
        print("usage: dashboard.py ANSWERS >fleet.html, where ANSWERS is a directory", file=sys.stderr)
        return 2
    sys.stdout.buffer.write("".join(page(arguments[0])).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
