"""A controller and a facility joined at the seam: what a run says where nobody knows the truth, and
what ends it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scenarios import hard_for_the_core

import softdock
from softdock.errors import BadInput, NoTruth
from softdock.loop import seam
from softdock.loop.seam import PRESENT_BITS, REPORT, STATUS_BITS
from softdock.output.folders.sources import load_scene
from softdock.recording.recording import Recording

TRUE = ("mock_up.", "true.", "contact.depth")
LEDGER_OF_TRUTH = {f"energy.{name}" for name in ("sensor", "command", "robot", "real", "stored")}
LEDGER_OF_TRUTH |= {"energy.dissipated", "energy.turnover"}


class Rig:
    """A facility without a truth to tell: the simulated one behind a wall, with its reports changed
    as a real one's would be."""

    def __init__(self, scenario, change=lambda k, report: None):
        self.inside, self.change = softdock.SimulatedFacility(scenario), change
        self.stopped = None

    def start(self, command, report):
        self.inside.start(command, report)
        self.change(0, report)
        return int(report[REPORT.at.status])

    def exchange(self, k, command, report):
        self.inside.exchange(k, command, report)
        self.change(k + 1, report)
        return int(report[REPORT.at.status])

    def stop(self, why):
        self.stopped = why


@pytest.fixture(scope="module")
def epos():
    return softdock.load_scenario("epos_1d")


def test_a_driven_run_is_the_flown_run(epos):
    """Every channel that a report tells or the truth has is the fused loop's to the bit; the rows
    of the ledger that are put together afterwards agree to rounding; so do the metrics."""
    flown, driven = softdock.run_loop(epos), softdock.drive(epos, softdock.SimulatedFacility(epos))
    assert isinstance(softdock.SimulatedFacility(epos), softdock.Facility)
    assert list(driven.series) == list(flown.series)
    for name in flown.series:
        if name != "energy.turnover":
            close = LEDGER_OF_TRUTH | {"energy.external"}
            assert driven.series[name] == pytest.approx(
                flown.series[name], abs=1e-15 if name in close else 0.0, rel=0.0
            ), name
    assert driven.contacts[0]["restitution"] == pytest.approx(flown.restitution, abs=1e-9)
    assert driven.contacts[0]["peak_force_real_N"] == flown.contacts[0]["peak_force_real_N"]
    assert driven.reached[:2] == flown.reached[:2]
    a, b = softdock.judge(flown).metrics, softdock.judge(driven).metrics
    assert b["energy_added_J"] == a["energy_added_J"]
    assert b["restitution"] == pytest.approx(a["restitution"], abs=1e-9)


def test_what_a_rig_cannot_know_is_absent(epos):
    """No channel, no sum and no key of a contact is zero or NaN in place of the truth: it is not
    there, and who asks for more is told why."""
    run, flown = softdock.drive(epos, rig := Rig(epos)), softdock.run_loop(epos)
    assert run.status == "completed"
    assert rig.stopped == 0
    absent = {n for n in flown.series if n.startswith(TRUE)} | LEDGER_OF_TRUTH
    assert set(flown.series) - set(run.series) == absent
    assert np.isfinite(run.series.rows).all()
    for name in run.series:
        assert run.series[name].tobytes() == flown.series[name].tobytes(), name
    assert "peak_force_real_N" not in run.contacts[0]
    assert run.contacts[0]["peak_force_measured_N"] == pytest.approx(5.310, abs=1e-3)
    assert run.ledger["observed"] == flown.ledger["observed"]
    assert not run.has_truth
    for ask in (lambda: softdock.judge(run), lambda: run.energy_added_J, lambda: run.verdict):
        with pytest.raises(NoTruth):
            ask()


def test_a_run_known_from_reports_alone_is_recorded_and_shown(epos, tmp_path):
    """Folder and MCAP file: what comes back is a recording of a rig, with the same rows, the
    bounce, a verdict against orbit, a page and a scene."""
    run = softdock.drive(epos, Rig(epos))
    folder = run.save(tmp_path / "run")
    again = softdock.open_recording(folder)
    alone = softdock.open_recording(run.save_mcap(tmp_path / "run.mcap"))
    for one in (again, alone):
        assert isinstance(one, Recording)
        assert set(one.series) == set(run.series)
        assert one.series["measured.chaser.force"] == pytest.approx(
            run.series["measured.chaser.force"], abs=1e-12
        )
        assert one.contacts[0]["restitution_of_centres"] == pytest.approx(1.119, abs=1e-3)
        assert one.judge()["word"] == "unsafe"
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["verdict"]["word"] == "unsafe"
    assert metrics["peak_force_measured_N"] == pytest.approx(5.310, abs=1e-3)
    assert "Unsafe" in (folder / "report.html").read_text()
    assert load_scene(str(folder)).time[-1] == pytest.approx(2.5)


def test_a_robot_without_a_twist_gets_one_from_its_poses(epos):
    """Robots report poses alone (RSI does): the velocity is their difference over their stamps, and
    cells of the twist that hold rubbish are not read."""
    poses_only = ~(PRESENT_BITS["chaser_twist"] | PRESENT_BITS["target_twist"])

    def forget(k, report):
        report[REPORT.at.present] = int(report[REPORT.at.present]) & poses_only
        report[REPORT.at.chaser + 7 : REPORT.at.chaser + 13] = math.nan
        report[REPORT.at.target + 7 : REPORT.at.target + 13] = math.nan

    from softdock.loop.controller_state import CONTROLLER_STATE

    controller = softdock.Controller(epos, rows=301)
    rig, command, report = Rig(epos, forget), controller.first_command(), seam.new_report()
    rig.start(command, report)
    for k in range(300):
        assert controller.step(k, report, command) == 0
        rig.exchange(k, command, report)
    seen = controller.kept[CONTROLLER_STATE.slice_of("seen")]
    true = rig.inside.truth[299, 7]  # the mock-up's velocity along x
    assert seen[7] == pytest.approx(true, abs=1e-4)
    assert abs(true) > 1e-3
    said = seam.told(report)
    assert len(said["chaser"]) == 7
    assert said["target_wrench"] is None
    assert said["chaser_force_age"] == 0.0


@pytest.mark.parametrize("bit", ["robot_fault", "sensor_fault", "stop_asked"])
def test_a_facility_ends_the_run(epos, bit):
    """A fault or an operator's stop in a report: no further command, the run holds what was up to
    there, the facility is told to stop, and the run says what it heard."""

    def fault(k, report):
        report[REPORT.at.status] = STATUS_BITS[bit] if k == 100 else 0

    run = softdock.drive(epos, rig := Rig(epos, fault))
    assert (run.status, run.cycles) == ("stopped by the facility", 100)
    assert len(run.series.rows) == 101
    assert rig.stopped == seam.SEAM_STATUSES.index(run.status)
    assert any(bit in text for text in run.warnings)


def test_limits_are_of_what_was_measured(epos):
    """A force limit ends the run at the first report above it, and not one of the truth."""
    tables = {**epos.tables, "stop": {"force_N": 3.0}}
    run = softdock.drive(tables, Rig(softdock.build(tables)))
    force = np.abs(run.series["measured.chaser.force.x"])
    assert run.status == "force limit"
    assert force[-1] > 3.0 >= force[:-1].max()
    assert run.contacts[0]["peak_force_measured_N"] == force[-1]


def test_a_lost_force_is_held_and_grows_old(epos):
    """Reports without a wrench: the last one acts on, and its age counts on by the cycle."""

    def lose(k, report):
        if 150 <= k < 155:
            report[REPORT.at.present] = (
                int(report[REPORT.at.present]) & ~PRESENT_BITS["chaser_wrench"]
            )
            report[REPORT.slice_of("chaser_wrench")] = math.nan

    run = softdock.drive(epos, Rig(epos, lose))
    force, age = run.series["measured.chaser.force.x"], run.series["force_age"]
    assert (force[149:155] == force[149]).all()
    assert force[155] != force[149]
    assert age[149:156] == pytest.approx([0.0, 4e-3, 8e-3, 12e-3, 16e-3, 20e-3, 0.0], abs=1e-12)


def test_an_array_of_another_size_is_refused(epos):
    """Compiled code looks at no size: Python does."""
    controller = softdock.Controller(epos)
    with pytest.raises(BadInput, match="report: given"):
        controller.step(0, np.zeros(3), controller.first_command())
    with pytest.raises(BadInput, match="touch_N"):
        softdock.Controller(epos, touch_N=math.nan)


def test_noise_alone_is_no_contact():
    """Six spreads of the sensor's noise by default: a noisy docking in a cone has its one contact
    in the log, a little shorter than the true one."""
    scenario = softdock.build(hard_for_the_core(duration_s=1.3))
    (true,) = softdock.run_loop(scenario).contacts
    (seen,) = softdock.drive(scenario, softdock.SimulatedFacility(scenario)).contacts
    assert true["start_s"] < seen["start_s"] < seen["end_s"] < true["end_s"]
    assert seen["impulse_Ns"] == pytest.approx(true["impulse_Ns"], rel=0.05)
