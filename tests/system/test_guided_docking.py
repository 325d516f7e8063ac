"""Guided V-bar docking: navigation, controller and thrusters of a scenario, from 5 m to hard dock
and the held attitude after it. In plain Python and with a coarse cycle: nothing is compiled."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from plain import run_plain

from softdock import BadInput, load_scenario
from softdock.methods.guidance.allocation import COMMANDS, make_thruster_rows
from softdock.methods.guidance.keys import THRUSTER
from softdock.scenario.candidates import candidates
from softdock.studies.campaign.columns import list_sweepable

ROOT = Path(__file__).parents[2]
RUN = r"""
import copy, json
import numpy as np
import softdock
from softdock import Pilot, Stepper, build, run_loop, load_method_file, load_scenario
from softdock.results.latches import summarise_times
from softdock.results.method_reports import list_declarations, select_run
from softdock.methods.guidance.keys import STATE
from softdock.methods.guidance.navigation import Guided, prepare_guided
from softdock.methods.guidance.thrusters import ask, fire
from softdock.loop.vector import METHODS_AT
from softdock.reference import run_reference

(shown,) = list_declarations()
coarse = {"time.cycle_ms": 40.0, "time.duration_s": 290.0,
          "robots.chaser.delay_ms": 0.0, "robots.target.delay_ms": 0.0}
scenario = load_scenario("vbar_docking", coarse)
run = run_loop(scenario)
s, found = run.series, {}
force, mode = s["glideslope.force"], s["glideslope.mode"]
near = (s["glideslope.distance"] < 0.5) & (s["time"] > 1.0)
first = int(np.argmax(near)) + 10  # 20 ms of fall after the valve closed
found["docked"] = {
    "status": run.status, "latch": summarise_times(run.latches),
    "guidance": shown.numbers(select_run(shown, run)),
    "brakes_before": float(force[:first, 0].min()), "brakes_near": float(force[first:, 0].min()),
    "pushes_latched": float(np.abs(force[mode == 2]).max()),
    "turns_latched": float(np.abs(s["glideslope.torque"][mode == 2]).max()),
    "external": run.ledger["external"], "invented": run.energy_added_J,
    "arrives_m_per_s": float(-np.polyfit(
        s["time"][near & (mode == 0)], s["glideslope.distance"][near & (mode == 0)], 1)[0]),
    "modes": sorted({int(x) for x in mode}),
}

# in free flight the loop and orbit are the same, each guided by its own state
short = scenario.replace({"time.duration_s": 40.0})
loop, flown = run_loop(short), run_reference(short)
found["apart"] = [float(np.abs(loop.series[c] - flown.series[c]).max())
                  for c in ("chaser.position", "chaser.velocity", "chaser.rate")]
found["works"] = [loop.ledger["external"], flown.external]

# thrusters by hand
def thrusters(**more):
    here = build(scenario.tables | {"thrusters": scenario.tables["thrusters"] | more})
    return prepare_guided(here.vector, METHODS_AT + 2, 0, 0.004), np.zeros(STATE.size)
wanted = np.array([7.0, -4.0, 2.0, 1.0, -3.0, 2.5])
g, mem = thrusters(least_impulse_Ns=0.0, rise_ms=15.0)
ask(g, mem, tuple(wanted[:3]), tuple(wanted[3:]))
total = sum(0.004 * np.array([x for part in fire(g, mem, 0.004) for x in part]) for _ in range(120))
found["impulse"], found["asked"] = total.tolist(), (g.period * wanted).tolist()
g, mem = thrusters(least_impulse_Ns=0.5, rise_ms=0.0)
pulses = []
for _ in range(20):
    ask(g, mem, (0.8, 0.0, 0.0), (0.0, 0.0, 0.0))
    pulses.append(sum(0.004 * fire(g, mem, 0.004)[0][0] for _ in range(50)))
found["pulses"] = pulses
g, mem = thrusters(least_impulse_Ns=0.0, rise_ms=0.0)
ask(g, mem, (500.0, 0.0, 0.0), (0.0, 0.0, 4.0))
whole = sum(0.004 * np.array([x for p in fire(g, mem, 0.004) for x in p]) for _ in range(50))
found["too_much"] = [*whole.tolist(), float(np.abs(mem[STATE.at.owed : STATE.at.pulse]).max())]

# a controller as one file, and one in plain Python that ends with NaN
load_method_file("examples/own_controller.py")
apart = copy.deepcopy(scenario.tables) | {"guidance": {"controller": "stand_off"}, "methods": []}
apart["time"] |= {"duration_s": 120.0, "cycle_ms": 100.0}
apart["allow_unresolved"] = True
found["stand_off"] = float(run_loop(build(apart)).series["stand_off.distance"][-1])
hand = build(apart | {"guidance": {"controller": "piloted"}})
by_hand = Stepper(hand, rows=700)
pilot = Pilot(by_hand)
while by_hand.cycles < 600 and by_hand.step() == "completed":
    seen = pilot.seen()
    if seen is not None:
        away = seen.position - np.array([-3.0, 0.0, 0.0])
        pilot.command(500.0 * (-0.0025 * away - 0.1 * seen.velocity), [0.0, 0.0, 0.0])
found["by_hand"] = [by_hand.status, seen.distance]
pilot.command([float("nan"), 0.0, 0.0], [0.0, 0.0, 0.0])
by_hand.step(10)
found["nan"] = [by_hand.status, by_hand.cycles,
                bool(np.isfinite(by_hand.series["chaser.position"]).all())]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found():
    done = run_plain(RUN, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_docks_latches_and_holds_the_pair(found):
    """From 5 m, off the axis and turned, with noisy and late navigation: hard dock, then the pair's
    attitude is held by torques alone, and the thrusters' work is booked as external."""
    docked = found["docked"]
    assert docked["status"] == "completed"
    assert docked["latch"]["latched_at_s"] < 260.0
    assert math.isnan(docked["latch"]["broken_at_s"])
    assert docked["modes"] == [0, 1, 2]
    assert docked["arrives_m_per_s"] == pytest.approx(0.010, rel=0.03)  # as the preset asks
    assert docked["guidance"]["attitude_off_peak_deg"] < 1.0
    assert docked["pushes_latched"] < 1.0  # a pulse below the least leaves its partner's push
    assert docked["turns_latched"] > 0.0
    assert abs(docked["external"]) > 0.01


def test_loop_and_orbit_are_guided_alike(found):
    """In free flight both are the same to rounding: same law, same noise, each its own state."""
    assert max(found["apart"]) < 1e-9
    assert found["works"][0] == pytest.approx(found["works"][1], rel=1e-6)


def test_no_plume_at_the_target(found):
    """Nearer than plume_off no thruster that blows at the target fires; before, it did."""
    assert found["docked"]["brakes_before"] < -1.0
    assert found["docked"]["brakes_near"] > -1e-9


def test_pulses_are_worth_what_was_asked(found):
    """Force and torque over a period come out as asked, rise time or not; a small force is saved up
    until a pulse is worth the least impulse, and nothing of it is lost; where too much is asked the
    torque is served, and nothing is owed."""
    assert found["impulse"] == pytest.approx(found["asked"], abs=1e-6)
    pulses = found["pulses"]
    assert all(p == 0.0 or p >= 2.0 * 0.5 - 1e-9 for p in pulses)  # two thrusters fire together
    assert 0.0 in pulses
    assert sum(pulses) == pytest.approx(20 * 0.2 * 0.8, abs=1.0)
    fx, *_, tz, owed = found["too_much"]
    assert tz == pytest.approx(0.2 * 4.0)
    assert 0.7 * 4.0 < fx <= 4.0  # of two thrusters of 10 N, what the torque leaves
    assert owed == 0.0


def test_a_controller_of_ones_own(found):
    """As a file, and in plain Python: both fly; one that returns NaN ends the run, and what was
    flown until then is kept."""
    assert found["stand_off"] == pytest.approx(1.0, abs=0.2)
    assert found["by_hand"][0] == "completed"
    assert found["by_hand"][1] == pytest.approx(3.0, abs=0.5)  # of 5 m, after a minute
    status, cycles, whole = found["nan"]
    assert status == "a method pushed with something that is not a number"
    assert 600 < cycles <= 610
    assert whole


@pytest.mark.parametrize("which", ["far", "near"])
def test_the_allocation_is_exact_and_never_negative(which):
    """Each of the twelve commands is made by its column and nothing else; with plumes off, what no
    thruster can make has zeros."""
    values = _values()
    rows = make_thruster_rows(values)
    d = rows[:, THRUSTER.slice_of("direction")]
    B = np.vstack([d.T, np.cross(rows[:, THRUSTER.slice_of("place")], d).T])
    columns = rows[:, THRUSTER.slice_of(which)]
    assert columns.min() >= 0.0
    made, wanted = B @ columns, np.hstack([np.eye(6), -np.eye(6)])
    if which == "near":
        wanted[:, COMMANDS.index("-x")] = 0.0
        assert not columns[rows[:, THRUSTER.at.off] > 0.0].any()
    assert made == pytest.approx(wanted, abs=1e-9)


def _values():
    tables = load_scenario("vbar_docking").tables
    return {f"{t}.{k}": v for t in ("navigation", "thrusters") for k, v in tables[t].items()}


NO_YAW = [
    [x, y, z, *d]
    for x, y, z in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
    for d in ([0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0])
] + [[0.0, 0.0, z, x, 0.0, 0.0] for z in (1.0, -1.0) for x in (1.0, -1.0)]


@pytest.mark.parametrize(
    ("changed", "key", "words"),
    [
        ({"thrusters.thrust_N": 0.05}, "thrusters.thrust_N", "commanded torque about the chaser"),
        ({"thrusters.rows": NO_YAW}, "thrusters.rows", "+yaw"),
        ({"thrusters.plume_cone_deg": 100.0}, "thrusters.rows", "blow at the target"),
        ({"thrusters.rows": [[0.0] * 6]}, "thrusters.rows", "row 0"),
        ({"thrusters.rows": [[0.0] * 5]}, "thrusters.rows", "5 instead of 6"),
        ({"navigation.period_ms": 5.0}, "navigation.period_ms", "at least the cycle"),
        ({"navigation.delay_ms": 4000.0}, "navigation.delay_ms", "15 periods"),
        ({"navigation.sigma_m": 1.0}, "navigation.sigma_m", "navigation.noise_m"),
        ({"guidance.controller": "glidslope"}, "guidance.controller", "glideslope"),
        ({"guidance.docked_m": 1.0}, "guidance.docked_m", "drift_m"),
        ({"guidance": 5}, "guidance", "a table"),
        ({"chaser.fixed": True}, "guidance.controller", "a chaser that can move"),
        ({"orbit.altitude_km": -1.0}, "orbit.altitude_km", ">= 0"),
        ({"capture.latch.0.pull_in_s": 0.01}, "capture.latch.0.pull_in_s", "8 cycles"),
        ({"capture.latch.0.place_m": [5.0, 0.0, 0.0]}, "capture.latch.0.place_m", "the seat"),
    ],
)
def test_what_cannot_be_is_refused(changed, key, words):
    """Before the clock starts, with the key and what is allowed; an axis that no thruster serves is
    named."""
    with pytest.raises(BadInput) as refused:
        load_scenario("vbar_docking", changed)
    problem = next(p for p in refused.value.problems if p.key == key)
    assert words in problem.allowed + problem.suggestion


def test_the_controller_stays_whatever_is_compared():
    """It is part of the mission: other methods are put beside it, and a campaign may vary its keys,
    but none from which a table was computed before."""
    scenario = load_scenario("vbar_docking")
    able, _ = candidates(scenario, "energy_ledger", "exact_hold")
    listed = [entry["name"] for entry in able[0].scenario.tables["methods"]]
    assert listed == ["energy_ledger", "glideslope"]
    keys = list_sweepable(scenario)
    assert {"navigation.bias_m.1", "navigation.noise_m", "thrusters.thrust_N"} <= set(keys)
    assert {"thrusters.arm_m", "navigation.axis", "thrusters.plume_cone_deg"}.isdisjoint(keys)


def test_an_arrival_that_is_faster_than_asked_is_warned_about():
    """A start inside the distance where the brakes are off, and brakes that are too weak for the
    slope: the speed at the port is in the warning. The preset, and one without a plume, have
    none."""
    inside = {
        "chaser.position_m": [-2.4, 0.0, 0.0],
        "chaser.velocity_m_per_s": [0.03, 0.0, 0.0],
    }
    (warning,) = load_scenario("vbar_docking", inside).warnings
    assert "asks for 10 mm/s" in warning
    assert "about 30 mm/s" in warning
    weak = {"thrusters.thrust_N": 0.3, "chaser.velocity_m_per_s": [0.3, 0.0, 0.0]}
    (warning,) = load_scenario("vbar_docking", weak).warnings
    assert "too weak" in warning
    for free in ({}, {"thrusters.plume_off_m": 0.0}):
        assert load_scenario("vbar_docking", free).warnings == []
