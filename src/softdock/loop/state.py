"""The loop's state as one flat array: what crosses the border between Python and compiled code, and
what `step` is given and returns.

`STATE(flat).whole` is the loop (loop.py); `place("tracker.closed")` is where a part of it stands.
"""

from __future__ import annotations

from softdock.compile.cells import layout_of
from softdock.loop.loop import Loop

STATE = layout_of(Loop)
STATE_FLOATS = STATE.size


def place(path: str) -> slice:
    """Where a part of the state stands: `command`, `tracker.closed`, `facility.reading`."""
    part, _, field = path.partition(".")
    if not field:
        return STATE.slice_of(part)
    first, structure = STATE.places[part]
    return layout_of(structure).slice_of(field, first)
