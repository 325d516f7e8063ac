"""What a rig is, from what it recorded: contact stiffness, damping and friction, delays, tool and
bias, each with its uncertainty; where the log cannot tell, the reason. Never from the scenario.

identify(run)                   a run with a contact
identify(run, tool_only=True)   a calibration in free motion, the tool turning
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from softdock._arguments import FLAG, check_arguments, finite_number
from softdock.errors import BadInput, Problem
from softdock.studies.identify.contact import (
    SLIP,
    ContactFit,
    combine_slidings,
    find_touches,
    fit_contact,
)
from softdock.studies.identify.delays import (
    Following,
    fit_following,
    is_structured,
    measure_offset,
)
from softdock.studies.identify.estimate import Estimate, compute_weighted_mean
from softdock.studies.identify.log import BODIES, Log, read_log
from softdock.studies.identify.result import Identification, list_clear_offsets
from softdock.studies.identify.tool import Tool, identify_tool
from softdock.studies.identify.touching import (
    FEWEST_READINGS,
    MERGE,
    TOOL_KG,
    TRIAL_KG,
    CarriedMass,
    add_mass_uncertainty,
    compute_acceleration_noise,
    compute_stiffness_change,
    find_carried_mass,
)

__all__ = ["GRAVITY", "Identification", "identify"]
GRAVITY = 9.81  # m/s^2, of the laboratory; it turns a weight into a mass
CLEAR = 4.0  # standard uncertainties: a mean force beyond is none of the noise
MIXED = 0.9  # correlation of damping and friction above which they are one thing to the log
NOISY = 0.1  # of the peak force: noisier, a tool's inertia is left in
UNSURE = 0.25  # of the damping: a mixed one is told only below this
VAGUE = 0.5  # of a friction coefficient: more says nothing


def _find_log_problem(value: Any) -> str:
    series = getattr(value, "series", value)
    able = isinstance(series, Mapping) or hasattr(series, "channels")
    return "" if able else "a run, a recording, or its series"


@check_arguments(run=_find_log_problem, tool_only=FLAG, gravity=finite_number(0.0, above=True))
def identify(
    run: Any,
    tool_only: bool = False,
    gravity: float = GRAVITY,
    tool_mass: float | None = None,
) -> Identification:
    """From a run or its time series. `tool_mass`: behind the sensor [kg], for readings that still
    hold what accelerates it; None: as the weight in the log shows it. Raises `BadInput` if the log
    is too short, has no force, or (unless `tool_only`) no contact."""
    if not 0.0 < gravity < 1e3:
        raise BadInput(Problem("gravity", gravity, "more than 0 and less than 1000 m/s^2"))
    if tool_mass is not None and not 0.0 <= tool_mass <= 1e5:
        raise BadInput(Problem("tool_mass", tool_mass, "0 to 100000 kg"))
    series: Mapping[str, np.ndarray] = getattr(run, "series", run)
    log = read_log(series)
    if not log.force:
        raise BadInput(
            Problem(
                "measured.chaser.force",
                "zero throughout",
                "a log with force readings other than zero; without a contact there is "
                "nothing to identify, and a threshold (sensor.threshold_N) may have cut all of it",
            )
        )
    following = {body: fit_following(log, body) for body in BODIES}
    offsets = {body: measure_offset(log, body, following[body]) for body in BODIES}
    notes = [*log.notes, *_list_lagging(following), *_list_offsets(offsets)]
    sensor = next(iter(log.force))
    rows = [] if tool_only else find_touches(log, sensor)
    free = np.ones(len(log.time), dtype=bool)
    for r in rows:
        free[max(r.start - MERGE, 0) : r.stop + MERGE] = False
    delays = {body: None if own is None else own.delay for body, own in following.items()}
    known = {body: None if e is None else e.value for body, e in delays.items()}
    tools = {body: identify_tool(log, body, known[body], gravity, free) for body in log.force}
    if tool_mass is None:
        stated = getattr(run, "tables", {}).get("run", {}).get(f"{TOOL_KG}{sensor}")
        tool_mass = None if stated is None else float(stated)
    carried, sigma_kg = find_carried_mass(tools[sensor], tool_mass)
    contacts = _fit_contacts(log, sensor, rows, following, carried)
    if carried is not None and contacts:
        peak = max(c.peak_force_N for c in contacts)
        noise = carried.mass * compute_acceleration_noise(following[sensor])
        if noise > NOISY * peak:
            notes.append(
                f"what accelerates {carried.mass:.4g} kg behind the sensor is left in the force: "
                f"measured positions tell it to {noise:.2g} N only, of a peak of {peak:.2g} N"
            )
            carried, contacts = None, _fit_contacts(log, sensor, rows, following, None)
    if not tool_only and not contacts:
        raise BadInput(_make_no_contact_problem(len(rows)))
    if len(contacts) < len(rows):
        notes.append(
            f"{len(rows) - len(contacts)} of {len(rows)} contacts left out: too few "
            "readings, or a force that does not grow with depth"
        )
    force_delay = float(np.mean([c.force_age_s for c in contacts])) if contacts else None
    found = Identification(
        stiffness=None,
        damping=None,
        friction=None,
        contacts=contacts,
        robot_delay=delays,
        loop_delay=_compute_loop_delay(delays, force_delay),
        force_delay_s=force_delay,
        pose_delay_s=max((float(np.mean(age)) for age in log.pose_age.values()), default=None),
        cycle_s=log.cycle,
        pose_offset=offsets,
        tools=tools,
        notes=notes,
        cannot_tell=_list_unidentified(log, delays, tools),
    )
    notes += _list_pushes(tools)
    if contacts:
        _add_contact(found, log, sensor)
        _add_delay_uncertainty(found, log, sensor, rows, following, carried)
        trial = CarriedMass(TRIAL_KG, np.zeros(3)) if carried is None else None
        more = compute_stiffness_change(
            contacts, _fit_contacts(log, sensor, rows, following, trial)
        )
        if more is not None and found.stiffness is not None:
            found.stiffness, warnings = add_mass_uncertainty(
                found.stiffness, more, carried, sigma_kg
            )
            notes += [warnings] if warnings else []
    return found


def _fit_contacts(
    log: Log,
    sensor: str,
    rows: list[slice],
    following: dict[str, Following | None],
    carried: CarriedMass | None,
) -> list[ContactFit]:
    """The contacts that are sound."""
    fits = (fit_contact(log, sensor, r, following, carried) for r in rows)
    return [c for c in fits if c is not None and c.is_sound]


def _add_delay_uncertainty(
    found: Identification,
    log: Log,
    sensor: str,
    rows: list[slice],
    following: dict[str, Following | None],
    carried: CarriedMass | None,
) -> None:
    """A delay that is wrong pairs force and motion wrongly: what the contact would be with each
    robot later by its delay's standard uncertainty."""
    _, _, mu = combine_slidings([c.sliding for c in found.contacts])[0]
    for body, own in following.items():
        if own is None:
            continue
        delay = Estimate(own.delay.value + own.delay.uncertainty, own.delay.uncertainty)
        later = _fit_contacts(
            log, sensor, rows, {**following, body: replace(own, delay=delay)}, carried
        )
        change = compute_stiffness_change(found.contacts, later)
        if change is None:
            continue
        if found.stiffness is not None:
            found.stiffness = _widen(found.stiffness, change)
        if found.friction is not None:
            other = combine_slidings([c.sliding for c in later])[0][2]
            found.friction = _widen(found.friction, float(other - mu))


def _widen(estimate: Estimate, more: float) -> Estimate:
    return Estimate(estimate.value, math.hypot(estimate.uncertainty, more))


def _list_pushes(tools: Mapping[str, Tool]) -> list[str]:
    """A force that acts in free motion and is clearly none of the noise."""
    pushes = []
    for body, tool in tools.items():
        if tool.reading is None:
            continue
        size = math.hypot(*tool.reading.value)
        if size > CLEAR * math.hypot(*tool.reading.uncertainty):
            pushes.append(
                f"{size:.2g} N act on the {body}'s sensor in free motion, weight or bias: "
                "softdock calibrate tells them apart"
            )
    return pushes


def _add_contact(found: Identification, log: Log, sensor: str) -> None:
    """Stiffness, damping and friction over all contacts, as far as the log can tell them apart."""
    contacts = found.contacts
    (k, b, mu), covariance = combine_slidings([c.sliding for c in contacts])
    sigma = np.sqrt(np.diag(covariance))
    found.stiffness = compute_weighted_mean([c.stiffness for c in contacts])
    # the same for all contacts: several of them do not make it smaller
    timing = float(k) * max(c.timing_s for c in contacts)
    damping = Estimate(float(b), math.hypot(float(sigma[1]), timing))
    slid = any(c.friction is not None for c in contacts)
    size = float(sigma[1] * sigma[2])
    mixed = abs(float(covariance[1, 2])) / size if slid and size > 0.0 else 0.0
    found.damping = damping
    found.notes.append(
        f"lateness that the log does not state, a low-pass in the sensor above all, lowers the "
        f"damping by k h: {1e-3 * float(k):.3g} Ns/m for each millisecond"
    )
    if not slid:
        found.cannot_tell["friction"] = (
            f"the tip never slid faster than {1e3 * SLIP:g} mm/s along the surface"
        )
    elif sigma[2] > VAGUE:
        found.cannot_tell["friction"] = f"{mu:.2g} +- {sigma[2]:.2g} says nothing"
    else:
        found.friction = Estimate(float(mu), float(sigma[2]))
    if mixed > MIXED and sigma[1] > UNSURE * abs(b):
        low, high = max(b - 2.0 * damping.uncertainty, 0.0), b + 2.0 * damping.uncertainty
        found.cannot_tell["damping"] = (
            f"it is mixed with the friction (correlation {mixed:.2f}): {low:.3g} to {high:.3g} "
            "Ns/m; a contact that does not slide, or one that slides another way, tells them apart"
        )
        found.damping = None
    if sensor in log.unseen and found.damping is not None:
        found.cannot_tell["damping"] = (
            f"the log has no measured pose of the {sensor}: a robot's delay h looks like a damping "
            "of -k h"
        )
        found.damping = None


def _list_offsets(offsets: Mapping[str, Estimate | None]) -> list[str]:
    """Poses that are measured beside where the set-points lead, with the line that says so."""
    lines = []
    for body, e in list_clear_offsets(offsets).items():
        size, spread = 1e3 * math.hypot(*e.value), 1e3 * math.hypot(*e.uncertainty)
        stated = ", ".join(f"{x:.4g}" for x in e.value)
        lines.append(
            f"the {body}'s measured poses are {size:.3g} +- {spread:.2g} mm off its set-points: "
            "the pose measurement or the mounting is off by that; calibrate it, or state it: "
            f"--set pose.{body}_offset_m='[{stated}]'"
        )
    return lines


def _list_unidentified(
    log: Log, delays: Mapping[str, Estimate | None], tools: Mapping[str, Tool]
) -> dict[str, str]:
    reasons = {}
    for body, delay in delays.items():
        if delay is None:
            reasons[f"robot_delay.{body}"] = (
                f"no measured pose of the {body} is in the log"
                if body in log.unseen
                else f"the {body} moved at one velocity all the time, where a delay looks like an "
                "offset"
            )
    for body, tool in tools.items():
        if tool.mass is None:
            reasons[f"tool.{body}"] = tool.note
    return reasons


def _list_lagging(following: Mapping[str, Following | None]) -> list[str]:
    return [
        f"the {body}'s robot is not a pure delay: its measured path departs from the delayed "
        "set-points by more than noise; the delay is the one that fits best"
        for body, own in following.items()
        if own is not None and is_structured(own.residual)
    ]


def _make_no_contact_problem(touched: int) -> Problem:
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
        "use --tool-only, or softdock calibrate estimate",
    )


def _compute_loop_delay(
    delays: dict[str, Estimate | None], force_delay: float | None
) -> Estimate | None:
    """Robot and force path. Of two robots that move, the slower one: the loop waits for it."""
    known = [e for e in delays.values() if e is not None]
    if not known or force_delay is None:
        return None
    slowest = max(known, key=lambda e: e.value)
    return Estimate(slowest.value + force_delay, slowest.uncertainty)
