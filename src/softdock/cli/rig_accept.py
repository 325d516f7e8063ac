"""`softdock rig accept`: does the rig do what its numbers promise?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import OUT_FOLDER, ScenarioName
from softdock.cli.progress import echo, output, working
from softdock.cli.rig_arguments import (
    DEFAULT_SCENARIO,
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    opened_on_rig,
    rig_methods,
)
from softdock.cli.rig_console import NO_SAFETY, Live
from softdock.cli.rig_run import commanded, end
from softdock.cli.rig_run_output import as_dict, show

FAILED = 4  # exit code: the rig runs, and not as predicted


@click.command(short_help="Bounce on a spring of known stiffness: restitution as predicted or not.")
@RIG
@click.option("--repeat", type=click.IntRange(1, 100), default=5, show_default=True, metavar="N")
@click.option("--within", type=click.FloatRange(1e-6, 1.0), default=5e-3, show_default=True)
@click.option(
    "--scenario",
    type=ScenarioName(),
    default=DEFAULT_SCENARIO,
    show_default=True,
    help="A bounce on the spring that stands in the cell: its stiffness and the approach.",
)
@click.option("--out", type=OUT_FOLDER, metavar="DIR", help="For the recordings.")
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def accept(
    rig: str,
    repeat: int,
    within: float,
    scenario: str,
    out: Path | None,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run the bounce N times and compare each measured restitution with the one that is predicted
    from stiffness, mass, the robots' delay and the measured age of the forces.

    Passed: every run completed, on time, and within the stated distance. Exit code 4: not passed;
    3: the supervisor stopped a run, or a recording is not whole.
    """
    with working("loading"):
        from softdock.drivers.rig_preflight import NO_SHIFT, refuse_impossible
        from softdock.rig.accept import judged
        from softdock.rig.series import folder_for

        on = opened_on_rig(rig, changes, scenario, scenario_changes, method_files)
        refuse_impossible(on)
    folder = folder_for(on, out)
    series = commanded(on, f"{repeat} bounces", Live(as_json), repeat, NO_SHIFT, folder, "")
    with working("predicting"):
        found = judged(on, series, within)
    if as_json:
        said = {**as_dict(on, series), "acceptance": found.to_dict()}
        echo(json.dumps(said, indent=1, allow_nan=False) + "\n")
    else:
        show(on, series)
        _say(found)
    end(series)
    if not found.passed:
        raise SystemExit(FAILED)


def _say(found: Any) -> None:
    lines = [
        f"run {i + 1}: measured {row.measured:.6f}, predicted {row.predicted:.6f} from forces "
        f"{row.age_ms:.3f} ms old, apart {row.apart:+.2e}" + ("" if row.on_time else "; LATE")
        for i, row in enumerate(found.rows)
    ]
    lines += [found.sentence, NO_SAFETY]
    output().print("\n".join(lines), markup=False, soft_wrap=True)
