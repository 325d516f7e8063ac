"""Beyond the paper, its future work: telemanipulation with a network as local model, passivity
layer apart from transparency layer."""

from __future__ import annotations

from typing import Any

from softdock.core.ports.telemanipulation import SCHEMES, telemanipulate
from softdock.papers.frame import Column, Exhibit
from softdock.report.frame.charts import ROLES, Line, chart

DELAYS_MS = (0.0, 20.0, 50.0, 100.0)


def make_telemanipulation() -> Exhibit:
    rows: list[dict[str, Any]] = []
    for delay in DELAYS_MS:
        for scheme in SCHEMES:
            found = telemanipulate(scheme, delay, wall_known=True).numbers
            speed = found["rms_speed_mm_per_s"] if found["rms_speed_mm_per_s"] < 1e6 else None
            row = {
                "delay_ms": delay,
                "scheme": scheme,
                "stable": found["stable"],
                "rms_speed_mm_per_s": speed,
            }
            row["force_against_static"] = (
                found["mean_force_N"] / found["static_force_N"] if found["stable"] else None
            )
            rows.append(row | {"given_mJ": found["most_given_mJ"] if found["stable"] else None})
    shown = [
        telemanipulate(scheme, 50.0, wall_known=True)
        for scheme in SCHEMES
        if scheme.endswith("layered")
    ]
    lines = [Line(t.scheme, ROLES[i], t.time_s, t.force_N) for i, t in enumerate(shown)]
    layered = [r for r in rows if r["scheme"] != "reflected"]
    bare = [f"{r['delay_ms']:g}" for r in rows if r["scheme"] == "reflected" and r["stable"]]
    return Exhibit(
        "telemanipulation",
        "Future work: telemanipulation",
        f"With the passivity layer {sum(r['stable'] for r in layered)} of {len(layered)} "
        "runs are stable; without it the reflected force is stable only at "
        f"{', '.join(bare) or 'no'} ms.",
        (
            Column("delay_ms", "delay each way [ms]"),
            Column("scheme", "scheme"),
            Column("stable", "stable"),
            Column("rms_speed_mm_per_s", "RMS speed at rest [mm/s]"),
            Column("force_against_static", "force over static"),
            Column("given_mJ", "most energy given to the devices [mJ]"),
        ),
        rows,
        {"lent_mJ": shown[0].numbers["lent_mJ"]},
        (
            "Devices 0.1 and 0.2 kg, slave on 2000 N/m and 20 Ns/m, wall 1000 N/m, 1 kHz; "
            "hand as on the bench, 0.5 s. Each tank is lent 1 mJ; a share of "
            "2 % is sent each sample. The local model is a spring of the wall's stiffness "
            "that stands where the wall is. A delay of 0 is one sample.",
        ),
        (
            "A force that the tank cannot pay is scaled down: that is why the reflected "
            "force is too small at long delays, while the local model, which "
            "knows the wall, keeps its own.",
        ),
        [
            chart(
                "telemanipulation_force",
                "Force on the hand, 50 ms each way",
                lines,
                "time [s]",
                "force [N]",
            )
        ],
    )
