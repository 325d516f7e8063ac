"""What a rig is, from what it recorded: contact stiffness and damping, delays, tool and bias, each
with its uncertainty. Never from the scenario.

identify(run)                   a run with a contact
identify(run, tool_only=True)   a calibration in free motion, the tool turning
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.identification.contact import FEWEST_READINGS, MERGE, ContactFit, fit_contact, touches
from softdock.identification.delays import is_structured, robot_following
from softdock.identification.estimate import Estimate, weighted_mean
from softdock.identification.log import BODIES, Log, read_log
from softdock.identification.tool import Tool, identify_tool

GRAVITY = 9.81  # m/s^2, of the laboratory; it turns a weight into a mass


@dataclass
class Identification:
    """Everything found, and what could not be."""

    stiffness: Estimate | None  # N/m, over all contacts
    damping: Estimate | None  # Ns/m
    contacts: list[ContactFit]
    robot_delay: dict[
        str, Estimate | None
    ]  # s, from a set-point's stamp to the mock-up being there
    loop_delay: Estimate | None  # s, robot and force path
    force_delay_s: float | None  # age of the forces in contact, mean over the cycles
    pose_delay_s: float  # mean age of the measured poses
    cycle_s: float
    tools: dict[str, Tool]
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; units in the keys, None where the log cannot tell."""
        return {
            "contact": {
                "stiffness_N_per_m": _dict(self.stiffness),
                "damping_Ns_per_m": _dict(self.damping),
                "contacts": [_contact(c) for c in self.contacts],
            },
            "delay": {
                "loop_delay_s": _dict(self.loop_delay),
                "robot_delay_s": {body: _dict(e) for body, e in self.robot_delay.items()},
                "force_delay_s": self.force_delay_s,
                "pose_delay_s": self.pose_delay_s,
                "hold_s": 0.5 * self.cycle_s,
                "cycle_s": self.cycle_s,
            },
            "tool": {body: _tool(tool) for body, tool in self.tools.items()},
            "notes": list(self.notes),
        }


def _dict(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_dict()


def _contact(c: ContactFit) -> dict[str, Any]:
    return {
        "start_s": c.start_s,
        "end_s": c.end_s,
        "stiffness_N_per_m": _dict(c.stiffness),
        "damping_Ns_per_m": _dict(c.damping),
        "readings": c.readings,
        "noise_N": c.noise_N,
        "peak_force_N": c.peak_force_N,
        "normal": list(c.normal),
    }


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "mass_kg": _dict(tool.mass),
        "centre_m": _dict(tool.centre),
        "bias_N": _dict(tool.bias_force),
        "bias_Nm": _dict(tool.bias_torque),
        "mean_reading_N": _dict(tool.reading),
        "turned_rad": tool.turned_rad,
        "noise_N": tool.noise_N,
        "note": tool.note,
    }


def identify(run: Any, tool_only: bool = False, gravity: float = GRAVITY) -> Identification:
    """From a run or its time series. Raises `BadInput` if the log is too short, has no force, or
    (unless `tool_only`) no contact."""
    if not gravity > 0.0:
        raise BadInput(Problem("gravity", gravity, "more than 0 m/s^2"))
    series: Mapping[str, np.ndarray] = getattr(run, "series", run)
    log = read_log(series)
    if not log.force:
        raise BadInput(
            Problem(
                "measured.chaser.force",
                "zero throughout",
                "a log with force readings other than zero; without a contact there is "
                "nothing to identify",
            )
        )
    following = {body: robot_following(log, body) for body in BODIES}
    notes = [
        f"the {body}'s robot is not a pure delay: its measured path departs from the delayed "
        "set-points by more than noise; the delay is the one that fits best"
        for body, own in following.items()
        if own is not None and is_structured(own.left)
    ]
    sensor = next(iter(log.force))
    rows = [] if tool_only else touches(log, sensor)
    contacts = [
        c
        for c in (fit_contact(log, sensor, r, following) for r in rows)
        if c is not None and c.is_sound
    ]
    if not tool_only and not contacts:
        raise BadInput(_no_contact(len(rows)))
    if len(contacts) < len(rows):
        notes.append(
            f"{len(rows) - len(contacts)} of {len(rows)} contacts left out: too few "
            "readings, or a force that does not grow with depth"
        )
    free = np.ones(len(log.time), dtype=bool)
    for r in rows:
        free[max(r.start - MERGE, 0) : r.stop + MERGE] = False
    delays = {body: None if own is None else own.delay for body, own in following.items()}
    known = {body: None if e is None else e.value for body, e in delays.items()}
    tools = {body: identify_tool(log, body, known[body], gravity, free) for body in log.force}
    force_delay = float(np.mean([c.force_age_s for c in contacts])) if contacts else None
    return Identification(
        weighted_mean([c.stiffness for c in contacts]) if contacts else None,
        weighted_mean([c.damping for c in contacts]) if contacts else None,
        contacts,
        delays,
        _loop_delay(log, delays, force_delay),
        force_delay,
        float(np.mean(log.pose_age)),
        log.cycle,
        tools,
        notes,
    )


def _no_contact(touched: int) -> Problem:
    if touched:
        return Problem(
            "series",
            f"{touched} touches",
            f"one with at least {FEWEST_READINGS} readings in which the force grows with depth",
        )
    return Problem(
        "series",
        "no contact",
        "a log with a contact that stands out of the noise; for a calibration in free motion "
        "use --tool-only",
    )


def _loop_delay(
    log: Log, delays: dict[str, Estimate | None], force_delay: float | None
) -> Estimate | None:
    """Robot and force path. Of two robots that move, the slower one: the loop waits for it."""
    known = [e for e in delays.values() if e is not None]
    if not known or force_delay is None:
        return None
    slowest = max(known, key=lambda e: e.value)
    return Estimate(slowest.value + force_delay, slowest.uncertainty)
