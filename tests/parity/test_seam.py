"""The loop cut at the seam is the same loop: controller and facility, each with its own arrays,
driven from Python.

This is how a rig with real robots is driven, and it proves that no method and no integrator sees
what only the simulation knows.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import (
    cone_docking,
    hard_for_the_core,
    lange_impact,
    sphere_on_sphere,
    virtual_elements,
    whole_facility,
)

from softdock import Stepper, build
from softdock.core.adaptation.registry import METHODS
from softdock.core.machine import doors
from softdock.core.machine import vector as layout
from softdock.core.machine.compiled import door
from softdock.core.machine.state import STATE_FLOATS, place
from softdock.core.spatial.motion import MOTION_FLOATS

CYCLES = 1000
SATELLITE_STATES, COMMANDS, FACILITY_STATES = (
    place(part) for part in ("satellites", "command", "facility")
)
MEASURED = [
    place(f"facility.{name}")
    for name in ("chaser", "target", "reading_time", "seen_time", "reading")
]


@door
def report_places(vector, features):
    """Where the facility's reports stand in its memory: second reading, measured poses."""
    memory = layout.prepare_rig(vector, features).memory
    return memory.second, memory.seen


class Seam:
    """Controller and facility as two programs: nothing is shared but the command and what the
    facility reports."""

    def __init__(self, tables):
        self.scenario = build(tables)
        self.controller_mem = np.zeros(self.scenario.mem_floats)
        self.facility_mem = np.zeros(self.scenario.mem_floats)
        no_rows = np.zeros((0, 1))
        start = np.zeros(STATE_FLOATS)
        features = self.scenario.markers.features
        doors.begin(self.scenario.vector, features, self.controller_mem, start, no_rows)
        doors.begin(self.scenario.vector, features, self.facility_mem, start, no_rows)
        nan = np.full(STATE_FLOATS, np.nan)  # whoever reads what is not its own gets NaN
        self.satellites, self.facility, self.command = nan.copy(), nan.copy(), nan.copy()
        self.satellites[SATELLITE_STATES] = start[SATELLITE_STATES]
        self.facility[FACILITY_STATES] = start[FACILITY_STATES]
        self.k = 0

    def reports(self):
        """The facility's memory as the controller gets it: second reading and measured poses, all
        else poisoned."""
        second, seen = report_places(self.scenario.vector, self.scenario.markers.features)
        mem = np.full(len(self.facility_mem), np.nan)
        for first, floats in ((second, 6), (seen, 2 * MOTION_FLOATS)):
            mem[first : first + floats] = self.facility_mem[first : first + floats]
        return mem

    def step(self):
        vector, markers = self.scenario.vector, self.scenario.markers
        reported = np.full(STATE_FLOATS, np.nan)
        reported[FACILITY_STATES] = self.facility[FACILITY_STATES]
        doors.control_step(
            vector,
            markers,
            self.controller_mem,
            self.reports(),
            self.k,
            self.satellites,
            reported,
            self.command,
        )
        sent = np.full(STATE_FLOATS, np.nan)
        sent[COMMANDS] = self.command[COMMANDS]
        doors.exchange(vector, markers.features, self.facility_mem, self.k, self.facility, sent)
        self.k += 1


def with_method(name):
    tables = hard_for_the_core()
    tables["methods"] = [{"name": name}]
    return tables


CASES = {
    **{
        f"everything with {i}": lambda i=i: hard_for_the_core(i)
        for i in ("symplectic_euler", "forward_euler", "exact_hold", "lie_rk4", "lie_midpoint")
    },
    "spheres, delay": lambda: sphere_on_sphere(delay_ms=16.0, duration_s=4.0),
    "cone, no delay": lambda: cone_docking(),
    **{
        f"the whole facility with {i}": lambda i=i: whole_facility(i)
        for i in ("symplectic_euler", "exact_hold")
    },
    "virtual elements": lambda: virtual_elements(),
    "limited robots": lambda: lange_impact(
        0.3, model="limited", max_acceleration_m_per_s2=2.3, max_jerk_m_per_s3=8.86
    ),
    "lagging robots": lambda: lange_impact(0.3, model="lag", lag_Hz=10.0),
    **{
        f"method {name}": lambda name=name: with_method(name)
        for name, m in METHODS.items()
        if all(p.default is not None for p in m.group)
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_seam_gives_the_fused_loop_bit_for_bit(case):
    """Satellites, commands and readings are the same bits as the fused loop's, over 1000 cycles
    around contacts, with noise."""
    tables = CASES[case]()
    fused, cut = Stepper(build(tables)), Seam(tables)
    touched = 0
    for k in range(CYCLES):
        assert fused.step() == "completed"
        cut.step()
        touched += fused.state[place("depth")][0] > 0.0
        for own, part in (
            (cut.satellites, SATELLITE_STATES),
            (cut.command, COMMANDS),
            (cut.facility, FACILITY_STATES),
        ):
            assert own[part].tobytes() == fused.state[part].tobytes(), (
                f"cycle {k} of {case}: {tables}"
            )
    assert touched > 15  # else the test would say nothing


def test_the_controller_reads_only_what_a_rig_would_measure():
    """With everything but measured poses, reading and its time poisoned, the controller's answer is
    unchanged: it never sees true forces."""
    seam = Seam(hard_for_the_core())
    while (
        not (seam.facility[place("facility.reading")][:3] ** 2).sum() > 4.0
    ):  # in contact: the reading is well above the noise
        seam.step()
    vector, markers = seam.scenario.vector, seam.scenario.markers
    seen = np.full(STATE_FLOATS, np.nan)
    for part in MEASURED:
        seen[part] = seam.facility[part]
    answers = []
    for report in (seam.facility, seen):
        satellites, command, mem = (
            seam.satellites.copy(),
            np.zeros(STATE_FLOATS),
            seam.controller_mem.copy(),
        )
        doors.control_step(
            vector, markers, mem, seam.reports(), seam.k, satellites, report, command
        )
        answers.append((satellites[SATELLITE_STATES], command[COMMANDS]))
    assert answers[0][0].tobytes() == answers[1][0].tobytes()
    assert answers[0][1].tobytes() == answers[1][1].tobytes()
    assert np.isfinite(answers[1][0]).all()


def test_stepping_one_by_one_is_running_in_one_go():
    """A thousand calls of one cycle leave the same bits as one call of a thousand: the flat state
    holds all there is."""
    one, many = Stepper(build(hard_for_the_core())), Stepper(build(hard_for_the_core()))
    for _ in range(CYCLES):
        one.step()
    many.step(CYCLES)
    assert one.state.tobytes() == many.state.tobytes()
    assert one.mem.tobytes() == many.mem.tobytes()
    assert one.log.tobytes() == many.log.tobytes()
    assert many.state[place("ledger.real")][0] != 0.0  # contact has done work
