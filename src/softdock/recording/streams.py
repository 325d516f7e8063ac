"""What is recorded: streams of rows with named channels, what is said about the whole, and where it
comes from.

A stream is one ring: rows of float64 in which each channel has its place. Kinds: `rows` (a flat
message and what ROS 2 has for it, row by row), `samples` (many rows in one message) and `events`
(texts with two numbers).
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock._version import __version__
from softdock.compile.sources import source_hash
from softdock.loop.instants import SECOND
from softdock.loop.record import Channel
from softdock.recording import ring_layout

KINDS = ("rows", "samples", "events")
CYCLE, PACKETS, SAMPLES, EVENTS = "cycle", "packets", "samples", "events"
STAMP, TIME = "stamp_ns", "time"
MOST_CHANNELS = 5000
URDF = "robot.urdf"  # the attachment that has the arms (robot_description.py)
SENSOR_ON, BOTH = "sensor_on", "both"  # in the table `run`: the body that has a sensor


@dataclass(frozen=True)
class Stream:
    """A ring's rows."""

    name: str
    kind: str
    width: int  # floats of a row
    channels: tuple[Channel, ...]
    places: tuple[int, ...]  # column of each channel
    per_second: float = 250.0  # rows; how long a ring lasts

    def columns(self, rows: np.ndarray) -> np.ndarray:
        """The channels of rows (n, width), in order."""
        return rows[:, list(self.places)]

    def index(self, name: str) -> int | None:
        """Place of a channel in the row; None if it is not recorded."""
        names = [channel.name for channel in self.channels]
        return self.places[names.index(name)] if name in names else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "width": self.width,
            "channels": [list(channel) for channel in self.channels],
            "places": list(self.places),
            "per_second": self.per_second,
        }


def parse_stream(found: Any) -> Stream:
    """A stream from its dictionary. Raises `ValueError` if it is none."""
    try:
        channels = tuple(Channel(*map(str, one)) for one in found["channels"])
        places = tuple(int(at) for at in found["places"])
        width, kind = int(found["width"]), str(found["kind"])
        made = Stream(
            name=str(found["name"]),
            kind=kind,
            width=width,
            channels=channels,
            places=places,
            per_second=float(found["per_second"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not the description of a stream: {error}") from None
    fits = len(places) == len(channels) <= MOST_CHANNELS and kind in KINDS
    if not fits or not all(0 <= at < width for at in places):
        raise ValueError(f"the stream '{made.name}' is not described in a way that can be read")
    return made


def make_stream(
    name: str,
    groups: tuple[tuple[str, list[Channel]], ...],
    cells: Iterable[str] | None = None,
    kind: str = "rows",
    per_second: float = 250.0,
) -> Stream:
    """A stream of declared cells, with the channels of those that the loop fills."""
    found = ring_layout.select_channels(groups, cells)
    return Stream(
        name=name,
        kind=kind,
        width=sum(len(channels) for _, channels in groups),
        channels=tuple(channel for channel, _ in found),
        places=tuple(at for _, at in found),
        per_second=per_second,
    )


def make_rig_streams(
    cells: Iterable[str],
    cycle_s: float = 0.004,
    sensor_Hz: float | Mapping[str, float] = 7000.0,
) -> tuple[Stream, ...]:
    """The streams of a rig: cycles (with the cells that it fills), packets, samples, events.
    `sensor_Hz`: samples a second, or those of each stream of samples."""
    rate = 1.0 / cycle_s
    rates = sensor_Hz if isinstance(sensor_Hz, Mapping) else {SAMPLES: sensor_Hz}
    own = ["stamp_ns", "time", *cells]
    return (
        make_stream(CYCLE, ring_layout.CYCLE_GROUPS, own, per_second=rate),
        make_stream(PACKETS, ring_layout.PACKET_GROUPS, per_second=2.0 * rate),
        *(
            make_stream(name, ring_layout.SAMPLE_GROUPS, kind="samples", per_second=per_second)
            for name, per_second in rates.items()
        ),
        make_stream(EVENTS, ring_layout.EVENT_GROUPS, kind="events", per_second=10.0),
    )


@dataclass(frozen=True)
class About:
    """What a recording says of itself. Everything is text."""

    name: str = "recording"
    utc_offset_ns: int = 0  # UTC minus our monotonic clock, taken once at the start
    attachments: Mapping[str, str] = field(default_factory=dict)  # scenario.toml, rig.toml, ...
    # tables by name: provenance (versions, sensor serial, calibration, note), limits, ...
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    event_texts: tuple[str, ...] = ()  # by code

    @property
    def urdf(self) -> str:
        """The arms, for `/robot_description`; empty: there is none."""
        return self.attachments.get(URDF, "")

    @property
    def absent(self) -> tuple[str, ...]:
        """Wrenches in the rows that no sensor stands behind, by the table `run`."""
        on = self.tables.get("run", {}).get(SENSOR_ON, "")
        known = on in ("chaser", "target")
        return tuple(f"measured.{body}" for body in ("chaser", "target") if known and on != body)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "utc_offset_ns": self.utc_offset_ns,
            "attachments": dict(self.attachments),
            "tables": {name: dict(table) for name, table in self.tables.items()},
            "event_texts": list(self.event_texts),
        }


def parse_about(found: Mapping[str, Any]) -> About:
    """The same from a dictionary. Raises `ValueError` if it is none."""
    try:
        return About(
            name=str(found["name"]),
            utc_offset_ns=int(found["utc_offset_ns"]),
            attachments={str(k): str(v) for k, v in found["attachments"].items()},
            tables={
                str(name): {str(k): str(v) for k, v in table.items()}
                for name, table in found["tables"].items()
            },
            event_texts=tuple(str(text) for text in found["event_texts"]),
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"what it says of itself cannot be read: {error}") from None


def write_streams(streams: Iterable[Stream]) -> str:
    """Streams as JSON."""
    return json.dumps([stream.to_dict() for stream in streams])


def parse_streams(text: str) -> tuple[Stream, ...]:
    """Streams from JSON. Raises `ValueError`."""
    streams = json.loads(text)
    if not isinstance(streams, list):
        raise ValueError("not a list of streams")
    return tuple(parse_stream(one) for one in streams)


def compute_stamps(stream: Stream, rows: np.ndarray, about: About) -> np.ndarray:
    """UTC of rows [ns]: by our clock where they carry it, otherwise by the time of the run."""
    at = stream.index(STAMP)
    if at is not None:
        return np.rint(rows[:, at]).astype(np.int64) + about.utc_offset_ns
    at = stream.index(TIME)
    if at is None:
        raise ValueError(f"the stream '{stream.name}' has neither '{STAMP}' nor '{TIME}'")
    return np.rint(rows[:, at] * SECOND).astype(np.int64) + about.utc_offset_ns


# Where a recording comes from: versions, sources, machine, sensor, the operator's note.

PROVENANCE = "provenance"  # name of the metadata record


def describe_provenance(note: str = "", sensor: Mapping[str, str] | None = None) -> dict[str, str]:
    """As text. `sensor`: what it said of itself, e.g. serial, calibration, scale."""
    import numba
    import numpy

    found = {
        "softdock": __version__,
        "source_hash": source_hash(),
        "python": sys.version.split()[0],
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "system": platform.platform(),
    }
    if note:
        found["note"] = note
    for key, value in (sensor or {}).items():
        found[f"sensor.{key}"] = str(value)
    return found
