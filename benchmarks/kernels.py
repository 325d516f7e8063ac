"""Does every kernel compile? The loop with each method, plain and with every feature, to PTX for an
H200, on a machine without a GPU. Part `kernels` of `make prove`; `make test` compiles one of them.

A kernel passes if it computes in double precision and has its memory in local memory.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import numba

ARITHMETIC = r"\b(?:add|sub|mul|fma|div|sqrt)[.a-z]*\."
CAPABILITY = (9, 0)  # of an H200
Compile = Callable[[Any, tuple], str]


def prepared(base: Any) -> tuple[Any, Callable[[Any], tuple]]:
    """What two runs have in common, and the types that a kernel for them is called with, but for
    the markers'."""
    from softdock.campaign.columns import columns
    from softdock.campaign.kernel_specialisation import tailor

    _, numbers, special = tailor(*columns(base, {"chaser.mass_kg": [60.0, 61.0]}))
    matrix, cube = numba.float64[:, ::1], numba.float64[:, :, ::1]
    return special, lambda markers: (
        matrix,
        numba.typeof(markers),
        numba.typeof(numbers),
        cube,
        matrix,
    )


def compiler() -> Compile:
    """To PTX without a GPU. Numba asks a device for its capability: it is told one."""
    from softdock.campaign.cuda import load_numba_cuda

    cuda = load_numba_cuda()
    from numba.cuda import dispatcher

    dispatcher.get_current_device = type("Device", (), {"compute_capability": CAPABILITY})
    return lambda function, types: cuda.compile_ptx(function, types, cc=CAPABILITY)[0]


def ptx_of(base: Any, to_ptx: Compile) -> tuple[int, str]:
    """Floats of memory that a run needs, and the text of its kernel."""
    from softdock.campaign.cuda import kernel_function

    special, types = prepared(base)
    return special.floats, to_ptx(kernel_function(special), types(base.markers))


def largest_depot(ptx: str) -> int:
    """Bytes of local memory."""
    return max(int(size) for size in re.findall(r"__local_depot\d+\[(\d+)\]", ptx))


def what_is_wrong(ptx: str, floats: int) -> str:
    """Empty: nothing."""
    if "fma.rn.f64" not in ptx:
        return "no arithmetic in double precision"
    if re.search(ARITHMETIC + "f32", ptx):
        return "arithmetic in single precision"
    return "" if largest_depot(ptx) >= 8 * floats else "its memory is not in local memory"


def run() -> dict[str, Any]:
    """All methods that the EPOS rig accepts, on a plain rig and on one with every feature."""
    from softdock.scenario.candidates import candidates
    from softdock.scenario.files import load_scenario

    to_ptx, began, wrong = compiler(), time.perf_counter(), {}
    for jitter in (0.0, 1.0):
        rig = load_scenario("epos_1d", {"robots.chaser.delay_jitter_ms": jitter})
        for candidate in candidates(rig, "all")[0]:
            methods = "+".join(entry["name"] for entry in candidate.scenario.tables["methods"])
            floats, ptx = ptx_of(candidate.scenario, to_ptx)
            wrong[f"{methods}, {'every feature' if jitter else 'plain'}"] = what_is_wrong(
                ptx, floats
            )
    floats, ptx = ptx_of(load_scenario("vbar_docking"), to_ptx)
    wrong["a guided docking"] = what_is_wrong(ptx, floats)
    found = {name: said for name, said in wrong.items() if said}
    return {
        "kernels": len(wrong),
        "wrong": found,
        "seconds": time.perf_counter() - began,
        "met": not found,
    }
