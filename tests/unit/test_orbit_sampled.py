"""Methods that push from outside act in orbit too: sampled once a cycle, on orbit's own state and
with a memory of its own."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

import numpy as np
import pytest
from plain import run_plain
from scenarios import epos_wall

from softdock import build
from softdock.methods import Group, Method, Parameter, Wrench, Wrenches, compiled, no_wrench
from softdock.methods.registry import register
from softdock.reference import run_reference

# a thruster that fires for ten of its own cycles, then brakes by a tenth of its own momentum rate
PUSH = """
from typing import NamedTuple
from softdock.methods.registry import register
from softdock.methods import (
    Cell, Cells, Group, Method, Wrench, Wrenches, compiled, no_wrench, scale)
CELLS = Cells("firing", Cell("count", 1, "-", "cycles so far"))
class Firing(NamedTuple):
    memory: int
@compiled
def prepare(marker, vector, base, memory):
    return Firing(memory)
@compiled
def push(method, mem, rig, satellites):
    mem[method.memory] += 1.0
    if mem[method.memory] <= 10.0:
        return Wrenches(Wrench((6.0, 1.0, 0.0), (0.0, 0.0, 0.5)), no_wrench())
    return Wrenches(Wrench(scale(-3.0, satellites.chaser.v), (0.0, 0.0, 0.0)), no_wrench())
register(Method("firing", "fires", "nothing", Group("firing", "Fires."), Firing(0), prepare,
                external=push, cells=CELLS))
import math
class Astray(NamedTuple):
    memory: int
@compiled
def prepare_astray(marker, vector, base, memory):
    return Astray(memory)
@compiled
def stray(method, mem, rig, satellites):
    force = math.nan if rig.cycle >= 3 else 0.0
    return Wrenches(Wrench((force, 0.0, 0.0), (0.0, 0.0, 0.0)), no_wrench())
register(Method("astray", "breaks", "nothing", Group("astray", "Breaks."), Astray(0),
                prepare_astray, external=stray))
"""
RUN = """
import json, sys
exec(json.load(sys.stdin)["push"])
import numpy as np
from scenarios import epos_wall
from softdock import build, run_loop
from softdock.reference import run_reference
tables = epos_wall(delay_ms=0.0)
tables["time"]["duration_s"] = 0.6
tables["chaser"]["position_m"] = [5.0, 0.0, 0.0]
apart = build(tables | {"methods": [{"name": "firing"}]})
run, flown = run_loop(apart), run_reference(apart)
far = [float(np.abs(run.series[c] - flown.series[c]).max())
       for c in ("chaser.position", "chaser.velocity", "chaser.rate")]
lost = run_loop(build(epos_wall() | {"methods": [{"name": "astray"}]}))
print(json.dumps({"status": lost.status, "cycles": lost.cycles,
                  "whole": bool(np.isfinite(lost.series["chaser.position"]).all()), "far": far,
                  "loop": run.ledger["external"], "orbit": flown.external,
                  "invented": run.energy_added_J}))
"""


GROUP = Group("steady", "Pushes.", Parameter("last", "last", "cycle after which it gives NaN", 1e9))
AT = GROUP.at


class Steady(NamedTuple):
    memory: int
    last: float


@compiled
def steady(method, mem, rig, satellites):
    force = math.nan if rig.cycle > method.last else 4.0
    return Wrenches(
        no_wrench() if rig.cycle % 2 else Wrench((force, 0.0, 0.0), (0.0, 0.0, 0.0)), no_wrench()
    )


@compiled
def prepare_steady(marker, vector, base, memory):
    return Steady(memory, vector[base + AT.last])


STEADY = Method(
    name="steady",
    summary="pushes",
    knows="nothing",
    group=GROUP,
    marker=Steady(0, 0.0),
    prepare=prepare_steady,
    external=steady,
)


def test_a_push_acts_alike_in_loop_and_orbit():
    """In free flight, with a memory of its own in each and forces from each own state, loop and
    orbit are the same to rounding, and both book the work as external (plain Python: nothing is
    compiled for this)."""
    done = run_plain(RUN, given=json.dumps({"push": PUSH}))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert max(found["far"]) < 1e-12
    assert found["loop"] == pytest.approx(found["orbit"], rel=1e-9)
    assert abs(found["loop"]) > 1e-3
    assert found["invented"] == pytest.approx(0.0, abs=1e-9)
    # a push that is no number ends the loop, and everything up to there is kept
    assert found["status"] == "a method pushed with something that is not a number"
    assert (found["cycles"], found["whole"]) == (4, True)


def test_orbit_with_a_method_of_ones_own():
    """In plain Python, where nothing that is registered stays; a method in orbit, compiled, is the
    preset vbar_docking's (test_metrics.py)."""
    code = "from test_orbit_sampled import a_push_moves, no_number_ends\na_push_moves()\n"
    done = run_plain(code + "no_number_ends()")
    assert done.returncode == 0, done.stderr


def a_push_moves():
    """Against the closed form: every second cycle 4 N on a body at rest."""
    register(STEADY)
    tables = epos_wall()
    tables["time"]["duration_s"] = 0.4
    tables["chaser"]["position_m"] = [5.0, 0.0, 0.0]
    tables["chaser"]["velocity_m_per_s"] = [0.0, 0.0, 0.0]
    scenario = build(tables | {"methods": [{"name": "steady"}]})
    flown = run_reference(scenario)
    mass = tables["chaser"]["mass_kg"]
    assert flown.chaser[7] == pytest.approx(4.0 * 50 * 0.004 / mass, rel=1e-12)
    assert flown.external == pytest.approx(flown.kinetic, rel=1e-12)
    without = run_reference(build(tables))
    assert without.chaser[7] == 0.0


def no_number_ends():
    """NaN from a hook stops orbit with a status, and what was flown until then is kept."""
    flown = run_reference(build(epos_wall() | {"methods": [{"name": "steady", "last": 3}]}))
    assert flown.status == "a method pushed with something that is not a number"
    assert flown.time == pytest.approx(0.016)
    assert np.isfinite(flown.series["chaser.position"]).all()
