# SPDX-License-Identifier: BSD-2-Clause
"""A table of the benchmark: samples by who and metric, as text, as TSV, as Markdown."""
import os
import statistics
import time

import common

COLUMNS = "who metric unit median min max ratio samples command".split()


class Table:
    """
    Rows (who) in the order in which they come, and the metrics' columns. Ratios are to the row `ref`, round by round, then
    their median; without ref there are none.
    """

    def __init__(self, name, metrics, first="", ref=None, plain=()):
        self.name, self.metrics, self.first, self.ref = name, metrics, first, ref
        self.plain = plain  # metrics without ratios
        self.samples, self.commands = {}, {}
        self.load = [os.getloadavg()[0]]

    def add(self, who, metric, value):
        self.samples.setdefault((who, metric), []).append(value)

    def command(self, who, text):
        self.commands[who] = text

    def who(self):
        """Rows to show: what has none of the metrics is only in the TSV."""
        return list(dict.fromkeys(w for w, m in self.samples if m in self.metrics))

    def median(self, who, metric):
        values = self.samples.get((who, metric))
        return statistics.median(values) if values else None

    def ratio(self, who, metric):
        mine, ref = self.samples.get((who, metric)), self.samples.get((self.ref, metric))
        if not mine or not ref or metric in self.plain or metric not in self.metrics:
            return None
        if len(mine) != len(ref) or min(ref) <= 0:
            return statistics.median(mine) / statistics.median(ref) if statistics.median(ref) > 0 else None
        return statistics.median(m / r for m, r in zip(mine, ref))

    def show(self, title):
        heads = [f"{head}, {unit}" if unit else head for unit, head in self.metrics.values()]
        widths = [max(len(h), 20) + 2 for h in heads]
        first = max(len(w) for w in self.who()) + 2
        print(f"\n{title}\n{self.first:{first}}" + "".join(f"{h:>{w}}" for h, w in zip(heads, widths)))
        for who in self.who():
            cells = [cell(self.median(who, m), self.ratio(who, m)) for m in self.metrics]
            print(f"{who:{first}}" + "".join(f"{c:>{w}}" for c, w in zip(cells, widths)), flush=True)

    def save(self, rounds):
        """build/bench/NAME.tsv"""
        self.load.append(os.getloadavg()[0])
        common.RESULTS.mkdir(parents=True, exist_ok=True)
        path = common.RESULTS / f"{self.name}.tsv"
        with open(path, "w", encoding="utf-8") as f:
            print(f"# machine: {common.machine()}", f"# time: {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC",
                  f"# load average: {self.load[0]:.1f} before, {self.load[-1]:.1f} after", f"# rounds: {rounds}",
                  f"# first: {self.first}", f"# heads: {'|'.join(h for _, h in self.metrics.values())}",
                  f"# metrics: {'|'.join(self.metrics)}", "\t".join(COLUMNS), sep="\n", file=f)
            for (who, metric), values in self.samples.items():
                ratio = self.ratio(who, metric)
                unit = self.metrics[metric][0] if metric in self.metrics else ""
                print(who, metric, unit, f"{statistics.median(values):.4g}", f"{min(values):.4g}", f"{max(values):.4g}",
                      "" if ratio is None else f"{ratio:.3g}", len(values), self.commands.get(who, ""), sep="\t", file=f)
        return path


def number(value):
    if value is None:
        return "-"
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 or value == int(value) else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def cell(value, ratio):
    return number(value) + (f" ({number(ratio)}x)" if ratio is not None else "")


class Saved:
    """A table as save() left it."""

    def __init__(self, name):
        self.head, self.rows = {}, {}
        self.commands = {}
        lines = (common.RESULTS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line.startswith("# "):
                key, _, value = line[2:].partition(": ")
                self.head[key] = value
            elif line.split("\t") != COLUMNS:
                row = dict(zip(COLUMNS, line.split("\t")))
                self.rows[row["who"], row["metric"]] = row
                self.commands[row["who"]] = row["command"]

    def median(self, who, metric):
        row = self.rows.get((who, metric))
        return float(row["median"]) if row else None

    def ratio(self, who, metric):
        row = self.rows.get((who, metric))
        return float(row["ratio"]) if row and row["ratio"] else None

    def markdown(self):
        metrics = self.head["metrics"].split("|")
        units = {m: next((r["unit"] for (_, k), r in self.rows.items() if k == m), "") for m in metrics}
        heads = [f"{h}, {units[m]}" if units[m] else h for h, m in zip(self.head["heads"].split("|"), metrics)]
        shown = [w for w in self.commands if any((w, m) in self.rows for m in metrics)]
        yield f"| {self.head['first']} | " + " | ".join(heads) + " | command |"
        yield "|---" * (len(heads) + 2) + "|"
        for who in shown:
            cells = [cell(self.median(who, m), self.ratio(who, m)) for m in metrics]
            command = self.commands[who].replace("|", "\\|")
            yield f"| {who} | " + " | ".join(cells) + f" | {f'`{command}`' if command else ''} |"
        yield ""
        rounds = int(self.head["rounds"])
        yield (f"{self.head['machine']}; {self.head['time']}, load average {self.head['load average']}; "
               + ("one round." if rounds == 1 else f"medians of {rounds} rounds."))
