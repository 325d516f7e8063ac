"""The arms of a scenario as one URDF text: `/robot_description` of a recording, which Foxglove
draws with `/joint_states` and `/tf`.

In: the scenario's tables and the joints that the recording names. Out: URDF; its root `world` is
the frame of the satellites' poses. Joints, axes and limits are those of the arm's own kinematics
(loop/arms/forward.py); what is seen are the volumes of the links, as cylinders, and no meshes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from softdock.errors import BadInput
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.layout import AT, AXES
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.spatial.arrays import unit_matrix
from softdock.recording.streams import Stream
from softdock.results.scene.robots import list_arm_volumes

WORLD = "world"
COLOURS = {"chaser": "0.87 0.46 0.1 1", "target": "0.05 0.55 0.55 1"}


def list_joints(streams: Iterable[Stream]) -> dict[str, list[str]]:
    """Names of the recorded joints of each body, in order, without the body: A1 ... or 1 ..."""
    joints: dict[str, list[str]] = {}
    for channel in (one for stream in streams for one in stream.channels):
        first, _, rest = channel.name.partition(".")
        body, _, last = rest.partition(".")
        what, _, axis = last.rpartition(".")
        if first != "joints" or not (what == "position" or (not what and axis.isdigit())):
            continue
        joints.setdefault(body, []).append(axis)
    return joints


def write_robot_description(tables: Mapping[str, Any], joints: Mapping[str, list[str]]) -> str:
    """The arms whose joints are recorded; empty: there is none that is known."""
    from softdock.loop.arms.sources import arm_of  # few runs have arms

    if "facility" not in tables or not joints:
        return ""
    robot = Element("robot", name="softdock")
    SubElement(robot, "link", name=WORLD)
    facility = facility_of(tables, arm_needed=False)
    for body, mount in facility.robots().items():
        if not mount.arm or body not in joints:
            continue
        try:
            arm = arm_of(mount)
        except BadInput:  # a file that is not here
            continue
        _add_arm(robot, body, arm, facility.orbit.back().then(mount.base).seven(), joints[body])
    if len(robot) == 1:
        return ""
    indent(robot)
    return tostring(robot, encoding="unicode") + "\n"


def _add_arm(robot: Element, body: str, arm: Arm, base: np.ndarray, named: list[str]) -> None:
    first = arm.first if len(named) == AXES - arm.first else AXES - len(named)
    names = {slot: f"{body}_{axis}" for slot, axis in enumerate(named, start=first)}
    links = {-1: f"{body}_base"} | {slot: f"{body}_link_{slot}" for slot in range(AXES)}
    _add_link(robot, body, links[-1], None)
    _add_joint(robot, f"{body}_mount", "fixed", WORLD, links[-1], base[:3], base[3:])
    offsets, axes = arm.of_axes("offsets", 3), arm.of_axes("directions", 3)
    volumes = {one.slot: one for one in list_arm_volumes(arm)}
    for slot in range(AXES):
        _add_link(robot, body, links[slot], volumes.get(slot))
        moves = slot in names and slot >= arm.first
        slides = slot == 0 and arm.base_axis == "rail"
        kind = "fixed" if not moves else "prismatic" if slides else "revolute"
        joint = _add_joint(
            robot,
            names[slot] if moves else f"{body}_fixed_{slot}",
            kind,
            links[slot - 1],
            links[slot],
            offsets[slot],
        )
        if moves:
            SubElement(joint, "axis", xyz=_write(axes[slot]))
            SubElement(joint, "limit", _find_limits(arm, slot))
    end = arm.vector[AT.offsets + 3 * AXES : AT.offsets + 3 * AXES + 3]
    turn = arm.vector[AT.flange : AT.flange + 4]
    _add_link(robot, body, f"{body}_flange", None)
    _add_joint(robot, f"{body}_to_flange", "fixed", links[AXES - 1], f"{body}_flange", end, turn)


def _find_limits(arm: Arm, slot: int) -> dict[str, str]:
    """URDF wants all four; what is not known is given as 0, which readers take for none."""
    found = {key: float(arm.of_axes(name)[slot]) for key, name in LIMITS.items()}
    return {key: f"{x if math.isfinite(x) else 0.0:.9g}" for key, x in found.items()}


LIMITS = {"lower": "low", "upper": "high", "velocity": "speed", "effort": "torque"}


def _add_joint(
    robot: Element,
    name: str,
    kind: str,
    parent: str,
    child: str,
    place: np.ndarray,
    turn: np.ndarray | None = None,
) -> Element:
    joint = SubElement(robot, "joint", name=name, type=kind)
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    rpy = (0.0, 0.0, 0.0) if turn is None else compute_rpy(turn)
    SubElement(joint, "origin", xyz=_write(place), rpy=_write(rpy))
    return joint


def _add_link(robot: Element, body: str, name: str, volume: Any) -> None:
    link = SubElement(robot, "link", name=name)
    if volume is None:
        return
    start, way = np.array(volume.start), np.subtract(volume.end, volume.start)
    length = float(np.linalg.norm(way))
    visual = SubElement(link, "visual")
    pitch, yaw = math.atan2(math.hypot(way[0], way[1]), way[2]), math.atan2(way[1], way[0])
    SubElement(visual, "origin", xyz=_write(start + 0.5 * way), rpy=_write((0.0, pitch, yaw)))
    shape = SubElement(visual, "geometry")
    round_ = {"radius": f"{volume.radius:.6g}"}
    if length > volume.radius:
        SubElement(shape, "cylinder", {**round_, "length": f"{length:.6g}"})
    else:
        SubElement(shape, "sphere", round_)
    material = SubElement(visual, "material", name=body)
    SubElement(material, "color", rgba=COLOURS[body])


def compute_rpy(turn: Any) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] of a quaternion wxyz, as URDF has them."""
    R = unit_matrix(turn)
    pitch = math.asin(max(-1.0, min(1.0, -float(R[2, 0]))))
    if abs(R[2, 0]) > 1.0 - 1e-12:  # roll and yaw turn about one axis
        return 0.0, pitch, math.atan2(-float(R[0, 1]), float(R[1, 1]))
    return (
        math.atan2(float(R[2, 1]), float(R[2, 2])),
        pitch,
        math.atan2(float(R[1, 0]), float(R[0, 0])),
    )


def _write(numbers: Iterable[float]) -> str:
    return " ".join(f"{0.0 if abs(x) < 1e-15 else x:.12g}" for x in map(float, numbers))
