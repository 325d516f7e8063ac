"""Does every kernel compile? The loop with each method, plain and with every feature, to PTX for an
H200, on a machine without a GPU. Part `kernels` of `make prove`; `make test` compiles the hooks of
a method (tests/parity/test_batch_on_a_gpu.py); `python -m benchmarks.kernels [METHOD...]` compiles
some.

A kernel passes if it computes in double precision and has its memory in local memory, where it is
small enough. A method whose memory no GPU takes is refused there and has no kernel: it is counted
apart, with the refusal (campaigns run it on the CPU, studies/campaign/engines.py).
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Collection
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, NamedTuple

import numba

ARITHMETIC = r"\b(?:add|sub|mul|fma|div|sqrt)[.a-z]*\."
CAPABILITY = (9, 0)  # of an H200
JITTER = "robots.chaser.delay_jitter_ms"
Compile = Callable[[Any, tuple], str]


class Case(NamedTuple):
    """One kernel."""

    name: str
    preset: str
    jitter: float = 0.0  # ms
    methods: Any = None  # None: the preset's


def prepared(base: Any) -> tuple[Any, Callable[[Any], tuple]]:
    """What two runs have in common, and the types that a kernel for them is called with, but for
    the markers'."""
    from softdock.studies.campaign.columns import make_columns
    from softdock.studies.campaign.kernel_specialisation import tailor

    _, numbers, special = tailor(*make_columns(base, {"chaser.mass_kg": [60.0, 61.0]}))
    matrix, cube = numba.float64[:, ::1], numba.float64[:, :, ::1]
    return special, lambda markers: (
        matrix,
        numba.typeof(markers),
        numba.typeof(numbers),
        cube,
        matrix,
        matrix,
    )


def compiler() -> Compile:
    """To PTX without a GPU. Numba asks a device for its capability: it is told one."""
    from softdock.studies.campaign.cuda import load_numba_cuda

    cuda = load_numba_cuda()
    from numba.cuda import dispatcher

    dispatcher.get_current_device = type("Device", (), {"compute_capability": CAPABILITY})
    return lambda function, types: cuda.compile_ptx(function, types, cc=CAPABILITY)[0]


def ptx_of(base: Any, to_ptx: Compile) -> tuple[int, str]:
    """Floats of memory that a run needs, and the text of its kernel."""
    from softdock.studies.campaign.cuda import make_kernel_function

    special, types = prepared(base)
    return special.floats, to_ptx(make_kernel_function(special), types(base.markers))


def hooks_of(base: Any, floats: int, to_ptx: Compile) -> str:
    """The text of a kernel that calls the methods' hooks and nothing else of the loop, on `floats`
    of local memory: a tenth of a loop's time."""
    from softdock.loop.method import hooks
    from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
    from softdock.loop.spatial.motion import Motion, Wrench, store_motion
    from softdock.loop.spatial.rigid_body import Body, BodyParams
    from softdock.loop.vector_layout import METHODS_AT
    from softdock.studies.campaign.cuda import load_numba_cuda

    cuda, three, six = load_numba_cuda(), (1.0,) * 3, (1.0,) * 6
    prepare, wrench = hooks.prepare_methods, hooks.apply_wrench
    correct, set_point = hooks.apply_correct, hooks.apply_set_point
    body = BodyParams(fixed=False, mass=three, inverse_mass=three, inertia=six, inverse_inertia=six)
    state = Body(three, (1.0,) * 4, three, three)
    motion, felt = Motion(three, (1.0,) * 4, three, three), Wrench(three, three)
    measured = Measured(
        wrenches=Wrenches(felt, felt),
        mock_ups=Output(motion, motion),
        force_age=0.0,
        pose_age=0.0,
        mismatch=0.0,
    )
    given = (Rig(1, 0.004, body, body), measured, Satellites(state, state))

    def call_hooks(vector, methods, rig, measured, before, sent):
        mem = cuda.local.array(floats, numba.float64)
        prepared = prepare(methods, vector, METHODS_AT)
        acting = wrench(prepared, mem, rig, measured, before, measured.wrenches)
        after, output = correct(prepared, mem, rig, measured, before, before, measured.mock_ups)
        output = set_point(prepared, mem, rig, after, output)
        store_motion(sent, 0, output.chaser)
        sent[13] = acting.chaser.force[0]

    array = numba.float64[::1]
    types = (numba.typeof(one) for one in (base.markers.methods, *given))
    return to_ptx(call_hooks, (array, *types, array))


def largest_depot(ptx: str) -> int:
    """Bytes of local memory."""
    return max(int(size) for size in re.findall(r"__local_depot\d+\[(\d+)\]", ptx))


def what_is_wrong(ptx: str, floats: int) -> str:
    """Empty: nothing."""
    from softdock.studies.campaign.kernel_specialisation import MOST_LOCAL_FLOATS

    if "fma.rn.f64" not in ptx:
        return "no arithmetic in double precision"
    if re.search(ARITHMETIC + "f32", ptx):
        return "arithmetic in single precision"
    local = largest_depot(ptx) >= 8 * floats or floats > MOST_LOCAL_FLOATS
    return "" if local else "its memory is not in local memory"


def cases(only: Collection[str] = ()) -> list[Case]:
    """Every kernel: all methods that the EPOS rig accepts, on a plain rig and on one with every
    feature; a guided docking. `only`: methods' names."""
    from softdock.scenario.candidates import candidates
    from softdock.scenario.files import load_scenario

    found: list[Case] = []
    for jitter, features in ((0.0, "plain"), (1.0, "every feature")):
        rig = load_scenario("epos_1d", {JITTER: jitter})
        for candidate in candidates(rig, "all", [rig.tables["satellites"]["integrator"]])[0]:
            tables = candidate.scenario.tables["methods"]
            methods = "+".join(entry["name"] for entry in tables)
            if only and methods not in only:
                continue
            found.append(Case(f"{methods}, {features}", "epos_1d", jitter, tables))
    if not only:
        found.append(Case("a guided docking", "vbar_docking"))
    return found


def looked_at(case: Case) -> tuple[str, str, str, float]:
    """Name, what is wrong, why there is no kernel (empty: there is one), and the processor seconds
    it took; in a process of its own."""
    from softdock.errors import BadInput
    from softdock.scenario.files import load_scenario

    began = time.process_time()
    scenario = load_scenario(case.preset)
    if case.methods is not None:
        scenario = scenario.replace({JITTER: case.jitter, "methods": case.methods})
    try:
        floats, ptx = ptx_of(scenario, compiler())
    except BadInput as refusal:
        return case.name, "", str(refusal), time.process_time() - began
    return case.name, what_is_wrong(ptx, floats), "", time.process_time() - began


def run(only: Collection[str] = ()) -> dict[str, Any]:
    """As many at a time as there are processors, the longest first."""
    began, chosen = time.perf_counter(), cases(only)
    wrong: dict[str, str] = {}
    refused: dict[str, str] = {}
    seconds: dict[str, float] = {}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(looked_at, case) for case in reversed(chosen)]):
            name, said, refusal, took = done.result()
            seconds[name] = round(took, 1)
            if refusal:
                refused[name] = refusal
            else:
                wrong[name] = said
            word = said or refusal or "compiles"
            print(f"  {name}: {word}, {took:.0f} s of CPU", flush=True)
    found = {name: said for name, said in wrong.items() if said}
    return {
        "kernels": len(wrong),
        "wrong": found,
        "refused": refused,
        "cpu_s_of_each": seconds,
        "seconds": time.perf_counter() - began,
        "met": bool(wrong) and not found,
    }


if __name__ == "__main__":
    sys.exit(0 if run(sys.argv[1:])["met"] else 1)
