"""A method is at home in its own files: nothing else decides by its name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sources import nodes_of, parsed

import softdock
from softdock.loop.contact.laws import LAWS
from softdock.loop.contact.models import GEOMETRIES
from softdock.loop.robots.keys import MODELS
from softdock.methods import public
from softdock.methods.registry import METHODS, MODULES

SOURCES = Path(softdock.__file__).parent
AT_HOME = (SOURCES / "methods", SOURCES / "papers")
MODELS_AT_HOME = tuple(SOURCES / name for name in ("loop/contact", "loop/robots", "papers"))
CHOSEN = {"law": LAWS, "geometry": GEOMETRIES, "model": MODELS}  # by the key that chooses one
PACKAGE = "softdock.methods."
# What else is imported from a method's folder, none of it a decision by name; the list may shrink.
HOMES = {home.partition(".")[0] for home in MODULES.values()}
TAKEN = {
    "reference/attached.py": "networks as part of a satellite, in orbit too",
    "reference/servicer.py": "an arm as part of a satellite, in orbit too",
    "results/scene/servicer.py": "its links are drawn",
    "scenario/network_file.py": "how many ports there may be",
}


def _names_in(path):
    """Strings that are a method's name, or quote one, outside docstrings; and imports of a method's
    own module."""
    docstrings = {id(node.value) for node in nodes_of(path) if isinstance(node, ast.Expr)}
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings:
                continue
            words = {node.value, *node.value.split("'")[1::2], *node.value.split('"')[1::2]}
            words.add(node.value.strip("."))  # a module's name has one too
            # a name that is no ordinary word, wherever it stands in a text
            words |= {word for word in re.findall(r"\w+", node.value) if "_" in word}
            found += [(node.lineno, word) for word in words & set(METHODS)]
        for module in _imported(node):
            if module.startswith(PACKAGE) and module.split(".")[2] in HOMES:
                found.append((node.lineno, ".".join(module.split(".")[:3])))
    return found


def _imported(node):
    """Modules, and names of modules, that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{one.name}" for one in node.names]
    return [one.name for one in node.names] if isinstance(node, ast.Import) else []


def test_no_method_is_known_by_name_elsewhere():
    """A new method is one declaration: no other file has to learn its name (presets, papers, docs
    and tests may use it)."""
    found = {
        str(path.relative_to(SOURCES)): names
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(path.is_relative_to(home) for home in AT_HOME) and (names := _names_in(path))
    }
    imports = {
        file for file, names in found.items() if all(w.startswith(PACKAGE) for _, w in names)
    }
    assert {file: names for file, names in found.items() if file not in imports & set(TAKEN)} == {}
    assert imports == set(TAKEN), "nothing there any more: take it off the list"


def _key(node):
    """The key that an expression asks for: `pair["law"]`, `pair.get("law")`, `pair.law`, `law`."""
    if isinstance(node, ast.Subscript):
        return getattr(node.slice, "value", None)
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and node.args:
        return getattr(node.args[0], "value", None)
    return getattr(node, "attr", getattr(node, "id", None))


def _models_in(path):
    """Comparisons of a scenario's key with the name of a law, a shape or a robot model."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Compare):
            asked, told = (node.left, *node.comparators), (node.left, *node.comparators)
        elif isinstance(node, ast.Match):
            asked, told = (node.subject,), tuple(case.pattern for case in node.cases)
        else:
            continue
        names = {name for one in asked for name in CHOSEN.get(_key(one), ())}
        words = (word for one in told for word in ast.walk(one) if isinstance(word, ast.Constant))
        found += [(node.lineno, word.value) for word in words if word.value in names]
    return found


# the papers' closed forms, which are of these laws
OF_ONE_LAW = {"methods/remapping/durations.py", "studies/stability/impact_restitution.py"}


def test_no_law_shape_or_robot_is_asked_for_by_name():
    """A new one that is alike in what matters would be treated as another: what a file needs to
    know is a field of its declaration."""
    found = {
        str(path.relative_to(SOURCES)): names
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(path.is_relative_to(home) for home in MODELS_AT_HOME)
        and (names := _models_in(path))
    }
    assert set(found) == OF_ONE_LAW, found


def test_the_search_finds_a_name(tmp_path):
    """The test above can fail: a decision by name is found, a docstring is not."""
    file = tmp_path / "one.py"
    file.write_text(
        '"""energy_ledger"""\n'
        'if name == "energy_ledger" or x("an \'hybrid\'"): pass\n'
        'hint = "try energy_ledger: it pays back"\n'
        'raw = module.endswith(".direct")\n'
        'if robot["model"] == "lag" or pair["law"] not in ("table", LAWS[0]) or x == "wall": pass\n'
        'x = "cone" == pair.get("geometry", ""), model == "arm", it.law in ("table",)\n'
        'match pair["law"]:\n    case "hunt_crossley": pass\n'
        "from softdock.methods.energy_ledger.method import x\n"
        "import softdock.methods.monitor.method\n"
        "from softdock.methods import direct, registry\n"
    )
    assert sorted(_names_in(file)) == [
        *((2, "energy_ledger"), (2, "hybrid"), (3, "energy_ledger"), (4, "direct")),
        (9, f"{PACKAGE}energy_ledger"),
        (10, f"{PACKAGE}monitor"),
        (11, f"{PACKAGE}direct"),
    ]
    assert sorted(_models_in(file)) == [
        *((5, "lag"), (5, "table"), (6, "arm"), (6, "cone"), (6, "table"), (7, "hunt_crossley"))
    ]


def test_a_users_method_imports_softdock_methods_alone():
    """The example's method needs nothing from inside, and what it may import is really there."""
    example = Path(__file__).parents[2] / "examples" / "force_lead.py"
    tree = parsed(example)
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {
        one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names
    }
    assert modules == {"typing", "softdock.methods"}
    assert sorted(public.__all__) == sorted(name for name in vars(public) if _is_public(name))


def _is_public(name):
    return not name.startswith("_") and name != "annotations"
