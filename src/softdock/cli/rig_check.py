"""`softdock rig check`: the scenario on the rig in virtual time, before anything moves."""

from __future__ import annotations

import json
from pathlib import Path

import click

from softdock.cli.arguments import ScenarioName
from softdock.cli.progress import echo, output, show_status
from softdock.cli.rig_arguments import (
    DEFAULT_SCENARIO,
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    open_on_rig,
    rig_methods,
)

STOPPED = 3  # exit code: the supervisor would stop the run


@click.command(
    short_help="Simulate a scenario over the wire protocols; predict the run or refuse it."
)
@RIG
@click.argument(
    "scenario", type=ScenarioName(), metavar="[SCENARIO|PRESET]", default=DEFAULT_SCENARIO
)
@click.option(
    "--faults", default="", metavar="TEXT", help="Faults on every link, as of rig emulate."
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, help="Seed of the faults.")
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def check(
    rig: str,
    scenario: str,
    faults: str,
    seed: int,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Simulate SCENARIO on RIG in virtual time, through the telegrams and records of the wire, with
    the rig's own program, limits and measured ages; and check the arms of a [facility].

    Nothing is sent and nothing moves. Every entry point is compiled on the way. Exit code 2: the
    motion cannot be had (box, speed, arms); 3: the supervisor would stop the run, and says why.
    """
    with show_status(f"simulating {scenario} on {rig} in virtual time"):
        from softdock.rig.preflight import check_rig

        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files)
        folder = Path(scenario).parent if Path(scenario).is_file() else None
        found = check_rig(on, faults, seed, folder)
    if as_json:
        echo(json.dumps(found.to_dict(), indent=1) + "\n")
    else:
        lines = [f"{on.rig.name}, {on.scenario.name}:", *found.sentences()]
        if found.arms is not None:
            from softdock.studies.placement.place import describe_check

            lines.append(describe_check(found.arms))
        output().print("\n".join(lines), markup=False, soft_wrap=True)
    if not found.outcome.completed:
        raise SystemExit(STOPPED)
