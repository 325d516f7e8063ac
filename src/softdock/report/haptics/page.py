"""The haptic bench's page: position, force and the energy at the port, for every rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softdock.core.ports.haptics import Touch
from softdock.files.atomic import write_whole
from softdock.report.frame.charts import ROLES, Line, chart
from softdock.report.frame.elements import shown, table
from softdock.report.frame.page import page

COLUMNS = {
    "ends": "ends",
    "growth_per_s": "growth of the RMS speed [1/s]",
    "rms_speed_mm_per_s": "RMS speed at rest [mm/s]",
    "mean_force_N": "mean force [N]",
    "static_force_N": "static force [N]",
    "least_energy_at_port_mJ": "least energy at the port [mJ]",
    "stable_varied": "dies down when varied by 30 %",
    "stiffest_stable_times_limit": "dies down up to, times the limit",
}


def write_haptics_page(folder: Path, touches: list[Touch], data: dict[str, Any]) -> Path:
    """Returns the page's path."""
    keys = [key for key in COLUMNS if key in data["renderings"][0]]
    rows = [
        [row["rendering"], *(shown(data, f"renderings.{i}.{key}", "", "bench") for key in keys)]
        for i, row in enumerate(data["renderings"])
    ]
    result = table("The wall in the hand", ["rendering", *(COLUMNS[key] for key in keys)], rows)
    sections = {
        "result": ("Stable or buzzing", result),
        "charts": ("Over time", "\n".join(_charts(touches))),
    }
    lead = (
        f"A wall of {data['wall_N_per_m']:.6g} N/m; Colgate's limit for this device is "
        f"{data['limit_N_per_m']:.6g} N/m."
    )
    file = folder / "haptics.html"
    write_whole(file, page("A virtual wall in the hand", lead, sections, {"bench": data}).encode())
    return file


def _charts(touches: list[Touch]) -> list[str]:
    def lines(values: str, factor: float) -> list[Line]:
        return [
            Line(t.rendering, ROLES[i % len(ROLES)], t.time_s, factor * getattr(t, values))
            for i, t in enumerate(touches)
        ]

    return [
        chart(
            "bench_position",
            "Position of the device; the wall is below 0",
            lines("position_m", 1e3),
            "time [s]",
            "position [mm]",
        ),
        chart("bench_force", "Force of the wall", lines("force_N", 1.0), "time [s]", "force [N]"),
        chart(
            "bench_energy",
            "Energy fed into the wall; below 0 the wall gives energy away",
            lines("energy_J", 1e3),
            "time [s]",
            "energy [mJ]",
        ),
    ]
