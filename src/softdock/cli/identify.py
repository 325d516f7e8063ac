"""`softdock identify`: what a rig is, from what it recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import METHOD_FILES, OUT_FILE, load_methods
from softdock.cli.progress import echo, output, show_status
from softdock.cli.tables import add_estimate, make_estimates_table


def identify_stiffness(
    log: Path, arm: str, point: tuple[float, float, float], as_json: bool
) -> None:
    """Identify an arm's joint stiffness from a log of known loads and measured deflections."""
    with show_status("identifying"):
        from softdock.loop.arms.sources import load_arm
        from softdock.output.folders.identified import arm_lines, read_stiffness_log
        from softdock.studies.identify.joint_stiffness import fit_joint_stiffness

        machine = load_arm(arm)
        stiffness = fit_joint_stiffness(machine, read_stiffness_log(log, machine, point))
    if as_json:
        echo(json.dumps(stiffness.to_dict(), indent=1, allow_nan=False) + "\n")
        return
    _print_stiffness(stiffness)
    output().print(arm_lines(stiffness), markup=False, soft_wrap=True)


def identify_motion(
    log: Path, robot: str, point: tuple[float, float, float], as_json: bool
) -> None:
    """Identify stiffness, damping and moving mass of joints from a log of pushes over time."""
    with show_status("identifying"):
        from softdock.loop.arms.sources import load_arm
        from softdock.output.folders.identified import (
            read_motion_log,
            read_stiffness_log,
            read_times,
        )
        from softdock.studies.identify.joint_motion import fit_arm, fit_cartesian

        if robot == "cartesian":
            motion = fit_cartesian(*read_motion_log(log))
        else:
            machine = load_arm(robot)
            motion = fit_arm(machine, read_times(log), read_stiffness_log(log, machine, point))
    if as_json:
        echo(json.dumps(motion.to_dict(), indent=1, allow_nan=False) + "\n")
        return
    table = make_estimates_table(f"Joints of {motion.robot}, from {motion.samples} samples")
    for key, one in motion.found.items():
        add_estimate(table, key, None if one is None else one.to_dict(), motion.units[key])
    show = output()
    show.print(table)
    for key, why in motion.cannot_tell.items():
        show.print(f"{key} cannot be identified: {why}", markup=False, soft_wrap=True)
    left = f"{1e3 * motion.scatter_m:.2g} mm"
    show.print(f"scatter that no joint explains: {left}", markup=False, soft_wrap=True)


def _print_stiffness(stiffness: Any) -> None:
    table = make_estimates_table(f"Joints of {stiffness.arm}, from {stiffness.rows} loads")
    for name, one in stiffness.stiffness.items():
        add_estimate(table, name, None if one is None else one.to_dict(), stiffness.units[name])
    show = output()
    show.print(table)
    for name, why in stiffness.cannot_tell.items():
        bound = stiffness.at_least.get(name)
        more = "" if bound is None else f"; at least {bound:.3g} {stiffness.units[name]}"
        show.print(f"{name} cannot be identified: {why}{more}", markup=False, soft_wrap=True)
    left = f"{1e3 * stiffness.scatter_m:.2g} mm"
    if stiffness.scatter_rad is not None:
        left += f", {1e3 * stiffness.scatter_rad:.2g} mrad"
    show.print(f"scatter that no stiffness explains: {left}", markup=False, soft_wrap=True)


@click.command(short_help="Identify contact, delays, tool and bias from a run.")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@METHOD_FILES
@click.option(
    "--tool-only",
    is_flag=True,
    help="A calibration in free motion: tool mass, centre of mass and sensor bias; no contact is "
    "looked for.",
)
@click.option(
    "--gravity",
    type=float,
    default=9.81,
    show_default=True,
    metavar="M_PER_S2",
    help="Of the laboratory: it turns a weight into a mass.",
)
@click.option(
    "--tool-mass",
    type=float,
    metavar="KG",
    help="Behind the sensor, where the readings still hold what accelerates it. [default: as its "
    "weight in the log shows, or as the map of an imported log says]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print everything as JSON, and nothing else, on standard output.",
)
@click.option(
    "--scenario",
    "scenario_out",
    type=OUT_FILE,
    metavar="FILE.toml",
    help="Write a scenario with what was identified.",
)
@click.option(
    "--base",
    metavar="SCENARIO|PRESET",
    help="The scenario to write it into. [default: the one that RUN holds]",
)
@click.option(
    "--rig",
    "rig_out",
    type=OUT_FILE,
    metavar="FILE.toml",
    help="Write a rig file with what was identified.",
)
@click.option("--rig-base", metavar="RIG|PRESET", help="The rig file to write it into.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
@click.option(
    "--joint-stiffness",
    "arm",
    metavar="ARM",
    help="RUN is a CSV file of known loads and measured deflections (docs/logs.md): the "
    "stiffness of each joint of ARM, a preset or a .toml or .urdf file.",
)
@click.option(
    "--joint-motion",
    "robot",
    metavar="ROBOT",
    help="RUN is a CSV file of forces and deflections over time, motors held (docs/logs.md): "
    "stiffness, damping and moving mass of the joints of an arm, or of `cartesian` robots.",
)
@click.option(
    "--point",
    nargs=3,
    type=float,
    default=(0.0, 0.0, 0.0),
    metavar="X Y Z",
    help="With --joint-stiffness and --joint-motion: where the loads act and the deflections were "
    "measured, in the flange's axes [m]. [default: the flange]",
)
def identify(
    run: Path,
    method_files: tuple[Path, ...],
    tool_only: bool,
    gravity: float,
    tool_mass: float | None,
    as_json: bool,
    scenario_out: Path | None,
    base: str | None,
    rig_out: Path | None,
    rig_base: str | None,
    force: bool,
    arm: str | None,
    robot: str | None,
    point: tuple[float, float, float],
) -> None:
    """Contact stiffness, damping and friction, delays, tool and sensor bias of the run in the
    folder RUN, or of the recording RUN (MCAP, or the folder of an imported log), each with its
    uncertainty, or the reason why it cannot be identified.

    From the recorded time series alone: set-points, measured poses and wrenches with their ages;
    never from the scenario.
    """
    if arm is not None:
        identify_stiffness(run, arm, point, as_json)
        return
    if robot is not None:
        identify_motion(run, robot, point, as_json)
        return
    with show_status("identifying"):
        from softdock.output.folders.run_folder import open_run
        from softdock.output.folders.sources import is_recording, open_recording
        from softdock.studies.identify import identify as identify_run

        load_methods(method_files)
        opened = open_recording(run) if is_recording(str(run)) else open_run(run)
        identified = identify_run(opened, tool_only, gravity, tool_mass)
        identification = identified.to_dict()
        texts = _make_texts(identified, opened, scenario_out, base, rig_out, rig_base)
        for path, text in texts.items():
            from softdock.output.folders.identified import write_new

            write_new(path, text, force)
    if as_json:
        echo(json.dumps(identification, indent=1, allow_nan=False) + "\n")
    else:
        _print_identified(identification)
        for path in texts:
            output().print(f"{path}: written", markup=False, soft_wrap=True)


def _make_texts(
    identification: Any,
    opened: Any,
    scenario_out: Path | None,
    base: str | None,
    rig_out: Path | None,
    rig_base: str | None,
) -> dict[Path, str]:
    """Texts of the files to write, by path; all are made before the first is written."""
    from softdock.errors import BadInput, Problem
    from softdock.output.folders.identified import update_rig_text, update_scenario_text
    from softdock.scenario.files import load_scenario

    texts = {}
    if scenario_out is not None:
        scenario = load_scenario(base) if base is not None else opened.scenario
        if scenario is None:
            allowed = "a scenario to write into, which RUN does not hold; softdock new makes one"
            raise BadInput(Problem("--base", None, allowed))
        texts[scenario_out] = update_scenario_text(identification, scenario)
    if rig_out is not None:
        if rig_base is None:
            raise BadInput(Problem("--rig-base", None, "a rig file or a preset to write into"))
        texts[rig_out] = update_rig_text(identification, rig_base)
    return texts


def _print_identified(identification: dict[str, Any]) -> None:
    table = make_estimates_table("Identified")
    contact, delay = identification["contact"], identification["delay"]
    add_estimate(
        table,
        f"contact stiffness ({_count_contacts(len(contact['contacts']))})",
        contact["stiffness_N_per_m"],
        "N/m",
    )
    add_estimate(table, "contact damping", contact["damping_Ns_per_m"], "Ns/m")
    add_estimate(table, "contact friction", contact["friction"], "-")
    add_estimate(table, "loop delay: robot and force path", delay["loop_delay_s"], "ms", 1e3)
    for body, estimate in delay["robot_delay_s"].items():
        add_estimate(table, f"delay of the {body}'s robot", estimate, "ms", 1e3)
    for name, key in (
        ("age of the forces", "force_delay_s"),
        ("age of the measured poses", "pose_delay_s"),
        ("hold, half a cycle", "hold_s"),
    ):
        if delay[key] is not None:
            table.add_row(name, f"{1e3 * delay[key]:.4g}", "", "ms")
    for body, tool in identification["tool"].items():
        add_estimate(table, f"tool on the {body}: mass", tool["mass_kg"], "kg")
        add_estimate(table, "its centre of mass", tool["centre_m"], "m")
        add_estimate(table, "bias of the force", tool["bias_N"], "N")
        add_estimate(
            table, "bias of the torque, about the satellite's centre of mass", tool["bias_Nm"], "Nm"
        )
        add_estimate(table, "mean force in free motion", tool["mean_reading_N"], "N")
    output().print(table)
    for what, why in identification["cannot_tell"].items():
        output().print(f"{what} cannot be identified: {why}", markup=False, soft_wrap=True)
    notes = [
        *identification["notes"],
        *(
            f"tool on the {body}: {tool['note']}"
            for body, tool in identification["tool"].items()
            if tool["note"] and f"tool.{body}" not in identification["cannot_tell"]
        ),
    ]
    for note in notes:
        output().print(f"note: {note}", markup=False, soft_wrap=True)


def _count_contacts(count: int) -> str:
    return "1 contact" if count == 1 else f"{count} contacts"
