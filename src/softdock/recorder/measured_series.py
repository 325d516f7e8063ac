"""A recording's series for a picture: what a rig cannot know is shown as it was measured or
commanded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from softdock.runs.series import Series


def has(series: Series, name: str) -> bool:
    """Whether a channel, or one part of it, was recorded."""
    return name in series or any(one.rpartition(".")[0] == name for one in series)


class AsSeen(Mapping[str, np.ndarray]):
    """Series for a picture: where a rig did not record a mock-up's true place, its measured one
    stands in, then its set-point; for the true force, the measured one."""

    INSTEAD = (
        ("mock_up.", ("seen.", "command.", "")),
        ("true.", ("measured.", "satellite.")),
        ("", ("command.", "seen.")),
    )

    def __init__(self, series: Series) -> None:
        self._series = series

    def __getitem__(self, name: str) -> np.ndarray:
        if has(self._series, name):
            return self._series[name]
        for start, others in self.INSTEAD:
            if name.startswith(start):
                for other in others:
                    if has(self._series, other + name[len(start) :]):
                        return self._series[other + name[len(start) :]]
                break
        if name.startswith("true.") and len(self._series.rows):
            return np.zeros((len(self._series.rows), 3))  # no sensor: no arrow
        return self._series[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._series)

    def __len__(self) -> int:
        return len(self._series)
