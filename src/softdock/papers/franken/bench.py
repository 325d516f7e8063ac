"""Beyond the paper, its future work: all ways to render a stiff wall on one haptic bench;
transparency, stability, robustness to parameters."""

from __future__ import annotations

from softdock.core.ports.haptics import Setting, compare
from softdock.papers.frame import Column, Exhibit

COLUMNS = (
    Column("rendering", "rendering"),
    Column("rms_speed_mm_per_s", "RMS speed at rest [mm/s]"),
    Column("mean_force_N", "mean force [N]"),
    Column("force_error", "force against static"),
    Column("least_energy_at_port_mJ", "least energy at the port [mJ]"),
    Column("stable_varied", "quiet of 8 varied by 30 %"),
    Column("worst_force_error", "worst force error, varied"),
    Column("stiffest_stable_times_limit", "quiet up to, times Colgate's limit"),
)


def make_bench() -> Exhibit:
    setting = Setting()
    rows = compare(setting)
    by_name = {row["rendering"]: row for row in rows}
    better, euler = by_name["better_step"], by_name["euler"]
    return Exhibit(
        "bench",
        "Future work: the renderings compared on one bench",
        "At ten times Colgate's limit Euler buzzes with "
        f"{1e-3 * euler['rms_speed_mm_per_s']:.1f} m/s; the better step "
        f"rests within {better['rms_speed_mm_per_s']:.1f} mm/s "
        f"and {100 * abs(better['force_error']):.2f} % of the static force.",
        COLUMNS,
        rows,
        {"limit_N_per_m": setting.limit_N_per_m, "wall_N_per_m": setting.stiffness_N_per_m},
        (
            "Device 0.1 kg, 0.1 Ns/m, 1 kHz; hand 300 N/m, 0.2 Ns/m, from +5 to -12 mm in "
            "0.25 s, then at rest; speeds "
            "from 2.0 to 3.3 s. Quiet: below 10 mm/s. Varied: mass and "
            "damping of device and stiffness and damping of hand, each +-30 %, while the "
            "methods believe the nominal device.",
            "Energy bounding (Kim) and the passivity observer (Ryu) are built from their "
            "principles as this paper "
            "describes them; their authors' own refinements are not in it.",
        ),
        (
            "In closed loop the published wall re-arms on inward motion: with the latch that "
            "Fig. 5 needs, the hand falls through once S1 is empty.",
        ),
    )
