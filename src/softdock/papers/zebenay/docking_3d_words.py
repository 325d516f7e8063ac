"""What the runs of Zebenay's 3-D test say, reading by reading of "40"."""

from __future__ import annotations

from typing import Any

from softdock.papers.frame import Said
from softdock.papers.zebenay.docking_3d_runs import BARE, NEUTRAL, READINGS

PUBLISHED_CONTACTS = 3


def _mJ(value: float) -> str:
    return f"{value:+.1f} mJ"


def _contacts(rows: list[dict[str, Any]]) -> str:
    """The published sequence, over the two published tests and every reading."""
    as_published = [
        row["contacts"] == PUBLISHED_CONTACTS and row["second_at"] == "bottom" and row["left"]
        for row in rows
    ]
    if all(as_published):
        return (
            f"{PUBLISHED_CONTACTS} contacts, the second at the bottom, and the probe leaves, as "
            "published, in every run"
        )
    return (
        f"The published sequence, {PUBLISHED_CONTACTS} contacts with the second at the bottom, "
        f"comes out in {sum(as_published)} of {len(rows)} runs"
    )


def said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    at = {row["case"]: row for row in rows}
    bare, readings = at[BARE], [at[name] for name in READINGS]
    passive = [row for row in readings if row["observed_mJ"] <= 0.0]
    shown = [row for row in passive if row["observed_rotation_z_mJ"] < 0.0]
    verdict = (
        f"{_contacts(rows)}. Observed energy {_mJ(bare['observed_mJ'])} without damping; what 40 "
        "does depends on how it is read: "
        + ", ".join(f"{_mJ(row['observed_mJ'])} with {row['case']}" for row in readings)
        + f". {len(passive)} of {len(readings)} readings make the rig passive."
    )
    active = bare["observed_mJ"] > 0.0
    return Said(
        verdict,
        [
            f"Without damping the rig is {'active, as published' if active else 'NOT active'}: "
            f"{_mJ(bare['observed_mJ'])}, of it {_mJ(bare['observed_rotation_z_mJ'])} in rotation "
            "about z.",
            "The paper's right-hand plot shows dissipation about z with the damper. That comes out "
            + (
                "with " + " and with ".join(row["case"] for row in shown)
                if shown
                else "with no reading of 40 that makes the rig passive"
            )
            + f"; with {readings[0]['case']}, its words to the letter, the energy about z is "
            f"{_mJ(readings[0]['observed_rotation_z_mJ'])}"
            + (
                ": a torque damper takes next to nothing while the bodies turn by milliradians a "
                "second."
                if readings[0]["observed_rotation_z_mJ"] > 0.0
                else "."
            ),
            _theory(numbers, at[NEUTRAL]["observed_mJ"], bare["observed_mJ"]),
            _invented(rows, bare),
        ],
    )


def _theory(numbers: dict[str, Any], neutral_mJ: float, bare_mJ: float) -> str:
    wall, bottom, forty = (
        numbers["neutral_damping_wall_Ns_per_m"],
        numbers["neutral_damping_bottom_Ns_per_m"],
        numbers["published_damping"],
    )
    return (
        "Along the normal a contact that cannot pull gives back what it took at "
        f"{wall:.0f} Ns/m (wall) and {bottom:.0f} Ns/m (bottom): {forty:g} "
        + ("is not enough" if forty < min(wall, bottom) else "is enough")
        + f". {wall:.0f} Ns/m leaves {_mJ(neutral_mJ)}"
        + (", next to nothing." if abs(neutral_mJ) < 0.1 * abs(bare_mJ) else ".")
    )


def _invented(rows: list[dict[str, Any]], bare: dict[str, Any]) -> str:
    least = min(rows, key=lambda row: row["observed_mJ"])
    observed = bare["observed_mJ"] - least["observed_mJ"]
    invented = bare["energy_invented_mJ"] - least["energy_invented_mJ"]
    return (
        f"From no damping to {least['case']} the observed energy falls by {observed:.1f} mJ and "
        f"the energy invented by {invented:.1f} mJ"
        + (
            ": the latter counts what the damper takes as taken on purpose."
            if invented < observed
            else "."
        )
    )
