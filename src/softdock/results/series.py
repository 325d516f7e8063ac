"""Labelled time series: one row per cycle, one column per channel, with unit, frame and meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from softdock.errors import closest
from softdock.loop.record import CHANNELS, Channel


class Series(Mapping[str, np.ndarray]):
    """Recorded channels by name. `series["chaser.position.x"]` is one column,
    `series["chaser.position"]` all of that vector's."""

    def __init__(self, rows: np.ndarray, channels: Sequence[Channel] = CHANNELS):
        self.rows = rows  # one row per cycle, one column per channel
        self.channels = channels
        self._index = {channel.name: i for i, channel in enumerate(channels)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._index:
            return self.rows[:, self._index[name]]
        columns = [i for channel, i in self._index.items() if channel.rpartition(".")[0] == name]
        if not columns:
            groups = {channel.rpartition(".")[0] for channel in self._index} - {""}
            near = closest(name, [*self._index, *groups])
            raise KeyError(
                f"no series '{name}'"
                + (
                    f"; did you mean '{near}'?"
                    if near
                    else f"; there are: {', '.join(self._index)}"
                )
            )
        return self.rows[:, columns[0] : columns[-1] + 1]

    def __contains__(self, name: object) -> bool:
        return name in self._index or any(
            channel.rpartition(".")[0] == name for channel in self._index
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def channel(self, name: str) -> Channel:
        """Unit, frame and meaning of a channel."""
        return self.channels[self._index[name]]
