"""The 3-D test, Figs. 12 to 14: the probe's path in the nozzle with and without virtual damping,
forces and torques, observed energy axis by axis."""

from __future__ import annotations

import numpy as np

from softdock.papers.frame import Column, Exhibit
from softdock.papers.zebenay.docking_3d_runs import DAMPING, cases, limits, run_of, tip_in_nozzle
from softdock.papers.zebenay.loops import CYCLE, DELAY
from softdock.report.frame.charts import ROLES, Line, chart
from softdock.report.replay import replay
from softdock.runs.run import Run
from softdock.scene import scene_of, scene_of_orbit

AXES = ("force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z")


def make_test_3d() -> Exhibit:
    rows, energies = [], {}
    for name in cases():
        run = run_of(name)
        observed = {axis: float(run.series[f"monitor.{axis}"][-1]) for axis in AXES}
        energies[name] = observed
        contacts = run.contacts
        rows.append(
            {
                "case": name,
                "contacts": run.contact_count,
                "first_s": contacts[0]["start_s"],
                "second_s": contacts[1]["start_s"] if len(contacts) > 1 else None,
                "third_s": contacts[2]["start_s"] if len(contacts) > 2 else None,
                "peak_force_N": max(c["peak_force_real_N"] for c in contacts),
                "restitution_first": contacts[0]["restitution"],
                "observed_mJ": 1e3 * float(run.series["monitor.total"][-1]),
                "observed_first_contact_mJ": 1e3 * _after_first(run),
                "observed_rotation_z_mJ": 1e3 * observed["torque.z"],
                "energy_invented_mJ": 1e3 * run.energy_invented_J,
                "distance_from_orbit": run.metrics["distance_from_orbit"],
            }
        )
    by_case = {r["case"]: r for r in rows}
    (wall, wall_neutral), (bottom, bottom_neutral) = limits("wall"), limits("bottom")
    mJ = {name: f"{by_case[name]['observed_mJ']:+.1f} mJ" for name in cases()}
    return Exhibit(
        "test_3d",
        "The 3-D test: Figs. 12 to 14",
        "Three contacts, the second at the bottom, as published. Observed energy "
        f"{mJ['no damping']} without damping, {mJ['40 about z']} with 40 about z, "
        f"{mJ['40 along the normal']} with 40 Ns/m along the normal: 40 does not make the "
        f"rig passive. {wall_neutral:.0f} Ns/m, as theory asks, leaves "
        f"{mJ['neutral along the normal']}.",
        (
            Column("case", "damping"),
            Column("contacts", "contacts (published: 3)"),
            Column("first_s", "first [s]"),
            Column("second_s", "second [s]"),
            Column("third_s", "third [s]"),
            Column("peak_force_N", "peak force [N]"),
            Column("restitution_first", "e of the first"),
            Column("observed_mJ", "observed energy [mJ]"),
            Column("observed_first_contact_mJ", "after the first contact [mJ]"),
            Column("observed_rotation_z_mJ", "about z [mJ]"),
            Column("energy_invented_mJ", "invented [mJ]"),
            Column("distance_from_orbit", "distance from orbit"),
        ),
        rows,
        {
            "critical_damping_wall_Ns_per_m": wall,
            "neutral_damping_wall_Ns_per_m": wall_neutral,
            "critical_damping_bottom_Ns_per_m": bottom,
            "neutral_damping_bottom_Ns_per_m": bottom_neutral,
            "published_damping": DAMPING,
            "observed_energy_by_axis_J": energies,
        },
        (
            "The nozzle's geometry is not published; assumed: half-angle 20 deg, mouth "
            "radius 50 mm, bottom radius 20 mm, closed; tip and mouth 1.0 m "
            "from the centres of mass; lateral offset 35 mm, gap 10 mm, 15 mm/s, isotropic "
            "4000 N/m.",
            "The paper adds a torque with a damping of 40 Ns/m about the z axis of the "
            "chaser's body. A torque damping is in Nms/rad, and about the probe "
            "itself a frictionless tip makes no torque: z is taken as the axis normal to the "
            "plane of the first contact, and 40 Nms/rad as the value. 40 "
            "Ns/m along the normal is shown beside it.",
            "Noise 0.25 N at 1000 Hz, mean of four a cycle; the virtual damper acts above 1 "
            "N, and so misses the ends of the two 5 N contacts. Energies "
            "by the monitor, force and pose paired by age, in the chaser's axes; > 0 is active.",
        ),
        (
            "The rig is active without damping, as published. The loop is stable from "
            f"{wall:.0f} Ns/m along the normal at the wall and {bottom:.0f} at "
            f"the bottom (k h alone is {4000 * DELAY:.0f}), and a contact that cannot pull "
            f"gives back what it took at {wall_neutral:.0f} and "
            f"{bottom_neutral:.0f}: 40 cannot be enough.",
            "The paper's right-hand plot shows dissipation about z with the damper. Here 40 "
            "Nms/rad about z takes next to nothing, because the bodies "
            "turn by milliradians a second; most of the energy comes in along the probe, at "
            "the bottom. The paper's unit, Ns/m, and its axis leave open "
            "what was damped.",
            "The energy invented falls less than the observed energy: it counts what the "
            "damper takes as taken on purpose.",
        ),
        [_replay(), *_path_charts(), *_force_charts(), *_energy_charts()],
    )


def _after_first(run: Run) -> float:
    """Observed energy between the first and the second contact [J]."""
    start = run.contacts[1]["start_s"] if len(run.contacts) > 1 else float(run.series["time"][-1])
    return float(run.series["monitor.total"][int((start - 0.1) / CYCLE)])


def _replay() -> str:
    first = run_of("no damping")
    scenes = [
        scene_of_orbit(first),
        *(scene_of(run_of(name), name=name, orbit=False) for name in cases()),
    ]
    return replay(
        "test_3d",
        scenes[:4],
        "The 3-D test: orbit, and the rig with three kinds of damping",
        charts=False,
    )


def _path_charts() -> list[str]:
    lines = []
    for i, name in enumerate(cases()):
        tip = tip_in_nozzle(run_of(name))
        inside = (tip[:, 0] > -0.015) & (np.abs(tip[:, 1]) < 0.08)
        lines.append(Line(name, ROLES[i], 1e3 * tip[inside, 0], 1e3 * tip[inside, 1]))
    pair = run_of("no damping").scenario.tables["contact"][0]
    mouth, bottom = 1e3 * pair["mouth_radius_m"], 1e3 * pair["bottom_radius_m"]
    depth = (mouth - bottom) / np.tan(np.radians(pair["half_angle_deg"]))
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


def _force_charts() -> list[str]:
    run = run_of("40 about z")
    t, s = run.series["time"], run.series
    windows = [(c["start_s"], c["end_s"]) for c in run.contacts]
    forces = [
        Line(f"force {a}", ROLES[i], t, s[f"measured.chaser.force.{a}"])
        for i, a in enumerate("xyz")
    ]
    torques = [
        Line(f"torque {a}", ROLES[i], t, s[f"measured.chaser.torque.{a}"])
        for i, a in enumerate("xyz")
    ]
    relative = np.asarray(s["mock_up.chaser.velocity"] - s["mock_up.target.velocity"])
    speeds = [Line(f"velocity {a}", ROLES[i], t, 1e3 * relative[:, i]) for i, a in enumerate("xyz")]
    return [
        chart(
            "figure_13a",
            "Fig. 13: measured force, second test",
            forces,
            "time [s]",
            "force [N]",
            windows=windows,
        ),
        chart(
            "figure_13b",
            "Fig. 13: measured torque about the chaser's centre of mass",
            torques,
            "time [s]",
            "torque [Nm]",
            windows=windows,
        ),
        chart(
            "figure_13c",
            "Fig. 13: relative velocity of the mock-ups",
            speeds,
            "time [s]",
            "velocity [mm/s]",
            windows=windows,
        ),
    ]


def _energy_charts() -> list[str]:
    charts = []
    for key, name in (("left", "no damping"), ("right", "40 about z")):
        run = run_of(name)
        windows = [(c["start_s"], c["end_s"]) for c in run.contacts]
        lines = [
            Line(
                axis.replace(".", " "),
                ROLES[i],
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
        Line(
            name, ROLES[i], run_of(name).series["time"], 1e3 * run_of(name).series["monitor.total"]
        )
        for i, name in enumerate(cases())
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
