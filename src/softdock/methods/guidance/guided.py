"""A guided approach as a method: navigation, a controller, thrusters, once a cycle.

In: both satellites. Out: a wrench on the chaser, world axes, held over the cycle and booked as
external. It acts in the loop and in orbit, each on its own state and with its own memory.

A controller is a NamedTuple with `memory` and `guided` among its fields, and two compiled functions
(`controller` makes a method of them):

    prepare(marker, vector, base, memory, guided) -> its NamedTuple; its own keys stand at `base`
    steer(controller, mem, own, rig, seen) -> Wanted; its own cells stand at mem[own]

`steer` is called when a navigation sample arrives. Force and torque that are not numbers end the
run; what was simulated is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.cells import Cells
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.method.declaration import Checked, Steered
from softdock.loop.method.interface import CYCLE, Rig, Satellites, Wrenches
from softdock.loop.method.method import Method, entry_of
from softdock.loop.parameters import Group
from softdock.loop.spatial.arrays import product
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import dot
from softdock.methods.guidance.allocation import COMMANDS, make_thruster_rows
from softdock.methods.guidance.keys import (
    AXES,
    DRIFTS,
    GUIDED,
    HEAD,
    MOST_SAMPLES,
    PER_COMMAND,
    PLACES,
    SAMPLE,
    STATE,
    THRUSTER,
    TOP,
    WISH,
)
from softdock.methods.guidance.navigation import (
    Seen,
    compute_error,
    find_due_sample,
    prepare_guided,
    recall_sample,
    take_sample,
)
from softdock.methods.guidance.shown import SHOWN
from softdock.methods.guidance.thrusters import ask, fire

# A controller's view and command from outside, in plain Python: what `softdock.Pilot` reads of the
# method's memory and writes into it.
#
# In: the method's slice of `mem`, the scenario's tables, force [N] and torque [Nm] in chaser axes.
# Out: the newest navigation sample that has arrived, as a compiled controller gets it.


def read_sample(mem: np.ndarray, tables: Mapping[str, Any]) -> Seen | None:
    """None: no sample has arrived."""
    navigation = tables["navigation"]
    s = STATE(mem)
    number = s.served - 1
    if number < 0:
        return None
    p, v, turn, rate, attitude, own_rate = _copy_sample(s.samples[number % MOST_SAMPLES])
    axis = np.asarray(navigation["axis"], float)
    docked = np.asarray(navigation["docked_wxyz"], float)
    docked = docked / np.linalg.norm(docked)
    to_target: Any = product(_quaternion(turn)[None, :], docked[None, :])[0]
    return Seen(
        position=p,
        velocity=v,
        turn=turn,
        rate=rate,
        attitude=attitude,
        own_rate=own_rate,
        to_target=to_target,
        distance=float(p @ axis / np.linalg.norm(axis)),
        time=1e-3 * number * navigation["period_ms"],
    )


def _copy_sample(sample: Any) -> list[Any]:
    """Its vectors as arrays of their own."""
    return [np.array(getattr(sample, cell.name)) for cell in SAMPLE]


def write_command(mem: np.ndarray, cells: Cells, both: np.ndarray) -> None:
    """Force and torque into the controller's own cells."""
    s = cells(mem)
    s.own_force, s.own_torque, s.own_given = tuple(both[:3]), tuple(both[3:]), True


def _quaternion(turn: np.ndarray) -> np.ndarray:
    """Of a rotation vector."""
    half = 0.5 * float(np.linalg.norm(turn))
    return np.append(np.cos(half), 0.5 * np.sinc(half / np.pi) * turn)


STEERED = Steered(seen=read_sample, command=write_command)


TORQUE, NEGATIVE = WISH.at.torque, PER_COMMAND.at.negative
LARGEST_TURN = 10.0  # deg off its attitude that the thrusters must be able to answer
FAILED = "a controller whose limits can be computed"


class Wanted(NamedTuple):
    """What a controller wants until the next sample."""

    force: tuple  # N, chaser axes
    torque: tuple  # Nm, chaser axes
    mode: int  # one of APPROACHES, DRIFTS, HOLDS; nothing is asked while it drifts


@dataclass(frozen=True)
class GuidedMethod(Method):
    """A method made of a controller."""

    prepare_own: Callable[..., Any] = lambda: None
    steer: Callable[..., Any] = lambda: None


@by_type(lambda cls: entry_of(cls).prepare_own)  # type: ignore[attr-defined]
def _prepare_one(marker, vector, base, memory, guided): ...


@by_type(lambda cls: entry_of(cls).steer)  # type: ignore[attr-defined]
def _steer_one(controller, mem, own, rig, seen): ...


@compiled
def prepare(marker, vector, base, memory):
    guided = prepare_guided(vector, base, memory, vector[CYCLE])
    return _prepare_one(marker, vector, base + GUIDED.size, memory, guided)


@noinline
def push(controller, mem, rig: Rig, satellites: Satellites):
    """The hook `external`."""
    g, t = controller.guided, rig.cycle * rig.T
    s = STATE(mem, g.memory)
    newest = find_due_sample(g, t)
    if newest >= s.taken:
        take_sample(g, mem, rig, satellites, newest)
        s.taken = newest + 1
    arrived = find_due_sample(g, t - g.delay)
    if arrived >= s.served:
        seen = recall_sample(g, mem, arrived)
        s.served = arrived + 1
        s.distance = seen.distance
        s.near = seen.distance < g.plume_off
        s.error = compute_error(g, rig, satellites, seen)
        wanted = _steer_one(controller, mem, g.memory + STATE.size, rig, seen)
        if not dot(wanted.force, wanted.force) + dot(wanted.torque, wanted.torque) < math.inf:
            lost = (math.nan, math.nan, math.nan)
            return Wrenches(Wrench(lost, lost), no_wrench())
        s.mode = wanted.mode
        if wanted.mode != DRIFTS:
            ask(g, mem, wanted.force, wanted.torque)
        else:
            s.owed.force, s.owed.torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    force, torque = fire(g, mem, rig.T)
    q = satellites.chaser.q
    return Wrenches(Wrench(rotate(q, force), rotate(q, torque)), no_wrench())


def make_rows(values: dict[str, Any]) -> list[tuple[str, Any]]:
    """What stands behind the vector."""
    return [("rows", make_thruster_rows(values))]


def summarize(mem: Any) -> dict[str, Any]:
    """What a run spent."""
    s = STATE(mem)
    return {"impulse_Ns": float(s.impulse), "mode_at_end": int(s.mode)}


def check(values: dict[str, Any], tables: Any) -> Checked:
    """Samples that would be overwritten before they arrive, and axes that no thruster serves."""
    problems: list[tuple[str, Any, str]] = []
    period, delay = values["navigation.period_ms"], values["navigation.delay_ms"]
    cycle = tables["time"]["cycle_ms"]
    if period < cycle:
        allowed = f"at least the cycle, {cycle:g} ms: a sample is taken at its begin"
        problems.append(("navigation.period_ms", period, allowed))
    if delay > (MOST_SAMPLES - 1) * period:
        allowed = f"at most {MOST_SAMPLES - 1} periods, {(MOST_SAMPLES - 1) * period:g} ms"
        problems.append(("navigation.delay_ms", delay, allowed))
    if tables["chaser"].get("fixed"):
        problems.append(("guidance.controller", "on a fixed chaser", "a chaser that can move"))
    return problems + find_missing_axes(values), []


def find_missing_axes(values: dict[str, Any]) -> list[tuple[str, Any, str]]:
    """Commands that these thrusters cannot make: all twelve far from the target, the six of
    attitude also with plumes off."""
    table = make_thruster_rows(values)
    near = values["thrusters.plume_off_m"] > 0.0
    for which, needed in (("far", COMMANDS), ("near", COMMANDS if near else ())):
        columns = table[:, THRUSTER.slice_of(which)]
        missing = [
            name
            for k, name in enumerate(needed)
            if not columns[:, k].any() and (which == "far" or k % WISH.size >= TORQUE)
        ]
        if missing:
            off = int(table[:, THRUSTER.at.off].sum())
            where = "" if which == "far" else f" with the {off} off that blow at the target"
            allowed = f"thrusters that can push and turn every way{where}: {', '.join(missing)}"
            given = values["thrusters.rows"] or f"sixteen at {values['thrusters.arm_m']:g} m"
            return [("thrusters.rows", given, f"{allowed} cannot be made")]
    return []


def find_torque_problems(
    values: dict[str, Any], wanted: Any, why: str, which: str = "far"
) -> list[tuple[str, Any, str]]:
    """Axes about which the thrusters cannot make a torque [Nm] that a controller will ask for."""
    columns = make_thruster_rows(values)[:, THRUSTER.slice_of(which)]
    for i, axis in enumerate(AXES):
        per_unit = max(columns[:, TORQUE + i].max(), columns[:, NEGATIVE + TORQUE + i].max())
        can = values["thrusters.thrust_N"] / per_unit if per_unit > 0.0 else 0.0
        if wanted[i] > can:
            allowed = (
                f"thrusters that can make the commanded torque about the chaser's {axis}: "
                f"{wanted[i]:.3g} Nm for {why}, these make {can:.3g} Nm"
            )
            return [("thrusters.thrust_N", values["thrusters.thrust_N"], allowed)]
    return []


def controller(
    *,
    name: str,
    summary: str,
    group: Group,
    marker: Any,
    prepare: Callable[..., Any],
    steer: Callable[..., Any],
    cells: Cells | None = None,
    check: Callable[[dict[str, Any], Any], Checked] = lambda values, tables: ([], []),
    while_latched: str = "",
    takes_command: bool = False,
) -> GuidedMethod:
    """A controller as a method, to be registered. Its keys are those of `[guidance]`; its cells are
    its own memory; `check` gets all keys (`guidance.slope_per_s`, `thrusters.thrust_N`).
    `takes_command`: its own cells are a force and a torque from outside, and `given`."""
    own = [replace(p, name=f"own_{p.name}", key=f"guidance.{p.key}") for p in group]
    own_cells = [replace(c, name=f"own_{c.name}") for c in cells] if cells is not None else []
    return GuidedMethod(
        name=name,
        summary=summary,
        knows="where tip and port are, the masses, its thrusters",
        group=Group(name, group.meaning, *GUIDED, *own),
        marker=marker,
        prepare=_PREPARE,
        external=push,
        prepare_own=prepare,
        steer=steer,
        cells=Cells(name, *HEAD, *own_cells),
        rows=make_rows,
        books=summarize,
        check=_combine_checks(check),
        at_top=TOP,
        parts=(SAMPLE, WISH),
        row_parts=(THRUSTER, PER_COMMAND, PLACES),
        shown=SHOWN,
        steered=STEERED if takes_command else None,
        once="a chaser has one controller",
        while_latched=while_latched,
    )


_PREPARE, _CHECK = prepare, check


def _combine_checks(own: Callable[[dict[str, Any], Any], Checked]) -> Callable[..., Checked]:
    """The checks of every guided approach, then the controller's own."""

    def check_both(values: dict[str, Any], tables: Any) -> Checked:
        problems, warnings = _CHECK(values, tables)
        if problems:
            return problems, warnings
        more, more_warnings = own(values, tables)
        return problems + more, warnings + more_warnings

    return check_both
