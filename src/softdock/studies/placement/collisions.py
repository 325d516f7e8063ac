"""Volumes of arms, mock-ups and the room as rows for the compiled distances, and which to compare.

Not compared: the two mock-ups with each other (they are meant to touch), parts fewer than three
apart along one arm's chain (their joints overlap by construction), and the column of a base with
the room (it stands on something).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from softdock.loop.arms.facility import ROBOTS, Facility, Frame, Mount, Volume
from softdock.loop.arms.layout import ARM, AT, AXES, WORK
from softdock.loop.arms.volumes import (
    BOX,
    CAPSULE,
    CAPSULE_RADIUS,
    LABORATORY,
    NEAREST,
    VOLUME,
    nearest_pairs,
)
from softdock.studies.placement.robot_path import RobotPath

VA = VOLUME.at
APART = 3  # along the chain of an arm's volumes
ROWS = 1200  # instants compared at most; what moves slowly needs no more


@dataclass(frozen=True)
class Part:
    """One volume: whose it is, what it is called, its place in the chain."""

    owner: int
    name: str
    order: int
    is_mock_up: bool
    row: np.ndarray

    @property
    def title(self) -> str:
        who = f"{ROBOTS[self.owner]}'s " if self.owner < LABORATORY else ""
        return who + self.name


@dataclass(frozen=True)
class Nearest:
    """The least distance of two parts over a run."""

    first: str
    second: str
    distance: float  # m; negative: they overlap
    time: float  # s


def find_nearest_parts(
    facility: Facility, mounts: dict[str, Mount], paths: dict[str, RobotPath], time: np.ndarray
) -> list[Nearest]:
    """Least distances of all pairs over the instants that every robot reaches, nearest first."""
    parts = _list_parts(facility, mounts, paths)
    pairs = [
        (i, k) for i, k in combinations(range(len(parts)), 2) if _is_compared(parts[i], parts[k])
    ]
    rows = min((path.rows for path in paths.values()), default=0)
    if not pairs or rows == 0:
        return []
    keep = np.unique(np.linspace(0, rows - 1, min(rows, ROWS)).astype(int))
    arms, bases = np.zeros((2, ARM.size)), np.zeros((2, 7))
    bases[:, 3] = 1.0
    arms[:, AT.flange] = 1.0
    joints = np.zeros((2, len(keep), AXES))
    for i, robot in enumerate(ROBOTS):
        if robot in paths:
            arms[i] = paths[robot].arm.vector
            bases[i] = mounts[robot].base.seven()
            joints[i] = paths[robot].joints[keep]
    volumes = np.array([part.row for part in parts])
    least = np.zeros((len(pairs), NEAREST.size))
    which = np.array(pairs, np.int64)
    work, placed = np.zeros(WORK.size), np.zeros_like(volumes)
    nearest_pairs(
        arms=arms,
        bases=bases,
        joints=joints,
        volumes=volumes,
        pairs=which,
        work=work,
        placed=placed,
        least=least,
    )
    nearest = [
        Nearest(parts[i].title, parts[k].title, float(d), float(time[keep[int(row)]]))
        for (i, k), (d, row) in zip(pairs, least, strict=True)
    ]
    return sorted(nearest, key=lambda pair: pair.distance)


def _is_compared(a: Part, b: Part) -> bool:
    if a.owner == LABORATORY and b.owner == LABORATORY:
        return False
    if LABORATORY in (a.owner, b.owner):
        other = b if a.owner == LABORATORY else a
        return other.order > 0  # not the column that stands there
    if a.owner == b.owner:
        return abs(a.order - b.order) >= APART
    return not (a.is_mock_up and b.is_mock_up)


def _list_parts(
    facility: Facility, mounts: dict[str, Mount], paths: dict[str, RobotPath]
) -> list[Part]:
    parts = []
    for owner, robot in enumerate(ROBOTS):
        if robot not in paths:
            continue
        arm, mount = paths[robot].arm, mounts[robot]
        for order, capsule in enumerate(arm.capsules):
            given = Volume(
                name=capsule.name,
                shape="capsule",
                start=capsule.start,
                end=capsule.end,
                radius=capsule.radius,
            )
            row = _make_row(owner, capsule.slot, given, Frame())
            parts.append(
                Part(owner=owner, name=capsule.name, order=order, is_mock_up=False, row=row)
            )
        offset = arm.vector[AT.offsets + 3 * AXES : AT.offsets + 3 * AXES + 3]
        flange = Frame(tuple(offset), tuple(arm.vector[AT.flange : AT.flange + 4]))
        held = flange.then(mount.mock_up)
        for volume in mount.volumes:
            row = _make_row(owner, AXES - 1, volume, held)
            name = f"mock-up '{volume.name}'"
            parts.append(
                Part(owner=owner, name=name, order=len(arm.capsules), is_mock_up=True, row=row)
            )
    for volume in facility.obstacles:
        row = _make_row(LABORATORY, 0, volume, Frame())
        parts.append(
            Part(owner=LABORATORY, name=f"'{volume.name}'", order=0, is_mock_up=False, row=row)
        )
    return parts


def _make_row(owner: int, slot: int, volume: Volume, frame: Frame) -> np.ndarray:
    """A volume given in a frame of a link, as a row in the link's own."""
    row = np.zeros(VOLUME.size)
    row[VA.owner], row[VA.slot] = owner, slot
    if volume.shape == "box":
        place = frame.then(volume.place)
        row[VA.shape] = BOX
        row[VA.first : VA.first + 3], row[VA.second : VA.second + 4] = place.p, place.q
        row[VA.half : VA.half + 3] = volume.half
        return row
    row[VA.shape] = CAPSULE
    row[VA.first : VA.first + 3] = np.add(frame.p, frame.turned(volume.start))
    row[VA.second : VA.second + 3] = np.add(frame.p, frame.turned(volume.end))
    row[CAPSULE_RADIUS] = volume.radius
    return row
