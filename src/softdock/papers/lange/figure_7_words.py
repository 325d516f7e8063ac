"""What the numbers of Lange's Fig. 7 say."""

from __future__ import annotations

from typing import Any

from softdock.papers.frame import Said
from softdock.papers.lange.cone import NEITHER, OURS

PUBLISHED_CONTACTS = 4
ORDER = ("first", "second", "third", "fourth")


def figure_7_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    at = {row["loop"]: row for row in rows}
    ours, neither, naive, lead = at[OURS], at[NEITHER], at["naive"], at["lead"]
    four = ours["contacts"] == PUBLISHED_CONTACTS and ours["parting_m_per_s"] > 0.0
    times = ", ".join(f"{ours[o + '_s']:.3f}" for o in ORDER if ours[o + "_s"] is not None)
    verdict = (
        f"{ours['contacts']} contacts"
        + (" and then separation, as published," if four else f" (published: {PUBLISHED_CONTACTS})")
        + f" at {times} s. With lead and rewind the energy changes by "
        f"{ours['energy_percent']:+.0e} %; with neither by {neither['energy_percent']:+.0f} %; in "
        f"the naive loop by {naive['energy_percent']:+.0f} %, in {naive['contacts']} contacts."
    )
    held_low, held_high = numbers["held_least_percent"], numbers["held_most_percent"]
    return Said(
        verdict,
        [
            f"The force held over a cycle changes the energy by {held_low:+.2f} to "
            f"{held_high:+.2f} %, as the samples fall; in sub-steps it is "
            f"{ours['energy_percent']:+.0e} %.",
            "Lead without rewind: the first sample in contact is up to a cycle late, and the "
            f"sub-steps begin with that overlap ({lead['energy_percent']:+.2f} %).",
            _naive(numbers, naive["contacts"]),
        ],
    )


def _naive(n: dict[str, Any], contacts: int) -> str:
    """The naive loop, and the one that the independent number belongs to."""
    after = n["naive_energy_after_the_second_contact_percent"]
    low, high = n["naive_led_least_percent"], n["naive_led_most_percent"]
    other, number = n["independent_naive_led_percent"], n["naive_led_contacts"]
    near = "in that range" if low <= other <= high else "outside it"
    return (
        f"The naive loop has {after:+.0f} % more energy after its second contact, and "
        f"{contacts} in all; there is nothing to compare that with. The independent calculation's "
        f"{other:+.0f} % is that of a naive loop whose set-points are led by the delay, after four "
        f"contacts: such a loop has {number} here and {low:+.0f} to {high:+.0f} % over the "
        f"sampling phase, so {other:+.0f} % lies {near}. How that calculation led its set-points "
        "is not recorded; ours go on with the last acceleration."
    )
