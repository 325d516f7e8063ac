"""Parts that are compiled when they are first called: the same numbers, compiled once for all
processes, and in a rig's program never while it runs."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest

from softdock.core.machine.numba_internals import PATCHED

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT or not PATCHED, reason="Numba as it is defers nothing"
)
PARTS = """
from softdock.core.machine.compiled import compiled, door
from softdock.core.machine.deferred import deferred

@compiled
def half(x):
    return 0.5 * x

@deferred("the rare part", returns=("place", "enough"))
def rare(place, x, enough):
    return (half(x) + place[0], place[1] * 3.0), x > 1.0

@deferred("the wrong part", returns=bool)
def wrong(x):
    return 2.0 * x

@door
def run_cycles(x, limit):
    place, done = (x, 0.1), False
    if x > limit:
        place, done = rare(place, x, done)
    return place, done

@door
def serve(x, limit):
    place, done = (x, 0.1), False
    if x > limit:
        place, done = rare(place, x, done)
    return place, done

@door
def run_batch(x):
    return wrong(x)
"""
PROGRAM = f"""
import sys, types
parts = types.ModuleType("softdock.parts_of_a_test")
sys.modules[parts.__name__] = parts
exec(compile({PARTS!r}, __file__, "exec"), parts.__dict__)
from softdock.core.machine import compile_news
told = []
compile_news.listeners.append(lambda of: told.append(f"{{of.door}} {{of.what}}"))
def show(*result):
    print(*result, told)
    told.clear()
from softdock.campaign import single
single.load("core.adaptation.faithful.learn")  # in single precision, as for a GPU: nobody else's
show(parts.run_cycles(0.3, 0.7))
show(parts.run_cycles(1.3, 0.7))
show(parts.run_cycles(2.3, 0.7))
show(parts.serve(1.3, 0.7))
try:
    show(parts.run_batch(1.3))
except SystemError as error:
    show(error)
"""
FIRST = [
    "((0.3, 0.1), False) ['run_cycles begins', 'run_cycles ends']",
    "((1.9500000000000002, 0.30000000000000004), True) "
    "['the rare part begins', 'the rare part ends']",
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


def test_a_part_is_compiled_when_it_is_first_called(tmp_path):
    """By the loop that comes to it, once for all processes; a rig's loop has it from the start.
    What was declared wrongly is an error, in the loop that calls it."""
    lines, errors = printed(tmp_path)
    assert lines[:4] == FIRST
    assert "unknown error" in lines[4]
    assert "wrong returns float64, declared as bool" in errors
    again, _ = printed(tmp_path)
    assert again[:4] == [f"{line.partition('[')[0]}[]" for line in FIRST]
