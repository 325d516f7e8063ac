"""Slices of a campaign in flight on a GPU: while one slice runs, the results of the last are
copied, made a table of and written.

A lane is a stream with room for one slice: parameters and results on the device, results in
page-locked memory here. Two lanes take turns, so a slice's stragglers are joined by the first runs
of the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.compile.features import Markers
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOMES
from softdock.studies.campaign.batch import Batch
from softdock.studies.campaign.compact_vectors import SparseParameters
from softdock.studies.campaign.cuda import (
    THREADS_PER_BLOCK,
    compile_expansion_kernel,
    compile_kernel,
    load_numba_cuda,
)
from softdock.studies.campaign.kernel_specialisation import TailoredRuns


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

    def launch(
        self, tailored: TailoredRuns, markers: Markers, contacts: int, launch_rows: int
    ) -> LaneRun:
        """Start these runs, in launches of so many. Returns at once; the lane must be free: its
        last flight collected."""
        thin, numbers, special = tailored
        if not isinstance(thin, SparseParameters):
            raise TypeError("a flight needs thin runs")
        runs, cuda, stream = thin.runs, self.cuda, self.stream
        self._make_room(runs, contacts, len(thin.base))
        kernel, (outcomes, logs) = compile_kernel(special), self.results
        base, at, values = (
            cuda.to_device(np.ascontiguousarray(array), stream=stream)
            for array in (thin.base, thin.at, thin.values)
        )
        compile_expansion_kernel()[runs, 64, stream](base, at, values, self.vectors, outcomes, logs)
        began, ended = cuda.event(), cuda.event()
        began.record(stream)
        for first in range(0, runs, launch_rows):
            part = slice(first, min(first + launch_rows, runs))
            blocks = -(-(part.stop - first) // THREADS_PER_BLOCK)
            kernel[blocks, THREADS_PER_BLOCK, stream](
                self.vectors[part], markers, numbers, logs[part], outcomes[part]
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
