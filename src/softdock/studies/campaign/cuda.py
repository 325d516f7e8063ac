"""A batch on one CUDA device: one thread per run, each calling the same `run_one` as a CPU thread
does.

A kernel is compiled for what the runs of a batch have in common: their kind
(loop/specialise.py) and the size of `mem`, an array in the thread's local memory, or in global
memory where it is large. Numbers they share are arguments of the kernel; parameters, outcomes and
logs are in global memory. Launches are slices of the batch, sized by the time the last one took.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.disk_cache import find_usable_folder, warn_once
from softdock.compile.features import Markers
from softdock.compile.jit import compiled
from softdock.errors import NoDevice
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOMES, run_one
from softdock.loop.specialise import of_kind, with_known_pair
from softdock.loop.vector import prepare
from softdock.studies.campaign.batch import (
    CONTACTS,
    Batch,
    Progress,
    SparseParameters,
    expand_rows,
    make_empty_batch,
)
from softdock.studies.campaign.device_grids import with_device_grids
from softdock.studies.campaign.kernel_specialisation import (
    MOST_LOCAL_FLOATS,
    KernelKind,
    TailoredRuns,
    tailor,
)

# CUDA kernels on disk: Numba's own cache, in a folder of ours, with damaged files forgotten.


def cache_kernel(cuda: Any, function: Any, max_registers: int | None, folder: Path | None) -> Any:
    """A kernel with Numba's own cache in this folder; None: in memory."""
    if folder is None:
        return cuda.jit(max_registers=max_registers)(function)
    config: Any = importlib.import_module("numba.cuda.core.config")
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        kernel = cuda.jit(max_registers=max_registers, cache=True)(function)
    finally:
        config.CACHE_DIR = before
    kernel._cache.save_overload = keep_if_possible(kernel._cache.save_overload)
    kernel._cache.load_overload = load_if_whole(kernel._cache)
    return kernel


def load_if_whole(cache: Any) -> Callable[..., Any]:
    """A damaged file of Numba's cache is forgotten, and the kernel recompiled."""
    load = cache.load_overload

    def try_to_load(*kernel: Any) -> Any:
        try:
            return load(*kernel)
        except Exception:  # whatever a cut or garbled pickle raises
            warn_once("damaged", f"damaged kernels were thrown away ({cache.cache_path})")
            with contextlib.suppress(OSError):
                cache.flush()
            return None

    return try_to_load


def keep_if_possible(keep: Callable[..., None]) -> Callable[..., None]:
    """A kernel that a library was linked into (networks reshape arrays) cannot be kept on disk: it
    is recompiled in each process."""

    def try_to_keep(*kernel: Any) -> None:
        try:
            keep(*kernel)
        except OSError as error:
            warn_once("write", f"kernels cannot be kept ({error.strerror})")
        except RuntimeError as error:
            if "linking files" not in str(error):
                raise

    return try_to_keep


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
    """The kernel for one kind of run, as plain Python: what `compile_kernel` compiles. Its last
    argument is the memory of runs that need more than a thread's local memory
    (`allocate_memories`)."""
    cuda = load_numba_cuda()
    floats, kind, common, shared = special
    specialise = with_known_pair if shared.pair else _keep_pairs

    def run_slice(vectors, markers, numbers, logs, outcomes, memories):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = cuda.local.array(floats, np.float64)
            for j in range(floats):
                mem[j] = 0.0
            params = of_kind(prepare(vectors[i], markers), kind, common, numbers, shared)
            run_one(vectors[i], specialise(params, numbers), mem, logs[i], outcomes[i])

    def run_slice_in_global_memory(vectors, markers, numbers, logs, outcomes, memories):
        i = cuda.grid(1)
        if i < vectors.shape[0]:
            mem = memories[i]
            for j in range(floats):
                mem[j] = 0.0
            params = of_kind(prepare(vectors[i], markers), kind, common, numbers, shared)
            run_one(vectors[i], specialise(params, numbers), mem, logs[i], outcomes[i])

    return run_slice_in_global_memory if floats > MOST_LOCAL_FLOATS else run_slice


@compiled
def _keep_pairs(params, numbers):
    return params


@functools.cache
def compile_kernel(special: KernelKind, max_registers: int | None = None) -> Any:
    """The compiled kernel for one kind of run."""
    kernel = _compile_with_cache(make_kernel_function(special), max_registers)
    if special.floats > MOST_LOCAL_FLOATS:
        kernel.compile = compile_with_calls(kernel.compile)
    return kernel


def compile_with_calls(compile_kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel in which a function marked `noinline` is called. CUDA's compiler would inline it in
    every place: a long method then takes 215 s to compile instead of 84 s and runs 1.2 times as
    fast."""
    from numba.cuda.lowering import CUDALower

    before = CUDALower.pre_lower

    def pre_lower(self: Any) -> None:
        before(self)
        attributes = self.builder.function.attributes
        if "alwaysinline" not in attributes:
            attributes.add("noinline")

    def compile_called(*arguments: Any, **options: Any) -> Any:
        CUDALower.pre_lower = pre_lower
        try:
            return compile_kernel(*arguments, **options)
        finally:
            CUDALower.pre_lower = before

    return compile_called


def _compile_with_cache(function: Any, max_registers: int | None = None) -> Any:
    """Compiled at its first launch, and kept with the CPU's code where that can be done."""
    return cache_kernel(load_numba_cuda(), function, max_registers, find_usable_folder())


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


def find_launch_rows(device: Device, special: KernelKind, rows: int) -> int:
    """So many runs of a launch, or as many whose memories fit into an eighth of the device's: a
    multiple of a block's threads."""
    if special.floats <= MOST_LOCAL_FLOATS:
        return rows
    most = device.memory_bytes // 8 // (8 * special.floats)
    return min(rows, max(most // THREADS_PER_BLOCK, 1) * THREADS_PER_BLOCK)


def allocate_memories(special: KernelKind, rows: int) -> Any:
    """Memories of so many runs on the device; without an entry where they are local."""
    floats = special.floats if special.floats > MOST_LOCAL_FLOATS else 0
    return load_numba_cuda().device_array((rows, floats))


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
    if isinstance(vectors, SparseParameters):
        base, numbers = with_device_grids(cuda, vectors.base, numbers)
        vectors = vectors._replace(base=base)
    else:
        vectors, numbers = with_device_grids(cuda, vectors, numbers)
    kernel = compile_kernel(special)
    columns = len(vectors.base) if isinstance(vectors, SparseParameters) else vectors.shape[1]
    wave = find_launch_rows(device, special, compute_wave_rows(device))
    total, done, rows = len(batch), 0, wave
    memories = allocate_memories(special, min(total, wave))
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
            here[0], markers, numbers, here[1], here[2], memories
        )
        here[1].copy_to_host(batch.logs[part])
        here[2].copy_to_host(batch.outcomes[part])
        took, first = time.perf_counter() - began, done == 0
        done = part.stop
        if not first and memories.size == 0:  # the first launch may have compiled
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


# Slices of a campaign in flight on a GPU: while one slice runs, the results of the last are
# copied, made a table of and written.
#
# A lane is a stream with room for one slice: parameters and results on the device, results in
# page-locked memory here. Two lanes take turns, so a slice's stragglers are joined by the first
# runs of the next.


class LaneRun(NamedTuple):
    """One slice under way."""

    lane: GpuLane
    runs: int
    began: Any  # events on the device
    ended: Any


class GpuLane:
    def __init__(self) -> None:
        self.cuda = load_numba_cuda()
        self.stream = self.cuda.stream()
        self.shape = (0, 0, 0)  # runs, contacts, parameters there is room for
        self.memories: Any = None

    def _make_room(self, runs: int, contacts: int, parameters: int) -> None:
        if self.shape[0] >= runs and self.shape[1:] == (contacts, parameters):
            return
        columns = len(LOG_COLUMNS)
        self.shape = (runs, contacts, parameters)
        self.vectors = self.cuda.device_array((runs, parameters))
        self.results = (
            self.cuda.device_array((runs, OUTCOMES)),
            self.cuda.device_array((runs, contacts, columns)),
        )
        self.here = (
            self.cuda.pinned_array((runs, OUTCOMES)),
            self.cuda.pinned_array((runs, contacts, columns)),
        )

    def _find_memories(self, special: KernelKind, rows: int) -> Any:
        """Those of the last launch, if they are large enough."""
        shape = self.memories.shape if self.memories is not None else (0, 0)
        wanted = (rows, special.floats if special.floats > MOST_LOCAL_FLOATS else 0)
        if shape[0] < wanted[0] or shape[1] != wanted[1]:
            self.memories = None  # freed before the next is allocated
            self.memories = allocate_memories(special, rows)
        return self.memories

    def launch(
        self, tailored: TailoredRuns, markers: Markers, contacts: int, launch_rows: int
    ) -> LaneRun:
        """Start these runs, in launches of so many. Returns at once; the lane must be free: its
        last flight collected."""
        thin, numbers, special = tailored
        if not isinstance(thin, SparseParameters):
            raise TypeError("a flight needs thin runs")
        base, numbers = with_device_grids(self.cuda, thin.base, numbers)
        runs, cuda, stream = thin.runs, self.cuda, self.stream
        self._make_room(runs, contacts, len(thin.base))
        kernel, (outcomes, logs) = compile_kernel(special), self.results
        launch_rows = find_launch_rows(find_device(), special, launch_rows)
        memories = self._find_memories(special, min(runs, launch_rows))
        base, at, values = (
            cuda.to_device(np.ascontiguousarray(array), stream=stream)
            for array in (base, thin.at, thin.values)
        )
        compile_expansion_kernel()[runs, 64, stream](base, at, values, self.vectors, outcomes, logs)
        began, ended = cuda.event(), cuda.event()
        began.record(stream)
        for first in range(0, runs, launch_rows):
            part = slice(first, min(first + launch_rows, runs))
            blocks = -(-(part.stop - first) // THREADS_PER_BLOCK)
            kernel[blocks, THREADS_PER_BLOCK, stream](
                self.vectors[part], markers, numbers, logs[part], outcomes[part], memories
            )
        ended.record(stream)
        for there, here in zip(self.results, self.here, strict=True):
            there[:runs].copy_to_host(here[:runs], stream=stream)
        return LaneRun(self, runs, began, ended)


def collect(flight: LaneRun) -> tuple[Batch, float]:
    """The results, once they are there, and the seconds the device took. They lie in the lane's own
    memory: good until its next launch."""
    flight.lane.stream.synchronize()
    outcomes, logs = (array[: flight.runs] for array in flight.lane.here)
    return Batch(outcomes, logs), 1e-3 * float(flight.began.elapsed_time(flight.ended))
