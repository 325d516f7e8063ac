"""How the arms of a scenario give way at its contact, from the joints' stiffness and the Jacobian
(Lange eqs. 10, 16, 22): compliance, and modes.

In: a scenario's resolved tables with a `[facility]`. Out: for each robot the 6 x 6 compliance at
the place of contact [m/N, rad/N, rad/Nm; orbit axes], a stiffness along the contact's normal, and
its six modes (modes.py).

    C = J K^-1 J',     k_n = 1 / (n' C n)

J is the Jacobian of the contact point at the joints q_d that the pose asks for (Lange eq. 22), K
the joints' stiffness: motors held, links rigid, base axis stiff unless it states a stiffness. Other
directions are free to give way, as a contact without friction leaves them: n' K n would be that of
a tip that is led along n. The pose is that in which, flying straight on from the start, the
chaser's tip comes nearest to the pair's origin; a docking's contacts are millimetres to decimetres
from there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.entry_points import (
    branch_rows,
    flange_rows,
    follow_rows,
    jacobian_rows,
    mass_rows,
)
from softdock.loop.arms.facility import Facility, Frame, Mount
from softdock.loop.arms.follow import BRANCHES, UNREACHABLE
from softdock.loop.arms.layout import AXES, WORK
from softdock.loop.arms.modes import MODES
from softdock.loop.arms.mounted import loaded, mock_up_load
from softdock.loop.arms.scenario_facility import arm_robots, facility_of
from softdock.loop.arms.sources import arm_of
from softdock.loop.spatial.arrays import unit_matrix

BODIES = ("chaser", "target")


class GivesWay(NamedTuple):
    """One robot at the place of contact; orbit axes."""

    compliance: np.ndarray  # (6, 6): force and moment at the point to its motion and turn
    stiffness: float  # N/m along the normal; 0: rigid
    modes: np.ndarray | None  # modes.py; zeros: rigid; None: the arm states no masses


def arms_at_contact(
    tables: Mapping[str, Any], wanted: tuple[str, ...], folder: Path | None = None
) -> dict[str, tuple[float, ...]]:
    """What the re-mapping is told of a scenario's arms: keys of its group in the vector."""
    robots = {body: robot_at_contact(tables, body, folder) for body in BODIES}
    told: dict[str, tuple[float, ...]] = {}
    if "arm_compliance" in wanted:
        total = np.sum([robot.compliance[:3, :3] for robot in robots.values()], axis=0)
        xx, yy, zz = np.diag(total)
        told["arm_compliance"] = (xx, yy, zz, total[0, 1], total[0, 2], total[1, 2])
    if "arm_modes" in wanted:
        for body, robot in robots.items():
            if robot.modes is None:
                allowed = "an arm that states mass and inertia of its links"
                raise BadInput(Problem(f"facility.{body}.arm", None, allowed))
        told["arm_modes"] = tuple(np.concatenate([robot.modes for robot in robots.values()]))
    return told


def robot_at_contact(tables: Mapping[str, Any], body: str, folder: Path | None = None) -> GivesWay:
    """One robot: its arm, or the Cartesian joint of a robot that is none."""
    given, facility = tables["robots"][body], facility_of(tables)
    mount = facility.robots().get(body)
    if body not in arm_robots(tables):
        return _cartesian(given)
    if mount is None:
        raise BadInput(Problem(f"facility.{body}", None, "an arm whose stiffness is to be used"))
    arm = loaded(arm_of(mount, folder), mount, mock_up_load(tables, body))
    stiffness = arm.of_axes("stiffness")
    written = f"facility.{body}.arm", mount.arm if isinstance(mount.arm, str) else arm.name
    if not np.isfinite(stiffness[1:]).all():
        raise BadInput(Problem(*written, "an arm that states a stiffness of every joint"))
    poses, point, normal = touch(tables)
    frame = mount.base.back().then(facility.orbit)
    q = joints_at(arm, mount, facility, poses[body])
    if q is None:
        raise BadInput(Problem(*written, "an arm that reaches the contact"))
    centre = np.asarray(poses[body][:3])
    found = gives_way(arm, q, frame, point, normal)
    return found._replace(modes=find_modes(arm, q, frame, centre, given["joint_damping_ratio"]))


def _cartesian(given: Mapping[str, Any]) -> GivesWay:
    k, C, modes = given["joint_stiffness_N_per_m"], np.zeros((6, 6)), np.zeros(MODES.size)
    if k > 0.0:
        C[:3, :3] = np.eye(3) / k
        root = math.sqrt(given["moving_mass_kg"])
        moves = np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
        modes[MODES.slice_of("shape")] = (moves / root).ravel()
        modes[MODES.slice_of("inverse")] = (moves * root).ravel()
        modes[MODES.slice_of("frequency")] = np.diag(moves) * math.sqrt(k) / root
        modes[MODES.slice_of("damping")] = given["joint_damping_ratio"]
    return GivesWay(C, k, modes)


def gives_way(
    arm: Arm, q: np.ndarray, frame: Frame, point: np.ndarray, normal: np.ndarray
) -> GivesWay:
    """An arm at joints q. `frame`: the orbit frame in its base; point [m] and normal in orbit
    axes."""
    R = unit_matrix(frame.q)
    J = point_jacobian(arm, q, np.add(frame.p, R @ point))
    turn = np.kron(np.eye(2), R)
    soft = 1.0 / arm.of_axes("stiffness")  # a base axis without one is stiff
    soft[: arm.first] = 0.0
    C = turn.T @ (J * soft) @ J.T @ turn  # Lange eq. 16
    along = J[:3].T @ (R @ normal)
    n_C_n = float(along @ (soft * along))
    return GivesWay(C, 1.0 / n_C_n if n_C_n > 0.0 else 0.0, None)


def find_modes(
    arm: Arm, q: np.ndarray, frame: Frame, centre: np.ndarray, ratio: float
) -> np.ndarray | None:
    """Modes of an arm at joints q, for a mock-up whose centre of mass is at `centre` (orbit axes);
    `ratio`: of each joint on its own inertia, where the arm states no damping. None: the arm
    states no masses. A base axis is stiff, and rotors belong to the motors, as in the loop."""
    into, work, found = np.zeros((1, AXES * AXES)), np.zeros(WORK.size), np.zeros(MODES.size)
    mass_rows(arm.vector, q[None, :], work, into)
    M = (into.reshape(AXES, AXES) - np.diag(arm.of_axes("rotor")))[1:, 1:]
    if np.linalg.eigvalsh(M)[0] <= 0.0:
        return None
    k, d = arm.of_axes("stiffness")[1:], arm.of_axes("damping")[1:]
    if not d.any():
        d = 2.0 * ratio * np.sqrt(k * np.diag(M))
    R = unit_matrix(frame.q)
    J = np.kron(np.eye(2), R).T @ point_jacobian(arm, q, np.add(frame.p, R @ centre))[:, 1:]
    L = np.linalg.cholesky(M)
    half = np.linalg.solve(L, np.diag(np.sqrt(k)))
    squared, U = np.linalg.eigh(half @ half.T)  # K V = M V diag(w^2), V' M V = 1
    V = np.linalg.solve(L.T, U)
    w = np.sqrt(squared)
    found[MODES.slice_of("shape")] = (J @ V).ravel()  # Lange eqs. 10, 11
    found[MODES.slice_of("inverse")] = np.linalg.inv(J @ V).ravel()
    found[MODES.slice_of("frequency")] = w
    found[MODES.slice_of("damping")] = np.einsum("ji,j,ji->i", V, d, V) / (2.0 * w)
    return found


def point_jacobian(arm: Arm, q: np.ndarray, point: np.ndarray) -> np.ndarray:
    """(6, 7) of a point that moves with the flange; base axes."""
    into, work, pose = np.zeros((1, 6 * AXES)), np.zeros(WORK.size), np.zeros((1, 7))
    jacobian_rows(arm.vector, q[None, :], work, into)
    flange_rows(arm.vector, q[None, :], pose)
    J = into.reshape(6, AXES)
    J[:3] += np.cross(J[3:].T, point - pose[0, :3]).T
    return np.asarray(J)


def touch(tables: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Poses of both bodies, the point and the normal of the first contact pair; orbit axes."""
    pair = tables["contact"][0]
    tip, origin = (np.asarray(pair[key], float) for key in ("tip_m", "origin_m"))
    start = {body: _placed(tables[body], 0.0) for body in BODIES}
    levers = {"chaser": tip, "target": origin}
    ends = {body: start[body][0] + start[body][1] @ levers[body] for body in BODIES}
    v = np.subtract(*(np.asarray(tables[body]["velocity_m_per_s"], float) for body in BODIES))
    apart = ends["target"] - ends["chaser"]
    later = max(float(apart @ v) / float(v @ v), 0.0) if v @ v > 0.0 else 0.0
    placed = {body: _placed(tables[body], later) for body in BODIES}
    point = placed["chaser"][0] + placed["chaser"][1] @ tip
    normal = placed["target"][1] @ np.asarray(pair["axis"], float)
    poses = {body: np.array([*placed[body][0], *placed[body][2]]) for body in BODIES}
    return poses, point, normal / np.linalg.norm(normal)


def _placed(body: Mapping[str, Any], t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, rotation and quaternion of a body that flies on as it starts."""
    q = np.asarray(body["attitude_wxyz"], float)
    q = q / np.linalg.norm(q)
    w = t * np.asarray(body["rate_rad_per_s"], float)
    half = 0.5 * float(np.linalg.norm(w))
    s = 0.5 if half == 0.0 else math.sin(half) / (2.0 * half)
    turn = np.array([math.cos(half), *(s * w)])
    scalar = q[0] * turn[0] - q[1:] @ turn[1:]
    vector = q[0] * turn[1:] + turn[0] * q[1:] + np.cross(q[1:], turn[1:])
    q = np.array([scalar, *vector])
    p = np.asarray(body["position_m"], float) + t * np.asarray(body["velocity_m_per_s"], float)
    return p, unit_matrix(q), q


def joints_at(arm: Arm, mount: Mount, facility: Facility, pose: np.ndarray) -> np.ndarray | None:
    """Joints that a pose of the satellite asks for: on the branch of the mount's joints, or else on
    the one with the largest margin from range and singularity. None: it is out of reach."""
    flange = mount.base.back().then(facility.orbit).then(Frame(tuple(pose[:3]), tuple(pose[3:])))
    wanted = flange.then(mount.satellite.back()).seven()[None, :]
    low, high = arm.of_axes("low"), arm.of_axes("high")
    start = np.array([mount.base_axis, *(0.5 * (low + high))[1:]])
    branches, into = range(BRANCHES), np.zeros(1, np.int64)
    if mount.joints is not None:
        start = np.array([mount.base_axis, *mount.joints])
        branch_rows(arm.vector, start[None, :], into)
        branches = range(int(into[0]), int(into[0]) + 1)
    best, most = None, -math.inf
    for branch in branches:
        q, status, clear = np.zeros((1, AXES)), np.zeros(1, np.int64), np.zeros((1, 3))
        follow_rows(arm.vector, wanted, start, branch, q, status, clear)
        used = np.abs(q[0] - 0.5 * (low + high))[1:] / (0.5 * (high - low))[1:]
        margin = min(float(clear.min()), 1.0 - float(used.max()))
        if status[0] != UNREACHABLE and margin > most:
            best, most = q[0], margin
    return best
