"""A run of an emulated rig in virtual time, recorded as `softdock rig run` records it."""

from __future__ import annotations

from pathlib import Path

from softdock.drivers.rig_outcome import RigOutcome, outcome_of
from softdock.drivers.rig_scenario import OnRig
from softdock.drivers.rig_virtual import VirtualRig
from softdock.recorder.follow import Follower
from softdock.recorder.mcap_file import McapFile
from softdock.recorder.sink import Sink
from softdock.rig.recording import recorder_for


def record(on: OnRig, file: Path, seconds: float = 60.0) -> RigOutcome:
    """The recording of the run, written by this process when the run has ended."""
    rings = recorder_for(on, file, "", {}, {"dry_shift_m": "[0.0, 0.0, 0.0]"}).rings
    rig = VirtualRig(on, rings=rings)
    rig.run(seconds)
    sink = Sink(file)
    assert Follower(rings, McapFile(sink, rings.about, rings.streams), sink).finish(
        "the loop ended"
    )
    rings.remove()
    return outcome_of(rig.program)
