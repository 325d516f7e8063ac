"""Files with a user's method: what is refused, loaded once, hashed with what it imports, and
compiled apart."""

from __future__ import annotations

import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from told_methods import Pushing, Told

from softdock import BadInput
from softdock.compile.jit import SOURCES_NAME
from softdock.loop import entry_points
from softdock.loop.method.method import BY_TYPE
from softdock.methods import direct
from softdock.methods.registry import METHODS
from softdock.studies.compare import load_method_file

GOOD = """
from typing import NamedTuple
from softdock.methods.registry import Belief, Method, register
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter

print("hello")

class Mine(NamedTuple):
    memory: int

@compiled
def prepare(marker, vector, base, memory):
    return Mine(memory)

def method(**changes):
    given = {"name": "mine", "summary": "mine", "knows": "nothing", "prepare": prepare}
    given |= {"group": Group("mine", "Mine."), "marker": Mine(0)} | changes
    return Method(**given)

"""
BAD = {
    "syntax": ("x = (\n", r"bad.py:1: --method-file: given .SyntaxError"),
    "raises": ("x = 1\nraise RuntimeError('no luck')\n", r"bad.py:2: .*RuntimeError: no luck"),
    "leaves": ("import sys\nsys.exit(0)\n", r"bad.py:2: .*SystemExit"),
    "interrupts": ("raise KeyboardInterrupt\n", r"bad.py:1: .*KeyboardInterrupt"),
    "no Exception": ("class X(BaseException): pass\nraise X('a')\n", r"bad.py:2: .*X: a"),
    "missing module": ("import nothing_of_this_name\n", r"bad.py:1: .*ModuleNotFoundError"),
    "no method": ("x = 1\n", "has no method"),
    "no Method": ("METHOD = 3\n", "METHOD: given 3"),
    "taken": (GOOD + "register(method(name='direct'))", "no other method has; taken: direct"),
    "taken, by METHOD": (
        GOOD + "METHOD = method(name='direct')",
        "no other method has; taken: direct",
    ),
    "a name with a comma": (GOOD + "METHOD = method(name='a,b')", "letters, digits"),
    "not compiled": (GOOD + "METHOD = method(wrench=lambda *a: a[-1])", "under @compiled"),
    "marker": (GOOD + "METHOD = method(marker=(1, 2))", "a field 'memory'"),
    "another's marker": (
        GOOD + "from softdock.methods.direct import Direct\nMETHOD = method(marker=Direct(0))",
        "a NamedTuple class of its own",
    ),
    "a marker like another's": (
        GOOD + "class Direct(NamedTuple):\n    memory: int\nMETHOD = method(marker=Direct(0))",
        "a NamedTuple class of its own.*already that of 'direct'; give it another name",
    ),
    "a variant's marker": (
        GOOD + "from softdock.methods.networks.nonlinear import NonlinearContact\n"
        "METHOD = method(marker=NonlinearContact(0, 0, 0, 0, 0.0, 0.0))",
        "a NamedTuple class of its own",
    ),
    "removes one": (
        GOOD + "from softdock.methods.registry import METHODS\n"
        "del METHODS['direct']\nMETHOD = method()",
        "register: given 'direct'; allowed: .*may not change or remove",
    ),
    "changes one's code": (
        GOOD + "from softdock.methods.direct import Direct\n"
        "from softdock.loop.method.method import BY_TYPE\n"
        "METHOD = method()\nBY_TYPE[Direct] = METHOD",
        "register: given 'direct'; allowed: .*may not change or remove",
    ),
    "a class of another's name": (
        GOOD + "class Direct: ...\nMETHOD = method(marker=Direct())",
        "a field 'memory'",
    ),
    "one marker twice": (
        GOOD + "METHOD = [method(), method(name='mine_too')]",
        "a NamedTuple class of its own",
    ),
    "one marker twice, registered": (
        GOOD + "register(method())\nregister(method(name='mine_too'))",
        r"bad.py:\d+: .*already that of 'mine'; give it another name",
    ),
    "needs": (
        GOOD + "METHOD = method(needs=(Belief('delay', 'delay_ms'),))",
        "key one of its parameters",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_method_file_that_is_no_good_is_refused(case, tmp_path, own_registry, capsys):
    """In words, with file and line; and the registry is as before."""
    source, message = BAD[case]
    file = tmp_path / "bad.py"
    file.write_text(source)
    methods, kinds = dict(METHODS), dict(BY_TYPE)
    with pytest.raises(BadInput, match=message):
        load_method_file(file)
    assert methods == METHODS
    assert kinds == BY_TYPE
    assert not [name for name in sys.modules if name.startswith("softdock_user_bad")]
    assert capsys.readouterr().out == ""  # what the file prints does not get into the results


@pytest.mark.parametrize("path", ["missing.py", "."])
def test_a_method_file_that_cannot_be_read_is_refused(path, tmp_path):
    """Missing, or a folder."""
    with pytest.raises(BadInput, match="--method-file"):
        load_method_file(tmp_path / path)


def test_a_method_file_is_loaded_once(tmp_path, own_registry):
    """By register or by METHOD, with modules beside it; loading the same file again changes
    nothing."""
    (tmp_path / "beside_mine.py").write_text("NAME = 'from_beside'\n")
    file = tmp_path / "my-method.v2.py"
    more = "class Second(NamedTuple):\n    memory: int\n"
    file.write_text(
        GOOD + more + "from beside_mine import NAME\nregister(method(name='registered'))\nMETHOD = "
        "[method(name=NAME, marker=Second(0))]\n"
    )
    assert load_method_file(file) == ["registered", "from_beside"]
    entry = METHODS["registered"]
    assert load_method_file(file) == ["registered", "from_beside"]
    assert METHODS["registered"] is entry


def test_the_hash_of_a_method_file_covers_what_it_imports(tmp_path, own_registry):
    """An edit of a module beside the file is never answered with old machine code."""
    hashes = []
    for value in ("1", "2"):
        folder = tmp_path / value
        folder.mkdir()
        (folder / f"constants_{value}.py").write_text(f"GAIN = {value}\n")
        (folder / "mine.py").write_text(
            GOOD + f"from constants_{value} import GAIN\nMETHOD = method(name='mine_{value}')\n"
        )
        load_method_file(folder / "mine.py")
        module = sys.modules[type(METHODS[f"mine_{value}"].marker).__module__]
        hashes.append(getattr(module, SOURCES_NAME))
    assert len(set(hashes)) == 2


def test_markers_have_names_of_their_own(tmp_path, own_registry):
    """Numba finds compiled code by a class's name and fields, not by the class: two methods with
    one name between them would run one code."""
    names = [type(method.marker).__name__ for method in METHODS.values()]
    assert len(set(names)) == len(names)
    for edit in ("first", "second"):
        (tmp_path / "mine.py").write_text(GOOD + f"METHOD = method(name='{edit}')\n")
        load_method_file(tmp_path / "mine.py")
    marks = [METHODS[edit].marker for edit in ("first", "second")]
    assert numba._dispatcher.compute_fingerprint(
        (marks[0],)
    ) != numba._dispatcher.compute_fingerprint((marks[1],))
    for mark in marks:
        assert getattr(sys.modules[type(mark).__module__], type(mark).__qualname__) is type(mark)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python keeps no machine code")
def test_code_of_a_users_method_is_kept_apart(own_registry, monkeypatch):
    """In a folder named by the user's sources; not at all where these have no name; softdock's own
    where they always were."""
    cache, context = entry_points.run_cycles._cache, entry_points.run_cycles.targetctx

    def place(*markers: Any) -> Path | None:
        file = cache.path((numba.typeof(np.zeros(1)), numba.typeof(markers)), context)
        return None if file is None else file.parent

    assert place(direct.Direct(0)) == Path(cache.cache_path)
    assert place(Told(0)) is None
    assert place(direct.Direct(0), Told(0)) is None
    monkeypatch.setitem(sys.modules, "users_module", types.SimpleNamespace(**{SOURCES_NAME: "abc"}))
    monkeypatch.setattr(Pushing, "__module__", "users_module")
    assert place(direct.Direct(0), Pushing(0)) == Path(cache.cache_path) / "users" / "abc"


CHANGES_ALL = """
import os, signal, sys
os.chdir("/")
os.environ["SOFTDOCK_CHANGED"] = "yes"
sys.stdout = sys.stderr = sys.excepthook = None
sys.path.clear()
sys.argv[:] = ["other"]
sys.setrecursionlimit(5000)
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
raise ValueError("done")
"""


def test_a_file_changes_nothing_of_the_process(tmp_path):
    """Folder, environment, streams, search path and handlers of signals are as before."""
    own = (os.getcwd(), dict(os.environ), sys.stdout, sys.stderr, list(sys.path), list(sys.argv))
    handlers = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    (tmp_path / "bad.py").write_text(CHANGES_ALL)
    with pytest.raises(BadInput, match="done"):
        load_method_file(tmp_path / "bad.py")
    now = (os.getcwd(), dict(os.environ), sys.stdout, sys.stderr, list(sys.path), list(sys.argv))
    assert now == own
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert sys.getrecursionlimit() != 5000
