"""An arm from a URDF file: its chain of joints from the root link to the tip, strictly read.

Nothing in the file is run or fetched: meshes are not opened, xacro and substitutions (`${...}`,
`$(...)`) are refused, and so are scripts and plugins. The chain must be six joints that turn, each
with limits, after at most one sliding or turning base axis; fixed joints are joined to what carries
them, with their masses. Damping of joints is taken; accelerations and stiffness a URDF has none of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.plain_xml import ROBOT, Element, read_xml
from softdock.loop.arms.arm import UNKNOWN, Arm, Link, build_arm, six
from softdock.loop.spatial.arrays import quaternion_of

# The chain of joints in a URDF file, and all that is refused before it is looked at.
#
# Scripts, plugins, xacro and substitutions; loops, links with two parents, joints without a kind
# that is known. Every refusal names the joint or the link, with file and line.

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


@dataclass
class _Body:
    """A link with all that is fixed to it, in base axes with the joints at zero."""

    mass: float = 0.0
    moment: np.ndarray = field(default_factory=lambda: np.zeros(3))  # kg m, about the base
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about the base


def arm_from_urdf(data: bytes, name: str = "urdf", tip: str | None = None) -> Arm:
    """An arm from a URDF file. `tip`: name of the flange's link, else the chain's end."""
    file = UrdfFile(read_xml(data, name, ROBOT), name)
    refuse_code(file)
    joints, links = joints_of(file), links_of(file)
    file.stop()
    chain = chain_of(file, joints, links, tip)
    file.stop()
    made, flange, turn = _made(file, chain, links, joints)
    file.stop()
    base = made.pop(0) if len(made) == 7 else None
    slides = base is not None and chain_kind(chain, 0) == "prismatic"
    kind = "none" if base is None else ("rail" if slides else "turntable")
    try:
        return build_arm(
            name=file.root.attributes.get("name", name),
            links=made,
            flange=flange,
            flange_turn=turn,
            base=base,
            base_kind=kind,
            source=f"URDF file {name}",
        )
    except BadInput as error:
        placed = [Problem(p.key, p.value, p.allowed, f"{name}:1") for p in error.problems]
        raise BadInput(placed) from None


class _Tree(NamedTuple):
    """A file's links and the joints above them, by the name of the link."""

    file: UrdfFile
    links: dict[str, Element]
    joints: dict[str, Element]
    on_chain: set[str]  # links between root and tip


def _made(
    file: UrdfFile, chain: list[Element], links: dict[str, Element], joints: dict[str, Element]
) -> tuple[list[Link], np.ndarray, np.ndarray]:
    """Links in base axes with all joints at zero; offset and attitude of the flange."""
    R, p, before = np.eye(3), np.zeros(3), np.zeros(3)
    made: list[tuple[Element, np.ndarray, np.ndarray, np.ndarray]] = []
    bodies: list[_Body] = []
    tree = _Tree(file, links, joints, {child_of(joint) for joint in chain})
    for joint in chain:
        name = f"joint '{joint.attributes.get('name', '?')}'"
        turn, step = file.placement(joint, name)
        p, R = p + R @ step, R @ turn
        if joint.attributes["type"] in MOVING:
            axis = file.numbers(joint.first("axis"), "xyz", 3, "1 0 0", name)
            length = float(np.linalg.norm(axis))
            if length < 1e-9:
                file.refuse(joint, f"{name}.axis", axis.tolist(), "three numbers, not all zero")
                length, axis = 1.0, np.array([1.0, 0.0, 0.0])
            made.append((joint, R @ axis / length, p - before, p))
            bodies.append(_Body())
            before = p
        if bodies:
            _add(tree, bodies[-1], child_of(joint), R, p)
    flange = p - before
    found = [_link(file, *m, body) for m, body in zip(made, bodies, strict=True)]
    return found, flange, quaternion_of(R)


def _add(tree: _Tree, body: _Body, link: str, R: np.ndarray, p: np.ndarray) -> None:
    """A link's mass, and of all that is fixed to it beside the chain, to a body."""
    file, inertial = tree.file, tree.links[link].first("inertial")
    if inertial is not None:
        turn, step = file.placement(inertial, f"link '{link}'")
        weight, moments = inertial.first("mass"), inertial.first("inertia")
        m = float(file.numbers(weight, "value", 1, "0", f"link '{link}'")[0])
        keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        xx, yy, zz, xy, xz, yz = (
            float(file.numbers(moments, k, 1, "0", f"link '{link}'")[0]) for k in keys
        )
        if m < 0.0:
            file.refuse(inertial, f"link '{link}'.mass", m, ">= 0 [kg]")
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        c, A = p + R @ step, R @ turn
        body.mass += m
        body.moment += m * c
        body.inertia += A @ I @ A.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    for child, joint in tree.joints.items():
        if (
            parent_of(joint) == link
            and child not in tree.on_chain
            and joint.attributes["type"] == "fixed"
        ):
            turn, step = file.placement(joint, f"joint '{joint.attributes.get('name')}'")
            _add(tree, body, child, R @ turn, p + R @ step)


def _link(
    file: UrdfFile,
    joint: Element,
    direction: np.ndarray,
    offset: np.ndarray,
    origin: np.ndarray,
    body: _Body,
) -> Link:
    name, limit = joint.attributes.get("name", "?"), joint.first("limit")
    needed = ("lower", "upper", "velocity")
    if limit is None or any(key not in limit.attributes for key in needed):
        missing = needed if limit is None else [k for k in needed if k not in limit.attributes]
        allowed = "a <limit> with lower, upper and velocity"
        file.refuse(joint, f"joint '{name}'", f"no {', '.join(missing)}", allowed)
        limit = Element("limit", {"lower": "-1", "upper": "1", "velocity": "1"}, joint.line)
    low, high, speed, effort = (
        float(file.numbers(limit, key, 1, "0", f"joint '{name}'")[0]) for key in (*needed, "effort")
    )
    dynamics = joint.first("dynamics")
    centre = body.moment / body.mass if body.mass > 0.0 else origin
    about = body.inertia - body.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return Link(
        name=name,
        direction=tuple(direction.tolist()),
        offset=tuple(offset.tolist()),
        low=low,
        high=high,
        speed=speed,
        torque=effort if effort > 0.0 else UNKNOWN,  # 0 is what files write for "not known"
        damping=float(file.numbers(dynamics, "damping", 1, "0", f"joint '{name}'")[0]),
        mass=body.mass,
        centre=tuple((centre - origin).tolist()),
        inertia=tuple(six(about)),
    )
