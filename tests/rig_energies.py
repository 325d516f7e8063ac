"""The energy bounds of a rig alone, in plain Python (NUMBA_DISABLE_JIT=1), for tests: stories of
two satellites on one axis in, how each one ended out, as JSON. A loop with thrusters would be one
more to compile."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
from plain import run_plain

TOUCH_N, FREE_S, FLOOR_J, T = 0.5, 0.032, 1e-3, 0.004


def _program(restitution, energy_run):
    """The arrays that core/rig/energy.py reads, in free flight."""
    from softdock.core.recorder.layout import EVENT
    from softdock.core.rig import layout

    limits, stand = np.zeros(layout.LIMITS.size), np.zeros(layout.STAND.size, np.int64)
    stated = {
        "restitution": restitution,
        "energy_floor": FLOOR_J,
        "energy_contact": 10.0,
        "energy_run": energy_run,
        "touch": TOUCH_N,
        "free_s": FREE_S,
    }
    for name, value in stated.items():
        limits[getattr(layout.LIMITS.at, name)] = value
    plan, row = np.zeros(layout.PLAN.size), np.zeros(EVENT.size)
    plan[layout.PLAN.at.cycle], stand[layout.STAND.at.state] = T, layout.APPROACH
    ring = np.zeros((8, EVENT.size + 2), np.int64)
    return SimpleNamespace(
        limits=limits,
        plan=plan,
        stand=stand,
        seen=np.zeros(layout.SEEN.size),
        robot_stand=np.zeros((2, layout.ROBOT_STAND.size), np.int64),
        robot_seen=np.zeros((2, layout.ROBOT_SEEN.size)),
        sensor_seen=np.zeros((2, layout.SENSOR_SEEN.size)),
        events=SimpleNamespace(
            slots=ring, count=np.zeros(1, np.int64), row=row, words=row.view(np.int64)
        ),
    )


def _now(masses, speeds, external, force):
    """What is kept of a cycle, on the axis x."""
    kinetic = sum(0.5 * m * v * v for m, v in zip(masses, speeds) if m is not None)
    bodies = [SimpleNamespace(v=(v, 0.0, 0.0)) for v in speeds]
    felt = [SimpleNamespace(force=(f, 0.0, 0.0)) for f in (force, -force)]
    return SimpleNamespace(
        ledger=SimpleNamespace(kinetic=kinetic, external=external, observed=0.0),
        satellites=SimpleNamespace(chaser=bodies[0], target=bodies[1]),
        measured=SimpleNamespace(chaser=felt[0], target=felt[1]),
    )


def end(story):
    """Cycle by cycle, until a bound is broken: the reason and the bound of the contact."""
    from softdock.core.rig import energy, layout, reasons

    stand, seen = layout.STAND.at, layout.SEEN.at
    program = _program(story["restitution"], story["energy_run"])
    masses = story["masses_kg"]
    bodies = [SimpleNamespace(fixed=m is None, mass=(m,) * 3) for m in masses]
    params = SimpleNamespace(chaser=bodies[0], target=bodies[1])
    for k, (speeds, external, force) in enumerate(story["cycles"]):
        program.stand[stand.k] = k + 1
        energy.check_energy(program, params, _now(masses, speeds, external, force))
        if program.stand[stand.reason] != reasons.NONE:
            break
    return reasons.REASONS[program.stand[stand.reason]].name, program.seen[seen.kinetic_bound]


CODE = """
import json, sys
from rig_energies import end
print(json.dumps([end(story) for story in json.load(sys.stdin)]))
"""


def ends_of(stories):
    """Of each story the reason (`none`: it came through) and the last contact's bound [J]."""
    done = run_plain(CODE, given=json.dumps(stories))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
