"""A method is at home in its own files: nothing else decides by its name, and it stays inside its
slice of `mem`."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from plain import run_plain
from scenarios import epos_wall

import softdock
from softdock import methods
from softdock.core.adaptation.interface import CYCLE
from softdock.core.adaptation.memory import Recorded, channels_of, recorded
from softdock.core.adaptation.registry import METHODS, MODULES
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.vector import TIME, TIME_AT
from softdock.core.robots.keys import MODELS
from softdock.core.shapes.laws import LAWS
from softdock.core.shapes.models import GEOMETRIES

SOURCES = Path(softdock.__file__).parent
# `_moved.py` has old names of modules.
AT_HOME = (SOURCES / "core" / "adaptation", SOURCES / "papers", SOURCES / "_moved.py")
MODELS_AT_HOME = (SOURCES / "core" / "shapes", SOURCES / "core" / "robots", SOURCES / "papers")
CHOSEN = {"law": LAWS, "geometry": GEOMETRIES, "model": MODELS}  # by the key that chooses one
# A method's name that is also a word of the verdict: only imports of its module are looked for.
VERDICTS = {"faithful"}
# What orbit and the papers' schemes take from a method's own numerics, not a decision by name.
NUMERICS = {
    SOURCES / "core" / "orbit" / "attached.py",
    SOURCES / "core" / "energy" / "axis_scheme.py",
}


def _is_docstring(node, parents):
    parent = parents.get(node)
    return isinstance(parent, ast.Expr)


def _names_in(path):
    """Strings that are a method's name, or quote one, outside docstrings; and imports of a method's
    own module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _is_docstring(node, parents):
                continue
            words = {node.value, *node.value.split("'")[1::2], *node.value.split('"')[1::2]}
            words.add(node.value.strip("."))  # a module's name has one too
            # a name that is no ordinary word, wherever it stands in a text
            words |= {word for word in re.findall(r"\w+", node.value) if "_" in word}
            found += [(node.lineno, word) for word in words & (set(METHODS) - VERDICTS)]
        if isinstance(node, ast.ImportFrom) and path not in NUMERICS:
            for home in MODULES:
                module = f"softdock.core.adaptation.{home}"
                if node.module == module or (
                    node.module == module.rpartition(".")[0]
                    and module.rpartition(".")[2] in {one.name for one in node.names}
                ):
                    found.append((node.lineno, module))
    return found


def test_no_method_is_known_by_name_elsewhere():
    """A new method is one declaration: no other file has to learn its name (presets, papers, docs
    and tests may use it)."""
    found = {
        str(path.relative_to(SOURCES)): names
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(path.is_relative_to(home) for home in AT_HOME) and (names := _names_in(path))
    }
    assert found == {}


def _models_in(path):
    """Comparisons of a scenario's key with the name of a law, a shape or a robot model."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Subscript):
            continue
        names = CHOSEN.get(getattr(node.left.slice, "value", None), ())
        for word in ast.walk(node.comparators[0]):
            if isinstance(word, ast.Constant) and word.value in names:
                found.append((node.lineno, word.value))
    return found


def test_no_law_shape_or_robot_is_asked_for_by_name():
    """A new one that is alike in what matters would be treated as another: what a file needs to
    know is a field of its declaration."""
    found = {
        str(path.relative_to(SOURCES)): names
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(path.is_relative_to(home) for home in MODELS_AT_HOME)
        and (names := _models_in(path))
    }
    assert found == {}


def test_the_search_finds_a_name(tmp_path):
    """The test above can fail: a decision by name is found, a docstring is not."""
    file = tmp_path / "one.py"
    file.write_text(
        '"""energy_ledger"""\n'
        'if name == "energy_ledger" or x("an \'hybrid\'"): pass\n'
        'hint = "try energy_ledger: it pays back"\n'
        'raw = module.endswith(".direct")\n'
        'if robot["model"] == "lag" or pair["law"] not in ("table", LAWS[0]) or x == "wall": pass\n'
    )
    assert sorted(_names_in(file)) == [
        *((2, "energy_ledger"), (2, "hybrid"), (3, "energy_ledger"), (4, "direct"))
    ]
    assert sorted(_models_in(file)) == [(5, "lag"), (5, "table")]


def test_every_method_declares_its_cells():
    """Memory has names, units and meanings; channels are the first cells; nothing overlaps."""
    for name, method in METHODS.items():
        if method.is_forgetful:
            assert method.cells is None, name
            continue
        cells = method.cells
        assert method.channels == channels_of(cells), name
        ends = 0
        for cell, at in zip(cells, cells.at, strict=True):
            assert at == ends, (name, cell.name)
            ends += cell.size
            assert cell.meaning, (name, cell.name)
        assert ends == cells.size
        head = sum(cell.size for cell in cells if isinstance(cell, Recorded))
        assert head == len(method.channels), name


def test_a_recorded_cell_stands_first():
    """A row of the record is the head of the slice: a recorded cell behind another is refused."""
    with pytest.raises(ValueError, match="'late' is recorded and not first"):
        channels_of(Cells("mine", Cell("kept"), recorded("late")))


NETWORKS = {
    "network_contact": [
        {"model": "single_spring", "arguments": {"stiffness": 1000.0}},
        {
            "model": "hunt_crossley",
            "arguments": {"stiffness": 20000.0, "exponent": 1.5, "per_speed": 2.0},
        },
    ],
    "network_satellite": [
        {
            "model": "flexible_satellite",
            "arguments": {"hub": 58.0, "appendage": 5.0, "stiffness": 100.0, "damping": 1.0},
        }
    ],
}
MORE = {  # keys that bring more of a method's memory into play
    "monitor": [{"action": "damp", "damping_Ns_per_m": 40.0, "bound_J": 1e-6}],
    "delay_passivity": [{"coupling": "per_axis", "noise_N": 0.1, "confidence": 0.9}],
    "energy_ledger": [{"claim": "passive", "noise_N": 0.1, "confidence": 0.9, "jump_N": 30.0}],
    "remapping": [
        {
            "environment": "filter",
            "stiffness_N_per_m": 1000.0,
            "set_points": "executable",
            "max_acceleration_m_per_s2": 5.0,
            "lead_ms": 8.0,
        },
        {"estimate": "on_line", "stiffness_N_per_m": 900.0, "lead_ms": 8.0},
    ],
}


def guarded_cases():
    """Of every registered method: as suggested, and with more of its memory in use; the monitor
    behind each, so that a slice has a neighbour."""
    found = []
    for name, method in METHODS.items():
        plain = near_wall([{"name": "direct"}])
        keys = [{"network": one} for one in NETWORKS.get(name, ())] or [
            method.suggest(softdock.build(plain)),
            *MORE.get(name, ()),
        ]
        for one in keys:
            found.append((name, near_wall([{"name": name, **one}, {"name": "monitor"}])))
    return found


def near_wall(methods):
    tables = epos_wall(delay_ms=8.0, mass_kg=63.0)
    tables["chaser"]["position_m"] = [0.001, 0.0, 0.0]
    tables["contact"][0]["real"]["stiffness_N_per_m"] = 9000.0  # parted after 0.33 s
    return tables | {"methods": methods}


GUARDED = """
import json, sys
import numpy as np
from softdock import Stepper, build
from softdock.core.adaptation.hooks import memory_slots
from softdock.core.cycle import cycle
from softdock.core.machine.vector import MEMORY, MEMORY_AT, METHODS_AT

assert type(cycle).__name__ == "function", "this must be plain Python"
GUARD, CYCLES = 64, 130
answers = []
for name, tables in json.load(sys.stdin):
    plain = Stepper(build(tables), rows=CYCLES + 1)
    plain.step(CYCLES)
    scenario = build(tables)
    guards, shift = [], GUARD
    for slot in memory_slots(scenario.markers.methods, METHODS_AT):
        scenario.vector[slot] += shift
        guards.append(int(scenario.vector[slot]) - GUARD)
        shift += GUARD
    scenario.vector[MEMORY_AT + MEMORY.at.size] += shift
    guards.append(int(scenario.vector[MEMORY_AT + MEMORY.at.size]) - GUARD)
    loop = Stepper(scenario, rows=CYCLES + 1)
    for at in guards:
        loop.mem[at : at + GUARD] = np.nan
    loop.step(CYCLES)
    answers.append(
        {
            "name": name,
            "written": [at for at in guards if not np.isnan(loop.mem[at : at + GUARD]).all()],
            "same": loop.record.tobytes() == plain.record.tobytes(),
            "touched": bool(np.abs(loop.series["measured.chaser.force"]).max() > 0.0),
        }
    )
json.dump(answers, sys.stdout)
"""


def test_a_method_stays_inside_its_memory():
    """Guard cells around every method's slice are neither written nor read: they stay NaN, and the
    record is the same to the bit."""
    given = guarded_cases()
    answer = run_plain(GUARDED, given=json.dumps(given))
    assert answer.returncode == 0, answer.stderr
    answers = json.loads(answer.stdout)
    assert {one["name"] for one in answers} == set(METHODS)
    for one in answers:
        assert one["written"] == [], one
        assert one["same"], one
        assert one["touched"], one


def test_a_users_method_imports_softdock_methods_alone():
    """The example's method needs nothing from inside, and what it may import is really there."""
    example = Path(__file__).parents[2] / "examples" / "force_lead.py"
    tree = ast.parse(example.read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {
        one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names
    }
    assert modules == {"typing", "softdock.methods"}
    assert sorted(methods.__all__) == sorted(name for name in vars(methods) if _is_public(name))


def _is_public(name):
    return not name.startswith("_") and name != "annotations"


def test_the_cycle_stands_first_in_the_vector():
    """Methods read T from one place of the vector, which is another stage's."""
    assert TIME_AT + TIME.at.cycle == CYCLE


def test_no_file_of_the_methods_is_long():
    """At most 300 lines: what is read in one go."""
    long = {
        path.name: lines
        for path in (SOURCES / "core" / "adaptation").rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
