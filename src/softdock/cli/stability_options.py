"""Options of `softdock stability` as input of the analysis: operating points, uncertainties, varied
values and dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from softdock.cli.arguments import load_methods, use_methods
from softdock.errors import BadInput, Problem
from softdock.scenario.build import Scenario
from softdock.scenario.files import load_scenario
from softdock.studies.stability.chart import AXES, Dot
from softdock.studies.stability.critical import Interval, Normal, find_stretches
from softdock.studies.stability.from_scenario import (
    AT_START,
    AT_TOUCH,
    TILT_DEG,
    OperatingPoint,
    loops_of,
    turns,
)
from softdock.studies.stability.loop import Loop, Robot, check_loop

NUMBERS = ("mass", "stiffness", "damping", "delay_ms")


def load_scenario_option(
    name: str | None, changes: tuple[str, ...], options: dict[str, Any]
) -> Scenario | None:
    """The scenario with the methods of the user's files; None where numbers are given instead."""
    given = [
        f"--{name.replace('_', '-')}"
        for name in (*NUMBERS, "cycle_ms", "integrator")
        if options[name] is not None
    ]
    if name is None:
        for key in ("tilt_deg", "at"):
            if options[key] is not None:
                flag = f"--{key.replace('_', '-')}"
                raise BadInput(Problem(flag, options[key], "a scenario whose bodies it is of"))
    if name is not None:
        if given:
            raise BadInput(
                Problem(
                    given[0],
                    options[given[0][2:].replace("-", "_")],
                    "not allowed together with a scenario; change its keys by --set",
                )
            )
        own_methods = load_methods(options["method_files"])
        return use_methods(load_scenario(name, changes), own_methods)
    if options["method_files"]:
        given_files = str(options["method_files"][0])
        raise BadInput(Problem("--method-file", given_files, "a scenario that it acts in"))
    if changes:
        raise BadInput(Problem("--set", changes[0], "a scenario whose key it changes"))
    return None


def operating_points(scenario: Scenario | None, options: dict[str, Any]) -> list[OperatingPoint]:
    """Operating points of the scenario, or the one given by numbers."""
    if scenario is None:
        return [_point_from_numbers(options)]
    depth, at = options["depth_mm"], options["at"]
    return loops_of(
        scenario,
        None if depth is None else 1e-3 * depth,
        TILT_DEG if options["tilt_deg"] is None else options["tilt_deg"],
        at or (AT_TOUCH if turns(scenario) else AT_START),
    )


def _point_from_numbers(options: dict[str, Any]) -> OperatingPoint:
    """Operating point of one axis with the given mass, stiffness, damping and delay."""
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


UNCERTAIN = {"mass": "mass", "stiffness": "stiffness", "damping": "damping", "delay_ms": "delay"}


def describe_point(point: OperatingPoint) -> dict[str, Any]:
    """The operating point as plain data, with units in the keys."""
    loop = point.loop
    return {
        "mass_kg": loop.mass,
        "mass_range_kg": list(point.mass_range_kg),
        "critical_damping_range_Ns_per_m": _critical_range(point),
        "normal": list(point.normal),
        "stiffness_N_per_m": loop.stiffness,
        "damping_Ns_per_m": loop.damping,
        "virtual_stiffness_N_per_m": loop.virtual_stiffness,
        "virtual_damping_Ns_per_m": loop.virtual_damping,
        "virtual_from": loop.virtual_from if loop.is_hybrid else None,
        "delay_s": loop.delay,
        "cycle_s": loop.cycle,
        "integrator": loop.integrator if loop.cycle is not None else None,
        "law": loop.law,
        "robots": [asdict(robot) for robot in loop.robots],
        "sensor_period_s": loop.period,
        "sensor_delay_s": loop.sensor_delay,
        "handover": loop.handover,
        "lowpass_Hz": loop.lowpass,
        "pose_delay_s": loop.pose_delay,
        "left_out": [note.split()[1] for note in point.notes if note.startswith("method ")],
        "notes": list(point.notes),
    }


def _critical_range(point: OperatingPoint) -> list[float | None]:
    """Critical damping at the largest and at the smallest effective mass (of the virtual damper,
    where there is a virtual contact)."""
    found = [
        find_stretches(point.loop.changed(mass=mass))["damping"]
        for mass in reversed(point.mass_range_kg)
    ]
    return [None if stretch is None else stretch[0] for stretch in found]


def read_uncertain(loop: Loop, texts: Sequence[str]) -> dict[str, Interval | Normal]:
    """Parse `stiffness=10%`, `stiffness=900:1100`, `delay_ms=16~1`."""
    uncertain: dict[str, Interval | Normal] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in UNCERTAIN or not value:
            raise BadInput(
                Problem("--uncertain", text, "NAME=RANGE with a name of " + ", ".join(UNCERTAIN))
            )
        unit = 1e-3 if name.endswith("_ms") else 1.0
        attribute = UNCERTAIN[name]
        nominal = getattr(loop, attribute)
        try:
            if value.endswith("%"):
                share = float(value[:-1]) / 100.0
                uncertain[attribute] = Interval(nominal * (1.0 - share), nominal * (1.0 + share))
            elif "~" in value:
                mean, deviation = (unit * float(v) for v in value.split("~"))
                uncertain[attribute] = Normal(mean, deviation)
            else:
                low, high = (unit * float(v) for v in value.split(":"))
                uncertain[attribute] = Interval(low, high)
        except ValueError:
            raise BadInput(
                Problem(
                    "--uncertain", text, "10% (either way), 900:1100, or 1000~50 (mean~deviation)"
                )
            ) from None
    return uncertain


def read_vary(texts: Sequence[str]) -> dict[str, list[float]]:
    """Parse `stiffness=500,1000,2000`."""
    varied = {}
    for text in texts:
        name, _, values = text.partition("=")
        try:
            varied[name] = [float(v) for v in values.split(",")]
        except ValueError:
            raise BadInput(
                Problem("--vary", text, "NAME=V,V,... with a name of " + ", ".join(AXES))
            ) from None
    return varied


def read_dots(texts: Sequence[str]) -> list[Dot]:
    """Parse `DELAY_MS:DAMPING[:RESTITUTION]`."""
    dots = []
    for text in texts:
        try:
            delay, damping, *rest = (float(v) for v in text.split(":"))
            (restitution,) = rest or [None]  # type: ignore[list-item]
        except ValueError:
            raise BadInput(
                Problem("--dot", text, "DELAY_MS:DAMPING or DELAY_MS:DAMPING:RESTITUTION")
            ) from None
        dots.append(Dot(1e-3 * delay, damping, restitution))
    return dots


def read_run_dots(folders: Sequence[str]) -> list[Dot]:
    """Stored runs as dots on a chart of damping against delay, with their measured restitution."""
    if not folders:
        return []
    from softdock.output.folders.run_folder import open_run
    from softdock.studies.stability.from_scenario import loops_of

    dots = []
    for folder in folders:
        run = open_run(folder)
        loop = loops_of(run.scenario)[0].loop
        dots.append(
            Dot(
                loop.delay,
                loop.damping + loop.virtual_damping,
                run.metrics["restitution"],
                str(folder),
            )
        )
    return dots
