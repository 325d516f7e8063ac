"""`softdock benchmark --make-logs` and `--logs`: the open data set, and what is identified from
it."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from softdock.cli.progress import console, echo, output, show_status


def make_data_set(folder: Path, seed: int | None, count: int) -> None:
    """Write the logs of `count` emulated rigs; 0: as many as the data set has."""
    from softdock.recording.data_set import RIGS, make_logs

    if seed is None:
        seed = secrets.randbelow(2**32)
        console.print(f"rigs from --seed {seed}", highlight=False)
    with show_status("making the logs") as say:
        made = make_logs(
            folder, seed, count or RIGS, lambda i, n: say(f"{i} of {n} rigs have their logs")
        )
    output().print(
        f"{made}: {count or RIGS} rigs, two logs each; softdock benchmark --logs {made} scores "
        "what is identified from them",
        markup=False,
        soft_wrap=True,
    )


def score_data_set(folder: Path, as_json: bool) -> None:
    """Print what is identified from the logs, beside the truth."""
    from softdock.recording.data_set import score_logs, tabulate

    with show_status("reading the logs") as say:
        score = score_logs(folder, lambda i, n: say(f"{i} of {n} rigs are identified"))
    if as_json:
        echo(json.dumps(score, indent=1, allow_nan=False) + "\n")
        return
    _print_score(score, tabulate(score))


def _print_score(score: dict[str, Any], rows: list[tuple[str, ...]]) -> None:
    from rich.box import SIMPLE_HEAVY
    from rich.table import Table

    table = Table(title=f"Identified from {score['rigs']} rigs' logs", box=SIMPLE_HEAVY)
    table.add_column("what")
    for heading in ("identified", "median error", "worst error", "within 2 uncertainties"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    show, verdicts = output(), score["verdicts"]
    show.print(table)
    differ = f"; {', '.join(verdicts['differ'])} differ" if verdicts["differ"] else ""
    show.print(
        f"verdict from the log with the rig's scenario: {verdicts['same']} of {score['rigs']} as "
        f"that of the run{differ}",
        markup=False,
        soft_wrap=True,
    )
