"""The guided V-bar docking of examples/: navigation, controller and thrusters in one method file,
from 5 m to hard dock, in the loop and in orbit. In plain Python and with a coarse cycle: nothing is
compiled for it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = r"""
import json, sys
import numpy as np
from softdock import BadInput, fly, load_method_file, load_scenario
from softdock.analysis.latches import times
from softdock.core.orbit import orbit
load_method_file("examples/glideslope.py")
from softdock.core.adaptation.method import METHODS
coarse = {"time.cycle_ms": 40.0, "time.duration_s": 190.0, "allow_unresolved": True}
scenario = load_scenario("examples/vbar_docking.toml", coarse)
run, flown = fly(scenario), orbit(scenario)
s = run.series
seen = [name for name in s if "glideslope" in name]
distance = s[next(name for name in seen if name.endswith("distance"))]
fired = s[next(name for name in seen if name.endswith("fired"))]
near = int(np.argmax((distance > 0.0) & (distance <= 0.1)))
said = []
for wrong in ({"methods.0.thrust_N": 0.05}, {"methods.0.period_ms": 0.0}):
    try:
        load_scenario("examples/vbar_docking.toml", coarse | wrong)
    except BadInput as error:
        said.append(str(error))
# allocation and pulses, by hand
push = METHODS["glideslope"].external.__globals__
m = push["Glideslope"](period=0.2, force=10.0, arm=1.5, least=0.0, memory=0)
mem = np.zeros(push["CELLS"].size)
force, torque = (7.0, -4.0, 2.0), (1.0, -3.0, 2.5)
push["ask"](m, mem, force, torque)
sums = np.zeros(6)
for _ in range(50):
    f, t = push["fire"](m, mem, 0.004)
    sums += 0.004 * np.array([*f, *t])
small = push["Glideslope"](period=0.2, force=10.0, arm=1.5, least=0.5, memory=0)
mem[:] = 0.0
pulses = []
for _ in range(10):
    push["ask"](small, mem, (0.8, 0.0, 0.0), (0.0, 0.0, 0.0))
    total = 0.0
    for _ in range(50):
        total += 0.004 * push["fire"](small, mem, 0.004)[0][0]
    pulses.append(total)
print(json.dumps({
    "status": [run.status, flown.status], "loop": times(run.latches), "orbit": times(flown.latches),
    "after": float(fired[-1] - fired[near]), "fired": float(fired[-1]), "near": near,
    "said": said, "sums": sums.tolist(), "wanted": [0.2 * x for x in (*force, *torque)],
    "pulses": pulses, "invented": run.energy_invented_J, "external": run.ledger["external"],
    "orbits": flown.external}))
"""


@pytest.fixture(scope="module")
def found():
    paths = os.pathsep.join([str(ROOT / "src"), *(p for p in sys.path if p)])
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_docks_and_latches_on_the_rig_and_in_orbit(found):
    """From 5 m, off the axis and turned, with noisy and late navigation: hard dock on the rig and
    in orbit, each guided by its own state, at about the same time."""
    assert found["status"] == ["completed", "completed"]
    assert found["loop"]["latched_at_s"] == pytest.approx(found["orbit"]["latched_at_s"], abs=3.0)
    assert math.isnan(found["loop"]["broken_at_s"])
    assert found["orbits"] == pytest.approx(found["external"], rel=0.2)


def test_no_plume_near_the_target(found):
    """Nearer than plume_off nothing fires; before, it did."""
    assert found["near"] > 0
    assert found["after"] == 0.0
    assert found["fired"] > 10.0


def test_the_allocation_is_exact_and_pulses_are_worth_their_least_impulse(found):
    """Force and torque of one period come out as asked; a small force is saved up until a pulse is
    worth it, and nothing of it is lost."""
    assert found["sums"] == pytest.approx(found["wanted"], abs=1e-12)
    pulses = found["pulses"]
    assert all(p == 0.0 or p >= 2.0 * 0.5 - 1e-12 for p in pulses)  # two places fire together
    assert 0.0 in pulses
    assert sum(pulses) == pytest.approx(10 * 0.2 * 0.8, abs=1.0)


def test_thrusters_that_cannot_turn_the_chaser_are_refused(found):
    """Before the clock starts, with what they would have to make."""
    assert "commanded torque" in found["said"][0]
    assert "period_ms" in found["said"][1]
