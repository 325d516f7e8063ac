"""A run of a user's method in which every index is checked: `softdock check --bounds`.

Compiled code checks no index: a write outside a method's own slice of `mem` changes the rig or
another method without a word. Here the loop runs as plain Python (NUMBA_DISABLE_JIT=1), so there is
no machine code to be mixed up with that of ordinary runs, and the hooks of the user's methods see
`mem` through `GuardedMemory`: what the user's own lines read and write must lie in the method's
slice. What softdock's functions do with `mem` on the method's behalf is theirs.
"""

from __future__ import annotations

import functools
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.compile import cells
from softdock.loop.method.hooks import memory_slots
from softdock.loop.method.method import BY_TYPE
from softdock.loop.vector import METHODS_AT
from softdock.methods.registry import METHODS, Method
from softdock.results.stepper import Stepper, count_cycles
from softdock.scenario.build import Scenario
from softdock.scenario.method_memory import floats_of, is_own

WITH_MEM = ("wrench", "correct", "set_point", "external", "rewound", "replaced", "past")
CHUNK = 16  # cycles between two looks at the clock
OURS = Path(__file__).parents[1]


class CheckResult(NamedTuple):
    """What became of the run."""

    cycles: int
    total: int
    wrong: str  # in words, with the line; empty: every index was in its place
    where: str  # file:line of the user's, if there is one


class GuardedMemory(np.ndarray):
    """`mem` as a method may see it: from `begin` to `end`."""

    begin: int
    end: int

    def _check(self, index: Any) -> None:
        places: tuple[Any, ...]
        if isinstance(index, slice) and None not in (index.start, index.stop):
            places = (index.start, index.stop - 1)
        elif isinstance(index, int | np.integer):
            places = (index,)
        else:
            return
        caller: Any = sys._getframe(2)
        while caller.f_code.co_filename == cells.__file__:  # a view stands where it is used
            caller = caller.f_back
        if Path(caller.f_code.co_filename).is_relative_to(OURS):
            return
        for place in places:
            if not self.begin <= place < self.end:
                size = self.end - self.begin
                raise IndexError(
                    f"mem[method.memory + {int(place) - self.begin}] is not this method's: it has "
                    f"{size} float{'' if size == 1 else 's'}"
                )

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        return self.view(np.ndarray)[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check(index)
        self.view(np.ndarray)[index] = value


def run_checked(scenario: Scenario, seconds: float) -> CheckResult:
    """At most so many seconds of CPU time of the scenario in plain Python; the first index that is
    out of place, or anything else that the user's lines raise, ends it."""
    before, total = dict(BY_TYPE), count_cycles(scenario)
    _guard_methods(scenario)
    loop, until = None, time.process_time() + seconds
    try:
        with np.errstate(all="ignore"):
            loop = Stepper(scenario, rows=1)
            while loop.cycles < total and loop.status == "completed":
                loop.step(min(CHUNK, total - loop.cycles))
                if time.process_time() > until:
                    break
    except Exception as error:
        where = _find_user_line(error)
        if not where:
            raise
        wrong = f"{type(error).__name__}: {error}"
        return CheckResult(0 if loop is None else loop.cycles, total, wrong, where)
    finally:
        BY_TYPE.update(before)
    return CheckResult(loop.cycles, total, "", "")


def _guard_methods(scenario: Scenario) -> None:
    """The hooks of the user's methods, with `mem` guarded."""
    slots = memory_slots(scenario.markers.methods, METHODS_AT)
    T = scenario.tables["time"]["cycle_ms"] * 1e-3
    sizes: dict[int, int] = {}
    for slot, entry in zip(slots, scenario.tables["methods"], strict=True):
        method = METHODS[entry["name"]]
        values = {key: value for key, value in entry.items() if key != "name"}
        sizes[int(scenario.vector[slot])] = floats_of(method, values, T)
        if not is_own(method):
            cls = type(method.marker)
            BY_TYPE[cls] = _guard_method(BY_TYPE[cls], sizes)


def _guard_method(method: Method, sizes: dict[int, int]) -> Method:
    hooks: dict[str, Any] = {
        name: _wrap_hook(getattr(method, name), sizes)
        for name in WITH_MEM
        if getattr(method, name) is not getattr(Method, name, None)  # its own, and no default
    }
    return replace(method, **hooks)


def _wrap_hook(hook: Callable[..., Any], sizes: dict[int, int]) -> Callable[..., Any]:
    @functools.wraps(hook)
    def with_guard(method: Any, mem: np.ndarray, *more: Any) -> Any:
        seen = mem.view(GuardedMemory)
        seen.begin = int(method.memory)
        seen.end = seen.begin + sizes.get(seen.begin, 0)
        return hook(method, seen, *more)

    return with_guard


def _find_user_line(error: BaseException) -> str:
    """The last line of the user's files on the way to an error; empty: there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    users = [
        f
        for f in frames
        if not Path(f.filename).is_relative_to(OURS)
        and "site-packages" not in f.filename
        and not f.filename.startswith("<")
    ]
    return f"{users[-1].filename}:{users[-1].lineno}" if users else ""
