"""The log of real contacts, kept while the loop runs: when, how long, how hard, and what came back.

A contact opens with the first real touch and closes when nothing has touched for the merge window
(twice the delay: a contact that chatters is one contact). Restitution compares the rates of the gap
at the satellites, each with its own normal, before and after (Zebenay eq. 113).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import port_energy
from softdock.core.spatial.vectors import add_scaled, dot, norm

LOG_COLUMNS = (
    "start_s",
    "end_s",
    "restitution",
    "restitution_energetic",
    "peak_force_real_N",
    "peak_force_satellite_N",
    "impulse_Ns",
    "pair",
    "gap_rate_before_m_per_s",
    "gap_rate_after_m_per_s",
)


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
    return Tracker(
        open=True,
        closed=closed,
        apart=False,
        pair=0,
        start=start,
        last_touch=start,
        before=before,
        after=0.0,
        peak_real_squared=0.0,
        peak_satellite_squared=0.0,
        impulse=(0.0, 0.0, 0.0),
        compressed=0.0,
        released=0.0,
    )


@compiled
def gather(tracker, passage, T, wrenches, before, after):
    """Add one cycle of an open contact: peaks, impulse, energy at the satellites' ports. `before`,
    `after`: their motions."""
    energy = port_energy(wrenches.chaser, T, before.chaser, after.chaser) + port_energy(
        wrenches.target, T, before.target, after.target
    )
    return Tracker(
        open=tracker.open,
        closed=tracker.closed,
        apart=tracker.apart and not passage.touched,
        pair=passage.pair if passage.touched else tracker.pair,
        start=tracker.start,
        last_touch=passage.last_touch if passage.touched else tracker.last_touch,
        before=tracker.before,
        after=tracker.after,
        peak_real_squared=max(tracker.peak_real_squared, passage.peak_squared),
        peak_satellite_squared=max(
            tracker.peak_satellite_squared, dot(wrenches.chaser.force, wrenches.chaser.force)
        ),
        impulse=add_scaled(tracker.impulse, T, wrenches.chaser.force),
        compressed=tracker.compressed - min(energy, 0.0),
        released=tracker.released + max(energy, 0.0),
    )


@compiled
def with_new_past(tracker, impulse, peak_squared):
    """A method has computed the contact's past anew: `impulse` is what that adds to what had acted.
    Its energies by the cycle are in no log: NaN."""
    return Tracker(
        open=tracker.open,
        closed=tracker.closed,
        apart=tracker.apart,
        pair=tracker.pair,
        start=tracker.start,
        last_touch=tracker.last_touch,
        before=tracker.before,
        after=tracker.after,
        peak_real_squared=tracker.peak_real_squared,
        peak_satellite_squared=max(tracker.peak_satellite_squared, peak_squared),
        impulse=add_scaled(tracker.impulse, 1.0, impulse),
        compressed=math.nan,
        released=tracker.released,
    )


@compiled
def parted(tracker, after):
    """The parts have just separated: remember the gap's rate, in case this was the end."""
    return Tracker(
        open=tracker.open,
        closed=tracker.closed,
        apart=True,
        pair=tracker.pair,
        start=tracker.start,
        last_touch=tracker.last_touch,
        before=tracker.before,
        after=after,
        peak_real_squared=tracker.peak_real_squared,
        peak_satellite_squared=tracker.peak_satellite_squared,
        impulse=tracker.impulse,
        compressed=tracker.compressed,
        released=tracker.released,
    )


@compiled
def close_contact(tracker, log):
    """Write the contact to the log, if there is a row left, and count it either way."""
    row = tracker.closed
    if row < log.shape[0]:
        log[row, 0] = tracker.start
        log[row, 1] = tracker.last_touch
        log[row, 2] = (
            -tracker.after / tracker.before if tracker.apart else math.nan
        )  # nan: still touching when the run ended
        log[row, 3] = (
            math.sqrt(tracker.released / tracker.compressed)
            if tracker.compressed > 0.0
            else math.nan
        )
        log[row, 4] = math.sqrt(tracker.peak_real_squared)
        log[row, 5] = math.sqrt(tracker.peak_satellite_squared)
        log[row, 6] = norm(tracker.impulse)
        log[row, 7] = float(tracker.pair)
        log[row, 8] = tracker.before
        log[row, 9] = tracker.after
    return Tracker(
        open=False,
        closed=tracker.closed + 1,
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
