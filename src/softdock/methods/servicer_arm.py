"""A servicer whose free base carries the probe on an arm, in place of a satellite's rigid body
(loop/satellites/servicer.py). The wrench of the touch acts on the hand; the reaction goes through
the joints into links and base.

The wrench is held over the cycle and the motion under it is exact to rounding
(loop/satellites/servicer_step.py), in translation and in rotation, so the integrator must be one
that holds it too. The satellite that loop, robots and contacts know is the hand's frame, its
reference point where the centre of mass of the whole is as the arm is set.

Books: energy of hand, links, base and springs, and what the joints' dampers took, less the kinetic
energy that the rigid body has in the ledger, is virtual.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.compile.cells import Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.arm import symmetric
from softdock.loop.method.declaration import SERVICER
from softdock.loop.method.interface import BOOK_VIRTUAL, Measured, Output, Rig, Satellites
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import METHODS, Method, keep_states, no_external
from softdock.loop.parameters import Group, OwnRows, Parameter
from softdock.loop.satellites.servicer import (
    MOST_JOINTS,
    ROW,
    Link,
    Servicer,
    momentum_of,
    prepare_servicer,
    spring_energy,
)
from softdock.loop.satellites.servicer_step import servicer_floats, turn_servicer
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.rigid_body import (
    BODY,
    Body,
    kinetic_energy,
    motion_of,
)
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    ZERO,
    add,
    cross,
    multiply,
    scale,
    subtract,
    symmetric_times,
)
from softdock.loop.tables import IN_KEY
from softdock.loop.vector import CHASER_AT, TARGET_AT

HOLDING = ("exact_hold", "lie_rk4", "lie_midpoint", "lie_split")  # integrators that hold the wrench
OF_AN_ORBIT = ("altitude_km", "mean_motion_rad_per_s")  # keys that say that there is one
JOINT, LINK = 8, 10  # numbers of a row


def _refused_joint(row: Any) -> str:
    if not np.linalg.norm(row[3:6]) > 1e-9:
        return "has no axis"
    return "" if 0.0 <= row[6] <= 1e9 and 0.0 <= row[7] <= 1e9 else "has no stiffness or damping"


def _refused_link(row: Any) -> str:
    return _why_no_body(row[0], symmetric(row[4:10]))


def _why_no_body(mass: float, inertia: np.ndarray) -> str:
    """Why no body has these numbers; empty: one may."""
    moments = np.linalg.eigvalsh(inertia)
    if mass > 0.0 and moments[0] > 0.0 and moments[2] <= (1.0 + 1e-9) * (moments[0] + moments[1]):
        return ""
    found = ", ".join(f"{moment:.4g}" for moment in moments)
    return f"is no body: {mass:.6g} kg with the principal moments {found} kg m^2"


SERVICER_ARM = Group(
    "servicer_arm",
    "A servicer with a free base and an arm that carries the probe (docs/loop.md), in place of "
    "a satellite's rigid body; mass, centre and inertia of the satellite are those of the whole.",
    Parameter("satellite", "satellite", "which one it is", "chaser", choices=("chaser", "target")),
    Parameter(
        "joints",
        "joints",
        "from the probe's side to the base, a row each: x, y, z [m] and its axis, then stiffness "
        "[Nm/rad] and damping [Nms/rad] that hold it as it is set",
        size=2,
        kind="own_rows",
        rows=OwnRows(
            width=JOINT,
            most=MOST_JOINTS,
            allowed=f"up to {MOST_JOINTS} rows [x, y, z, axis x, y, z, stiffness, damping]: from "
            "the satellite's centre of mass in its axes, stiffness and damping from 0 to 1e9",
            refused=_refused_joint,
        ),
        swept=False,
    ),
    Parameter(
        "links",
        "links",
        "the body in front of each joint, a row each, the hand first: mass [kg], centre x, y, z "
        "[m], inertia about it xx, yy, zz, xy, xz, yz [kg m^2]; the base is what they leave",
        size=2,
        kind="own_rows",
        rows=OwnRows(
            width=LINK,
            most=MOST_JOINTS,
            allowed=f"up to {MOST_JOINTS} rows [mass, x, y, z, Ixx, Iyy, Izz, Ixy, Ixz, Iyz]: "
            "bodies, their centres from the satellite's centre of mass in its axes",
            refused=_refused_link,
        ),
        swept=False,
    ),
)
AT = SERVICER_ARM.at
STATE = Cells(
    "servicer_arm",
    recorded("angle", "rad", "of each joint from where it is set", parts="0123456", frame="joint"),
    recorded("kinetic", "J", "kinetic energy of hand, links and base"),
    recorded("stored", "J", "in the joints' springs"),
    recorded("dissipated", "J", "by the joints' dampers"),
    recorded("momentum", "Ns", "of hand, links and base", frame="world", parts="xyz"),
    recorded(
        "angular_momentum",
        "Nms",
        "of hand, links and base about the origin of the world",
        frame="world",
        parts="xyz",
    ),
)
HEAD = STATE.size  # angles and rates of the joints stand behind, then room


class ServicerArm(NamedTuple):
    memory: int
    on_target: bool
    servicer: Servicer


@compiled
def find_servicer(vector, base):
    """From the keys that begin at `base`."""
    keys = SERVICER_ARM(vector, base)
    body = BODY(vector, CHASER_AT if keys.satellite == 0.0 else TARGET_AT)
    return prepare_servicer(
        vector,
        int(keys.joints[IN_KEY.at]),
        int(keys.joints[IN_KEY.rows]),
        body.mass[0],
        body.inertia,
    )


@compiled
def prepare(marker: ServicerArm, vector, base, memory):
    on_target = SERVICER_ARM(vector, base).satellite != 0.0
    return ServicerArm(memory, on_target, find_servicer(vector, base))


def count_floats(values: dict[str, Any], T: float) -> int:
    """Floats of `mem`."""
    n = len(values["joints"])
    return HEAD + 2 * n + servicer_floats(n)


@compiled
def measure_servicer(s: Servicer, mem, angles, work, motion: Motion):
    """Kinetic energy and momenta at a motion of the hand; angles and rates stand at mem[angles]."""
    v = rotate_back(motion.q, motion.v)
    return momentum_of(s, mem, angles, angles + s.n, work, v, motion.w)


@noinline
def _write(method: ServicerArm, mem, motion: Motion, lost):
    """What is recorded of a cycle that ended. Returns the energy of all parts [J]."""
    s, own = method.servicer, STATE(mem, method.memory)
    angles = method.memory + HEAD
    for i in range(s.n):
        mem[method.memory + i] = mem[angles + i]  # the record begins with the angles
    found = measure_servicer(s, mem, angles, angles + 2 * s.n, motion)
    P = rotate(motion.q, found.linear)
    own.kinetic, own.stored = found.kinetic, spring_energy(s, mem, angles)
    own.dissipated += lost
    own.momentum = P
    own.angular_momentum = add(rotate(motion.q, found.angular), cross(motion.p, P))
    return own.kinetic + own.stored


@noinline
def follow(
    method: ServicerArm,
    mem,
    rig: Rig,
    measured: Measured,
    before: Satellites,
    after: Satellites,
    output: Output,
):
    """The satellite moves as its hand does."""
    s, angles = method.servicer, method.memory + HEAD
    was, rigid, params = before.chaser, after.chaser, rig.chaser
    if method.on_target:
        was, rigid, params = before.target, after.target, rig.target
    start, T = motion_of(params, was), rig.T
    energy = STATE(mem, method.memory).kinetic + STATE(mem, method.memory).stored
    if rig.cycle == 0:
        energy = _write(method, mem, start, 0.0)
    held = Wrench(  # every integrator that holds it gives exactly these momenta
        scale(1.0 / T, multiply(params.mass, subtract(rigid.v, was.v))),
        scale(1.0 / T, subtract(rigid.L, was.L)),
    )
    turned = turn_servicer(s, mem, angles, angles + 2 * s.n, T, start, held)
    now = turned.motion
    body = Body(now.p, now.q, now.v, rotate(now.q, symmetric_times(params.inertia, now.w)))
    gained = _write(method, mem, now, turned.lost) - energy
    mem[BOOK_VIRTUAL] += (
        gained + turned.lost - kinetic_energy(params, body) + kinetic_energy(params, was)
    )
    if method.on_target:
        return Satellites(after.chaser, body), Output(output.chaser, now)
    return Satellites(body, after.target), Output(now, output.target)


def make_rows(values: dict[str, Any]) -> list[tuple[str, Any]]:
    """Joints and links behind the vector."""
    rows = np.zeros((len(values["joints"]), ROW.size))
    for row, joint, link in zip(rows, values["joints"], values["links"], strict=True):
        axis = np.array(joint[3:6], float)
        row[:] = [*joint[:3], *(axis / np.linalg.norm(axis)), *joint[6:], *link]
    return [("joints", rows)]


def find_base(mass: float, inertia: np.ndarray, links: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre [m] and inertia about it of the base: what links leave of the whole."""
    rows = np.asarray(links, float)
    left = mass - float(rows[:, 0].sum())
    centre = -(rows[:, 0] @ rows[:, 1:4]) / left
    own = inertia - left * _spread(centre)
    for m, *row in rows:
        own = own - symmetric(row[3:]) - m * _spread(np.array(row[:3]))
    return left, centre, own


def _spread(d: np.ndarray) -> np.ndarray:
    """Inertia of 1 kg at d [m^2]."""
    return np.asarray(d @ d * np.eye(3) - np.outer(d, d))


def check(values: dict[str, Any], tables: Any) -> Any:
    """A free body of one mass, what links leave of it a body; an integrator that holds the wrench;
    and nothing else that moves the satellites."""
    found: list[tuple[str, Any, str]] = []
    joints, links, which = values["joints"], values["links"], values["satellite"]
    if not joints or len(joints) != len(links):
        found.append(("links", f"{len(links)} rows", f"one for each of {len(joints)} joints"))
    body = tables.get(which, {})
    mass, inertia = body.get("mass_kg"), np.array(body.get("inertia_kg_m2") or np.zeros(3), float)
    inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    if body.get("fixed") or not isinstance(mass, int | float):
        found.append(("satellite", which, f"a free body of one mass ({which}.mass_kg is {mass})"))
    elif not found:
        left = mass - sum(link[0] for link in links)
        why = (
            f"{left:.6g} kg"
            if left <= 0.0
            else _why_no_body(left, find_base(mass, inertia, links)[2])
        )
        if why:
            found.append(
                ("links", f"{len(links)} rows", f"links that leave a base of {which}; it {why}")
            )
    integrator = tables.get("satellites", {}).get("integrator")
    if integrator not in HOLDING:
        allowed = f"{which} with satellites.integrator one of {', '.join(HOLDING)}"
        found.append(
            (
                "satellite",
                which,
                f"{allowed} (it is {integrator}): the arm moves under a "
                "wrench that is held over the cycle",
            )
        )
    for name in (one["name"] for one in tables.get("methods", ())):
        if name not in METHODS or name == METHOD.name:
            continue
        other = METHODS[name]
        if other.correct is not keep_states or other.external is not no_external:
            found.append(
                (
                    "satellite",
                    which,
                    f"{which} without the method '{name}': it moves or pushes the satellites as "
                    "rigid bodies and knows no joints",
                )
            )
    orbit, schedule = tables.get("orbit", {}), tables.get("external", {}).get(which, {})
    pushing = [f"external.{which}"] if schedule.get("rows") else []
    pushing += ["orbit"] if any(orbit.get(key) for key in OF_AN_ORBIT) else []
    for table in pushing:
        allowed = (
            f"{which} without [{table}]: it pushes hand, links and base, each on its own, and "
            "only a wrench on the hand is known here"
        )
        found.append(("satellite", which, allowed))
    return found, []


METHOD = Method(
    name="servicer_arm",
    summary="a servicer with a free base and an arm that carries the probe, in place of a "
    "satellite's rigid body",
    knows="joints and masses of the arm",
    group=SERVICER_ARM,
    marker=ServicerArm(
        memory=0,
        on_target=False,
        servicer=Servicer(
            n=0, numbers=0, rows=0, base=Link(0.0, ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        ),
    ),
    prepare=prepare,
    correct=follow,
    cells=STATE,
    row_parts=(ROW,),
    memory=count_floats,
    check=check,
    rows=make_rows,
    once="a scenario has one servicer",
    part_of_scenario=True,
    while_latched="the latch's force goes into the hand: the pair grows as two rigid bodies do "
    "(0.0240 1/s, joints of 20 kNm/rad)",
    in_orbit=lambda values: SERVICER,
)
