"""Smith predictor with a phase lead: the satellites are known exactly, the delay roughly, the
contact not at all (Qi 2016b, after the abstract).

The measured force is F_m(t) = F(t - h). A first-order lead makes F_l = F_m + h dF_m/dt of it. The
predictor adds what the satellites' own, exactly known dynamics make of the led force now, less what
they make of it one delay later, when the measured force brings it itself:

    F_c(t) = F_m(t) + F_l(t) - F_l(t - h)

The satellites are linear in the force, so the predictor may stand before them, as here, or as a
correction of the set-points behind them, P (1 - exp(-h s)) F_l, as a Smith predictor is drawn; here
the satellites' state is predicted too. What is added cancels over a contact: the impulse on the
satellites is the measured one.

With D = exp(-h s) and E = (1 + h s) D, the path of the force is G = 1 - (1 - D)(1 - E): its error
is the product of the error of doing nothing and the error of the lead. At q = w h it is early by
q^3/2, so a contact without losses converges a little, up to q = 1.3438, where G is real again:
w_n h < 0.9343 for the frequency w_n of the contact without delay. The sampled loop is judged by
`softdock stability`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import Belief, LinearAdvice, LinearPart, Values, known_of
from softdock.loop.method.interface import CYCLE, Measured, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.vectors import add_scaled
from softdock.methods.measured.force_rate import (
    FORCE_RATE,
    RATE_FILTER,
    find_force_rate,
    find_lead_warnings,
)
from softdock.methods.measured.line_of_action import plus_wrenches

SMITH_PREDICTOR = Group(
    "smith_predictor",
    "Smith predictor on the satellites' own dynamics, fed by the force and its rate.",
    Parameter(
        "delay",
        "delay_ms",
        "delay of the whole loop, from the satellite's motion to the force on it, half the hold "
        "included, assumed",
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    RATE_FILTER,
)
STATE = Cells(
    "smith_predictor",
    recorded("force", "N", "added to the force on the chaser", frame="world", parts="xyz"),
    Cell("force_rate", FORCE_RATE, "", "of the readings: methods/measured/force_rate.py"),
)
LED_ROW = Cells("led_row", Cell("wrenches", Wrenches, "N, Nm", "led, of one cycle"))


class SmithPredictor(NamedTuple):
    memory: int
    delay: float  # s
    filter: float  # s
    cycles: int  # whole cycles in the delay
    share: float  # of a cycle that is left of it
    rows: int  # led wrenches that are kept


def count_floats(values: dict[str, Any], T: float) -> int:
    """Floats of `mem`: room for one row more than `prepare` may ask for, whichever way it rounds;
    `values` in the user's units."""
    return STATE.size + LED_ROW.size * (math.ceil(1e-3 * values["delay_ms"] / T) + 3)


@compiled
def prepare(marker, vector, base, memory):
    keys, T = SMITH_PREDICTOR(vector, base), vector[CYCLE]
    cycles = int(math.floor(keys.delay / T))
    return SmithPredictor(
        memory=memory,
        delay=keys.delay,
        filter=keys.filter,
        cycles=cycles,
        share=keys.delay / T - cycles,
        rows=cycles + 2,
    )


@compiled
def _led(wrench, lead, rate):
    return Wrench(
        add_scaled(wrench.force, lead, rate.force), add_scaled(wrench.torque, lead, rate.torque)
    )


@compiled
def _less(now, earlier, older, share):
    """Of one body: now, less what was led one delay ago, between two cycles."""
    return Wrench(
        add_scaled(add_scaled(now.force, share - 1.0, earlier.force), -share, older.force),
        add_scaled(add_scaled(now.torque, share - 1.0, earlier.torque), -share, older.torque),
    )


@compiled
def _look_up(mem, method, cycle):
    """The led wrenches of a cycle; none before the start."""
    if cycle < 0:
        return Wrenches(no_wrench(), no_wrench())
    ring = Ring(method.memory + STATE.size, method.rows, LED_ROW.size)
    return LED_ROW(mem, row_of(ring, cycle)).wrenches


@noinline
def wrench(
    method: SmithPredictor,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    s, felt, k = STATE(mem, method.memory), measured.wrenches, rig.cycle
    rate = find_force_rate(s.force_rate, k * rig.T, measured, method.filter)
    led = Wrenches(
        _led(felt.chaser, method.delay, rate.chaser), _led(felt.target, method.delay, rate.target)
    )
    ring = Ring(method.memory + STATE.size, method.rows, LED_ROW.size)
    LED_ROW(mem, row_of(ring, k)).wrenches = led
    earlier = _look_up(mem, method, k - method.cycles)
    older = _look_up(mem, method, k - method.cycles - 1)
    added = Wrenches(  # Qi 2016b
        _less(led.chaser, earlier.chaser, older.chaser, method.share),
        _less(led.target, earlier.target, older.target, method.share),
    )
    s.force = added.chaser.force
    return plus_wrenches(wrenches, 1.0, added)


# What it says of itself.


def suggest(scenario: Any) -> dict[str, Any]:
    """The whole delay that is true of a scenario."""
    return {"delay_ms": round(1e3 * known_of(scenario).delay, 6)}


def advised(advice: LinearAdvice) -> dict[str, Any]:
    """The same with filter, lag and integrator counted."""
    return {"delay_ms": round(1e3 * advice.whole_delay, 6)}


def refuses(scenario: Any) -> str | None:
    """Where there is nothing to predict."""
    if not scenario.tables["contact"]:
        return "there is no contact whose force it could predict"
    return None


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], find_lead_warnings(
        "smith_predictor", values["delay_ms"], values["filter_ms"], tables
    )


def linear_part(values: Values, normals: Mapping[str, Any]) -> LinearPart:
    """The predictor, in the loop along the contact's normal."""
    return {
        "force_lead": 1e-3 * values["delay_ms"],
        "force_lead_filter": 1e-3 * values["filter_ms"],
        "predicted_delay": 1e-3 * values["delay_ms"],
    }, []


METHOD = Method(
    name="smith_predictor",
    summary="the force predicted over the delay, by the satellites' own dynamics and a phase lead",
    knows="the whole delay",
    while_latched="with the delay that is true the pair is held: it decays at 1.3e-5 1/s where the "
    "raw pair grows at 0.024; with part of it it grows by the rest",
    holds_latch=True,
    group=SMITH_PREDICTOR,
    marker=SmithPredictor(memory=0, delay=0.0, filter=0.0, cycles=0, share=0.0, rows=0),
    prepare=prepare,
    wrench=wrench,
    cells=STATE,
    memory=count_floats,
    parts=(LED_ROW,),
    check=check,
    needs=(Belief("delay", "delay_ms"),),
    suggest=suggest,
    advised=advised,
    refuses=refuses,
    linear_part=linear_part,
)
