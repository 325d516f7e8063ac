"""The whole of `softdock place`: facility of a scenario, places for its robots, and the check."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.loop.arms.facility import (
    ROBOTS,
    Facility,
    Mount,
    facility_tables,
)
from softdock.loop.arms.limits import LIMIT_WORDS
from softdock.results.quantities import format_percent
from softdock.studies.placement.check import Check, check_robot, check_run, convert_path_to_dict
from softdock.studies.placement.motion import Motion
from softdock.studies.placement.robot_path import RobotPath
from softdock.studies.placement.search import (
    CANDIDATES,
    DEFLECTION,
    BestPlace,
    SearchResult,
    search,
)

# Sentences about a check and a placement; each is computed from what was found.

ALIKE = 1.2  # ratio of two stiffnesses that is worth a word


def describe_check(check: Check) -> str:
    """Whether the run fits, and what comes nearest to a limit."""
    names = " and ".join(f"{robot} ({path.arm.name})" for robot, path in check.paths.items())
    if not check.fits:
        count = len(check.problems())
        return f"Does not fit {names}: {count} problem{'' if count == 1 else 's'}."
    robot, path = max(check.paths.items(), key=lambda item: item[1].worst.use)
    use = path.worst
    nearest = f"{format_percent(use.use)} of the {robot}'s {LIMIT_WORDS[use.what]}"
    mark = ", an assumed number" if use.assumed else ""
    return f"Fits {names}. Nearest to a limit: {nearest}, {use.joint} at {use.time:.3g} s{mark}."


def note_empty_flange(check: Check) -> list[str]:
    """Whose torques are those of an empty flange, and how to change that."""
    return [
        f"{robot.capitalize()}: torques are those of an empty flange, because no mock-up's mass is "
        f"given: state mock_up.{robot}.mass_kg, or facility.{robot}.load_kg."
        for robot in check.empty
        if check.paths[robot].uses["torque"].known
    ]


def describe_stiffness(result: Placement, robot: str) -> str:
    """How much stiffer or softer the tip is at the best place than as the scenario has it mounted;
    empty where that is not known, or much the same."""
    best, before = result.results[robot].best[0].path, result.before.get(robot)
    if before is None or not math.isfinite(before.stiffness + best.stiffness):
        return ""
    ratio = before.stiffness / best.stiffness
    if 1.0 / ALIKE < ratio < ALIKE:
        return ""
    times = f"{ratio:.2g} times softer" if ratio > 1.0 else f"{1.0 / ratio:.2g} times stiffer"
    return (
        f"; its tip is {times} than as mounted ({1e-3 * best.stiffness:.0f} against "
        f"{1e-3 * before.stiffness:.0f} N/mm)"
    )


def summarise_placement(result: Placement) -> str:
    """Whether the docking fits, in one clause."""
    each = {robot: found.best for robot, found in result.results.items()}
    without = [robot for robot, best in each.items() if not best]
    if without:
        return f"DOES NOT FIT. No place tried reaches the {without[0]}'s whole path."
    worst = max(each, key=lambda robot: each[robot][0].cost)
    best = each[worst][0]
    if best.cost > 1.0:
        return (
            f"DOES NOT FIT. At the best place the {worst} needs {format_percent(best.cost)} of its "
            f"limit ({describe_limit(best)})."
        )
    uses = [f"the {robot} {format_percent(best[0].cost)}" for robot, best in each.items()]
    return f"FITS. Share of a limit used at the best places: {', '.join(uses)}."


def describe_placement(result: Placement) -> str:
    """The best places in sentences."""
    parts = []
    for robot, found in result.results.items():
        if not found.best:
            parts.append(
                f"No place among {len(found.tried)} reaches the whole path with the {robot}'s "
                f"{found.arm.name}: take a longer arm, or share the motion between the robots "
                "(laboratory.mapping)."
            )
            continue
        best = found.best[0]
        verdict = "" if best.cost <= 1.0 else ", which is beyond a limit: no place tried fits"
        parts.append(
            f"{robot.capitalize()}: {best.place.words()}; uses {format_percent(best.cost)} of its "
            f"limits ({describe_limit(best)}){verdict}{describe_stiffness(result, robot)}."
        )
    if result.spread and result.check is not None:
        parts.append(f"{result.spread_fitting} of {result.spread} motions of the spread fit there.")
    return " ".join(parts)


GRID = 24  # cells of a map's side
Progress = Callable[[str, int, int], None]  # robot, done, in all


@dataclass(frozen=True)
class Placement:
    """Places for the robots of a scenario, and the check of the best ones together."""

    name: str
    motion: Motion
    results: dict[str, SearchResult]
    facility: Facility  # with the best places in it
    before: dict[str, RobotPath]  # as mounted, where the scenario says how
    check: Check | None  # None: some robot has no place
    spread: int = 0  # motions beside the nominal one
    spread_fitting: int = 0  # of those at the best places

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON and the page."""
        return {
            "scenario": self.name,
            "motion": self.motion.source,
            "peak_force_N": self.motion.peak_force,
            "robots": {
                robot: convert_result_to_dict(found) for robot, found in self.results.items()
            },
            "as_mounted": {
                robot: convert_path_to_dict(path) for robot, path in self.before.items()
            },
            "spread": {"motions": self.spread, "fitting": self.spread_fitting},
            "check": None if self.check is None else self.check.as_dict(),
            **facility_tables(self.facility),
        }


def describe_limit(best: BestPlace) -> str:
    """What limits a place: which use, of which joint, when."""
    if best.limit == "stiffness":
        return f"tip stiffness {1e-3 * best.limiting.stiffness:.3g} N/mm along the approach"
    if best.limiting.ended is not None:
        end = best.limiting.ended
        return f"reach, {end.joint} at {end.time:.3g} s"
    use = best.limiting.uses[best.limit]
    elsewhere = "" if best.limiting is best.path else ", in the spread"
    return f"{LIMIT_WORDS[best.limit]}, {use.joint} at {use.time:.3g} s{elsewhere}"


def convert_best_to_dict(best: BestPlace) -> dict[str, Any]:
    place = best.place
    return {
        "distance_m": place.distance,
        "side_m": place.side,
        "height_m": place.height,
        "tilt_deg": math.degrees(place.tilt),
        "largest_use": best.cost,
        "limited_by": describe_limit(best),
        "stiffness_N_per_m": best.path.stiffness if math.isfinite(best.path.stiffness) else None,
        "nearest_volumes_m": best.distance if math.isfinite(best.distance) else None,
        "base_m": list(best.mount.base.p),
    }


def convert_result_to_dict(result: SearchResult) -> dict[str, Any]:
    return {
        "arm": result.arm.name,
        "source": result.arm.source,
        "candidates": len(result.tried),
        "share_fitting": result.share_fitting,
        "share_with_margin": result.share_with_margin,
        "allowed_deflection_m": result.deflection,
        "best": [convert_best_to_dict(best) for best in result.best],
    }


def replace_mount(facility: Facility, robot: str, mount: Mount) -> Facility:
    """A facility with one robot set up anew."""
    if robot == "chaser":
        return replace(facility, chaser=mount)
    return replace(facility, target=mount)


def choose_robots(
    facility: Facility, arms: tuple[str, ...], robot: str | None, moving: tuple[str, ...] = ROBOTS
) -> dict[str, Any]:
    """Which robots, with which arms: those asked for, else those of the facility. `moving`: the
    robots that this rig has; two arms are one for each body all the same."""
    if len(arms) > len(ROBOTS):
        raise BadInput(Problem("--arm", arms, "one arm for both robots, or chaser's and target's"))
    asked = moving if len(arms) < len(ROBOTS) else ROBOTS
    asked = asked if robot is None else (robot,)
    named: dict[str, Any] = {}
    for name in asked:
        mount = facility.robots().get(name)
        if arms:
            named[name] = arms[min(ROBOTS.index(name), len(arms) - 1)]
        elif mount is not None:
            named[name] = mount.arm
    if not named:
        from softdock.loop.arms import arm_names

        allowed = f"an arm ({', '.join(arm_names())}, a .toml or .urdf file), or a [facility] table"
        raise BadInput(Problem("--arm", None, allowed))
    return named


def place_robots(
    name: str,
    tables: Mapping[str, Any],
    facility: Facility,
    motion: Motion,
    named: Mapping[str, Any],
    folder: Path | None = None,
    candidates: int = CANDIDATES,
    deflection: float = DEFLECTION,
    grid: int = GRID,
    spread: Sequence[Motion] = (),
    progress: Progress = lambda robot, done, of: None,
) -> Placement:
    """Places for some robots, one after the other; the later ones keep clear of the earlier."""
    there = facility.robots()
    before = {robot: check_robot(facility, robot, motion, tables, folder) for robot in there}
    placed, results = facility, {}
    others: dict[str, tuple[Mount, RobotPath]] = {
        robot: (mount, before[robot]) for robot, mount in there.items() if robot not in named
    }
    for robot, arm in named.items():
        results[robot] = search(
            facility=facility,
            robot=robot,
            named=arm,
            motion=motion,
            tables=tables,
            folder=folder,
            candidates=candidates,
            deflection=deflection,
            progress=lambda done, of, robot=robot: progress(robot, done, of),  # type: ignore[misc]
            others=others,
            grid=grid,
            spread=spread,
        )
        if results[robot].best:
            best = results[robot].best[0]
            placed = replace_mount(placed, robot, best.mount)
            others[robot] = (best.mount, best.path)
    complete = all(one.best for one in results.values())
    check = check_run(placed, motion, tables, folder) if complete else None
    fitting = 0
    if complete:
        fitting = sum(check_run(placed, each, tables, folder).fits for each in spread)
    return Placement(
        name=name,
        motion=motion,
        results=results,
        facility=placed,
        before=before,
        check=check,
        spread=len(spread),
        spread_fitting=fitting,
    )
