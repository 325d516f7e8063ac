"""The charts of a run: where everything was, what pushed, and where the energy came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.method.memory import numbered
from softdock.methods.registry import METHODS, OBSERVER
from softdock.output.pages.frame.charts import Line, chart, choose_unit
from softdock.output.pages.run.motion_charts import SECONDS, contact_windows
from softdock.reference import Reference
from softdock.results.joint_rows import compute_rows_over_time
from softdock.results.metric import are_states_corrected
from softdock.results.quantities import NOISE
from softdock.results.run import Run
from softdock.scenario.moving_robots import fixed_bodies


def force_chart(run: Run, orbit: Reference) -> str:
    """Forces on the mock-up, on the satellite, and on the reference."""
    t = run.series["time"]
    size = {
        name: np.linalg.norm(run.series[f"{name}.chaser.force"], axis=1)
        for name in ("true", "satellite", "measured")
    }
    lines = [
        Line("on the satellite", "satellite", t, size["satellite"], width=2.4),
        Line("contact, on the mock-up", "mock_up", t, size["true"], dash="dot", width=2.0),
        Line(
            "orbit",
            "orbit",
            orbit.series["time"],
            np.linalg.norm(orbit.series["true.chaser.force"], axis=1),
            dash="dash",
        ),
    ]
    if size["measured"].any():
        lines.append(Line("measured", "measured", t, size["measured"], width=1.2, shown=False))
    caption = (
        "Magnitudes. The force on the mock-ups reaches the satellites with the delay of the loop."
    )
    if any(run.scenario.tables["hand"][body]["rows"] for body in ("chaser", "target")):
        caption += (
            " A hand's push is measured with the contact; the line of orbit is the contact alone."
        )
    return chart(
        "force",
        "Forces on the chaser",
        lines,
        SECONDS,
        "force [N]",
        caption=caption,
        windows=contact_windows(run.contacts),
    )


def energy_added(run: Run) -> np.ndarray:
    """Energy added so far [J], from kinetic energies and works, not from the rows of the energy
    balance."""
    e = {
        name: run.series[f"energy.{name}"]
        for name in ("kinetic", "kinetic_start", "external", "real", "virtual", "designed")
    }
    return np.asarray(
        e["kinetic"] - e["kinetic_start"] - e["external"] + e["real"] + e["virtual"] - e["designed"]
    )


def ledger_chart(run: Run) -> str:
    """Energy added by row of the energy balance, and the balance's residual."""
    t, total = run.series["time"], energy_added(run)
    rows = compute_rows_over_time(run.series)
    alive = {row: values for row, values in rows.items() if values.any()}
    factor, unit = choose_unit([*alive.values(), total], "J")
    lines = [
        Line("energy added", "total", t, factor * total, width=4.0)
    ]  # first, so that a row that makes up all of it shows on top
    lines += [Line(row, row, t, factor * values) for row, values in alive.items()]
    residual = np.sum(list(rows.values()), axis=0) - total
    checked = np.nanmax(np.abs(residual), initial=0.0) > NOISE["J"]  # below it the rows add up
    if checked:
        lines.append(Line("rows minus total", "measured", t, residual, second=True, width=1.2))
    idle = [row for row in rows if row not in alive]
    caption = "Above zero: energy that the loop added. Below: energy that it removed." + (
        f" Rows that stayed at zero: {', '.join(idle)}." if idle else ""
    )
    if any(r["joint_stiffness_N_per_m"] > 0.0 for r in run.scenario.tables["robots"].values()):
        caption += " The Cartesian elastic joint is part of robot here; the table has both."
    return chart(
        "ledger",
        "Energy added by the loop, by cause",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=contact_windows(run.contacts),
        second_title="check [J]" if checked else "",
        height=440,
    )


COMMANDS_DIFFER = (
    "Not a measure of activity in this run: the satellites' force is multiplied with the "
    "motion that was commanded, and set-points were sent ahead of the "
    "satellites or their past was computed anew. The energy added, above, is the measure."
)


def commands_differ(run: Run) -> bool:
    """Whether commands differed from the satellites' poses: led set-points or a rewritten past."""
    led = any(method.get("lead_ms", 0.0) > 0.0 for method in run.scenario.tables["methods"])
    return led or bool(run.series["energy.rewound"].any())


def _observed_energies(run: Run) -> dict[str, np.ndarray]:
    """Observed energies [J] that the listed methods recorded."""
    listed, found = [entry["name"] for entry in run.scenario.tables["methods"]], {}
    for name, prefix in zip(listed, numbered(listed), strict=True):
        for channel in METHODS[name].observes:
            found[f"{prefix}, {channel.replace('.', ' ')}"] = run.series[f"{prefix}.{channel}"]
    return found


def observed_chart(run: Run) -> str:
    """Zebenay's observed energy: in total, and by axis if a monitor recorded it."""
    t, total = run.series["time"], run.series["energy.observed"]
    alive = {name: values for name, values in _observed_energies(run).items() if values.any()}
    factor, unit = choose_unit([total, *alive.values()], "J")
    lines = [Line("observed", "total", t, factor * total, width=3.0)]
    lines += [
        Line(name, f"c{1 + i % 8}", t, factor * values)
        for i, (name, values) in enumerate(alive.items())
    ]
    caption = (
        "Energy computed from the rig's own signals: above zero it gave the satellites more "
        "than the contact gave back."
    )
    if commands_differ(run):
        caption = COMMANDS_DIFFER
    elif are_states_corrected(run):
        caption += (
            " What a method moved by correcting the satellites' states is not in it: here it "
            "overstates what they got."
        )
    caption += (
        f" By axis where the {OBSERVER} watched, paired by age."
        if alive
        else f" By axis with the method {OBSERVER}."
    )
    return chart(
        "observed",
        "Observed energy",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=contact_windows(run.contacts),
    )


BOTH = "Kinetic energy of both satellites"


def kinetic_chart(run: Run, orbit: Reference) -> str:
    """Kinetic energy of the satellites and of the reference."""
    loop, ideal = run.series["energy.kinetic"], orbit.series["energy.kinetic"]
    factor, unit = choose_unit([loop, ideal], "J")
    lines = [
        Line("satellites", "satellite", run.series["time"], factor * loop, width=2.4),
        Line("orbit", "orbit", orbit.series["time"], factor * ideal, dash="dash"),
    ]
    caption = "In contact some of it is stored in the spring."
    return chart(
        "kinetic",
        "Kinetic energy of the satellite" if fixed_bodies(run.scenario.tables) else BOTH,
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=contact_windows(run.contacts),
    )


def phases_chart(metrics: Mapping[str, Any]) -> str:
    """Restitution and distance from the reference over the sampling phase, the fraction of a cycle
    at which the contact begins."""
    runs = sorted(
        (r for r in metrics["phases"]["runs"] if r["phase"] is not None), key=lambda r: r["phase"]
    )
    if not runs:
        return ""
    phase = np.array([r["phase"] for r in runs])
    lines = [
        Line(
            name,
            role,
            phase,
            np.array([np.nan if r[key] is None else r[key] for r in runs], dtype=float),
        )
        for name, role, key in (
            ("restitution", "satellite", "restitution"),
            ("error against the reference", "robot", "error_against_orbit"),
        )
    ]
    caption = "Where in a cycle the touch falls is chance on a rig; one run is one draw."
    return chart(
        "phases",
        "What chance does",
        lines,
        "sampling phase [cycles]",
        "value [-]",
        caption=caption,
        time_axis=False,
        markers=True,
    )
