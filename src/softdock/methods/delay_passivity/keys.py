"""Keys of `delay_passivity`, what it refuses and suggests, and the NamedTuple that its hooks
get."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.method.interface import CYCLE
from softdock.loop.parameters import Group, Parameter
from softdock.methods.measured.doubt_keys import CLAIMS, PASSIVE, doubt_keys, noise_keys
from softdock.methods.measured.doubts import NO_DOUBTS, Doubts, prepare_doubts
from softdock.methods.measured.noise_bias import (
    compute_deviations,
    compute_handed_over_noise,
    find_claim_warnings,
    find_idle_confidence,
)
from softdock.methods.measured.real_work import WorkSettings

COUPLED, PER_AXIS = 0, 1
ROWS_BEYOND = 7  # of a record, for the baseline and both ends

DELAY_PASSIVITY = Group(
    "delay_passivity",
    "Passivity observer and controller around the robots' delay: the satellites get what the "
    "real contact gives, and no more.",
    Parameter(
        "coupling",
        "coupling",
        "one port of six degrees of freedom, or a port per world axis",
        "coupled",
        choices=("coupled", "per_axis"),
    ),
    Parameter(
        "braking_cycles",
        "braking_cycles",
        "n: the damper is at most the mass it brakes over n cycles",
        4.0,
        low=1.0,
        high=1e4,
    ),
    Parameter(
        "claim",
        "claim",
        "accurate: the likely work of a force that jumps within one sample, debts that no "
        "braking along the last wrench repays are dropped; "
        "passive (coupled only): the most it can have been, 0.1 % of the work's turnover "
        "kept back, debts taken from all relative motion",
        "accurate",
        choices=CLAIMS,
    ),
    Parameter(
        "loan",
        "loan",
        "share of the energy at touch that is left to the satellites after a contact, "
        "whatever they owe",
        0.01,
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "threshold",
        "threshold_N",
        "a smaller measured force is no contact",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "longest_age",
        "longest_age_ms",
        "oldest force or pose that is still paired",
        40.0,
        unit="ms",
        low=0.0,
        high=1e4,
        scale=1e-3,
    ),
    Parameter(
        "unstamped",
        "unstamped_age_ms",
        "age of the force beyond its stamp: half of a mean stamped late",
        0.0,
        unit="ms",
        low=0.0,
        high=1e3,
        scale=1e-3,
    ),
    *noise_keys("with which noise adds no energy in a contact; 0.5: no bias"),
    *doubt_keys(frozen_ms=200.0),
)


class DelayPassivity(NamedTuple):
    memory: int
    coupling: int
    braking_cycles: float
    threshold: float  # N
    rows: int  # of each record
    unstamped: float  # s
    loan: float
    work: WorkSettings
    deviations: float  # of the noise's work that are kept back
    doubts: Doubts


MARKER = DelayPassivity(
    memory=0,
    coupling=0,
    braking_cycles=0.0,
    threshold=0.0,
    rows=0,
    unstamped=0.0,
    loan=0.0,
    work=WorkSettings(0.0, 0.0, 0.0, False),
    deviations=0.0,
    doubts=NO_DOUBTS,
)


def suggest(scenario):
    """Its keys for a scenario that does not list it: what noise alone does not reach, and records
    long enough for the ages there are."""
    sensor, pose = scenario.tables["sensor"], scenario.tables["pose"]
    cycle = scenario.tables["time"]["cycle_ms"]
    oldest = max(
        sensor["delay_ms"] + sensor["period_ms"], pose["delay_ms"] + pose["period_ms"], cycle
    )
    force, torque = compute_handed_over_noise(scenario)
    return {
        "threshold_N": 6.0 * sensor["noise_N"],
        "longest_age_ms": 2.0 * oldest + 10.0,
        "noise_N": force,
        "noise_Nm": torque,
    }


def refuses(scenario):
    """Why it cannot run on a scenario, in words; None if it can."""
    if scenario.tables["laboratory"]["mapping"] == "shared":
        return (
            "the robots share the relative motion: a mock-up is not where its satellite is, and "
            "the way it has still to go is not known"
        )
    return None


def check(values: dict[str, Any], tables: Any) -> Any:
    """What it claims, it must be able to keep."""
    problems = []
    if values["claim"] == "passive" and values["coupling"] != "coupled":
        problems.append(
            (
                "claim",
                "passive",
                "accurate with coupling = per_axis: by axis no debt is taken from all "
                "relative motion, and nothing is claimed",
            )
        )
    said = [*find_claim_warnings(values, tables), *find_idle_confidence(values)]
    return problems, [f"delay_passivity: {words}" for words in said]


@compiled
def prepare(marker: DelayPassivity, vector, base, memory):
    keys = DELAY_PASSIVITY(vector, base)
    coupling = int(keys.coupling)
    worst = int(keys.claim) == PASSIVE and coupling == COUPLED
    return DelayPassivity(
        memory=memory,
        coupling=coupling,
        braking_cycles=keys.braking_cycles,
        threshold=keys.threshold,
        rows=int(math.ceil(keys.longest_age / vector[CYCLE])) + ROWS_BEYOND,
        unstamped=keys.unstamped,
        loan=keys.loan,
        work=WorkSettings(keys.threshold, keys.noise_force, keys.noise_torque, worst),
        deviations=compute_deviations(keys.confidence),
        doubts=prepare_doubts(
            vector, keys.frozen, keys.jump, keys.range, base + DELAY_PASSIVITY.at.sensor
        ),
    )
