"""Lessons of the course as notebooks: scripts in percent format to nbformat 4, at docs build.

# %% [markdown]         the comment lines below are text
# %%                    the lines below are code
# %% tags=["solution"]  code with tags

python docs/notebooks.py FOLDER    writes them by hand.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

COURSE = Path(__file__).parents[1] / "examples" / "course"
MARK = re.compile(r"^# %%(?: (\[markdown\]))?(?: tags=(\[.*\]))?\s*$")


def cells_of(text: str) -> list[tuple[str, list[str], str]]:
    """Kind, tags and source of every cell."""
    found: list[tuple[str, list[str], list[str]]] = []
    for line in text.splitlines():
        mark = MARK.match(line)
        if mark:
            found.append(("markdown" if mark[1] else "code", json.loads(mark[2] or "[]"), []))
        elif found:
            found[-1][2].append(line)
    return [(kind, tags, _source(kind, lines)) for kind, tags, lines in found]


def _source(kind: str, lines: list[str]) -> str:
    if kind == "markdown":
        lines = [re.sub(r"^# ?", "", line) for line in lines]
    return "\n".join(lines).strip("\n")


def notebook(cells: list[tuple[str, list[str], str]]) -> dict[str, Any]:
    """As Jupyter reads it; without outputs, so that the same script is the same file."""
    made = []
    for i, (kind, tags, source) in enumerate(cells):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{i}",
            "metadata": {"tags": tags} if tags else {},
            "source": source.splitlines(keepends=True),
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write_notebooks(folder: Path) -> list[Path]:
    """All lessons into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for script in sorted(COURSE.glob("[1-8]_*.py")):
        book = notebook(cells_of(script.read_text(encoding="utf-8")))
        path = folder / f"{script.stem}.ipynb"
        path.write_text(json.dumps(book, indent=1) + "\n", encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for one in write_notebooks(Path(sys.argv[1])):
        print(one)
