"""What the method refuses before a run, and says after it. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.loop.contact.keys import MOST_PAIRS
from softdock.methods.energy_ledger.keys import refuses as ledger_refuses
from softdock.methods.model_mediated.fallback import count_ledger_floats
from softdock.methods.model_mediated.free_flight import ENOUGH
from softdock.methods.model_mediated.keys import count_past_rows
from softdock.methods.model_mediated.law import EXPLAINED
from softdock.methods.model_mediated.state import PAST, STATE

MODELS = (
    "none",
    "spring",
    "spring and damper",
    "power of the deflection",
    "Hunt and Crossley",
    "pre-loaded spring",
    "pre-loaded spring and damper",
    "spring and damper, the sensor lags",
    "Hunt and Crossley, the sensor lags",
    "pre-loaded spring, the sensor lags",
    "spring, the sensor lags",
)
ELEMENTS = "passive elements"
DOUBTED = 0.0075  # of the approach speed: unknown laws that are surer are vouched for
LAG_DOUBTED = 0.01  # of the approach speed
WORTH_SAYING = 0.01  # relative misfit of a law
HARDLY_PARTED = 4e-3  # of the approach speed: standard deviation of that after the contact
TOGETHER = 2e-3  # relative misfit of laws that were fitted together
HARDLY_KNOWN = 0.2  # relative spread of a stiffness
ACROSS = 5e-3  # of the largest force: more is doubted; a tilt of 0.3 deg makes 1 % of distance
HARDLY_TILTED_DEG = 0.6  # standard deviation of a tilt


def count_floats(values: Mapping[str, Any], T: float) -> int:
    """Of the method's slice of `mem`: its cells, the ring of its past, the energy ledger's part."""
    return STATE.size + PAST.size * count_past_rows(values, T) + count_ledger_floats(T)


def explain_refusal(scenario: Any) -> str | None:
    """Why it cannot run on a scenario."""
    tables = scenario.tables
    if not tables["contact"]:
        return "there is no contact pair: it answers contacts of known shapes, and no other force"
    if any(pair["wanted"]["law"] != "same_as_real" for pair in tables["contact"]):
        return "the reference has another contact than the mock-ups: use remapping"
    return ledger_refuses(scenario)


def check(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Any:
    """Where it cannot be listed, and where a part of what a rig feels would not act."""
    problems: list[tuple[str, Any, str]] = []
    for i, pair in enumerate(tables["contact"]):
        if pair["wanted"]["law"] != "same_as_real":
            allowed = f"a contact.{i}.wanted.law same_as_real; of another law, the re-mapping"
            problems.append(("name", "model_mediated", allowed))
    joints = zip(values["joint_stiffness_N_per_m"], values["moving_mass_kg"], strict=True)
    for stiffness, mass in joints:
        if stiffness > 0.0 and mass == 0.0:
            given = [float(m) for m in values["moving_mass_kg"]]
            problems.append(("moving_mass_kg", given, "> 0 kg beside a joint's stiffness"))
    hands = [body for body in ("chaser", "target") if len(tables["hand"][body]["rows"]) > 0]
    warnings = [
        f"a hand on the {body}'s mock-up is felt while nothing touches; in a contact its force is "
        "taken for the contact's"
        for body in hands
    ]
    return problems, [f"model_mediated: {words}" for words in warnings]


def _compute_noise(s: Any) -> float:
    """Standard deviation of a component of the force [N]."""
    return math.sqrt(float(s.flight.left) / (3.0 * max(s.flight.count - 1.0, 1.0)))


def _doubt_lag(s: Any, fit: Any) -> float:
    if not (s.flight.lag_spread > 0.0 and fit.count > 0 and fit.deepest > 0.0):
        return 0.0
    return 0.5 * math.pi * s.flight.lag_spread * abs(float(fit.rows[0].rate)) / float(fit.deepest)


def _describe_law(s: Any, i: int) -> dict[str, Any]:
    """What was identified of a pair; nothing where it was never felt."""
    fit, law = s.fits[i], s.found[i]
    if fit.model == 0:
        return {}
    named = {
        "law": ELEMENTS if law.elements > 0 else MODELS[fit.model],
        "stiffness_N_per_m": float(law.stiffness),
        "stiffness_spread": float(fit.spread),
        "power": float(law.power),
        "damping_Ns_per_m": float(law.damping),
        "damping_spread_Ns_per_m": float(fit.damping_spread),
        "lambda_s_per_m": float(law.factor),
        "preload_N": float(law.preload),
        "sensor_lag_s": float(fit.lag),
        "pulls": law.pulls,
        "misfit": float(fit.misfit),
        "misfit_of_noise": float(fit.chi),
        "samples": float(fit.seen),
        "doubt": float(s.doubt[i]),
        "speed_spread": float(s.speed_spread[i]),
        # of the speed after half a wave of a spring, by a lag that is off by its deviation
        "lag_doubt": _doubt_lag(s, fit),
        "peak_force_N": float(s.peak[i]),
        "peak_force_of_satellites_N": float(s.believed_peak[i]),
        "force_before_reaction_N": float(s.causal_force[i]),
    }
    return {f"contact_{i}_{key}": value for key, value in named.items()}


def _describe_surface(s: Any, i: int) -> dict[str, Any]:
    """Tilt of a pair's surface against the declared one, and the force that it leaves across the
    normal; nothing where no sample shows any."""
    surface = s.surfaces[i]
    moved: dict[str, Any] = {}
    if s.moved[i]:
        moved = {f"contact_{i}_moved_m": float(s.moved[i]), f"contact_{i}_placed": surface.settled}
    if surface.fitted == 0:
        return moved
    found: dict[str, Any] = moved | {
        f"contact_{i}_across": float(surface.across),
        f"contact_{i}_across_left": float(surface.left),
        f"contact_{i}_across_left_of_noise": float(surface.left_of_noise),
    }
    if surface.tilted:
        found[f"contact_{i}_tilt_deg"] = math.degrees(math.hypot(*surface.turn))
        found[f"contact_{i}_tilt_spread_deg"] = math.degrees(surface.spread)
        found[f"contact_{i}_axis"] = [float(x) for x in s.pairs[i].shape.axis]
    return found


def summarize(mem: Any) -> dict[str, Any]:
    """What was identified, with its uncertainty, and what was done, from its slice of `mem`."""
    s = STATE(mem)
    jointly = s.joint.fitted > 0
    found: dict[str, Any] = {
        "contacts": float(s.contacts),
        "contacts_by_ledger": float(s.blind + s.strange),
        "contacts_too_long": float(s.overlong),
        "rewinds": float(s.rewinds),
        "most_cycles_rewound": float(s.longest),
        "taken_by_bound_J": float(s.cut),
        "free_flight_samples": float(s.flight.count),
        "delay_s": float(s.delay),
        "noise_N": _compute_noise(s),
        "tare_N": [float(x) for x in s.flight.force],
        # of reported poses, taken off them
        "chaser_offset_m": [float(x) for x in s.flight.poses[0].offset],
        "target_offset_m": [float(x) for x in s.flight.poses[1].offset],
        "offsets_told": s.flight.poses[0].looked and (s.shared or s.flight.poses[1].looked),
        # mass that the compensation of the tool misses; 0 where nothing shows it
        "tool_error_kg": float(s.flight.tool),
        # of a low-pass, as the noise of free flight shows it; 0: it does not
        "noise_lag_s": float(s.flight.lag),
        "noise_lag_spread_s": float(s.flight.lag_spread),
        "friction": float(s.found[0].friction),
        "friction_spread": float(s.joint.friction_spread if jointly else s.friction_fit.spread),
        "friction_speed_m_per_s": float(s.found[0].slip),
        "friction_misfit": float(s.friction_fit.misfit),
        "friction_misfit_of_noise": float(s.friction_fit.chi),
        "samples_of_several_touches": float(s.several.seen),
    }
    for i in range(MOST_PAIRS):
        found |= _describe_law(s, i)
        if s.unfelt[i] and s.fits[i].model == 0:
            found[f"contact_{i}_unfelt"] = True
        found |= _describe_surface(s, i)
    return found


def _doubt_surface(found: Mapping[str, Any], i: int) -> list[str]:
    """What is not explained across the normal of a flat surface, or known badly."""
    left, spread = (
        found.get(f"contact_{i}_across_left", 0.0),
        found.get(f"contact_{i}_tilt_spread_deg"),
    )
    doubts = []
    if left > ACROSS and found[f"contact_{i}_across_left_of_noise"] > EXPLAINED:
        doubts.append(
            f"neither friction nor a tilt of the surface explains {100.0 * left:.2g} % of the "
            f"force of contact {i}, across its normal"
        )
    if spread is not None and spread > HARDLY_TILTED_DEG:
        doubts.append(
            f"the tilt of contact {i}'s surface along the sliding is known to {spread:.2g} deg "
            "only: friction looks the same"
        )
    return doubts


def list_doubts(found: Mapping[str, Any]) -> list[str]:
    """From the books of a run: what was not learnt; nothing where all was."""
    doubts = []
    if found.get("contacts_by_ledger", 0.0):
        doubts.append("the energy ledger had the satellites in a contact")
    if found.get("contacts", 0.0) and not any(
        f"contact_{i}_law" in found for i in range(MOST_PAIRS)
    ):
        doubts.append("no contact's law was identified")
    for i in range(MOST_PAIRS):
        if found.get(f"contact_{i}_unfelt"):
            doubts.append(f"the satellites touched contact {i}, and its law was not identified")
        misfit = found.get(f"contact_{i}_misfit", 0.0)
        most = TOGETHER if found.get("samples_of_several_touches", 0.0) else WORTH_SAYING
        if misfit > most and found.get(f"contact_{i}_misfit_of_noise", 0.0) > EXPLAINED:
            doubts.append(
                f"no law explains contact {i}: {100.0 * misfit:.2g} % of its force is left"
            )
        doubt = found.get(f"contact_{i}_doubt", 0.0)
        if doubt > DOUBTED:
            doubts.append(
                f"contact {i} is none of the named laws, and other laws explain its samples as "
                f"well: the speed after it may be off by {100.0 * doubt:.2g} % of the approach"
            )
        spread = found.get(f"contact_{i}_speed_spread", 0.0)
        if spread > HARDLY_PARTED:
            doubts.append(
                f"noise leaves the speed after contact {i} open by {100.0 * spread:.2g} % of the "
                "approach (one standard deviation)"
            )
        doubt = found.get(f"contact_{i}_lag_doubt", 0.0)
        if doubt > LAG_DOUBTED:
            doubts.append(
                "the low-pass of the force sensor is known from its noise alone: the speed after "
                f"contact {i} may be off by {100.0 * doubt:.2g} % of the approach"
            )
        loses = any(
            found.get(f"contact_{i}_{key}", 0.0) > 0.0
            for key in ("damping_Ns_per_m", "lambda_s_per_m", "preload_N")
        )
        if loses and not found.get(f"contact_{i}_placed", True):
            doubts.append(
                f"where contact {i} begins is known to a cycle's way only; a pre-load looks the "
                "same"
            )
        spread = found.get(f"contact_{i}_stiffness_spread", 0.0)
        if spread > HARDLY_KNOWN and found[f"contact_{i}_law"] != ELEMENTS:
            doubts.append(f"the stiffness of contact {i} is known to {100.0 * spread:.2g} % only")
        doubts += _doubt_surface(found, i)
    left = found.get("friction_misfit", 0.0)
    tilted = any(f"contact_{i}_tilt_deg" in found for i in range(MOST_PAIRS))  # friction with it
    unexplained = found.get("friction_misfit_of_noise", 0.0) > EXPLAINED and not tilted
    if left > ACROSS and unexplained:
        doubts.append(f"no friction explains {100.0 * left:.2g} % of the force, across the normal")
    if found.get("contacts", 0.0) and not found.get("offsets_told", True):
        doubts.append(
            "free flight was too short to tell an offset of the reported poses from a delay"
        )
    if found.get("contacts_too_long", 0.0):
        doubts.append("a contact lasted longer than rewind_s, and its law was found only later")
    return doubts


def describe_events(mem: Any, T: float) -> list[str]:
    """What could not be learnt, and what was done instead, in words."""
    found, b, s = [], summarize(mem), STATE(mem)
    if s.blind:
        found.append(
            f"{s.blind} contact(s) began after fewer than {ENOUGH} force samples of free flight: "
            "tare and noise were not known, the energy ledger had the satellites"
        )
    if s.strange:
        found.append(
            f"{s.strange} time(s) a force was felt though the known shapes were apart: "
            "wrong shapes, or a push from outside; the energy ledger had the satellites"
        )
    if s.readings.same:
        found.append(
            f"{s.readings.same} readings of a contact did not change though the "
            "mock-ups moved (a frozen sensor, or one at its range): nothing was learnt from them"
        )
    if s.readings.bad:
        found.append(f"{s.readings.bad} readings were no numbers")
    for i in range(MOST_PAIRS):
        misfit = b.get(f"contact_{i}_misfit", 0.0)
        if misfit > WORTH_SAYING and s.fits[i].chi > EXPLAINED:
            found.append(
                f"contact {i}: no law explains its samples to better than "
                f"{100.0 * misfit:.2g} % of "
                "the largest force; of those tried the nearest was used"
            )
    for body in ("chaser", "target"):
        offset = b[f"{body}_offset_m"]
        if any(offset):
            stated = ", ".join(f"{x:.4g}" for x in offset)
            found.append(
                f"the {body}'s reported poses are {1e3 * math.hypot(*offset):.3g} mm off: it was "
                f"taken off them; --set pose.{body}_offset_m='[{stated}]'"
            )
    for i in range(MOST_PAIRS):
        if f"contact_{i}_moved_m" in b:
            origin = ", ".join(f"{x:.5g}" for x in s.pairs[i].origin)
            by = 1e3 * b[f"contact_{i}_moved_m"]
            found.append(
                f"contact {i}: its surface is {abs(by):.2g} mm {'nearer' if by > 0 else 'farther'} "
                f"than the scenario's; --set contact.{i}.origin_m='[{origin}]'"
            )
        if f"contact_{i}_tilt_deg" in b:
            axis = ", ".join(f"{x:.5g}" for x in b[f"contact_{i}_axis"])
            found.append(
                f"contact {i}: the surface is tilted by {b[f'contact_{i}_tilt_deg']:.2f} +- "
                f"{b[f'contact_{i}_tilt_spread_deg']:.2g} deg against the scenario's; "
                f"--set contact.{i}.axis='[{axis}]'"
            )
    if s.contacts and not any(f"contact_{i}_law" in b for i in range(MOST_PAIRS)):
        found.append(
            "the satellites touched and no reading showed it: they flew on without a contact"
        )
    if s.overlong:
        found.append(
            f"{s.overlong} contact(s) lasted longer than rewind_s, and their law was found only "
            "later: their past was not computed anew"
        )
    return found
