"""The 3-D test, Figs. 12 to 14: the probe's path in the nozzle with and without virtual damping,
forces and torques, observed energy axis by axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import matrices_by_entry
from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.output.pages.frame.replay import replay
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.zebenay.docking_3d_runs import (
    BARE,
    DAMPING,
    NEUTRAL,
    READINGS,
    critical_dampings,
    has_left,
    locate_contacts,
    nozzle_depth,
    run_case,
    run_cases,
    tip_in_nozzle,
)
from softdock.papers.zebenay.loops import CYCLE
from softdock.results.run import Run
from softdock.results.scene import build_reference_scene, build_scene

PUBLISHED_CONTACTS = 3


def _format_mJ(value: float) -> str:
    return f"{value:+.1f} mJ"


def _describe_contacts(rows: list[dict[str, Any]]) -> str:
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


def summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {row["case"]: row for row in rows}
    bare, readings = at[BARE], [at[name] for name in READINGS]
    passive = [row for row in readings if row["observed_mJ"] <= 0.0]
    shown = [row for row in passive if row["observed_rotation_z_mJ"] < 0.0]
    verdict = (
        f"{len(passive)} of {len(readings)} readings of the published damping of 40 make the rig "
        f"passive; {_describe_contacts(rows)}. Observed energy "
        f"{_format_mJ(bare['observed_mJ'])} without damping; what 40 "
        "does depends on how it is read: "
        + ", ".join(f"{_format_mJ(row['observed_mJ'])} with {row['case']}" for row in readings)
        + "."
    )
    active = bare["observed_mJ"] > 0.0
    return Findings(
        verdict,
        [
            f"Without damping the rig is {'active, as published' if active else 'NOT active'}: "
            f"{_format_mJ(bare['observed_mJ'])}, of it "
            f"{_format_mJ(bare['observed_rotation_z_mJ'])} in rotation "
            "about z.",
            "The paper's right-hand plot shows dissipation about z with the damper. That comes out "
            + (
                "with " + " and with ".join(row["case"] for row in shown)
                if shown
                else "with no reading of 40 that makes the rig passive"
            )
            + f"; with {readings[0]['case']}, its words to the letter, the energy about z is "
            f"{_format_mJ(readings[0]['observed_rotation_z_mJ'])}"
            + (
                ": a torque damper takes next to nothing while the bodies turn by milliradians a "
                "second."
                if readings[0]["observed_rotation_z_mJ"] > 0.0
                else "."
            ),
            _describe_theory(numbers, at[NEUTRAL]["observed_mJ"], bare["observed_mJ"]),
            _describe_invented(rows, bare),
        ],
    )


def _describe_theory(numbers: dict[str, Any], neutral_mJ: float, bare_mJ: float) -> str:
    wall, bottom, forty = (
        numbers["neutral_damping_wall_Ns_per_m"],
        numbers["neutral_damping_bottom_Ns_per_m"],
        numbers["published_damping"],
    )
    return (
        "Along the normal a contact that cannot pull gives back what it took at "
        f"{wall:.0f} Ns/m (wall) and {bottom:.0f} Ns/m (bottom): {forty:g} "
        + ("is not enough" if forty < min(wall, bottom) else "is enough")
        + f". {wall:.0f} Ns/m leaves {_format_mJ(neutral_mJ)}"
        + (", next to nothing." if abs(neutral_mJ) < 0.1 * abs(bare_mJ) else ".")
    )


def _describe_invented(rows: list[dict[str, Any]], bare: dict[str, Any]) -> str:
    least = min(rows, key=lambda row: row["observed_mJ"])
    observed = bare["observed_mJ"] - least["observed_mJ"]
    added = bare["energy_added_mJ"] - least["energy_added_mJ"]
    return (
        f"From no damping to {least['case']} the observed energy falls by {observed:.1f} mJ and "
        f"the energy added by {added:.1f} mJ"
        + (
            ": the latter counts what the damper takes as taken on purpose."
            if added < observed
            else "."
        )
    )


AXES = ("force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z")
DRAWN = (next(iter(READINGS)), "40 Ns/m on all tip axes")  # by the letter, and passive


def make_test_3d() -> Exhibit:
    rows, energies = [], {}
    for name in run_cases():
        run = run_case(name)
        observed = {axis: float(run.series[f"monitor.{axis}"][-1]) for axis in AXES}
        energies[name] = observed
        contacts, places = run.contacts, locate_contacts(run)
        rows.append(
            {
                "case": name,
                "contacts": run.contact_count,
                "first_s": contacts[0]["start_s"],
                "second_s": contacts[1]["start_s"] if len(contacts) > 1 else None,
                "third_s": contacts[2]["start_s"] if len(contacts) > 2 else None,
                "second_at": places[1] if len(places) > 1 else None,
                "left": has_left(run),
                "peak_force_N": max(c["peak_force_real_N"] for c in contacts),
                "restitution_first": contacts[0]["restitution"],
                "observed_mJ": 1e3 * float(run.series["monitor.total"][-1]),
                "observed_first_contact_mJ": 1e3 * _after_first(run),
                "observed_rotation_z_mJ": 1e3 * observed["torque.z"],
                "energy_added_mJ": 1e3 * run.energy_added_J,
                "error_against_orbit": run.metrics["error_against_orbit"],
            }
        )
    (wall, wall_neutral), (bottom, bottom_neutral) = (
        critical_dampings("wall"),
        critical_dampings("bottom"),
    )
    return Exhibit(
        key="test_3d",
        title="The 3-D test: Figs. 12 to 14",
        says=summarise,
        columns=(
            Column("case", "damping"),
            Column("contacts", "contacts (published: 3)"),
            Column("first_s", "first [s]"),
            Column("second_s", "second [s]"),
            Column("third_s", "third [s]"),
            Column("second_at", "second at"),
            Column("left", "leaves at the end"),
            Column("peak_force_N", "peak force [N]"),
            Column("restitution_first", "e of the first"),
            Column("observed_mJ", "observed energy [mJ]"),
            Column("observed_first_contact_mJ", "after the first contact [mJ]"),
            Column("observed_rotation_z_mJ", "about z [mJ]"),
            Column("energy_added_mJ", "added [mJ]"),
            Column("error_against_orbit", "distance from the reference"),
        ),
        rows=rows,
        numbers={
            "critical_damping_wall_Ns_per_m": wall,
            "neutral_damping_wall_Ns_per_m": wall_neutral,
            "critical_damping_bottom_Ns_per_m": bottom,
            "neutral_damping_bottom_Ns_per_m": bottom_neutral,
            "published_damping": DAMPING,
            "figure_13": _figure_13_numbers(run_case(DRAWN[0])),
            "observed_energy_by_axis_J": energies,
        },
        assumptions=(
            "The nozzle's geometry is not published; assumed: half-angle 20 deg, mouth "
            "radius 50 mm, bottom radius 20 mm, closed; tip and mouth 1.0 m "
            "from the centres of mass; lateral offset 35 mm, gap 10 mm, 15 mm/s, isotropic "
            "4000 N/m.",
            "The paper adds a torque with a damping of 40 Ns/m about the z axis of the chaser's "
            "body. A torque damping is in Nms/rad, about the probe itself a frictionless tip makes "
            "no torque, and z is along the probe in the paper's 2-D models: every reading is a "
            "row. x is along the probe here, z normal to the plane of the first contact.",
            "Noise 0.25 N at 1000 Hz, mean of four a cycle; the virtual damper acts above 1 "
            "N, and so misses the ends of the two 5 N contacts. Energies "
            "by the monitor, force and pose paired by age, in the chaser's axes; > 0 is active.",
            "Fig. 13: force and torque along the nozzle frame N, relative velocity and position "
            "along the global frame G, as the paper says. N has the axes of the body that carries "
            "the nozzle; torques are about the chaser's centre of mass, which is not printed.",
        ),
        remarks=(),
        charts=[_replay(), *_path_charts(), *_force_charts(), *_energy_charts()],
        by_construction="the nozzle's geometry, which is not published, was chosen so that the "
        "published contacts come out",
    )


def _after_first(run: Run) -> float:
    """Observed energy between the first and the second contact [J]."""
    start = run.contacts[1]["start_s"] if len(run.contacts) > 1 else float(run.series["time"][-1])
    return float(run.series["monitor.total"][int((start - 0.1) / CYCLE)])


def _replay() -> str:
    shown = (BARE, *DRAWN)
    scenes = [
        build_reference_scene(run_case(BARE)),
        *(build_scene(run_case(name), name=name, reference=False) for name in shown),
    ]
    return replay(
        "test_3d",
        scenes,
        "The 3-D test: orbit, the rig without damping and with two readings of 40",
        charts=False,
    )


DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def _draw_line(name: str, i: int, x: np.ndarray, y: np.ndarray) -> Line:
    """Lines that lie on each other stay visible: a colour and dashes of its own, each thinner than
    the one below it."""
    dash, width = DASHES[i % len(DASHES)], max(4.2 - 0.5 * i, 1.6)
    return Line(name, ROLES[i % len(ROLES)], x, y, dash=dash, width=width)


def _path_charts() -> list[str]:
    lines = []
    for i, name in enumerate(run_cases()):
        tip = tip_in_nozzle(run_case(name))
        inside = (tip[:, 0] > -0.015) & (np.abs(tip[:, 1]) < 0.08)
        lines.append(_draw_line(name, i, 1e3 * tip[inside, 0], 1e3 * tip[inside, 1]))
    bare = run_case(BARE)
    pair, depth = bare.scenario.tables["contact"][0], 1e3 * nozzle_depth(bare)
    mouth, bottom = 1e3 * pair["mouth_radius_m"], 1e3 * pair["bottom_radius_m"]
    wall = Line(
        "nozzle",
        "mock_up",
        np.array([0.0, depth, depth, 0.0]),
        np.array([mouth, bottom, -bottom, -mouth]),
        width=3.0,
    )
    caption = "The satellites' tip as the nozzle sees it; the paper's Fig. 12 has no scale."
    return [
        chart(
            "figure_12",
            "Fig. 12: path of the probe's tip",
            [wall, *lines],
            "into the nozzle [mm]",
            "across [mm]",
            caption=caption,
            time_axis=False,
            equal=True,
            height=420,
        )
    ]


def relative_position(run: Run) -> np.ndarray:
    """The chaser's centre of mass from the target's, of the mock-ups, in the global frame G [m]."""
    s = run.series
    return np.asarray(s["mock_up.chaser.position"] - s["mock_up.target.position"])


def _figure_13_numbers(run: Run) -> dict[str, float]:
    """What Fig. 13 draws, at its start and its largest."""
    force, apart = turn_into_nozzle(run, "measured.chaser.force"), relative_position(run)
    torque = turn_into_nozzle(run, "measured.chaser.torque")
    found: dict[str, float] = {}
    for i, axis in enumerate("xyz"):
        found |= {
            f"largest_force_{axis}_N": float(np.abs(force[:, i]).max()),
            f"largest_torque_{axis}_Nm": float(np.abs(torque[:, i]).max()),
            f"start_position_{axis}_m": float(apart[0, i]),
            f"end_position_{axis}_m": float(apart[-1, i]),
        }
    return found


def turn_into_nozzle(run: Run, channel: str) -> np.ndarray:
    """A vector of the run's series, world axes, along the nozzle frame N: the axes of the mock-up
    that carries the nozzle."""
    R = matrices_by_entry(np.asarray(run.series["mock_up.target.attitude"]))
    return np.asarray(np.einsum("nji,nj->ni", R, np.asarray(run.series[channel])))


def _force_charts() -> list[str]:
    run = run_case(DRAWN[0])
    t, s = run.series["time"], run.series
    windows = [(c["start_s"], c["end_s"]) for c in run.contacts]
    forces = [
        Line(f"force {a}", ROLES[i], t, turn_into_nozzle(run, "measured.chaser.force")[:, i])
        for i, a in enumerate("xyz")
    ]
    torques = [
        Line(f"torque {a}", ROLES[i], t, turn_into_nozzle(run, "measured.chaser.torque")[:, i])
        for i, a in enumerate("xyz")
    ]
    relative = np.asarray(s["mock_up.chaser.velocity"] - s["mock_up.target.velocity"])
    positions = [
        Line(f"position {a}", ROLES[i], t, relative_position(run)[:, i])
        for i, a in enumerate("xyz")
    ]
    speeds = [Line(f"velocity {a}", ROLES[i], t, 1e3 * relative[:, i]) for i, a in enumerate("xyz")]
    return [
        chart(
            "figure_13a",
            "Fig. 13: measured force, second test, nozzle frame N",
            forces,
            "time [s]",
            "force [N]",
            windows=windows,
        ),
        chart(
            "figure_13b",
            "Fig. 13: measured torque about the chaser's centre of mass, nozzle frame N",
            torques,
            "time [s]",
            "torque [Nm]",
            windows=windows,
        ),
        chart(
            "figure_13c",
            "Fig. 13: relative velocity of the mock-ups, global frame G",
            speeds,
            "time [s]",
            "velocity [mm/s]",
            windows=windows,
        ),
        chart(
            "figure_13d",
            "Fig. 13: relative position of the mock-ups, global frame G",
            positions,
            "time [s]",
            "position [m]",
            windows=windows,
        ),
    ]


def _energy_charts() -> list[str]:
    charts = []
    for key, name in (("left", BARE), ("right", DRAWN[0]), ("right_all", DRAWN[1])):
        run = run_case(name)
        windows = [(c["start_s"], c["end_s"]) for c in run.contacts]
        lines = [
            _draw_line(
                axis.replace(".", " "),
                i,
                run.series["time"],
                1e3 * run.series[f"monitor.{axis}"],
            )
            for i, axis in enumerate(AXES)
        ]
        charts.append(
            chart(
                f"figure_14_{key}",
                f"Fig. 14: observed energy by axis, {name}",
                lines,
                "time [s]",
                "energy [mJ]",
                windows=windows,
            )
        )
    totals = [
        _draw_line(
            name,
            i,
            run_case(name).series["time"],
            1e3 * run_case(name).series["monitor.total"],
        )
        for i, name in enumerate(run_cases())
    ]
    charts.append(
        chart(
            "figure_14_total",
            "Fig. 14: observed energy in total",
            totals,
            "time [s]",
            "energy [mJ]",
        )
    )
    return charts
