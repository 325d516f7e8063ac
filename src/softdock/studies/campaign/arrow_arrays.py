"""Between numpy and Arrow by their buffers: `pa.array` and `to_numpy` would import pandas, where it
is installed, which takes a second and 60 MB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def make_number_column(values: np.ndarray) -> Any:
    """A column of numbers; no value is null."""
    import pyarrow as pa

    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)]
    )


def make_boolean_column(values: np.ndarray, known: np.ndarray) -> Any:
    """A column of yes and no; null where nothing is known."""
    import pyarrow as pa

    bits = np.packbits(values & known, bitorder="little")
    valid = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(values), [valid, pa.py_buffer(bits)])


def make_word_column(index: np.ndarray, names: Sequence[str]) -> Any:
    """A column of words, by their index."""
    import pyarrow as pa

    text = "".join(names).encode()
    ends = np.cumsum([0, *(len(name.encode()) for name in names)]).astype(np.int32)
    dictionary = pa.Array.from_buffers(
        pa.string(), len(names), [None, pa.py_buffer(ends), pa.py_buffer(text)]
    )
    return pa.DictionaryArray.from_arrays(make_number_column(index.astype(np.int8)), dictionary)


def to_numbers(column: Any) -> np.ndarray:
    """A column as numbers: words by their index, yes 1 and no 0, null NaN."""
    import pyarrow as pa

    parts = (
        [_convert_chunk(chunk) for chunk in column.chunks]
        if isinstance(column, pa.ChunkedArray)
        else [_convert_chunk(column)]
    )
    return np.concatenate(parts) if parts else np.zeros(0)


def _convert_chunk(array: Any) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        return _convert_chunk(array.indices)
    if pa.types.is_boolean(array.type):
        values = _unpack_bits(array, 1).astype(float)
        return np.where(_unpack_bits(array, 0) > 0, values, np.nan) if array.null_count else values
    kind = np.dtype(_KINDS[str(array.type)])
    return np.frombuffer(
        array.buffers()[1], dtype=kind, count=len(array), offset=kind.itemsize * array.offset
    )


def _unpack_bits(array: Any, buffer: int) -> np.ndarray:
    bits = np.unpackbits(np.frombuffer(array.buffers()[buffer], dtype=np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)]


_KINDS = {"double": "f8", "float": "f4", "int64": "i8", "int32": "i4", "uint32": "u4", "int8": "i1"}
