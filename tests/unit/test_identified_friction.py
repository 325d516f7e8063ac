"""Identification of oblique contacts: friction told from damping, with honest uncertainties,
and written back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from identified import NOISE, off_by
from scenarios import epos_wall

from softdock import BadInput, load_scenario, run_loop, simulate
from softdock.cli.main import cli
from softdock.results.series import Series
from softdock.rig.file import load_rig
from softdock.scenario.build import build
from softdock.studies.identify import identify
from softdock.studies.identify.contact import NAMES


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
    found = identify(run_loop(build(oblique(0, 0.1, 0.03))))
    assert abs(off_by(found.damping, 660.0)) < 2.0
    assert found.damping.uncertainty < 60.0
    assert found.friction.value == pytest.approx(0.1, abs=0.02)
    assert abs(off_by(found.friction, 0.1)) < 3.0
    assert found.stiffness.value == pytest.approx(30000.0, rel=0.01)


def test_a_sensor_of_one_axis_is_as_sure_as_one_of_three():
    """Columns that a sensor does not have are zeros, and no readings without noise: the stated
    uncertainty is that of the axis that was measured."""
    run = run_loop(build(oblique(0, 0.0, 0.0)))
    names, rows = [c.name for c in run.series.channels], run.series.rows.copy()
    for axis in "yz":
        rows[:, names.index(f"measured.chaser.force.{axis}")] = 0.0
    one, three = identify(Series(rows, run.series.channels)), identify(run)
    assert one.stiffness.uncertainty == pytest.approx(three.stiffness.uncertainty, rel=0.05)


def test_what_is_mixed_is_not_told():
    """With 20 times the noise damping and friction cannot be told apart: said so, with the bounds
    and what would tell; a contact that does not slide tells the damping and no friction."""
    found = identify(run_loop(build(oblique(1, 0.1, 0.03, damping=150.0, noise_N=6.0))))
    assert found.damping is None
    assert "mixed with the friction" in found.cannot_tell["damping"]
    straight = identify(run_loop(build(oblique(1, 0.1, 0.0))))
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
        (contact,) = identify(run_loop(build(tables))).contacts
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
    found = identify(run_loop(build(tables)))
    tool = found.tools["chaser"]
    assert tool.mass is None
    assert tool.bias_force is None
    assert "threshold" in found.cannot_tell["tool.chaser"]
    assert found.stiffness.value == pytest.approx(30000.0, rel=0.02)
    weak = oblique(0, 0.0, 0.0, threshold_N=1000.0)
    with pytest.raises(BadInput, match="threshold"):
        identify(run_loop(build(weak)))


def test_a_log_without_measured_poses_says_what_it_cannot_tell():
    """A robot that nobody watched: no delay, and no damping, which would be -k times it."""
    run = run_loop(build(oblique(0, 0.0, 0.0)))
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
