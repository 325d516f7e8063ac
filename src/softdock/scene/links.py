"""What an arm looks like: a capsule for each link, a drum about each joint, a foot.

In: an arm's description (softdock.arms). Out: meshes in the frames of its links, which the
kinematics place. Lengths, joints and axes are the arm's own; thickness is drawn, from the radii of
its volumes where it has them.
"""

from __future__ import annotations

import numpy as np

from softdock.arms.arm import Arm, Capsule
from softdock.core.arms.layout import AXES
from softdock.scene.model import Mesh
from softdock.scene.surfaces import joined, revolved, rod

SIDES = 20  # of a round link: many are drawn
SLIM = 0.8  # of a volume's radius, which keeps a margin
THICK = 0.075  # of the arm's reach, where it has no volumes
SHORTEST = 1e-6  # m; a link of no length is its drum
MOST_MADE = 16  # arms whose meshes are kept
_MADE: dict[tuple[bytes, tuple[Capsule, ...]], dict[int, dict[str, Mesh]]] = {}


def link_meshes(arm: Arm) -> dict[int, dict[str, Mesh]]:
    """By slot of the link: its body (`link`), and the drum of its joint (`joint`). Made once for
    an arm: a slider changes no link."""
    key = (arm.vector.tobytes(), arm.capsules)
    if key not in _MADE:
        if len(_MADE) >= MOST_MADE:
            _MADE.clear()
        _MADE[key] = _made(arm)
    return _MADE[key]


def _made(arm: Arm) -> dict[int, dict[str, Mesh]]:
    found: dict[int, dict[str, Mesh]] = {}
    axes, volumes = arm.of_axes("directions", 3), volumes_of(arm)
    for one, after in zip(volumes, [*volumes[1:], None], strict=True):
        start, end = np.array(one.start), np.array(one.end)
        if one.slot == 0:
            found[0] = {"link": foot(start, end, one.radius)}
            continue
        radius = SLIM * one.radius
        first = 0.8 * radius if one.slot == 1 else radius  # a turret is flatter
        drum = 1.12 * first * axes[one.slot]
        made = {"joint": rod(start - drum, start + drum, (1.2 * radius,) * 2, SIDES)}
        if float(np.linalg.norm(end - start)) > SHORTEST:
            # never thicker than the drum it ends in; the last one ends flat, in the flange
            last = 0.8 * radius if after is None else min(0.8 * radius, SLIM * after.radius)
            made["link"] = bone(start, end, first, min(first, last), after is None)
        found[one.slot] = made
    return found


def volumes_of(arm: Arm) -> tuple[Capsule, ...]:
    """The arm's own volumes; without any, a capsule from each joint to the next."""
    if arm.capsules:
        return arm.capsules
    offsets = arm.of_axes("offsets", 3)
    found = [_capsule("base", 0, offsets[1], 1.4 * THICK * reach_of(arm))]
    for slot in range(1, AXES - 1):
        thick = THICK * reach_of(arm) * (1.0 - 0.09 * slot)
        found.append(_capsule(arm.axis_names[slot], slot, offsets[slot + 1], thick))
    return tuple(found)


def _capsule(name: str, slot: int, end: np.ndarray, radius: float) -> Capsule:
    x, y, z = (float(v) for v in end)
    return Capsule(name=name, slot=slot, start=(0.0, 0.0, 0.0), end=(x, y, z), radius=radius)


def reach_of(arm: Arm) -> float:
    """From the shoulder to the wrist of the arm stretched out [m]."""
    offsets = arm.of_axes("offsets", 3)
    return float(np.linalg.norm(offsets[3]) + np.linalg.norm(offsets[4]))


def shoulder_of(arm: Arm) -> np.ndarray:
    """From the origin of link 1 to axis 2 [m, link 1]."""
    return np.asarray(arm.of_axes("offsets", 3)[2])


def bone(start: np.ndarray, end: np.ndarray, first: float, last: float, flat: bool) -> Mesh:
    """A link with a round beginning, slimmer towards the next; `flat`: ends in a face."""
    length = float(np.linalg.norm(end - start))
    angle = np.linspace(-0.5 * np.pi, 0.0, 5)
    lower = [(float(first * np.cos(a)), float(first * np.sin(a))) for a in angle]
    upper = [(float(last * np.cos(a)), length - float(last * np.sin(a))) for a in angle[::-1]]
    if flat:
        upper = [(last, length), (0.0, length)]
    return revolved([*lower, *upper], start, end - start, SIDES)


def foot(start: np.ndarray, end: np.ndarray, radius: float) -> Mesh:
    """A plate on the floor and a column up to the first joint."""
    up = end - start
    if float(np.linalg.norm(up)) < SHORTEST:
        up = np.array([0.0, 0.0, radius])
    height = float(np.linalg.norm(up))
    way = up / height
    plate = rod(start, start + 0.12 * radius * way, (1.15 * radius,) * 2, SIDES)
    return joined(plate, rod(start, start + up, (0.85 * radius, 0.7 * radius), SIDES))
