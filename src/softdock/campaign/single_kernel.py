"""The CUDA kernel in single precision: `cuda.kernel_function` with the parts of the second package
(single.py) and `mem` of singles.

Parameters, outcomes and logs stay arrays of doubles, so everything around the kernel is the same.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign import single
from softdock.campaign.kept_kernels import kept_kernel
from softdock.core.machine.cache_folder import usable_folder

SOURCES = ("single.py", "single_rewriting.py", "single_arithmetic.py", "single_kernel.py")
# Globals, as in cuda.py: what a kernel encloses is part of its key on disk.
of_kind, with_known_pair = (
    single.load("core.machine.specialise").of_kind,
    single.load("core.machine.specialise").with_known_pair,
)
prepare, run_one = (
    single.load("core.machine.vector").prepare,
    single.load("core.machine.doors").run_one,
)


def single_kernel_function(cuda: Any, special: Any, forgetful: bool) -> Any:
    """The kernel for one kind of run, as plain Python. `special`: cuda.Special; `forgetful`: `mem`
    of singles (single.is_forgetful)."""
    floats, kind, common, shared = special
    real = np.float32 if forgetful else np.float64

    def run_slice_in_single(vectors, markers, numbers, logs, outcomes):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = cuda.local.array(floats, real)
            for j in range(floats):
                mem[j] = 0.0
            params = of_kind(prepare(vectors[i], markers), kind, common, numbers, shared)
            run_one(vectors[i], params, mem, logs[i], outcomes[i])

    def run_slice_of_one_pair_in_single(vectors, markers, numbers, logs, outcomes):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = cuda.local.array(floats, real)
            for j in range(floats):
                mem[j] = 0.0
            params = with_known_pair(
                of_kind(prepare(vectors[i], markers), kind, common, numbers, shared), numbers
            )
            run_one(vectors[i], params, mem, logs[i], outcomes[i])

    return run_slice_of_one_pair_in_single if shared.pair else run_slice_in_single


def _cache_folder() -> Path | None:
    """Beside the double-precision code, apart for every version of the files that turn the core
    into single precision."""
    digest = hashlib.sha256(
        b"".join((Path(__file__).parent / name).read_bytes() for name in SOURCES)
    )
    folder = usable_folder()
    return None if folder is None else folder / f"single-{digest.hexdigest()[:12]}"


@functools.cache
def single_kernel_for(
    cuda: Any, special: Any, forgetful: bool, max_registers: int | None = None
) -> Any:
    """The compiled kernel: compiled at its first launch, and kept on disk."""
    function = single_kernel_function(cuda, special, forgetful)
    return kept_kernel(cuda, function, max_registers, _cache_folder())
