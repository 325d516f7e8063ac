"""Numbers that many runs read and none writes, by the address at which they lie in this process: a
grid of distances is too large for each run's vector. What a vector holds is the address, exact in a
float64; whoever makes the numbers keeps them as long as the process lives.

Compiled code does not check an address. A vector that holds one must stay in its process.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvmlite.ir import DoubleType, FloatType
from numba import types
from numba.extending import lower_builtin

from softdock.compile.numba_internals import AbstractTemplate, infer_global, signature

_blocks: dict[int, np.ndarray] = {}  # by address, as long as the process lives


def keep_block(block: np.ndarray) -> int:
    """The address of an array that stays where it is from now on."""
    block.flags.writeable = False
    address = int(block.ctypes.data)
    _blocks[address] = block
    return address


def block_at(address: int) -> np.ndarray:
    """The array that was kept at an address."""
    return _blocks[address]


def read_double(address: int, i: int) -> float:
    """Number i of an array of float64."""
    return ctypes.c_double.from_address(int(address) + 8 * int(i)).value


def read_single(address: int, i: int) -> float:
    """Number i of an array of float32."""
    return ctypes.c_float.from_address(int(address) + 4 * int(i)).value


@infer_global(read_double)
@infer_global(read_single)
class _Reading(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.float64, types.int64, types.int64)


def _load(builder: Any, kind: Any, args: Any) -> Any:
    pointer = builder.inttoptr(args[0], kind.as_pointer())
    return builder.load(builder.gep(pointer, [args[1]]))


@lower_builtin(read_double, types.int64, types.int64)
def _load_double(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _load(builder, DoubleType(), args)


@lower_builtin(read_single, types.int64, types.int64)
def _load_single(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fpext(_load(builder, FloatType(), args), DoubleType())
