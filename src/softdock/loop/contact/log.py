"""The log of real contacts, kept while the loop runs: when, how long, how hard, and what came back.

A contact opens with the first real touch and closes when nothing has touched for the merge window
(twice the delay: a contact that chatters is one contact). Restitution compares the rates of the gap
at the satellites, each with its own normal, before and after (Zebenay eq. 113).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.generated import replacing
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import port_energy
from softdock.loop.spatial.vectors import add_scaled, dot, norm

LOG = Cells(
    "contact",
    Cell("start_s", 1, "s", "first touch"),
    Cell("end_s", 1, "s", "last touch"),
    Cell("restitution", 1, "-", "rates of the gap, after over before; NaN: still in contact"),
    Cell("restitution_energetic", 1, "-", "root of the energy given back over the energy taken"),
    Cell("peak_force_real_N", 1, "N", "largest true force of a contact pair"),
    Cell("peak_force_satellite_N", 1, "N", "largest force on the chaser satellite"),
    Cell("impulse_Ns", 1, "Ns", "size of the impulse on the chaser satellite"),
    Cell("pair", 1, "-", "index of the pair that was deepest at the last touch"),
    Cell("gap_rate_before_m_per_s", 1, "m/s", "rate of the gap at the first touch"),
    Cell("gap_rate_after_m_per_s", 1, "m/s", "rate of the gap once nothing of the contact acts"),
)
LOG_COLUMNS = tuple(cell.name for cell in LOG)
AT = LOG.at


class Tracker(NamedTuple):
    """The contact under way, and how many have closed."""

    open: bool
    closed: int  # contacts so far
    apart: bool  # the parts have separated, but not yet for the merge window
    pair: int  # the deepest pair of the last touch
    start: float  # s
    last_touch: float  # s
    before: float  # m/s, rate of the gap at the satellites
    after: float
    peak_real_squared: float  # N^2
    peak_satellite_squared: float
    impulse: tuple  # Ns on the chaser
    compressed: float  # J, taken from the satellites
    released: float  # J, given back


TRACKER = Cells(
    "tracker",
    Cell("open", 1, "-", "1: a contact is under way"),
    Cell("closed", 1, "-", "contacts so far"),
    Cell("apart", 1, "-", "1: the parts have separated, but not yet for the merge window"),
    Cell("pair", 1, "-", "the deepest pair of the last touch"),
    Cell("start", 1, "s", "first touch"),
    Cell("last_touch", 1, "s", "last touch"),
    Cell("before", 1, "m/s", "rate of the gap at the first touch"),
    Cell("after", 1, "m/s", "rate of the gap when the parts separated"),
    Cell("peak_real_squared", 1, "N^2", "largest true force of a pair, squared"),
    Cell("peak_satellite_squared", 1, "N^2", "largest force on the chaser satellite, squared"),
    Cell("impulse", 3, "Ns", "on the chaser satellite, world axes"),
    Cell("compressed", 1, "J", "energy taken from the satellites"),
    Cell("released", 1, "J", "energy given back"),
)
_gathered = replacing(
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
_with_past = replacing(Tracker, "peak_satellite_squared", "impulse", "compressed")
_parted = replacing(Tracker, "apart", "after")
_opened = replacing(Tracker, "open", "closed", "start", "last_touch", "before")
_counted = replacing(Tracker, "closed")


@compiled
def no_contact_yet():
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
def opened(closed, start, before):
    return _opened(
        no_contact_yet(), open=True, closed=closed, start=start, last_touch=start, before=before
    )


@compiled
def gather(tracker, passage, T, wrenches, before, after):
    """Add one cycle of an open contact: peaks, impulse, energy at the satellites' ports. `before`,
    `after`: their motions."""
    energy = port_energy(wrenches.chaser, T, before.chaser, after.chaser) + port_energy(
        wrenches.target, T, before.target, after.target
    )
    return _gathered(
        tracker,
        apart=tracker.apart and not passage.touched,
        pair=passage.pair if passage.touched else tracker.pair,
        last_touch=passage.last_touch if passage.touched else tracker.last_touch,
        peak_real_squared=max(tracker.peak_real_squared, passage.peak_squared),
        peak_satellite_squared=max(
            tracker.peak_satellite_squared, dot(wrenches.chaser.force, wrenches.chaser.force)
        ),
        impulse=add_scaled(tracker.impulse, T, wrenches.chaser.force),
        compressed=tracker.compressed - min(energy, 0.0),
        released=tracker.released + max(energy, 0.0),
    )


@compiled
def with_past(tracker, impulse, peak_squared, rewound):
    """With what a method that recomputes the past now has for the contact's force on the chaser:
    its impulse [Ns] and its largest, squared [N^2]. `rewound`: a past was taken over; its energies
    by the cycle are in no log: NaN."""
    compressed = math.nan if rewound else tracker.compressed
    return _with_past(tracker, peak_squared, impulse, compressed)


@compiled
def parted(tracker, after):
    """The parts have just separated: remember the gap's rate, in case this was the end."""
    return _parted(tracker, True, after)


@compiled
def close_contact(tracker, log):
    """Write the contact to the log, if there is a row left, and count it either way."""
    row = tracker.closed
    if row < log.shape[0]:
        log[row, AT.start_s] = tracker.start
        log[row, AT.end_s] = tracker.last_touch
        log[row, AT.restitution] = (
            -tracker.after / tracker.before if tracker.apart else math.nan
        )  # nan: still touching when the run ended
        log[row, AT.restitution_energetic] = (
            math.sqrt(tracker.released / tracker.compressed)
            if tracker.compressed > 0.0
            else math.nan
        )
        log[row, AT.peak_force_real_N] = math.sqrt(tracker.peak_real_squared)
        log[row, AT.peak_force_satellite_N] = math.sqrt(tracker.peak_satellite_squared)
        log[row, AT.impulse_Ns] = norm(tracker.impulse)
        log[row, AT.pair] = float(tracker.pair)
        log[row, AT.gap_rate_before_m_per_s] = tracker.before
        log[row, AT.gap_rate_after_m_per_s] = tracker.after
    return _counted(no_contact_yet(), tracker.closed + 1)
