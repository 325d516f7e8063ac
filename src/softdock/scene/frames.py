"""Which rows of a run become frames: all of a contact as far as they fit, some in between.

Between frames a viewer blends, which is exact for a body that drifts; so free flight needs few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST_FRAMES = 1500
FLIGHT_S = 1.0 / 30.0  # between frames in free flight
AROUND = 6  # rows shown one by one before and after a contact
FAR = 1e3  # m, or ten times where it began: what is further has left every picture


def readable_rows(position: np.ndarray) -> int:
    """How many rows can be shown: up to the first that is not finite or that has left."""
    size = np.abs(np.nan_to_num(position)).max(axis=1)
    good = np.isfinite(position).all(axis=1) & (size < max(FAR, 10.0 * float(size[0])))
    return len(good) if good.all() else int(np.argmin(good))


def chosen_rows(
    time: np.ndarray, contacts: Sequence[tuple[float, float]], most: int = MOST_FRAMES
) -> np.ndarray:
    """Indices of the rows to keep, rising, both ends among them."""
    count = len(time)
    if count <= 2:
        return np.arange(count)
    close = np.zeros(count, dtype=bool)
    for start, end in contacts:
        first, last = np.searchsorted(time, [start, end])
        close[max(0, first - AROUND) : last + AROUND + 1] = True
    ticks = np.arange(time[0], time[-1], max(FLIGHT_S, (time[-1] - time[0]) / (0.5 * most)))
    sparse = np.searchsorted(time, ticks).clip(0, count - 1)
    near = np.flatnonzero(close)
    room = max(most - len(sparse) - 2, 2)
    if len(near) > room:
        near = near[np.unique(np.linspace(0, len(near) - 1, room).astype(int))]
    return np.unique(np.concatenate([[0, count - 1], sparse, near]))
