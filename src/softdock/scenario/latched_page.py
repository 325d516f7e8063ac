"""What every method does while a latch holds, as the table of docs/latch.md: `python -m
softdock.scenario.latched_page docs/latch.md` renews it between its two marks.

The sentences are the methods' own (`Method.while_latched`, `knows_no_latch`); a test compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

from softdock.methods.registry import METHODS, Method

BEGIN, END = "<!-- methods while latched: generated -->", "<!-- end -->"


def latched_table() -> str:
    """Every method of softdock's own, Markdown."""
    rows = ["| method | while a latch holds | holds the pair |", "|---|---|---|"]
    rows += [
        f"| `{method.name}` | {_words(method)} | {'yes' if method.holds_latch else 'no'} |"
        for method in METHODS.values()
    ]
    return "\n".join(rows)


def _words(method: Method) -> str:
    if method.knows_no_latch:
        return f"refused: {method.knows_no_latch}"
    return method.while_latched or "nobody has tried it; a warning says so"


def renewed(text: str) -> str:
    """A page with the table as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{latched_table()}\n{END}{after}"


def main(arguments: list[str]) -> None:
    """Renew the page named."""
    file = Path(arguments[0])
    file.write_text(renewed(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
