"""An arm: its vector (softdock.loop.arms.layout), names of its axes, volumes of its links, sources.

`build_arm` takes axes and links with all joints at zero, in base axes, recognises the family of the
closed-form inverse and moves the origins of the last joints to where their axes meet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.families import Geometry, recognise
from softdock.loop.arms.layout import ARM, AT, AXES, BASE_AXES, FAMILIES
from softdock.loop.spatial.arrays import unit_matrix

Numbers = Sequence[float] | np.ndarray
UNKNOWN = math.inf  # of a limit or a stiffness: nothing is checked and nothing is said


@dataclass(frozen=True)
class Link:
    """One axis and the link behind it. Base axes with all joints at zero; SI."""

    name: str
    direction: tuple[float, ...]
    offset: tuple[float, ...]  # from the axis before
    low: float
    high: float
    speed: float
    acceleration: float = UNKNOWN
    torque: float = UNKNOWN
    stiffness: float = UNKNOWN
    damping: float = 0.0
    rotor: float = 0.0
    mass: float = 0.0
    centre: tuple[float, ...] = (0.0, 0.0, 0.0)  # from this axis's origin
    inertia: tuple[float, ...] = (0.0,) * 6
    radius: float = 0.0  # of the capsule from this origin to the next; 0: no volume


@dataclass(frozen=True)
class Capsule:
    """A volume that moves with a link: a segment with a radius, in the link's frame."""

    name: str
    slot: int
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float


@dataclass(frozen=True)
class Arm:
    """An arm, ready for the compiled kinematics."""

    name: str
    vector: np.ndarray
    axis_names: tuple[str, ...]  # seven; slot 0 is empty without a base axis
    capsules: tuple[Capsule, ...] = ()
    published: frozenset[str] = frozenset()  # keys whose numbers are the maker's
    source: str = ""
    warnings: tuple[str, ...] = field(default=())

    @property
    def family(self) -> str:
        return FAMILIES[int(self.vector[AT.family])]

    @property
    def base_axis(self) -> str:
        return BASE_AXES[int(self.vector[AT.base_axis])]

    @property
    def first(self) -> int:
        """Slot of the first axis that there is."""
        return 0 if self.vector[AT.base_axis] else 1

    def of_axes(self, name: str, width: int = 1) -> np.ndarray:
        """A quantity of all seven axes, by its name in the layout: a copy."""
        at = getattr(AT, name)
        values = self.vector[at : at + width * AXES].copy()
        return values if width == 1 else values.reshape(AXES, width)

    def knows(self, name: str) -> bool:
        """Whether a limit or a stiffness is given for every axis that there is."""
        return bool(np.isfinite(self.of_axes(name)[self.first :]).all())

    def is_assumed(self, *keys: str) -> bool:
        """Whether one of these numbers is not the maker's."""
        return not set(keys) <= self.published

    def carrying(self, mass: float, centre: Numbers, inertia: Numbers = (0.0,) * 6) -> Arm:
        """The arm with a load on its flange: centre in the flange's frame, inertia in its axes."""
        vector = self.vector.copy()
        turn = tuple(vector[AT.flange : AT.flange + 4])
        offset = vector[AT.offsets + 3 * AXES : AT.offsets + 3 * AXES + 3]
        place = offset + np.array(rotated(turn, centre))
        R = unit_matrix(turn)
        load = R @ symmetric(inertia) @ R.T
        slot = AXES - 1
        m, c = vector[AT.mass + slot], vector[AT.centre + 3 * slot : AT.centre + 3 * slot + 3]
        own = symmetric(vector[AT.inertia + 6 * slot : AT.inertia + 6 * slot + 6])
        if m + mass > 0.0:
            d = place - c
            spread = m * mass / (m + mass) * (d @ d * np.eye(3) - np.outer(d, d))
            vector[AT.inertia + 6 * slot : AT.inertia + 6 * slot + 6] = six(own + load + spread)
            vector[AT.centre + 3 * slot : AT.centre + 3 * slot + 3] = c + mass / (m + mass) * d
            vector[AT.mass + slot] = m + mass
        return replace(self, vector=vector)


def rotated(turn: Numbers, a: Numbers) -> tuple[float, ...]:
    """A vector turned by a quaternion, in plain Python."""
    return tuple(float(v) for v in unit_matrix(turn) @ np.asarray(a, float))


def symmetric(m: Numbers) -> np.ndarray:
    """(xx, yy, zz, xy, xz, yz) as a matrix."""
    xx, yy, zz, xy, xz, yz = m
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six(m: np.ndarray) -> list[float]:
    """A symmetric matrix as (xx, yy, zz, xy, xz, yz)."""
    return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]


def build_arm(
    name: str,
    links: Sequence[Link],
    flange: Numbers,
    flange_turn: Numbers = (1.0, 0.0, 0.0, 0.0),
    base: Link | None = None,
    base_kind: str = "none",
    published: Sequence[str] = (),
    source: str = "",
    base_radius: float = 0.0,
    path: str = "joints",
) -> Arm:
    """An arm from six links, and a base axis or none. Raises `BadInput` for one that cannot be."""
    none = Link(
        name="",
        direction=(0.0, 0.0, 1.0),
        offset=(0.0, 0.0, 0.0),
        low=0.0,
        high=0.0,
        speed=0.0,
        acceleration=0.0,
        torque=0.0,
    )
    every = [base or none, *links]
    problems = [p for i, link in enumerate(every) for p in _limits(link, i, path, base)]
    if len(links) != AXES - 1:
        problems.append(Problem(path, f"{len(links)} joints", "six joints that turn"))
    if problems:
        raise BadInput(problems)
    directions = np.array([link.direction for link in every])
    offsets = np.array([*(link.offset for link in every), flange], float)
    geometry = recognise(directions, offsets, path)
    vector = np.zeros(ARM.size)
    vector[AT.family] = geometry.family
    vector[AT.base_axis] = BASE_AXES.index(base_kind)
    vector[AT.reach] = np.linalg.norm(geometry.offsets[3]) + np.linalg.norm(geometry.offsets[4])
    _put(vector, AT.directions, geometry.directions)
    _put(vector, AT.offsets, geometry.offsets)
    vector[AT.flange : AT.flange + 4] = flange_turn
    for key in ("low", "high", "speed", "acceleration", "torque", "stiffness", "damping", "rotor"):
        _put(vector, getattr(AT, key), np.array([getattr(link, key) for link in every]))
    _put(vector, AT.mass, np.array([link.mass for link in every]))
    _put(vector, AT.centre, np.array([link.centre for link in every]) + geometry.moved)
    _put(vector, AT.inertia, np.array([link.inertia for link in every]))
    return Arm(
        name=name,
        vector=vector,
        axis_names=tuple(link.name for link in every),
        capsules=_capsules(every, offsets, geometry, base_radius),
        published=frozenset(published),
        source=source,
        warnings=geometry.warnings,
    )


def _put(vector: np.ndarray, at: int, values: np.ndarray) -> None:
    vector[at : at + values.size] = values.ravel()


def _limits(link: Link, i: int, path: str, base: Link | None) -> list[Problem]:
    """What no arm can have. `i` 0 is the base axis."""
    if i == 0 and base is None:
        return []
    key = "base_axis" if i == 0 else f"{path}.{i - 1}"
    found = []
    if not link.low < link.high:
        found.append(
            Problem(
                f"{key}.range",
                [link.low, link.high],
                f"a range of joint '{link.name}' whose lower end is below its upper end",
            )
        )
    for name in ("speed", "acceleration", "torque", "stiffness"):
        if not getattr(link, name) > 0.0:
            found.append(Problem(f"{key}.{name}", getattr(link, name), f"> 0 ('{link.name}')"))
    return found


def _capsules(
    every: Sequence[Link], offsets: np.ndarray, geometry: Geometry, base_radius: float
) -> tuple[Capsule, ...]:
    """From each origin, as it was given, to the next, in the frames whose origins were moved."""
    found = []
    if base_radius > 0.0:
        found.append(_capsule("base", 0, np.zeros(3), offsets[1], base_radius))
    for i, link in enumerate(every):
        if i > 0 and link.radius > 0.0:
            start = geometry.moved[i]
            found.append(_capsule(link.name, i, start, start + offsets[i + 1], link.radius))
    return tuple(found)


def _capsule(name: str, slot: int, start: np.ndarray, end: np.ndarray, radius: float) -> Capsule:
    a, b = (tuple(float(v) for v in point) for point in (start, end))
    return Capsule(name=name, slot=slot, start=a, end=b, radius=radius)  # type: ignore[arg-type]
