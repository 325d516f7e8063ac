"""How objects show themselves in a notebook: small tables in HTML, without scripts, readable on a
light and on a dark page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

# of a verdict's word: middle tones, to be read on white and on black
COLOURS = {"faithful": "#2e8b57", "distorted": "#b8860b", "unsafe": "#d0342c"}
LEFT, RIGHT = "text-align:left", "text-align:right"


def format_table(head: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """A table; the first `texts` columns are text, the others numbers."""
    styles = [LEFT if i < texts else RIGHT for i in range(len(head))]

    def line(tag: str, cells: Sequence[str]) -> str:
        made = (
            f'<{tag} style="{style}">{escape(cell)}</{tag}>'
            for style, cell in zip(styles, cells, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"


def format_verdict(verdict: Mapping[str, Any]) -> str:
    """A verdict's headline, its word in colour."""
    line, word = str(verdict["headline"]), str(verdict["word"])
    colour = COLOURS.get(word, "inherit")
    return (
        f'<p><strong style="color:{colour}">{escape(line[: len(word)])}</strong>'
        f"{escape(line[len(word) :])}</p>"
    )


def format_block(title: str, *parts: str) -> str:
    """What belongs together under a title."""
    return f"<div><p><strong>{escape(title)}</strong></p>{''.join(parts)}</div>"


def format_note(text: str) -> str:
    return f"<p><small>{escape(text)}</small></p>"
