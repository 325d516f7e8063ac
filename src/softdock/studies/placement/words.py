"""Sentences about a check and a placement; each is computed from what was found."""

from __future__ import annotations

import math

from softdock.loop.arms.limits import LIMIT_WORDS
from softdock.studies.placement.check import Check
from softdock.studies.placement.place import Placement, describe_limit

ALIKE = 1.2  # ratio of two stiffnesses that is worth a word


def describe_check(check: Check) -> str:
    """Whether the run fits, and what comes nearest to a limit."""
    names = " and ".join(f"{robot} ({path.arm.name})" for robot, path in check.paths.items())
    if not check.fits:
        count = len(check.problems())
        return f"Does not fit {names}: {count} problem{'' if count == 1 else 's'}."
    robot, path = max(check.paths.items(), key=lambda item: item[1].worst.use)
    use = path.worst
    nearest = f"{use.use:.2f} of the {robot}'s {LIMIT_WORDS[use.what]}"
    mark = ", an assumed number" if use.assumed else ""
    return f"Fits {names}. Nearest to a limit: {nearest}, {use.joint} at {use.time:.3g} s{mark}."


def note_empty_flange(check: Check) -> list[str]:
    """Whose torques are those of an empty flange, and how to change that."""
    return [
        f"{robot}: torques are those of an empty flange, because no mock-up's mass is given: state "
        f"mock_up.{robot}.mass_kg, or facility.{robot}.load_kg"
        for robot in check.empty
        if check.paths[robot].uses["torque"].known
    ]


def describe_stiffness(result: Placement, robot: str) -> str:
    """How much stiffer or softer the tip is at the best place than as the scenario has it mounted;
    empty where that is not known, or much the same."""
    best, before = result.found[robot].best[0].path, result.before.get(robot)
    if before is None or not math.isfinite(before.stiffness + best.stiffness):
        return ""
    ratio = before.stiffness / best.stiffness
    if 1.0 / ALIKE < ratio < ALIKE:
        return ""
    times = f"{ratio:.2g} times softer" if ratio > 1.0 else f"{1.0 / ratio:.2g} times stiffer"
    return (
        f"; its tip is {times} than as mounted ({1e-3 * best.stiffness:.4g} against "
        f"{1e-3 * before.stiffness:.4g} N/mm)"
    )


def describe_placement(result: Placement) -> str:
    """The best places in a sentence."""
    parts = []
    for robot, found in result.found.items():
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
            f"{robot.capitalize()}: {best.place.words()}; uses {best.cost:.2f} of its limits "
            f"({describe_limit(best)}){verdict}{describe_stiffness(result, robot)}."
        )
    if result.spread and result.check is not None:
        parts.append(f"{result.spread_fitting} of {result.spread} motions of the spread fit there.")
    return " ".join(parts)
