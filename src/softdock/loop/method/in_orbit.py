"""Methods that push the satellites from outside (a hook `external`), as orbit has them: prepared
from the same numbers, with a memory of orbit's own. No other hook is called in orbit, which has
neither readings nor robots."""

from __future__ import annotations

from numba.extending import overload

from softdock.compile.jit import INNER_OPTIONS
from softdock.loop.method.hooks import _prepare_one, memory_slots
from softdock.loop.method.method import entry_of, no_external


def pushing_methods(markers, base):
    """Markers of the listed methods that push from outside, and where in the vector the
    memory of each is named; the first method's at `base`."""
    found = [
        (marker, slot)
        for marker, slot in zip(markers, memory_slots(markers, base), strict=True)
        if entry_of(type(marker)).external is not no_external
    ]
    return tuple(marker for marker, _ in found), tuple(slot for _, slot in found)


def prepare_pushing(markers, slots, vector):
    """Their parameters, from the vector."""
    return tuple(
        _prepare_one(marker, vector, slot + 1, int(vector[slot]))
        for marker, slot in zip(markers, slots, strict=True)
    )


@overload(prepare_pushing, jit_options=INNER_OPTIONS)
def _prepare_pushing(markers, slots, vector):
    if len(markers) == 0:
        return lambda markers, slots, vector: ()

    def rest(markers, slots, vector):
        first = _prepare_one(markers[0], vector, slots[0] + 1, int(vector[slots[0]]))
        return (first, *prepare_pushing(markers[1:], slots[1:], vector))

    return rest
