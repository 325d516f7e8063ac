"""Runs of the naive loop with set-points ahead (led_naive.py) in the cone of Fig. 7."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from softdock.analysis.simulation import fly
from softdock.core.adaptation.method import BY_TYPE
from softdock.core.adaptation.registry import METHODS
from softdock.papers.lange.cone import DELAY_MS, ROBOT, start_later
from softdock.papers.lange.impact import both_robots, energy_ratio
from softdock.scenario.files import load_scenario
from softdock.scenario.method_file import load_method_file

FILE = Path(__file__).with_name("led_naive.py")


class Led(NamedTuple):
    energy_percent: float  # change over the run
    contacts: int


@contextmanager
def _led_method() -> Iterator[str]:
    """Its name, while it is one of the methods: afterwards nobody's list has it."""
    (name,) = load_method_file(FILE)
    try:
        yield name
    finally:
        BY_TYPE.pop(type(METHODS.pop(name).marker))


@functools.cache
def led_runs(laters: tuple[float, ...]) -> list[Led]:
    """`laters`: parts of a cycle by which everything happens later."""
    preset, found = load_scenario("lange_cone"), []
    with _led_method() as name:
        keys = both_robots(ROBOT) | {"methods": [{"name": name, "lead_ms": DELAY_MS}]}
        for later in laters:
            start = {"chaser.position_m": start_later(preset, later)}
            run = fly(preset.with_keys(keys | start))
            found.append(Led(100.0 * (energy_ratio(run) - 1.0), run.contact_count))
    return found
