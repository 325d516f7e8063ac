"""What a map of a log says, as data: clocks, frames, signals and their parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from softdock.recording.logs.tables import CsvForm

Component = str | float  # a column's name, or a number for all rows


@dataclass(frozen=True)
class Part:
    """Components of one quantity."""

    components: tuple[Component, ...]
    factor: float  # to SI
    unit: str
    key: str
    where: str  # file:line


@dataclass(frozen=True)
class Clock:
    """The column that stamps the rows of a table."""

    name: str
    column: str
    unit: str
    zero: int | float  # the stamp at which this clock begins, in its unit; whole numbers are exact
    offset_s: float  # added: what this clock must be set forward by to agree with the others
    file: str  # "": the log itself
    topic: str
    every: int  # of its rows one of so many is new: a value that is held in between
    first: int  # of those rows
    longest_gap_s: float  # 0: a few of its own steps
    where: str


@dataclass(frozen=True)
class Place:
    """Where a frame stands in another: origin there [m], attitude (wxyz) into its axes."""

    position: tuple[float, ...] = (0.0, 0.0, 0.0)
    attitude: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Tool:
    """What a sensor reads without a contact; body axes."""

    mass_kg: float
    centre_m: tuple[float, ...]  # from the body's centre of mass
    bias_N: tuple[float, ...]
    bias_Nm: tuple[float, ...]  # about the body's centre of mass


@dataclass(frozen=True)
class Signal:
    """A motion or a wrench of one body."""

    key: str
    where: str
    clock: str
    same_as: str
    frame: Place
    parts: dict[str, Part]
    form: str = "wxyz"  # of an attitude
    axes: str = "world"  # of a rate (world: the frame's) or a wrench
    age: Part | None = None
    stamped: str = "measured"  # what the stamp says: when it was measured, or received
    handover: str = "latest"
    sign: float = 1.0
    sensor: Place = Place()
    tool: Tool | None = None


@dataclass(frozen=True)
class Map:
    """Everything that a map says."""

    name: str
    rows: str  # the clock whose rows are the cycles
    span: tuple[float, float]  # s, of the common time: which part is taken
    form: CsvForm
    clocks: dict[str, Clock]
    fixed: dict[str, Place]  # bodies that are bolted to the floor
    mountings: dict[str, Place]  # the body in the axes whose pose is logged
    signals: dict[tuple[str, str], Signal]
    gravity: tuple[float, ...]
    touch_N: float  # 0: found from the noise
    note: str
    text: str = ""
    folder: Path = field(default_factory=Path)
