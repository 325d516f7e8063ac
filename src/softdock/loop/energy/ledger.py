"""The ledger: where the energy that the loop added came from.

    energy_added_J = gain of kinetic energy - W_external + W_real + W_virtual - W_designed

It is attributed by telescoping the work of one cycle, each row from its own signals and none a
remainder:

    integrator   gain of kinetic energy by the integration - (F_sat + F_external) . dx_sat
    correction   gain of kinetic energy by the methods' correct hooks
    rewound      gain of kinetic energy where a method changed the past, in the cycle in which it
                 did
    adaptation   (F_sat - F_meas) . dx_sat  (+ W_virtual - W_designed, which the method reports)
    sensor       (F_meas - F_true - F_hand) . dx_sat; the hold over the cycle counts here
    command      F_true . (dx_sat - dx_cmd)
    robot        F_true . dx_cmd + W_real

F_sat and F_meas are held over the cycle, F_true is the mean of the true wrench over it; dx are
displacements over the cycle, translation and rotation, of satellite and set-point; W_real is summed
over the plant's own steps. Positive: energy that the loop added.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.compile.cells import layout_of
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Wrench, displacement, work
from softdock.loop.spatial.vectors import subtract


class Ledger(NamedTuple):
    """Sums since the start."""

    integrator: Annotated[float, "J", "energy that the integration brought"]
    correction: Annotated[float, "J", "energy that the methods' correct hooks brought"]
    adaptation: Annotated[float, "J", "energy that the methods' wrenches brought"]
    sensor: Annotated[float, "J", "energy that the sensor and its hold brought"]
    command: Annotated[float, "J", "energy between satellites and set-points"]
    robot: Annotated[float, "J", "energy between set-points and mock-ups"]
    rewound: Annotated[float, "J", "energy where a method changed the past"]
    real: Annotated[float, "J", "W_real: absorbed by the real contact"]
    virtual: Annotated[float, "J", "W_virtual: absorbed by virtual elements"]
    external: Annotated[float, "J", "W_external: work of external wrenches on the satellites"]
    designed: Annotated[
        float, "J", "W_designed: real minus wanted contact work that a method means to differ"
    ]
    kinetic: Annotated[float, "J", "kinetic energy of both satellites now"]
    kinetic_start: Annotated[float, "J", "kinetic energy of both satellites at the start"]
    stored: Annotated[float, "J", "in the real contact now"]
    dissipated: Annotated[float, "J", "by the real contact"]
    observed: Annotated[float, "J", "Zebenay eq. 114, > 0: the rig is active"]
    turnover: Annotated[float, "J", "sum of |work|, the scale of the bookkeeping check"]


LEDGER = layout_of(Ledger)
ROWS = ("integrator", "correction", "adaptation", "sensor", "command", "robot", "rewound")


@compiled
def open_ledger(kinetic):
    return Ledger(
        integrator=0.0,
        correction=0.0,
        adaptation=0.0,
        sensor=0.0,
        command=0.0,
        robot=0.0,
        rewound=0.0,
        real=0.0,
        virtual=0.0,
        external=0.0,
        designed=0.0,
        kinetic=kinetic,
        kinetic_start=kinetic,
        stored=0.0,
        dissipated=0.0,
        observed=0.0,
        turnover=0.0,
    )


@compiled
def energy_added(ledger: Ledger):
    """Energy added by the loop [J], from kinetic energies and works, not from the rows."""
    return (
        ledger.kinetic
        - ledger.kinetic_start
        - ledger.external
        + ledger.real
        + ledger.virtual
        - ledger.designed
    )


@compiled
def wrench_difference(a, b):
    return Wrench(subtract(a.force, b.force), subtract(a.torque, b.torque))


class Rows(NamedTuple):
    """Which works a loop can have at all: of its methods and its scenario."""

    adaptation: bool  # a method changes the wrench
    correction: bool  # a method corrects the state
    rewound: bool  # a method may change the past
    reported: bool  # a method may report virtual or designed work
    command: bool  # what is sent may differ from the satellites' motion
    external: bool  # something else pushes


class BodyWorks(NamedTuple):
    """Work of one body in one cycle by each row, J."""

    satellite: float  # (F_sat + F_external) . dx_sat
    external: float  # (F_external + F_hand) . dx_sat
    adaptation: float
    sensor: float
    command: float
    commanded: float  # F_true . dx_cmd


@compiled
def compute_body_works(
    rows: Rows,
    wrench: Wrench,
    external,
    hand,
    measured,
    true,
    laboratory,
    before,
    after,
    command_before,
    command_after,
):
    """One body's works over one cycle. `rows`: which can differ from zero; `hand`: pushes the
    mock-up, and through the sensor the satellite; `laboratory`: `true` in the set-points' axes;
    `before`, `after`: satellite; `command_*`: set-points stamped t_k and t_{k+1}."""
    moved = displacement(before.p, before.q, after.p, after.q)
    sent = displacement(command_before.p, command_before.q, command_after.p, command_after.q)
    outside = work(external, moved) if rows.external else 0.0
    pushed = work(hand, moved) if rows.external else 0.0
    commanded = work(laboratory, sent)
    return BodyWorks(
        satellite=work(wrench, moved) + outside,
        external=outside + pushed,
        adaptation=work(wrench_difference(wrench, measured), moved) if rows.adaptation else 0.0,
        sensor=work(wrench_difference(measured, true), moved) - pushed,
        command=work(true, moved) - commanded if rows.command else 0.0,
        commanded=commanded,
    )


@compiled
def _add_if(can_change, total, change):
    """A sum after one more entry. Where it can only be zero nothing is added, so that compiled code
    need not carry it."""
    return total + change if can_change else total


@compiled
def close_cycle(
    rows: Rows,
    ledger: Ledger,
    chaser,
    target,
    kinetic_integrated,
    kinetic,
    absorbed,
    stored,
    dissipated,
    observed,
    virtual,
    designed,
    rewound,
):
    """Add one cycle: works of both bodies, kinetic energy after integration and after correction,
    what the contact did, and what the methods reported as virtual and designed work and as a
    change of the past."""
    satellite = chaser.satellite + target.satellite
    external = chaser.external + target.external
    commanded = chaser.commanded + target.commanded
    integrator = kinetic_integrated - ledger.kinetic - satellite
    correction = kinetic - kinetic_integrated
    if rows.rewound:
        correction -= rewound
    adaptation = chaser.adaptation + target.adaptation + virtual - designed
    sensor = chaser.sensor + target.sensor
    command = chaser.command + target.command
    robot = commanded + absorbed
    turnover = (
        abs(integrator)
        + abs(correction)
        + abs(adaptation)
        + abs(sensor)
        + abs(command)
        + abs(robot)
    )
    turnover += (
        abs(satellite)
        + abs(external)
        + abs(absorbed)
        + abs(commanded)
        + abs(virtual)
        + abs(designed)
    )
    if rows.rewound:
        turnover += abs(rewound)
    changes = rows.adaptation or rows.reported
    return Ledger(
        integrator=ledger.integrator + integrator,
        correction=_add_if(rows.correction, ledger.correction, correction),
        adaptation=_add_if(changes, ledger.adaptation, adaptation),
        sensor=ledger.sensor + sensor,
        command=_add_if(rows.command, ledger.command, command),
        robot=ledger.robot + robot,
        rewound=_add_if(rows.rewound, ledger.rewound, rewound),
        real=ledger.real + absorbed,
        virtual=_add_if(rows.reported, ledger.virtual, virtual),
        external=_add_if(rows.external, ledger.external, external),
        designed=_add_if(rows.reported, ledger.designed, designed),
        kinetic=kinetic,
        kinetic_start=ledger.kinetic_start,
        stored=stored,
        dissipated=ledger.dissipated + dissipated,
        observed=ledger.observed + observed,
        turnover=ledger.turnover + turnover,
    )
