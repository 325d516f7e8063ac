"""Single precision is the same core: the same files, other numbers. Where it stays double, and how
far it is from double."""

from __future__ import annotations

import ast
import json
import re
from typing import NamedTuple

import numpy as np
import pytest
from plain import run_plain
from scenarios import epos_wall

from softdock.campaign import precision, single, single_rewriting
from softdock.campaign.columns import columns
from softdock.campaign.cpu import run_cpu
from softdock.campaign.single_arithmetic import operations
from softdock.core.adaptation.method import BY_TYPE
from softdock.core.machine.compiled import CORE, core_sources
from softdock.core.machine.doors import OUTCOME_COLUMNS
from softdock.core.machine.features import Markers, Plain
from softdock.errors import BadInput
from softdock.scenario.build import build

SWEPT = {"chaser.mass_kg": [60.0, 66.0], "random.run": [3, 4]}
RUN = """
import json, sys
import numpy as np
from softdock.campaign import single
from softdock.campaign.columns import columns
from softdock.core.machine.doors import OUTCOMES
from softdock.scenario.build import build
tables, swept = json.load(sys.stdin)
rows, markers, floats = columns(build(tables), swept)
doors, layout = single.load("core.machine.doors"), single.load("core.machine.vector")
found, kinds = [], None
for row in rows:
    params = layout.prepare(row, single.twin(markers))
    outcome = np.zeros(OUTCOMES)
    mem = np.zeros(floats, np.float32)
    loop = doors.start(row, params, mem)[0]
    loop = doors.cycle(params, row, loop, mem, np.zeros((4, 10)), 0)
    chaser = loop.satellites.chaser
    seen = [params.T, loop.facility.reading_time, chaser.p[0], chaser.v[0]]
    seen += [loop.command.chaser.p[0], loop.ledger.kinetic, params.chaser.mass[0]]
    kinds = [type(x).__name__ for x in seen]
    doors.run_one(row, params, np.zeros(floats, np.float32), np.zeros((4, 10)), outcome)
    found.append(outcome.tolist())
json.dump([found, kinds], sys.stdout)
"""


def wall():
    tables = epos_wall(delay_ms=6.0)  # between stamps: the clock must not slip
    tables["chaser"] |= {"position_m": [2.002, 0.0, 0.0], "velocity_m_per_s": [-0.02, 0.0, 0.0]}
    tables["contact"][0] |= {"origin_m": [2.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 20000.0}}
    tables["sensor"] = {"noise_N": 0.02}
    tables["time"] |= {"duration_s": 0.32}  # parted after 0.3 s
    return tables


@pytest.fixture(scope="module")
def both():
    """Two runs through a contact: double, compiled; single, in plain Python, with the types of some
    of its numbers."""
    done = run_plain(RUN, given=json.dumps([wall(), SWEPT]))
    assert done.returncode == 0, done.stderr[-3000:]
    found, kinds = json.loads(done.stdout)
    return run_cpu(*columns(build(wall()), SWEPT)), np.array(found), kinds


def test_the_clock_and_the_satellites_positions_stay_double(both):
    """A position that takes 7500 small steps would drift; everything else is single."""
    assert both[2] == ["float", "float", "float", "float32", "float32", "float32", "float32"]


def test_single_precision_is_near_double_and_not_equal_to_it(both):
    """Two metres from the origin, through a contact with noise, off the stamps: counts are equal,
    numbers to rounding of single."""
    double, found, _ = both
    scale = {
        "peak_force_real_N": 1.0,
        "energy_invented_J": double.column("kinetic_start_J"),
        "chaser.vx": 0.02,
        "chaser.px": 2.0,
    }
    for name in ("status", "cycles", "contacts"):
        np.testing.assert_array_equal(found[:, OUTCOME_COLUMNS.index(name)], double.column(name))
    assert double.column("contacts").min() >= 1.0
    for name, of in scale.items():
        apart = np.abs(found[:, OUTCOME_COLUMNS.index(name)] - double.column(name)) / (
            of if name != "peak_force_real_N" else double.column(name)
        )
        assert apart.max() < 1e-3, name
    assert not np.array_equal(
        found[:, OUTCOME_COLUMNS.index("peak_force_real_N")], double.column("peak_force_real_N")
    )


def test_every_time_of_the_core_stays_double():
    """A new field in seconds that nobody named here would be rounded to a part in ten million of
    the run's length."""
    for path in core_sources():
        if path.relative_to(CORE).parts[0] in ("orbit", "ports"):
            continue  # flown and stepped on the CPU alone
        for field in re.findall(r"^    (\w+): float +# s\b", path.read_text(), re.MULTILINE):
            assert field in single_rewriting.DOUBLE, f"{path.name}: {field}"


def test_names_of_the_transformation_are_those_of_the_core():
    """A constant or function that was renamed in the core must be renamed there too."""
    trees = [ast.parse(path.read_text()) for path in core_sources()]
    defined = {
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    }
    assigned = {
        t.id
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign)
        for t in node.targets
        if isinstance(t, ast.Name)
    }
    assert set(single_rewriting.NARROWED) <= defined
    assert set(single_rewriting.CONSTANTS) <= assigned
    assert all(
        fields <= set(single_rewriting.tuple_fields()[name])
        for name, fields in single_rewriting.POSITIONS.items()
    )


def test_a_structure_built_by_keyword_is_narrowed_like_one_built_by_order():
    """A keyword that the rewriting overlooked would leave doubles in single precision, unseen."""
    ordered = "def f(a, b, t):\n    return Facility(a, b, a, b, 0.5, 0, 0, a, t, t)\n"
    fields = single_rewriting.tuple_fields()["Facility"]
    given = ("a", "b", "a", "b", "0.5", "0", "0", "a", "t", "t")
    named = ", ".join(f"{field}={value}" for field, value in zip(fields, given, strict=True))
    by_name = single.rewritten(f"def f(a, b, t):\n    return Facility({named})\n")
    for field in fields:
        by_name = re.sub(rf"\b{field}=", "", by_name)
    assert by_name == single.rewritten(ordered)
    assert by_name.count("double(t)") == 2
    assert "single(single(0.5))" in by_name


@pytest.mark.parametrize(
    ("name", "a", "b", "kind"),
    [
        ("_mul", np.float32(2.0), 3.0, np.float32),  # a force times a time
        ("_add", 3.0, np.float32(2.0), float),  # a position plus a step
        ("_add_right", np.float32(2.0), 0.1, np.float32),
        ("_add_right", 7, 0.5, float),  # (k + 0.5) T
        ("_mul", 7, np.float32(2.0), np.float32),
        ("_sub", 7, 2, int),
        ("_pow", np.float32(3.0), 2, np.float32),
    ],
)
def test_which_kind_of_number_wins(name, a, b, kind):
    """Protects single precision: forces go on in float32, times and positions stay in float64."""
    assert type(operations(plain=True)[name](a, b)) is kind


def test_a_method_of_ones_own_is_refused():
    """A user's method, which is not rewritten to single precision, is refused and not run in double
    unsaid."""

    class Mine(NamedTuple):
        memory: int

    with pytest.raises(BadInput, match="single is for softdock's own methods"):
        single.twin(Markers(Plain(0), (Mine(0),)))


def test_networks_are_refused():
    """Their solvers end where doubles end; nobody has tried them in single."""
    network = next(cls for cls in BY_TYPE if cls.__name__ == "NetworkContact")
    with pytest.raises(BadInput, match="double for networks"):
        single.twin(Markers(Plain(0), (network(*[0] * len(network._fields)),)))


def test_differences_are_counted_and_listed():
    """A run whose contacts differ is listed and not compared further; the others by their own
    scale."""
    double = {
        "run": np.arange(3),
        "status": np.zeros(3),
        "contacts": np.array([1, 2, 1]),
        "captured": np.full(3, np.nan),
    }
    double |= {
        "peak_force_real_N": np.array([10.0, 20.0, 0.0]),
        "energy_invented_J": np.ones(3),
        "kinetic_start_J": np.full(3, 4.0),
    }
    other = {name: x.copy() for name, x in double.items()}
    other["contacts"][1], other["peak_force_real_N"][0], other["energy_invented_J"][2] = (
        3,
        10.5,
        1.4,
    )
    found = precision.differences(other, double)
    assert (found["compared"], found["decided_by_rounding"], found["decided_runs"]) == (3, 1, [1])
    assert found["different"] == {"status": 0, "contacts": 1, "captured": 0}
    rows = {row["outcome"]: row for row in found["rows"]}
    assert (rows["peak_force_real_N"]["runs"], rows["peak_force_real_N"]["most"]) == (
        1,
        pytest.approx(0.05),
    )  # no touch, no scale
    assert rows["energy_invented_J"]["most"] == pytest.approx(0.1)
    assert "1 differ in status" in precision.said(found)


def test_a_constant_beside_a_literal_is_narrowed_too():
    """A tuple of a single and a double cannot be indexed in compiled code: the kernel of limited
    robots in single precision did not compile. A place in memory stays whole."""
    found = single_rewriting.rewritten(
        "def f(x):\n    return (1.0, SHARE, SHARE), (AT, 0), (x, AT)\n"
    )
    assert "(single(1.0), single(SHARE), single(SHARE)), (AT, 0), (x, AT)" in found
