# SPDX-License-Identifier: BSD-2-Clause
"""README.md's example is what happens: its commands on traces of the tree print what stands below them."""

import os

from common import ROOT, WORK, XTR, expect, test
from pages import typed

README = os.path.join(ROOT, "README.md")
INDENT = "    "
TRACES = "tests/golden/"
LEAST = 4  # commands of the example


def _tree():
    """A folder in which the example's paths lead to the program that is installed and to this tree's traces."""
    folder = os.path.join(WORK, "readme")
    os.makedirs(folder)
    os.symlink(XTR, os.path.join(folder, "xtr"))
    os.symlink(os.path.join(ROOT, "tests"), os.path.join(folder, "tests"))
    return folder


def _text():
    with open(README, encoding="utf-8") as f:
        return f.read()


def example():
    """README.md with what the commands print now, up to the end of their block or the next command, and how many there are."""
    folder, out, ran, old = _tree(), [], 0, False
    lines = _text().splitlines()
    for i, line in enumerate(lines):
        command = line.startswith(INDENT + "$ ")
        # A block goes on over empty lines where indented ones follow.
        after = next((text for text in lines[i:] if text), "")
        old = old and not command and after.startswith(INDENT)
        if old:
            continue
        out.append(line)
        if command and TRACES in line:
            out += [INDENT + text if text else "" for text in typed(line[len(INDENT + "$ "):], folder, dict(os.environ))]
            ran, old = ran + 1, True
    return "\n".join(out) + "\n", ran


def update():
    text, ran = example()
    with open(README, "w", encoding="utf-8") as f:
        f.write(text)
    print(f"README.md: {ran} commands")


@test
def the_readmes_example_is_what_happens():
    text, ran = example()
    expect(ran >= LEAST, f"{ran} commands")
    different = [(w, h) for w, h in zip(_text().splitlines(), text.splitlines()) if w != h][:3]
    expect(text == _text(), f"README.md's example is not what happens (tests/install/run --update writes it anew): {different}")
