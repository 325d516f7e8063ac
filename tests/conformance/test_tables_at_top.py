"""Tables that a method has at the top of a scenario, and the numbers and charts that it shows of a
run, are read from its declaration: a method that is declared in a test is picked up everywhere."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import softdock
from softdock.compile.cells import Cell, Cells
from softdock.loop.method.declaration import AtTop
from softdock.loop.method.method import BY_TYPE, METHODS, Method, register
from softdock.loop.method.shown import Number, Shown, ShownChart, ShownLine
from softdock.loop.parameters import Group, OwnRows, Parameter
from softdock.methods import registry
from softdock.output.pages.run.page import all_sections
from softdock.results import method_reports
from softdock.results.metric import METRICS

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from scenario_page import scenario_reference


class Tug(NamedTuple):
    memory: int = 0


TUG = Method(
    name="steady_tug",
    summary="pulls",
    knows="nothing",
    group=Group(
        "steady_tug",
        "Pulls steadily.",
        Parameter("pull", "tug.pull_N", "of the line", 2.0, unit="N"),
        Parameter("tip", "line.tip_m", "where it is tied", (0.0, 0.0, 0.0), unit="m", size=3),
        Parameter(
            "rows",
            "line.rows",
            "knots",
            (),
            size=2,
            kind="own_rows",
            rows=OwnRows(2, 3, "up to 3 rows", lambda row: "sinks" if row[0] < 0.0 else ""),
        ),
    ),
    marker=Tug(),
    prepare=lambda marker, vector, base, memory: marker,
    parts=(Cells("knot", Cell("place", 3, "m", "of a knot")),),
    at_top=AtTop("kind", ("tug", "line"), "A tug.", {"line.tip_m": "tip_m"}),
    shown=Shown(
        key="tug",
        heading="Tugged",
        meaning="what the tug did",
        numbers=lambda run: {"most_N": float(run.series[f"{run.name}.force"].max())},
        words=lambda found: f"At most {found['most_N']} N.",
        first=(
            Number(
                name="most_N",
                meaning="most",
                label="Most",
                words="most",
                unit="N",
                tile="-",
            ),
        ),
        charts=(ShownChart("force", "Pull", "[N]", (ShownLine("pull", "c1", "force"),)),),
    ),
)


@pytest.fixture
def tugged():
    """The method registered, and forgotten behind the test."""
    kept, types, metrics = dict(METHODS), dict(BY_TYPE), dict(METRICS)
    register(TUG)
    yield TUG
    for table, old in ((METHODS, kept), (BY_TYPE, types), (METRICS, metrics)):
        table.clear()
        table.update(old)


def tables_of(**more):
    plain = softdock.load_scenario("epos_1d").tables
    return {key: value for key, value in plain.items() if key != "methods"} | more


def test_another_kind_at_the_top_is_picked_up(tugged):
    """Protects whoever declares one: reader, defaults from the contact, refusals and reference
    page follow the declaration alone."""
    scenario = softdock.build(tables_of(tug={"kind": "steady_tug"}, line={"rows": [[1, 2]]}))
    assert scenario.tables["tug"] == {"kind": "steady_tug", "pull_N": 2.0}
    assert scenario.tables["line"]["tip_m"] == scenario.tables["contact"][0]["tip_m"]
    assert scenario.tables["methods"][-1]["name"] == "steady_tug"
    with pytest.raises(softdock.BadInput, match=r"row 0 sinks"):
        softdock.build(tables_of(tug={"kind": "steady_tug"}, line={"rows": [[-1, 2]]}))
    with pytest.raises(softdock.BadInput, match=r"tug\.kind"):
        softdock.build(tables_of(tug={"kind": "steady_tog"}))
    assert '### `tug.kind = "steady_tug"`' in scenario_reference()


def test_what_another_method_shows_is_picked_up(tugged):
    """Protects the same for numbers and charts: metrics and a section of the page, of runs with
    such a method alone."""
    method_reports.declare_new()
    series = {"time": np.arange(3.0), "steady_tug.force": np.array([1.0, 4.0, 2.0])}
    tables = tables_of(tug={"kind": "steady_tug"})
    run = SimpleNamespace(scenario=softdock.build(tables), series=series)
    other = SimpleNamespace(scenario=softdock.load_scenario("epos_1d"), series=series)
    judged, without = SimpleNamespace(run=run), SimpleNamespace(run=other)
    assert (METRICS["most_N"].value(judged), METRICS["tug"].value(judged)) == (4.0, {"most_N": 4.0})
    assert (METRICS["most_N"].value(without), METRICS["tug"].value(without)) == (None, None)
    (section,) = [one for one in all_sections() if one.key == "tug"]
    html = section.html(SimpleNamespace(run=run, metrics={"tug": {"most_N": 4.0}}))
    assert "At most 4.0 N." in html
    assert "tug-force" in html
    assert section.html(SimpleNamespace(run=other, metrics={"tug": None})) == ""


def test_what_is_known_without_importing_a_method_is_what_it_declares():
    """A run imports the methods that it lists; of the others the registry states the tables at the
    top and the numbers that they show."""
    for name, method in METHODS.items():
        assert registry.AT_TOP.get(name) == (method.at_top if name in registry.MODULES else None)
        assert registry.SHOWN.get(name) == (method.shown if name in registry.MODULES else None)
