"""A servicer with an arm against an independent calculation: every body by Newton and Euler in
world axes, held together by the hinges' constraint forces (a linear system for accelerations and
forces at once), with rotation matrices, integrated by scipy's DOP853. It shares no coordinate, no
recursion and no integrator with softdock's.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import ARM_ON_A_SERVICER, cone_docking
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import softdock
from softdock import BadInput, run_loop
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.spatial.arrays import cross_matrix, rotate, unit_matrix
from softdock.papers.de_stefano.servicer import HELD, JOINTS, _summarise
from softdock.reference import (
    OUTCOME_COLUMNS,
    RECORD_FLOATS,
    count_reference_floats,
    locate_latches,
    orbit_marker,
    run_orbit,
    run_reference,
)
from softdock.results.scene.build import build_scene

STIFFNESS, SPEED = 4000.0, 0.05
OTHER = 900.0  # kg, the target


def docking(**changes):
    """A servicer of 60 kg, turning, meets a wall on a free body off its centre."""
    tables = cone_docking(duration_s=1.2)
    tables["chaser"]["position_m"] = [1.01, 0.1, -0.05]
    tables["target"]["mass_kg"] = OTHER
    tables["contact"] = [
        {
            "geometry": "wall",
            "tip_m": [-1.0, 0.0, 0.0],
            "origin_m": [0.0, 0.0, 0.0],
            "axis": [1.0, 0.0, 0.0],
            "real": {"stiffness_N_per_m": STIFFNESS},
        }
    ]
    tables["methods"] = [{"name": "servicer_arm", **ARM_ON_A_SERVICER}]
    for path, value in changes.items():
        table, _, key = path.rpartition("__")
        (tables["methods"][0] if table == "arm" else tables[table])[key] = value
    return tables


def matrix_of(six):
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def list_bodies(tables):
    """Mass, centre and inertia of hand, links and base, in the axes of the whole, in which its
    centre of mass is the origin."""
    mass, whole = tables["chaser"]["mass_kg"], np.array(tables["chaser"]["inertia_kg_m2"])
    bodies = [
        (row[0], np.array(row[1:4]), matrix_of(row[4:])) for row in tables["methods"][0]["links"]
    ]
    left = mass - sum(m for m, _, _ in bodies)
    centre = -sum(m * c for m, c, _ in bodies) / left
    rest = whole - sum(J - m * cross_matrix(c) @ cross_matrix(c) for m, c, J in bodies)
    return [*bodies, (left, centre, rest + left * cross_matrix(centre) @ cross_matrix(centre))]


class Independent:
    """Bodies in world axes; state: p, R (9), v, w of each, the last of them the target."""

    def __init__(self, tables):
        self.joints = np.array(tables["methods"][0]["joints"], float)
        self.joints[:, 3:6] /= np.linalg.norm(self.joints[:, 3:6], axis=1)[:, None]
        target = np.array(tables["target"]["inertia_kg_m2"])
        self.bodies = [*list_bodies(tables), (OTHER, np.zeros(3), target)]
        self.contact = tables["contact"][0]

    def start(self, tables):
        chaser, target = tables["chaser"], tables["target"]
        v, w = np.array(chaser["velocity_m_per_s"]), np.array(chaser["rate_rad_per_s"])
        rows = [
            [*(chaser["position_m"] + c), *np.eye(3).ravel(), *(v + np.cross(w, c)), *w]
            for _, c, _ in self.bodies[:-1]
        ]
        rows.append(
            [
                *np.zeros(3),
                *np.eye(3).ravel(),
                *target["velocity_m_per_s"],
                *target["rate_rad_per_s"],
            ]
        )
        return np.ravel(rows)

    def split(self, state):
        rows = state.reshape(-1, 18)
        return rows[:, :3], rows[:, 3:12].reshape(-1, 3, 3), rows[:, 12:15], rows[:, 15:]

    def touch(self, state):
        """Depth of the tip in the wall [m], the wall's normal, and the tip, world axes."""
        p, R, _, _ = self.split(state)
        tip = p[0] + R[0] @ (np.array(self.contact["tip_m"]) - self.bodies[0][1])
        normal = R[-1] @ np.array(self.contact["axis"])
        return -(tip - p[-1]) @ normal, normal, tip

    def rates(self, t, state):
        p, R, v, w = self.split(state)
        n = len(self.bodies)
        force, torque = np.zeros((n, 3)), np.zeros((n, 3))
        depth, normal, tip = self.touch(state)
        push = STIFFNESS * max(depth, 0.0) * normal
        force[0] += push
        torque[0] += np.cross(tip - p[0], push)
        force[-1] -= push
        torque[-1] -= np.cross(tip - p[-1], push)
        A, b = [], []
        for i, (*place, ax, ay, az, stiffness, damping) in enumerate(self.joints):
            a, c = i, i + 1
            ra = R[a] @ (np.array(place) - self.bodies[a][1])
            rc = R[c] @ (np.array(place) - self.bodies[c][1])
            z = R[a] @ np.array([ax, ay, az])
            turned = R[a].T @ R[c]
            sine = 0.5 * np.array(
                [
                    turned[2, 1] - turned[1, 2],
                    turned[0, 2] - turned[2, 0],
                    turned[1, 0] - turned[0, 1],
                ]
            )
            angle = np.arctan2(sine @ [ax, ay, az], 0.5 * (np.trace(turned) - 1.0))
            held = -stiffness * angle - damping * (w[c] - w[a]) @ z
            torque[c] += held * z
            torque[a] -= held * z
            first = np.zeros((3, 6 * n))  # both points of the hinge move alike
            first[:, 6 * a : 6 * a + 6] = np.hstack([np.eye(3), -cross_matrix(ra)])
            first[:, 6 * c : 6 * c + 6] = -np.hstack([np.eye(3), -cross_matrix(rc)])
            A.append(first)
            b.append(np.cross(w[c], np.cross(w[c], rc)) - np.cross(w[a], np.cross(w[a], ra)))
            across = np.linalg.svd(z[None, :])[2][1:]  # two directions at right angles to the axis
            second = np.zeros((2, 6 * n))
            second[:, 6 * a + 3 : 6 * a + 6], second[:, 6 * c + 3 : 6 * c + 6] = -across, across
            A.append(second)
            b.append(across @ np.cross(w[a], (w[c] - w[a]) @ z * z))
        A, b = np.vstack(A), np.concatenate(b)
        M = np.zeros((6 * n, 6 * n))
        applied = np.zeros(6 * n)
        for i, (m, _, J) in enumerate(self.bodies):
            world = R[i] @ J @ R[i].T
            M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = m * np.eye(3)
            M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = world
            applied[6 * i : 6 * i + 3] = force[i]
            applied[6 * i + 3 : 6 * i + 6] = torque[i] - np.cross(w[i], world @ w[i])
        zero = np.zeros((len(b), len(b)))
        found = np.linalg.solve(np.block([[M, A.T], [A, zero]]), np.concatenate([applied, b]))
        gained = found[: 6 * n].reshape(n, 6)
        turning = np.stack([cross_matrix(one) @ two for one, two in zip(w, R, strict=True)])
        return np.hstack([v, turning.reshape(n, 9), gained[:, :3], gained[:, 3:]]).ravel()

    def run(self, tables, duration):
        """States at the end, steps cut where the tip touches and where it parts."""
        edge = lambda t, state: self.touch(state)[0]  # noqa: E731
        edge.terminal = True
        state, t = self.start(tables), 0.0
        while t < duration:
            found = solve_ivp(
                self.rates, (t, duration), state, "DOP853", rtol=1e-11, atol=1e-12, events=edge
            )
            state, t = found.y[:, -1], found.t[-1]
            if found.status == 1:  # a little beyond the edge, so that it is not found again
                beyond = solve_ivp(self.rates, (t, t + 1e-7), state, "DOP853", rtol=1e-11)
                state, t = beyond.y[:, -1], t + 1e-7
        return state


@pytest.fixture(scope="module")
def independent():
    tables = docking()
    own = Independent(tables)
    return own, own.run(tables, 1.2)


def test_orbit_is_the_independent_calculation(independent):
    """The whole docking, contact and swinging arm: pose and twist of hand and target at the end."""
    own, state = independent
    p, R, v, w = own.split(state)
    found = run_reference(softdock.build(docking()))
    assert found.contact_count >= 1
    assert found.peak_force > 5.0
    centre = own.bodies[0][1]
    hand, target = found.chaser, found.target
    assert hand[:3] == pytest.approx(p[0] - R[0] @ centre, abs=2e-9)
    assert unit_matrix(hand[3:7]) == pytest.approx(R[0], abs=2e-8)
    assert hand[7:10] == pytest.approx(v[0] - np.cross(w[0], R[0] @ centre), abs=2e-8)
    assert R[0] @ hand[10:] == pytest.approx(w[0], abs=2e-7)
    assert target[7:10] == pytest.approx(v[-1], abs=2e-9)
    assert unit_matrix(target[3:7]) == pytest.approx(R[-1], abs=2e-9)


@pytest.mark.parametrize("stiffness", [300.0, 0.0])
def test_orbit_keeps_momenta_and_energy(stiffness):
    """Of the pair over the docking, from its motions at the end and a kinematics written here:
    relative to their size, 1e-11; joints with springs, and free ones."""
    joints = [[*row[:6], stiffness, 0.0] for row in ARM_ON_A_SERVICER["joints"]]
    tables = docking(arm__joints=joints)
    scenario = softdock.build(tables)
    marker = orbit_marker(scenario.vector, scenario.markers.methods)
    mem = np.zeros(count_reference_floats(scenario.vector))
    log, outcome = np.zeros((8, len(LOG_COLUMNS))), np.zeros(len(OUTCOME_COLUMNS))
    rows = np.zeros((0, RECORD_FLOATS))
    run_orbit(marker, scenario.vector, mem, np.zeros(0), log, rows, outcome, 1.0)
    assert outcome[OUTCOME_COLUMNS.index("contacts")] >= 1.0
    first = locate_latches(scenario.vector)  # no latches: the arm stands there
    start = OUTCOME_COLUMNS.index("chaser.px")
    chaser, target = outcome[start : start + 13], outcome[start + 13 : start + 26]
    nothing = np.zeros(3)
    begin = [
        np.concatenate([body.get("position_m", nothing), [1.0, 0.0, 0.0, 0.0], velocity, rate])
        for body, velocity, rate in (
            (one, one["velocity_m_per_s"], one["rate_rad_per_s"])
            for one in (tables["chaser"], tables["target"])
        )
    ]
    before = sum_of_pair(tables, *begin, nothing, nothing)
    after = sum_of_pair(tables, chaser, target, mem[first : first + 3], mem[first + 3 : first + 6])
    for one, other in zip(before, after, strict=True):
        assert np.abs(other - one).max() < 1e-11 * np.abs(one).max()


def sum_of_pair(tables, chaser, target, angles, rates):
    """Momentum, angular momentum about the origin, and energy of the pair; a motion is position,
    attitude, velocity and rate in the body's axes."""
    P, L, E = np.zeros(3), np.zeros(3), 0.0
    R, origin, v = unit_matrix(chaser[3:7]), chaser[:3], chaser[7:10]
    w = R @ chaser[10:]
    inertia = np.array(tables["target"]["inertia_kg_m2"])
    bodies = [(chaser[:3], R, v, w)]
    place = np.zeros(3)  # of `origin`, in the axes of the whole
    for row, angle, rate in zip(tables["methods"][0]["joints"], angles, rates, strict=True):
        axis = np.array(row[3:6]) / np.linalg.norm(row[3:6])
        lever = R @ (np.array(row[:3]) - place)
        origin, v, place = origin + lever, v + np.cross(w, lever), np.array(row[:3])
        w = w + rate * (R @ axis)
        R = R @ Rotation.from_rotvec(angle * axis).as_matrix()
        E += 0.5 * row[6] * angle**2
        bodies.append((origin - R @ place, R, v - np.cross(w, R @ place), w))
    for (at, R, v, w), (m, c, J) in zip(
        [*bodies, (target[:3], unit_matrix(target[3:7]), target[7:10], None)],
        [*list_bodies(tables), (OTHER, np.zeros(3), inertia)],
        strict=True,
    ):
        w = R @ target[10:] if w is None else w
        centre, moving = at + R @ c, v + np.cross(w, R @ c)
        spin = R @ J @ R.T @ w
        P, L = P + m * moving, L + spin + np.cross(centre, m * moving)
        E += 0.5 * (m * moving @ moving + spin @ w)
    return P, L, np.array([E])


def test_the_loop_converges_to_it(independent):
    """Robots without delay: the hold of the force is all that is left, and goes with the cycle."""
    own, state = independent
    p, R, _, _ = own.split(state)
    there = p[0] - R[0] @ own.bodies[0][1]
    off = []
    for cycle_ms in (1.0, 0.5):
        run = run_loop(softdock.build(docking(time__cycle_ms=cycle_ms, time__duration_s=1.2)))
        off.append(np.linalg.norm(run.series["chaser.position"][-1] - there))
    assert off[0] < 3e-4
    assert off[1] < 0.6 * off[0]


def test_momentum_and_energy_to_rounding():
    """In the loop: free flight before and after the contact keeps energy and both momenta; in the
    contact the pair keeps its momentum, and every joule is booked."""
    undamped = [[*row[:7], 0.0] for row in ARM_ON_A_SERVICER["joints"]]
    run = run_loop(softdock.build(docking(arm__joints=undamped)))
    s = run.series
    energy = s["servicer_arm.kinetic"] + s["servicer_arm.stored"]
    start = run.contacts[0]["start_s"]
    free = s["time"] < start - 0.01
    free[0] = False  # a method records from its first cycle on
    rest = s["time"] > run.contacts[-1]["end_s"] + 0.01
    assert rest.sum() > 20
    for part in (free, rest):
        assert np.ptp(energy[part]) < 1e-13 * energy[part][0]
        for name in ("servicer_arm.momentum", "servicer_arm.angular_momentum"):
            size = np.linalg.norm(s[name][part][0])
            assert np.ptp(s[name][part], axis=0).max() < 1e-13 * size
    assert s["servicer_arm.stored"].max() > 1e-4  # the arm does swing
    pair = s["servicer_arm.momentum"] + OTHER * s["target.velocity"]
    assert np.ptp(pair[1:], axis=0).max() < 1e-12
    softdock.judge(run)
    inertia = np.array(docking()["target"]["inertia_kg_m2"])
    kinetic = [
        energy[row]
        + 0.5 * OTHER * s["target.velocity"][row] @ s["target.velocity"][row]
        + 0.5 * s["target.rate"][row] @ inertia @ s["target.rate"][row]
        for row in (1, -1)
    ]
    gain = kinetic[1] - kinetic[0] + run.metrics["ledger"]["real_J"]
    assert run.metrics["energy_added_J"] == pytest.approx(gain, abs=1e-13)


def test_arm_and_base_are_drawn_where_they_are():
    """The drawn bodies, each with its mass, move together as the recorded momentum says."""
    run = run_loop(softdock.build(docking()))
    scene = build_scene(run, reference=False)
    parts = {part.name: part for part in scene.parts}
    assert {"chaser's link 1", "chaser's link 3", "chaser's base"} <= parts.keys()
    assert "chaser" not in parts  # the box of the whole
    ways = ["chaser", *(f"chaser.link_{i}" for i in (1, 2, 3))]
    assert parts["chaser's base"].track == ways[-1]
    at, mass = 0.0, 0.0
    for way, (m, c, _) in zip(ways, list_bodies(docking()), strict=True):
        track = scene.tracks[way]
        at, mass = at + m * (track.position + rotate(track.attitude, c)), mass + m
    rest = scene.time > run.contacts[-1]["end_s"] + 0.01
    moved, took = np.ptp(at[rest] / mass, axis=0), np.ptp(scene.time[rest])
    assert took > 0.05
    momentum = run.series["servicer_arm.momentum"][-1]
    assert moved == pytest.approx(np.abs(momentum) / mass * took, abs=1e-12)


def test_stiff_joints_are_the_rigid_body():
    """Towards the rigid body of the scenario as one over the stiffness."""
    rigid = run_reference(softdock.build({**docking(), "methods": [{"name": "direct"}]}))
    off = []
    for stiffness in (1e3, 1e4):
        joints = [[*row[:6], stiffness, 0.0] for row in ARM_ON_A_SERVICER["joints"]]
        found = run_reference(softdock.build(docking(arm__joints=joints)))
        apart = found.series["chaser.position"] - rigid.series["chaser.position"]
        off.append(np.abs(apart).max())
    assert 1e-5 < off[0] < 1e-2
    assert off[1] < 0.2 * off[0]


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"satellites__integrator": "forward_euler"}, "satellite", "exact_hold, lie_rk4"),
        ({"chaser__mass_kg": [60.0, 60.0, 61.0]}, "satellite", "a free body of one mass"),
        ({"chaser__mass_kg": 5.0}, "links", "leave a base"),
        ({"chaser__inertia_kg_m2": [2.0, 2.0, 2.0]}, "links", "is no body"),
        ({"arm__joints": ARM_ON_A_SERVICER["joints"][:2]}, "links", "one for each of 2 joints"),
        ({"arm__joints": [[0.0] * 8] * 3}, "joints", "row 0 has no axis"),
        ({"arm__links": [[0.0] * 10] * 3}, "links", "is no body"),
    ],
)
def test_what_cannot_be_is_refused(changes, key, words):
    """Before the clock starts, with what is allowed."""
    with pytest.raises(BadInput) as refused:
        softdock.build(docking(**changes))
    (problem,) = refused.value.problems
    assert problem.key == f"methods.0.{key}"
    assert words in problem.allowed


@pytest.mark.parametrize("name", ["passive_integrator", "energy_ledger", "remapping"])
def test_methods_that_know_rigid_bodies_alone_are_refused(name):
    """They correct the satellites after their integration."""
    tables = docking()
    keys = {"stiffness_N_per_m": STIFFNESS} if name == "remapping" else {}
    tables["methods"].append({"name": name, **keys})
    with pytest.raises(BadInput, match=f"without the method '{name}'"):
        softdock.build(tables)


def test_what_pushes_from_outside_is_refused():
    """A schedule or the tide pushes every body, and only the hand is known."""
    schedule = {"chaser": {"rows": [[0.0, 1.0, 0, 0, 0, 0, 0], [1.0, 1.0, 0, 0, 0, 0, 0]]}}
    for name, table in (("external", schedule), ("orbit", {"altitude_km": 500.0})):
        with pytest.raises(BadInput, match=f"without .{name}"):
            softdock.build({**docking(), name: table})


def test_what_the_papers_page_says_follows_from_its_numbers():
    """Drift beyond rounding is said, and so is each restitution."""
    keys = ("drift_energy", "drift_momentum", "drift_angular_momentum", "pair_momentum")
    rows = [
        {"joints": name, "restitution": 0.9, "late_restitution": 1.1, "orbit_energy": 1e-12}
        | dict.fromkeys(keys, 1e-14)
        for name, _, _ in JOINTS
    ]
    assert "kept to rounding: 1.0e-14" in _summarise(rows, {"late_ms": 16.0}).verdict
    rows[-1] |= {"pair_momentum": 1e-9, "restitution": 0.777}
    said = _summarise(rows, {"late_ms": 16.0}).verdict
    assert "kept not to rounding: 1.0e-09" in said
    assert "0.777 with free ones" in said
    assert HELD in {name for name, _, _ in JOINTS}
