"""Fig. 6 with two KR 16 beside the Cartesian robots: stiff joints, elastic joints, and the
stiffness that the re-mapping assumes."""

from __future__ import annotations

from typing import Any

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.arms import (
    CARTESIAN,
    ELASTIC,
    FILTER,
    HELD,
    JERK,
    LOOPS,
    NAIVE_LOOP,
    RIGID,
    SERIES,
    STIFF,
    find_largest_use,
    joint_energies,
    list_assumptions,
    run_arm_impact,
    stiffnesses,
)
from softdock.papers.lange.figure_6 import run_impact_of
from softdock.papers.lange.impact import (
    SEEN_AT,
    STIFFNESS,
    restitution,
    spread_shares,
    tabulate_run,
)
from softdock.results.run import Run

BEFORE, AFTER = 0.05, 0.30  # s around the contact
MET_SATELLITE, MET_ROBOT = 0.005, 0.025  # of the published force, as of the Cartesian families
PHASES = 6
INFORMED = (RIGID, SERIES, FILTER)  # what the re-mapping knows of elastic arms
CARTESIAN_LOOPS = {NAIVE_LOOP: "naive", HELD: "published", RIGID: "softdock"}


def _run(robots: str, loop: str) -> Run:
    if robots == CARTESIAN:
        return run_impact_of("jerk", CARTESIAN_LOOPS[loop])
    return run_arm_impact(robots, loop)


def _row(robots: str, loop: str) -> dict[str, Any]:
    run = _run(robots, loop)
    return {
        "robots": robots,
        "loop": loop,
        **tabulate_run(run, loop != NAIVE_LOOP),
        "client_m_per_s": float(run.series["target.velocity.x"][-1]),
    }


def make_figure_6_arms() -> Exhibit:
    elastic = run_arm_impact(ELASTIC, SERIES)
    worst, along = find_largest_use(elastic), stiffnesses(elastic)
    phases = {
        loop: [
            restitution(run_arm_impact(ELASTIC, loop, float(share)))
            for share in spread_shares(PHASES)
        ]
        for loop in INFORMED
    }
    series = 1.0 / (1e3 / STIFFNESS + sum(1.0 / k for k in along.values()))
    return Exhibit(
        key="figure_6_arms",
        title="Fig. 6 with KR 16 arms",
        says=summarise_figure_6_arms,
        columns=(
            Column("robots", "robots"),
            Column("loop", "loop"),
            Column("satellite_N", "satellites, peak (published: 157) [N]"),
            Column("robot_N", "robots, peak (published: 364) [N]"),
            Column("restitution", "restitution"),
            Column("energy_ratio", "energy, after over before"),
            Column("client_m_per_s", "client after [m/s]"),
        ),
        rows=[_row(robots, loop) for robots, loops in LOOPS.items() for loop in loops],
        numbers={
            **along,
            "with_the_contact_in_series_N_per_mm": series,
            **{f"least_restitution_{loop}": min(found) for loop, found in phases.items()},
            **{f"most_restitution_{loop}": max(found) for loop, found in phases.items()},
            **joint_energies(elastic),
            "largest_torque_Nm": worst.value,
            "largest_torque_of_its_limit": worst.share,
            "largest_torque_at_s": worst.time,
            "largest_torque_in": f"{worst.robot}, {worst.joint}",
        },
        assumptions=list_assumptions(JERK, "chosen so that stiff joints give the published 364 N"),
        charts=[_forces(), _satellite_force_chart()],
        by_construction="the joints' jerk was chosen so that stiff arms give 364 N, and the "
        "sampling phase for 157 N",
    )


def _cut_around_impact(run: Run, name: str) -> tuple[Any, Any]:
    t = run.series["time"]
    shown = (t >= SEEN_AT - BEFORE) & (t <= SEEN_AT + AFTER)
    return t[shown], run.series[name][shown]


def _forces() -> str:
    looks = {CARTESIAN: ("c1", "dash"), STIFF: ("c3", "solid"), ELASTIC: ("c4", "solid")}
    lines = []
    for robots, (role, dash) in looks.items():
        t, force = _cut_around_impact(_run(robots, RIGID), "true.chaser.force.x")
        lines.append(Line(robots, role, t, -force, dash=dash))
    return chart(
        "figure_6_arms_forces",
        "Force at the robots: Cartesian robots, stiff arms, elastic arms",
        lines,
        "time [s]",
        "force [N]",
        caption="Re-mapped in sub-steps with rewind, robots taken as rigid.",
        height=360,
    )


def _satellite_force_chart() -> str:
    looks = {RIGID: "c4", SERIES: "c3", FILTER: "c1"}
    t, force = _cut_around_impact(_run(CARTESIAN, RIGID), "satellite.target.force.x")
    lines = [Line("Cartesian robots", "orbit", t, force, dash="dash")]
    for loop, role in looks.items():
        t, force = _cut_around_impact(run_arm_impact(ELASTIC, loop), "satellite.target.force.x")
        lines.append(Line(f"elastic arms, {loop}", role, t, force))
    return chart(
        "figure_6_arms_felt",
        "Force that the client feels, by what the re-mapping knows of the arms",
        lines,
        "time [s]",
        "force [N]",
        caption="rigid: as if the arms did not give way; arm: with their stiffness at the contact; "
        "filter: by their modes, with mass and damping.",
        height=360,
    )


def _meets_published(row: dict[str, Any]) -> bool:
    satellite, robot = row["published_satellite_N"], row["published_robot_N"]
    return (
        abs(row["satellite_N"] / satellite - 1.0) < MET_SATELLITE
        and abs(row["robot_N"] / robot - 1.0) < MET_ROBOT
    )


def summarise_figure_6_arms(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {(row["robots"], row["loop"]): row for row in rows}
    stiff, held = at[STIFF, HELD], at[ELASTIC, HELD]
    verdict = (
        f"Two KR 16 with stiff joints give {stiff['satellite_N']:.1f} N at the satellites and "
        f"{stiff['robot_N']:.0f} N at the robots, "
        + ("both as published" if _meets_published(stiff) else "NOT the published pair")
        + f". With elastic joints the robots peak at {held['robot_N']:.0f} N. Over the sampling "
        f"phase these give e = {_span(numbers, RIGID)} when they are taken as rigid, "
        f"{_span(numbers, SERIES)} with their own stiffness (16), {_span(numbers, FILTER)} by the "
        "filter."
    )
    differences = [
        _compare_with_cartesian(at),
        _describe_stiffness(numbers, held, stiff),
        _describe_phase(at),
        _describe_joints(numbers),
    ]
    return Findings(verdict, differences)


def _span(n: dict[str, Any], loop: str) -> str:
    """Range of the restitution of elastic arms over the sampling phase."""
    return f"{n[f'least_restitution_{loop}']:.2f} to {n[f'most_restitution_{loop}']:.2f}"


def _describe_phase(at: dict[tuple[str, str], dict[str, Any]]) -> str:
    e = ", ".join(f"{at[ELASTIC, loop]['restitution']:.4f} ({loop})" for loop in INFORMED)
    return f"{PHASES} phases; the table has that of the published 157 N, where e = {e}."


def _compare_with_cartesian(at: dict[tuple[str, str], dict[str, Any]]) -> str:
    """Cartesian robots and stiff arms, loop by loop."""
    parts = []
    for loop in LOOPS[STIFF]:
        ours, other = at[STIFF, loop], at[CARTESIAN, loop]
        parts.append(
            f"{loop}: {ours['robot_N'] - other['robot_N']:+.1f} N at the robots, "
            f"{ours['satellite_N'] - other['satellite_N']:+.1f} N at the satellites, "
            f"{ours['restitution'] - other['restitution']:+.4f} of e"
        )
    return f"Stiff arms less Cartesian robots with the jerk limit. {'. '.join(parts)}."


def _describe_stiffness(n: dict[str, Any], held: dict[str, Any], stiff: dict[str, Any]) -> str:
    one, other = n["servicer_along_the_normal_N_per_mm"], n["client_along_the_normal_N_per_mm"]
    less = 100.0 * (held["robot_N"] / stiff["robot_N"] - 1.0)
    return (
        f"Along the normal the servicer's arm has {one:.0f} N/mm, the client's {other:.0f} N/mm, "
        f"with the contact in series {n['with_the_contact_in_series_N_per_mm']:.1f} N/mm where the "
        f"contact alone has {1e-3 * STIFFNESS:g}: the robots' peak changes by {less:+.0f} %. These "
        "rest on assumed joint stiffness."
    )


def _describe_joints(n: dict[str, Any]) -> str:
    beyond = n["largest_torque_of_its_limit"] > 1.0
    return (
        f"The joints stored up to {n['most_stored_in_joints_J']:.3g} J and their damping took "
        f"{n['dissipated_by_joints_J']:.3g} J; with these as rows the ledger is "
        f"{n['rows_less_sum_of_turnover']:.0e} of its turnover from its sum. The largest torque is "
        f"{n['largest_torque_Nm']:.0f} Nm ({n['largest_torque_in']}), "
        f"{n['largest_torque_of_its_limit']:.2f} of an assumed limit"
        + (": more than the arm could bear." if beyond else ".")
    )
