"""What an engineer is told before a contact test: is it safe, what limits it, what to set. Words
and numbers from the same analysis.

`safe` means stable and passive: every motion of the loop decays, and one impact gives back no more
speed than it got. Both count, because a contact that cannot pull needs more damping to be neutral
than the boundary of stability says: 2 % more for EPOS on one axis, 9 % for the 15.6 kg of its
planar probe.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.studies.stability.analysis import Analysis, Item, analyse, delay_budget, total_delay
from softdock.studies.stability.critical import find_stretch
from softdock.studies.stability.impact_restitution import compute_restitutions
from softdock.studies.stability.loop import Loop

# State of the linear loop; the verdict on a rig is by its runs.
PASSIVE, NEUTRAL, ACTIVE = "stable and passive", "neutral, at the edge", "adds energy"
NEUTRAL_WITHIN = 1e-4  # of the restitution: sampling phases and rounding
PHASES = 16
TRIED, CANDIDATES, REFINEMENTS = (
    (0.002, 3.0),
    14,
    4,
)  # dampings over sqrt(stiffness mass), how many at once, and how often closer
NEAR_THE_NOSE = (
    0.9  # of the longest delay: sampling makes the nose a little blunter than the closed form says
)
MS = 1e3


@dataclass(frozen=True)
class Advice:
    """All that is said of one operating point."""

    safe: bool
    state: str  # of the linear loop; the verdict on a rig is by its runs
    sentences: list[str]
    analysis: Analysis
    budget: list[Item]
    damping_to_add_for_stability_Ns_per_m: float | None  # virtual; None: none is enough
    damping_to_add_for_neutral_bounce_Ns_per_m: float | None
    damping_to_add_for_wanted_Ns_per_m: float | None

    def as_dict(self) -> dict[str, Any]:
        more = {
            name: value for name, value in vars(self).items() if name not in ("analysis", "budget")
        }
        items = [
            {"item": i.name, "delay_s": i.delay_s, "meaning": i.meaning, "counts": i.counts}
            for i in self.budget
        ]
        return {
            **self.analysis.as_dict(),
            **more,
            "delay_budget": items,
            "total_delay_s": sum(i.delay_s for i in self.budget if i.counts),
        }


def advise(loop: Loop, wanted: float | None = None) -> Advice:
    """Advice for a loop. `wanted`: restitution that the virtual damping shall reach."""
    if wanted is not None and not 0.0 < wanted <= 1.5:
        raise BadInput(Problem("wanted_restitution", wanted, "a number > 0 and <= 1.5"))
    analysis = analyse(loop)
    stretch = find_stretch(
        loop.changed(virtual_damping=max(loop.virtual_damping, 1e-9)), "virtual_damping"
    )
    to_stability = None if stretch is None else max(stretch[0] - loop.virtual_damping, 0.0)
    to_neutral = damping_to_add(loop, 1.0)
    to_wanted = None if wanted is None else damping_to_add(loop, wanted)
    bounce = analysis.predicted_restitution
    neutral = bounce is not None and abs(bounce - 1.0) <= NEUTRAL_WITHIN
    calm = analysis.stable and bounce is not None and bounce <= 1.0 + NEUTRAL_WITHIN
    sentences = [_describe_limits(loop, analysis), _describe_bounce(analysis)]
    if neutral and not analysis.stable:
        sentences.append(
            "The loop is neutral: no margin is left, and any further delay makes it unstable."
        )
    elif not calm:
        sentences.append(_suggest_remedy(loop, analysis, to_stability, to_neutral))
    else:
        sentences.append(_describe_margin(analysis))
    if wanted is not None:
        sentences.append(_describe_wanted(wanted, to_wanted))
    state = PASSIVE if calm else (NEUTRAL if neutral else ACTIVE)
    return Advice(
        safe=calm,
        state=state,
        sentences=sentences,
        analysis=analysis,
        budget=delay_budget(loop),
        damping_to_add_for_stability_Ns_per_m=to_stability,
        damping_to_add_for_neutral_bounce_Ns_per_m=to_neutral,
        damping_to_add_for_wanted_Ns_per_m=to_wanted,
    )


def damping_to_add(loop: Loop, restitution: float) -> float | None:
    """The smallest virtual damping [Ns/m], beyond what there is, with which one impact gives back
    `restitution`; None: none does."""
    scale = math.sqrt(loop.mass * (loop.stiffness + loop.virtual_stiffness))
    tried = np.append(0.0, scale * np.geomspace(*TRIED, CANDIDATES))
    for _ in range(REFINEMENTS):
        excess = compute_restitutions(loop, tried, PHASES) - restitution
        if excess[0] <= 1e-2 * NEUTRAL_WITHIN:
            return float(tried[0])
        enough = np.flatnonzero(excess <= 0.0)
        if enough.size == 0:
            return None
        i = enough[0]
        low, high, e_low, e_high = tried[i - 1], tried[i], excess[i - 1], excess[i]
        tried = np.linspace(low, high, CANDIDATES)
    return float((low * e_high - high * e_low) / (e_high - e_low))


def _describe_limits(loop: Loop, analysis: Analysis) -> str:
    total = total_delay(loop)
    parts = ", ".join(
        f"{i.name} {MS * i.delay_s:.3g}"
        for i in delay_budget(loop)
        if i.counts and i.delay_s != 0.0
    )
    where = f"{loop.mass:.4g} kg on {loop.stiffness:.4g} N/m and {loop.damping:.4g} Ns/m"
    if loop.is_hybrid:
        where += (
            f" plus a virtual {loop.virtual_stiffness:.4g} N/m and {loop.virtual_damping:.4g} Ns/m"
        )
    state = "stable" if analysis.stable else "not stable"
    return f"{where}, with {MS * total:.3g} ms of delay ({parts or 'none'} ms): {state}."


def _describe_bounce(analysis: Analysis) -> str:
    e = analysis.predicted_restitution
    if e is None:
        return "The rebound cannot be predicted, because the contact does not end."
    if abs(e - 1.0) <= NEUTRAL_WITHIN:
        return f"Rebound speed is 100 % of the approach speed (restitution {e:.4f})."
    return f"Rebound speed is {100.0 * e:.1f} % of the approach speed (restitution {e:.4f})."


def _describe_margin(analysis: Analysis) -> str:
    m = analysis.margins
    words = []
    if m["delay_s"] is not None:
        words.append(f"{MS * m['delay_s']:.3g} ms more delay")
    if m["damping_Ns_per_m"] is not None:
        words.append(f"{m['damping_Ns_per_m']:.4g} Ns/m less damping")
    if m["stiffness_N_per_m"] is not None:
        words.append(f"{m['stiffness_N_per_m']:.4g} N/m more stiffness")
    if m["mass_kg"] is not None:
        words.append(f"{m['mass_kg']:.4g} kg less effective mass")
    return (
        f"It stays stable with up to {', or '.join(words)}."
        if words
        else "No single change of delay, damping, stiffness or mass makes it unstable."
    )


def _suggest_remedy(
    loop: Loop, analysis: Analysis, to_stability: float | None, to_neutral: float | None
) -> str:
    if to_stability is None:
        return _describe_beyond_nose(loop, analysis)
    add = (
        f"{to_stability:.4g} Ns/m of virtual damping makes it stable"
        if to_stability > 0.0
        else "It is stable as it is"
    )
    if to_neutral is None:
        return f"{add}; no virtual damping makes the rebound neutral."
    largest = max((i for i in delay_budget(loop) if i.counts), key=lambda i: i.delay_s)
    limited = (
        f" The largest delay is the {largest.name}, {MS * largest.delay_s:.3g} ms."
        if largest.delay_s > 0.0
        else ""
    )
    return (
        f"{add}, {to_neutral:.4g} Ns/m makes the rebound neutral (a contact that cannot pull needs "
        f"more).{limited}"
    )


def _describe_beyond_nose(loop: Loop, analysis: Analysis) -> str:
    longest, total = analysis.longest_delay_any_damping_bears_s, total_delay(loop)
    if (
        total < NEAR_THE_NOSE * longest
    ):  # the loop would bear damping, but not on the virtual contact's own path
        late = total + loop.pose_delay
        return (
            f"No virtual damping helps, because its own path has {MS * late:.3g} ms of delay. "
            "Compute it from the simulated pose, or measure poses sooner."
        )
    k, m = loop.stiffness + loop.virtual_stiffness, loop.mass
    ratio = (longest / total) ** 2
    return (
        f"No damping helps: the delay of {MS * total:.3g} ms is beyond {MS * longest:.3g} ms, the "
        "most that damping can stabilise at this mass and stiffness. What helps: less delay "
        f"(below {MS * longest:.3g} ms), a softer contact (below {k * ratio:.4g} N/m) or a "
        f"larger effective mass (above {m / ratio:.4g} kg), and then damping."
    )


def _describe_wanted(wanted: float, added: float | None) -> str:
    if added is None:
        return f"No virtual damping reaches a restitution of {wanted:g}."
    if added == 0.0:
        return f"The restitution is not above {wanted:g} without further damping."
    return f"{added:.4g} Ns/m of virtual damping gives a restitution of {wanted:g}."
