"""What `softdock place` prints for a person."""

from __future__ import annotations

import math
from typing import Any

from rich.table import Table

from softdock.arms.limits import LIMIT_WORDS
from softdock.cli.progress import output
from softdock.placement.check import Check
from softdock.placement.place import Placement, limit_words
from softdock.placement.robot_path import RobotPath
from softdock.placement.search import MARGIN
from softdock.placement.words import check_sentence, empty_words, placement_sentence


def show_check(check: Check) -> None:
    """The verdict, one table per robot, and the volumes that come nearest."""
    say = output()
    say.print(check_sentence(check), style="bold", markup=False, soft_wrap=True)
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
            row = (f"{use.use:.3f}", f"{use.time:.3f}", use.joint, mark)
            table.add_row(LIMIT_WORDS[use.what], *row, style="bold red" if use.use > 1.0 else "")
        if math.isfinite(path.stiffness):
            mark = "assumed" if path.arm.is_assumed("stiffness") else "published"
            when = f"{path.stiffness_time:.3f}"
            table.add_row("tip stiffness", f"{1e-3 * path.stiffness:.4g} N/mm", when, "-", mark)
        say.print(table)
        for warning in path.arm.warnings:
            say.print(f"note: {path.arm.name}: {warning}", markup=False, soft_wrap=True)
    for words in empty_words(check):
        say.print(f"note: {words}", markup=False, soft_wrap=True)
    if check.nearest:
        table = Table(title="volumes that come nearest")
        for heading in ("part", "part", "distance [mm]", "at [s]"):
            table.add_column(heading.replace("[", r"\["))
        for pair in check.nearest[:5]:
            distance = f"{1e3 * pair.distance:.0f}"
            table.add_row(pair.first, pair.second, distance, f"{pair.time:.3f}")
        say.print(table)


def _tip(path: RobotPath) -> str:
    return f"{1e-3 * path.stiffness:.4g}" if math.isfinite(path.stiffness) else "-"


def show_placement(result: Placement) -> None:
    """For each robot the best places and what limits each; then the check of the best together."""
    say = output()
    say.print(placement_sentence(result), style="bold", markup=False, soft_wrap=True)
    for robot, found in result.found.items():
        shares = f"{found.share_fitting:.0%} fit, {found.share_with_margin:.0%} use <= {MARGIN:g}"
        table = Table(title=f"{robot}: {found.arm.name}; of {len(found.tried)} places {shares}")
        headings = ["distance [m]", "side [m]", "height [m]", "tilt [deg]", "used", "limited by"]
        for heading in (*headings, "tip [N/mm]"):
            table.add_column(heading.replace("[", r"\["))
        for best in found.best:
            p = best.place
            where = (f"{p.distance:.2f}", f"{p.side:+.2f}", f"{p.height:.2f}")
            tilt = f"{math.degrees(p.tilt):+.0f}"
            table.add_row(*where, tilt, f"{best.cost:.3f}", limit_words(best), _tip(best.path))
        before = result.before.get(robot)
        if before is not None and before.fits:
            use = before.worst
            limit = f"{LIMIT_WORDS[use.what]}, {use.joint} at {use.time:.3g} s"
            table.add_row("as mounted", "", "", "", f"{use.use:.3f}", limit, _tip(before))
        say.print(table)
    if result.check is not None:
        _show_robots(say, result.check)
