"""Motion relative to the target's own free motion: the free motion is the reference's, what is left
is the relative motion, the contact is where it was, and a loop whose robots carry it gives the same
answer."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall
from scipy.spatial.transform import Rotation

from softdock import simulate
from softdock.errors import BadInput
from softdock.reference import run_reference
from softdock.scenario.build import build
from softdock.scenario.free_motion import compute_free_motion, move_to_nominal
from softdock.studies.placement.motion import NOMINAL, load_motion

RATE = (0.3, 0.8, -0.2)  # rad/s, about no principal axis


def tumbling(position=(0.0, 0.0, 0.0), **target):
    tables = epos_wall(delay_ms=16.0)
    tables["target"] = {
        "mass_kg": 700.0,
        "inertia_kg_m2": [300.0, 500.0, 700.0],
        "position_m": list(position),
        "velocity_m_per_s": [0.0, 0.01, -0.02],
        "rate_rad_per_s": list(RATE),
    } | target
    tables["time"]["duration_s"] = 1.2
    return build(tables)


def as_rotation(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


@pytest.fixture(scope="module")
def untouched():
    """The reference of a pair that does not meet."""
    scenario = tumbling(position=(-5.0, 0.0, 0.0))
    assert run_reference(scenario).contact_count == 0
    return scenario, run_reference(scenario).series


def test_the_free_motion_is_the_reference_s(untouched):
    """Attitudes of a body of three different moments within 1e-9 rad of the reference's."""
    scenario, series = untouched
    free = compute_free_motion(scenario.tables["target"], np.array(series["time"]))
    assert np.allclose(free[:, :3], series["target.position"], atol=1e-12)
    off = as_rotation(free[:, 3:]).inv() * as_rotation(np.array(series["target.attitude"]))
    assert off.magnitude().max() < 1e-9


def test_a_body_that_turns_with_the_nominal_motion_rests():
    """Places and attitudes fixed to the nominal body stay where they began."""
    time = np.linspace(0.0, 3.0, 50)
    free = compute_free_motion(tumbling().tables["target"], time)
    turned = as_rotation(free[:, 3:])
    place = free[:, :3] + turned.apply([3.0, -1.0, 0.5])
    held = turned * Rotation.from_euler("xyz", [0.3, 0.2, -0.5])
    rows = np.hstack([place, np.roll(held.as_quat(), 1, axis=1)])
    found = move_to_nominal(rows, free)
    assert np.abs(found[:, :3] - found[0, :3]).max() < 1e-12
    assert (as_rotation(found[0, 3:]).inv() * as_rotation(found[:, 3:])).magnitude().max() < 1e-12


def test_the_relative_motion_is_kept_and_the_target_rests_until_the_touch():
    """Distance of the two centres and the relative attitude at every instant; the force in the
    chaser's axes; before the contact the target does not move."""
    scenario = tumbling(rate_rad_per_s=[0.0, 0.0, 0.02], velocity_m_per_s=[0.0, 0.0, 0.0])
    plain, relative = load_motion(scenario), load_motion(scenario, NOMINAL)
    assert plain.peak_force > 1.0
    sets = []
    for one in (plain, relative):
        chaser, target = one.poses["chaser"], one.poses["target"]
        own = as_rotation(target[:, 3:]).inv()
        sets.append(
            (
                own.apply(chaser[:, :3] - target[:, :3]),
                (own * as_rotation(chaser[:, 3:])).as_matrix(),
                as_rotation(chaser[:, 3:]).inv().apply(one.force),
                as_rotation(chaser[:, 3:]).inv().apply(one.point - chaser[:, :3]),
            )
        )
    for a, b in zip(*sets, strict=True):
        assert np.abs(a - b).max() < 1e-12
    first = int(np.argmax(np.linalg.norm(plain.force, axis=1) > 0.0))
    rest = relative.poses["target"][:first]
    assert np.abs(rest - rest[0]).max() < 1e-9
    assert plain.measure_workspace("target")[1] == pytest.approx(0.02 * 1.2, rel=0.2)
    assert relative.measure_workspace("target")[1] < plain.measure_workspace("target")[1]


TURN = np.array([0.0, 0.05, 0.3])  # rad/s, of both bodies at the start


def turning(mapping, delay_ms, **tables):
    """A probe that turns with the cone it enters, both free: contacts off the axis."""
    made = cone_docking(delay_ms=delay_ms, duration_s=1.0) | {"laboratory": {"mapping": mapping}}
    place, drift = np.array([2.004, 0.018, 0.008]), np.array([0.003, 0.02, -0.001])
    made["target"] |= {"mass_kg": 700.0, "velocity_m_per_s": drift.tolist()}
    made["target"]["rate_rad_per_s"] = made["chaser"]["rate_rad_per_s"] = TURN.tolist()
    made["chaser"]["position_m"] = place.tolist()
    closing = np.array([-0.2, 0.002, 0.0]) + drift + np.cross(TURN, place)
    made["chaser"]["velocity_m_per_s"] = closing.tolist()
    return build(made | tables)


def test_robots_that_carry_the_relative_motion_give_the_same_run():
    """Perfect robots, several contacts: satellites within 1e-12 of the run in which each robot
    carries its satellite's own motion, and the books close. The target's robot stands still until
    the touch, and the set-points' relative motion is the satellites'."""
    plain, run = (simulate(turning(mapping, 0.0)) for mapping in ("absolute", "nominal"))
    assert len(run.contacts) == 2
    for body in ("chaser", "target"):
        for part in ("position", "velocity", "rate"):
            name = f"{body}.{part}"
            assert np.abs(run.series[name] - plain.series[name]).max() < 1e-12
    touch = int(np.argmax(np.linalg.norm(run.series["true.chaser.force"], axis=1) > 0.0))
    assert np.abs(np.diff(run.series["command.target.position"][:touch], axis=0)).max() < 1e-12
    assert np.ptp(plain.series["command.chaser.position"][:, 1]) > 0.5
    assert np.ptp(run.series["command.chaser.position"][:, 1]) < 0.03
    relative = [
        as_rotation(run.series[f"{before}target.attitude"])
        .inv()
        .apply(run.series[f"{before}chaser.position"] - run.series[f"{before}target.position"])
        for before in ("", "command.")
    ]
    assert np.abs(relative[0] - relative[1]).max() < 1e-12
    rows = ("integrator", "correction", "adaptation", "sensor", "command", "robot", "rewound")
    said = sum(run.series[f"energy.{row}"][-1] for row in rows)
    assert said == pytest.approx(run.energy_added_J, abs=1e-12)
    assert abs(run.energy_added_J - plain.energy_added_J) < 1e-6


def test_late_robots_differ_by_the_turn_of_a_delay():
    """Robots 16 ms late, forces 4 ms, poses 6 ms: what is late is the relative motion alone, and
    velocities differ by the turn in the delay, w h of their size. The observed energy, paired
    anew, is nearer to the energy that the loop added than with each satellite's own motion."""
    late = {"sensor": {"delay_ms": 4.0}, "pose": {"delay_ms": 6.0}}
    plain, run = (simulate(turning(mapping, 16.0, **late)) for mapping in ("absolute", "nominal"))
    off = np.linalg.norm(run.series["chaser.velocity"] - plain.series["chaser.velocity"], axis=1)
    assert 0.0 < off.max() < 2.0 * np.linalg.norm(TURN) * 0.022 * 0.2
    missed = [abs(r.series["energy.observed"][-1] - r.energy_added_J) for r in (plain, run)]
    assert run.energy_added_J > 0.1
    assert missed[1] < 0.5 * missed[0]


def test_the_placement_asks_what_the_loop_will_ask():
    """The motion that `place` checks for such a scenario is that of `--motion nominal`, and the
    set-points of its run are that within what the late robots add."""
    wanted = load_motion(turning("absolute", 0.0), NOMINAL)
    own, run = (load_motion(turning("nominal", 0.0), source) for source in ("orbit", "run"))
    for body in ("chaser", "target"):
        assert own.poses[body].tobytes() == wanted.poses[body].tobytes()
        there = [np.interp(run.time, own.time, column) for column in own.poses[body][:, :3].T]
        assert np.abs(run.poses[body][:, :3] - np.transpose(there)).max() < 2e-3


def test_a_method_that_leads_and_identifies_takes_the_relative_motion():
    """model_mediated, robots 16 ms late and no word of it: the delay is found within 0.1 ms, and
    both satellites leave as the reference's within 1e-4 of the approach."""
    run = simulate(turning("nominal", 16.0, methods=[{"name": "model_mediated"}]))
    own, orbit = run.series, run.reference.series
    for body in ("chaser", "target"):
        off = own[f"{body}.velocity"][-1] - orbit[f"{body}.velocity"][-1]
        assert np.linalg.norm(off) < 1e-4 * 0.2
    found = run.method_books["model_mediated"]
    assert found["delay_s"] == pytest.approx(0.016, abs=1e-4)
    assert found["chaser_offset_m"] == [0.0, 0.0, 0.0]


def test_a_hand_s_pushes_are_refused():
    hand = {"target": {"rows": [[0.1, 0.2, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]]}}
    with pytest.raises(BadInput) as refused:
        turning("nominal", 0.0, hand=hand)
    assert "hand.target" in str(refused.value)
