"""Fig. 7: four oblique impacts of a bar in a cone, the tools drawn at each; with and without lead
and rewind, and the naive loop beside."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit
from softdock.papers.lange.cone import (
    DELAY_MS,
    HELD,
    LOOPS,
    NEITHER,
    OURS,
    angular_momentum,
    change,
    cone_run,
    linear_momentum,
)
from softdock.papers.lange.figure_7_charts import figure_7_charts
from softdock.papers.lange.figure_7_words import figure_7_said
from softdock.papers.lange.impact import energy_ratio
from softdock.papers.lange.led_loop import led_runs
from softdock.report.frame.replay import replay
from softdock.runs.run import Run
from softdock.scene import scene_of, scene_of_orbit

ORDER = ("first", "second", "third", "fourth")
INDEPENDENT_NAIVE_LED = 1548.0  # %, after four contacts: design/physics.md
LATER = (0.0, 0.25, 0.5, 0.75)  # of a cycle


def _row(
    name: str,
    contacts: list[dict[str, float]],
    robot_peak: float | None,
    energy: float,
    speed: float,
) -> dict[str, Any]:
    starts = [c["start_s"] for c in contacts] + [None] * 4
    return {
        "loop": name,
        "contacts": len(contacts),
        **{f"{order}_s": starts[i] for i, order in enumerate(ORDER)},
        "peaks_satellite_N": [c["peak_force_satellite_N"] for c in contacts],
        "satellite_N": max(c["peak_force_satellite_N"] for c in contacts),
        "robot_N": robot_peak,
        "energy_percent": 100.0 * (energy - 1.0),
        "parting_m_per_s": speed,
        "linear_error": None,
        "angular_error": None,
    }


def _of_run(name: str) -> dict[str, Any]:
    run = cone_run(name)
    row = _row(
        name,
        run.contacts,
        max(c["peak_force_real_N"] for c in run.contacts),
        energy_ratio(run),
        parting(run),
    )
    return row | {
        "linear_error": change(linear_momentum(run)),
        "angular_error": change(angular_momentum(run)),
    }


def parting(run: Any) -> float:
    """How fast the satellites part at the end [m/s]."""
    return float(
        np.linalg.norm(run.series["chaser.velocity"][-1] - run.series["target.velocity"][-1])
    )


def energy_after(run: Run, contact: int) -> float:
    """Gain of kinetic energy after a contact, of the first [%]."""
    t, kinetic = run.series["time"], run.series["energy.kinetic"]
    return float(
        100.0
        * (kinetic[np.searchsorted(t, run.contacts[contact]["end_s"] + 0.02)] / kinetic[0] - 1.0)
    )


def _replay() -> str:
    """Orbit, the naive loop, and the forces re-mapped without and with lead and rewind."""
    shown = {
        "naive": "naive",
        NEITHER: "re-mapped, neither lead nor rewind",
        OURS: "re-mapped, lead and rewind",
    }
    scenes = [
        scene_of_orbit(cone_run(OURS)),
        *(scene_of(cone_run(key), name=name, orbit=False) for key, name in shown.items()),
    ]
    return replay(
        "figure_7", scenes, "A bar in a cone: orbit and three loops, in step", charts=False
    )


def make_figure_7() -> Exhibit:
    orbit = cone_run(OURS).fly_orbit()
    rows = [
        _row("orbit", orbit.contacts, None, orbit.kinetic / orbit.kinetic_start, parting(orbit))
    ]
    rows += [_of_run(name) for name in LOOPS]
    ours = next(row for row in rows if row["loop"] == OURS)
    led = led_runs(LATER)
    held = [100.0 * (energy_ratio(cone_run(HELD, later)) - 1.0) for later in LATER]
    return Exhibit(
        key="figure_7",
        title="Fig. 7: a bar in a cone",
        says=figure_7_said,
        columns=(
            Column("loop", "loop"),
            Column("contacts", "contacts (published: 4)"),
            *(Column(f"{order}_s", f"{order} [s]") for order in ORDER),
            Column("satellite_N", "satellites, peak [N]"),
            Column("robot_N", "robots, peak [N]"),
            Column("energy_percent", "change of energy [%]"),
            Column("angular_error", "angular momentum error"),
            Column("parting_m_per_s", "parting at [m/s]"),
        ),
        rows=rows,
        numbers={
            "peaks_in_orbit_N": [c["peak_force_satellite_N"] for c in orbit.contacts],
            "linear_momentum_error": ours["linear_error"],
            "naive_energy_after_the_second_contact_percent": energy_after(cone_run("naive"), 1),
            "naive_led_least_percent": min(run.energy_percent for run in led),
            "naive_led_most_percent": max(run.energy_percent for run in led),
            "naive_led_contacts": led[0].contacts,
            "independent_naive_led_percent": INDEPENDENT_NAIVE_LED,
            "held_least_percent": min(held),
            "held_most_percent": max(held),
        },
        assumptions=(
            "Published: 100 and 1000 kg, 10 and 300 kg m², a bar and a cone (Fig. 5), 100 "
            "N/mm each, four contacts. The geometry is softdock's (preset "
            "`lange_cone`): half-angle 30 deg, depth 0.3 m, apex 0.6 m from the client's "
            "centre of mass, tip 0.3 m from the servicer's, 0.1 m/s along the "
            "axis, 0.1 m beside it.",
            f"Robots: 2.3 m/s², 125 m/s³, 4.6 rad/s², 250 rad/s³, {DELAY_MS:g} ms late; T = "
            "4 ms; the lead is the delay. The contact point is the bar's tip.",
            "Loops. naive: the measured wrench straight to the satellites; the others re-map "
            "it: with neither lead nor rewind, with one, with both, in "
            "sub-steps of a cycle; held: one force a cycle, as published.",
        ),
        remarks=(
            "The paper prints no numbers with this figure; times and forces cannot be set side by "
            "side.",
        ),
        charts=[_replay(), *figure_7_charts()],
        by_construction="cone, levers, speed and offset, which are not published, were chosen so "
        "that four contacts and then separation come out",
    )
