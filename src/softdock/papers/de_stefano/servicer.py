"""The paper's future work, coupling of the servicer's arm and its base: a servicer whose free base
carries the probe on an arm of three joints docks with a satellite."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.reference import run_reference
from softdock.results.run import Run
from softdock.results.simulation import run_loop
from softdock.scenario.build import Scenario, build

MASS, INERTIA = 400.0, (150.0, 220.0, 230.0)  # kg, kg m^2: of the whole servicer
CLIENT, CLIENT_INERTIA = 900.0, 300.0
LINKS = [  # hand, two links: kg, m, kg m^2
    [12.0, 1.75, 0.0, 0.0, 0.2, 0.6, 0.6, 0.0, 0.0, 0.0],
    [15.0, 1.3, 0.0, 0.0, 0.2, 0.8, 0.8, 0.0, 0.0, 0.0],
    [18.0, 0.8, 0.02, 0.0, 0.3, 0.9, 0.9, 0.0, 0.0, 0.0],
]
PLACES = ((1.55, 0.0, 0.0), (1.05, 0.0, 0.0), (0.55, 0.05, 0.0))  # m, of the joints
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
STIFF, SOFT = (2000.0, 3000.0, 4000.0), (20.0, 30.0, 40.0)  # Nm/rad
DAMPED = 0.02  # s: damping over stiffness
STIFFNESS, SPEED, OFF = 5000.0, 0.03, 0.1  # N/m, m/s, m beside the client's centre
LATE = 16.0  # ms
DURATION = 3.0  # s
HELD = "held, damped"
JOINTS = (
    ("rigid", None, 0.0),
    ("stiff", STIFF, 0.0),
    ("soft", SOFT, 0.0),
    (HELD, STIFF, DAMPED),
    ("free", (0.0, 0.0, 0.0), 0.0),
)
ROUNDING = 1e-12  # relative
AFTER = 0.05  # s behind the last contact


def make_scenario(stiffness: Any, damping: float, delay_ms: float) -> Scenario:
    """The docking. `stiffness`: of the joints; None: the arm is rigid; `damping`: over it [s]."""
    methods: list[dict[str, Any]] = [{"name": "direct"}]
    if stiffness is not None:
        joints = [
            [*place, *axis, k, damping * k]
            for place, axis, k in zip(PLACES, AXES, stiffness, strict=True)
        ]
        methods = [{"name": "servicer_arm", "joints": joints, "links": LINKS}]
    return build(
        {
            "name": "servicer",
            "time": {"cycle_ms": 4.0, "duration_s": DURATION},
            "chaser": {
                "mass_kg": MASS,
                "inertia_kg_m2": list(INERTIA),
                "position_m": [-2.01, OFF, 0.0],
                "velocity_m_per_s": [SPEED, 0.0, 0.0],
                "rate_rad_per_s": [0.0, 0.01, 0.02],
            },
            "target": {
                "mass_kg": CLIENT,
                "inertia_kg_m2": [CLIENT_INERTIA] * 3,
                "position_m": [1.0, 0.0, 0.0],
                "rate_rad_per_s": [0.0, 0.0, 0.01],
            },
            "robots": {body: {"delay_ms": delay_ms} for body in ("chaser", "target")},
            "contact": [
                {
                    "geometry": "wall",
                    "tip_m": [2.0, 0.0, 0.0],
                    "origin_m": [-1.0, 0.0, 0.0],
                    "axis": [-1.0, 0.0, 0.0],
                    "real": {"stiffness_N_per_m": STIFFNESS},
                }
            ],
            "methods": methods,
        }
    )


def measure_drift(run: Run) -> dict[str, float]:
    """Of the servicer after the last contact, relative: its energy, damping counted, and both its
    momenta."""
    s = run.series
    rows = s["time"] > run.contacts[-1]["end_s"] + AFTER
    parts = [s[f"servicer_arm.{part}"][rows] for part in ("kinetic", "stored", "dissipated")]
    energy = np.sum(parts, axis=0)
    found = {"energy": float(np.ptp(energy) / energy[0])}
    for name in ("momentum", "angular_momentum"):
        own = s[f"servicer_arm.{name}"][rows]
        found[name] = float(np.ptp(own, axis=0).max() / np.linalg.norm(own[0]))
    return found


def _row(name: str, stiffness: Any, damping: float) -> dict[str, Any]:
    prompt, late = (make_scenario(stiffness, damping, delay) for delay in (0.0, LATE))
    orbit, run, slow = run_reference(prompt), run_loop(prompt), run_loop(late)
    total = orbit.kinetic + orbit.virtual + orbit.stored + orbit.dissipated
    row = {
        "joints": name,
        "restitution": orbit.restitution,
        "peak_N": orbit.peak_force,
        "orbit_energy": abs(total / orbit.kinetic_start - 1.0),
        "loop_restitution": run.restitution,
        "late_restitution": slow.restitution,
    }
    if stiffness is not None:
        s = run.series
        angles = np.stack([s[f"servicer_arm.angle.{i}"] for i in range(len(PLACES))], axis=1)
        row |= {f"drift_{name}": value for name, value in measure_drift(run).items()}
        row["angle_deg"] = float(np.degrees(np.abs(angles).max()))
        pair = s["servicer_arm.momentum"] + CLIENT * s["target.velocity"]
        row["pair_momentum"] = float(np.ptp(pair[1:], axis=0).max() / np.linalg.norm(pair[1]))
    return row


def make_servicer() -> Exhibit:
    rows = [_row(*given) for given in JOINTS]
    run = run_loop(make_scenario(SOFT, 0.0, 0.0))
    s = run.series
    lines = [
        Line(f"joint {i + 1}", f"c{i + 1}", s["time"], np.degrees(s[f"servicer_arm.angle.{i}"]))
        for i in range(len(PLACES))
    ]
    force = np.linalg.norm(s["true.chaser.force"], axis=1)
    lines.append(Line("contact force", "measured", s["time"], force, second=True))
    return Exhibit(
        key="servicer",
        title="Future work: a servicer with an arm on its free base",
        says=_summarise,
        columns=(
            Column("joints", "joints"),
            Column("restitution", "reference: e"),
            Column("peak_N", "peak [N]"),
            Column("orbit_energy", "|dH| / H"),
            Column("loop_restitution", "loop: e"),
            Column("late_restitution", f"{LATE:g} ms late: e"),
            Column("angle_deg", "largest angle [deg]"),
            Column("drift_energy", "loop, after contact: |dH| / H"),
            Column("drift_momentum", "|dP| / P"),
            Column("drift_angular_momentum", "|dL| / L"),
            Column("pair_momentum", "pair, whole run: |dP| / P"),
        ),
        rows=rows,
        numbers={"late_ms": LATE, "cycle_ms": 4.0},
        assumptions=(
            f"The paper names no numbers. Assumed: {MASS:g} kg with an arm of three joints, "
            f"{CLIENT:g} kg, {STIFFNESS:g} N/m, {SPEED:g} m/s, {OFF:g} m off centre; joints of "
            f"{STIFF[0]:g} to {STIFF[-1]:g} Nm/rad (stiff), {SOFT[0]:g} to {SOFT[-1]:g} Nm/rad "
            f"(soft), stiff with a damping of {DAMPED:g} s times that ({HELD}), or free.",
            "H is the energy of hand, links, base and springs, and what the joints' dampers took.",
        ),
        remarks=(
            "Motion of the whole under a held wrench is exact to rounding in every cycle: what the "
            "loop adds in a contact is the hold and the delay, as for a rigid body.",
        ),
        charts=[
            chart(
                "servicer",
                "Soft joints in the loop without delay",
                lines,
                "time [s]",
                "angle [deg]",
                second_title="force [N]",
            )
        ],
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    arms = [row for row in rows if row["joints"] != "rigid"]
    keys = ("drift_energy", "drift_momentum", "drift_angular_momentum", "pair_momentum")
    worst = max(row[key] for row in arms for key in keys)
    holds = "to rounding" if worst < ROUNDING else "not to rounding"
    e = {row["joints"]: row["restitution"] for row in rows}
    late = {row["joints"]: row["late_restitution"] for row in rows}
    return Findings(
        f"Momenta and energy of servicer and pair are kept {holds}: {worst:.1e} at most. "
        f"e = {e['rigid']:.3f} with a rigid arm, {e['stiff']:.3f} and {e['soft']:.3f} with stiff "
        f"and soft joints, {e[HELD]:.3f} with damping, {e['free']:.3f} with free ones.",
        [
            f"Robots {numbers['late_ms']:g} ms late: e = "
            + ", ".join(f"{late[name]:.3f} ({name})" for name in e)
            + ".",
            f"The reference's energy is off by {max(row['orbit_energy'] for row in rows):.1e}.",
        ],
    )
