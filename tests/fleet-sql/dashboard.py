# SPDX-License-Identifier: BSD-2-Clause
"""Reads the page of examples/fleet/dashboard.py back."""

import html.parser

VOID = ("meta",)


class Page(html.parser.HTMLParser):
    """Sections by id: their tables as rows of (words, value or None), and bars as (name, width)."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.sections, self.section = [], set(), [], {}, None
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.attributes += [(tag, *a) for a in attrs.items()]
        if tag == "section":
            self.section = self.sections[attrs["id"]] = {"head": [], "rows": [], "bars": [], "text": ""}
        elif tag == "tr":
            self.section["rows"].append([])
        elif tag in ("td", "th"):
            self.section["rows"][-1].append(["", None])
        elif tag == "data":
            self.section["rows"][-1][-1][1] = attrs["value"]
        elif tag == "g":
            self.section["bars"].append(["", None])
        elif tag == "rect":
            self.section["bars"][-1][1] = float(attrs["width"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if not self.section:
            return
        self.section["text"] += data
        if {"td", "th"} & set(self.open):
            self.section["rows"][-1][-1][0] += data
        elif self.open[-2:] == ["g", "title"]:
            self.section["bars"][-1][0] += data

    def rows(self, number):
        """Rows of a question by column: the value of a number, else the words."""
        head, *rows = self.sections[f"q{number}"]["rows"] or [[]]
        return [{h[0]: words if value is None else float(value) for h, (words, value) in zip(head, row)} for row in rows]
