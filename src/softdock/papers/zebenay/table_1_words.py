"""What the numbers of Zebenay's Table 1 and Fig. 7 say."""

from __future__ import annotations

from typing import Any

from softdock.papers.frame import Said

MET = 0.05  # of a restitution: half a unit of the first printed decimal


def table_1_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    met = [row for row in rows if abs(row["difference"]) <= MET]
    missed = [row for row in rows if row not in met]
    words = f"{len(met)} of {len(rows)} entries are met within {MET:g}"
    if missed:
        words += "; not met: " + ", ".join(
            f"{row['published']:g} at {row['damping_Ns_per_m']:g} Ns/m (ours {row['ours']:.2f})"
            for row in missed
        )
    lower = sum(row["exact_delay"] < row["ours"] for row in rows)
    nearer = sum(abs(r["exact_delay"] - r["published"]) < abs(r["difference"]) for r in rows)
    slow, usual, fast = (
        numbers[f"restitution_undamped_at_{speed}_mm_per_s"] for speed in (2, 20, 50)
    )
    b_c, printed = (
        numbers["critical_damping_Ns_per_m"],
        numbers["published_critical_damping_Ns_per_m"],
    )
    moves = abs(fast - slow) > 0.01
    return Said(
        f"{words}.",
        [
            f"The exact delay of 16 ms in the linear equation (83) gives lower values in {lower} "
            f"of {len(rows)} rows, and comes nearer to the printed one in {nearer}"
            + (": the table does not tell delay from hold and integrator." if nearer else "."),
            "A coefficient of the penetration rate "
            + ("is no energy measure" if moves else "does not depend on the speed")
            + f" in the plane: without damping it is {slow:.3f} at 2 mm/s, {usual:.3f} at 20 mm/s "
            f"and {fast:.3f} at 50 mm/s" + (", because the lever turns." if moves else "."),
            f"The paper's critical damping of {printed:g} Ns/m is {b_c:.4f} by (110), "
            + ("rounded" if abs(b_c - printed) < 2.5 else "which is not that rounded")
            + "; the sampled loop with exact hold needs "
            f"{numbers['critical_damping_sampled_Ns_per_m']:.4f}.",
        ],
    )


def figure_7_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    neutral, printed = (
        numbers["neutral_damping_Ns_per_m"],
        numbers["published_neutral_damping_Ns_per_m"],
    )
    linear, sampled = (
        numbers["critical_damping_Ns_per_m"],
        numbers["critical_damping_sampled_Ns_per_m"],
    )
    added = numbers["forward_euler_adds_Ns_per_m"]
    more = neutral > linear
    explained = sampled + added - linear
    share = explained / (neutral - linear) if neutral != linear else 0.0
    return Said(
        f"{'As published' if more else 'NOT as published'}, the nonlinear loop needs "
        f"{'more' if more else 'no more'} damping than the linear limit: restitution falls to one "
        f"at {neutral:.0f} Ns/m (published: {printed:g}), the linear limit is {linear:.1f}.",
        [
            f"The paper leaves the {printed - 50.0:g} Ns/m between the two unexplained. The "
            f"sampling explains {100 * share:.0f} % of ours: the limit of the loop sampled at 4 ms "
            f"with exact hold is {sampled:.1f} Ns/m, and forward Euler adds k T / 2 = {added:g} "
            "Ns/m to it."
        ],
    )
