"""An arm from a table of axes: a TOML file or a `[facility.chaser.arm]` table, strictly read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.strict_tables import Locate, Reader, nowhere
from softdock.loop.arms.arm import UNKNOWN, Arm, Link, build_arm

DEG = math.pi / 180.0
MOST_JOINTS = 12  # read before the count is refused
KEYS = {  # quantity: its keys in a table, for what is published
    "offsets": ("offset_m",),
    "range": ("range_deg", "range_m"),
    "speed": ("speed_deg_per_s", "speed_m_per_s"),
    "acceleration": ("acceleration_deg_per_s2", "acceleration_m_per_s2"),
    "torque": ("torque_Nm", "force_N"),
    "stiffness": ("stiffness_Nm_per_rad", "stiffness_N_per_m"),
    "mass": ("mass_kg",),
    "centre": ("centre_m",),
    "inertia": ("inertia_kg_m2",),
    "radius": ("radius_m",),
}


def arm_from_table(tables: Mapping[str, Any], path: str = "", locate: Locate = nowhere) -> Arm:
    """An arm from what a person wrote. Raises `BadInput` with every problem found."""
    problems: list[Problem] = []
    top = Reader(tables, path, problems, locate)
    name, source = top.text("name", "arm"), top.text("source", "", 2000)
    published = _published(top)
    base, kind = _base_axis(top)
    base_radius = top.number("base_radius_m", 0.0, 0.0, 10.0)
    links = [_link(row, i) for i, row in enumerate(top.rows("joints", MOST_JOINTS))]
    flange = top.inner("flange")
    offset, turn = flange.numbers("offset_m", 3, unit="m"), flange.attitude("wxyz")
    flange.done()
    top.done()
    if not problems:
        try:
            return build_arm(
                name=name,
                links=links,
                flange=offset,
                flange_turn=turn,
                base=base,
                base_kind=kind,
                published=published,
                source=source,
                base_radius=base_radius,
                path=top.at("joints"),
            )
        except BadInput as error:
            problems += error.problems
    raise BadInput([_placed(p, locate) for p in problems])


def _placed(problem: Problem, locate: Locate) -> Problem:
    """With file and line, where it has none yet."""
    if problem.where:
        return problem
    where = locate(problem.key)
    return Problem(
        problem.key, problem.value, problem.allowed, where, suggestion=problem.suggestion
    )


def _published(top: Reader) -> list[str]:
    given = top.take("published") or []
    if not isinstance(given, list) or not all(v in tuple(KEYS) for v in given):
        top.refuse("published", given, "some of " + ", ".join(KEYS))
        return []
    return given


def _base_axis(top: Reader) -> tuple[Link | None, str]:
    """Rail or turntable under the arm, or nothing; and which."""
    if not top.has("base_axis"):
        top.asked.append("base_axis")
        return None, "none"
    row = top.inner("base_axis")
    if row.choice("kind", ("rail", "turntable"), "rail") == "turntable":
        return _link(row, -1), "turntable"
    low, high = row.numbers("range_m", 2, unit="m")
    link = Link(
        name=row.text("name", "rail"),
        direction=row.direction("direction"),
        offset=row.numbers("offset_m", 3, (0.0, 0.0, 0.0), "m"),
        low=low,
        high=high,
        speed=row.number("speed_m_per_s", UNKNOWN, 0.0, unit="m/s", above=True),
        acceleration=row.number("acceleration_m_per_s2", UNKNOWN, 0.0, unit="m/s^2", above=True),
        torque=row.number("force_N", UNKNOWN, 0.0, unit="N", above=True),
        stiffness=row.number("stiffness_N_per_m", UNKNOWN, 0.0, unit="N/m", above=True),
        damping=row.number("damping_Ns_per_m", 0.0, 0.0, unit="Ns/m"),
        rotor=row.number("rotor_kg", 0.0, 0.0, unit="kg"),
        mass=row.number("mass_kg", 0.0, 0.0, 1e6, "kg"),
        centre=row.numbers("centre_m", 3, (0.0, 0.0, 0.0), "m"),
        inertia=row.inertia("inertia_kg_m2"),
    )
    row.done()
    return link, "rail"


def _link(row: Reader, i: int) -> Link:
    """One joint that turns, and its link."""
    low, high = row.numbers("range_deg", 2, unit="deg")
    acceleration = row.number("acceleration_deg_per_s2", UNKNOWN, 0.0, unit="deg/s^2", above=True)
    link = Link(
        name=row.text("name", f"A{i + 1}" if i >= 0 else "turntable", 40),
        direction=row.direction("direction"),
        offset=row.numbers("offset_m", 3, None if i >= 0 else (0.0, 0.0, 0.0), "m"),
        low=DEG * low,
        high=DEG * high,
        speed=DEG * row.number("speed_deg_per_s", None, 0.0, unit="deg/s", above=True),
        acceleration=DEG * acceleration,
        torque=row.number("torque_Nm", UNKNOWN, 0.0, unit="Nm", above=True),
        stiffness=row.number("stiffness_Nm_per_rad", UNKNOWN, 0.0, unit="Nm/rad", above=True),
        damping=row.number("damping_Nms_per_rad", 0.0, 0.0, unit="Nms/rad"),
        rotor=row.number("rotor_kg_m2", 0.0, 0.0, unit="kg m^2"),
        mass=row.number("mass_kg", 0.0, 0.0, 1e6, "kg"),
        centre=row.numbers("centre_m", 3, (0.0, 0.0, 0.0), "m"),
        inertia=row.inertia("inertia_kg_m2"),
        radius=row.number("radius_m", 0.0, 0.0, 10.0, "m"),
    )
    row.take("kind")
    row.done()
    return link
