"""Compiling changes nothing: the loop in plain Python (NUMBA_DISABLE_JIT=1) against the compiled
one.

Under CUDASIM a compiled function is still the compiled CPU code, so this is the test that can fail.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from plain import run_plain
from scenarios import (
    hard_for_the_core,
    lange_impact,
    sphere_on_sphere,
    virtual_damping,
    virtual_elements,
    whole_facility,
)

from softdock import Stepper, build
from softdock.loop.contact.log import LOG
from softdock.loop.cycle import cycle
from softdock.loop.satellites import INTEGRATORS
from softdock.loop.spatial.motion import MOTION
from softdock.loop.state import STATE_FLOATS, place
from softdock.papers.lange.full_compensation import list_wanted_contacts, scenario_tables

CYCLES = 350  # 1.4 s: from the start through the first contacts of every case
# relative to approach speed, peak force and
# initial energy
AGREE = 1e-13

RUN = """
import json, sys
import numpy as np
from softdock import Stepper, build
from softdock.loop.cycle import cycle
assert type(cycle).__name__ == "function", "this must be plain Python"
answers = []
for tables, cycles in json.load(sys.stdin):
    loop = Stepper(build(tables))
    loop.step(cycles)
    answers.append([loop.state.tolist(), loop.mem.tolist(), loop.log.tolist()])
json.dump(answers, sys.stdout)
"""


def cases():
    found = {i.name: hard_for_the_core(i.name) for i in INTEGRATORS}
    latest = hard_for_the_core("exact_hold")
    latest["sensor"] = {"period_ms": 3.0, "handover": "latest", "noise_N": 0.5}
    latest["robots"]["chaser"]["interpolation"] = "linear"
    latest["contact"][0]["real"] = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 20000.0,
        "exponent": 1.5,
        "lambda_s_per_m": 2.0,
    }
    found["other models"] = latest
    found["spheres"] = sphere_on_sphere(delay_ms=6.0, damping=10.0)
    found["the whole facility"] = whole_facility()
    found["the whole facility, symplectic"] = whole_facility("symplectic_euler")
    found["virtual elements"], found["virtual damping"] = virtual_elements(), virtual_damping()
    for name in ("passive_integrator", "delay_passivity"):
        found[name] = hard_for_the_core() | {"methods": [{"name": name}]}
    found["delay_passivity on a plain rig"] = sphere_on_sphere(delay_ms=6.0, damping=10.0) | {
        "methods": [{"name": "delay_passivity"}]
    }
    compensation = scenario_tables(list_wanted_contacts()[1].contact, environment="filter")
    compensation["time"]["plant_steps"] = 1
    found["elastic joints and the filter"] = compensation
    late = {
        "model": "limited",
        "max_acceleration_m_per_s2": 2.3,
        "max_jerk_m_per_s3": 125.0,
        "delay_ms": 20.0,
    }
    found["re-mapping"] = lange_impact(0.3, **late) | {
        "methods": [{"name": "remapping", "lead_ms": 8.0}]
    }
    found["limited robots"] = lange_impact(
        0.3, model="limited", max_acceleration_m_per_s2=2.3, max_jerk_m_per_s3=8.86
    )
    return found


def states_of(jobs):
    """Of plain Python, with a plain loop where nothing else is asked for."""
    done = run_plain(RUN, given=json.dumps(jobs), env={"SOFTDOCK_EVERY_FEATURE": "0"})
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def both():
    """Per case: the loop after the same cycles, compiled, and (state, mem, log) of plain Python."""
    loops = {name: Stepper(build(tables)) for name, tables in cases().items()}
    for loop in loops.values():
        assert loop.step(CYCLES) == "completed"
    plain = states_of([(tables, CYCLES) for tables in cases().values()])
    return {
        name: (loop, [np.array(part) for part in answer])
        for (name, loop), answer in zip(loops.items(), plain, strict=True)
    }


def scales(speed, force, energy):
    """What each number of the state is compared with."""
    scale = np.ones(STATE_FLOATS)  # positions in m, attitudes, times in s, counts
    for part in ("satellites", "command", "facility"):
        for body in ("chaser", "target"):
            scale[MOTION.slice_of("v", place(f"{part}.{body}").start)] = speed
    for path in ("facility.true_chaser", "facility.true_target", "facility.reading", "wrenches"):
        scale[place(path)] = force
    scale[place("ledger")] = energy
    for path in ("tracker.before", "tracker.after"):
        scale[place(path)] = speed
    for path in ("tracker.peak_real_squared", "tracker.peak_satellite_squared"):
        scale[place(path)] = force
    return scale


@pytest.mark.parametrize("name", cases())
def test_plain_python_is_the_compiled_loop(both, name):
    """The start and 350 cycles with contacts in a cone, full inertia, noise and fractional delay
    agree to 1e-13: state, memory, log."""
    loop, (state, mem, log) = both[name]
    tables = loop.scenario.tables
    speed = float(
        np.linalg.norm(
            np.subtract(tables["chaser"]["velocity_m_per_s"], tables["target"]["velocity_m_per_s"])
        )
    )
    peak = max(
        loop.log[:, LOG.at.peak_force_real_N].max(), *loop.state[place("tracker.peak_real_squared")]
    )
    assert peak > 1.0, "the cycles compared must hold a contact"
    apart = np.abs(loop.state - state) / scales(
        speed, peak, loop.state[place("ledger.kinetic_start")][0]
    )
    worst = int(np.argmax(apart))
    assert apart[worst] <= AGREE, (
        f"state[{worst}]: compiled {loop.state[worst]!r}, plain {state[worst]!r}; scenario {tables}"
    )
    assert np.abs(loop.mem - mem).max() <= AGREE * max(1.0, np.abs(mem).max())
    assert np.array_equal(np.isnan(loop.log), np.isnan(log))
    assert np.nan_to_num(np.abs(loop.log - log)).max() <= AGREE * max(1.0, peak)


def test_the_compiled_side_is_compiled():
    """In this process the loop is Numba's: otherwise the comparison above would compare plain
    Python with itself."""
    assert type(cycle).__name__ != "function"
    assert Path(cycle.py_func.__code__.co_filename).name == "cycle.py"
