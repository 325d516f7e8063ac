"""The house is a line: nothing imports upwards or in a circle, not even behind a name, and reading
a number flies nothing."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module

import pytest
from house import ROOT, SOURCES, module_edges, tree_of

import softdock
from softdock.comparison.result import Comparison
from softdock.recorder.recording import Recording
from softdock.runs.run import Run

# What a result offers and a package above does, asked for by name (_given.py): pages and files of
# what is there, never a number. Where it is asked: the function, and why it cannot stand below.
BRIDGES = {
    "save_run": ("runs/run.py Run.save", "a run's folder holds a page"),
    "save_mcap": ("runs/run.py Run.save_mcap", "the file is written as the recorder writes"),
    "recording_page": ("recorder/recording.py Recording.page", "a page"),
    "comparison_page": ("comparison/result.py Comparison.page", "a page"),
    "save_comparison": ("comparison/result.py Comparison.save", "its folder holds a page"),
    "draw_chart": ("stability/chart.py chart_of", "chart(file=...): a picture or a page"),
}
# Modules that import by name what the code spells nowhere: of softdock only what stands below
BY_NAME = {
    "softdock": "public names, when first used",
    "softdock._given": "the bridges above",
    "softdock._moved": "old names of modules",
    "softdock.campaign.single": "the core again, in single precision",
    "softdock.cli.lazy_group": "commands, when they are called",
    "softdock.cli.reference_page": "commands, for their page",
    "softdock.core.adaptation.registry": "the listed methods",
    "softdock.papers.frame": "the listed papers",
    "softdock.ports": "public names of core/ports, when first used",
}
# Functions at the bottom of every flight
FLIES = ("run_cycles", "run_batch", "orbit_run", "run_orbit", "control_step", "exchange")


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Sets of modules that reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(edges[module]):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(edges):
        if module not in index:
            visit(module)
    return found


def packages(edges: dict[str, set[str]], depth: int) -> dict[str, set[str]]:
    """The same between packages: names cut after so many parts."""
    cut = {module: ".".join(module.split(".")[:depth]) for module in edges}
    found: dict[str, set[str]] = {name: set() for name in cut.values()}
    for module, others in edges.items():
        # a package's own front is no package beside those in it
        found[cut[module]] |= {
            cut[other]
            for other in others
            if cut[other] != cut[module] and not cut[module].startswith(f"{cut[other]}.")
        }
    return found


def test_nothing_imports_another_in_a_circle():
    """Protects the way from a scenario to its page as a line: neither modules, packages nor
    packages in packages wait for each other, also not by imports hidden inside functions. Folders
    of the core share its machine, which holds the first and the last of it."""
    edges = module_edges()
    assert circles(edges) == []
    assert circles(packages(edges, 2)) == []
    inner = circles(packages(edges, 3))
    assert [one for one in inner if not one[0].startswith("softdock.core.")] == []


def test_a_circle_is_found():
    """The test above can fail: modules in a line, whose packages stand in a circle."""
    edges = {"s.a.x": {"s.b.x"}, "s.b.y": {"s.a.y"}, "s.a.y": set(), "s.b.x": set()}
    assert circles(edges) == []
    assert circles(packages(edges, 2)) == [["s.a", "s.b"]]


def bridges_in(tree: ast.Module, name: str) -> dict[str, str]:
    """What a file asks for by name, and in which function."""
    found = {}
    for owner in (tree, *(one for one in tree.body if isinstance(one, ast.ClassDef))):
        within = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
        for function in owner.body:
            if isinstance(function, ast.FunctionDef):
                for asked in re.findall(r"\bgiven\('(\w+)'\)", ast.unparse(function)):
                    found[asked] = f"{name} {within}{function.name}"
    return found


def test_what_the_top_gives_is_listed():
    """Protects the line from calls by name: what a result below asks of a package above is one of
    the conveniences listed here, where it says, and stands where the top says."""
    asked = {}
    for path in SOURCES.values():
        text = path.read_text(encoding="utf-8")
        if "_given import given" in text:
            asked |= bridges_in(tree_of(path), str(path.relative_to(ROOT)))
            times = len(re.findall(r"\bgiven\(", text))
            assert times == sum(
                one.startswith(str(path.relative_to(ROOT))) for one in asked.values()
            )
    assert asked == {name: where for name, (where, _) in BRIDGES.items()}
    assert set(asked) == set(softdock._GIVEN)
    for name, module in softdock._GIVEN.items():
        assert callable(getattr(import_module(module), name))


def imports_by_name(tree: ast.Module) -> bool:
    """Whether a file imports a module by a name that is not spelled in the call."""
    return any(
        isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__")
        and not (isinstance(node.args[0], ast.Constant) and "softdock" not in node.args[0].value)
        for node in ast.walk(tree)
    )


def test_nothing_else_is_imported_by_name():
    """Protects the contracts of imports, which see no module behind a string."""
    # numba's internals and pandas: of no package of softdock
    outside = {"softdock.core.machine.numba_internals", "softdock.runs.frames"}
    found = {module for module, path in SOURCES.items() if imports_by_name(tree_of(path))}
    assert found - outside == set(BY_NAME)
    assert imports_by_name(ast.parse("importlib.import_module('softdock.arms')"))
    assert not imports_by_name(ast.parse("importlib.import_module('fcntl')"))


class Calls:
    """Which functions of softdock call which, as far as names tell; properties of a class by
    `self`."""

    def __init__(self, trees: dict[str, ast.Module]):
        self.edges: dict[str, set[str]] = {}
        self.properties: list[str] = []
        for module, tree in trees.items():
            known = {
                name.asname or name.name: f"{node.module}.{name.name}"
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom)
                for name in node.names
            }
            for owner in (tree, *(one for one in tree.body if isinstance(one, ast.ClassDef))):
                within = f"{module}." + (f"{owner.name}." if owner is not tree else "")
                for one in owner.body:
                    if isinstance(one, ast.FunctionDef):
                        self._add(f"{within}{one.name}", one, module, within, known)

    def _add(self, name: str, function: ast.FunctionDef, module: str, within: str, known):
        told = [ast.unparse(one) for one in function.decorator_list]
        if any(one.endswith("property") for one in told):
            self.properties.append(name)
        called = self.edges.setdefault(name, set())
        for node in (node for line in function.body for node in ast.walk(line)):
            if isinstance(node, ast.Name):  # called, or handed to a function that calls it
                called.add(known.get(node.id, f"{module}.{node.id}"))
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
                called.add(f"{within}{node.attr}")

    def reached(self, name: str) -> set[str]:
        """Everything that a function calls, at once or through others."""
        found, left = {name}, [name]
        while left:
            fresh = self.edges.get(left.pop(), set()) - found
            found |= fresh
            left += fresh
        return found


def flying(calls: Calls) -> list[str]:
    """Properties that reach a flight."""
    bottom = set(FLIES)
    return [
        name
        for name in calls.properties
        if any(one.rpartition(".")[2] in bottom for one in calls.reached(name))
    ]


def test_no_property_calls_a_flight():
    """Protects a reader from a second simulation behind a property, of any class: none calls, at
    once or through other functions, what flies the rig or orbit."""
    calls = Calls({module: tree_of(path) for module, path in SOURCES.items()})
    assert len(calls.properties) > 100
    assert flying(calls) == []
    for name in ("runs.run.Run.fly_orbit", "recorder.recording.Recording.fly_orbit"):
        assert any(one.endswith(".run_orbit") for one in calls.reached(f"softdock.{name}"))


def test_a_property_that_flies_is_found():
    """The test above can fail: a property that flies through a method and an import."""
    trees = {
        "s.a": ast.parse("from s.core import run_orbit\ndef orbit(s):\n    return run_orbit(s)"),
        "s.b": ast.parse(
            "from s.a import orbit\nclass Seen:\n    @property\n    def orbit(self):\n"
            "        return self.fly()\n    def fly(self):\n        return orbit(self)"
        ),
    }
    assert flying(Calls(trees)) == ["s.b.Seen.orbit"]


class Flew(BaseException):
    """Something was flown; no `except Exception` hides it."""


def grounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that flies raise, by whatever name a module knows it."""

    def fly(*args, **kwargs):
        raise Flew

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "softdock":
            for one in FLIES:
                if callable(vars(module).get(one)):
                    monkeypatch.setattr(module, one, fly)


def read_all(result: object) -> int:
    """Read every public property, in words too; what is not there says so."""
    names = [
        name
        for one in type(result).__mro__
        for name, value in vars(one).items()
        if not name.startswith("_") and isinstance(value, property)
    ]
    for name in names:
        try:
            getattr(result, name)
        except softdock.SoftdockError:
            continue
    repr(result)
    return len(names)


def test_reading_a_number_flies_nothing(monkeypatch, tmp_path):
    """Protects a reader from a second simulation behind a property: runs flown alone, judged and
    opened, recordings and comparisons say what they hold, or name the call that flies."""
    scenario = softdock.load_scenario("epos_1d", ["time.duration_s=0.02"])
    run, other = softdock.fly(scenario), softdock.fly(scenario)
    recording = softdock.open_recording(other.save_mcap(tmp_path / "run.mcap"), as_rig=True)
    assert isinstance(recording, Recording)
    compared = Comparison(run.scenario, {"candidates": [], "recommendation": ""})
    with monkeypatch.context() as patch:
        grounded(patch)
        with pytest.raises(softdock.SoftdockError, match=r"softdock\.judge\(run\)"):
            _ = run.metrics
        with pytest.raises(softdock.SoftdockError, match=r"run\.fly_orbit\(\)"):
            _ = run.orbit
        with pytest.raises(softdock.SoftdockError, match=r"recording\.fly_orbit\(\)"):
            _ = recording.orbit
        for result in (run, recording, compared):
            assert read_all(result) > 1
        with pytest.raises(Flew):  # so that this test can fail
            run.fly_orbit()
        with pytest.raises(Flew):
            recording.fly_orbit()
    assert softdock.judge(run) is run
    with monkeypatch.context() as patch:
        grounded(patch)
        assert read_all(run) > 7
        assert run.orbit is run.fly_orbit()
        assert run.metrics["status"] == "completed"
    assert isinstance(run, Run)
