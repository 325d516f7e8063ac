"""The haptic bench's page: position, force and the energy at the port, for every rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.files.atomic import write_whole
from softdock.networks.haptics import Touch
from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.output.pages.frame.elements import headline, show_number, table, text
from softdock.output.pages.frame.page import page

NEGLIGIBLE = 1e-6  # mm/s, N, mJ: smaller numbers are rounding, shown as 0
DASHES = ("solid", "dash", "dot", "dashdot")
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
        [
            row["rendering"],
            *(
                "0"
                if isinstance(row[key], float) and abs(row[key]) < NEGLIGIBLE
                else show_number(data, f"renderings.{i}.{key}", "", "bench")
                for key in keys
            ),
        ]
        for i, row in enumerate(data["renderings"])
    ]
    result = table("The wall in the hand", ["rendering", *(COLUMNS[key] for key in keys)], rows)
    sections = {
        "answer": ("", headline(_summarise(data))),
        "result": ("Quiet or buzzing", result),
        "charts": ("Over time", "\n".join(_charts(touches, data))),
    }
    lead = (
        f"A wall of {data['wall_N_per_m']:.6g} N/m; Colgate's limit for this device is "
        f"{data['limit_N_per_m']:.6g} N/m."
    )
    file = folder / "haptics.html"
    write_whole(file, page("A virtual wall in the hand", lead, sections, {"bench": data}).encode())
    return file


def _summarise(data: dict[str, Any]) -> str:
    """How many renderings are quiet, and which are not."""
    rows = data["renderings"]
    loud = [row["rendering"] for row in rows if not row["stable"]]
    wall = f"a wall of {data['wall_N_per_m'] / data['limit_N_per_m']:.3g} times Colgate's limit"
    sentence = f"{len(rows) - len(loud)} of {len(rows)} renderings of {wall} come to rest"
    return sentence + (
        f"; {' and '.join(loud)} buzz{'es' if len(loud) == 1 else ''}." if loud else "."
    )


def _charts(touches: list[Touch], data: dict[str, Any]) -> list[str]:
    """Each rendering has a small chart of its own, all in one scale; the energies are together."""
    quiet = {row["rendering"]: row["stable"] for row in data["renderings"]}

    def small(key: str, values: str, factor: float, title: str) -> str:
        charts = []
        every = [factor * getattr(t, values) for t in touches]
        least, most = (float(f([f(one) for one in every])) for f in (np.min, np.max))
        room = 0.05 * (most - least) or 1.0
        for i, (t, one) in enumerate(zip(touches, every, strict=True)):
            says = "comes to rest" if quiet.get(t.rendering) else "buzzes"
            line = Line(t.rendering, ROLES[i % len(ROLES)], t.time_s, one)
            charts.append(
                chart(
                    f"{key}-{i}",
                    f"{t.rendering}: {says}",
                    [line],
                    "time [s]",
                    title,
                    y_range=(least - room, most + room),
                    height=230,
                    layout={"showlegend": False},
                )
            )
        return f'<div class="grid small">{"".join(charts)}</div>'

    energies = [
        Line(
            t.rendering,
            ROLES[i % len(ROLES)],
            t.time_s,
            1e3 * t.energy_J,
            dash=DASHES[(i // len(ROLES) + i) % len(DASHES)],
        )
        for i, t in enumerate(touches)
    ]
    return [
        text("Position of the device; the wall is below 0. All in one scale."),
        small("bench_position", "position_m", 1e3, "position [mm]"),
        text("Force of the wall. All in one scale."),
        small("bench_force", "force_N", 1.0, "force [N]"),
        chart(
            "bench_energy",
            "Energy fed into the wall; below 0 the wall gives energy away",
            energies,
            "time [s]",
            "energy [mJ]",
        ),
    ]
