"""Keys of the passive integrator, its cells, and the NamedTuple that its hooks get."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.adaptation.measured.by_axis import AXES, BODIES
from softdock.core.adaptation.measured.doubt_keys import doubt_keys
from softdock.core.adaptation.measured.doubts import DOUBTS, NO_DOUBTS, Doubts, prepare_doubts
from softdock.core.adaptation.memory import recorded
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group, Parameter

PUBLISHED, PREVIOUS_FORCE, BOUNDED = 0, 1, 2


FORMS = ("published", "previous_force", "bounded")


SYMPLECTIC, FORWARD = 0, 1


PASSIVE_INTEGRATOR = Group(
    "passive_integrator",
    "De Stefano's passive integrator: the set-points' positions corrected by what the "
    "integration is thought to have invented.",
    Parameter("form", "form", "which forces make the correction", "previous_force", choices=FORMS),
    Parameter(
        "pairing",
        "pairing",
        "velocity that moves the body: the new one, or the old one",
        "symplectic",
        choices=("symplectic", "forward"),
    ),
    Parameter(
        "largest_force",
        "largest_force_N",
        "fills the tank of `bounded` with what this force can leave, T^2 F^2 / 2m; 0: empty",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "smallest_force",
        "smallest_force_N",
        "a smaller force counts as zero: no correction, the debt is carried",
        1e-9,
        unit="N",
        low=1e-12,
        high=1e6,
    ),
    *doubt_keys(frozen_ms=0.0),  # off: a force that is held is what the paper is about
)


AT = PASSIVE_INTEGRATOR.at


_PER_AXIS = tuple(f"{body}.{axis}" for body in BODIES for axis in AXES)


CELLS = Cells(  # six floats: the chaser's vector, then the target's
    "passive_integrator",
    recorded(
        "work",
        "J",
        "energy put into the output so far; falling: taken by the damper",
        frame="world",
        parts=tuple(f"{body}.force.{axis}" for body in BODIES for axis in AXES),
    ),
    recorded(
        "correction",
        "m/s",
        "v_pc, taken off the velocity that moves the set-point",
        frame="world",
        parts=_PER_AXIS,
    ),
    recorded(
        "observed",
        "J",
        "observed energy of the integration (De Stefano eq. 16)",
        frame="world",
        parts=_PER_AXIS,
    ),
    Cell("force", 6, "N", "of the cycle before"),
    Cell("position", 6, "m", "corrected position that was sent"),
    Cell("largest_force", 6, "N", "so far, for the books"),
    Cell("bound", 6, "m/s", "most that the sound forms correct for it"),
    Cell("largest", 6, "m/s", "largest correction"),
    Cell("largest_at", 6, "s", "when"),
    Cell("waited", 6, "cycles", "in which a debt waited for a force"),
    Cell("started", 1, "-", "1: the first cycle is over"),
    Cell("doubts", DOUBTS.size, "", "measured/doubts.py"),
)


CELL = CELLS.at


BODY = 3  # the target's vector stands so far behind the chaser's


class PassiveIntegrator(NamedTuple):
    memory: int
    form: int
    pairing: int
    largest_force: float  # N
    smallest_force: float  # N
    doubts: Doubts


MARKER = PassiveIntegrator(
    memory=0, form=0, pairing=0, largest_force=0.0, smallest_force=0.0, doubts=NO_DOUBTS
)


@compiled
def prepare(marker, vector, base, memory):
    form, pairing = int(vector[base + AT.form]), int(vector[base + AT.pairing])
    doubts = prepare_doubts(
        vector,
        vector[base + AT.frozen],
        vector[base + AT.jump],
        vector[base + AT.range],
        base + AT.sensor,
    )
    return PassiveIntegrator(
        memory=memory,
        form=form,
        pairing=pairing,
        largest_force=vector[base + AT.largest_force],
        smallest_force=vector[base + AT.smallest_force],
        doubts=doubts,
    )


def check(values: dict[str, Any], tables: Any) -> Any:
    """A setting that does nothing."""
    if values["form"] == "bounded" or values["largest_force_N"] == 0.0:
        return [], []
    return [], [
        f"passive_integrator: largest_force_N does nothing with form = {values['form']}: only "
        "'bounded' has a tank"
    ]
