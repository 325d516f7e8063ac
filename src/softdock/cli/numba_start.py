"""Numba, started sooner: before it loads cached machine code it looks for scipy's BLAS, which
imports half of scipy where that is installed (0.2 s of a run's 1.1 s). The core multiplies no
arrays, so commands that run nothing of the user's start Numba with that look left out."""

from __future__ import annotations

import sys
from contextlib import suppress

BLAS = "scipy.linalg.cython_blas"


def start_numba() -> None:
    """Import the part of Numba that looks, with nothing to find. scipy itself can still be imported
    afterwards."""
    if BLAS in sys.modules:
        return
    sys.modules[BLAS] = None  # type: ignore[assignment]  # importing it fails at once
    try:
        with suppress(ImportError):
            import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[BLAS]
