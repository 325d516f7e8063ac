"""The figure of docs/related_work.md: picture and table are of the stored numbers, and the stored
numbers are what its command makes."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from softdock.methods.registry import METHODS

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
