"""Motions of both bodies kept in `mem` from cycle to cycle."""

from __future__ import annotations

from softdock.core.adaptation.interface import Output
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import MOTION_FLOATS, load_motion, store_motion


@compiled
def load_both(mem, at):
    return Output(load_motion(mem, at), load_motion(mem, at + MOTION_FLOATS))


@compiled
def store_both(mem, at, both):
    store_motion(mem, at, both.chaser)
    store_motion(mem, at + MOTION_FLOATS, both.target)
