"""The machine that runs a shard: this machine's cores, or its GPU. What differs is how large a
shard is best, and that a GPU may be given the next shard before the results of the last are
fetched."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Protocol

import numpy as np

from softdock.errors import NoDevice
from softdock.loop.vector import TIME_AT, TIMES
from softdock.studies.campaign.batch import (
    Batch,
    SparseParameters,
    compile_cpu,
    count_cores,
    run_cpu,
)
from softdock.studies.campaign.variants import Plan, Variant

BACKENDS = ("auto", "cpu", "gpu", "dask")
CPU_SHARD_CYCLES = 5e6  # for each core: some seconds of work
FEWEST, MOST = 32, 65536  # runs of a shard on a CPU
MUCH = 2e9  # cycles; below, compiling a kernel takes longer than the CPU does


class Engine(Protocol):
    name: str
    words: str

    def shard_runs(self, plan: Plan) -> int: ...
    def compile(self, variant: Variant) -> None: ...
    def prepare(self, variant: Variant, runs: SparseParameters) -> Any: ...
    def launch(
        self, variant: Variant, runs: SparseParameters, prepared: Any, contacts: int
    ) -> Any: ...
    def collect(self, launched: Any) -> tuple[Batch, float]:
        """The results, good until the launch after the next, and the seconds the runs took."""


def count_cycles_per_run(plan: Plan) -> float:
    """Of the base scenario."""
    vector = plan.base.vector
    return max(1.0, math.ceil(vector[TIME_AT + TIMES.duration] / vector[TIME_AT + TIMES.cycle]))


class CpuEngine:
    """Threads of this machine."""

    name = "cpu"

    def __init__(self, threads: int | None = None):
        self.threads = threads or count_cores()
        self.words = f"{self.threads} CPU thread{'' if self.threads == 1 else 's'}"

    def shard_runs(self, plan: Plan) -> int:
        return int(
            np.clip(self.threads * CPU_SHARD_CYCLES / count_cycles_per_run(plan), FEWEST, MOST)
        )

    def compile(self, variant: Variant) -> None:
        none = SparseParameters(variant.scenario.vector, variant.at, np.zeros((0, len(variant.at))))
        compile_cpu(none, variant.markers, variant.mem_floats)

    def prepare(self, variant: Variant, runs: SparseParameters) -> Any:
        return None

    def launch(self, variant: Variant, runs: SparseParameters, prepared: Any, contacts: int) -> Any:
        return (
            variant,
            runs,
            contacts,
        )  # all cores work in `collect`: a second shard beside would only be in the way

    def collect(self, launched: Any) -> tuple[Batch, float]:
        variant, runs, contacts = launched
        began = time.perf_counter()
        return run_cpu(
            runs, variant.markers, variant.mem_floats, self.threads, contacts
        ), time.perf_counter() - began


class GpuEngine:
    """The current GPU: a shard is what fills it once. `prepare` (what runs have in common) may be
    called from another thread, while the device is busy."""

    name = "gpu"

    def __init__(self) -> None:
        from softdock.studies.campaign.cuda import GpuLane, compute_wave_rows, find_device

        device = find_device()
        self.words = f"{device.name}, double precision"
        self.wave = compute_wave_rows(device)
        self.common: dict[int, Any] = {}
        self.lock = threading.Lock()
        self.lanes = GpuLane(), GpuLane()
        self.launches = 0

    def shard_runs(self, plan: Plan) -> int:
        return self.wave

    def compile(self, variant: Variant) -> None:
        """A kernel is compiled for what runs have in common, at its first launch."""

    def prepare(self, variant: Variant, runs: SparseParameters) -> Any:
        from softdock.studies.campaign.kernel_specialisation import CommonValues, tailor

        with self.lock:
            markers, floats = variant.markers, variant.mem_floats
            common = self.common.setdefault(id(variant), CommonValues(markers, floats))
            return tailor(runs, markers, floats, common)

    def launch(self, variant: Variant, runs: SparseParameters, prepared: Any, contacts: int) -> Any:
        self.launches += 1
        return self.lanes[self.launches % len(self.lanes)].launch(
            prepared, variant.markers, contacts, self.wave
        )

    def collect(self, launched: Any) -> tuple[Batch, float]:
        from softdock.studies.campaign.cuda import collect

        return collect(launched)


def choose_engine(backend: str, plan: Plan | None = None, threads: int | None = None) -> Engine:
    """`auto`: the GPU if there is one and enough to do, else the CPU. `gpu`: raises `NoDevice`,
    saying what was found."""
    from softdock.studies.campaign.kernel_specialisation import MOST_FLOATS, make_too_large_error

    floats = (
        max((variant.mem_floats for variant in plan.variants), default=0) if plan is not None else 0
    )
    if floats > MOST_FLOATS:
        if backend == "gpu":
            raise make_too_large_error(floats)
        backend = "cpu"
    if backend == "cpu":
        return CpuEngine(threads)
    if backend == "gpu":
        return GpuEngine()
    if plan is not None and plan.runs * count_cycles_per_run(plan) < MUCH:
        return CpuEngine(threads)
    try:
        return GpuEngine()
    except NoDevice:
        return CpuEngine(threads)
