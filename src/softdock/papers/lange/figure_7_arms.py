"""Fig. 7 with two KR 16 beside the Cartesian robots: four oblique contacts on arms whose stiffness
depends on the direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.output.pages.frame.replay import replay
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.arms import (
    CARTESIAN,
    CONE_JERK,
    ELASTIC,
    FILTER,
    HELD,
    LOOPS,
    NAIVE_LOOP,
    RIGID,
    SERIES,
    STIFF,
    WRONG,
    find_largest_use,
    joint_energies,
    list_assumptions,
    run_arm_cone,
    stiffnesses,
)
from softdock.papers.lange.cone import run_cone
from softdock.papers.lange.figure_7 import LATER, ORDER, PUBLISHED_CONTACTS, parting_speed
from softdock.papers.lange.impact import energy_ratio
from softdock.results.run import Run
from softdock.results.scene import build_scene

INFORMED = (RIGID, SERIES, FILTER)  # what the re-mapping knows of elastic arms
CARTESIAN_LOOPS = {NAIVE_LOOP: "naive", HELD: "both, held", RIGID: "both"}
NOISE = 0.5  # N, of each channel of the sensor
SAME_S = 0.01  # of the instants of four contacts: a tenth of how long one lasts


def _run(robots: str, loop: str) -> Run:
    return run_cone(CARTESIAN_LOOPS[loop]) if robots == CARTESIAN else run_arm_cone(robots, loop)


def _row(robots: str, loop: str) -> dict[str, Any]:
    run = _run(robots, loop)
    starts = [c["start_s"] for c in run.contacts] + [None] * 4
    return {
        "robots": robots,
        "loop": loop,
        "contacts": len(run.contacts),
        **{f"{order}_s": starts[i] for i, order in enumerate(ORDER)},
        "satellite_N": max(c["peak_force_satellite_N"] for c in run.contacts),
        "robot_N": max(c["peak_force_real_N"] for c in run.contacts),
        "energy_percent": 100.0 * (energy_ratio(run) - 1.0),
        "parting_m_per_s": parting_speed(run),
        "ended": run.status,
        "ended_s": float(run.series["time"][-1]),
    }


def make_figure_7_arms() -> Exhibit:
    elastic = run_arm_cone(ELASTIC, SERIES)
    worst, ways = find_largest_use(elastic), _deflections(elastic)
    phases = {
        loop: [100.0 * (energy_ratio(run_arm_cone(ELASTIC, loop, x)) - 1.0) for x in LATER]
        for loop in (*INFORMED, *WRONG.values())
    }
    phases["noisy"] = [
        100.0 * (energy_ratio(run_arm_cone(ELASTIC, FILTER, x, NOISE)) - 1.0) for x in LATER
    ]
    return Exhibit(
        key="figure_7_arms",
        title="Fig. 7 with KR 16 arms",
        says=summarise_figure_7_arms,
        columns=(
            Column("robots", "robots"),
            Column("loop", "loop"),
            Column("contacts", "contacts (published: 4)"),
            *(Column(f"{order}_s", f"{order} [s]") for order in ORDER),
            Column("satellite_N", "satellites, peak [N]"),
            Column("robot_N", "robots, peak [N]"),
            Column("energy_percent", "change of energy [%]"),
            Column("ended", "end"),
        ),
        rows=[_row(robots, loop) for robots, loops in LOOPS.items() for loop in loops],
        numbers={
            **stiffnesses(elastic),
            "most_given_way_along_mm": float(max(np.abs(way[0]).max() for way in ways.values())),
            "most_given_way_across_mm": float(max(way[1].max() for way in ways.values())),
            **{f"{loop}_least_energy_percent": min(found) for loop, found in phases.items()},
            **{f"{loop}_most_energy_percent": max(found) for loop, found in phases.items()},
            **joint_energies(elastic),
            "largest_torque_Nm": worst.value,
            "largest_torque_of_its_limit": worst.share,
            "largest_torque_at_s": worst.time,
            "largest_torque_in": f"{worst.robot}, {worst.joint}",
        },
        assumptions=list_assumptions(
            CONE_JERK, "about what the Cartesian robots' 125 m/s\u00b3 are on a lever of 1.2 m"
        ),
        remarks=(
            "(16) is one stiffness along the normal, without the links' mass. The filter knows "
            "each arm by six modes, which are those of one pose, near the cone's mouth: the "
            "servicer is up to 0.3 m and 19 degrees from there when it touches.",
        ),
        charts=[_replay(), _energies(), _deflection_chart()],
    )


def _replay() -> str:
    scenes = [
        build_scene(run_arm_cone(STIFF, RIGID), name="stiff joints", reference=False),
        build_scene(run_arm_cone(ELASTIC, SERIES), name="elastic joints", reference=False),
    ]
    title = "Two KR 16 carry bar and cone: stiff and elastic joints, in step"
    return replay("figure_7_arms", scenes, title, charts=False)


def _over_time(key: str, title: str, lines: list[Line], y: str, caption: str) -> str:
    return chart(
        key,
        title,
        lines,
        "time [s]",
        y,
        caption=caption,
        time_axis=False,
        layout={"hovermode": "x unified"},
    )


def _energies() -> str:
    looks = {
        (CARTESIAN, RIGID): ("orbit", "dash"),
        (STIFF, RIGID): ("c2", "dot"),
        (ELASTIC, RIGID): ("c4", "solid"),
        (ELASTIC, SERIES): ("c3", "solid"),
        (ELASTIC, FILTER): ("c1", "solid"),
    }
    lines = []
    for (robots, loop), (role, dash) in looks.items():
        series = _run(robots, loop).series
        share = series["energy.kinetic"] / series["energy.kinetic"][0]
        lines.append(Line(f"{robots}, {loop}", role, series["time"], share, dash=dash))
    caption = (
        "It dips while a contact holds it. Elastic arms: by what the re-mapping knows of them."
    )
    return _over_time(
        "figure_7_arms_energy",
        "Kinetic energy over the first",
        lines,
        "kinetic energy over the first [-]",
        caption,
    )


def _deflections(run: Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Deflection of each mock-up from its motors' position, along the approach and across [mm]."""
    found = {}
    for body, name in (("chaser", "servicer"), ("target", "client")):
        off = 1e3 * (run.series[f"mock_up.{body}.position"] - run.series[f"seen.{body}.position"])
        found[name] = off[:, 0], np.hypot(off[:, 1], off[:, 2])
    return found


def _deflection_chart() -> str:
    run, lines = run_arm_cone(ELASTIC, SERIES), []
    for (name, (along, across)), role in zip(
        _deflections(run).items(), ("satellite", "orbit"), strict=True
    ):
        lines.append(Line(f"{name}, along", role, run.series["time"], along))
        lines.append(Line(f"{name}, across", role, run.series["time"], across, dash="dot"))
    caption = "Centres of mass of the mock-ups, re-mapped with the arms' own stiffness."
    return _over_time(
        "figure_7_arms_gave_way",
        "How far the arms gave way: along the approach and across it",
        lines,
        "mock-up less motors [mm]",
        caption,
    )


def summarise_figure_7_arms(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {(row["robots"], row["loop"]): row for row in rows}
    stiff, other = at[STIFF, RIGID], at[CARTESIAN, RIGID]
    four = stiff["contacts"] == PUBLISHED_CONTACTS
    verdict = (
        f"Stiff arms have {stiff['contacts']} contacts"
        + (", as published," if four else f" (published: {PUBLISHED_CONTACTS})")
        + f" and change the energy by {stiff['energy_percent']:+.2f} %, Cartesian robots by "
        f"{other['energy_percent']:+.0e} %. Over the sampling phase elastic arms change it by "
        f"{_span(numbers, RIGID)} % when taken as rigid, by {_span(numbers, SERIES)} % with their "
        f"own stiffness (16) and by {_span(numbers, FILTER)} % with the filter."
    )
    return Findings(
        verdict,
        [
            _describe_instants(stiff, other),
            _describe_repair(at, numbers),
            _describe_naive_loop(at),
            _describe_joints(numbers),
        ],
    )


def _describe_instants(stiff: dict[str, Any], other: dict[str, Any]) -> str:
    pairs = [(stiff[f"{order}_s"], other[f"{order}_s"]) for order in ORDER]
    apart = [1e3 * (a - b) for a, b in pairs if a is not None and b is not None]
    same = len(apart) == len(ORDER) and max(map(abs, apart)) < 1e3 * SAME_S
    delays = ", ".join(f"{ms:+.1f}" for ms in apart)
    return (
        f"Stiff arms touch {delays} ms after the Cartesian robots"
        + (": the same contacts" if same else ": other contacts")
        + f"; the robots' peak is {stiff['robot_N'] - other['robot_N']:+.0f} N from theirs, whose "
        "axes have limits and not their joints."
    )


def _span(n: dict[str, Any], loop: str) -> str:
    """Range of the change of energy with elastic arms over the sampling phase."""
    return f"{n[f'{loop}_least_energy_percent']:+.1f} to {n[f'{loop}_most_energy_percent']:+.1f}"


def _describe_repair(at: dict[tuple[str, str], dict[str, Any]], n: dict[str, Any]) -> str:
    """Whether the stiffness given to the re-mapping corrects the elastic arms."""
    worst = {
        loop: max(abs(n[f"{loop}_{end}_energy_percent"]) for end in ("least", "most"))
        for loop in INFORMED
    }
    best = min(worst, key=lambda loop: worst[loop])
    if best == RIGID:
        result = "No knowledge of the arms lets the re-mapping correct it here"
    else:
        result = (
            f"With the best knowledge of the arms ({best}), up to {worst[best]:.0f} % of error stay"
        )
    here = ", ".join(f"{at[ELASTIC, loop]['energy_percent']:+.1f} % ({loop})" for loop in INFORMED)
    wrong = ", ".join(f"{_span(n, words)} % ({words})" for words in WRONG.values())
    return (
        f"{result}; at the table's phase {here}. With a wrong stiffness of the joints, the "
        f"filter changes the energy by {wrong}; with {NOISE:g} N of noise it does by "
        f"{_span(n, 'noisy')} %. The mock-ups gave way by up to "
        f"{n['most_given_way_along_mm']:.2g} mm along the approach and "
        f"{n['most_given_way_across_mm']:.2g} mm across it."
    )


def _describe_naive_loop(at: dict[tuple[str, str], dict[str, Any]]) -> str:
    parts = []
    for robots in (CARTESIAN, STIFF, ELASTIC):
        row = at[robots, NAIVE_LOOP]
        end = "" if row["ended"] == "completed" else f", {row['ended']} at {row['ended_s']:.2f} s"
        parts.append(f"{robots} {row['energy_percent']:+.0f} %{end}")
    return f"The naive loop: {'; '.join(parts)}."


def _describe_joints(n: dict[str, Any]) -> str:
    one, other = n["servicer_along_the_normal_N_per_mm"], n["client_along_the_normal_N_per_mm"]
    beyond = n["largest_torque_of_its_limit"] > 1.0
    return (
        f"Along the cone's axis the servicer's arm has {one:.0f} N/mm, the client's {other:.0f} "
        f"N/mm, on assumed joint stiffness. The joints stored up to "
        f"{n['most_stored_in_joints_J']:.3g} J, their damping took "
        f"{n['dissipated_by_joints_J']:.3g} J, and the ledger with these rows is "
        f"{n['rows_less_sum_of_turnover']:.0e} of its turnover from its sum. The largest torque is "
        f"{n['largest_torque_Nm']:.0f} Nm ({n['largest_torque_in']}), "
        f"{n['largest_torque_of_its_limit']:.2f} of an assumed limit"
        + (": more than the arm could bear." if beyond else ".")
    )
