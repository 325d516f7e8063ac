"""What a batch keeps of a run for its verdict, while it runs and without a record; the same numbers
as results/criteria.py takes from the series of a single run.

A cycle is clear when the mock-ups are apart and every reading taken while they touched has ceased
to act; with a method that replaces the real contact by a wanted one, that one must be over too. It
is quiet when the reference's contacts are over as well. Kept are the motion at the first quiet
cycle since the last touch and the one `settle_s` later, the largest energy that consecutive
contacts added, the largest force, and the velocities that forces made in free flight. They go into
the last rows of the contact log, for which a batch that is compared has room.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.log import LOG
from softdock.loop.instants import SAME_CYCLE
from softdock.loop.keys import MEMORY
from softdock.loop.method.hooks import any_replaced, any_rewound, sum_replaced
from softdock.loop.sensor.force_torque import MEAN, SENSOR
from softdock.loop.spatial.motion import MOTION, MOTION_FLOATS
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.vectors import add, multiply, norm, scale, subtract
from softdock.loop.vector import MEMORY_AT, SENSOR_AT

if TYPE_CHECKING:
    from softdock.loop.energy.ledger import Ledger
    from softdock.loop.facility.state import Facility
    from softdock.loop.loop import Loop
    from softdock.loop.method.interface import Satellites, Wrenches
    from softdock.loop.params import Params

IN_MOTION = MOTION.at
FILTER_TAIL = 1e-2  # share of a filtered force below which it has ceased to act
FILTER_TIMES = -math.log(FILTER_TAIL) / (2.0 * math.pi)  # how long that takes, times the cut-off
WATCHED = Cells(  # one after the other in the last rows of the log
    "kept_for_verdict",
    Cell("chaser", MOTION_FLOATS, "", "at the first quiet cycle: a `motion`"),
    Cell("target", MOTION_FLOATS, "", "likewise"),
    Cell("time", 1, "s", "when that was; NaN: never"),
    Cell("later_chaser", MOTION_FLOATS, "", "`settle_s` later: a `motion`"),
    Cell("later_target", MOTION_FLOATS, "", "likewise"),
    Cell("later_time", 1, "s", "when that was; NaN: the run ended before"),
    Cell("energy", 1, "J", "largest sum that consecutive contacts added; NaN: none has ended"),
    Cell("before", 1, "m/s", "relative velocity by forces before the first touch"),
    Cell("after", 1, "m/s", "the same in `settle_s` after the last contact that has ended"),
    Cell("stored", 1, "J", "in the contact at the end"),
)
AT = WATCHED.at
COLUMNS = LOG.size
SETTLED_ROWS = -(-WATCHED.size // COLUMNS)  # of the log


class Watched(NamedTuple):
    """So far."""

    last_touch: float  # s
    settled_at: float  # s; NaN: not since the last touch
    later_at: float  # s; NaN: not since then
    acts: bool  # a contact has begun and is not counted yet
    balance: float  # J: kinetic and stored energy less external work
    begun: float  # J, before the contact that acts
    over: float  # J, at the first clear cycle since its last touch; NaN: none
    cleared_at: float  # s, that cycle; NaN: there was none
    rest: float  # J, at the end of the contact before
    ahead: float  # J, largest sum that ends with the last contact
    most: float  # J, the largest sum; -inf: no contact has ended
    before: tuple  # m/s
    after: tuple


@compiled
def _balance(ledger: Ledger):
    return ledger.kinetic + ledger.stored - ledger.external


@compiled
def begin_watch(ledger: Ledger):
    now, zero = _balance(ledger), (0.0, 0.0, 0.0)
    return Watched(
        last_touch=-math.inf,
        settled_at=math.nan,
        later_at=math.nan,
        acts=False,
        balance=now,
        begun=now,
        over=math.nan,
        cleared_at=math.nan,
        rest=now,
        ahead=0.0,
        most=-math.inf,
        before=zero,
        after=zero,
    )


@compiled
def _is_clear(vector, handover, T, facility: Facility, t, last_touch):
    """Whether nothing of a contact acts at time t any more. `last_touch`: of the mock-ups so far
    [s]."""
    stale = 0.5 * T if handover == MEAN else 0.0  # its oldest sample: the stamp is of its middle
    cut_off = SENSOR(vector, SENSOR_AT).lowpass
    tail = FILTER_TIMES / cut_off if cut_off > 0.0 else 0.0
    oldest = min(facility.reading_time - stale - tail, facility.seen_time)
    same = SAME_CYCLE * T
    return t - last_touch > same and oldest - last_touch > same


@compiled
def _pushed(params: Params, wrenches: Wrenches):
    """Relative velocity that the forces of a cycle make [m/s]."""
    chaser, target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if not params.chaser.fixed:
        chaser = multiply(params.chaser.inverse_mass, wrenches.chaser.force)
    if not params.target.fixed:
        target = multiply(params.target.inverse_mass, wrenches.target.force)
    return scale(params.T, subtract(chaser, target))


@compiled
def _put(log, at, value):
    """A number into the last rows of the log."""
    log[log.shape[0] - SETTLED_ROWS + at // COLUMNS, at % COLUMNS] = value


@noinline
def _put_motions(log, at, params: Params, satellites: Satellites, t):
    """Both motions and the time behind them."""
    for body in range(2):
        motion = motion_of(params.chaser, satellites.chaser)
        if body == 1:
            motion = motion_of(params.target, satellites.target)
        here = at + body * MOTION_FLOATS
        for j in range(3):
            _put(log, here + IN_MOTION.p + j, motion.p[j])
            _put(log, here + IN_MOTION.v + j, motion.v[j])
            _put(log, here + IN_MOTION.w + j, motion.w[j])
        for j in range(4):
            _put(log, here + IN_MOTION.q + j, motion.q[j])
    _put(log, at + 2 * MOTION_FLOATS, t)


@compiled
def watch(watched: Watched, params: Params, vector, mem, loop: Loop, log, t):
    """One more cycle, which ended at t [s]."""
    w, balance = watched, _balance(loop.ledger)
    touch = max(w.last_touch, loop.tracker.last_touch) if loop.tracker.open else w.last_touch
    again = touch > w.last_touch
    acts, begun, over, cleared, after = w.acts, w.begun, w.over, w.cleared_at, w.after
    if again and not acts:
        acts, begun = True, w.rest if any_rewound(params.methods) else w.balance
    if again:
        over, cleared = math.nan, math.nan
    clear = _is_clear(vector, params.sensor.handover, params.T, loop.facility, t, touch)
    if any_replaced(params.methods) and clear:
        clear = not sum_replaced(params.methods, mem).pushes
    keys = MEMORY(vector, MEMORY_AT)
    settle = keys.settle
    if cleared < t <= cleared + settle + 1e-9:
        after = add(after, _pushed(params, loop.wrenches))
    if acts and clear and over != over:  # NaN: not since the last touch
        over, cleared, after = balance, t, (0.0, 0.0, 0.0)
    ahead, most, rest = w.ahead, w.most, w.rest
    if acts and over == over and not loop.tracker.open:
        ahead = max(ahead, 0.0) + over - begun
        most, rest, acts = max(most, ahead), over, False
    settled, later = w.settled_at, w.later_at
    same = SAME_CYCLE * params.T
    if not (clear and t - keys.orbit_done > same):
        settled, later = math.nan, math.nan
    elif settled != settled:
        settled = t
        _put_motions(log, AT.chaser, params, loop.satellites, t)
    if settled == settled and later != later and t >= settled + settle - 1e-9:
        later = t
        _put_motions(log, AT.later_chaser, params, loop.satellites, t)
    before = w.before
    first = keys.orbit_first
    if any_rewound(params.methods):
        first = first - 0.5 * params.merge_window
    if touch == -math.inf and t <= first:
        before = add(before, _pushed(params, loop.wrenches))
    return Watched(
        last_touch=touch,
        settled_at=settled,
        later_at=later,
        acts=acts,
        balance=balance,
        begun=begun,
        over=over,
        cleared_at=cleared,
        rest=rest,
        ahead=ahead,
        most=most,
        before=before,
        after=after,
    )


@noinline
def keep_watched(log, watched: Watched, ledger: Ledger):
    """What was watched, into the last rows of the log, beside the motions."""
    w, most = watched, watched.most
    if w.acts and w.over == w.over:  # the run ended before the contact was closed
        most = max(most, max(w.ahead, 0.0) + w.over - w.begun)
    if w.settled_at != w.settled_at:
        _put(log, AT.time, math.nan)
    if w.later_at != w.later_at:
        _put(log, AT.later_time, math.nan)
    _put(log, AT.energy, most if most > -math.inf else math.nan)
    _put(log, AT.before, norm(w.before))
    _put(log, AT.after, norm(w.after))
    _put(log, AT.stored, ledger.stored)
