"""A method declares the cells of its memory, and stays inside its slice of `mem`."""

from __future__ import annotations

import json

import pytest
from plain import run_plain
from scenarios import ARM_ON_A_SERVICER, epos_wall

import softdock
from softdock.compile.cells import Cell, Cells
from softdock.loop.method.interface import CYCLE
from softdock.loop.method.memory import Recorded, channels_of, recorded
from softdock.loop.vector import TIME, TIME_AT
from softdock.methods.registry import METHODS


def test_every_method_declares_its_cells():
    """Memory has names, units and meanings; channels are the first cells; nothing overlaps."""
    for name, method in METHODS.items():
        if method.is_forgetful:
            assert method.cells is None, name
            continue
        cells = method.cells
        assert method.channels == channels_of(cells), name
        ends = 0
        for cell, at in zip(cells, cells.at, strict=True):
            assert at == ends, (name, cell.name)
            ends += cell.size
            assert cell.meaning, (name, cell.name)
        assert ends == cells.size
        head = sum(cell.size for cell in cells if isinstance(cell, Recorded))
        assert head == len(method.channels), name


def test_a_recorded_cell_stands_first():
    """A row of the record is the head of the slice: a recorded cell behind another is refused."""
    with pytest.raises(ValueError, match="'late' is recorded and not first"):
        channels_of(Cells("mine", Cell("kept"), recorded("late")))


NETWORKS = {
    "network_contact": [
        {"model": "single_spring", "arguments": {"stiffness": 1000.0}},
        {
            "model": "hunt_crossley",
            "arguments": {"stiffness": 20000.0, "exponent": 1.5, "per_speed": 2.0},
        },
    ],
    "network_satellite": [
        {
            "model": "flexible_satellite",
            "arguments": {"hub": 58.0, "appendage": 5.0, "stiffness": 100.0, "damping": 1.0},
        }
    ],
}
MUST_BE_TOLD = {"servicer_arm": ARM_ON_A_SERVICER}
MORE = {  # keys that bring more of a method's memory into play
    "monitor": [{"action": "damp", "damping_Ns_per_m": 40.0, "bound_J": 1e-6}],
    "delay_passivity": [{"coupling": "per_axis", "noise_N": 0.1, "confidence": 0.9}],
    "energy_ledger": [{"claim": "passive", "noise_N": 0.1, "confidence": 0.9, "jump_N": 30.0}],
    "remapping": [
        {
            "environment": "filter",
            "stiffness_N_per_m": 1000.0,
            "set_points": "executable",
            "max_acceleration_m_per_s2": 5.0,
            "lead_ms": 8.0,
        },
        {"estimate": "on_line", "stiffness_N_per_m": 900.0, "lead_ms": 8.0},
    ],
}


def guarded_cases():
    """Of every registered method: as suggested, and with more of its memory in use; the monitor
    behind each, so that a slice has a neighbour."""
    found = []
    for name, method in METHODS.items():
        plain = near_wall([{"name": "direct"}])
        keys = [{"network": one} for one in NETWORKS.get(name, ())] or [
            method.suggest(softdock.build(plain)) | MUST_BE_TOLD.get(name, {}),
            *MORE.get(name, ()),
        ]
        for one in keys:
            found.append((name, near_wall([{"name": name, **one}, {"name": "monitor"}])))
    return found


def near_wall(methods):
    tables = epos_wall(delay_ms=8.0, mass_kg=63.0)
    tables["chaser"]["position_m"] = [0.001, 0.0, 0.0]
    tables["contact"][0]["real"]["stiffness_N_per_m"] = 9000.0  # parted after 0.33 s
    return tables | {"methods": methods}


GUARDED = """
import json, sys
import numpy as np
from softdock import Stepper, build
from softdock.loop.method.hooks import memory_slots
from softdock.loop.cycle import cycle
from softdock.loop.vector import MEMORY, MEMORY_AT, METHODS_AT

assert type(cycle).__name__ == "function", "this must be plain Python"
GUARD, CYCLES = 64, 130
answers = []
for name, tables in json.load(sys.stdin):
    plain = Stepper(build(tables), rows=CYCLES + 1)
    plain.step(CYCLES)
    scenario = build(tables)
    guards, shift = [], GUARD
    for slot in memory_slots(scenario.markers.methods, METHODS_AT):
        scenario.vector[slot] += shift
        guards.append(int(scenario.vector[slot]) - GUARD)
        shift += GUARD
    scenario.vector[MEMORY_AT + MEMORY.at.size] += shift
    guards.append(int(scenario.vector[MEMORY_AT + MEMORY.at.size]) - GUARD)
    loop = Stepper(scenario, rows=CYCLES + 1)
    for at in guards:
        loop.mem[at : at + GUARD] = np.nan
    loop.step(CYCLES)
    answers.append(
        {
            "name": name,
            "written": [at for at in guards if not np.isnan(loop.mem[at : at + GUARD]).all()],
            "same": loop.record.tobytes() == plain.record.tobytes(),
            "touched": bool(np.abs(loop.series["measured.chaser.force"]).max() > 0.0),
        }
    )
json.dump(answers, sys.stdout)
"""


def test_a_method_stays_inside_its_memory():
    """Guard cells around every method's slice are neither written nor read: they stay NaN, and the
    record is the same to the bit."""
    given = guarded_cases()
    answer = run_plain(GUARDED, given=json.dumps(given))
    assert answer.returncode == 0, answer.stderr
    answers = json.loads(answer.stdout)
    assert {one["name"] for one in answers} == set(METHODS)
    for one in answers:
        assert one["written"] == [], one
        assert one["same"], one
        assert one["touched"], one


def test_the_cycle_stands_first_in_the_vector():
    """Methods read T from one place of the vector, which is another stage's."""
    assert TIME_AT + TIME.at.cycle == CYCLE
