"""What the runs of a batch have in common: what their CUDA kernel is compiled for
(loop/specialise.py), and as little memory as they need.

What all runs share becomes a constant or an argument of the kernel. Set-points and samples are kept
only as long as some run reads them: a multiprocessor's caches then hold more of its runs.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.features import Markers
from softdock.errors import BadInput, Problem
from softdock.loop.entry_points import find_kinds
from softdock.loop.instants import SAME_CYCLE
from softdock.loop.method.hooks import memory_slots
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.specialise import KIND_FIELDS, NUMBER_FLOATS, SIZES, Kind, Numbers
from softdock.loop.vector import MEMORY, MEMORY_AT, METHODS_AT, sample_floats
from softdock.studies.campaign.batch import SparseParameters, count_cores, count_runs, expand_rows

# of `mem` a run in local memory, which is reserved for every thread that the device can hold at
# once, 8.6 GB on an H200; a larger one lies in global memory, for the runs of one launch
MOST_LOCAL_FLOATS = 4096
MOST_FLOATS = 1 << 17  # 1 MB a run
LOOK_ROWS = 1024  # runs looked at together for what they have in common: 3 MB
LOOKERS = 4  # threads that look
EVERYTHING = 1 << 30  # whatever the CPU keeps


class KernelKind(NamedTuple):
    """What a kernel is compiled for: floats of `mem`, and what all runs of the batch have in
    common."""

    floats: int
    kind: Any  # specialise.Kind
    common: Any  # a Kind: 1 where the batch has it in common
    shared: Numbers  # likewise for numbers; their values are arguments of the kernel


class TailoredRuns(NamedTuple):
    """Runs made ready for a kernel of their own."""

    vectors: np.ndarray | SparseParameters  # with a memory map for the GPU
    numbers: Numbers  # what all runs have in common, for the kernel's argument
    special: KernelKind


class MemoryUse(NamedTuple):
    """Entries of a run's memory that its kernel needs."""

    set_points: int
    samples: int


def compute_memory_use(kinds: np.ndarray, numbers: np.ndarray) -> MemoryUse:
    """What the most demanding of these runs reads of its past, in powers of two (a mask costs less
    than memory does), but for robots that are always on a set-point: theirs are found without
    one."""

    def kind(name: str) -> np.ndarray:
        return kinds[:, Kind._fields.index(name)]

    def numbers_of(group: str) -> np.ndarray:
        i = Numbers._fields.index(group)
        return numbers[:, sum(SIZES[:i]) : sum(SIZES[: i + 1])]

    T, (period, late) = numbers_of("clock")[:, 0], numbers_of("sensor")[:, :2].T
    stamps = (
        np.maximum(kind("chaser_robot_cycles"), kind("target_robot_cycles")) + 1
    )  # those of the delay, and the newest
    set_points = np.where(kind("on_stamps") != 0, stamps, EVERYTHING)
    samples = np.exp2(
        np.ceil(np.log2(np.ceil((late + T) / period - SAME_CYCLE)))
    )  # of a cycle, and those that have not arrived
    return MemoryUse(int(set_points.max()), int(samples.max()))


def make_too_large_error(mem_floats: int) -> BadInput:
    """A run's memory that no GPU takes."""
    shorter = (
        "shorten the longest delay or a method's history (rewind_ms; both in cycles), or run it "
        "on the CPU"
    )
    return BadInput(
        Problem(
            "memory.size", mem_floats, f"at most {MOST_FLOATS} floats a run on a GPU; {shorter}"
        )
    )


class CommonValues:
    """What all runs seen so far have in common. It only ever shrinks: later slices of a campaign
    never need a kernel for one value of theirs."""

    def __init__(self, markers: Markers, mem_floats: int):
        if mem_floats > MOST_FLOATS:
            raise make_too_large_error(mem_floats)
        self.markers, self.mem_floats = markers, mem_floats
        self.first: np.ndarray | None = None  # vector of the first run seen
        self.kind = self.numbers = np.zeros(0)
        self.is_common, self.is_shared = (
            np.ones(KIND_FIELDS, dtype=bool),
            np.ones(NUMBER_FLOATS, dtype=bool),
        )
        self.kept = MemoryUse(0, 0)  # set-points and force samples that some run reads

    def add(self, vectors: np.ndarray | SparseParameters) -> None:
        """Some more runs, looked at in small parts, several at once."""
        total = count_runs(vectors)
        if self.first is None:
            first = expand_rows(vectors, 0, 1)
            kinds, numbers = _list_kinds(first, self.markers)
            self.first, self.kind, self.numbers = first[0].copy(), kinds[0], numbers[0]

        def look(first: int) -> tuple[np.ndarray, np.ndarray, MemoryUse]:
            kinds, numbers = _list_kinds(
                expand_rows(vectors, first, min(first + LOOK_ROWS, total)), self.markers
            )
            return (
                (kinds == self.kind).all(axis=0),
                (numbers == self.numbers).all(axis=0),
                compute_memory_use(kinds, numbers),
            )

        with ThreadPoolExecutor(min(LOOKERS, count_cores())) as pool:
            for common, shared, use in pool.map(look, range(0, total, LOOK_ROWS)):
                self.is_common &= common
                self.is_shared &= shared
                self.kept = MemoryUse(*np.maximum(self.kept, use).tolist())

    def prepare(self, vectors: np.ndarray | SparseParameters) -> TailoredRuns:
        """These runs (seen before), with a kernel's memory map."""
        if self.first is None:
            raise ValueError("no run was seen")
        vectors = (
            SparseParameters(self._shorten(vectors.base), *vectors[1:])
            if isinstance(vectors, SparseParameters)
            else self._shorten(vectors)
        )
        kind = _list_kinds(self._shorten(self.first)[None, :], self.markers)[0][0]
        groups = np.split(self.is_shared, np.cumsum(SIZES)[:-1])
        shared = [int(group.all()) for group in groups]
        pairs = Kind._fields.index("pairs_number")
        shared[Numbers._fields.index("pair")] *= int(self.is_common[pairs] and kind[pairs] == 1)
        constants = Kind(*np.where(self.is_common, kind, 0).tolist())
        special = KernelKind(
            self.mem_floats - self._count_spared(),
            constants,
            Kind(*self.is_common.astype(int).tolist()),
            Numbers(*shared),
        )
        numbers = np.split(self.numbers, np.cumsum(SIZES)[:-1])
        return TailoredRuns(
            vectors, Numbers(*(tuple(group.tolist()) for group in numbers)), special
        )

    def _choose_memory_use(self) -> MemoryUse:
        """Set-points and samples to keep: what is read, and no more than on a CPU."""
        if self.first is None:
            return self.kept
        return MemoryUse(
            *np.minimum(
                self.kept,
                self.first[[MEMORY_AT + MEMORY.at.slots, MEMORY_AT + MEMORY.at.sample_slots]],
            )
            .astype(int)
            .tolist()
        )

    def _count_spared(self) -> int:
        """Floats saved by keeping no more than is read."""
        if self.first is None:
            return 0
        m, shorter = MEMORY.at, self._choose_memory_use()
        on = self.kind[Kind._fields.index("sensor_on")]
        spared = 2 * MOTION_FLOATS * (self.first[MEMORY_AT + m.slots] - shorter.set_points)
        floats = getattr(sample_floats, "py_func", sample_floats)(on)  # a part, or plain Python
        return int(spared + floats * (self.first[MEMORY_AT + m.sample_slots] - shorter.samples))

    def _shorten(self, vectors: np.ndarray) -> np.ndarray:
        vectors, m, spared = vectors.copy(), MEMORY.at, self._count_spared()
        vectors[..., MEMORY_AT + m.slots], vectors[..., MEMORY_AT + m.sample_slots] = (
            self._choose_memory_use()
        )
        vectors[..., MEMORY_AT + m.size] -= spared
        for at in memory_slots(self.markers.methods, METHODS_AT):
            vectors[..., at] -= spared
        return vectors


def tailor(
    vectors: np.ndarray | SparseParameters,
    markers: Markers,
    mem_floats: int,
    common: CommonValues | None = None,
) -> TailoredRuns:
    """What these runs have in common (with those seen before), found out run by run."""
    common = CommonValues(markers, mem_floats) if common is None else common
    common.add(vectors)
    return common.prepare(vectors)


def _list_kinds(vectors: np.ndarray, markers: Markers) -> tuple[np.ndarray, np.ndarray]:
    kinds, numbers = (
        np.zeros((len(vectors), KIND_FIELDS), dtype=np.int64),
        np.zeros((len(vectors), NUMBER_FLOATS)),
    )
    find_kinds(vectors, markers, kinds, numbers)
    return kinds, numbers
