"""An arm from a table of axes: a TOML file or a `[facility.chaser.arm]` table, strictly read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.schema import file_key, own_key
from softdock.files.tables import Locate, Reader, nowhere
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

LARGEST = 1e6  # of any length, mass or inertia
ORIGIN = (0.0, 0.0, 0.0)


def _optional_limit(key: str, meaning: str, unit: str, name: str, scale: float = 1.0) -> Any:
    """What a data sheet may leave out."""
    return file_key(key, meaning, UNKNOWN, name, unit=unit, low=0.0, open_low=True, scale=scale)


def _numbers(key: str, meaning: str, default: Any, name: str, unit: str = "m") -> Any:
    return file_key(key, meaning, default, name, unit=unit, low=-LARGEST, high=LARGEST, size=3)


TOP = (
    file_key("name", "of the arm", "arm", kind="text", high=500),
    file_key("source", "where the numbers are from", "", kind="text", high=2000),
    own_key(
        "published",
        "quantities that the maker publishes",
        "some of " + ", ".join(KEYS),
        lambda value: isinstance(value, list) and all(v in tuple(KEYS) for v in value),
        [],
    ),
    file_key("base_radius_m", "of the base", 0.0, "base_radius", low=0.0, high=10.0),
)
FLANGE = (
    _numbers("offset_m", "from the last axis", None, "offset"),
    file_key("wxyz", "its axes", (1.0, 0.0, 0.0, 0.0), "turn", kind="quaternion", size=4),
)
BODY = (  # of what moves with an axis
    file_key("mass_kg", "of the link", 0.0, "mass", unit="kg", low=0.0, high=1e6),
    _numbers("centre_m", "its centre of mass", ORIGIN, "centre"),
    file_key(
        "inertia_kg_m2", "about it", (0.0,) * 6, "inertia", unit="kg m^2", kind="moments", size=6
    ),
)
RAIL_KIND = file_key("kind", "what stands under the arm", "rail", choices=("rail", "turntable"))
RAIL = (
    file_key("range_m", "of the slide", unit="m", low=-LARGEST, high=LARGEST, size=2),
    file_key("name", "of the axis", "rail", kind="text", high=500),
    file_key("direction", "of the slide", kind="direction", size=3),
    _numbers("offset_m", "from the base", ORIGIN, "offset"),
    _optional_limit("speed_m_per_s", "largest speed", "m/s", "speed"),
    _optional_limit("acceleration_m_per_s2", "largest acceleration", "m/s^2", "acceleration"),
    _optional_limit("force_N", "largest force", "N", "torque"),
    _optional_limit("stiffness_N_per_m", "of the drive", "N/m", "stiffness"),
    file_key("damping_Ns_per_m", "of the drive", 0.0, "damping", unit="Ns/m", low=0.0),
    file_key("rotor_kg", "mass of the motor, as it is felt", 0.0, "rotor", unit="kg", low=0.0),
    *BODY,
)
JOINT = (
    file_key(
        "range_deg", "of the joint", unit="deg", low=-LARGEST, high=LARGEST, size=2, scale=DEG
    ),
    file_key("direction", "of the axis", kind="direction", size=3),
    file_key(
        "speed_deg_per_s",
        "largest speed",
        None,
        "speed",
        unit="deg/s",
        low=0.0,
        open_low=True,
        scale=DEG,
    ),
    _optional_limit(
        "acceleration_deg_per_s2", "largest acceleration", "deg/s^2", "acceleration", DEG
    ),
    _optional_limit("torque_Nm", "largest torque", "Nm", "torque"),
    _optional_limit("stiffness_Nm_per_rad", "of the drive", "Nm/rad", "stiffness"),
    file_key("damping_Nms_per_rad", "of the drive", 0.0, "damping", unit="Nms/rad", low=0.0),
    file_key("rotor_kg_m2", "inertia of the motor", 0.0, "rotor", unit="kg m^2", low=0.0),
    *BODY,
    file_key("radius_m", "of the link", 0.0, "radius", unit="m", low=0.0, high=10.0),
)
JOINT_OFFSET = _numbers("offset_m", "from the axis before", None, "offset")
TURNTABLE_OFFSET = _numbers("offset_m", "from the base", ORIGIN, "offset")


def arm_from_table(tables: Mapping[str, Any], path: str = "", locate: Locate = nowhere) -> Arm:
    """An arm from what a person wrote. Raises `BadInput` with every problem found."""
    problems: list[Problem] = []
    top = Reader(tables, path, problems, locate)
    own = top.read(TOP)
    base, kind = _base_axis(top)
    links = [_link(row, i) for i, row in enumerate(top.rows("joints", MOST_JOINTS))]
    row = top.inner("flange")
    flange = row.read(FLANGE)
    row.done()
    top.done()
    if not problems:
        try:
            return build_arm(
                links=links,
                flange=flange["offset"],
                flange_turn=flange["turn"],
                base=base,
                base_kind=kind,
                **own,
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


def _base_axis(top: Reader) -> tuple[Link | None, str]:
    """Rail or turntable under the arm, or nothing; and which."""
    if not top.has("base_axis"):
        top.take("base_axis")
        return None, "none"
    row = top.inner("base_axis")
    if row.value(RAIL_KIND) == "turntable":
        return _link(row, -1), "turntable"
    return _build_link(row, row.read(RAIL)), "rail"


def _link(row: Reader, i: int) -> Link:
    """One joint that turns, and its link."""
    name = file_key(
        "name", "of the joint", f"A{i + 1}" if i >= 0 else "turntable", kind="text", high=40
    )
    row.take("kind")
    return _build_link(row, row.read((name, JOINT_OFFSET if i >= 0 else TURNTABLE_OFFSET, *JOINT)))


def _build_link(row: Reader, values: dict[str, Any]) -> Link:
    row.done()
    low, high = values.pop("range_m", None) or values.pop("range_deg")
    return Link(low=low, high=high, **values)
