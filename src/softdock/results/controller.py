"""The controller on its own: owner of its arrays, one compiled call a cycle.

    controller = softdock.Controller(softdock.load_scenario("epos_1d"))
    status = controller.step(k, report, command)          # 0, or why to stop

Everything it says (contacts, observed energy, record) comes from the reports that it was given
(loop/seam.py). It knows the scenario's geometry, masses and delays, and what is believed of tools;
no simulated facility is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from softdock._arguments import (
    MOST_CYCLES,
    check_arguments,
    finite_number,
    optional,
    whole_number,
)
from softdock.errors import BadInput, Problem
from softdock.loop import entry_points, seam_entry_points
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.controller_state import CONTROLLER_STATE
from softdock.loop.record import channels_of
from softdock.loop.seam import COMMAND, SEAM_STATUSES, new_command
from softdock.loop.sensor.force_torque import SENSOR
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.state import STATE_FLOATS, place
from softdock.loop.vector import SENSOR_AT, TIME, TIME_AT
from softdock.methods.registry import METHODS
from softdock.results.series import Series
from softdock.results.stepper import (
    LOGGED_CONTACTS,
    SCENARIO,
    make_rows,
    refuse_deep_start,
    refuse_exchange,
    view_method_memory,
)
from softdock.scenario.build import Scenario
from softdock.scenario.own_models import refuse_own_models

if TYPE_CHECKING:
    from softdock.methods import Seen

LEAST_TOUCH_N, SPREADS = 1e-3, 6.0  # a contact is felt above this, or so many spreads of the noise


class Controller:
    """Satellites, methods and books of one docking, driven by reports.

    `rows`: how many instants to record, t = 0 included. `touch_N`: a measured force above this is a
    contact; by default six times the sensor's noise, at least 1 mN.
    """

    @check_arguments(
        scenario=SCENARIO,
        rows=whole_number(0, MOST_CYCLES),
        touch_N=optional(finite_number(0.0, True)),
    )
    def __init__(self, scenario: Scenario, rows: int = 0, touch_N: float | None = None):
        refuse_own_models(scenario, "Controller")
        self.scenario = scenario
        self.vector = scenario.vector.copy()
        self.mem = np.zeros(scenario.mem_floats)
        self.log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
        self.channels = channels_of(method["name"] for method in scenario.tables["methods"])
        self.record = make_rows(rows, len(self.channels))
        self.kept = np.zeros(CONTROLLER_STATE.size)
        self.rows = 0  # instants recorded
        self.T = float(self.vector[TIME_AT + TIME.at.cycle])
        state = np.zeros(STATE_FLOATS)
        refuse_deep_start(
            *entry_points.begin(
                self.vector, scenario.markers.features, self.mem, state, np.zeros((0, 1))
            )
        )
        for part in ("satellites", "command", "ledger"):
            self.kept[CONTROLLER_STATE.slice_of(part)] = state[place(part)]
        for part in ("sent", "seen", "mock_ups", "given"):  # nothing was heard yet: as commanded
            self.kept[CONTROLLER_STATE.slice_of(part)] = state[place("command")]
        self.kept[[CONTROLLER_STATE.at.chaser_number, CONTROLLER_STATE.at.target_number]] = -1.0
        self.kept[CONTROLLER_STATE.at.touch_force] = self._touch(touch_N)

    def _touch(self, given: float | None) -> float:
        noise = float(self.vector[SENSOR_AT + SENSOR.at.noise_force])
        if given is None:
            return max(LEAST_TOUCH_N, SPREADS * noise)
        if not 0.0 < given < 1e9:
            raise BadInput(Problem("touch_N", given, "a force above 0 N"))
        return float(given)

    def first_command(self) -> np.ndarray:
        """The set-points of t = 0: where the robots are when the run begins."""
        command = new_command()
        command[COMMAND.at.chaser :] = self.kept[CONTROLLER_STATE.slice_of("command")]
        return command

    def step(self, k: int, report: np.ndarray, command: np.ndarray) -> int:
        """One cycle: what was reported at t_k in, the set-points stamped t_{k+1} out, in place.
        Returns an index of seam.SEAM_STATUSES; with any but 0 the command is left as it was."""
        return self._call(k, report, command, 1)

    def finish(self, k: int, report: np.ndarray) -> int:
        """Take in the last report without another command, and close the contact under way."""
        return self._call(k, report, new_command(), 0)

    def _call(self, k: int, report: np.ndarray, command: np.ndarray, act: int) -> int:
        refuse_exchange(k, command, report)
        self.rows = min(k + 1, len(self.record))
        status = seam_entry_points.control_step(
            self.vector,
            self.scenario.markers,
            self.mem,
            self.log,
            k,
            self.kept,
            report,
            command,
            self.record,
            act,
        )
        return int(status)

    @property
    def status(self) -> str:
        return SEAM_STATUSES[int(self.kept[CONTROLLER_STATE.at.status])]

    @property
    def touch_N(self) -> float:
        """A measured force above this is a contact of the log."""
        return float(self.kept[CONTROLLER_STATE.at.touch_force])

    @property
    def contact_count(self) -> int:
        """Contacts that have closed, by the measured force."""
        return int(self._part("tracker", "closed")[0])

    @property
    def observed_J(self) -> float:
        """Observed energy so far (Zebenay eq. 114); above zero: the rig is active."""
        return float(self._part("ledger", "observed")[0])

    @property
    def kinetic_J(self) -> float:
        """Kinetic energy of both satellites now."""
        return float(self._part("ledger", "kinetic")[0])

    def set_points(self) -> tuple[np.ndarray, np.ndarray]:
        """The newest of both robots, a `motion` each: views."""
        both = self.kept[CONTROLLER_STATE.slice_of("command")]
        return both[:MOTION_FLOATS], both[MOTION_FLOATS:]

    def _part(self, part: str, field: str) -> np.ndarray:
        here, whole = place(f"{part}.{field}"), place(part)
        first = CONTROLLER_STATE.slice_of(part).start - whole.start
        return self.kept[here.start + first : here.stop + first]

    @property
    def satellites(self) -> np.ndarray:
        """Both satellites, a `body_state` each: a view."""
        return self.kept[CONTROLLER_STATE.slice_of("satellites")]

    @property
    def series(self) -> Series:
        """What was recorded so far, by channel; the channels of the truth are zero."""
        return Series(self.record[: self.rows], self.channels)

    def method_memory(self, index: int) -> np.ndarray:
        """The slice of `mem` of a listed method, as a view."""
        return view_method_memory(self.scenario, self.mem, index)


# A controller of your own in plain Python: what navigation sees, and what the thrusters shall do.
#
#     loop = softdock.Stepper(scenario)            # [guidance] controller = "piloted"
#     pilot = softdock.Pilot(loop)
#     while loop.cycles < 10_000 and loop.step() == "completed":
#         seen = pilot.seen()                      # the newest sample that has arrived; None: none
#         if seen is not None:
#             pilot.command(force, torque)         # chaser axes, until the next command
#
# In: navigation samples, as a compiled controller gets them. Out: force [N] and torque [Nm], asked
# of the thrusters when the next sample arrives. Works on a `Stepper` and on a `Controller`, which a
# rig drives, with any method that says how it is steered (`Method.steered`). The reference has no
# such program: it drifts, and the distance from the reference says nothing.


class Loop(Protocol):
    """What is steered: a `Stepper` or a `Controller`."""

    scenario: Scenario

    def method_memory(self, index: int) -> np.ndarray: ...


def _find_loop_problem(value: Any) -> str:
    able = hasattr(value, "method_memory") and isinstance(
        getattr(value, "scenario", None), Scenario
    )
    return "" if able else "a Stepper or a Controller"


def _find_vector_problem(value: Any) -> str:
    try:
        return "" if np.asarray(value, float).shape == (3,) else "three numbers"
    except (OverflowError, TypeError, ValueError):
        return "three numbers"


class Pilot:
    """Navigation and thrusters of a loop, from outside."""

    @check_arguments(loop=_find_loop_problem)
    def __init__(self, loop: Loop):
        self._tables = loop.scenario.tables
        names = [entry["name"] for entry in self._tables["methods"]]
        able = {name: method for name, method in METHODS.items() if method.steered is not None}
        index = next((i for i, name in enumerate(names) if name in able), None)
        if index is None:
            allowed = f"one that takes commands: {', '.join(able)}"
            top = next((method.at_top for method in able.values() if method.at_top), None)
            if top is None:
                raise BadInput(Problem("methods", names, allowed))
            raise BadInput(Problem(top.key, top.named(self._tables) or None, allowed))
        self._mem = loop.method_memory(index)
        self._cells = able[names[index]].cells
        self._steered: Any = able[names[index]].steered

    def seen(self) -> Seen | None:
        """The newest navigation sample that has arrived."""
        found: Seen | None = self._steered.seen(self._mem, self._tables)
        return found

    @check_arguments(force=_find_vector_problem, torque=_find_vector_problem)
    def command(self, force: Sequence[float], torque: Sequence[float]) -> None:
        """Force [N] and torque [Nm] on the chaser, chaser axes. What is not a number ends the
        run."""
        both = np.concatenate([np.asarray(force, float), np.asarray(torque, float)])
        self._steered.command(self._mem, self._cells, both)
