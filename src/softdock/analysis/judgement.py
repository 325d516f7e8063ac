"""Faithful, off or unsafe: the one rule by which every command judges a rig.

In: metrics of runs of one scenario that differ in their sampling phase (or seed), and the bounds
of the scenario's table `[verdict]`. Out: a plain dict with the word, its colour, the sentence that
says why with the bounds, one next step, and the numbers they were made from.

    unsafe    a run stopped at a limit or its sensor was at its range; or invented energy that no
              method takes out is more than `unsafe_energy` of the approach energy; or a repeated or
              latched contact grows by more than `unsafe_growth`
    faithful  at the worst phase the distance from orbit is at most `faithful_distance` and the
              satellites' peak force within `faithful_peak_force` of orbit's
    off       otherwise

Methods are judged by what the satellites did with them: nothing here knows a method's name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from softdock.core.adaptation.registry import RAW

FAITHFUL, OFF, UNSAFE = "faithful", "off", "unsafe"
WORDS = (FAITHFUL, OFF, UNSAFE)  # the order is that of the numbers in a campaign's tables
COLOURS = {FAITHFUL: "green", OFF: "yellow", UNSAFE: "red"}
NEXT_TO_NOTHING = 1e-6  # of the approach energy
LARGE = 10.0  # shares above this are said as factors
Metrics = Mapping[str, Any]


def measured(m: Metrics) -> dict[str, Any]:
    """The numbers that one run is judged by; None: not defined."""
    approach, left = m["fidelity"]["approach_energy_J"], m["energy_not_taken_out_J"]
    peak, wanted = m["fidelity"]["peak_force_N"], m["fidelity"]["peak_force_orbit_N"]
    growths = [m[key] for key in ("growth_repeated", "growth_latched") if m[key] is not None]
    return {
        "status": m["status"],
        "saturated": any(event["what"] == "saturated" for event in m["events"]),
        "distance_from_orbit": m["distance_from_orbit_worst"],
        "peak_force_N": peak,
        "peak_force_orbit_N": wanted,
        "peak_force_error": None if not wanted or peak is None else peak / wanted - 1.0,
        "energy_share": left / approach if approach and left is not None else None,
        "growth": max(growths, default=None),
    }


def word_of(numbers: Metrics, bounds: Mapping[str, float]) -> str:
    """The word for one run."""
    if any(_excess(numbers, bounds, key) > 1.0 for key in ("stopped", "energy", "growth")):
        return UNSAFE
    if numbers["distance_from_orbit"] is None:
        return OFF
    far = any(_excess(numbers, bounds, key) > 1.0 for key in ("distance", "peak"))
    return OFF if far else FAITHFUL


def _excess(n: Metrics, bounds: Mapping[str, float], what: str) -> float:
    """How many times a number is its bound; 0 where it is not defined."""
    if what == "stopped":
        return math.inf if n["status"] != "completed" or n["saturated"] else 0.0
    if what == "peak":
        wanted, peak = n["peak_force_orbit_N"], n["peak_force_N"]
        if not wanted:  # nothing touches in orbit: any force is too much
            return math.inf if peak else 0.0
        return abs(n["peak_force_error"]) / bounds["faithful_peak_force"]
    key, bound = {
        "energy": ("energy_share", "unsafe_energy"),
        "growth": ("growth", "unsafe_growth"),
        "distance": ("distance_from_orbit", "faithful_distance"),
    }[what]
    return 0.0 if n[key] is None else max(float(n[key]), 0.0) / bounds[bound]


def judgement(
    runs: Sequence[Metrics],
    bounds: Mapping[str, Any],
    called: str = "",
    first_step: str = "",
    over: str = "sampling phases",
) -> dict[str, Any]:
    """Of all runs: the worst of each number decides. `called`: how a person names the scenario on
    the command line; `first_step`: what is to be mended before anything else; `over`: what the
    runs differ in."""
    each = [measured(m) for m in runs]
    words = [word_of(n, bounds) for n in each]
    word = max(words, key=WORDS.index)
    worst = {
        what: max(range(len(each)), key=lambda i: _excess(each[i], bounds, what))
        for what in ("stopped", "energy", "growth", "distance", "peak")
    }
    numbers = {
        **each[worst["distance"]],
        **{k: each[worst["peak"]][k] for k in _PEAKS},
        "energy_share": each[worst["energy"]]["energy_share"],
        "growth": each[worst["growth"]]["growth"],
        "status": each[worst["stopped"]]["status"],
        "saturated": each[worst["stopped"]]["saturated"],
    }
    if any(n["distance_from_orbit"] is None for n in each):
        numbers["distance_from_orbit"] = None
    return {
        "word": word,
        "colour": COLOURS[word],
        "sentence": _sentence(word, numbers, bounds, len(runs), over),
        "next_step": _next_step(word, runs[0], called or str(runs[0]["scenario"]), first_step),
        "bounds": {key: bounds[key] for key in bounds},
        "runs": len(runs),
        "over": over,
        "words": {one: words.count(one) for one in WORDS},
        "worst": numbers,
    }


_PEAKS = ("peak_force_N", "peak_force_orbit_N", "peak_force_error")


def share(x: float, of: str = "") -> str:
    """A share in percent, or as a factor where percent say little; `of`: of what."""
    if x < LARGE:
        return f"{100.0 * x:.3g} %" + (f" of {of}" if of else "")
    return f"{x:.3g} times" + (f" {of}" if of else "")


def _sentence(word: str, n: Metrics, bounds: Mapping[str, float], count: int, over: str) -> str:
    """What was found, the bound beside each number; what decides comes first."""
    said = {
        "stopped": _stopped(n),
        "energy": _energy(n, bounds),
        "growth": _growth(n, bounds),
        "distance": _distance(n, bounds),
        "peak": _peak(n, bounds),
    }
    first = [w for w in said if said[w] and _excess(n, bounds, w) > 1.0]
    if n["distance_from_orbit"] is None and "distance" not in first:
        first.append("distance")
    rest = [w for w in ("distance", "peak", "energy") if said[w] and w not in first]
    at = f"at the worst of {count} {over}" if count > 1 else "in this run"
    listed = [said[w] for w in (*first, *rest)]
    return f"{word.capitalize()}: {at} {'; '.join(listed)}."


def _stopped(n: Metrics) -> str:
    if n["status"] != "completed":
        return f"the run stopped ({n['status']})"
    return "the sensor was at its range" if n["saturated"] else ""


def _energy(n: Metrics, bounds: Mapping[str, float]) -> str:
    if n["energy_share"] is None:
        return ""
    bound = f"(bound {share(bounds['unsafe_energy'])})"
    if n["energy_share"] < 0.0:
        return f"it loses {share(-n['energy_share'], 'the approach energy')}"
    if n["energy_share"] < NEXT_TO_NOTHING:
        return f"no energy comes from nothing {bound}"
    of = share(n["energy_share"], "the approach energy")
    return f"{of} comes from nothing and stays {bound}"


def _growth(n: Metrics, bounds: Mapping[str, float]) -> str:
    if n["growth"] is None or n["growth"] <= bounds["unsafe_growth"]:
        return ""
    return f"its contacts grow by {share(n['growth'])} (bound {share(bounds['unsafe_growth'])})"


def _distance(n: Metrics, bounds: Mapping[str, float]) -> str:
    if n["distance_from_orbit"] is None:
        return "no distance from orbit is defined (nothing approaches, or the run ended early)"
    bound = f"(bound {share(bounds['faithful_distance'])})"
    return f"it is {share(n['distance_from_orbit'], 'the approach')} away from orbit {bound}"


def _peak(n: Metrics, bounds: Mapping[str, float]) -> str:
    bound = f"(bound {share(bounds['faithful_peak_force'])})"
    if not n["peak_force_orbit_N"]:
        felt = n["peak_force_N"]
        return f"the satellites feel {felt:.3g} N where orbit has no contact" if felt else ""
    return (
        f"the satellites feel at most {n['peak_force_N']:.3g} N where orbit has "
        f"{n['peak_force_orbit_N']:.3g} N {bound}"
    )


def _next_step(word: str, m: Metrics, called: str, first_step: str) -> str:
    """One thing to do."""
    if word == FAITHFUL:
        return (
            "Next: vary what you are not sure of (a campaign file with this scenario, "
            "docs/campaigns.md)."
        )
    if first_step:
        return f"Next: {first_step}"
    if set(m["methods"]) <= {RAW}:
        return f"Next: `softdock compare {called}` shows which method helps and how to set it."
    return f"Next: `softdock why {called}` shows what it comes from."
