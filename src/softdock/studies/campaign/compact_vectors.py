"""Many runs as one parameter vector and the columns in which they differ: a million runs in
megabytes, and little to send to a GPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class SparseParameters(NamedTuple):
    """N parameter vectors that are `base` except in the columns `at`."""

    base: np.ndarray  # (n_params,)
    at: np.ndarray  # (c,) columns of the vector
    values: np.ndarray  # (N, c), SI

    @property
    def runs(self) -> int:
        return len(self.values)

    def part(self, first: int, last: int) -> SparseParameters:
        return SparseParameters(self.base, self.at, self.values[first:last])

    def expand(self, first: int = 0, last: int | None = None) -> np.ndarray:
        """The vectors of some runs, one row per run."""
        values = self.values[first:last]
        vectors = np.empty((len(values), len(self.base)))
        vectors[:] = self.base
        vectors[:, self.at] = values
        return vectors


def count_runs(vectors: np.ndarray | SparseParameters) -> int:
    return vectors.runs if isinstance(vectors, SparseParameters) else len(vectors)


def expand_rows(vectors: np.ndarray | SparseParameters, first: int, last: int) -> np.ndarray:
    """Some rows as a contiguous matrix."""
    return (
        vectors.expand(first, last)
        if isinstance(vectors, SparseParameters)
        else np.ascontiguousarray(vectors[first:last])
    )
