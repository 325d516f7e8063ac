"""Values to short texts that are equal if and only if the values are equal to the bit.

In: numbers, texts, arrays, and tables of them. Out: a flat dict, channel -> text.

    a float      its hexadecimal digits, so that a difference has a size
    an array     sha256 (128 bits), length, last value, largest magnitude
    a text       sha256 (128 bits)

Every NaN is one NaN: its sign and payload are no number. -0.0 and 0.0 differ.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

# Keys whose values are of the day, the version or the machine, and not of the physics.
NOT_NUMBERS = (
    "schema",
    "softdock",
    "version",
    "date",
    "spent",
    "wall_s",
    "source_hash",
    "cost_ns_per_cycle",
    "cost_ratio_to_direct",
)
MOST_ROWS = 200  # of a list of tables that is written out; a longer one is one hash
ARRAY = "sha256:"


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def of_float(value: float) -> str:
    return "nan" if math.isnan(value) else float(value).hex()


def of_array(values: Any) -> str:
    """Of an array of floats or whole numbers, with a little of its size."""
    x = np.ascontiguousarray(values)
    if x.dtype.kind not in "fiub":
        return ARRAY + sha(repr(x.tolist()).encode())
    x = np.array(x, dtype=np.float64, copy=True) if x.dtype.kind == "f" else x.astype(np.int64)
    if x.dtype.kind == "f":
        x[np.isnan(x)] = np.nan
    known = np.abs(x[np.isfinite(x)].astype(float))
    last = of_float(float(x.flat[-1])) if x.size else "none"
    largest = of_float(float(known.max())) if known.size else "none"
    return f"{ARRAY}{sha(str(x.shape).encode() + x.tobytes())} {x.size} {last} {largest}"


def of_value(value: Any) -> str:
    """Of one thing that is no table."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return of_float(value)
    if isinstance(value, str):
        return ARRAY + sha(value.encode())
    if isinstance(value, np.ndarray):
        return of_array(value)
    if isinstance(value, list | tuple):
        return _of_list(value)
    if isinstance(value, Mapping):
        flat = flatten("", value)
        return ARRAY + sha(repr(sorted(flat.items())).encode())
    raise TypeError(f"no fingerprint of a {type(value).__name__}")


def _of_list(values: list[Any] | tuple[Any, ...]) -> str:
    floats = all(isinstance(v, float) for v in values)
    if values and floats:
        return of_array(np.array(values, dtype=float))
    return ARRAY + sha(repr([of_value(v) for v in values]).encode())


def flatten(prefix: str, value: Any) -> dict[str, str]:
    """A nested table by dotted path; lists of tables by index."""
    if isinstance(value, Mapping):
        found: dict[str, str] = {}
        for key, inner in value.items():
            if key not in NOT_NUMBERS:
                found |= flatten(f"{prefix}.{key}" if prefix else str(key), inner)
        return found
    if is_tables(value) and len(value) <= MOST_ROWS:
        found = {f"{prefix}.count": str(len(value))}
        for i, inner in enumerate(value):
            found |= flatten(f"{prefix}.{i}", inner)
        return found
    return {prefix: of_value(value)}


def is_tables(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(v, Mapping) for v in value)
    )


def size_of_difference(a: str, b: str) -> str:
    """How far two texts of one channel are apart, in words; empty where only hashes are known."""
    x, y = _numbers(a), _numbers(b)
    if len(x) != len(y) or not x:
        return ""
    apart = [abs(p - q) for p, q in zip(x, y, strict=True)]
    if len(x) == 1:
        return f"{x[0]:.17g} -> {y[0]:.17g} (by {apart[0]:.3g})"
    return f"last value by {apart[0]:.3g}, largest by {apart[1]:.3g}"


def _numbers(text: str) -> list[float]:
    """A float; or the last and the largest value of an array."""
    parts = text.split(" ")[2:] if text.startswith(ARRAY) else [text]
    try:
        return [float.fromhex(part) for part in parts]
    except ValueError:
        return []
