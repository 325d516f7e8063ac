"""Identification from recorded series alone: the truth is found within its stated uncertainty, and
logs that cannot tell say so.

Bounds: 2 % of the stiffness, 1 ms of delay, 1 % of the tool's mass at 0.25 N of noise. The noise is
the paper's: 0.25 N at 1000 Hz, mean of four a cycle.
"""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock import BadInput, fly, load_scenario, simulate
from softdock.cli.main import cli
from softdock.drivers.rig_file import load_rig
from softdock.identification import Identification, identify
from softdock.identification.estimate import Estimate, least_squares, weighted_mean
from softdock.identification.sliding import NAMES
from softdock.runs.run import Run
from softdock.runs.series import Series
from softdock.scenario.build import build
from softdock.stability import loops_of
from softdock.stability.budget import delay_budget

NOISE = {"period_ms": 1.0, "noise_N": 0.25, "noise_Nm": 0.02, "handover": "mean"}
CENTRE, SENSOR = (0.1, -0.05, 0.2), (-0.1, 0.0, 0.05)  # m
BIAS_N, BIAS_NM = (0.5, -0.3, 0.2), (0.02, -0.01, 0.03)


def wall_run(damping: float = 0.0, seed: int = 0, **tables: Any) -> Run:
    """EPOS on one axis, touching at 0.5 s."""
    found = epos_wall()
    found["contact"][0]["real"]["damping_Ns_per_m"] = damping
    found["random"] = {"seed": seed}
    for name, table in tables.items():
        found[name] = found.get(name, {}) | table
    return fly(found)


@functools.cache
def calibration(
    mass: float = 10.0, rate: float = 0.25, believed: float = 0.0, noise_N: float = 0.25
) -> Run:
    """A tool turned slowly in free motion, its weight not compensated (or `believed` kg of it)."""
    heavy = {
        "mass_kg": mass,
        "centre_m": list(CENTRE),
        "inertia_kg_m2": [0.3, 0.4, 0.5],
        "sensor_m": list(SENSOR),
    }
    return fly(
        build(
            {
                "time": {"cycle_ms": 4.0, "duration_s": 12.0},
                "chaser": {
                    "mass_kg": 3000.0,
                    "inertia_kg_m2": [5000.0, 6000.0, 7000.0],
                    "rate_rad_per_s": [rate, 0.6 * rate, -0.4 * rate],
                },
                "target": {
                    "fixed": True,
                    "mass_kg": 100.0,
                    "inertia_kg_m2": [10.0, 10.0, 10.0],
                    "position_m": [100.0, 0.0, 0.0],
                },
                "robots": {"chaser": {"delay_ms": 16.0}, "target": {"delay_ms": 16.0}},
                "sensor": NOISE
                | {"noise_N": noise_N, "bias_N": list(BIAS_N), "bias_Nm": list(BIAS_NM)},
                "mock_up": {
                    "chaser": heavy
                    | {"believed": {"mass_kg": believed, "inertia_kg_m2": [0.0, 0.0, 0.0]}}
                },
            }
        )
    )


def true_loop_delay(run: Run) -> float:
    """Robot and force path [s] by the delay budget of the stability analysis, which looks at the
    scenario and never at the log."""
    (point,) = loops_of(run.scenario)
    return sum(
        item.delay_s
        for item in delay_budget(point.loop)
        if item.name in ("sensor", "hand-over", "robot")
    )


def off_by(estimate: Estimate | None, truth: float) -> float:
    """Error in standard uncertainties."""
    assert estimate is not None
    return (estimate.value - truth) / estimate.uncertainty


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("damping", [0.0, 20.0])
def test_stiffness_damping_and_delay_at_the_papers_noise(seed, damping):
    """Within 2 % and 1 ms, and within four of the stated uncertainties."""
    run = wall_run(damping, seed, sensor=NOISE)
    found = identify(run)
    assert found.stiffness.value == pytest.approx(1000.0, rel=0.02)
    assert abs(off_by(found.stiffness, 1000.0)) < 4.0
    assert found.loop_delay.value == pytest.approx(true_loop_delay(run), abs=1e-3)
    assert abs(off_by(found.damping, damping)) < 4.0


def test_the_stated_uncertainty_is_honest():
    """Over 20 noises the errors of the stiffness, in stated uncertainties, have no mean (3/sqrt 20)
    and a spread near one (95 % for 20: 0.69 to 1.32)."""
    found = [identify(wall_run(20.0, seed, sensor=NOISE)) for seed in range(20)]
    errors = [off_by(one.stiffness, 1000.0) for one in found]
    assert abs(np.mean(errors)) < 3.0 / math.sqrt(20.0)
    assert 0.65 < np.std(errors) < 1.35
    damping = [
        one.damping.value - 20.0 for one in found
    ]  # paired 1.5 ms wrong, it would be 1.5 Ns/m off
    assert abs(np.mean(damping)) < 3.0 * np.std(damping) / math.sqrt(20.0)
    assert max(np.abs(damping)) < 2.0 * min(
        one.damping.uncertainty for one in found
    )  # which has a part for a filter that is not there


@pytest.mark.parametrize(
    "sensor",
    [
        {},
        {"period_ms": 1.0, "handover": "mean"},
        {"period_ms": 1.0, "delay_ms": 6.0, "handover": "mean"},
    ],
)
def test_a_clean_log_gives_the_truth(sensor):
    """Without noise nothing is left but rounding and the first-order motion between set-points
    (1e-6), and in a mean the bend of its four samples (half of k / m times the variance of their
    times, 1.25 ms^2: 1e-5). A mean is paired with the motion by the age that its samples have on
    average."""
    run = wall_run(20.0, sensor=sensor)
    found = identify(run)
    assert found.stiffness.value == pytest.approx(1000.0, rel=2e-5 if sensor else 1e-6)
    assert found.damping.value == pytest.approx(20.0, abs=1e-2)
    assert found.loop_delay.value == pytest.approx(true_loop_delay(run), abs=1e-9)


def test_the_parts_of_the_delay():
    """Robot, force path and pose measurement are told apart; the loop's delay is robot plus force
    path."""
    robots = {"chaser": {"delay_ms": 13.0}, "target": {"delay_ms": 13.0}}
    run = wall_run(sensor=NOISE | {"delay_ms": 6.0}, pose={"delay_ms": 16.0}, robots=robots)
    found = identify(run)
    assert found.robot_delay["chaser"].value == pytest.approx(0.013, abs=1e-3)
    assert found.robot_delay["target"] is None  # it stands still
    assert found.force_delay_s == pytest.approx(
        0.0075, abs=1e-9
    )  # 6 ms to arrive; a mean of four samples, 1 ms apart, is 1.5 ms older
    assert found.pose_delay_s == pytest.approx(0.016, abs=1e-3)
    assert true_loop_delay(run) == pytest.approx(0.0205, abs=1e-12)
    assert found.loop_delay.value == pytest.approx(0.0205, abs=1e-3)
    assert found.stiffness.value == pytest.approx(1000.0, rel=0.03)


def test_nothing_is_taken_from_the_scenario():
    """The series alone, without the run they belong to, give the same answer; what a rig cannot
    measure is not looked at."""
    run = wall_run(20.0, sensor=NOISE)
    hidden = ("mock_up.", "true.", "contact.depth", "energy.")
    seen = {}
    for name in run.series:
        seen[name] = (
            np.full_like(run.series[name], np.nan) if name.startswith(hidden) else run.series[name]
        )
    groups = {name.rpartition(".")[0] for name in seen} - {""}
    seen |= {
        g: np.stack([seen[n] for n in run.series if n.rpartition(".")[0] == g], axis=1)
        for g in groups
    }
    assert identify(seen).to_dict() == identify(run).to_dict()


def test_a_robot_that_lags_is_noticed_and_does_not_spoil_the_stiffness():
    """A second-order lag is no delay: it is said so, and the measured path takes the place of the
    delayed command."""
    robots = {
        "chaser": {"model": "lag", "delay_ms": 4.0, "lag_Hz": 12.0},
        "target": {"delay_ms": 4.0},
    }
    found = identify(wall_run(sensor=NOISE, robots=robots))
    assert any("not a pure delay" in note for note in found.notes)
    assert found.stiffness.value == pytest.approx(1000.0, rel=0.03)
    assert 0.004 < found.loop_delay.value < 0.05


def oblique(
    seed: int, friction: float, across: float, damping: float = 660.0, **sensor: float
) -> dict[str, Any]:
    """A mass that meets a wall of 30 kN/m at 20 mm/s and slides along it."""
    found = epos_wall(mass_kg=300.0, stiffness=30000.0)
    found["time"]["duration_s"] = 1.2
    found["chaser"]["velocity_m_per_s"] = [-0.02, across, 0.0]
    found["contact"][0]["real"] |= {"damping_Ns_per_m": damping, "friction": friction}
    found["sensor"] = NOISE | sensor
    found["random"] = {"seed": seed}
    return found


def test_friction_is_told_from_damping():
    """A tip that slides while it bounces: a tilted normal looks like damping (660 was found to be
    1141 +- 43 along the mean force). Both are within their uncertainties, which are small."""
    found = identify(fly(build(oblique(0, 0.1, 0.03))))
    assert abs(off_by(found.damping, 660.0)) < 2.0
    assert found.damping.uncertainty < 60.0
    assert found.friction.value == pytest.approx(0.1, abs=0.02)
    assert abs(off_by(found.friction, 0.1)) < 3.0
    assert found.stiffness.value == pytest.approx(30000.0, rel=0.01)


def test_a_sensor_of_one_axis_is_as_sure_as_one_of_three():
    """Columns that a sensor does not have are zeros, and no readings without noise: the stated
    uncertainty is that of the axis that was measured."""
    run = fly(build(oblique(0, 0.0, 0.0)))
    names, rows = [c.name for c in run.series.channels], run.series.rows.copy()
    for axis in "yz":
        rows[:, names.index(f"measured.chaser.force.{axis}")] = 0.0
    one, three = identify(Series(rows, run.series.channels)), identify(run)
    assert one.stiffness.uncertainty == pytest.approx(three.stiffness.uncertainty, rel=0.05)


def test_what_is_mixed_is_not_told():
    """With 20 times the noise damping and friction cannot be told apart: said so, with the bounds
    and what would tell; a contact that does not slide tells the damping and no friction."""
    found = identify(fly(build(oblique(1, 0.1, 0.03, damping=150.0, noise_N=6.0))))
    assert found.damping is None
    assert "mixed with the friction" in found.cannot_tell["damping"]
    straight = identify(fly(build(oblique(1, 0.1, 0.0))))
    assert straight.friction is None
    assert "never slid" in straight.cannot_tell["friction"]
    assert abs(off_by(straight.damping, 660.0)) < 2.0


def test_the_stated_intervals_cover_the_truth():
    """Over 40 random contacts (stiffness, damping, friction, speeds, noise) two stated
    uncertainties hold the truth in about 95 of 100: at least 34 of 40 by chance (99 %), and not
    all of them by being wide: the statistical ones scatter by 0.6 to 1.5."""
    rng = np.random.default_rng(7)
    errors: dict[str, list[float]] = {"stiffness": [], "friction": [], "damping": []}
    for seed in range(40):
        k, zeta = 10.0 ** rng.uniform(3.7, 4.6), rng.uniform(0.02, 0.2)
        truth = {"stiffness": k, "damping": 2.0 * zeta * math.sqrt(300.0 * k)}
        truth["friction"] = rng.uniform(0.0, 0.4)
        tables = oblique(seed, truth["friction"], rng.uniform(0.005, 0.03), truth["damping"])
        tables["contact"][0]["real"]["stiffness_N_per_m"] = k
        tables["sensor"]["noise_N"] = rng.uniform(0.05, 0.5)
        (contact,) = identify(fly(build(tables))).contacts
        sigma = dict(zip(NAMES, np.sqrt(np.diag(contact.sliding.covariance)), strict=True))
        for name, found in errors.items():
            own = getattr(contact, name)
            found.append((own.value - truth[name]) / sigma[name])
            stated = abs(own.value - truth[name]) / own.uncertainty
            assert stated < 4.5, (seed, name, truth, own)
    for name, found in errors.items():
        assert sum(abs(e) < 2.0 for e in found) >= 34, (name, found)
        assert 0.6 < float(np.std(found)) < 1.5, (name, found)


def test_a_threshold_that_cut_everything_is_not_taken_for_a_calibration():
    """Weight and bias below the sensor's threshold are zeros in the log: no mass of zero, but the
    reason and the bound."""
    tables = oblique(0, 0.0, 0.0, threshold_N=3.0, bias_N=[0.5, 0.0, 0.0])
    found = identify(fly(build(tables)))
    tool = found.tools["chaser"]
    assert tool.mass is None
    assert tool.bias_force is None
    assert "threshold" in found.cannot_tell["tool.chaser"]
    assert found.stiffness.value == pytest.approx(30000.0, rel=0.02)
    weak = oblique(0, 0.0, 0.0, threshold_N=1000.0)
    with pytest.raises(BadInput, match="threshold"):
        identify(fly(build(weak)))


def test_a_log_without_measured_poses_says_what_it_cannot_tell():
    """A robot that nobody watched: no delay, and no damping, which would be -k times it."""
    run = fly(build(oblique(0, 0.0, 0.0)))
    kept = [c for c in run.series.channels if not c.name.startswith(("seen.", "pose_age"))]
    rows = np.stack([run.series[c.name] for c in kept], axis=1)
    found = identify(Series(rows, kept))
    assert found.damping is None
    assert "no measured pose" in found.cannot_tell["damping"]
    assert "robot_delay.chaser" in found.cannot_tell
    assert found.pose_delay_s is None


def test_what_was_identified_is_written_back(tmp_path):
    """A scenario that runs and a rig file that loads, each with the numbers that the log told and a
    comment for each; a file that is there is left alone."""
    run = simulate(build(oblique(0, 0.1, 0.03)))
    run.save(tmp_path / "run")
    command = ["identify", str(tmp_path / "run"), "--scenario", str(tmp_path / "s.toml")]
    command += ["--rig", str(tmp_path / "r.toml"), "--rig-base", "emulated_pair"]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    scenario = load_scenario(tmp_path / "s.toml")
    real = scenario.tables["contact"][0]["real"]
    assert real["friction"] == pytest.approx(0.1, abs=0.03)
    assert real["stiffness_N_per_m"] == pytest.approx(30000.0, rel=0.01)
    assert scenario.tables["robots"]["chaser"]["delay_ms"] == pytest.approx(16.0, abs=0.5)
    assert "was 30000" in (tmp_path / "s.toml").read_text(encoding="utf-8")
    rig = load_rig(tmp_path / "r.toml")
    assert rig.robots["chaser"].delay_ms == pytest.approx(16.0, abs=0.5)
    assert CliRunner().invoke(cli, command).exit_code == 2
    nothing = CliRunner().invoke(cli, [*command[:2], "--rig", str(tmp_path / "x.toml")])
    assert "--rig-base" in nothing.stderr


def test_a_sensor_on_the_target():
    """The same contact seen from the other side."""
    found = identify(wall_run(20.0, sensor=NOISE | {"on": "target"}))
    assert found.stiffness.value == pytest.approx(1000.0, rel=0.03)
    assert list(found.tools) == ["target"]


def test_turning_bodies_and_several_contacts():
    """A probe in a cone, both bodies free and turning with full inertia: wall and bottom, 4000 N/m
    each. Bound: the normal turns a little in a contact."""
    found = identify(fly(cone_docking(delay_ms=16.0)))
    assert len(found.contacts) >= 2
    for contact in found.contacts:
        assert contact.stiffness.value == pytest.approx(4000.0, rel=0.02)
    assert found.stiffness.value == pytest.approx(4000.0, rel=0.02)


def test_a_round_contact():
    """Two balls: the normal turns with the place of the touch, which a fixed normal cannot follow;
    within 3 %."""
    found = identify(fly(sphere_on_sphere(delay_ms=16.0)))
    assert found.stiffness.value == pytest.approx(2000.0, rel=0.03)


def test_tool_mass_centre_and_bias():
    """Ten kilograms within 1 % (and all within four uncertainties) although 0.25 N of noise and a
    bias are on the readings."""
    tool = identify(calibration(), tool_only=True).tools["chaser"]
    assert tool.mass.value == pytest.approx(10.0, rel=0.01)
    assert abs(off_by(tool.mass, 10.0)) < 4.0
    torque = np.array(BIAS_NM) + np.cross(SENSOR, BIAS_N)  # about the satellite's centre of mass
    for estimate, truth in (
        (tool.centre, CENTRE),
        (tool.bias_force, BIAS_N),
        (tool.bias_torque, torque),
    ):
        assert np.all(
            np.abs(np.array(estimate.value) - truth) < 4.0 * np.array(estimate.uncertainty)
        )
    assert max(tool.centre.uncertainty) < 0.01


def test_what_a_compensation_missed():
    """With 9.9 of 10 kg compensated the log holds the 0.1 kg that is left."""
    tool = identify(calibration(believed=9.9), tool_only=True).tools["chaser"]
    assert abs(off_by(tool.mass, 0.1)) < 4.0
    assert tool.mass.uncertainty < 0.01


def test_a_tool_that_does_not_turn_cannot_be_told_from_a_bias():
    """No mass, no bias, but their sum and the reason."""
    tool = identify(wall_run(sensor=NOISE | {"bias_N": [0.05, 0.0, 0.0]})).tools["chaser"]
    assert tool.mass is None
    assert tool.bias_force is None
    assert "cannot be told apart" in tool.note
    assert tool.reading.value[0] == pytest.approx(0.05, abs=4.0 * tool.reading.uncertainty[0])


def test_no_weight_is_said_to_be_none():
    """A turning sensor without a tool: mass zero within its uncertainty, no centre, the bias
    found."""
    tool = identify(calibration(mass=0.0), tool_only=True).tools["chaser"]
    assert abs(tool.mass.value) < 4.0 * tool.mass.uncertainty + 0.01
    assert tool.centre is None
    assert np.all(
        np.abs(np.array(tool.bias_force.value) - BIAS_N)
        < 4.0 * np.array(tool.bias_force.uncertainty)
    )


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"time": {"duration_s": 0.1}, "sensor": NOISE}, "too short"),
        ({"time": {"duration_s": 0.4}, "sensor": NOISE}, "no contact"),
        ({"time": {"duration_s": 0.54}, "sensor": NOISE}, "series"),
        ({"time": {"duration_s": 0.4}}, "without a contact"),
    ],
    ids=["too few rows", "before the touch", "cut at the touch", "no force at all"],
)
def test_logs_that_cannot_tell_are_refused(tables, said):
    """In words, naming what is needed."""
    with pytest.raises(BadInput, match=said):
        identify(wall_run(**tables))
    with pytest.raises(BadInput, match="gravity"):
        identify(wall_run(), gravity=0.0)


def test_a_hand_is_no_contact():
    """OOS-SIM is pushed by hand: a force that has nothing to do with depth gives no stiffness, and
    the log is refused."""
    with pytest.raises(BadInput, match="grows with depth"):
        identify(fly(load_scenario("oos_sim")))


def test_least_squares_states_its_uncertainty():
    """A straight line through white noise: the spread of the slope over repetitions is the stated
    one, within 15 %."""
    rng = np.random.default_rng(1)
    x = np.linspace(0.0, 1.0, 200)
    A = np.stack([x, np.ones_like(x)], axis=1)
    fits = [least_squares(A, 2.0 * x + 0.5 + 0.1 * rng.normal(size=200)) for _ in range(300)]
    stated = np.mean([math.sqrt(f.covariance[0, 0]) for f in fits])
    assert np.std([f.x[0] for f in fits]) == pytest.approx(stated, rel=0.15)


def test_means_are_never_surer_than_their_scatter():
    """Two estimates that contradict each other: the mean lies between, its uncertainty is at least
    half their distance."""
    mean = weighted_mean([Estimate(10.0, 0.1), Estimate(12.0, 0.1)])
    assert mean.value == pytest.approx(11.0)
    assert mean.uncertainty >= 1.0


def test_the_command(tmp_path):
    """`softdock identify RUN`: a table, or the same numbers as JSON; a folder that is no run is
    refused with code 2."""
    run = wall_run(20.0, sensor=NOISE)
    run.save(tmp_path / "run")
    found: Identification = identify(run)
    printed = CliRunner().invoke(cli, ["identify", str(tmp_path / "run"), "--json"])
    assert printed.exit_code == 0
    assert json.loads(printed.stdout) == json.loads(json.dumps(found.to_dict()))
    shown = CliRunner().invoke(cli, ["identify", str(tmp_path / "run")])
    assert shown.exit_code == 0
    assert "contact stiffness" in shown.stdout
    nothing = CliRunner().invoke(cli, ["identify", str(tmp_path / "missing")])
    assert nothing.exit_code == 2
    assert "no such folder" in nothing.stderr
