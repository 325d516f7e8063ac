"""Charts of stability stand on the boundary, are drawn to files, and are refused when they
cannot be."""

from __future__ import annotations

import json

import pytest

from softdock.errors import BadInput
from softdock.studies.stability import Dot, Loop, Robot, chart, critical_delay, is_stable
from softdock.studies.stability.chart import convert_to_data


@pytest.mark.parametrize(("figure", "panels"), [("5", 3), ("6", 6), ("7", 1), ("10", 1)])
def test_charts_stand_on_the_boundary(figure, panels):
    """Every point of a continuous curve is neutral, by the closed form; a figure has the panels of
    its model in the paper."""
    drawn = chart(60.0, 1000.0, 50.0, 0.016, figure=figure, dots=[Dot(0.016, 30.0, 1.0)])
    assert len(drawn) == panels
    first = drawn[0].curves[0]
    stiffness = (
        1000.0
        if figure in ("5", "7")
        else {"6": 500.0, "10": 1000.0 * (1.0 - 118.0 / 1066.0)}[figure]
    )
    inner = slice(1, None)
    assert critical_delay(60.0, first.value[inner], stiffness) == pytest.approx(
        1e-3 * first.delay_ms[inner], rel=1e-9
    )
    json.dumps(convert_to_data(drawn), allow_nan=False)


def test_sampled_curves_stand_on_the_sampled_boundary():
    """The dashed curve is neutral for the sampled loop, on both branches."""
    (panel,) = chart(60.0, 1000.0, 50.0, 0.016, 0.004, figure="7")
    dashed = next(curve for curve in panel.curves if curve.sampled)
    loop = Loop(mass=60.0, stiffness=1000.0, damping=0.0, robots=(Robot(),), cycle=0.004)
    for i in (3, 20, len(dashed.value) - 4):
        at = loop.changed(delay=1e-3 * float(dashed.delay_ms[i]))
        near = [
            is_stable(at.changed(damping=factor * float(dashed.value[i])))
            for factor in (0.999, 1.001)
        ]
        assert near in ([False, True], [True, False])


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_charts_are_drawn_to_files(tmp_path, ending):
    """Pictures and a page in one call."""
    file = tmp_path / f"chart.{ending}"
    chart(
        60.0,
        1000.0,
        50.0,
        0.016,
        figure="7",
        dots=[Dot(0.016, 0.0, 1.11), Dot(0.016, 70.0, 0.85)],
        file=file,
    )
    start = file.read_bytes()[:400]
    assert {"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!DOCTYPE html>"}[ending] in start


@pytest.mark.parametrize(
    "bad",
    [
        {"figure": "8"},
        {"file": "chart.pdf"},
        {"file": "nowhere/chart.png"},
        {"vary": {"mass": [-1.0]}},
        {"vary": {"colour": [1.0]}},
    ],
)
def test_charts_that_cannot_be_are_refused(bad):
    """Unknown figures, file kinds, folders and values to vary are refused before anything is
    drawn."""
    with pytest.raises(BadInput):
        chart(60.0, 1000.0, 50.0, 0.016, **bad)
