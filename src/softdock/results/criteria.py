"""The numbers by which one run is judged: docs/verdict.md defines each.

In: a run with its reference beside it. Out: a plain dict (`compute_criteria`), NaN where a number
is not defined for this run. Satellites are taken from the corrected motion where a method
recomputed the past.

    K        kinetic energy in the pair's barycentric frame (laboratory frame if a body is fixed)
    W        work of external wrenches in that frame
    E_0      kinetic energy that the first contact can reach (loop/contact/reach.py)

    energy   largest sum over consecutive ended contacts of
             K(end) - K(touch) - W - (energy stored at the touch less at the end), over E_0
    distance sqrt(d^T M d / (2 E_0)), d: difference of both twists from the reference's
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.loop import entry_points
from softdock.loop.method.declaration import known_of
from softdock.loop.spatial.arrays import matrices
from softdock.results.contact_spans import (
    Contacts,
    compute_merge_window,
    find_contacts,
    find_reference_contacts,
    find_separation_row,
)
from softdock.results.latches import Swing, measure_swing, summarise_times
from softdock.results.momenta import (
    MassProperties,
    compute_common_energies,
    compute_kinetic_energies,
    compute_twist_distance,
    is_corrected,
    read_corrected_motions,
    read_mass_properties,
)
from softdock.results.run import Run
from softdock.results.stepper import Stepper

# Forces on the satellites that no contact explains: the velocity that they make in free flight,
# and the hand's part, which is taken out of the contact force.
#
# In: a run and its contacts. Out: m/s, N.

ENDS = ("chaser", "target")


def compute_unexplained_speed(run: Run, loop: Contacts, reference: Contacts) -> float:
    """Relative velocity that the forces on both satellites make before the first touch of either,
    and in `verdict.settle_s` after the last contact that has ended: the sum of both sizes [m/s]."""
    time, tables = run.series["time"], run.scenario.tables
    bodies, settle = read_mass_properties(run.scenario.vector), float(tables["verdict"]["settle_s"])
    T = float(time[1] - time[0]) if len(time) > 1 else 0.0
    hands, push = (
        compute_hand_forces(run),
        np.zeros((len(time), 3)),
    )  # m/s in the cycle that ended there
    for sign, i in ((1.0, 0), (-1.0, 1)):
        if not bodies.fixed[i]:
            force = run.series[f"satellite.{ENDS[i]}.force"] - hands[ENDS[i]]
            push = push + sign * T * force / bodies.mass[i]
    first = min(loop.first, reference.first)
    early = compute_merge_window(tables) / 2.0 if is_corrected(run.series) else 0.0
    before = time <= max(first - early, 0.0) if math.isfinite(first) else time <= time[-1]
    speeds = float(np.linalg.norm(np.sum(push[1:][before[1:]], axis=0)))
    ended = [one for one in loop.each if one.over is not None]
    if ended and ended[-1].over is not None:
        parted = float(time[ended[-1].over])
        following = [one.start for one in loop.each if one.start > ended[-1].end]
        until = min(parted + settle + 1e-9, *following, math.inf)
        after = (time > parted) & (time <= until)
        speeds += float(np.linalg.norm(np.sum(push[after], axis=0)))
    return speeds


def compute_hand_forces(run: Run) -> dict[str, np.ndarray]:
    """What hands on the mock-ups give each satellite through the sensors, at every row [N], world
    axes; as old as the force was."""
    tables, time = run.scenario.tables, run.series["time"]
    nothing = np.zeros((len(time), 3))
    if not any(tables["hand"][body]["rows"] for body in ENDS):
        return {body: nothing for body in ENDS}
    when = np.concatenate([time[:1], (time - run.series["force_age"])[:-1]])  # of a cycle's begin
    felt = {body: _interpolate_schedule(tables["hand"][body], run, body, when) for body in ENDS}
    on = tables["sensor"]["on"]
    chaser = {
        "chaser": felt["chaser"],
        "target": -felt["target"],
        "both": 0.5 * (felt["chaser"] - felt["target"]),
    }[on]
    return {"chaser": chaser, "target": -chaser}


def _interpolate_schedule(
    schedule: Mapping[str, Any], run: Run, body: str, when: np.ndarray
) -> np.ndarray:
    """Force of a schedule [N], world axes: linear between its rows, zero outside."""
    rows = np.asarray(schedule["rows"], float).reshape(-1, 7)
    if not len(rows):
        return np.zeros((len(when), 3))
    force = np.stack(
        [np.interp(when, rows[:, 0], rows[:, i], left=0.0, right=0.0) for i in (1, 2, 3)], axis=1
    )
    if schedule["frame"] == "body":
        force = np.einsum("nij,nj->ni", matrices(run.series[f"mock_up.{body}.attitude"]), force)
    return force


def find_contact_peak(run: Run) -> float:
    """Largest force of a contact on the chaser satellite, without hands [N]."""
    logged = max((float(c["peak_force_satellite_N"]) for c in run.contacts), default=0.0)
    hands = compute_hand_forces(run)["chaser"]
    if not run.contacts or not np.any(hands) or is_corrected(run.series):
        return logged  # a recomputed contact has no hands in it
    time = run.series["time"]
    late = run.series["force_age"] + float(time[1] - time[0])
    sizes = np.linalg.norm(run.series["satellite.chaser.force"] - hands, axis=1)
    acting = np.zeros(len(time), bool)
    for c in run.contacts:
        acting |= (time >= c["start_s"]) & (time <= c["end_s"] + late)
    return float(np.max(sizes[acting], initial=0.0))


# The approach energy E_0 [J] and the approach speed [m/s]: the scale of a verdict's numbers.
#
# E_0 is the kinetic energy that the reference's first contact can reach (loop/contact/reach.py);
# where nothing approaches, the external work that was done.

NOTHING = 1e-30  # J; less is no energy
LITTLE = 1e-3  # of the external work: a kinetic energy below it is no scale


def compute_reference_scale(
    run: Run, bodies: MassProperties, reference: np.ndarray, others: Contacts
) -> tuple[float, float]:
    """E_0 [J] and the approach speed [m/s], by the reference; nothing approaches: the external work
    done up to the end of its first contact, of the whole run without contact."""
    reach, speed = run.reference.reach, run.reference.reach_speed
    external, last = run.reference.series["energy.external"], len(reference) - 1
    if others.each and others.each[0].over is not None:
        last = min(others.each[0].over, last)
    given = compute_work(external, bodies, reference, 0, last)
    if others.each and reach > LITTLE * given:
        return reach, speed
    if not others.each:  # pushes to and fro: all that was done
        done = external - compute_common_energies(bodies, reference)
        given = float(np.sum(np.abs(np.diff(done))))
    stored = float(run.reference.series["energy.stored"][0])
    scale = max(given, stored)
    return (scale, _convert_to_speed(bodies, scale)) if scale > NOTHING else (0.0, 0.0)


def compute_own_scale(
    bodies: MassProperties, loop: np.ndarray, contacts: Contacts
) -> tuple[float, float]:
    """Of the loop's own first touch, where the reference never touches: the kinetic energy of the
    pair, spin included (nothing says here what the contact can reach)."""
    row = contacts.each[0].touch
    energy = float(compute_kinetic_energies(bodies, loop[row : row + 1])[0])
    return energy, _convert_to_speed(bodies, energy)


def _convert_to_speed(bodies: MassProperties, energy: float) -> float:
    """Relative speed that has an energy [m/s]."""
    inverse = float(np.sum(1.0 / np.min(bodies.mass, axis=1) * ~bodies.fixed))
    return math.sqrt(2.0 * energy * inverse)


def compute_work(
    external: np.ndarray, bodies: MassProperties, rows: np.ndarray, first: int, last: int
) -> float:
    """Of external wrenches on the motion relative to the common centre of mass [J]."""
    work = float(external[last] - external[first])
    if work == 0.0:
        return 0.0
    common = compute_common_energies(bodies, rows[[first, last]])
    return work - float(common[1] - common[0])


STOPPED_FROM_OUTSIDE = ("interrupted", "stopped by the facility")


class CriteriaInput(NamedTuple):
    """What the criteria are computed from."""

    run: Run
    bodies: MassProperties
    loop: np.ndarray  # (rows, 2, 13) motions of chaser and target
    reference: np.ndarray
    contacts: Contacts  # the loop's
    others: Contacts  # the reference's
    scale: float  # E_0, J
    speed: float  # m/s, approach of the point of contact

    @property
    def rows(self) -> int:
        return min(len(self.loop), len(self.reference))


def compute_criteria(run: Run) -> dict[str, Any]:
    """All numbers of one run."""
    c = _collect_input(run)
    swing = measure_swing(run) if c.contacts.still or c.others.still else None
    brief = c.contacts.still and _is_brief(c, swing)
    early, late = _compute_distances(c, swing)
    peak = find_contact_peak(run)
    wanted = max((float(x["peak_force_satellite_N"]) for x in run.reference.contacts), default=0.0)
    latch, latch_wanted = (
        summarise_times(one.latches)["peak_force_N"] for one in (run, run.reference)
    )
    free = compute_unexplained_speed(run, c.contacts, c.others)
    return {
        "no_verdict": _explain_no_verdict(c),
        "limits": _find_limit(run),
        "energy": _compute_energy_change(c),
        "growth": swing.growth if swing is not None and c.contacts.still else math.nan,
        "growth_error": swing.error if swing is not None and c.contacts.still else math.nan,
        "energy_kept": math.nan if brief else _compare_kept_energy(c, swing),
        "distance": max_defined(early, late),
        "distance_after_contact": early,
        "distance_later": late,
        "peak_force": _compute_relative_difference(peak, wanted),
        "peak_force_N": peak,
        "peak_force_reference_N": wanted,
        "latch_force": _compute_relative_difference(latch, latch_wanted),
        "latch_force_N": latch,
        "latch_force_reference_N": latch_wanted,
        "free_flight": free / c.speed if c.speed > 0.0 else math.nan,
        "outcome": _list_different_outcomes(run),
        "scale_J": c.scale,
        "approach_m_per_s": c.speed,
        "still_touching": c.contacts.still,
        "ended_in_contact": brief,
        **_compute_mock_up_forces(c, wanted),
    }


def _compute_mock_up_forces(c: CriteriaInput, wanted: float) -> dict[str, float]:
    """Peak force between the mock-ups, what the contact in the reference with `contact.real` has,
    and what the delay alone gives: travelling at the approach speed for the whole delay [N]."""
    tables, known = c.run.scenario.tables, known_of(c.run.scenario)
    differs = any(pair["wanted"] != pair["real"] for pair in tables["contact"])
    by_delay, orbits = math.nan, math.nan if differs else wanted
    if known.stiffness is not None and c.speed > 0.0:
        damping = max(
            float(pair["real"].get("damping_Ns_per_m", 0.0)) for pair in tables["contact"]
        )
        by_delay = (known.stiffness * known.delay + damping) * c.speed
        if differs:
            orbits = math.sqrt(2.0 * c.scale * known.stiffness)
    return {
        "mock_up_force_N": c.run.reached.peak_force_real_N,
        "mock_up_force_on_orbit_N": orbits,
        "mock_up_force_by_delay_N": by_delay,
    }


def max_defined(one: float, other: float) -> float:
    """The larger of those that are defined."""
    return max((x for x in (one, other) if not math.isnan(x)), default=math.nan)


def _collect_input(run: Run) -> CriteriaInput:
    bodies = read_mass_properties(run.scenario.vector)
    loop = read_corrected_motions(run.series)
    reference = read_corrected_motions(run.reference.series)
    contacts, others = find_contacts(run), find_reference_contacts(run.reference)
    scale = speed = 0.0
    if contacts.each and not others.each:
        scale, speed = compute_own_scale(bodies, loop, contacts)
    if not scale > 0.0:
        scale, speed = compute_reference_scale(run, bodies, reference, others)
    return CriteriaInput(
        run=run,
        bodies=bodies,
        loop=loop,
        reference=reference,
        contacts=contacts,
        others=others,
        scale=scale,
        speed=speed,
    )


def _compute_energy_change(c: CriteriaInput) -> float:
    """The largest sum over consecutive contacts that have ended, over E_0. No contact in either:
    kinetic energy after the last push, less the reference's."""
    if not c.contacts.each and not c.others.each and c.scale > 0.0:
        row = _find_row_after_push(c.run, c.rows - 1)
        mine, theirs = (
            float(compute_kinetic_energies(c.bodies, one[[row]])[0])
            for one in (c.loop, c.reference)
        )
        return (mine - theirs) / c.scale
    series, most, ahead = c.run.series, -math.inf, 0.0
    for contact in c.contacts.each:
        if contact.over is None:
            break
        first, last = contact.touch, contact.over
        before, after = compute_kinetic_energies(c.bodies, c.loop[[first, last]])
        gain = (
            after - before - compute_work(series["energy.external"], c.bodies, c.loop, first, last)
        )
        stored = _read_stored_energy(series)
        gain -= stored[first] - stored[last]
        ahead = max(ahead, 0.0) + float(gain)
        most = max(most, ahead)
    if not math.isfinite(most) or not c.scale > 0.0:
        return math.nan
    return most / c.scale


def _compute_distances(c: CriteriaInput, swing: Swing | None) -> tuple[float, float]:
    """At the first instant at which neither is in contact, and `settle_s` later. A pair that still
    touches: over its last swing, or the last `settle_s` if it does not swing."""
    time, settle = c.run.series["time"], float(c.run.scenario.tables["verdict"]["settle_s"])
    if not c.rows or not c.scale > 0.0:
        return math.nan, math.nan
    last = c.rows - 1
    if c.contacts.still or c.others.still:
        rows = slice(_find_window(c, swing), c.rows)
        apart = compute_twist_distance(c.bodies, c.loop[rows], c.reference[rows], c.scale)
        mine, theirs = (math.sqrt(max(e, 0.0) / c.scale) for e in _average_energies(c, rows))
        return math.nan, max_defined(apart, abs(mine - theirs))
    if c.contacts.each or c.others.each:
        row = find_separation_row(c.run, c.contacts, c.others)
    else:
        row = _find_row_after_push(c.run, last)
    if row is None:
        return math.nan, math.nan
    later = min(int(np.searchsorted(time, time[row] + settle - 1e-9)), last)
    early, late = (
        compute_twist_distance(c.bodies, c.loop[[r]], c.reference[[r]], c.scale)
        for r in (row, later)
    )
    return early, late


def _find_row_after_push(run: Run, last: int) -> int:
    ends = [
        table["rows"][-1][0]
        for kind in ("hand", "external")
        for table in run.scenario.tables[kind].values()
        if table["rows"]
    ]
    return min(int(np.searchsorted(run.series["time"], max(ends, default=0.0))), last)


def _is_brief(c: CriteriaInput, swing: Swing | None) -> bool:
    """Whether the contact under way at the end says nothing yet of the energy that stays: it has
    lasted neither `settle_s` nor a swing."""
    settle = float(c.run.scenario.tables["verdict"]["settle_s"])
    swings = swing is not None and math.isfinite(swing.period)
    return not swings and c.run.series["time"][-1] - c.contacts.each[-1].start < settle


def _find_window(c: CriteriaInput, swing: Swing | None) -> int:
    """First row of the last swing, or of the last `settle_s`; not before both touch."""
    span = float(c.run.scenario.tables["verdict"]["settle_s"])
    if swing is not None and math.isfinite(swing.period):
        span = swing.period
    time = c.run.series["time"][: c.rows]
    touches = [one.each[-1].start for one in (c.contacts, c.others) if one.still]
    start = max(time[-1] - span - 1e-9, *touches)
    return min(int(np.searchsorted(time, start)), c.rows - 1)


def _average_energies(c: CriteriaInput, rows: slice) -> tuple[float, float]:
    """Kinetic and stored energy, mean over some rows: the loop's, the reference's [J]."""
    mine, theirs = (
        float(
            np.mean(
                compute_kinetic_energies(c.bodies, motions[rows])
                + _read_stored_energy(series)[rows]
            )
        )
        for motions, series in ((c.loop, c.run.series), (c.reference, c.run.reference.series))
    )
    return mine, theirs


def _read_stored_energy(series: Mapping[str, np.ndarray]) -> np.ndarray:
    """Energy in the contact [J]; nothing where nobody knows it."""
    if "energy.stored" in series:
        return series["energy.stored"]
    return np.zeros(len(series["time"]))


def _compare_kept_energy(c: CriteriaInput, swing: Swing | None) -> float:
    """Kinetic and stored energy of a pair that still touches, mean of the last swing, less the
    reference's, over E_0."""
    if not c.contacts.still or not c.scale > 0.0 or not c.rows:
        return math.nan
    mine, theirs = _average_energies(c, slice(_find_window(c, swing), c.rows))
    return (mine - theirs) / c.scale


def _compute_relative_difference(ours: float, theirs: float) -> float:
    """Of the larger of both; NaN: neither is there."""
    largest = max(ours, theirs)
    return (ours - theirs) / largest if largest > 0.0 else math.nan


def _list_different_outcomes(run: Run) -> list[str]:
    """What happened in one of the two only, in words."""
    mine, theirs = summarise_times(run.latches), summarise_times(run.reference.latches)
    captured = theirs_captured = False
    if run.scenario.tables["capture"]["for_s"] > 0.0:
        captured = math.isfinite(run.reached.captured_at_s)
        theirs_captured = math.isfinite(find_reference_capture_s(run))
    pairs = (
        ("touched", run.contact_count > 0, run.reference.contact_count > 0),
        ("captured", captured, theirs_captured),
        ("latched", *(math.isfinite(one["latched_at_s"]) for one in (mine, theirs))),
        ("broken", *(math.isfinite(one["broken_at_s"]) for one in (mine, theirs))),
    )
    return [
        f"{word} {'on this rig' if ours else 'on orbit'} only"
        for word, ours, reference in pairs
        if ours != reference
    ]


def find_reference_capture_s(run: Run) -> float:
    """When the reference is captured, by the rule of the loop at the loop's instants [s]; NaN: it
    is not, or nobody asks."""
    scenario = run.scenario
    if not scenario.tables["capture"]["for_s"] > 0.0:
        return math.nan
    rows = np.ascontiguousarray(read_corrected_motions(run.reference.series).reshape(-1, 26))
    mem = Stepper(scenario).mem
    return float(entry_points.capture_time(scenario.vector, scenario.markers.features, mem, rows))


def _find_limit(run: Run) -> str:
    """Why the loop may not be believed at all; empty: nothing."""
    if run.status != "completed" and run.status not in STOPPED_FROM_OUTSIDE:
        return run.status
    touches = [(c["start_s"], c["end_s"]) for c in run.contacts]
    for event in run.events:
        if event["what"] == "saturated" and any(
            event["from_s"] <= end and event["to_s"] >= start for start, end in touches
        ):
            return "the force sensor was at its range during a contact"
    return ""


def _explain_no_verdict(c: CriteriaInput) -> str:
    """Why there is nothing to be judged; empty: there is."""
    if c.run.status in STOPPED_FROM_OUTSIDE:
        return f"the run was stopped from outside ({c.run.status})"
    if c.run.reference.status != "completed":
        return f"the reference did not end: {c.run.reference.status}"
    if not c.scale > 0.0:
        return "nothing moves or touches"
    return ""
