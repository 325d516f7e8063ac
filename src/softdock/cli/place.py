"""`softdock place`: does this docking fit the arms, and where should they stand?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from softdock.cli.arguments import CHANGES, OUT_FOLDER, SCENARIO
from softdock.cli.folders import RUNS, choose, made
from softdock.cli.progress import console, echo, output, working
from softdock.errors import BadInput, Problem


@click.command(short_help="Check a run against six-axis arms, or find places for them.")
@SCENARIO
@CHANGES
@click.option("--check", "only_check", is_flag=True, help="Check the [facility] as it is.")
@click.option(
    "--arm",
    "arms",
    multiple=True,
    metavar="NAME|FILE",
    help="kr16, kr120, ur10e, a .toml or .urdf file; twice: the chaser's and the target's.",
)
@click.option("--robot", type=click.Choice(["chaser", "target"]), help="Only this one. [both]")
@click.option(
    "--motion",
    type=click.Choice(["orbit", "run"]),
    default="orbit",
    show_default=True,
    help="orbit: what the docking asks; run: the set-points of the loop as it is.",
)
@click.option("--candidates", type=click.IntRange(1, 100_000), default=600, show_default=True)
@click.option(
    "--deflection-mm",
    type=click.FloatRange(1e-6, min_open=True),
    default=1.0,
    show_default=True,
    help="Of the tip along the approach at peak force: more counts as beyond a limit.",
)
@click.option(
    "--spread",
    metavar="CAMPAIGN",
    help="A campaign's file or preset: places must serve its approaches too.",
)
@click.option(
    "--spread-runs", type=click.IntRange(1, 10_000), default=16, show_default=True, metavar="N"
)
@click.option(
    "--out",
    type=OUT_FOLDER,
    metavar="DIR",
    help=f"Folder for the page, the numbers and facility.toml. [default: a new one in {RUNS}/]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def place(
    scenario: str,
    changes: tuple[str, ...],
    only_check: bool,
    arms: tuple[str, ...],
    robot: str | None,
    motion: str,
    candidates: int,
    deflection_mm: float,
    spread: str | None,
    spread_runs: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Does this docking fit the robots, and where should they stand?

    Without --check: places for each robot, a map, what limits each, and a [facility] table to put
    into the scenario. With --check: the scenario's own [facility]; exit code 2 if it does not fit,
    with the joint, the instant and what would help.
    """
    from softdock.arms.scenario_facility import facility_of
    from softdock.placement.motion import motion_of, spread_of
    from softdock.placement.place import place_robots, robots_to_place
    from softdock.report.placement.page import save_placement
    from softdock.scenario.files import load_scenario
    from softdock.scenario.moving_robots import moving_robots

    loaded = load_scenario(scenario, changes)
    folder = Path(scenario).parent if Path(scenario).is_file() else None
    facility = facility_of(loaded.tables)
    if only_check:
        if spread:
            raise BadInput(Problem("--spread", spread, "nothing beside --check"))
        if arms:
            raise BadInput(Problem("--arm", arms[0], "nothing beside --check: [facility] has it"))
        if not facility.robots():
            allowed = "a [facility] table in the scenario; softdock place without --check makes one"
            raise BadInput(Problem("facility", None, allowed))
        named = {}
    else:
        named = robots_to_place(facility, arms, robot, moving_robots(loaded.tables))
    with working(f"flying {loaded.name}"):
        path = motion_of(loaded, motion)
        more = spread_of(spread, spread_runs, motion) if spread else []
    if only_check:
        _check(facility, path, loaded, folder, as_json)
        return
    into = choose(out, f"place-{loaded.name}")
    with made(into, False), _shown_progress() as progress:
        result = place_robots(
            name=loaded.name,
            tables=loaded.tables,
            facility=facility,
            motion=path,
            named=named,
            folder=folder,
            candidates=candidates,
            deflection=1e-3 * deflection_mm,
            spread=more,
            progress=progress,
        )
        page = save_placement(result, into)
    _show(result, page, as_json)


def _check(facility: Any, path: Any, loaded: Any, folder: Path | None, as_json: bool) -> None:
    from softdock.analysis.metrics import plain
    from softdock.placement.check import check_run

    with working("checking the arms"):
        check = check_run(facility, path, loaded.tables, folder)
    if as_json:
        echo(json.dumps(plain(check.as_dict()), indent=1, allow_nan=False) + "\n")
    else:
        from softdock.cli.place_tables import show_check

        show_check(check)
    if not check.fits:
        raise BadInput(check.problems())


def _show(result: Any, page: Path, as_json: bool) -> None:
    """The numbers for a person or a program, and where the page is."""
    from softdock.analysis.metrics import plain

    if as_json:
        echo(json.dumps(plain(result.as_dict()), indent=1, allow_nan=False) + "\n")
    else:
        from softdock.cli.place_tables import show_placement

        show_placement(result)
    (console if as_json else output()).print(Text(f"The page: {page}"), soft_wrap=True)


@contextmanager
def _shown_progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each robot, on a terminal; off it one line per robot."""
    if not console.is_terminal:
        said: set[str] = set()

        def line(robot: str, done: int, of: int) -> None:
            if robot not in said:
                said.add(robot)
                console.print(Text(f"places for the {robot}'s arm ..."), soft_wrap=True)

        yield line
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} of {task.total} places"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        tasks: dict[str, Any] = {}

        def update(robot: str, done: int, of: int) -> None:
            if robot not in tasks:
                tasks[robot] = shown.add_task(f"{robot}'s arm", total=of)
            shown.update(tasks[robot], completed=done)

        yield update
