"""A batch on one CUDA device: one thread per run, each calling the same `run_one` as a CPU thread
does.

A kernel is compiled for what the runs of a batch have in common: their kind
(loop/specialise.py) and the size of `mem`, an array in the thread's local memory. Numbers
they share are arguments of the kernel; parameters, outcomes and logs are in global memory. Launches
are slices of the batch, sized by the time the last one took.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import time
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.disk_cache import usable_folder
from softdock.compile.features import Markers
from softdock.errors import NoDevice
from softdock.loop.entry_points import run_one
from softdock.loop.specialise import of_kind, with_known_pair
from softdock.loop.vector import prepare
from softdock.studies.campaign.batch import CONTACTS, Batch, Progress, make_empty_batch
from softdock.studies.campaign.compact_vectors import SparseParameters, expand_rows
from softdock.studies.campaign.kept_kernels import cache_kernel
from softdock.studies.campaign.kernel_specialisation import KernelKind, TailoredRuns, tailor

THREADS_PER_BLOCK = 64
# aim of one launch; a longer one would make progress invisible and upset a display's watchdog
LAUNCH_S = 1.0
# threads a multiprocessor holds at about 255 registers each: the least that fills the device
WAVE = 256


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
        raise NoDevice(
            "no GPU backend: the package numba-cuda is not installed (pip install 'softdock[gpu]')"
        )
    if not hasattr(np, "row_stack"):
        # numba-cuda 0.30 registers np.row_stack, which numpy 2.5 removed
        setattr(np, "row_stack", np.vstack)  # noqa: B010
    try:
        importlib.import_module(
            "_numba_cuda_redirector"
        )  # a .pth file does this, but only in an installed environment
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
        what = " ".join(str(error).split()).rstrip(" :.") or type(error).__name__
        raise NoDevice(f"numba-cuda is installed, but there is no usable GPU: {what}") from error
    name = name.decode() if isinstance(name, bytes) else str(name)
    return Device(
        name, tuple(device.compute_capability), int(device.MULTIPROCESSOR_COUNT), int(memory)
    )


def make_kernel_function(special: KernelKind) -> Any:
    """The kernel for one kind of run, as plain Python: what `compile_kernel` compiles."""
    cuda = load_numba_cuda()
    floats, kind, common, shared = special

    def run_slice(vectors, markers, numbers, logs, outcomes):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = cuda.local.array(floats, np.float64)
            for j in range(floats):
                mem[j] = 0.0
            params = of_kind(prepare(vectors[i], markers), kind, common, numbers, shared)
            run_one(vectors[i], params, mem, logs[i], outcomes[i])

    def run_slice_of_one_pair(vectors, markers, numbers, logs, outcomes):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = cuda.local.array(floats, np.float64)
            for j in range(floats):
                mem[j] = 0.0
            params = with_known_pair(
                of_kind(prepare(vectors[i], markers), kind, common, numbers, shared), numbers
            )
            run_one(vectors[i], params, mem, logs[i], outcomes[i])

    return run_slice_of_one_pair if shared.pair else run_slice


@functools.cache
def compile_kernel(special: KernelKind, max_registers: int | None = None) -> Any:
    """The compiled kernel for one kind of run."""
    return _compile_with_cache(make_kernel_function(special), max_registers)


def _compile_with_cache(function: Any, max_registers: int | None = None) -> Any:
    """Compiled at its first launch, and kept with the CPU's code where that can be done."""
    return cache_kernel(load_numba_cuda(), function, max_registers, usable_folder())


@functools.cache
def compile_expansion_kernel() -> Any:
    """Thin runs to parameter vectors, on the device, and their results made zero: one block per
    run."""
    cuda = load_numba_cuda()

    def expand(base, at, values, vectors, outcomes, logs):
        i = cuda.blockIdx.x
        for j in range(cuda.threadIdx.x, base.shape[0], cuda.blockDim.x):
            vectors[i, j] = base[j]
        for j in range(cuda.threadIdx.x, outcomes.shape[1], cuda.blockDim.x):
            outcomes[i, j] = 0.0
        for contact in range(logs.shape[1]):
            for j in range(cuda.threadIdx.x, logs.shape[2], cuda.blockDim.x):
                logs[i, contact, j] = 0.0
        cuda.syncthreads()
        for j in range(cuda.threadIdx.x, at.shape[0], cuda.blockDim.x):
            vectors[i, at[j]] = values[i, j]

    return _compile_with_cache(expand)


def run_cuda(
    vectors: np.ndarray | SparseParameters,
    markers: Markers,
    mem_floats: int,
    contacts: int = CONTACTS,
    threads_per_block: int = THREADS_PER_BLOCK,
    progress: Progress | None = None,
    tailored: TailoredRuns | None = None,
) -> Batch:
    """Run every row of `vectors` on the GPU. Agrees with `run_cpu` within rounding (docs: agreement
    between backends).

    `tailored`: these runs, where `tailor` has looked at them before.
    """
    batch = make_empty_batch(vectors, contacts)
    device, cuda = find_device(), load_numba_cuda()
    vectors, numbers, special = tailored or tailor(vectors, markers, mem_floats)
    kernel = compile_kernel(special)
    columns = len(vectors.base) if isinstance(vectors, SparseParameters) else vectors.shape[1]
    total, done, rows = len(batch), 0, compute_wave_rows(device)
    while done < total:
        part = slice(done, min(done + rows, total))
        began = time.perf_counter()
        here = [
            cuda.to_device(array)
            for array in (
                expand_rows(vectors, part.start, part.stop),
                batch.logs[part],
                batch.outcomes[part],
            )
        ]
        count = part.stop - part.start
        kernel[-(-count // threads_per_block), threads_per_block](
            here[0], markers, numbers, here[1], here[2]
        )
        here[1].copy_to_host(batch.logs[part])
        here[2].copy_to_host(batch.outcomes[part])
        took, first = time.perf_counter() - began, done == 0
        done = part.stop
        if not first:  # the first launch may have compiled
            rows = _choose_rows(rows, took, device, columns)
        if progress is not None:
            progress(done, total)
    return batch


def compute_wave_rows(device: Device) -> int:
    """Runs that fill the device once: slices of a campaign are whole numbers of it."""
    return device.multiprocessors * WAVE


def _choose_rows(rows: int, took: float, device: Device, columns: int) -> int:
    """Rows of the next launch: towards `LAUNCH_S`, at most four times as many, whole waves, within
    a quarter of the memory."""
    wave = compute_wave_rows(device)
    most = max(device.memory_bytes // 4 // (8 * (columns + 128)), wave)
    aim = min(int(rows * min(LAUNCH_S / max(took, 1e-6), 4.0)), most)
    return max(aim // wave * wave, wave)
