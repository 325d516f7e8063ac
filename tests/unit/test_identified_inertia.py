"""A tool behind the sensor: what accelerates it is no contact, and a weight that turns is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flown_log import one_file
from identified import NOISE, off_by
from logged_docking import text, xyz
from scenarios import cone_docking, epos_wall
from scipy.spatial.transform import Rotation, Slerp

import softdock
from softdock.recording.logs.guess import guess_log
from softdock.recording.logs.guess_text import write_map
from softdock.recording.logs.mapping import parse_map
from softdock.results.run import Run
from softdock.studies.identify import Identification, identify

TOOL_KG, STIFFNESS = 3.2, 12_000.0


def heavy_tool(seed: int) -> Run:
    """A tool on a robot of one axis; its weight is taken out of the readings, inertia is not."""
    tables = epos_wall(mass_kg=210.0, stiffness=STIFFNESS)
    tables["time"]["duration_s"] = 1.5
    tables["mock_up"] = {"chaser": {"mass_kg": TOOL_KG, "believed": {"acceleration": "ignored"}}}
    tables |= {"sensor": dict(NOISE), "random": {"seed": seed}}
    return softdock.run_loop(tables)


def said(found: Identification, words: str) -> str:
    return next((note for note in found.notes if words in note), "")


@pytest.mark.parametrize("seed", range(3))
def test_the_inertia_of_a_stated_tool_is_taken_out(seed):
    """What accelerates 3.2 kg lowers the stiffness by 1.4 %, eleven stated uncertainties, and the
    log says what a mass would change."""
    run = heavy_tool(seed)
    plain, found = identify(run), identify(run, tool_mass=TOOL_KG)
    assert off_by(plain.stiffness, STIFFNESS) < -8.0
    assert "for each kilogram; --tool-mass states it" in said(plain, "too low")
    assert abs(off_by(found.stiffness, STIFFNESS)) < 3.0
    assert "3.2 kg behind the sensor" in said(found, "taken out")


def test_the_weight_of_a_turning_tool_tells_its_inertia():
    """Nothing is taken out of the readings: the log shows the mass by its weight, with an
    uncertainty that is part of the stiffness's."""
    tables = cone_docking(delay_ms=16.0, duration_s=3.0)
    tables["mock_up"] = {"chaser": {"mass_kg": TOOL_KG, "believed": {"mass_kg": 0.0}}}
    tables["sensor"] = {"period_ms": 1.0, "noise_N": 0.25, "noise_Nm": 0.02}
    found = identify(softdock.run_loop(tables))
    assert found.tools["chaser"].mass.value == pytest.approx(TOOL_KG, rel=0.02)
    assert abs(off_by(found.stiffness, 4000.0)) < 3.0
    assert said(found, "has been taken out of the force")


def calibration_log(path: Path, seed: int, in_tool: bool, sign: float) -> Path:
    """A tool of 2 kg turned slowly through random attitudes, with a bias, at 250 Hz."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, 20.0, 0.004)
    stops = 2.5 * np.arange(10)
    turned = Rotation.from_rotvec(rng.uniform(-1.0, 1.0, (10, 3)))
    i = np.minimum((t // 2.5).astype(int), 8)
    s = np.clip((t - 2.5 * i) / 1.5, 0.0, 1.0)
    r = Slerp(stops, turned)(stops[i] + 2.5 * s * s * (3.0 - 2.0 * s))
    force = r.inv().apply([0.0, 0.0, -9.81 * 2.0]) + rng.uniform(-5.0, 5.0, 3)
    force += rng.normal(0.0, 0.1, force.shape)
    force = sign * (force if in_tool else r.apply(force))
    own = {"t": t} | xyz("tcp_{}_mm", 500.0 + 50.0 * r.apply([1.0, 0.0, 0.0]))
    own |= xyz("tcp_q{}", r.as_quat(), axes="xyzw") | xyz("f{}", force)
    path.write_text(text(own), encoding="utf-8")
    return path


@pytest.mark.parametrize(("in_tool", "sign"), [(True, 1.0), (True, -1.0), (False, 1.0)])
def test_a_calibration_log_has_no_contacts(tmp_path, in_tool, sign):
    """A weight and a bias that turn with the tool; axes and sign are found by the weight."""
    log = calibration_log(tmp_path / "log.csv", 5, in_tool, sign)
    guess = guess_log(log)
    assert (guess.axes, guess.acts) == (
        "body" if in_tool else "world",
        "on_body" if sign > 0 else "on_sensor",
    )
    recording = softdock.import_log(log, parse_map(write_map(log, guess)))
    assert recording.contacts == []
    with pytest.raises(softdock.BadInput, match="softdock calibrate estimate"):
        identify(recording)
    assert identify(recording, tool_only=True).tools["chaser"].mass.value == pytest.approx(
        2.0, rel=0.02
    )


def test_a_touch_in_a_calibration_log_is_found(tmp_path):
    """What stands out of the turning weight is a contact."""
    log = calibration_log(tmp_path / "log.csv", 6, True, 1.0)
    lines = log.read_text(encoding="utf-8").splitlines()
    for i in range(2000, 2040):
        cells = lines[i].split(",")
        cells[-1] = str(float(cells[-1]) + 15.0)
        lines[i] = ",".join(cells)
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = softdock.import_log(log, parse_map(write_map(log, guess_log(log))))
    assert len(found.contacts) == 1
    assert found.contacts[0]["start_s"] == pytest.approx(0.004 * 1999, abs=0.01)


def test_the_map_of_an_imported_log_tells_the_mass(tmp_path):
    """Its weight is taken out at the import, what accelerates it when the log is identified."""
    log, mapped = one_file(tmp_path)
    own = mapped.read_text(encoding="utf-8") + "\ntool.mass_kg = 3.2\n"
    found = softdock.import_log(log, parse_map("gravity_m_per_s2 = [0.0, 0.0, 0.0]\n" + own))
    assert "3.2 kg behind the sensor" in said(identify(found), "taken out")
