"""Where `softdock stability` looks: operating points of a scenario, or the one of four numbers."""

from __future__ import annotations

from typing import Any

from softdock.cli.arguments import load_methods, with_methods
from softdock.errors import BadInput, Problem
from softdock.scenario.build import Scenario
from softdock.scenario.files import load_scenario
from softdock.stability.from_scenario import OperatingPoint, loops_of
from softdock.stability.loop import Loop, Robot, check_loop

NUMBERS = ("mass", "stiffness", "damping", "delay_ms")


def scenario_of(
    name: str | None, changes: tuple[str, ...], options: dict[str, Any]
) -> Scenario | None:
    """The scenario that is looked at, with the methods of the user's own files; None: none is
    given."""
    given = [
        f"--{name.replace('_', '-')}"
        for name in (*NUMBERS, "cycle_ms", "integrator")
        if options[name] is not None
    ]
    if name is not None:
        if given:
            raise BadInput(
                Problem(
                    given[0],
                    options[given[0][2:].replace("-", "_")],
                    "nothing beside a scenario; change its keys by --set",
                )
            )
        mine = load_methods(options["method_files"])
        return with_methods(load_scenario(name, changes), mine)
    if options["method_files"]:
        given_files = str(options["method_files"][0])
        raise BadInput(Problem("--method-file", given_files, "a scenario that it acts in"))
    if changes:
        raise BadInput(Problem("--set", changes[0], "a scenario whose key it changes"))
    return None


def operating_points(scenario: Scenario | None, options: dict[str, Any]) -> list[OperatingPoint]:
    """The operating points: a scenario's, or the one that the numbers make."""
    if scenario is None:
        return [_of_numbers(options)]
    depth = options["depth_mm"]
    return loops_of(scenario, None if depth is None else 1e-3 * depth)


def _of_numbers(options: dict[str, Any]) -> OperatingPoint:
    """One axis with the mass, stiffness, damping and delay that were given."""
    missing = [name for name in ("mass", "stiffness", "delay_ms") if options[name] is None]
    if missing:
        raise BadInput(
            [
                Problem(
                    f"--{name.replace('_', '-')}",
                    None,
                    "a number, or a scenario in place of all numbers",
                )
                for name in missing
            ]
        )
    cycle = None if options["cycle_ms"] is None else 1e-3 * options["cycle_ms"]
    robots = (Robot(delay=1e-3 * options["delay_ms"]),)
    loop = Loop(
        mass=options["mass"],
        stiffness=options["stiffness"],
        damping=options["damping"] or 0.0,
        robots=robots,
        cycle=cycle,
        integrator=options["integrator"] or "exact_hold",
    )
    check_loop(loop)
    return OperatingPoint(
        name="given numbers",
        loop=loop,
        normal=(1.0, 0.0, 0.0),
        mass_range_kg=(loop.mass, loop.mass),
        notes=(),
    )
