"""The log of real contacts, written while the loop runs: when, how long, how hard, and what came
back.

A contact opens with the first real touch and closes when nothing has touched for the merge window
(twice the delay: a contact that chatters is one contact). Restitution compares the rates of the gap
at the satellites, each with its own normal, before and after (Zebenay eq. 113).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, layout_of
from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import port_energy
from softdock.loop.spatial.vectors import Vector, add_scaled, dot, norm

if TYPE_CHECKING:
    from softdock.loop.method.interface import Wrenches

LOG = Cells(
    "contact",
    Cell("start_s", float, "s", "first touch"),
    Cell("end_s", float, "s", "last touch"),
    Cell("restitution", float, "-", "rates of the gap, after over before; NaN: still in contact"),
    Cell("restitution_energetic", float, "-", "root of energy given back over energy taken"),
    Cell("peak_force_real_N", float, "N", "largest true force of a contact pair"),
    Cell("peak_force_satellite_N", float, "N", "largest force on the chaser satellite"),
    Cell("impulse_Ns", float, "Ns", "size of the impulse on the chaser satellite"),
    Cell("pair", int, "-", "index of the pair that was deepest at the last touch"),
    Cell("gap_rate_before_m_per_s", float, "m/s", "rate of the gap at the first touch"),
    Cell("gap_rate_after_m_per_s", float, "m/s", "and once nothing of the contact acts"),
)
LOG_COLUMNS = tuple(cell.name for cell in LOG)


class Tracker(NamedTuple):
    """The contact under way, and how many have closed."""

    open: Annotated[bool, "-", "1: a contact is under way"]
    closed: Annotated[int, "-", "contacts so far"]
    apart: Annotated[bool, "-", "1: the parts have separated, but not yet for the merge window"]
    pair: Annotated[int, "-", "the deepest pair of the last touch"]
    start: Annotated[float, "s", "first touch"]
    last_touch: Annotated[float, "s", "last touch"]
    before: Annotated[float, "m/s", "rate of the gap at the satellites, at the first touch"]
    after: Annotated[float, "m/s", "rate of the gap when the parts separated"]
    peak_real_squared: Annotated[float, "N^2", "largest true force of a pair, squared"]
    peak_satellite_squared: Annotated[
        float, "N^2", "largest force on the chaser satellite, squared"
    ]
    impulse: Annotated[Vector, "Ns", "on the chaser satellite, world axes"]
    compressed: Annotated[float, "J", "energy taken from the satellites"]
    released: Annotated[float, "J", "energy given back"]


TRACKER = layout_of(Tracker)
_with_cycle = make_replacer(
    Tracker,
    "apart",
    "pair",
    "last_touch",
    "peak_real_squared",
    "peak_satellite_squared",
    "impulse",
    "compressed",
    "released",
)
_with_recomputed = make_replacer(Tracker, "peak_satellite_squared", "impulse", "compressed")
_with_separation = make_replacer(Tracker, "apart", "after")
_with_start = make_replacer(Tracker, "open", "closed", "start", "last_touch", "before")
_with_count = make_replacer(Tracker, "closed")


@compiled
def no_contact():
    return Tracker(
        open=False,
        closed=0,
        apart=False,
        pair=0,
        start=0.0,
        last_touch=0.0,
        before=0.0,
        after=0.0,
        peak_real_squared=0.0,
        peak_satellite_squared=0.0,
        impulse=(0.0, 0.0, 0.0),
        compressed=0.0,
        released=0.0,
    )


@compiled
def open_contact(closed, start, before):
    return _with_start(
        no_contact(), open=True, closed=closed, start=start, last_touch=start, before=before
    )


@compiled
def add_cycle(tracker: Tracker, touch, T, wrenches: Wrenches, before, after):
    """Add one cycle of an open contact: peaks, impulse, energy at the satellites' ports. `touch`:
    of the mock-ups in it; `before`, `after`: the satellites' motions."""
    energy = port_energy(wrenches.chaser, T, before.chaser, after.chaser) + port_energy(
        wrenches.target, T, before.target, after.target
    )
    return _with_cycle(
        tracker,
        apart=tracker.apart and not touch.touched,
        pair=touch.pair if touch.touched else tracker.pair,
        last_touch=touch.last_touch if touch.touched else tracker.last_touch,
        peak_real_squared=max(tracker.peak_real_squared, touch.peak_squared),
        peak_satellite_squared=max(
            tracker.peak_satellite_squared, dot(wrenches.chaser.force, wrenches.chaser.force)
        ),
        impulse=add_scaled(tracker.impulse, T, wrenches.chaser.force),
        compressed=tracker.compressed - min(energy, 0.0),
        released=tracker.released + max(energy, 0.0),
    )


@compiled
def replace_past(tracker: Tracker, impulse, peak_squared, rewound):
    """With what a method that recomputes the past now has for the contact's force on the chaser:
    its impulse [Ns] and its largest, squared [N^2]. `rewound`: a past was taken over; its energies
    by the cycle are in no log: NaN."""
    compressed = math.nan if rewound else tracker.compressed
    return _with_recomputed(tracker, peak_squared, impulse, compressed)


@compiled
def mark_separation(tracker: Tracker, after):
    """The parts have just separated: remember the gap's rate, in case this was the end."""
    return _with_separation(tracker, True, after)


@compiled
def close_contact(tracker: Tracker, log):
    """Write the contact to the log, if there is a row left, and count it either way."""
    if tracker.closed < log.shape[0]:
        row = LOG(log, tracker.closed)
        row.start_s = tracker.start
        row.end_s = tracker.last_touch
        row.restitution = (
            -tracker.after / tracker.before if tracker.apart else math.nan
        )  # nan: still touching when the run ended
        row.restitution_energetic = (
            math.sqrt(tracker.released / tracker.compressed)
            if tracker.compressed > 0.0
            else math.nan
        )
        row.peak_force_real_N = math.sqrt(tracker.peak_real_squared)
        row.peak_force_satellite_N = math.sqrt(tracker.peak_satellite_squared)
        row.impulse_Ns = norm(tracker.impulse)
        row.pair = tracker.pair
        row.gap_rate_before_m_per_s = tracker.before
        row.gap_rate_after_m_per_s = tracker.after
    return _with_count(no_contact(), tracker.closed + 1)
