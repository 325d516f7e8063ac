"""Grids of meshes and sets of tips on a GPU: the address in a vector is that of the process's own
memory, and a kernel needs one of the device's. Each is copied there once."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.compile.shared_numbers import block_at
from softdock.loop.contact.keys import MOST_PAIRS, PAIR
from softdock.loop.contact.pair import IN_PAIR
from softdock.loop.contact.shape import SHAPE_CELLS
from softdock.loop.specialise import Numbers
from softdock.loop.vector import PAIR_SIZE, PAIRS_AT

COLUMNS = [
    PAIRS_AT + i * PAIR_SIZE + at
    for i in range(MOST_PAIRS)
    for at in (PAIR.at.mesh_file, PAIR.at.tips)
]
IN_NUMBERS = (IN_PAIR.shape + SHAPE_CELLS.at.grid, IN_PAIR.tips)  # of a known pair's numbers

_copies: dict[int, Any] = {}  # arrays on the device, by the address here; never freed, as here


def _move(cuda: Any, address: float) -> float:
    if address == 0.0:
        return 0.0
    if int(address) not in _copies:
        _copies[int(address)] = cuda.to_device(block_at(int(address)))
    return float(_copies[int(address)].device_ctypes_pointer.value)


def with_device_grids(
    cuda: Any, vectors: np.ndarray, numbers: Numbers
) -> tuple[np.ndarray, Numbers]:
    """One vector or rows of them, and the numbers that the runs share, with the device's
    addresses."""
    if not np.any(vectors[..., COLUMNS]):
        return vectors, numbers
    moved = vectors.copy()
    for column in COLUMNS:
        for address in np.unique(vectors[..., column]):
            moved[..., column][vectors[..., column] == address] = _move(cuda, address)
    pair = list(numbers.pair)
    for i in IN_NUMBERS if len(pair) > max(IN_NUMBERS) else ():
        pair[i] = _move(cuda, pair[i])
    return moved, numbers._replace(pair=tuple(pair))
