"""A batch on one CUDA device: a thread a run, each calling the same `run_one` as a CPU thread does.

A run's `mem` is an array in the thread's local memory, whose size is fixed when the kernel is compiled; so there is one kernel
for each bucket of sizes. Parameters, outcomes and logs are in global memory. Launches are slices of the batch, sized by the
time the last one took.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import time
from typing import Any, NamedTuple

import numpy as np

from softdock.campaign.batch import CONTACTS, Batch, Progress, empty_batch
from softdock.doors import run_one
from softdock.errors import BadInput, NoDevice, Problem

# The smallest `mem` (one pair, no delay) is over 200 floats: a bucket below 256 would serve nobody. Local memory is reserved for
# every thread the device can hold at once: 8.6 GB on an H200 for the largest bucket.
BUCKETS = (256, 1024, 4096)
THREADS_PER_BLOCK = 64
LAUNCH_S = 1.0  # aim of one launch; a longer one would make progress invisible and upset a display's watchdog
WAVE = 256  # threads a multiprocessor holds at about 255 registers each: the least that fills the device


class Device(NamedTuple):
    """A GPU that kernels can run on."""

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int


@functools.cache
def load_numba_cuda() -> Any:
    """The module `numba.cuda` of the package numba-cuda."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise NoDevice("no GPU backend: the package numba-cuda is not installed (pip install 'softdock[gpu]')")
    if not hasattr(np, "row_stack"):
        setattr(np, "row_stack", np.vstack)  # noqa: B010  numba-cuda 0.30 registers np.row_stack, which numpy 2.5 removed
    try:
        importlib.import_module("_numba_cuda_redirector")  # a .pth file does this, but only in an installed environment
        from numba import cuda
    except Exception as error:  # whatever a broken CUDA installation raises
        raise NoDevice(f"numba-cuda is installed but cannot be imported: {error}") from error
    return cuda


def find_device() -> Device:
    """The current GPU. Raises `NoDevice`, saying what was found instead."""
    cuda = load_numba_cuda()
    try:
        device = cuda.get_current_device()
        name = device.name
        memory = cuda.current_context().get_memory_info().total
    except Exception as error:
        what = " ".join(str(error).split()) or type(error).__name__
        raise NoDevice(f"numba-cuda is installed, but there is no usable GPU: {what}") from error
    name = name.decode() if isinstance(name, bytes) else str(name)
    return Device(name, tuple(device.compute_capability), int(device.MULTIPROCESSOR_COUNT), int(memory))


def bucket_for(mem_floats: int) -> int:
    """Floats of local memory in the kernel that serves runs with this much `mem`."""
    for floats in BUCKETS:
        if mem_floats <= floats:
            return floats
    allowed = f"at most {BUCKETS[-1]} floats a run on a GPU; shorten the longest delay (in cycles), or run this batch on the CPU"
    raise BadInput(Problem("memory.size", mem_floats, allowed))


def kernel_function(floats: int) -> Any:
    """The kernel for one bucket, as plain Python: what `kernel_for` compiles."""
    cuda = load_numba_cuda()

    def run_slice(vectors, markers, mem_floats, logs, outcomes):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = cuda.local.array(floats, np.float64)
            for j in range(mem_floats):
                mem[j] = 0.0
            run_one(vectors[i], markers, mem, logs[i], outcomes[i])

    return run_slice


@functools.cache
def kernel_for(floats: int, max_registers: int | None = None) -> Any:
    """The compiled kernel for one bucket (compiled at its first launch, once per process)."""
    return load_numba_cuda().jit(max_registers=max_registers)(kernel_function(floats))


def run_cuda(
    vectors: np.ndarray,
    markers: tuple[Any, ...],
    mem_floats: int,
    contacts: int = CONTACTS,
    threads_per_block: int = THREADS_PER_BLOCK,
    progress: Progress | None = None,
) -> Batch:
    """Run every row of `vectors` on the GPU. Agrees with `run_cpu` within rounding (docs: agreement between backends)."""
    batch = empty_batch(vectors, contacts)
    device, cuda = find_device(), load_numba_cuda()
    kernel = kernel_for(bucket_for(mem_floats))
    total, done, rows = len(batch), 0, device.multiprocessors * WAVE
    while done < total:
        part = slice(done, min(done + rows, total))
        began = time.perf_counter()
        here = [cuda.to_device(array) for array in (np.ascontiguousarray(vectors[part]), batch.logs[part], batch.outcomes[part])]
        count = part.stop - part.start
        kernel[-(-count // threads_per_block), threads_per_block](here[0], markers, mem_floats, here[1], here[2])
        here[1].copy_to_host(batch.logs[part])
        here[2].copy_to_host(batch.outcomes[part])
        took, first = time.perf_counter() - began, done == 0
        done = part.stop
        if not first:  # the first launch may have compiled
            rows = _next_rows(rows, took, device, vectors.shape[1])
        if progress is not None:
            progress(done, total)
    return batch


def _next_rows(rows: int, took: float, device: Device, columns: int) -> int:
    """Rows of the next launch: towards `LAUNCH_S`, at most four times as many, whole waves, within a quarter of the memory."""
    wave = device.multiprocessors * WAVE
    most = max(device.memory_bytes // 4 // (8 * (columns + 128)), wave)
    aim = min(int(rows * min(LAUNCH_S / max(took, 1e-6), 4.0)), most)
    return max(aim // wave * wave, wave)
