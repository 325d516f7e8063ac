"""What the contact did to the satellites, as a method that recomputes their past has it now: for
the record (loop/corrected_record.py) and the log of contacts (contact/log.py).

Such a method has these floats in its slice of `mem`, in a cell `corrected`, beside a cell
`rewound`: how many cycles of the past this cycle took over.
"""

from __future__ import annotations

from numba.extending import overload

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import INNER_OPTIONS, by_type, compiled, find_tuple_class
from softdock.loop.method.interface import Past, Satellites
from softdock.loop.method.method import entry_of, no_past
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.vectors import ZERO, add, add_scaled

CORRECTED_CELLS = Cells(
    "corrected",
    Cell("force", 3, "N", "of the contact on the chaser, mean over the cycle"),
    Cell("peak", float, "N^2", "its largest in the cycle, squared"),
    Cell("impulse", 3, "Ns", "of the satellites' contact on the chaser so far"),
    Cell("largest", float, "N^2", "its largest force so far, squared"),
    Cell("impulse_before", 3, "Ns", "of those that ended since the log's contact began"),
    Cell("largest_before", float, "N^2", "and theirs"),
)
_NOWHERE = Body((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
NOTHING = Past(Satellites(_NOWHERE, _NOWHERE), (0.0, 0.0, 0.0), 0.0)


@compiled
def note_force(mem, at, T, force, peak):
    """A cycle's mean force, and its largest, squared."""
    s = CORRECTED_CELLS(mem, at)
    s.force = force
    s.peak = peak
    s.impulse = add_scaled(s.impulse, T, force)
    s.largest = max(s.largest, peak)


@compiled
def take_past(mem, at, impulse, largest):
    """The contact under way, its past recomputed."""
    s = CORRECTED_CELLS(mem, at)
    s.impulse = impulse
    s.largest = largest


@compiled
def settle(mem, at, acts, logged):
    """After a cycle. A contact of the satellites that has ended (`acts`: it has not) is recomputed
    no more; `logged`: the log's contact goes on."""
    s = CORRECTED_CELLS(mem, at)
    if not acts:
        s.impulse_before = add(s.impulse_before, s.impulse)
        s.largest_before = max(s.largest_before, s.largest)
        take_past(mem, at, ZERO, 0.0)
    if not logged:
        s.impulse_before = ZERO
        s.largest_before = 0.0


@compiled
def impulse_of(mem, at):
    """Of the log's contact so far [Ns], on the chaser."""
    s = CORRECTED_CELLS(mem, at)
    return add(s.impulse_before, s.impulse)


@compiled
def largest_of(mem, at):
    """Largest force of the log's contact so far, squared [N^2]."""
    s = CORRECTED_CELLS(mem, at)
    return max(s.largest_before, s.largest)


def _last(classes):
    """Index of the last method that recomputes a past, and where its cells stand in its slice;
    None: there is none."""
    rewinds = [i for i, cls in enumerate(classes) if entry_of(cls).past is not no_past]
    if not rewinds:
        return None
    declared = entry_of(classes[rewinds[-1]]).cells
    assert declared is not None
    cells = declared.at
    return rewinds[-1], cells.corrected, cells.rewound


def corrected_at(methods):
    """Where in `mem` the last listed method that recomputes a past has its cells `corrected` and
    `rewound`."""
    i, corrected, rewound = _last([type(method) for method in methods])
    return methods[i].memory + corrected, methods[i].memory + rewound


@overload(corrected_at, jit_options=INNER_OPTIONS)
def _corrected_at(methods):
    found = _last([find_tuple_class(method) for method in methods])
    if found is None:  # typed, never called
        return lambda methods: (0, 0)
    i, corrected, rewound = found
    return lambda methods: (methods[i].memory + corrected, methods[i].memory + rewound)


@by_type(lambda cls: entry_of(cls).past)
def _past_one(method, mem, stamp): ...


def past_at(methods, mem, stamp):
    """That method's past at a stamp."""
    return _past_one(methods[_last([type(method) for method in methods])[0]], mem, stamp)


@overload(past_at, jit_options=INNER_OPTIONS)
def _past_at(methods, mem, stamp):
    found = _last([find_tuple_class(method) for method in methods])
    if found is None:
        return lambda methods, mem, stamp: NOTHING
    i = found[0]
    return lambda methods, mem, stamp: _past_one(methods[i], mem, stamp)
