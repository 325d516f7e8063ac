"""What a method shows of a run beyond its books, declared as data: numbers for `run.metrics`, words
and charts for the page.

In: what was flown with it (`Flown`). The analysis makes metrics of it
(results/method_reports.py) and the page a section (output/pages/run/page.py); neither knows
the method. Methods of one kind share one `Shown`, and a run has one method of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Flown(NamedTuple):
    """A run as its method sees it."""

    name: str  # of the method, as its channels have it
    tables: Mapping[str, Any]  # of the scenario, every default written out
    series: Any  # by the name of a channel, or of a vector's
    turning: Any  # n [rad/s] and normal of the orbit's turning axes; None: there is no orbit


class Number(NamedTuple):
    """One of its numbers that is a metric of its own: on the page among the first, and a row in the
    terminal."""

    name: str  # its key among the numbers; ends in its unit
    meaning: str
    label: str  # on the page
    words: str  # in the terminal
    unit: str
    tile: str  # what is said below it on the page


class ShownLine(NamedTuple):
    """A line of a chart: one of the method's channels over time."""

    label: str
    role: str  # colour by the page's palette
    channel: str  # without the method's name
    part: int | None = None  # of a vector
    second: bool = False  # on the lower, small chart
    steps: bool = False


class Curve(NamedTuple):
    """A line of a chart that is computed."""

    label: str
    role: str
    time: np.ndarray  # s
    values: np.ndarray


class ShownChart(NamedTuple):
    """A chart over time."""

    key: str
    title: str
    axis: str  # what is written beside it; {unit}: the unit below, made readable
    lines: tuple[ShownLine, ...] = ()
    second_axis: str = ""
    caption: str = ""
    unit: str = ""  # of what is scaled to be readable (m, mm); empty: nothing is
    since: str = ""  # channel: shown since it is not zero; empty: from the start
    curves: Callable[[Flown], Sequence[Curve]] | None = None  # in place of lines; none: no chart


class Shown(NamedTuple):
    """All that is shown."""

    key: str  # of the numbers in `run.metrics`, and of the section
    heading: str
    meaning: str  # of the numbers; None where no such method is listed
    numbers: Callable[[Flown], dict[str, Any]]
    words: Callable[[Mapping[str, Any]], str]  # from the numbers as JSON has them
    first: tuple[Number, ...] = ()
    charts: tuple[ShownChart, ...] = ()
