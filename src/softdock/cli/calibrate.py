"""`softdock calibrate`: what a force sensor carries and how it is biased: plan, log, estimate."""

from __future__ import annotations

import json
from pathlib import Path

import click

from softdock.cli.arguments import OUT_FILE
from softdock.cli.progress import echo, output, show_status


@click.group(short_help="Estimate tool mass, centre of mass and sensor bias.")
def calibrate() -> None:
    """Weigh the tool behind a force sensor and find the sensor's bias, with uncertainties.

    First `softdock calibrate plan poses.csv`; hold each attitude at rest; write the mean readings
    into the file, or record or import a log of it; then `softdock calibrate estimate`.
    """


@calibrate.command(short_help="List attitudes in which mass and bias show best.")
@click.argument("file", type=OUT_FILE, metavar="POSES.csv")
@click.option("--poses", default=9, show_default=True, help="How many attitudes.")
@click.option("--most-deg", default=60.0, show_default=True, help="Largest turn of the robot.")
@click.option("--mass", default=2.0, show_default=True, help="Of the tool, about [kg].")
@click.option("--noise", default=0.2, show_default=True, help="Of a force reading [N].")
@click.option("--noise-torque", default=0.02, show_default=True, help="Of a torque reading [Nm].")
@click.option("--readings", default=1000, show_default=True, help="In each attitude.")
@click.option("--scenario", metavar="SCENARIO|PRESET", help="A run that it must be enough for.")
@click.option("--force", is_flag=True, help="Write over FILE.")
def plan(
    file: Path,
    poses: int,
    most_deg: float,
    mass: float,
    noise: float,
    noise_torque: float,
    readings: int,
    scenario: str | None,
    force: bool,
) -> None:
    """Write attitudes to POSES.csv: KUKA's A, B, C in degrees, and columns for mean readings."""
    from softdock.output.folders.identified import plan_text, write_new
    from softdock.studies.identify.pose_plan import plan_poses

    planned = plan_poses(
        poses, most_deg, mass_kg=mass, noise_N=noise, noise_Nm=noise_torque, readings=readings
    )
    write_new(file, plan_text(planned), force)
    show = output()
    show.print(
        f"{file}: {poses} attitudes. With {readings} readings in each, of {noise:g} N and "
        f"{noise_torque:g} Nm of noise: mass +- {1e3 * planned.mass_kg:.2g} g, bias +- "
        f"{planned.bias_N:.2g} N, centre +- {1e3 * planned.centre_m:.2g} mm, "
        f"+- {planned.bias_Nm:.2g} Nm.",
        markup=False,
        soft_wrap=True,
    )
    if scenario is not None:
        from softdock.results.free_flight import compute_allowed_force
        from softdock.scenario.files import load_scenario

        allowed, left = (
            compute_allowed_force(load_scenario(scenario)),
            9.81 * planned.mass_kg + planned.bias_N,
        )
        enough = "enough" if 2.0 * left <= allowed else "not enough: more attitudes or readings"
        show.print(
            f"{scenario} allows {allowed:.2g} N in free flight; two sigma of this plan: "
            f"{2.0 * left:.2g} N, {enough}.",
            markup=False,
            soft_wrap=True,
        )


@calibrate.command(short_help="Estimate mass, centre and bias from mean readings or a log.")
@click.argument("source", type=click.Path(path_type=Path), metavar="POSES.csv|RUN")
@click.option(
    "--body", type=click.Choice(("chaser", "target")), default="chaser", show_default=True
)
@click.option(
    "--gravity",
    nargs=3,
    type=float,
    default=(0.0, 0.0, -9.81),
    show_default=True,
    help="In world axes [m/s^2].",
)
@click.option("--scenario", metavar="SCENARIO|PRESET", help="A run that it must be enough for.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def estimate(
    source: Path,
    body: str,
    gravity: tuple[float, float, float],
    scenario: str | None,
    as_json: bool,
) -> None:
    """Mass, centre of mass and bias from POSES.csv with its mean readings, or from the rests of a
    recorded run (a run folder, an MCAP file, the folder of an imported log).
    """
    with show_status("calibrating"):
        from softdock.output.folders.identified import load_calibration
        from softdock.scenario.files import load_scenario
        from softdock.studies.identify.calibration import warn_if_uncertain

        calibration = load_calibration(source, body, gravity)
        warning = warn_if_uncertain(calibration, load_scenario(scenario), body) if scenario else ""
    if as_json:
        from softdock.cli.tables import calibration_to_dict

        echo(
            json.dumps(
                calibration_to_dict(calibration, scenario, warning), indent=1, allow_nan=False
            )
            + "\n"
        )
        return
    from softdock.cli.tables import print_calibration
    from softdock.output.folders.identified import calibration_lines

    print_calibration(calibration, calibration_lines(calibration, body), scenario, warning)
