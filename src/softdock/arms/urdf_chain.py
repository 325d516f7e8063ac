"""The chain of joints in a URDF file, and all that is refused before it is looked at.

Scripts, plugins, xacro and substitutions; loops, links with two parents, joints without a kind that
is known. Every refusal names the joint or the link, with file and line.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.plain_xml import Element

KNOWN = ("link", "joint", "material", "transmission", "gazebo")
CODE = ("plugin", "script", "include", "ros2_control")
MOVING = ("revolute", "prismatic")
KINDS = (*MOVING, "fixed")
MOST_LINKS = 300


class UrdfFile:
    """One URDF file being read."""

    def __init__(self, root: Element, name: str) -> None:
        self.root, self.name = root, name
        self.problems: list[Problem] = []

    def refuse(self, element: Element, key: str, value: object, allowed: str) -> None:
        self.problems.append(Problem(key, value, allowed, f"{self.name}:{element.line}"))

    def stop(self) -> None:
        if self.problems:
            raise BadInput(self.problems)

    def numbers(
        self, element: Element | None, key: str, count: int, default: str, whose: str
    ) -> np.ndarray:
        """So many numbers of an attribute."""
        text = default if element is None else element.attributes.get(key, default)
        try:
            found = np.array([float(v) for v in text.split()])
        except ValueError:
            found = np.zeros(0)
        if len(found) != count or not np.isfinite(found).all() or np.abs(found).max() > 1e6:
            self.refuse(element or self.root, f"{whose}.{key}", text, f"{count} finite numbers")
            return np.zeros(count)
        return found

    def placement(self, element: Element, whose: str) -> tuple[np.ndarray, np.ndarray]:
        """Rotation matrix and translation of an <origin>."""
        origin = element.first("origin")
        roll, pitch, yaw = self.numbers(origin, "rpy", 3, "0 0 0", whose)
        return _rpy(roll, pitch, yaw), self.numbers(origin, "xyz", 3, "0 0 0", whose)


def chain_kind(chain: list[Element], i: int) -> str:
    """Type of the i-th moving joint of a chain."""
    return [j for j in chain if j.attributes["type"] in MOVING][i].attributes["type"]


def refuse_code(file: UrdfFile) -> None:
    """Scripts, plugins, xacro and substitutions anywhere; unknown elements at the top."""
    if file.root.name != "robot":
        file.refuse(file.root, file.root.name, "root element", "<robot>")
    for element in file.root.children:
        if element.name not in KNOWN and ":" not in element.name and element.name not in CODE:
            file.refuse(element, "robot", f"<{element.name}>", "one of " + ", ".join(KNOWN))
    waiting = [file.root]
    while waiting:
        element = waiting.pop()
        waiting += element.children
        if element.name.startswith("xacro:") or "xacro" in element.name:
            allowed = "plain URDF: expand the xacro first, where you trust it"
            file.refuse(element, element.name, "xacro", allowed)
        if element.name in CODE:
            allowed = "nothing that names code; softdock runs none of it, take the element out"
            file.refuse(element, element.name, f"<{element.name}>", allowed)
        for key, value in element.attributes.items():
            if "${" in value or "$(" in value:
                allowed = "a value; substitutions are xacro's, expand the file first"
                file.refuse(element, f"{element.name}.{key}", value, allowed)
    file.stop()


def joints_of(file: UrdfFile) -> dict[str, Element]:
    """Joints by the name of their child link, so that a second parent is a loop."""
    found: dict[str, Element] = {}
    for joint in file.root.all("joint"):
        name, kind = joint.attributes.get("name", "?"), joint.attributes.get("type")
        if kind not in KINDS:
            allowed = "revolute or prismatic with limits, or fixed"
            file.refuse(joint, f"joint '{name}'", f"type {kind}", allowed)
            joint.attributes["type"] = "fixed"
        if joint.first("mimic") is not None:
            file.refuse(joint, f"joint '{name}'", "<mimic>", "joints that move by themselves")
        parent, child = joint.first("parent"), joint.first("child")
        if parent is None or child is None:
            file.refuse(joint, f"joint '{name}'", "no parent or child", "one <parent>, one <child>")
            continue
        to = child.attributes.get("link", "")
        if to in found:
            other = found[to].attributes.get("name")
            value = f"link '{to}' hangs on '{other}' and on '{name}'"
            file.refuse(joint, f"joint '{name}'", value, "a tree: no loop, one parent a link")
        found[to] = joint
    return found


def links_of(file: UrdfFile) -> dict[str, Element]:
    if len(file.root.all("link")) > MOST_LINKS:
        value = f"{len(file.root.all('link'))} links"
        file.refuse(file.root, "robot", value, f"at most {MOST_LINKS} links")
        return {}
    names = [link.attributes.get("name", "?") for link in file.root.all("link")]
    for link, name in zip(file.root.all("link"), names, strict=True):
        if names.count(name) > 1:
            file.refuse(link, f"link '{name}'", "twice in the file", "links of different names")
    return {link.attributes.get("name", "?"): link for link in file.root.all("link")}


def chain_of(
    file: UrdfFile, joints: dict[str, Element], links: dict[str, Element], tip: str | None
) -> list[Element]:
    """Joints from the root to the tip."""
    parents = {parent_of(joint) for joint in joints.values()}
    for name in sorted((parents | set(joints)) - set(links)):
        file.refuse(file.root, f"link '{name}'", "not in the file", "links that are defined")
    ends = [tip] if tip else _ends(joints, links, parents)
    if len(ends) != 1 or ends[0] not in links:
        value = "no end: the links make a loop" if not ends else f"ends {', '.join(map(str, ends))}"
        file.refuse(file.root, "robot", value, "one chain of seven or fewer moving joints")
        return []
    chain: list[Element] = []
    at = ends[0]
    while at in joints:
        chain.insert(0, joints[at])
        at = parent_of(joints[at])
        if len(chain) > len(joints):
            file.refuse(file.root, f"link '{at}'", "a loop", "a chain from a root to a tip")
            return []
    moving = [j for j in chain if j.attributes["type"] in MOVING]
    kinds = [j.attributes["type"] for j in moving]
    if len(kinds) not in (6, 7) or "prismatic" in kinds[len(kinds) - 6 :]:
        allowed = "six joints that turn, and before them one base axis or none"
        file.refuse(file.root, "robot", f"moving joints: {', '.join(kinds) or 'none'}", allowed)
    return chain


def _ends(joints: dict[str, Element], links: dict[str, Element], parents: set[str]) -> list[str]:
    """Leaves of the tree that are reached through most moving joints."""

    def moving(name: str) -> int:
        count, steps = 0, 0
        while name in joints and steps <= len(joints):
            count += joints[name].attributes["type"] in MOVING
            name, steps = parent_of(joints[name]), steps + 1
        return count

    leaves = [name for name in links if name not in parents]
    most = max((moving(name) for name in leaves), default=0)
    found = [name for name in leaves if moving(name) == most]
    preferred = [name for name in found if name in ("flange", "tool0")]
    return preferred[:1] or found


def parent_of(joint: Element) -> str:
    parent = joint.first("parent")
    return "" if parent is None else parent.attributes.get("link", "")


def child_of(joint: Element) -> str:
    child = joint.first("child")
    return "" if child is None else child.attributes.get("link", "")


def _rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rotation matrix of URDF's fixed-axis angles."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
