"""An arm from a URDF file: its chain of joints from the root link to the tip, strictly read.

Nothing in the file is run or fetched: meshes are not opened, xacro and substitutions (`${...}`,
`$(...)`) are refused, and so are scripts and plugins. The chain must be six joints that turn, each
with limits, after at most one sliding or turning base axis; fixed joints are joined to what carries
them, with their masses. Damping of joints is taken; accelerations and stiffness a URDF has none of.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from softdock.arms.arm import UNKNOWN, Arm, Link, build_arm, six
from softdock.arms.urdf_chain import (
    MOVING,
    UrdfFile,
    chain_kind,
    chain_of,
    child_of,
    joints_of,
    links_of,
    parent_of,
    refuse_code,
)
from softdock.core.spatial.arrays import quaternion_of
from softdock.errors import BadInput, Problem
from softdock.files.plain_xml import ROBOT, Element, read_xml


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
