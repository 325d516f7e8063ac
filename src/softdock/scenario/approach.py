"""The table `[approach]`: how the chaser comes, in the words of a test plan, as positions,
velocities and attitudes.

    [approach]
    distance_m = 0.05         tip to the plane of the wall or of the cone's mouth, along the axis
    speed_m_per_s = 0.02      along the axis, towards the target
    lateral_offset_m = 0.015  across the axis; two numbers: along the two lateral directions
    misalignment_deg = 1.5    tilt of the chaser about the second lateral direction; two: about both
    tumble_deg_per_s = 0.3    of the target about the second lateral direction; three: body axes
    at = "touch"              when offset, tilt and attitude of the target are so; or "start"

The axis is that of the first contact pair, out of the wall or mouth, in the target's attitude. The
chaser's tip points against it. The first lateral direction is the world axis y made square to it (z
for an axis along y), the second completes a right-handed frame. With `at = "touch"` everything is
moved back along free flight by distance over speed: the target's tumble is torque-free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from softdock.errors import Problem
from softdock.files.schema import Parameter, file_key, own_key
from softdock.files.tables import Reader
from softdock.files.values import parse_numbers
from softdock.loop.contact.models import SHAPE_MODELS
from softdock.loop.spatial.arrays import cross_matrix, matrix, matrix_about, nearest_quaternion

PATH = "approach"


def _is_positive(value: Any) -> bool:
    numbers = parse_numbers(value)
    return len(numbers) == 1 and numbers[0] > 0.0


def _one_or_more(key: str, meaning: str, *sizes: int) -> Parameter:
    """One number, or several."""
    return own_key(key, meaning, meaning, lambda value: len(parse_numbers(value)) in sizes, 0.0)


_DISTANCE = "tip to the plane of the wall or of the cone's mouth, along its axis, > 0 [m]"
_SPEED = "along the axis, towards the target, > 0 [m/s]"
APPROACH = (
    own_key(
        "distance_m",
        _DISTANCE,
        f"{_DISTANCE}; at or below 0 the tip starts inside",
        _is_positive,
    ),
    own_key("speed_m_per_s", _SPEED, _SPEED, _is_positive),
    _one_or_more(
        "lateral_offset_m",
        "across the axis [m]; two numbers: along both lateral directions",
        1,
        2,
    ),
    _one_or_more(
        "misalignment_deg",
        "tilt of the chaser about the second lateral direction; two: about both",
        1,
        2,
    ),
    _one_or_more(
        "tumble_deg_per_s",
        "of the target about the second lateral direction; three: body axes",
        1,
        3,
    ),
    file_key(
        "at",
        "start or touch: when offset, tilt and the target's attitude are so",
        "start",
        choices=("start", "touch"),
    ),
)
KEYS = {parameter.key: parameter.meaning for parameter in APPROACH}
WRITTEN = {"chaser": ("position_m", "velocity_m_per_s", "attitude_wxyz", "rate_rad_per_s")}
TURN_STEPS = 64  # Runge-Kutta steps back to the start
Refuse = Callable[..., None]


def resolve_approach(tables: dict[str, Any], refuse: Refuse) -> list[str]:
    """Take `[approach]` out of the tables and write its motions into chaser and target. Returns
    notes: a tip that comes beside the mouth."""
    given = tables.pop(PATH)
    if not isinstance(given, Mapping):
        refuse(PATH, given, "a table: " + ", ".join(KEYS))
        return []
    found = _read(given, refuse)
    pair = _first_pair(tables, refuse)
    taken = [
        f"{body}.{key}" for body, keys in WRITTEN.items() for key in keys if key in tables[body]
    ]
    if "tumble_deg_per_s" in given and "rate_rad_per_s" in tables["target"]:
        taken.append("target.rate_rad_per_s")
    for key in taken:
        body, name = key.split(".")
        words = {"attitude_wxyz": "attitude_deg", "rate_rad_per_s": "rate_deg_per_s"}.get(name)
        also = f" (nor {words})" if words else ""
        allowed = f"nothing beside [approach]{also}, which says where it starts"
        refuse(key, tables[body][name], allowed)
    if found is None or pair is None or taken:
        return []
    _write(tables, found, *pair)
    return _beside(tables["contact"], math.hypot(*found["offset"]))


def _beside(contact: Any, offset: float) -> list[str]:
    """A note where the tip comes outside the mouth of a cone."""
    first = contact[0] if isinstance(contact, list) else contact
    mouth = first.get("mouth_radius_m")
    if not isinstance(mouth, int | float) or offset <= mouth:
        return []
    return [
        f"approach.lateral_offset_m puts the tip {1e3 * offset:.3g} mm off the axis, beside the "
        f"mouth of {1e3 * mouth:.3g} mm: it meets the rim, or nothing"
    ]


def _write(
    tables: dict[str, Any],
    n: dict[str, Any],
    tip: np.ndarray,
    radius: float,
    origin: np.ndarray,
    axis: np.ndarray,
) -> None:
    target = tables["target"]
    turn = matrix(target.get("attitude_wxyz", [1.0, 0.0, 0.0, 0.0]))
    out = turn @ axis
    first, second = laterals(out)
    tumble = n["tumble"]
    rate = tumble if len(tumble) == 3 else turn.T @ second * tumble[0]
    offset = first * n["offset"][0] + second * n["offset"][1]
    away = 0.0 if n["at"] == "touch" else n["distance"]
    at_tip = np.asarray(target.get("position_m", np.zeros(3)), float) + turn @ origin
    at_tip = at_tip + out * (away + radius) + offset
    attitude = _facing(tip, -out)
    attitude = matrix_about(second, n["tilt"][0]) @ matrix_about(first, n["tilt"][1]) @ attitude
    velocity = np.asarray(target.get("velocity_m_per_s", np.zeros(3)), float) - n["speed"] * out
    position = at_tip - attitude @ tip
    if n["at"] == "touch":
        late = n["distance"] / n["speed"]
        position = position - late * velocity
        _turn_back(target, turn, rate, late)
    elif np.any(rate):
        target["rate_rad_per_s"] = [float(x) for x in rate]
    chaser = tables["chaser"]
    chaser["position_m"] = [float(x) for x in position]
    chaser["velocity_m_per_s"] = [float(x) for x in velocity]
    chaser["attitude_wxyz"] = quaternion(attitude)


def _turn_back(target: dict[str, Any], turn: np.ndarray, rate: np.ndarray, late: float) -> None:
    """The target some time before: moved along its velocity and turned along its free rotation."""
    moved = np.asarray(target.get("velocity_m_per_s", np.zeros(3)), float) * late
    if np.any(moved):
        target["position_m"] = (np.asarray(target.get("position_m", np.zeros(3))) - moved).tolist()
    if not np.any(rate) or target.get("fixed"):
        return
    inertia = np.asarray(target["inertia_kg_m2"], float)
    inertia = np.diag(inertia) if inertia.size == 3 else inertia.reshape(3, 3)
    spin, h = turn @ inertia @ rate, -late / TURN_STEPS

    def turning(R: np.ndarray) -> np.ndarray:
        return R @ cross_matrix(np.linalg.solve(inertia, R.T @ spin))

    R = turn
    for _ in range(TURN_STEPS):
        a = turning(R)
        b = turning(R + 0.5 * h * a)
        c = turning(R + 0.5 * h * b)
        R = R + h / 6.0 * (a + 2.0 * b + 2.0 * c + turning(R + h * c))
    target["attitude_wxyz"] = quaternion(R)
    R = matrix(target["attitude_wxyz"])
    target["rate_rad_per_s"] = [float(x) for x in np.linalg.solve(inertia, R.T @ spin)]


def laterals(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two directions across an axis."""
    help_ = np.array([0.0, 1.0, 0.0]) if abs(axis[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    first = help_ - (help_ @ axis) * axis
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _facing(tip: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The smallest rotation that points the tip along a direction; none for a tip in the middle."""
    if not np.any(tip):
        return np.eye(3)
    u = tip / np.linalg.norm(tip)
    if u @ direction < -1.0 + 1e-12:
        return matrix_about(laterals(u)[1], math.pi)
    v = np.cross(u, direction)
    K = cross_matrix(v)
    return np.eye(3) + K + K @ K / (1.0 + u @ direction)


def quaternion(R: np.ndarray) -> list[float]:
    """(w, x, y, z) of a rotation matrix, w not negative, as a scenario holds it."""
    return [float(x) for x in nearest_quaternion(R)]


def _read(given: Mapping[str, Any], refuse: Refuse) -> dict[str, Any] | None:
    """The values of `[approach]`, SI; None: refused."""
    problems: list[Problem] = []
    row = Reader(given, PATH, problems)
    values = row.read(APPROACH)
    row.done()
    for problem in problems:
        refuse(problem.key, problem.value, problem.allowed, problem.suggestion)
    if problems:
        return None
    at = values.pop("at")
    numbers = {key: parse_numbers(value) for key, value in values.items()}
    return {
        "distance": numbers["distance_m"][0],
        "speed": numbers["speed_m_per_s"][0],
        "offset": [*numbers["lateral_offset_m"], 0.0],
        "tilt": [*np.radians(numbers["misalignment_deg"]), 0.0],
        "tumble": np.radians(numbers["tumble_deg_per_s"]),
        "at": at,
    }


def _first_pair(
    tables: dict[str, Any], refuse: Refuse
) -> tuple[np.ndarray, float, np.ndarray, np.ndarray] | None:
    """Tip, its radius, origin and unit axis of the first contact pair."""
    pairs = tables.get("contact")
    if not isinstance(pairs, list) or not pairs or not isinstance(pairs[0], Mapping):
        refuse(PATH, "no contact pair", "a [[contact]] whose axis the chaser comes along")
        return None
    pair = pairs[0]
    if pair.get("geometry") in [shape.name for shape in SHAPE_MODELS if shape.drawing.is_round]:
        others = " or ".join(f"a {one.name}" for one in SHAPE_MODELS if not one.drawing.is_round)
        allowed = f"a first contact pair with an axis: {others}"
        refuse(PATH, f"a {pair['geometry']}", allowed)
        return None
    try:
        tip, origin, axis = (
            np.asarray(pair.get(key, default), dtype=float).reshape(3)
            for key, default in (
                ("tip_m", [0.0] * 3),
                ("origin_m", [0.0] * 3),
                ("axis", [1.0, 0.0, 0.0]),
            )
        )
        radius, length = float(pair.get("tip_radius_m", 0.0)), float(np.linalg.norm(axis))
    except (TypeError, ValueError):
        return None  # refused by who checks the pair
    return (tip, radius, origin, axis / length) if length > 0.0 else None
