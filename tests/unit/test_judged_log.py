"""The verdict of a recording: against its reference where a scenario is attached; without one a
contact that gives more than it took, and nothing else."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import softdock
from softdock.loop.record import Channel
from softdock.recording.recorded_run import ENDED, LIMITS, judge_recording
from softdock.results.series import Series
from softdock.results.simulation import simulate
from softdock.rig.supervisor.reasons import REASONS
from softdock.scenario.files import load_scenario


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """EPOS 1-D: the run, and what a rig would know of it."""
    run = simulate(load_scenario("epos_1d"))
    file = run.save_mcap(tmp_path_factory.mktemp("flown") / "run.mcap")
    return run, softdock.open_recording(file, as_rig=True)


def contact(taken=1.0, back=0.8, peak=50.0):
    return {
        "peak_force_measured_N": peak,
        "restitution_energetic": back,
        "work_taken_J": taken,
    }


def changed(recording, **changes):
    """A copy that nobody has judged."""
    return dataclasses.replace(recording, _judged=None, _reference=None, **changes)


def without(recording, *starts):
    """A log that never had some channels."""
    s = recording.series
    kept = [i for i, c in enumerate(s.channels) if not c.name.startswith(starts)]
    return changed(recording, series=Series(s.rows[:, kept], [s.channels[i] for i in kept]))


def with_reason(recording, name):
    """The same with the reason of a supervisor."""
    s = recording.series
    names = ", ".join(one.name for one in REASONS)
    code = [one.name for one in REASONS].index(name)
    rows = np.hstack([s.rows, np.full((len(s.rows), 1), float(code))])
    channels = [*s.channels, Channel("reason", "-", "-", "why")]
    return changed(recording, series=Series(rows, channels), tables={"run": {"reasons": names}})


def test_the_numbers_are_those_of_the_run(flown):
    """A rig's view of a simulated run: the same criteria fail, with the numbers that the run has
    at its one phase, and one phase is a doubt."""
    run, recording = flown
    ours, theirs = recording.judge(), run.metrics["verdict"]
    assert ours["word"] == theirs["word"] == "unsafe"
    assert ours["failed"] == theirs["failed"]
    for name in ("energy", "distance", "peak_force"):
        assert ours["phases"][0][name] == pytest.approx(theirs["phases"][0][name], abs=1e-3)
    assert "Only one sampling phase was judged." in ours["doubts"]
    assert recording.metrics["verdict"] is ours


def test_reading_the_metrics_flies_nothing(flown):
    """Before somebody asks for it there is no verdict, as of a run that was flown alone."""
    copy = changed(flown[1])
    assert copy.metrics["verdict"] is None
    assert copy._reference is None


def test_what_a_log_lacks_is_said(flown):
    """Without forces on the satellites the distance is still judged; without their motion nothing
    is, and the reason names the series."""
    found = without(flown[1], "satellite.").judge()
    assert found["criteria"]["peak_force"]["number"] is None
    assert found["criteria"]["distance"]["failed"]
    assert any("peak force" in one and "lacks the forces" in one for one in found["doubts"])
    bare = without(flown[1], "chaser.").judge()
    assert bare["word"] == "no verdict"
    assert bare["headline"] == "NO VERDICT: the log lacks chaser.position."


@pytest.mark.parametrize("reason", [one.name for one in REASONS])
def test_why_a_rig_stopped(flown, reason):
    """A limit of the loop is unsafe, what came from outside gives no verdict of its own, and a run
    that ended is judged. Energy that a contact added before a stop stays unsafe."""
    harmless = with_reason(flown[1], reason)
    harmless.contacts = []
    harmless.scenario = harmless.scenario.replace({"verdict.unsafe_energy": 10.0})
    found = harmless.judge()
    others = "distorted" if reason in ENDED else "no verdict"
    assert found["word"] == ("unsafe" if reason in LIMITS else others)
    if reason in LIMITS:
        assert reason.replace("_", " ") in found["headline"]
    assert with_reason(flown[1], reason).judge()["word"] == "unsafe"


def test_a_dry_run_has_no_verdict(flown):
    """Its mock-ups were kept apart on purpose."""
    dry = changed(flown[1], tables={"run": {"dry_shift_m": "[0.1, 0.0, 0.0]"}})
    assert dry.judge()["headline"] == "NO VERDICT: a dry run: the mock-ups were kept apart."
    docked = changed(flown[1], tables={"run": {"dry_shift_m": "[0.0, 0.0, 0.0]"}})
    assert docked.judge()["word"] == "unsafe"


def test_the_reference_starts_where_the_log_does(flown):
    """A log that begins later than its scenario is compared from its own first row: the same word
    and distance."""
    s = flown[1].series
    late = changed(flown[1], series=Series(s.rows[50:], s.channels))
    assert late.judge()["word"] == "unsafe"
    whole = flown[1].judge()["phases"][0]["distance"]
    assert late.judge()["phases"][0]["distance"] == pytest.approx(whole, rel=1e-3)


def test_lost_rows_are_filled_in_and_said(flown):
    """Ten rows of free flight are gone: the numbers stay, and the loss is a doubt."""
    s = flown[1].series
    rows = np.delete(s.rows, slice(20, 30), axis=0)
    holed = changed(flown[1], series=Series(rows, s.channels), lost={"cycle": 10})
    found = holed.judge()
    whole = flown[1].judge()["phases"][0]
    assert found["phases"][0]["distance"] == pytest.approx(whole["distance"], rel=1e-6)
    assert "10 rows of the recording are lost and were filled in." in found["doubts"]


@pytest.mark.parametrize(
    ("contacts", "word"),
    [
        ([contact()], "no verdict"),
        ([contact(back=1.1)], "unsafe"),
        ([contact(back=1.01)], "no verdict"),
        ([contact(back=1.02), contact(back=1.02)], "unsafe"),  # 4 % each
        ([contact(back=0.5), contact(taken=0.25, back=1.2)], "unsafe"),
        ([contact(taken=1e-9, back=5.0, peak=2.0), contact()], "no verdict"),  # a touch of noise
        ([], "no verdict"),
    ],
)
def test_without_a_scenario(flown, contacts, word):
    """What contacts add up to, over what the first one took; nothing is called faithful."""
    bare = changed(flown[1], scenario=None, contacts=contacts)
    found = judge_recording(bare, "bench")
    assert found["word"] == word
    assert "softdock identify bench" in found["next_step"]
    assert any("no reference" in one for one in found["doubts"])
    if word == "no verdict":
        assert "the log has no scenario" in found["headline"]
