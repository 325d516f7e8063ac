"""The figure of docs/related_work.md: picture and table are of the stored numbers, and the stored
numbers are what its command makes."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from softdock.methods.registry import METHODS
from softdock.studies.stability import Loop, Robot
from softdock.studies.stability.roots import compute_growth

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # for `benchmarks`, which is no part of the package

from benchmarks import literature

STORED = json.loads(literature.STORED.read_text(encoding="utf-8"))


def test_picture_and_table_are_of_the_stored_numbers():
    """Nothing in them was written by hand."""
    assert literature.PICTURE.read_text(encoding="utf-8") == literature.draw(STORED)
    page = literature.PAGE.read_text(encoding="utf-8")
    assert literature.renew(page, STORED) == page
    assert "error" in STORED
    broken = json.loads(json.dumps(STORED))
    broken["error"]["direct"][0] = 0.5
    assert literature.renew(page, broken) != page


def test_the_stored_numbers_are_of_these_methods():
    """Every line is there, by a method that is listed, with a number for every spring."""
    assert all(method in METHODS for _, method, _ in literature.LINES)
    for kind in literature.KINDS:
        assert list(STORED[kind]) == [label for label, _, _ in literature.LINES]
        assert all(len(line) == len(literature.STIFFNESSES) for line in STORED[kind].values())


def test_what_a_millisecond_of_each_delay_does():
    """docs/related_work.md: of force and robot the same growth, of the cycle half of it, on a loop
    whose sampling is fine."""
    loop = Loop(63.0, 1000.0, robots=(Robot(delay=0.016),), cycle=0.004)
    raw = compute_growth(loop)
    force = compute_growth(loop.changed(sensor_delay=0.001)) - raw
    robot = compute_growth(loop.changed(later=0.001)) - raw
    cycle = compute_growth(loop.changed(cycle=0.005)) - raw
    assert robot == pytest.approx(1000.0 * 0.001 / (2.0 * 63.0), rel=0.02)
    assert cycle == pytest.approx(0.5 * robot, rel=0.02)
    # a sample that is late arrives with the next cycle: four times that for a millisecond alone
    assert compute_growth(loop.changed(sensor_delay=0.004)) - raw == pytest.approx(
        compute_growth(loop.changed(later=0.004)) - raw, rel=0.02
    )
    assert force >= robot


def test_a_point_made_again():
    """The raw loop, lossless and with losses: as stored, to rounding, and near the closed form."""
    i = literature.STIFFNESSES.index(1e4)
    for kind in ("error", "error_with_losses"):
        found = literature.find_worst_error("direct", {}, 1e4, kind)
        assert found == pytest.approx(STORED[kind]["direct"][i], rel=1e-9)
    q = STORED["frequency_times_delay"][i]
    assert STORED["error"]["direct"][i] == pytest.approx(
        math.exp(0.5 * math.pi * q) - 1.0, rel=0.05
    )
