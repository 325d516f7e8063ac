"""`rig accept` compares what each recording says of the rig with what its scenario believes, and a
rig that is not as believed does not pass."""

from __future__ import annotations

import pytest
from rig_runs import quick

from softdock import load_scenario, run_loop
from softdock.recording.simulated import save_mcap
from softdock.rig.runs import Acceptance, AcceptRow
from softdock.rig.validation import compare_recordings

BOUNCED = (AcceptRow(measured=1.119, predicted=1.119, age_ms=0.0, on_time=True),)
STIFFNESS, CHASER, ZERO = "stiffness", "delay of the chaser's robot", "in free motion"


def compared(tmp_path, **changes):
    """A bounce of epos_1d on a rig that differs by the changes, as its recording is read."""
    noise = {"sensor.noise_N": 0.02}
    file = save_mcap(run_loop(load_scenario("epos_1d", noise | changes)), tmp_path / "run.mcap")
    return compare_recordings(quick(), {1: file})


def found_of(comparisons, what):
    (one,) = (c for c in comparisons if what in c.what and c.what.startswith(("s", "m", "d")))
    return one


def test_a_rig_as_believed_passes(tmp_path):
    """Stiffness, the chaser's delay and the zero of epos_1d; the target's robot stood still, which
    tells no delay and does not decide."""
    comparisons = compared(tmp_path)
    assert found_of(comparisons, STIFFNESS).measured == pytest.approx(1000.0, rel=0.02)
    assert found_of(comparisons, CHASER).measured == pytest.approx(16.0, abs=1.0)
    assert found_of(comparisons, ZERO).passed
    untold = found_of(comparisons, "target's robot")
    assert (untold.passed, untold.measured) == (None, None)
    assert "one velocity" in untold.sentence
    assert Acceptance(BOUNCED, 5e-3, 1, comparisons).passed


@pytest.mark.parametrize(
    ("key", "value", "what", "measured"),
    [
        ("contact.0.real.stiffness_N_per_m", 1080.0, STIFFNESS, 1080.0),
        ("robots.chaser.delay_ms", 20.0, CHASER, 20.0),
        ("sensor.bias_N", [0.0, 0.4, 0.0], ZERO, 0.4),
    ],
)
def test_a_rig_that_is_not_as_believed_does_not_pass(tmp_path, key, value, what, measured):
    """The comparison that fails is the one of the number that differs, with what it is."""
    comparisons = compared(tmp_path, **{key: value})
    one = found_of(comparisons, what)
    assert one.passed is False
    assert one.measured == pytest.approx(measured, rel=0.05)
    acceptance = Acceptance(BOUNCED, 5e-3, 1, comparisons)
    assert not acceptance.passed
    assert one.what in acceptance.sentence
    assert "NOT as expected" in one.sentence


def test_a_recording_that_cannot_be_read_says_so(tmp_path):
    (one,) = compare_recordings(quick(), {1: tmp_path / "none.mcap"})
    assert one.passed is None
    assert "no such file" in one.sentence
