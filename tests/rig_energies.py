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
    """The arrays that rig/supervisor/energy.py reads, in free flight."""
    from softdock.recording.ring_layout import EVENT
    from softdock.rig.supervisor import layout

    limits, counts = np.zeros(layout.LIMIT_CELLS.size), np.zeros(layout.COUNT_CELLS.size, np.int64)
    stated = {
        "restitution": restitution,
        "energy_floor": FLOOR_J,
        "energy_contact": 10.0,
        "energy_run": energy_run,
        "touch": TOUCH_N,
        "free_s": FREE_S,
    }
    for name, value in stated.items():
        limits[getattr(layout.LIMIT, name)] = value
    plan, row = np.zeros(layout.PLAN_CELLS.size), np.zeros(EVENT.size)
    plan[layout.PLAN.cycle], counts[layout.COUNT.state] = T, layout.APPROACH
    ring = np.zeros((8, EVENT.size + 2), np.int64)
    return SimpleNamespace(
        limits=limits,
        plan=plan,
        counts=counts,
        values=np.zeros(layout.VALUE_CELLS.size),
        robot_counts=np.zeros((2, layout.ROBOT_COUNT_CELLS.size), np.int64),
        robot_values=np.zeros((2, layout.ROBOT_VALUE_CELLS.size)),
        sensor_values=np.zeros((2, layout.SENSOR_VALUE_CELLS.size)),
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
    from softdock.rig.supervisor import energy, layout, reasons

    program = _program(story["restitution"], story["energy_run"])
    masses = story["masses_kg"]
    bodies = [SimpleNamespace(fixed=m is None, mass=(m,) * 3) for m in masses]
    params = SimpleNamespace(chaser=bodies[0], target=bodies[1])
    for k, (speeds, external, force) in enumerate(story["cycles"]):
        program.counts[layout.COUNT.cycles] = k + 1
        energy.check_energy(program, params, _now(masses, speeds, external, force))
        if program.counts[layout.COUNT.reason] != reasons.NONE:
            break
    return reasons.REASONS[program.counts[layout.COUNT.reason]].name, program.values[
        layout.VALUE.kinetic_bound
    ]


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
