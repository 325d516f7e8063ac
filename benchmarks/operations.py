"""How many arithmetic operations is a cycle? Counted, not estimated: the core loaded once more (campaign/single.py) with operators that count.

`python -m benchmarks.operations`: of the scenarios whose speed is measured on a GPU, per cycle. Products, sums, quotients, roots and other functions of
real numbers count one each; comparisons, whole numbers, absolute values and choices do not. They are the source's: what a compiler finds twice, or finds
that nobody asks for, it leaves out. Needs plain Python: it starts itself with NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

import json
import operator
import os
import subprocess
import sys
from collections import Counter
from typing import Any

CYCLES, SKIPPED = 60, 20  # cycles counted, and cycles before
NAMES = ("mul", "truediv", "pow", "add", "sub", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne")
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tan", "atan2", "acos", "asin")


def _counting(counter: Counter[str]) -> dict[str, Any]:
    def make(name: str) -> Any:
        do, counted = getattr(operator, name), NAMES.index(name) < 7

        def calculate(a: Any, b: Any) -> Any:
            if counted and (isinstance(a, float) or isinstance(b, float)):
                counter[name] += 1
            return do(a, b)

        return calculate

    made = {f"_{name}{side}": make(name) for name in NAMES for side in ("", "_left", "_right")}
    return made | {"single": lambda x: x, "double": lambda x: x}


class _Functions:
    """The module `math`, counting."""

    def __init__(self, counter: Counter[str]):
        import math

        def make(name: str) -> Any:
            function = getattr(math, name)

            def calculate(*values: float) -> Any:
                counter[name] += 1
                return function(*values)

            return calculate

        self.__dict__.update({name: getattr(math, name) for name in dir(math)} | {name: make(name) for name in FUNCTIONS})


def count(tables: dict[str, Any]) -> dict[str, float]:
    """Operations of one cycle of a scenario, the mean of some. In plain Python alone."""
    import numpy as np

    from softdock.campaign import single
    from softdock.scenario.build import build

    counter: Counter[str] = Counter()
    single._operations = lambda: _counting(counter)  # type: ignore[assignment]
    single.CONSTANTS.clear()
    doors, layout = single.load("doors"), single.load("layout")
    for name, module in list(sys.modules.items()):
        if name.startswith(single.PACKAGE) and hasattr(module, "math"):
            module.math = _Functions(counter)
    scenario = build(tables)
    vector, mem, log = scenario.vector, np.zeros(scenario.mem_floats), np.zeros((4, 10))
    params = layout.prepare(vector, single.twin(scenario.markers))
    loop = doors.start(vector, params, mem)[0]
    for k in range(SKIPPED + CYCLES):
        if k == SKIPPED:
            counter.clear()
        loop = doors.cycle(params, vector, loop, mem, log, k)
    found = {name: number / CYCLES for name, number in sorted(counter.items())}
    return found | {"all": sum(found.values())}


def counted() -> dict[str, dict[str, float]]:
    """Of every timed scenario, each in a process of its own."""
    found = {}
    for name in ("no noise", "noise", "EPOS 3-D, 1 kHz sensor"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run([sys.executable, "-m", "benchmarks.operations", name], capture_output=True, text=True, check=True, env=environment)
        found[name] = json.loads(done.stdout)
    return found


def fraction_of_peak(speed: dict[str, Any], fma_per_s: float) -> dict[str, Any]:
    """The source's operations a second as a share of the device's measured peak (two in each fused multiply-add), for every speed measured."""
    found: dict[str, Any] = {}
    for name, operations in counted().items():
        if "best" in speed.get(name, {}):
            rate = operations["all"] * speed[name]["best"]
            found[name] = {"operations_per_cycle": operations["all"], "operations_per_s": rate, "of_peak": rate / (2.0 * fma_per_s)}
    return found


def main(arguments: list[str]) -> int:
    if not arguments:
        for name, found in counted().items():
            print(f"{name}: {found['all']:.0f} operations a cycle", json.dumps(found))
        return 0
    from benchmarks.scenarios import pressed
    from softdock.scenario.files import load_scenario

    name = arguments[0]
    print(json.dumps(count(load_scenario("epos_3d").tables if name.startswith("EPOS") else pressed(8.0, name == "noise"))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
