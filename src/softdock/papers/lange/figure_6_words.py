"""What the numbers of Lange's Fig. 6 say."""

from __future__ import annotations

from typing import Any

from softdock.papers.frame import Said
from softdock.papers.lange.impact import FAMILIES

MET_SATELLITE, MET_ROBOT = 0.005, 0.025  # of the published force: as near as they were fitted


def figure_6_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    at = {(row["robots"], row["cycle_ms"], row["loop"]): row for row in rows}
    as_published = [at[family, 12.0, "published"] for family in FAMILIES]
    met = [row for row in as_published if _met(row)]
    jerk, ours, naive = (at["jerk", 12.0, loop] for loop in ("published", "softdock", "naive"))
    stops = abs(ours["servicer_m_per_s"]) < 1e-3 * abs(ours["client_m_per_s"])
    verdict = (
        f"{len(met)} of {len(as_published)} families of robots give both forces as published: with "
        f"the jerk limit {jerk['satellite_N']:.1f} N at the satellites (published "
        f"{jerk['published_satellite_N']:g}), {jerk['robot_N']:.0f} N at the robots "
        f"({jerk['published_robot_N']:g}). The servicer "
        f"{'stops' if stops else 'does NOT stop'}, the client leaves at "
        f"{ours['client_m_per_s']:.3f} m/s; the measured force, given to the satellites as it is, "
        f"multiplies their energy by {naive['energy_ratio']:.1f}."
    )
    return Said(
        verdict, [*_samples(numbers, jerk, ours), _families(met, numbers), _robots(numbers)]
    )


def _met(row: dict[str, Any]) -> bool:
    satellite, robot = row["published_satellite_N"], row["published_robot_N"]
    return (
        abs(row["satellite_N"] / satellite - 1.0) < MET_SATELLITE
        and abs(row["robot_N"] / robot - 1.0) < MET_ROBOT
    )


def _samples(n: dict[str, Any], jerk: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    ideal, low, high = (
        n["ideal_peak_N"],
        n["at_12_ms_least_at_the_satellites_N"],
        n["at_12_ms_most_at_the_satellites_N"],
    )
    printed = jerk["published_satellite_N"]
    inside = low <= printed <= high
    return [
        f"An ideal contact would reach {ideal:.1f} N. {printed:g} N "
        + ("is a matter of the samples" if inside else "is NOT reached at any phase")
        + f": over the phase a held force peaks between {low:.1f} and {high:.1f} N at 12 ms. "
        f"Sub-steps show the mean over a cycle, {ours['satellite_N']:.1f} N.",
        f"In the loop of the paper e is {jerk['restitution']:.4f} here and between "
        f"{n['at_12_ms_least_restitution']:.3f} and {n['at_12_ms_most_restitution']:.3f} over the "
        "phase, because a held force acts up to a cycle late; sub-steps with rewind give "
        f"{ours['restitution']:.6f}.",
    ]


def _families(met: list[dict[str, Any]], n: dict[str, Any]) -> str:
    explicit = n["explicit_euler_energy_ratio"]
    return (
        "Which robots the paper had cannot be told: "
        f"{', '.join(row['robots'] for row in met) or 'none'} of three families give both forces. "
        "The jerk limit is the best reading of its text, the delay with an equal lead the most "
        f"plausible machine. Explicit Euler multiplies the energy by {explicit:.1f}"
        + (": it is excluded." if abs(explicit - 1.0) > 0.1 else ".")
    )


def _robots(n: dict[str, Any]) -> str:
    """Ours beside an independent calculation, and why they are apart."""
    least, most, width = (
        n["at_12_ms_least_at_the_robots_N"],
        n["at_12_ms_most_at_the_robots_N"],
        n["robot_width_expected_N"],
    )
    low, high = n["independent_least_at_the_robots_N"], n["independent_most_at_the_robots_N"]
    again = n["as_independent_most_at_the_robots_N"]
    return (
        f"The robots' force varies with the phase as well, from {least:.0f} to {most:.0f} N at "
        f"12 ms with the jerk limit; what the robots go on in a cycle, k v T, is {width:.0f} N. An "
        f"independent calculation has {low:.0f} to {high:.0f} N, {most - high:.0f} N less: it used "
        "a jerk of 10 and not 9.63 m/s\u00b3, and read the force at the 12 ms samples. Made so, "
        f"ours reaches {again:.1f} N"
        + (", the same." if abs(again - high) < 1.0 else ", which does NOT explain it.")
    )
