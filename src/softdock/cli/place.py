"""`softdock place`: does this docking fit the arms, and where should they stand?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from softdock.cli.arguments import (
    CHANGES,
    SCENARIO,
    choose_kept_folder,
    out_option,
    prepare_folder,
)
from softdock.cli.progress import console, echo, output, show_status
from softdock.errors import BadInput, Problem
from softdock.loop.arms.limits import LIMIT_WORDS
from softdock.results.quantities import format_percent
from softdock.studies.placement.check import Check
from softdock.studies.placement.motion import NOMINAL, ORBIT, SOURCES, Motion
from softdock.studies.placement.place import (
    Placement,
    describe_check,
    describe_limit,
    describe_placement,
    note_empty_flange,
    summarise_placement,
)
from softdock.studies.placement.robot_path import RobotPath
from softdock.studies.placement.search import MARGIN


def show_check(check: Check) -> None:
    """Print the verdict, one table per robot, and the volumes that come nearest."""
    say = output()
    say.print(describe_check(check), style="bold", markup=False, soft_wrap=True)
    _show_robots(say, check)


def _show_robots(say: Any, check: Check) -> None:
    for robot, path in check.paths.items():
        table = Table(title=f"{robot}: {path.arm.name}, branch {path.branch}")
        for heading in ("limit", "used", "at [s]", "joint", "numbers"):
            table.add_column(heading.replace("[", r"\["), justify="left")
        for use in path.uses.values():
            if not use.known:
                table.add_row(LIMIT_WORDS[use.what], "-", "-", "-", "not known for this arm")
                continue
            mark = "assumed" if use.assumed else "published"
            row = (format_percent(use.use), f"{use.time:.3f}", use.joint, mark)
            table.add_row(LIMIT_WORDS[use.what], *row, style="bold red" if use.use > 1.0 else "")
        if math.isfinite(path.stiffness):
            mark = "assumed" if path.arm.is_assumed("stiffness") else "published"
            when = f"{path.stiffness_time:.3f}"
            table.add_row("tip stiffness", f"{1e-3 * path.stiffness:.4g} N/mm", when, "-", mark)
        say.print(table)
        for warning in path.arm.warnings:
            say.print(f"note: {path.arm.name}: {warning}", markup=False, soft_wrap=True)
    for words in note_empty_flange(check):
        say.print(f"note: {words}", markup=False, soft_wrap=True)
    if check.nearest:
        table = Table(title="volumes that come nearest")
        for heading in ("part", "part", "distance [mm]", "at [s]"):
            table.add_column(heading.replace("[", r"\["))
        for pair in check.nearest[:5]:
            distance = f"{1e3 * pair.distance:.0f}"
            table.add_row(pair.first, pair.second, distance, f"{pair.time:.3f}")
        say.print(table)


def _format_stiffness(path: RobotPath) -> str:
    return f"{1e-3 * path.stiffness:.4g}" if math.isfinite(path.stiffness) else "-"


def show_placement(result: Placement) -> None:
    """Print the best places of each robot with their limits, and the check of the best together."""
    say = output()
    say.print(summarise_placement(result), style="bold", markup=False, soft_wrap=True)
    say.print(describe_placement(result), markup=False, soft_wrap=True)
    for robot, found in result.results.items():
        fit, near = format_percent(found.share_fitting), format_percent(found.share_with_margin)
        shares = f"{fit} fit, {near} use at most {format_percent(MARGIN)} of every limit"
        table = Table(title=f"{robot}: {found.arm.name}; of {len(found.tried)} places {shares}")
        headings = ["distance [m]", "side [m]", "height [m]", "tilt [deg]", "used", "limited by"]
        for heading in (*headings, "tip [N/mm]"):
            table.add_column(heading.replace("[", r"\["))
        for best in found.best:
            p = best.place
            where = (f"{p.distance:.2f}", f"{p.side:+.2f}", f"{p.height:.2f}")
            tilt = f"{math.degrees(p.tilt):+.0f}"
            table.add_row(
                *where,
                tilt,
                format_percent(best.cost),
                describe_limit(best),
                _format_stiffness(best.path),
            )
        before = result.before.get(robot)
        if before is not None and before.fits:
            use = before.worst
            limit = f"{LIMIT_WORDS[use.what]}, {use.joint} at {use.time:.3g} s"
            table.add_row(
                "as mounted", "", "", "", format_percent(use.use), limit, _format_stiffness(before)
            )
        say.print(table)
    if result.check is not None:
        _show_robots(say, result.check)


@click.command(short_help="Find or check the places of the robot arms.")
@SCENARIO
@CHANGES
@click.option("--check", "only_check", is_flag=True, help="Check the [facility] as it is.")
@click.option(
    "--arm",
    "arms",
    multiple=True,
    metavar="NAME|FILE",
    help="An arm: kr16, kr120, ur10e, a .toml or .urdf file. Twice: the chaser's and the target's.",
)
@click.option(
    "--robot",
    type=click.Choice(["chaser", "target"]),
    help="Place only this robot. [default: both]",
)
@click.option(
    "--motion",
    type=click.Choice(SOURCES),
    default=ORBIT,
    show_default=True,
    help="orbit: motion of the on-orbit reference; run: set-points of the simulated rig; nominal: "
    "the reference's motion relative to the target's free motion.",
)
@click.option(
    "--candidates",
    type=click.IntRange(1, 100_000),
    default=600,
    show_default=True,
    metavar="N",
    help="Places to try for each robot.",
)
@click.option(
    "--deflection-mm",
    type=click.FloatRange(1e-6, min_open=True),
    default=1.0,
    show_default=True,
    help="Largest deflection of the tip along the approach at peak force.",
)
@click.option(
    "--spread",
    metavar="CAMPAIGN",
    help="A campaign, file or preset, whose approaches must fit too.",
)
@click.option(
    "--spread-runs",
    type=click.IntRange(1, 10_000),
    default=16,
    show_default=True,
    metavar="N",
    help="How many of its approaches.",
)
@out_option("the page, the numbers and facility.toml")
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
    from softdock.loop.arms.scenario_facility import facility_of
    from softdock.output.pages.placement import save_placement
    from softdock.scenario.files import load_scenario
    from softdock.scenario.moving_robots import moving_robots
    from softdock.studies.placement.motion import list_campaign_motions, load_motion
    from softdock.studies.placement.place import choose_robots, place_robots

    loaded = load_scenario(scenario, changes)
    folder = Path(scenario).parent if Path(scenario).is_file() else None
    facility = facility_of(loaded.tables)
    if only_check:
        if spread:
            raise BadInput(Problem("--spread", spread, "not allowed together with --check"))
        if arms:
            raise BadInput(
                Problem(
                    "--arm", arms[0], "not allowed together with --check: [facility] names the arm"
                )
            )
        if not facility.robots():
            allowed = "a [facility] table in the scenario; softdock place without --check makes one"
            raise BadInput(Problem("facility", None, allowed))
        named = {}
    else:
        named = choose_robots(facility, arms, robot, moving_robots(loaded.tables))
    with show_status(f"simulating {loaded.name}"):
        path = load_motion(loaded, motion)
        more = list_campaign_motions(spread, spread_runs, motion) if spread else []
        plain = load_motion(loaded, ORBIT) if motion == NOMINAL else path
    if motion == NOMINAL and not as_json:
        _say_gain(plain, path)
    if only_check:
        _check_arms(facility, path, loaded, folder, as_json)
        return
    into = choose_kept_folder(out, f"place-{loaded.name}", as_json)
    with prepare_folder(into, False), _show_progress() as progress:
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
        page = None if into is None else save_placement(result, into)
    _print_result(result, page, as_json)


def _say_gain(plain: Motion, relative: Motion) -> None:
    """How much less of a workspace the relative motion needs."""
    for robot in plain.poses:
        (way, turned), (left, still) = (m.measure_workspace(robot) for m in (plain, relative))
        output().print(
            f"{robot}'s tip: {1e3 * left:.1f} mm and {math.degrees(still):.2f} deg relative to the "
            f"target's free motion; {1e3 * way:.1f} mm and {math.degrees(turned):.2f} deg as the "
            "scenario maps it",
            markup=False,
            soft_wrap=True,
        )


def _check_arms(facility: Any, path: Any, loaded: Any, folder: Path | None, as_json: bool) -> None:
    from softdock.results.metrics import convert_to_plain
    from softdock.studies.placement.check import check_run

    with show_status("checking the arms"):
        check = check_run(facility, path, loaded.tables, folder)
    if as_json:
        echo(json.dumps(convert_to_plain(check.as_dict()), indent=1, allow_nan=False) + "\n")
    else:
        show_check(check)
    if not check.fits:
        raise BadInput(check.problems())


def _print_result(result: Any, page: Path | None, as_json: bool) -> None:
    """Print the result as tables or JSON, and the path of the page."""
    from softdock.results.metrics import convert_to_plain

    if as_json:
        echo(json.dumps(convert_to_plain(result.as_dict()), indent=1, allow_nan=False) + "\n")
    else:
        show_placement(result)
    if page is not None:
        (console if as_json else output()).print(Text(f"The page: {page}"), soft_wrap=True)


@contextmanager
def _show_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each robot on a terminal, else one line per robot."""
    if not console.is_terminal:
        announced: set[str] = set()

        def line(robot: str, done: int, of: int) -> None:
            if robot not in announced:
                announced.add(robot)
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
