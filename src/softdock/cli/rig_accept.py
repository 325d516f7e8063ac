"""`softdock rig accept`: does the rig do what its numbers promise?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import (
    ScenarioName,
)
from softdock.cli.progress import echo, output, show_status
from softdock.cli.rig_arguments import (
    DEFAULT_SCENARIO,
    JSON,
    RIG,
    RIG_CHANGES,
    RIG_OUT,
    SCENARIO_CHANGES,
    open_on_rig,
    rig_methods,
)
from softdock.cli.rig_console import NO_SAFETY, Live, convert_to_dict, show_series
from softdock.cli.rig_run import exit_if_stopped, run_commanded

FAILED = 4  # exit code: the rig runs, and not as predicted


@click.command(
    short_help="Bounce on a spring of known stiffness; compare the restitution with its prediction."
)
@RIG
@click.option(
    "--repeat",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    metavar="N",
    help="How many bounces.",
)
@click.option(
    "--within",
    type=click.FloatRange(1e-6, 1.0),
    default=5e-3,
    show_default=True,
    help="Largest difference of measured and predicted restitution.",
)
@click.option(
    "--scenario",
    type=ScenarioName(),
    default=DEFAULT_SCENARIO,
    show_default=True,
    help="A bounce on the spring that stands in the cell: its stiffness and the approach.",
)
@RIG_OUT
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
    from stiffness, mass, the robots' delay and the measured age of the forces; then compare what
    each recording says of the spring, the robots' delays and the sensor's zero with the scenario.

    Passed: every run completed, on time, and within the stated distance, and no recording says
    otherwise (docs/rig.md, validation). Exit code 4: not passed;
    3: the supervisor stopped a run, or a recording is not whole.
    """
    with show_status("loading"):
        from softdock.rig.preflight import NO_SHIFT, refuse_impossible
        from softdock.rig.runs import choose_folder, judge_series

        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files)
        refuse_impossible(on)
    folder = choose_folder(on, out)
    series = run_commanded(on, f"{repeat} bounces", Live(as_json), repeat, NO_SHIFT, folder, "")
    with show_status("predicting"):
        acceptance = judge_series(on, series, within)
    if as_json:
        report = {**convert_to_dict(on, series), "acceptance": acceptance.to_dict()}
        echo(json.dumps(report, indent=1, allow_nan=False) + "\n")
    else:
        show_series(on, series)
        _say(acceptance)
    exit_if_stopped(series)
    if not acceptance.passed:
        raise SystemExit(FAILED)


def _say(acceptance: Any) -> None:
    lines = [
        f"run {i + 1}: measured {row.measured:.6f}, predicted {row.predicted:.6f} from forces "
        f"{row.age_ms:.3f} ms old, apart {row.apart:+.2e}" + ("" if row.on_time else "; LATE")
        for i, row in enumerate(acceptance.rows)
    ]
    lines += [one.sentence for one in acceptance.comparisons]
    lines += [acceptance.sentence, NO_SAFETY]
    output().print("\n".join(lines), markup=False, soft_wrap=True)
