"""Beyond the paper, its future work: all renderings of a stiff wall on one haptic bench;
transparency, stability, robustness to parameters."""

from __future__ import annotations

from typing import Any

from softdock.networks.haptics import Setting, compare
from softdock.papers.frame import Column, Exhibit, Findings

COLUMNS = (
    Column("rendering", "rendering"),
    Column("stable", "dies down"),
    Column("growth_per_s", "growth of the RMS speed [1/s]"),
    Column("rms_speed_mm_per_s", "RMS speed at rest [mm/s]"),
    Column("mean_force_N", "mean force [N]"),
    Column("force_error", "force against static"),
    Column("least_energy_at_port_mJ", "least energy at the port [mJ]"),
    Column("stable_varied", "dies down, of 8 varied by 30 %"),
    Column("worst_force_error", "worst force error, varied"),
    Column("stiffest_stable_times_limit", "dies down up to, times Colgate's limit"),
)


def make_bench() -> Exhibit:
    setting = Setting()
    return Exhibit(
        key="bench",
        title="Future work: the renderings compared on one bench",
        says=_summarise,
        columns=COLUMNS,
        rows=compare(setting),
        numbers={
            "limit_N_per_m": setting.limit_N_per_m,
            "wall_N_per_m": setting.stiffness_N_per_m,
            "times_limit": setting.times_limit,
        },
        assumptions=(
            "Device 0.1 kg, 0.1 Ns/m, 1 kHz; hand 300 N/m, 0.2 Ns/m, from +5 to -12 mm in "
            "0.25 s, then at rest; speeds "
            "from 2.0 to 3.3 s. Dies down: the RMS speed falls from each third of the rest to the "
            "next by more than 5 % a second would; a motion that keeps its size buzzes, however "
            "small. Varied: mass and "
            "damping of device and stiffness and damping of hand, each +-30 %, while the "
            "methods believe the nominal device.",
            "Energy bounding (Kim) and the passivity observer (Ryu) are built from their "
            "principles as this paper "
            "describes them; their authors' own refinements are not in it.",
        ),
        remarks=(
            "In closed loop the published wall re-arms on inward motion: with the latch that "
            "Fig. 5 needs, the hand falls through once S1 is empty.",
        ),
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {row["rendering"]: row for row in rows}
    better, euler = at["better_step"], at["euler"]
    quiet = [row["rendering"] for row in rows if row["stable"]]
    faithful = [
        row["rendering"] for row in rows if row["stable"] and abs(row["force_error"]) < 0.05
    ]
    return Findings(
        f"At {numbers['times_limit']:g} times Colgate's limit {len(quiet)} of {len(rows)} "
        f"renderings die down, {len(faithful)} of them within 5 % of the static force: "
        f"{', '.join(faithful) or 'none'}. Euler {_describe_end(euler)}, the better step "
        f"{_describe_end(better)}, "
        f"{100 * abs(better['force_error']):.2f} % from the static force."
    )


def _describe_end(row: dict[str, Any]) -> str:
    """How a contact ends, in words."""
    word = "dies down" if row["stable"] else "buzzes"
    growth = row["growth_per_s"]
    rate = "" if growth is None else f" ({growth:+.2g} a second)"
    return f"{word} with {row['rms_speed_mm_per_s']:.3g} mm/s{rate}"
