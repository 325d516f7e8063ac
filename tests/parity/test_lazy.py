"""Functions that are compiled when they are first called: the same numbers, compiled once for all
processes, and in a rig's program never while it runs."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest

from softdock.compile.numba_internals import PATCHED

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT or not PATCHED, reason="Numba as it is compiles everything at once"
)
FUNCTIONS = """
from softdock.compile.jit import compiled, entry_point
from softdock.compile.lazy import lazy

@compiled
def half(x):
    return 0.5 * x

@lazy("the rare function", returns=("place", "enough"))
def rare(place, x, enough):
    return (half(x) + place[0], place[1] * 3.0), x > 1.0

@lazy("the wrong function", returns=bool)
def wrong(x):
    return 2.0 * x

@entry_point
def run_cycles(x, limit):
    place, done = (x, 0.1), False
    if x > limit:
        place, done = rare(place, x, done)
    return place, done

@entry_point
def serve(x, limit):
    place, done = (x, 0.1), False
    if x > limit:
        place, done = rare(place, x, done)
    return place, done

@entry_point
def run_batch(x):
    return wrong(x)
"""
PROGRAM = f"""
import sys, types
functions = types.ModuleType("softdock.functions_of_a_test")
sys.modules[functions.__name__] = functions
exec(compile({FUNCTIONS!r}, __file__, "exec"), functions.__dict__)
from softdock.compile import compile_events
told = []
compile_events.listeners.append(lambda of: told.append(f"{{of.entry_point}} {{of.what}}"))
def show(*result):
    print(*result, told)
    told.clear()
show(functions.run_cycles(0.3, 0.7))
show(functions.run_cycles(1.3, 0.7))
show(functions.run_cycles(2.3, 0.7))
show(functions.serve(1.3, 0.7))
try:
    show(functions.run_batch(1.3))
except SystemError as error:
    show(error)
"""
FIRST = [
    "((0.3, 0.1), False) ['run_cycles begins', 'run_cycles ends']",
    "((1.9500000000000002, 0.30000000000000004), True) "
    "['the rare function begins', 'the rare function ends']",
    "((3.4499999999999997, 0.30000000000000004), True) []",
    "((1.9500000000000002, 0.30000000000000004), True) ['serve begins', 'serve ends']",
]


def printed(folder):
    program = folder / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SOFTDOCK_CACHE_DIR": str(folder / "cache")},
    )
    return done.stdout.splitlines(), done.stderr


def test_a_function_is_compiled_when_it_is_first_called(tmp_path):
    """By the loop that comes to it, once for all processes; a rig's loop has it from the start.
    What was declared wrongly is an error, in the loop that calls it."""
    lines, errors = printed(tmp_path)
    assert lines[:4] == FIRST
    assert "unknown error" in lines[4]
    assert "wrong returns float64, declared as bool" in errors
    again, _ = printed(tmp_path)
    assert again[:4] == [f"{line.partition('[')[0]}[]" for line in FIRST]
