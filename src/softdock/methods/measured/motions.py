"""Motions of both bodies, kept in `mem` from one cycle to the next: for methods of a user's own
that give no cells to their state."""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import MOTION_FLOATS, load_motion, store_motion


@compiled
def load_both(mem, at):
    return Output(load_motion(mem, at), load_motion(mem, at + MOTION_FLOATS))


@compiled
def store_both(mem, at, both: Output):
    store_motion(mem, at, both.chaser)
    store_motion(mem, at + MOTION_FLOATS, both.target)
