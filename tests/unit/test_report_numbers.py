"""Numbers, names and charts of a page: units that can be read, thinning that keeps peaks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import softdock
from softdock.output.pages.frame.charts import MOST_POINTS, choose_unit, thin, thin_path
from softdock.output.pages.frame.elements import (
    UNITS,
    format_number,
    label,
    look_up,
    reference_key,
    unit_of,
)
from softdock.output.pages.run.motion_charts import choose_view, track_tip
from softdock.results.quantities import format_quantity


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),  # noqa: RUF001
        (math.nan, "–"),  # noqa: RUF001
        (0.0, "0"),
        (-0.0, "0"),
        (3, "3"),
        (-2.0, "−2"),  # noqa: RUF001
        (1.11904, "1.12"),
        (0.99996, "1.00"),
        (9.9996, "10.0"),
        (0.0031794, "0.00318"),
        (-12.3456, "−12.3"),  # noqa: RUF001
        (123456.7, "123457"),
        (3.2e-17, "3.20e−17"),  # noqa: RUF001
        (-1.23456e8, "−1.23e8"),  # noqa: RUF001
        (2.7e29, "diverged"),
        (True, "yes"),
        ("completed", "completed"),
    ],
)
def test_formatter(value: Any, text: str) -> None:
    """Three significant digits, a real minus, whole numbers whole, a dash for what is not
    defined."""
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0031794, "J", "3.18 mJ"),
        (-3.469e-17, "J", "0 J"),
        (0.9, "J", "0.900 J"),
        (2.7e29, "J", "diverged"),
        (-0.0052631, "m/s", "−5.26 mm/s"),  # noqa: RUF001
        (0.000131, "Nm", "0.131 mNm"),
        (0.06, "m", "60 mm"),
        (69.71, "N", "69.7 N"),
        (1.23456, "s", "1.235 s"),
        (0.8231, "%", "82.3 %"),
        (3e-9, "%", "0 %"),
        (80.0, "%", "diverged"),
        (None, "J", "-"),
        (3, "", "3"),
    ],
)
def test_quantities_are_for_people(value: Any, unit: str, text: str) -> None:
    """mm, mm/s and mJ where they read better, 0 below the noise floor, "diverged" for what has no
    size: the same on pages and in the terminal."""
    assert format_quantity(value, unit) == text


def test_keys_tell_their_units_and_names() -> None:
    """Units come from the ends of keys, longest first; orbit's key stands beside the loop's."""
    assert [
        unit_of(key) for key in ("a.gap_rate_m_per_s", "impulse_Ns", "delay_ms", "energy_ratio")
    ] == ["m/s", "Ns", "ms", ""]
    suffixes = list(UNITS)
    assert all(
        not late.endswith(early) for i, late in enumerate(suffixes) for early in suffixes[:i]
    )
    assert reference_key("impulse_Ns") == "impulse_orbit_Ns"
    assert label("fidelity.chaser_rate_error_rad_per_s") == "Chaser rate error"


def test_look_up_of_names_with_dots() -> None:
    """A phase's spread is kept under a name that has dots itself."""
    data = {"spread": {"ledger.rows.robot": {"mean": 2.0}}, "list": [{"a": 1}, 5]}
    assert look_up(data, "spread.ledger.rows.robot.mean") == 2.0
    assert look_up(data, "list.0.a") == 1
    assert look_up(data, "list.1") == 5
    assert look_up(data, "list.2") is None
    assert look_up(data, "spread.nothing.mean") is None


def test_thinning_keeps_peaks_ends_and_windows() -> None:
    """Of a long noisy series with a spike of one row nothing that a reader would look for is
    lost."""
    rng = np.random.default_rng(1)
    x = np.linspace(0.0, 60.0, 60_001)
    y = rng.normal(size=x.size)
    y[[12_345, 40_000]] = 50.0, -70.0
    keep = thin(x, y, [(20.0, 20.4)])
    assert len(keep) <= MOST_POINTS + 4
    assert {0, x.size - 1, 12_345, 40_000} <= set(keep.tolist())
    assert np.all(np.diff(keep) > 0)
    assert set(np.flatnonzero((x >= 20.0) & (x <= 20.4)).tolist()) <= set(keep.tolist())
    groups = np.array_split(
        np.arange(x.size), 200
    )  # no stretch of time without its own extremes, roughly
    assert all(np.isin(group, keep).any() for group in groups)
    assert len(thin(x, y, [(0.0, 60.0)])) <= MOST_POINTS + 4
    assert thin(x[:10], y[:10]).tolist() == list(range(10))


def test_thinning_of_paths_keeps_slow_and_far_parts() -> None:
    """A path that dwells near the start and then flies off shows both."""
    t = np.linspace(0.0, 1.0, 20_001)
    x, y = np.where(t < 0.9, 1e-3 * np.sin(60.0 * t), 1e3 * (t - 0.9)), np.cos(60.0 * t)
    keep = thin_path(x, y)
    assert len(keep) <= MOST_POINTS
    assert np.sum(t[keep] < 0.9) > 0.4 * MOST_POINTS
    assert np.abs(np.diff(x[keep])).max() < 2e3 / MOST_POINTS


@pytest.mark.parametrize(
    ("largest", "unit"), [(2.0, "J"), (0.003, "mJ"), (4e-6, "µJ"), (1e-9, "µJ"), (0.0, "J")]
)
def test_charts_choose_readable_units(largest: float, unit: str) -> None:
    """Protects axes: the unit fits the largest value, whatever its sign, and zeros keep the base
    unit."""
    factor, chosen = choose_unit([np.array([0.0, -largest, math.nan])], "J")
    assert chosen == unit
    assert factor == {"J": 1.0, "mJ": 1e3, "µJ": 1e6}[unit]


@pytest.mark.parametrize("preset", ["epos_3d", "three_petals", "lange_cone"])
def test_gap_rate_is_the_gaps_own_rate(preset: str) -> None:
    """In three dimensions, with both bodies turning, the speed drawn is the slope of the way
    drawn."""
    run = softdock.simulate(softdock.load_scenario(preset))
    drawn = track_tip(choose_view(run.scenario, run.series), run.series)
    slope = np.gradient(drawn.gap, drawn.time)
    apart = (
        np.linalg.norm(np.asarray(run.series["satellite.chaser.force"]), axis=1) < 1.0
    )  # the slope of a smooth stretch
    smooth = apart & np.roll(apart, 1) & np.roll(apart, -1)
    smooth[[0, -1]] = False
    fastest = np.abs(drawn.gap_rate).max()
    assert np.abs(slope - drawn.gap_rate)[smooth].max() < 2e-3 * fastest
