"""Tool and bias from poses at rest: the truth within its stated uncertainty, a plan whose promise
holds, a log that says when a run needs better. Readings are made here, with numpy alone."""

from __future__ import annotations

import json

import exported
import numpy as np
import pytest
from click.testing import CliRunner
from scenarios import epos_wall

import softdock
from softdock import BadInput
from softdock.cli.main import cli
from softdock.scenario.build import build
from softdock.studies.identify.calibration import calibrate, find_rests, warn_if_uncertain
from softdock.studies.identify.pose_plan import plan_poses

MASS, CENTRE = 2.0, np.array([0.1, -0.05, 0.2])
BIAS_N, BIAS_NM = np.array([0.5, -0.3, 0.2]), np.array([0.02, -0.01, 0.03])
DOWN = np.array([0.0, 0.0, -9.81])


def readings(attitudes: np.ndarray, tilt_deg: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """What the sensor would say, body axes."""
    level = exported.Rotation.from_euler("x", tilt_deg, degrees=True)
    weight = MASS * exported.rotation(attitudes).inv().apply(level.apply(DOWN))
    return weight + BIAS_N, np.cross(CENTRE, weight) + BIAS_NM


def test_the_stated_uncertainties_cover_the_truth():
    """Over 300 noises two stated uncertainties hold the truth in about 95 of 100 (bounds: four
    standard errors of a share), for mass, centre and both biases; the plan's promise is the scatter
    that comes, within 15 %."""
    rng = np.random.default_rng(3)
    plan = plan_poses(9, 60.0, mass_kg=MASS, noise_N=0.2, noise_Nm=0.02, readings=100)
    force, torque = readings(plan.attitudes)
    errors, masses = [], []
    for _ in range(300):
        found = calibrate(
            plan.attitudes,
            force + rng.normal(0.0, 0.02, force.shape),
            torque + rng.normal(0.0, 0.002, torque.shape),
        )
        masses.append(found.mass.value)
        truth = [MASS, *BIAS_N, *BIAS_NM, *CENTRE]
        values = [
            found.mass.value,
            *found.bias_force.value,
            *found.bias_torque.value,
            *found.centre.value,
        ]
        sigma = [
            found.mass.uncertainty,
            *found.bias_force.uncertainty,
            *found.bias_torque.uncertainty,
            *found.centre.uncertainty,
        ]
        errors.append((np.array(values) - truth) / np.array(sigma))
    inside = np.mean(np.abs(errors) < 2.0, axis=0)
    assert np.all(inside > 0.90), inside
    assert np.all(inside < 0.999), inside
    assert np.std(masses) == pytest.approx(plan.mass_kg, rel=0.15)


def test_a_plan_keeps_to_what_a_robot_may_turn():
    """No attitude turns further than allowed, and a robot that turns less tells less."""
    wide, narrow = plan_poses(6, 90.0), plan_poses(6, 15.0)
    turned = exported.rotation(narrow.attitudes).magnitude()
    assert np.degrees(turned.max()) <= 15.0 + 1e-9
    assert narrow.mass_kg > 3.0 * wide.mass_kg
    with pytest.raises(BadInput, match="most_deg"):
        plan_poses(6, 0.5)
    with pytest.raises(BadInput, match="count"):
        plan_poses(2)


def test_poses_that_cannot_tell_are_refused():
    """One attitude many times: mass and bias are one number."""
    same = np.tile([1.0, 0.0, 0.0, 0.0], (5, 1))
    with pytest.raises(BadInput, match="cannot be separated"):
        calibrate(same, *readings(same))
    with pytest.raises(BadInput, match="at least 3"):
        calibrate(same[:2], *readings(same[:2]))


def test_a_base_that_is_not_level_is_noticed():
    """One degree of tilt is more than the scatter: said, with the angle."""
    plan = plan_poses(9, 60.0)
    level, tilted = (calibrate(plan.attitudes, *readings(plan.attitudes, t)) for t in (0.0, 1.0))
    assert not level.notes
    assert "1 degrees away" in tilted.notes[0]


def test_a_run_that_needs_better_says_so():
    """The force that may be left in free flight against what the verdict bears; more attitudes are
    asked for, by how many."""
    plan = plan_poses(5, 60.0)
    rng = np.random.default_rng(1)
    force, torque = readings(plan.attitudes)
    rough = calibrate(plan.attitudes, force + rng.normal(0.0, 0.3, force.shape), torque)
    fine = calibrate(plan.attitudes, force + rng.normal(0.0, 1e-5, force.shape), torque)
    scenario = build(epos_wall())
    assert "not good enough" in warn_if_uncertain(rough, scenario)
    assert warn_if_uncertain(fine, scenario) == ""


def test_from_plan_to_lines_to_paste(tmp_path):
    """`calibrate plan` writes poses; filled in, `calibrate estimate` gives the tool and the lines;
    an empty cell is refused with its line."""
    file = tmp_path / "poses.csv"
    done = CliRunner().invoke(cli, ["calibrate", "plan", str(file), "--scenario", "epos_1d"])
    assert done.exit_code == 0, done.output
    assert "mass +-" in done.output
    empty = CliRunner().invoke(cli, ["calibrate", "estimate", str(file)])
    assert empty.exit_code == 2
    assert "poses.csv:4" in empty.stderr
    lines = file.read_text(encoding="utf-8").splitlines()
    rng = np.random.default_rng(5)
    for i in range(3, len(lines)):
        cells = lines[i].split(",")
        turned = exported.Rotation.from_euler("ZYX", np.radians([float(c) for c in cells[1:4]]))
        x, y, z, w = turned.as_quat()
        f, t = readings(np.array([[w, x, y, z]]))
        values = [*(f[0] + rng.normal(0.0, 0.01, 3)), *(t[0] + rng.normal(0.0, 0.001, 3))]
        lines[i] = ",".join([*cells[:4], *(f"{v:.6f}" for v in values)])
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = CliRunner().invoke(cli, ["calibrate", "estimate", str(file), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["mass_kg"]["value"] == pytest.approx(MASS, abs=0.01)
    shown = CliRunner().invoke(cli, ["calibrate", "estimate", str(file), "--scenario", "epos_1d"])
    assert "believed.mass_kg" in shown.output
    assert "epos_1d" in shown.output


def test_the_rests_of_a_log_are_its_poses(tmp_path):
    """A robot that holds seven attitudes for a second each, logged as CSV in the sensor's axes:
    imported, its rests give the tool, and the map with that tool leaves nothing in the readings."""
    plan = plan_poses(7, 45.0)
    rng = np.random.default_rng(2)
    key = exported.Rotation.concatenate([exported.rotation(plan.attitudes)])
    slerp = exported.Slerp(np.arange(7) * 2.0, key)
    time = np.arange(0.0, 13.0, 0.004)
    turned = slerp(np.clip(2.0 * (time // 2.0) + 2.0 * np.clip(time % 2.0 - 1.0, 0.0, 1.0), 0, 12))
    x, y, z, w = turned.as_quat().T
    f, t = readings(np.stack([w, x, y, z], axis=1))
    columns = {"t": time, "w": w, "x": x, "y": y, "z": z}
    columns |= {f"f{a}": f[:, i] + rng.normal(0.0, 0.1, len(time)) for i, a in enumerate("xyz")}
    columns |= {f"t{a}": t[:, i] + rng.normal(0.0, 0.01, len(time)) for i, a in enumerate("xyz")}
    log = exported.write_csv(tmp_path / "log.csv", columns)
    pose = "position = [0.0, 0.0, 0.0]\nattitude = ['w', 'x', 'y', 'z']\n"
    text = (
        "schema = 1\n[clock.log]\ncolumn = 't'\n"
        f"[chaser.command]\n{pose}[chaser.measured]\n{pose}"
        "[chaser.wrench]\nforce = ['fx', 'fy', 'fz']\ntorque = ['tx', 'ty', 'tz']\naxes = 'body'\n"
    )
    (tmp_path / "map.toml").write_text(text, encoding="utf-8")
    recording = softdock.import_log(log, tmp_path / "map.toml")
    still = find_rests(recording.series, "chaser")
    assert len(still.attitudes) == 7
    found = calibrate(still.attitudes, still.force, still.torque, (0.0, 0.0, -9.81), still.least_N)
    assert abs(found.mass.value - MASS) < 4.0 * found.mass.uncertainty
    tool = (
        f"tool.mass_kg = {found.mass.value}\ntool.centre_m = {list(map(float, found.centre.value))}"
        f"\ntool.bias_N = {list(map(float, found.bias_force.value))}\n"
        f"tool.bias_Nm = {list(map(float, found.bias_torque.value))}\n"
    )
    (tmp_path / "map.toml").write_text(text + tool, encoding="utf-8")
    after = softdock.import_log(log, tmp_path / "map.toml")
    left = np.abs(after.series["measured.chaser.force"].mean(axis=0))
    assert left.max() < 0.02  # of 20 N; 3250 readings of 0.1 N: 0.002
