"""What orbit would do: the same two bodies from the same initial state with the *wanted* contact;
no robots or delay.

In: a parameter vector. Out: the log of contacts (contact_log.LOG_COLUMNS), a record (RECORD), the
outcome (OUTCOME_COLUMNS).

The motion is cut into pieces in which every touch keeps its mode (modes.py): away, pushing or
slack, its row of a tabulated law, its place on the shape. Within a piece the force is a smooth
function, continued beyond the piece's ends (touch_forces.py), so that a Runge-Kutta-Munthe-Kaas
step of order 4 on both bodies together (step.py) keeps its order; the end is found by bisection on
the length of the step, to 1e-13 s (flight.py). Free flight advances conservatively (step_length.py,
closing.py): a step is never longer than the smallest gap over the fastest that a tip can close it,
so no wall is jumped over, however thin. Only steps below a small part of a contact's period and of
a wall's thickness may end inside a wall, and then they are cut at its surface. Schedules and hands
push the satellites in orbit too (external_wrenches.py); steps end at each of their rows. So do the
tide and methods that push from outside, sampled once a cycle as in the loop (sampled.py). Networks
that are part of a satellite fly with it (networks.py), and so does the arm of a servicer
(servicer.py).

Holds for the laws and geometries of contact/. A tip near a cone's axis, where the normal turns
fast, is resolved by shorter steps. Not resolved: the edge of a bottom plate touched from outside,
where the order falls to 2 with a small factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from softdock._arguments import FLAG, check_arguments, finite_number
from softdock.compile.features import Markers
from softdock.compile.interrupts import run_abandonable
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.contact.pair import PAIR_FLOATS
from softdock.loop.keys import MEMORY, TIME
from softdock.loop.method.in_orbit import pushing_methods
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.vector import MEMORY_AT, METHODS_AT, PAIRS_MEM, TIME_AT
from softdock.reference.attached import (
    InOrbit,
    Latches,
    Networks,
    NoLatches,
    NoNetworks,
    network_floats,
)
from softdock.reference.flight import (
    CHASER_END,
    ORBIT_STATUSES,
    OUTCOME_COLUMNS,
    RECORD,
    RECORD_FLOATS,
    TARGET_END,
    orbit_run,
    run_orbit,
)
from softdock.reference.servicer import servicer_floats, servicer_marker

__all__ = [
    "LOGGED_CONTACTS",
    "ORBIT_STATUSES",
    "OUTCOME_COLUMNS",
    "RECORD",
    "RECORD_FLOATS",
    "Prepared",
    "Reference",
    "count_reference_floats",
    "hook_memory",
    "orbit_marker",
    "orbit_run",
    "read_latch_states",
    "run_orbit",
    "run_reference",
]

LOGGED_CONTACTS = 256
NO_NETWORKS, NETWORKS = NoNetworks(0), Networks(0, 0, 0)
NO_LATCHES, LATCHES = NoLatches(0), Latches(0, 0)


class Prepared(Protocol):
    """What `run_reference` needs of a scenario."""

    vector: np.ndarray
    markers: Markers
    own: Any  # models in plain Python (scenario/own_models.py); None: none


@dataclass
class Reference:
    """The on-orbit reference. A run that stopped early holds everything up to there."""

    series: dict[str, np.ndarray]  # RECORD's names, as in a run's series; empty if not recorded
    contacts: list[
        dict[str, Any]
    ]  # as a run's; peak_force_real_N and peak_force_satellite_N are the same
    contact_count: int  # all contacts, also those beyond the log
    status: str  # one of ORBIT_STATUSES
    time: float  # s, reached
    steps: int
    kinetic_start: float  # J
    kinetic: float  # J, at the end
    stored: float  # J, in the contacts at the end
    dissipated: float  # J, by damping and friction
    external: float  # J, work of schedules, hands, tide and pushing methods on the satellites
    virtual: float  # J, taken up by networks that are part of the satellites
    driven: float  # J, work of latches' drives
    reach: float  # J, kinetic energy that the first contact can reach; NaN: no contact
    reach_speed: float  # m/s, of the point of contact at the first touch; NaN: no contact
    latches: np.ndarray  # a `latch_state` each, at the end
    peak_force: float  # N
    chaser: (
        np.ndarray
    )  # motion at the end: position (3), attitude wxyz (4), velocity (3), body rate (3)
    target: np.ndarray

    @property
    def restitution(self) -> float:
        """Restitution of the first contact; NaN if there was none."""
        return float(self.contacts[0]["restitution"]) if self.contacts else math.nan


def count_reference_floats(vector: np.ndarray) -> int:
    """Length of the `mem` array that `orbit_run` needs: the pairs, and the steepest slope of each
    (setup.py); the arm of a servicer; the networks."""
    networks = network_floats(vector) if _networks(vector) != NO_NETWORKS else 0
    return (
        locate_latches(vector)
        + int(MEMORY(vector, MEMORY_AT).latch_count) * LATCH_FLOATS
        + int(MEMORY(vector, MEMORY_AT).tip_floats)
        + servicer_floats(vector)
        + networks
    )


def locate_latches(vector: np.ndarray) -> int:
    """Where the latches' states begin in it."""
    return PAIRS_MEM + int(MEMORY(vector, MEMORY_AT).pair_count) * (PAIR_FLOATS + 1)


def read_latch_states(vector: np.ndarray, mem: np.ndarray) -> np.ndarray:
    """State of every latch, a `latch_state` each."""
    first, count = locate_latches(vector), int(MEMORY(vector, MEMORY_AT).latch_count)
    return mem[first : first + count * LATCH_FLOATS].reshape(count, LATCH_FLOATS)


def _networks(vector: np.ndarray) -> NoNetworks | Networks:
    return NETWORKS if MEMORY(vector, MEMORY_AT).orbit_network_count > 0.0 else NO_NETWORKS


def orbit_marker(vector: np.ndarray, methods: tuple) -> InOrbit:
    """Its type says what orbit is compiled with. `methods`: the listed methods' markers."""
    latches = LATCHES if MEMORY(vector, MEMORY_AT).latch_count > 0.0 else NO_LATCHES
    pushing = pushing_methods(methods, METHODS_AT)
    return InOrbit(_networks(vector), servicer_marker(vector), latches, *pushing)


def hook_memory(marker: InOrbit, vector: np.ndarray) -> np.ndarray:
    """Memory of the methods that push from outside, each at its place in the loop's `mem`."""
    return np.zeros(int(MEMORY(vector, MEMORY_AT).size) if marker.methods else 0)


def _is_prepared(value: Any) -> str:
    vector = getattr(value, "vector", None)
    able = isinstance(vector, np.ndarray) and hasattr(value, "markers")
    return "" if able else "a Scenario"


@check_arguments(scenario=_is_prepared, record=FLAG, coarser=finite_number(1e-3))
def run_reference(scenario: Prepared, record: bool = True, coarser: float = 1.0) -> Reference:
    """Simulate the on-orbit reference for the whole duration. `coarser`: factor on all steps, to
    see how much they matter."""
    vector = scenario.vector
    T, duration = TIME(vector, TIME_AT).cycle, TIME(vector, TIME_AT).duration
    rows = max(1, math.ceil(duration / T - 1e-9)) + 1 if record else 0
    log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
    rows_array, outcome = np.zeros((rows, RECORD_FLOATS)), np.zeros(len(OUTCOME_COLUMNS))
    marker, mem = (
        orbit_marker(vector, scenario.markers.methods),
        np.zeros(count_reference_floats(vector)),
    )
    own = hook_memory(marker, vector)
    numbers = (marker, vector, mem, own, log, rows_array, outcome, float(coarser))
    in_python = getattr(scenario, "own", None)
    if in_python is None:
        run_abandonable(lambda: run_orbit(*numbers))
    else:
        in_python.start().call(run_orbit, *numbers)
    reached = rows_array[: math.floor(outcome[3] / T + 1e-9) + 1]
    count = int(outcome[2])
    contacts: list[dict[str, Any]] = [
        dict(zip(LOG_COLUMNS, map(float, row), strict=True)) for row in log[:count]
    ]
    for contact in contacts:
        contact["pair"] = int(contact["pair"])
    number = dict(zip(OUTCOME_COLUMNS, map(float, outcome), strict=True))
    return Reference(
        series={name: reached[:, at] for name, at in RECORD.items()} if record else {},
        contacts=contacts,
        contact_count=count,
        status=ORBIT_STATUSES[int(outcome[0])],
        time=number["time_s"],
        steps=int(outcome[1]),
        kinetic_start=number["kinetic_start_J"],
        kinetic=number["kinetic_J"],
        stored=number["stored_J"],
        dissipated=number["dissipated_J"],
        external=number["external_J"],
        virtual=number["virtual_J"],
        driven=number["driven_J"],
        reach=number["reach_J"],
        reach_speed=number["reach_m_per_s"],
        latches=read_latch_states(vector, mem).copy(),
        peak_force=number["peak_force_N"],
        chaser=outcome[CHASER_END : CHASER_END + MOTION_FLOATS].copy(),
        target=outcome[TARGET_END : TARGET_END + MOTION_FLOATS].copy(),
    )
