"""Identification from recorded series alone: the truth is found within its stated uncertainty, and
logs that cannot tell say so.

Bounds: 2 % of the stiffness, 1 ms of delay, 1 % of the tool's mass at 0.25 N of noise. The noise is
the paper's: 0.25 N at 1000 Hz, mean of four a cycle.
"""

from __future__ import annotations

import functools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from identified import NOISE, off_by, wall_run
from scenarios import cone_docking, sphere_on_sphere

from softdock import BadInput, load_scenario, run_loop
from softdock.cli.main import cli
from softdock.results.run import Run
from softdock.studies.identify import Identification, identify
from softdock.studies.identify.estimate import Estimate, compute_weighted_mean, solve_least_squares
from softdock.studies.stability import loops_of
from softdock.studies.stability.analysis import delay_budget


def true_loop_delay(run: Run) -> float:
    """Robot and force path [s] by the delay budget of the stability analysis, which looks at the
    scenario and never at the log."""
    (point,) = loops_of(run.scenario)
    return sum(
        item.delay_s
        for item in delay_budget(point.loop)
        if item.name in ("sensor", "hand-over", "robot")
    )


@functools.cache
def at_the_papers_noise(damping: float, seed: int) -> tuple[Run, Identification]:
    run = wall_run(damping, seed, sensor=NOISE)
    return run, identify(run)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("damping", [0.0, 20.0])
def test_stiffness_damping_and_delay_at_the_papers_noise(seed, damping):
    """Within 2 % and 1 ms, and within four of the stated uncertainties."""
    run, found = at_the_papers_noise(damping, seed)
    assert found.stiffness.value == pytest.approx(1000.0, rel=0.02)
    assert abs(off_by(found.stiffness, 1000.0)) < 4.0
    assert found.loop_delay.value == pytest.approx(true_loop_delay(run), abs=1e-3)
    assert abs(off_by(found.damping, damping)) < 4.0


def test_the_stated_uncertainty_is_honest():
    """Over 20 noises the errors of the stiffness, in stated uncertainties, have no mean (3/sqrt 20)
    and a spread near one (95 % for 20: 0.69 to 1.32)."""
    found = [at_the_papers_noise(20.0, seed)[1] for seed in range(20)]
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


def test_a_sensor_on_the_target():
    """The same contact seen from the other side."""
    found = identify(wall_run(20.0, sensor=NOISE | {"on": "target"}))
    assert found.stiffness.value == pytest.approx(1000.0, rel=0.03)
    assert list(found.tools) == ["target"]


def test_turning_bodies_and_several_contacts():
    """A probe in a cone, both bodies free and turning with full inertia: wall and bottom, 4000 N/m
    each. Bound: the normal turns a little in a contact."""
    found = identify(run_loop(cone_docking(delay_ms=16.0)))
    assert len(found.contacts) >= 2
    for contact in found.contacts:
        assert contact.stiffness.value == pytest.approx(4000.0, rel=0.02)
    assert found.stiffness.value == pytest.approx(4000.0, rel=0.02)


def test_a_round_contact():
    """Two balls: the normal turns with the place of the touch, which a fixed normal cannot follow;
    within 3 %."""
    found = identify(run_loop(sphere_on_sphere(delay_ms=16.0)))
    assert found.stiffness.value == pytest.approx(2000.0, rel=0.03)


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
        identify(run_loop(load_scenario("oos_sim")))


def test_least_squares_states_its_uncertainty():
    """A straight line through white noise: the spread of the slope over repetitions is the stated
    one, within 15 %."""
    rng = np.random.default_rng(1)
    x = np.linspace(0.0, 1.0, 200)
    A = np.stack([x, np.ones_like(x)], axis=1)
    fits = [solve_least_squares(A, 2.0 * x + 0.5 + 0.1 * rng.normal(size=200)) for _ in range(300)]
    stated = np.mean([math.sqrt(f.covariance[0, 0]) for f in fits])
    assert np.std([f.x[0] for f in fits]) == pytest.approx(stated, rel=0.15)


def test_means_are_never_surer_than_their_scatter():
    """Two estimates that contradict each other: the mean lies between, its uncertainty is at least
    half their distance."""
    mean = compute_weighted_mean([Estimate(10.0, 0.1), Estimate(12.0, 0.1)])
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


def test_offsets_of_measured_poses_come_with_a_line_to_paste():
    """Of a robot that bounces, told from its delay; of one that stands still, the mean."""
    stated = {"chaser": [0.0005, 0.0002, 0.0], "target": [0.0, 0.0003, 0.0]}
    keys = {f"pose.{body}_offset_m": offset for body, offset in stated.items()}
    found = identify(run_loop(load_scenario("epos_1d", keys)))
    for body, offset in stated.items():
        assert found.pose_offset[body].value == pytest.approx(offset, abs=1e-7)
        assert any(f"--set pose.{body}_offset_m='[" in note for note in found.notes)
    plain = identify(run_loop(load_scenario("epos_1d")))
    assert not any("_offset_m" in note for note in plain.notes)
