"""What stands around a run: exit codes, signals, requests that are sent again, ports."""

from __future__ import annotations

import signal
from types import SimpleNamespace

import pytest

from softdock.cli.rig import _take_as_ctrl_c
from softdock.cli.rig_run import exit_if_stopped
from softdock.output.viewer.server import FIRST_PORT, choose_port
from softdock.rig.peers import Requests
from softdock.rig.runs import RigSeries
from softdock.rig.wire.sequences import HEARD, SEQUENCE_COLUMNS


@pytest.mark.parametrize(
    ("completed", "said", "code"),
    [(True, [], None), (True, ["the recording is not whole"], 3), (False, [], 3)],
)
def test_a_recording_that_is_not_whole_is_no_success(completed, said, code):
    """A run that has completed exits with 3 all the same where its recording lacks something."""
    run = SimpleNamespace(outcome=SimpleNamespace(completed=completed), problems=said)
    series = RigSeries([run], planned=1, granted=None, compute_us=None, not_taken={})
    if code is None:
        exit_if_stopped(series)
        return
    with pytest.raises(SystemExit) as stopped:
        exit_if_stopped(series)
    assert stopped.value.code == code


def test_a_job_in_the_background_hears_sigint():
    """A shell lets a script's background jobs ignore SIGINT; `nohup`, which ignores SIGHUP, stays
    as it is."""
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGHUP)}
    try:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        _take_as_ctrl_c("SIGINT", "SIGHUP")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_sensor_that_sends_nothing_is_asked_again():
    """The request of half a second ago may have been lost; who sends is left alone."""
    counts = {"chaser": [0] * SEQUENCE_COLUMNS, "target": [0] * SEQUENCE_COLUMNS}
    sensors = {
        name: SimpleNamespace(arrays=SimpleNamespace(sequence=row)) for name, row in counts.items()
    }
    asked = []
    requests = Requests(SimpleNamespace(sensors=sensors, request=asked.append))
    for tenth in range(21):
        counts["target"][HEARD] += 100
        requests.repeat(0.1 * tenth)
    assert asked == ["chaser"] * 3


def test_the_view_leaves_the_live_stream_its_port():
    """Both begin at the same one: with both on one run the view takes another."""
    assert choose_port(None, (FIRST_PORT,)) > FIRST_PORT
