"""The loop cut at the seam is the same loop: `Controller` and `SimulatedFacility`, each with its
own arrays, joined by commands and reports alone.

This is how a rig with real robots is driven, and it proves that no method and no integrator sees
what only the simulation knows.
"""

from __future__ import annotations

import numpy as np
import pytest
from plain import run_plain
from scenarios import (
    cone_docking,
    hard_for_the_core,
    lange_impact,
    sphere_on_sphere,
    virtual_damping,
    virtual_elements,
    whole_facility,
)

from softdock import Controller, SimulatedFacility, Stepper, build
from softdock.compile.jit import entry_point
from softdock.loop import vector as layout
from softdock.loop.controller_state import CONTROLLER_STATE
from softdock.loop.facility.state import FACILITY
from softdock.loop.memory import REPORTS
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT, new_report
from softdock.loop.sensor.mock_up import to_sensor
from softdock.loop.spatial.motion import Wrench
from softdock.loop.state import place
from softdock.methods.registry import METHODS

CYCLES = 1000
SATELLITES, COMMANDS, STATES = (place(part) for part in ("satellites", "command", "facility"))
# of the facility's state, what no controller compensates
RAW = slice(0, FACILITY.at.reading)


@entry_point
def facility_places(vector, features):
    """Where the simulated facility's own parts of `mem` begin and end: histories, robots, filters,
    readings, samples, poses. Commands and reported twists are the controller's."""
    memory = layout.prepare_rig(vector, features).memory
    twists = memory.reports + REPORTS.at.twists
    return memory.chaser_history, memory.reports, twists, memory.samples, memory.commands


class Seam:
    """Controller and facility as two programs: nothing is shared but command and report. Whoever
    reads what is not its own gets NaN."""

    def __init__(self, tables):
        self.scenario = build(tables)
        self.controller = Controller(self.scenario)
        self.facility = SimulatedFacility(self.scenario, rows=0)
        self.command, self.report = self.controller.first_command(), new_report()
        self.poison()
        self.facility.start(self.command, self.report)
        self.k = 0

    def poison(self):
        """Truth out of the controller's memory, and out of every cell that a report leaves."""
        history, _, twists, samples, commands = facility_places(
            self.scenario.vector, self.scenario.markers.features
        )
        mem = self.controller.mem
        mem[history : min(twists, len(mem))] = np.nan
        mem[samples:commands] = np.nan
        self.report[:] = np.nan

    def step(self):
        status = self.controller.step(self.k, self.report, self.command)
        sent, self.report[:] = self.command.copy(), np.nan
        self.command[:] = np.nan
        self.facility.exchange(self.k, sent, self.report)
        self.k += 1
        return status, sent


def with_method(name, **keys):
    tables = hard_for_the_core()
    tables["methods"] = [{"name": name, **keys}]
    return tables


# methods that must be told something
TOLD = {
    "phase_lead": {"force_lead_ms": 2.0, "position_lead_ms": 16.0, "filter_ms": 3.0},
    "smith_predictor": {"delay_ms": 17.0},
    "normalized_passivity": {"gain_Ns_per_m": 600.0, "contact_N": 0.5},
    "active_compliance": {"force_lead_ms": 2.0, "contact_N": 0.5},
}


def heavy_tools(acceleration):
    """A tool of 10 kg on a robot that loses set-points, forces 2 ms late: the controller's own
    commands, not those that arrived, tell the inertia."""
    tables = hard_for_the_core()
    tables["robots"]["chaser"]["dropout_probability"] = 0.05
    tables["sensor"] |= {"delay_ms": 2.0, "threshold_N": 0.3}
    tables["mock_up"] = {
        "chaser": {
            "mass_kg": 10.0,
            "centre_m": [0.1, -0.05, 0.2],
            "believed": {"mass_kg": 9.99, "acceleration": acceleration},
        }
    }
    return tables


def relative_to_nominal():
    """Robots that carry the motion relative to the target's free one, with a tool and late forces
    and poses."""
    tables = heavy_tools("measured")
    tables["laboratory"] = {"mapping": "nominal"}
    tables["pose"] = {"delay_ms": 6.0}
    tables["methods"] = [{"name": "energy_ledger"}]
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
    **{f"tools, {a}": lambda a=a: heavy_tools(a) for a in ("commanded", "measured", "ignored")},
    "nominal motion": lambda: relative_to_nominal(),
    "virtual elements": lambda: virtual_elements(),
    "virtual damping": lambda: virtual_damping(),
    "limited robots": lambda: lange_impact(
        0.3, model="limited", max_acceleration_m_per_s2=2.3, max_jerk_m_per_s3=8.86
    ),
    "lagging robots": lambda: lange_impact(0.3, model="lag", lag_Hz=10.0),
    **{
        f"method {name}": lambda name=name: with_method(name)
        for name, m in METHODS.items()
        if all(p.default is not None for p in m.group)
    },
    **{f"method {n}": lambda n=n, keys=keys: with_method(n, **keys) for n, keys in TOLD.items()},
}
# A method with a memory of pasts, compiled; some with hooks of every other kind in plain Python;
# these and the others, compiled, in `make prove`.
FEW = ("method direct", "method energy_ledger")
PLAINLY = (
    *("virtual elements", "virtual damping", "nominal motion"),
    *("method delay_passivity", "method model_mediated"),
)
OTHERS = {case for case in CASES if case.startswith("method ") and case not in FEW} | {*PLAINLY}


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=[pytest.mark.prove] if c in OTHERS else []) for c in CASES]
)
def test_the_seam_gives_the_fused_loop_bit_for_bit(case):
    """Satellites, commands, mock-ups, ages and observed energy are the same bits as the fused
    loop's, over 1000 cycles around contacts, with noise and with tools. All that the controller
    must not see is NaN."""
    same_bits(case)


def test_the_seam_of_methods_in_plain_python():
    """The same of methods with virtual elements and with other hooks, through a contact."""
    done = run_plain(
        "from test_seam import PLAINLY, same_bits\nfor c in PLAINLY: same_bits(c, 350)"
    )
    assert done.returncode == 0, done.stderr[-3000:]


def same_bits(case, cycles=CYCLES):
    tables = CASES[case]()
    fused, cut = Stepper(build(tables)), Seam(tables)
    touched = 0
    for k in range(cycles):
        assert fused.step() == "completed"
        status, sent = cut.step()
        assert status == 0
        assert (sent[COMMAND.at.cycle], sent[COMMAND.at.stamp]) == (
            k + 1,
            round(1e9 * (k + 1) * cut.controller.T),
        )
        touched += fused.state[place("depth")][0] > 0.0
        for own, part in (
            (cut.controller.satellites, SATELLITES),
            (sent[COMMAND.at.chaser :], COMMANDS),
        ):
            assert own.tobytes() == fused.state[part].tobytes(), f"cycle {k} of {case}: {tables}"
        assert cut.facility.state[RAW].tobytes() == fused.state[STATES][RAW].tobytes()
    assert touched > 15  # else the test would say nothing
    cut.controller.finish(cut.k, cut.report)  # the books of the last cycle
    (observed,) = fused.state[place("ledger.observed")]
    assert cut.controller.observed_J == observed


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


def raw(report, sensor_m, turned):
    """The same report with its wrench in sensor axes, as a rig's sensor has it."""
    at = REPORT.slice_of("chaser_wrench")
    f, t = report[at][:3], report[at][3:]
    q = tuple(report[REPORT.slice_of("chaser")][3:7])
    felt = turned(sensor_m, q, Wrench(tuple(f), tuple(t)))
    made = report.copy()
    made[at] = (*felt.force, *felt.torque)
    made[REPORT.at.present] = int(made[REPORT.at.present]) & ~PRESENT_BITS["chaser_reduced"]
    return made


def test_a_raw_wrench_is_moved_and_turned_by_the_controller():
    """A tumbling body whose sensor sits off its centre: the wrench in sensor axes, taken back with
    the reported pose, is that of the contact to rounding, in a loop without any tool."""
    turned = entry_point(to_sensor)  # once: an entry point is made anew at each call
    tables = sphere_on_sphere(delay_ms=16.0, duration_s=4.0)
    tables["mock_up"] = {"chaser": {"sensor_m": [-0.1, 0.3, 0.05]}}
    seam, other = Seam(tables), Seam(tables)
    felt = 0.0
    for _ in range(CYCLES):
        other.report[:] = raw(seam.report, (-0.1, 0.3, 0.05), turned)
        other.controller.step(seam.k, other.report, other.command)
        felt = max(felt, np.abs(seam.report[REPORT.slice_of("chaser_wrench")][:3]).max())
        seam.step()
    assert felt > 5.0
    assert other.controller.satellites == pytest.approx(seam.controller.satellites, abs=1e-12)
    reading = CONTROLLER_STATE.slice_of("reading")
    assert other.controller.kept[reading] == pytest.approx(seam.controller.kept[reading], abs=1e-12)
