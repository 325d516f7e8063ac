"""The loop's state as one flat array: what crosses the border between Python and compiled code, and
what `step` is given and returns."""

from __future__ import annotations

from softdock.core.adaptation.interface import Output, Satellites, Wrenches
from softdock.core.contact_log import Tracker
from softdock.core.cycle import Loop
from softdock.core.energy.ledger import Ledger
from softdock.core.facility.simulated import Facility
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import load_motion, load_wrench, store_motion, store_wrench
from softdock.core.spatial.rigid_body import BODY_FLOATS, load_body, store_body
from softdock.core.spatial.vectors import load3, store3

# where each part begins
SATELLITES, COMMAND, MOCK_UPS, TRUE, FACILITY, WRENCHES, LEDGER, TRACKER, REST = (
    0,
    26,
    52,
    78,
    90,
    101,
    113,
    130,
    145,
)
STATE_FLOATS = 147


@compiled
def _store_tracker(flat, at, t):
    flat[at] = 1.0 if t.open else 0.0
    flat[at + 1] = float(t.closed)
    flat[at + 2] = 1.0 if t.apart else 0.0
    flat[at + 3] = float(t.pair)
    flat[at + 4] = t.start
    flat[at + 5] = t.last_touch
    flat[at + 6] = t.before
    flat[at + 7] = t.after
    flat[at + 8] = t.peak_real_squared
    flat[at + 9] = t.peak_satellite_squared
    store3(flat, at + 10, t.impulse)
    flat[at + 13] = t.compressed
    flat[at + 14] = t.released


@compiled
def _load_tracker(flat, at):
    a = flat
    return Tracker(
        open=a[at] != 0.0,
        closed=int(a[at + 1]),
        apart=a[at + 2] != 0.0,
        pair=int(a[at + 3]),
        start=a[at + 4],
        last_touch=a[at + 5],
        before=a[at + 6],
        after=a[at + 7],
        peak_real_squared=a[at + 8],
        peak_satellite_squared=a[at + 9],
        impulse=load3(a, at + 10),
        compressed=a[at + 13],
        released=a[at + 14],
    )


@compiled
def store_facility(flat, facility):
    store_motion(flat, MOCK_UPS, facility.chaser)
    store_motion(flat, MOCK_UPS + 13, facility.target)
    store_wrench(flat, TRUE, facility.true_chaser)
    store_wrench(flat, TRUE + 6, facility.true_target)
    at = FACILITY
    flat[at] = facility.dissipating
    flat[at + 1] = float(facility.samples)
    flat[at + 2] = float(facility.handed)
    flat[at + 3] = facility.reading_time
    flat[at + 4] = facility.seen_time
    store_wrench(flat, at + 5, facility.reading)


@compiled
def load_facility(flat):
    at = FACILITY
    return Facility(
        chaser=load_motion(flat, MOCK_UPS),
        target=load_motion(flat, MOCK_UPS + 13),
        true_chaser=load_wrench(flat, TRUE),
        true_target=load_wrench(flat, TRUE + 6),
        dissipating=flat[at],
        samples=int(flat[at + 1]),
        handed=int(flat[at + 2]),
        reading=load_wrench(flat, at + 5),
        reading_time=flat[at + 3],
        seen_time=flat[at + 4],
    )


@compiled
def load_satellites(flat):
    return Satellites(load_body(flat, SATELLITES), load_body(flat, SATELLITES + BODY_FLOATS))


@compiled
def store_satellites(flat, satellites):
    store_body(flat, SATELLITES, satellites.chaser)
    store_body(flat, SATELLITES + BODY_FLOATS, satellites.target)


@compiled
def store_output(flat, at, output):
    store_motion(flat, at, output.chaser)
    store_motion(flat, at + 13, output.target)


@compiled
def load_output(flat, at):
    return Output(load_motion(flat, at), load_motion(flat, at + 13))


@compiled
def store_loop(flat, loop):
    store_satellites(flat, loop.satellites)
    store_output(flat, COMMAND, loop.command)
    store_facility(flat, loop.facility)
    store_wrench(flat, WRENCHES, loop.wrenches.chaser)
    store_wrench(flat, WRENCHES + 6, loop.wrenches.target)
    store_ledger(flat, LEDGER, loop.ledger)
    _store_tracker(flat, TRACKER, loop.tracker)
    flat[REST] = loop.depth
    flat[REST + 1] = float(loop.status)


@compiled
def store_ledger(flat, at, ledger):
    for i in range(17):
        flat[at + i] = ledger[i]


@compiled
def load_loop(flat):
    a = LEDGER
    f = flat
    first = (f[a], f[a + 1], f[a + 2], f[a + 3], f[a + 4], f[a + 5], f[a + 6], f[a + 7])
    last = (
        f[a + 8],
        f[a + 9],
        f[a + 10],
        f[a + 11],
        f[a + 12],
        f[a + 13],
        f[a + 14],
        f[a + 15],
        f[a + 16],
    )
    return Loop(
        satellites=load_satellites(f),
        command=load_output(f, COMMAND),
        facility=load_facility(f),
        ledger=Ledger(*first, *last),
        tracker=_load_tracker(f, TRACKER),
        depth=f[REST],
        wrenches=Wrenches(load_wrench(f, WRENCHES), load_wrench(f, WRENCHES + 6)),
        status=int(f[REST + 1]),
    )
