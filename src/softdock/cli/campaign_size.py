"""How many runs a campaign makes, said before it begins; many are asked about."""

from __future__ import annotations

import sys
from typing import Any

import click

from softdock.cli.progress import console
from softdock.errors import BadInput, Problem

MANY = 50_000


def say_size(spec: Any, agreed: bool) -> None:
    """The total of a campaign with grids; above MANY runs of any campaign a question, which
    `agreed` answers."""
    from softdock.campaign.design import Design

    design = Design(spec)
    total = f"{design.runs:,} runs"
    if design.points > 1:
        draws = f" with {design.draws} draws each" if design.draws > 1 else ""
        total += f": {design.points:,} points of the grids{draws}"
        console.print(total, highlight=False)
    if design.runs <= MANY or agreed:
        return
    if not sys.stdin.isatty():
        raise BadInput(
            Problem(
                "--yes", "left out", f"given, where a campaign makes over {MANY:,} runs ({total})"
            )
        )
    click.confirm(f"{total}. Go on?", abort=True, err=True)
