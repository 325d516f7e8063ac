"""Keys of the energy ledger, what it refuses and suggests, and the NamedTuple that its hooks
get."""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.method.interface import CYCLE
from softdock.loop.method.method import METHODS
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

CLAMP, REFUND, EQUALITY = 0, 1, 2
HELD, SLOPE = 0, 1
ALONG_WRENCH, RELATIVE_MOTION = 0, 1
WANTED, COMPENSATES = 0, 1

ENERGY_LEDGER = Group(
    "energy_ledger",
    "The satellites' kinetic energy follows the measured work of the real contact.",
    Parameter(
        "form",
        "form",
        "clamp: take what is too much; refund: and give back at most what this contact's "
        "corrections took; equality: give whatever is missing",
        "refund",
        choices=("clamp", "refund", "equality"),
    ),
    Parameter(
        "transit",
        "transit",
        "force along the way still to go: as it is now, or with the slope seen so far",
        "slope",
        choices=("held", "slope"),
    ),
    Parameter(
        "along",
        "along",
        "what a correction changes: motion along the wrench, or all relative motion",
        "wrench",
        choices=("wrench", "relative_motion"),
    ),
    Parameter(
        "claim",
        "claim",
        "accurate: the likely work of a force that jumps within one sample, debts carried to "
        "the next contact; "
        "passive: the most it can have been, 0.1 % of the work's turnover kept back, debts "
        "taken from all relative motion",
        "accurate",
        choices=CLAIMS,
    ),
    Parameter(
        "virtual",
        "virtual_work",
        "work of virtual elements of other methods: wanted, the satellites lose it; compensates: "
        "it is there against the delay, which the ledger sees to itself",
        "wanted",
        choices=("wanted", "compensates"),
    ),
    Parameter(
        "loan",
        "loan",
        "share of the approach energy that stays at the turning point",
        0.01,
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "step",
        "step",
        "largest change of speed by one correction, as a share of the approach speed",
        0.25,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "threshold",
        "threshold_N",
        "smaller forces are no contact",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "window",
        "window_ms",
        "a contact stays open so long after its last force; its books begin half of it before",
        200.0,
        unit="ms",
        low=0.0,
        high=1e4,
        scale=1e-3,
    ),
    Parameter(
        "mean",
        "force_mean_ms",
        "span of a mean stamped with its last sample; half of it adds to the age",
        0.0,
        unit="ms",
        low=0.0,
        high=1e4,
        scale=1e-3,
    ),
    Parameter(
        "align",
        "align",
        "pair force and motion by age; false: newest with newest",
        True,
        kind="flag",
    ),
    *noise_keys("with which noise adds no energy; 0.5: no bias"),
    *doubt_keys(frozen_ms=200.0),
)


class EnergyLedger(NamedTuple):
    memory: int
    rows: int  # of each ring
    form: int
    transit: int
    along: int
    take_unpaid: bool
    virtual: int
    loan: float
    step: float
    work: WorkSettings
    window: float  # s
    late: float  # s, added to the force's age
    align: bool
    doubts: Doubts
    deviations: float  # of the noise's work that are kept back


MARKER = EnergyLedger(
    memory=0,
    rows=0,
    form=0,
    transit=0,
    along=0,
    take_unpaid=False,
    virtual=0,
    loan=0.0,
    step=0.0,
    work=WorkSettings(0.0, 0.0, 0.0, False),
    window=0.0,
    late=0.0,
    align=True,
    doubts=NO_DOUBTS,
    deviations=0.0,
)


def suggest(scenario):
    """Keys for a scenario that does not list the method: what its sensor's data sheet says."""
    sensor = scenario.tables["sensor"]
    force, torque = compute_handed_over_noise(scenario)
    keys = {
        "noise_N": force,
        "noise_Nm": torque,
        "threshold_N": max(4.0 * force, sensor["threshold_N"]),
    }
    return keys | {"window_ms": max(200.0, 4.0 * scenario.tables["pose"]["delay_ms"])}


def refuses(scenario):
    """A mass per axis has no angular momentum to keep."""
    for body in ("chaser", "target"):
        mass = scenario.tables[body]["mass_kg"]
        if isinstance(mass, list) and len(set(mass)) > 1:
            return (
                f"{body}.mass_kg differs per axis: the pair then has no angular momentum that a "
                "correction could keep"
            )
    return None


def check(values, tables):
    """Warnings where the method's claim does not hold in full."""
    said = [*find_claim_warnings(values, tables), *find_idle_confidence(values)]
    refused, doubtful = _beside_dampers(values, tables)
    return refused, [f"energy_ledger: {words}" for words in [*said, *doubtful]]


def _beside_dampers(values, tables):
    """Methods before it that damp against the delay: their work must not count as wanted loss."""
    names = [m.get("name") for m in tables.get("methods", [])]
    before = names[: names.index("energy_ledger")] if "energy_ledger" in names else names
    listed = [METHODS[name] for name in before if name in METHODS]
    if values["virtual_work"] == "compensates":
        return [], []
    refused = [
        (
            "virtual_work",
            "wanted",
            f"compensates, where '{m.name}' stands before it: {m.compensates_delay}, and counted "
            "as wanted loss it would end 10 to 20 % too slow",
        )
        for m in listed
        if m.compensates_delay
    ]
    doubtful = [
        f"what '{m.name}' takes counts as wanted loss; if it is there against the delay, set "
        "virtual_work = 'compensates'"
        for m in listed
        if m.may_compensate_delay
    ]
    return refused, doubtful


@compiled
def prepare(marker: EnergyLedger, vector, base, memory):
    keys = ENERGY_LEDGER(vector, base)
    passive = int(keys.claim) == PASSIVE
    return EnergyLedger(
        memory=memory,
        rows=int(math.ceil(0.5 * keys.window / vector[CYCLE])) + 3,  # as in state.count_rows
        form=int(keys.form),
        transit=int(keys.transit),
        along=int(keys.along),
        take_unpaid=passive,
        virtual=int(keys.virtual),
        loan=keys.loan,
        step=keys.step,
        work=WorkSettings(keys.threshold, keys.noise_force, keys.noise_torque, passive),
        window=keys.window,
        late=0.5 * keys.mean,
        align=keys.align != 0.0,
        doubts=prepare_doubts(
            vector, keys.frozen, keys.jump, keys.range, base + ENERGY_LEDGER.at.sensor
        ),
        deviations=compute_deviations(keys.confidence),
    )
