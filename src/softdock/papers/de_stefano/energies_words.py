"""What the numbers of De Stefano's Figs. 4, 5, 6 and 11 say."""

from __future__ import annotations

import itertools
from typing import Any

from softdock.papers.frame import Said

EXACT = 1e-9  # relative


def _exact(rows: list[dict[str, Any]]) -> bool:
    """Whether m v^2 / 2 is the continuous energy at both instants of every row."""
    return all(
        abs(row[f"kinetic_{at}_J"] - row[f"continuous_{at}_J"])
        <= EXACT * abs(row[f"continuous_{at}_J"])
        for row in rows
        for at in ("first", "second")
    )


def figure_4_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    slow, exact = rows[0], _exact(rows)
    larger = all(
        row[f"port_{at}_J"] > row[f"continuous_{at}_J"]
        for row in rows
        for at in ("first", "second")
    )
    return Said(
        f"m v^2 / 2 is {'exact' if exact else 'NOT exact'} at the samples "
        f"({slow['kinetic_first_J']:.1f} and {slow['kinetic_second_J']:.1f} J); the sum of "
        f"T F(k-1) v(k) is {'too large' if larger else 'not too large'}: "
        f"{slow['port_first_J']:.1f} and {slow['port_second_J']:.1f} J at T1.",
        [
            "H_T1 above H_c, as the printed figure has it, "
            + (
                "cannot be for a held force: m v(k)^2 / 2 is H_c at every sample."
                if exact
                else "is found here."
            )
        ],
    )


def figure_11_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    slow = rows[0]
    off = max(
        abs(row[f"port_{at}_J"] / row[f"continuous_{at}_J"] - 1.0)
        for row in rows
        for at in ("first", "second")
    )
    return Said(
        f"The port's sum with the corrected velocity comes to {slow['port_first_J']:.3f} and "
        f"{slow['port_second_J']:.3f} J at T1, H_c to {slow['continuous_first_J']:.1f} and "
        f"{slow['continuous_second_J']:.1f} J: {100 * off:.2g} % apart at most.",
        [
            "The energies that the paper shows corrected were "
            + ("exact to begin with" if _exact(rows) else "wrong to begin with")
            + " (figure_4). What the correction changes is the port's sum, and the position."
        ],
    )


def figure_5_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    held, extra = max(row["held_J"] for row in rows), numbers["largest_extra_J"]
    zero = held < EXACT * abs(extra)
    by_T = sorted(rows, key=lambda row: row["cycle_ms"])
    falls = all(a["rate_W"] < b["rate_W"] for a, b in itertools.pairwise(by_T))
    bare = numbers["smooth_drift_uncorrected_m"]
    mended = numbers["smooth_drift_previous_force_m"]
    return Said(
        f"For a held force dE is {'zero' if zero else f'up to {held:.2g} J'}, not dH (up to "
        f"{extra:.2g} J). For a smooth force and its samples |dE - dH| / T "
        f"{'falls' if falls else 'does NOT fall'} with T: "
        + ", ".join(f"{row['rate_W']:.2g} W at {row['cycle_ms']:g} ms" for row in by_T[::-1])
        + ".",
        [
            "With a smooth force the statement about drift "
            + ("turns round" if abs(bare) < 0.1 * abs(mended) else "does not turn round")
            + f": (5) ends {bare:+.2g} m off and the corrected scheme {mended:+.2g} m."
        ],
    )


def figure_6_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    gap = numbers["largest_gap_of_rectangle_and_triangle_J"]
    most = max(abs(row["gain_J"]) for row in rows)
    same = gap <= EXACT * most
    return Said(
        "In each cycle the rectangle T F v(k-1) plus the triangle dH is "
        + (
            "the gain of energy, to rounding"
            if same
            else f"up to {gap:.2g} J away from the gain of energy"
        )
        + (": the triangle is work, not an error." if same else ".")
    )
