"""The filter of Lange IV-C on an elastic arm under an oblique push, against an arm integrated here:
forward kinematics, Jacobian, mass matrix and motion in NumPy, none of softdock's."""

from __future__ import annotations

import json

from plain import run_plain

# The motors carry a mock-up into an oblique wall and back; six joints give way. Prints the largest
# error of the environment's place over the contact [m], of the filter, of the filter with joints
# believed 10 % too stiff, and of force over stiffness (a rigid arm), and the largest deflection.
PLAIN = """
import json
import numpy as np
from softdock.loop.arms.at_contact import find_modes
from softdock.loop.arms.facility import Frame
from softdock.loop.arms.sources import load_arm
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.methods.remapping.filter import (
    FILTER, Believed, FilterParams, follow_mock_ups, place_environment, prepare_joint)
from softdock.loop.arms.modes import MODES

arm = load_arm("kr16").carrying(12.0, (0.05, 0.02, 0.2), (0.3, 0.4, 0.2, 0.0, 0.0, 0.0))
Q = np.array([0.3, -1.3, 1.5, 0.4, 0.8, -0.2])
of = lambda name, width=1: arm.of_axes(name, width)[1:]
offsets = np.append(arm.of_axes("offsets", 3), arm.vector[:0]).reshape(-1, 3)
REACH = np.array([0.1, -0.05, 0.3])  # of the mock-up's centre from the last joint, its own axes
TIP = np.array([0.25, 0.1, 0.1])  # of the contact from that centre


def turn(axis, angle):
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def links(q):
    p, R, found = offsets[0].copy(), np.eye(3), []
    for i in range(6):
        p = p + R @ offsets[1 + i]
        R = R @ turn(of("directions", 3)[i], q[i])
        found.append((p.copy(), R.copy()))
    return found


def centre(q):
    p, R = links(q)[-1]
    return p + R @ REACH, R


def six(m):
    return np.array([[m[0], m[3], m[4]], [m[3], m[1], m[5]], [m[4], m[5], m[2]]])


def columns(place):
    found = np.zeros((6, 6))
    for j in range(6):
        step = np.zeros(6)
        step[j] = 1e-6
        (a, A), (b, B) = place(Q - step), place(Q + step)
        W = (B @ A.T - A @ B.T) / 4e-6
        found[:, j] = [*((b - a) / 2e-6), W[2, 1], W[0, 2], W[1, 0]]
    return found


M = np.zeros((6, 6))
for i in range(6):
    c = of("centre", 3)[i]
    J = columns(lambda q, i=i, c=c: (links(q)[i][0] + links(q)[i][1] @ c, links(q)[i][1]))
    R = links(Q)[i][1]
    M += of("mass")[i] * J[:3].T @ J[:3] + J[3:].T @ R @ six(of("inertia", 6)[i]) @ R.T @ J[3:]
K = np.diag(of("stiffness"))
D = np.diag(0.2 * np.sqrt(np.diag(K) * np.diag(M)))
J = columns(centre)
p0, R0 = centre(Q)
lever = R0 @ TIP
n = np.array([0.6, -0.64, 0.48])
along = J.T @ np.concatenate([n, np.cross(lever, n)])  # torques of 1 N, and the tip's way
k, T, fine, w = 5e4, 4e-3, 80, 20.0
back = np.linalg.solve(M, np.column_stack([K, D]))
by_force = np.linalg.solve(M, along)
axis = -n + np.array([0.3, 0.2, 0.0])  # the motors' way: not along the normal
J_inverse = np.linalg.inv(J)


def motors(t):
    return 2e-3 * np.sin(w * t + 0.3), 2e-3 * w * np.cos(w * t + 0.3), -2e-3 * w * w * np.sin(
        w * t + 0.3)


def force(t, e):
    return k * max(-(axis @ n) * (motors(t)[0] - 0.8e-3) - along @ e, 0.0)


def rate(t, x):
    theta = J_inverse @ np.concatenate([axis, np.zeros(3)]) * motors(t)[2]
    a = by_force * force(t, x[:6]) - back[:, :6] @ x[:6] - back[:, 6:] @ x[6:] - theta
    return np.concatenate([x[6:], a])


samples, x, h = [], np.zeros(12), T / fine
x[6:] = 0.0
for i in range(40 * fine):
    t = i * h
    if i % fine == 0:
        samples.append((t, x.copy(), force(t, x[:6])))
    a = rate(t, x)
    b = rate(t + h / 2, x + h / 2 * a)
    c = rate(t + h / 2, x + h / 2 * b)
    x = x + h / 6 * (a + 2 * b + 2 * c + rate(t + h, x + h * c))


def errors(factor):
    joint = prepare_joint(0.0, 1.0, 0.0, T)
    modes = find_modes(arm, np.append(0.0, Q), Frame(), p0, 0.1)
    vector = np.concatenate([modes, np.zeros(MODES.size)])  # the other robot is rigid
    params = FilterParams(joint, joint, 0.01, 1e-8, Believed(vector, 0, MODES.size, factor))
    s, was, found, rigid = FILTER(np.zeros(FILTER.size), 0), 0.0, [], []
    for t, x, f in samples:
        way, speed, _ = motors(t)
        p, still = tuple(p0 + way * axis), (0.0, 0.0, 0.0)
        mock_ups = Output(Motion(p, (1.0, 0.0, 0.0, 0.0), tuple(speed * axis), still),
                          Motion(tuple(p0), (1.0, 0.0, 0.0, 0.0), still, still))
        wrench = Wrench(tuple(f * n), tuple(np.cross(lever, f * n)))
        opens = f > 0.0 and was == 0.0
        follow_mock_ups(params, s, T, mock_ups, wrench, opens)
        if f > 0.0:
            point = tuple(np.array(p) + lever)
            place, _ = place_environment(params, s, T, mock_ups, tuple(n), point, force=f, k=k,
                                         c=0.0, opens=opens)
            right = f / k + along @ x[:6]  # beyond the point as the motors have it
            found.append(place - right)
            rigid.append(f / k - right)
        was = f
    return max(np.abs(found)), max(np.abs(rigid))


print(json.dumps([*errors(1.0), errors(1.1)[0], max(f for _, _, f in samples) / k]))
"""


def test_the_filter_finds_the_environment_behind_an_oblique_arm():
    """The arm gives way by 0.2 mm under an oblique push that is 0.9 mm deep: by its six modes the
    place of the environment is found within 0.3 % of the depth; told a stiffness that
    is 10 % wrong, within 10 % of what a rigid arm would have wrong."""
    done = run_plain(PLAIN)
    assert done.returncode == 0, done.stderr[-3000:]
    filtered, rigid, wrong, depth = json.loads(done.stdout)
    assert rigid > 0.2 * depth
    assert filtered < 0.003 * depth
    assert filtered < wrong < 0.1 * rigid
