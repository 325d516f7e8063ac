"""What methods declare beyond their keys is walked by everyone who asks: tables at the top of a
scenario, numbers and charts of a run, layouts. No file knows those of one method by name."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from house import ROOT, SOURCES, tree_of

import softdock
from softdock.analysis import shown_by_methods
from softdock.analysis.metric import METRICS
from softdock.core.adaptation.at_top import AtTop
from softdock.core.adaptation.method import BY_TYPE, METHODS, Method, register
from softdock.core.adaptation.shown import Number, Shown, ShownChart, ShownLine
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.parameters import Group, OwnRows, Parameter
from softdock.report.run.page import all_sections
from softdock.scenario.layouts_page import _declared
from softdock.scenario.reference_page import scenario_reference

ADAPTATION = ROOT / "core" / "adaptation"
# Homes of methods, and who else may look in: papers, and what stands for numerics (see
# test_methods_at_home.py) or offers public names
HOMES = {
    path.relative_to(ADAPTATION).parts[0].removesuffix(".py")
    for path in ADAPTATION.rglob("*.py")
    if "\nMETHOD = " in path.read_text(encoding="utf-8")
}
LOOK_IN = {
    "core/energy/axis_scheme.py": {"passive_integrator"},  # the papers' scheme is the method's
    "core/orbit/attached.py": {"networks"},  # a network that is part of a satellite flies in orbit
    "scenario/network_file.py": {"networks"},  # how many ports a file may have
    "methods.py": {"guidance"},  # public names for a controller of one's own
}


def tables_at_top() -> set[str]:
    return {table for m in METHODS.values() if m.at_top is not None for table in m.at_top.tables}


def told_by_name(tree: ast.Module, words: set[str]) -> list[tuple[int, str]]:
    """Strings of a file that are a table or begin the path of one of its keys, outside
    docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return sorted(
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in said
        and node.value.partition(".")[0] in words
        and " " not in node.value
    )


def homes_in(tree: ast.Module) -> set[str]:
    """Homes of methods that a file imports from."""
    start = "softdock.core.adaptation"
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(start):
            inner = (node.module or "").removeprefix(start).strip(".").split(".")[0]
            found |= {inner} if inner else {one.name for one in node.names}
    return found & HOMES


def test_no_table_at_the_top_is_known_by_name_elsewhere():
    """Protects a second kind of such methods: who reads, sweeps, lays out memory, judges and draws
    asks the declaration, and looks into no method's home."""
    outside = {
        str(path.relative_to(ROOT)): tree_of(path)
        for path in SOURCES.values()
        if not path.is_relative_to(ADAPTATION) and not path.is_relative_to(ROOT / "papers")
    }
    assert tables_at_top() == {"guidance", "navigation", "thrusters"}
    found = {
        name: said for name, t in outside.items() if (said := told_by_name(t, tables_at_top()))
    }
    assert found == {}
    assert {name: into for name, tree in outside.items() if (into := homes_in(tree))} == LOOK_IN


def test_a_table_by_name_is_found():
    """The test above can fail."""
    tree = ast.parse(
        '"""guidance"""\nx = tables["guidance"]\ny = "thrusters.rows"\nz = "thrusters push"\n'
        "from softdock.core.adaptation.guidance.keys import CELLS\n"
        "from softdock.core.adaptation import hybrid, memory\n"
    )
    assert told_by_name(tree, tables_at_top()) == [(2, "guidance"), (3, "thrusters.rows")]
    assert homes_in(tree) == {"guidance", "hybrid"}


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
                form="g",
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
    """Protects whoever declares one: reader, defaults from the contact, refusals, reference page
    and layouts follow the declaration alone."""
    scenario = softdock.build(tables_of(tug={"kind": "steady_tug"}, line={"rows": [[1, 2]]}))
    assert scenario.tables["tug"] == {"kind": "steady_tug", "pull_N": 2.0}
    assert scenario.tables["line"]["tip_m"] == scenario.tables["contact"][0]["tip_m"]
    assert scenario.tables["methods"][-1]["name"] == "steady_tug"
    with pytest.raises(softdock.BadInput, match=r"row 0 sinks"):
        softdock.build(tables_of(tug={"kind": "steady_tug"}, line={"rows": [[-1, 2]]}))
    with pytest.raises(softdock.BadInput, match=r"tug\.kind"):
        softdock.build(tables_of(tug={"kind": "steady_tog"}))
    assert '### `tug.kind = "steady_tug"`' in scenario_reference()
    assert "knot" in [layout.name for layout in _declared("parts")]


def test_what_another_method_shows_is_picked_up(tugged):
    """Protects the same for numbers and charts: metrics and a section of the page, of runs with
    such a method alone."""
    shown_by_methods.declare_new()
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
