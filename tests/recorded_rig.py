"""A run of an emulated rig in virtual time, recorded as `softdock rig run` records it."""

from __future__ import annotations

from pathlib import Path

from softdock.recording.mcap_file import McapFile, Sink
from softdock.recording.recorder import Follower
from softdock.rig.emulated_rig import VirtualRig
from softdock.rig.outcome import RigOutcome, compute_outcome
from softdock.rig.runs import make_recorder
from softdock.rig.scenario import OnRig


def record(on: OnRig, file: Path, seconds: float = 60.0) -> RigOutcome:
    """The recording of the run, written by this process when the run has ended."""
    rings = make_recorder(on, file, "", {}, {"dry_shift_m": "[0.0, 0.0, 0.0]"}).rings
    rig = VirtualRig(on, rings=rings)
    rig.run(seconds)
    sink = Sink(file)
    assert Follower(rings, McapFile(sink, rings.about, rings.streams), sink).finish(
        "the loop ended"
    )
    rings.remove()
    return compute_outcome(rig.program)
