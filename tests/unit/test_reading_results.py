"""Reading a number of a result computes nothing anew: what simulates is a call that says so."""

from __future__ import annotations

import sys

import pytest

import softdock
from softdock.recording.recording import Recording
from softdock.results.run import Run
from softdock.studies.compare.compare import Comparison

# Functions at the bottom of every simulation
FLIES = ("run_cycles", "run_batch", "orbit_run", "run_orbit", "control_step", "exchange")


class Flew(BaseException):
    """Something was flown; no `except Exception` hides it."""


def grounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that flies raise, by whatever name a module knows it."""

    def fly(*args, **kwargs):
        raise Flew

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "softdock":
            for one in FLIES:
                if callable(vars(module).get(one)):
                    monkeypatch.setattr(module, one, fly)


def read_all(result: object) -> int:
    """Read every public property, in words too; what is not there says so."""
    names = [
        name
        for one in type(result).__mro__
        for name, value in vars(one).items()
        if not name.startswith("_") and isinstance(value, property)
    ]
    for name in names:
        try:
            getattr(result, name)
        except softdock.SoftdockError:
            continue
    repr(result)
    return len(names)


def test_reading_a_number_flies_nothing(monkeypatch, tmp_path):
    """Protects a reader from a second simulation behind a property: runs flown alone, judged and
    opened, recordings and comparisons say what they hold, or name the call that flies."""
    scenario = softdock.load_scenario("epos_1d", ["time.duration_s=0.02"])
    run, other = softdock.run_loop(scenario), softdock.run_loop(scenario)
    recording = softdock.open_recording(other.save_mcap(tmp_path / "run.mcap"), as_rig=True)
    assert isinstance(recording, Recording)
    compared = Comparison(run.scenario, {"candidates": [], "recommendation": ""})
    with monkeypatch.context() as patch:
        grounded(patch)
        with pytest.raises(softdock.SoftdockError, match=r"softdock\.judge\(run\)"):
            _ = run.metrics
        with pytest.raises(softdock.SoftdockError, match=r"run\.simulate_reference\(\)"):
            _ = run.reference
        with pytest.raises(softdock.SoftdockError, match=r"recording\.simulate_reference\(\)"):
            _ = recording.reference
        for result in (run, recording, compared):
            assert read_all(result) > 1
        with pytest.raises(Flew):  # so that this test can fail
            run.simulate_reference()
        with pytest.raises(Flew):
            recording.simulate_reference()
    assert softdock.judge(run) is run
    with monkeypatch.context() as patch:
        grounded(patch)
        assert read_all(run) > 7
        assert run.reference is run.simulate_reference()
        assert run.metrics["status"] == "completed"
    assert isinstance(run, Run)
