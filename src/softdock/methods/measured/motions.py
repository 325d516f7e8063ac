"""States, motions and wrenches of both bodies, and pairs of vectors, kept in `mem` from one
cycle to the next."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    WRENCH_FLOATS,
    load_motion,
    load_wrench,
    store_motion,
    store_wrench,
)
from softdock.loop.spatial.rigid_body import BODY_FLOATS, load_body, store_body
from softdock.loop.spatial.vectors import load3, store3

TWO_VECTORS = Cells("two_vectors", Cell("first", 3), Cell("second", 3))
SECOND = TWO_VECTORS.at.second


@compiled
def store_satellites(mem, at, satellites):
    store_body(mem, at, satellites.chaser)
    store_body(mem, at + BODY_FLOATS, satellites.target)


@compiled
def load_satellites(mem, at):
    return Satellites(load_body(mem, at), load_body(mem, at + BODY_FLOATS))


@compiled
def load_both(mem, at):
    return Output(load_motion(mem, at), load_motion(mem, at + MOTION_FLOATS))


@compiled
def store_both(mem, at, both):
    store_motion(mem, at, both.chaser)
    store_motion(mem, at + MOTION_FLOATS, both.target)


@compiled
def load_wrenches(mem, at):
    return Wrenches(load_wrench(mem, at), load_wrench(mem, at + WRENCH_FLOATS))


@compiled
def store_wrenches(mem, at, wrenches):
    store_wrench(mem, at, wrenches.chaser)
    store_wrench(mem, at + WRENCH_FLOATS, wrenches.target)


@compiled
def load_pair(mem, at):
    return load3(mem, at), load3(mem, at + SECOND)


@compiled
def store_pair(mem, at, first, second):
    store3(mem, at, first)
    store3(mem, at + SECOND, second)
