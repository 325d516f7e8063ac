"""`softdock haptics`: is a stiff virtual wall quiet in the hand, and does it give energy away?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import (
    choose_kept_folder,
    out_option,
    prepare_folder,
)
from softdock.cli.progress import echo, output, show_status


@click.command(short_help="Simulate a haptic device at a virtual wall.")
@click.option(
    "--compare",
    is_flag=True,
    help="All renderings: transparency, stability, and device and hand varied by 30 %.",
)
@click.option(
    "--rendering",
    multiple=True,
    metavar="NAME",
    help="One way to render the wall; may be given several times. [default: all]",
)
@click.option(
    "--times-limit",
    type=float,
    default=10.0,
    show_default=True,
    help="Wall stiffness over Colgate's limit 2b/T, up to 25.",
)
@click.option("--mass-kg", type=float, default=0.1, show_default=True, help="Mass of the device.")
@click.option(
    "--damping-Ns-per-m",
    "damping",
    type=float,
    default=0.1,
    show_default=True,
    help="Of the device.",
)
@click.option(
    "--friction-N",
    "friction",
    type=float,
    default=0.0,
    show_default=True,
    help="Dry friction of the device.",
)
@click.option(
    "--resolution-m", type=float, default=0.0, show_default=True, help="Of the encoder; 0: exact."
)
@click.option("--rate-hz", type=float, default=1000.0, show_default=True, help="Sample rate.")
@click.option(
    "--acceleration-m-per-s2",
    "acceleration",
    type=float,
    default=None,
    help="Motion for which the better step stays passive; inf: no cap. [default: what device and "
    "hand can do at this wall]",
)
@click.option(
    "--alpha",
    type=float,
    default=1.0,
    show_default=True,
    help="Of the published algorithm: share of the depth at the touch with which springs start, "
    "above 0 and at most 1.",
)
@click.option(
    "--real-time",
    is_flag=True,
    help="The device is a process of its own with its own clock; force and position go over UDP.",
)
@out_option("the page", over="a page that is there is written over")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print everything as JSON, and nothing else, on standard output.",
)
def haptics(
    compare: bool,
    rendering: tuple[str, ...],
    times_limit: float,
    mass_kg: float,
    damping: float,
    friction: float,
    resolution_m: float,
    rate_hz: float,
    acceleration: float | None,
    alpha: float,
    real_time: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """A light haptic device, a hand and a virtual wall far stiffer than sampling allows: quiet or
    buzzing, with the energy at the port."""
    with show_status("touching the wall (a first run compiles for half a minute)"):
        from softdock.errors import BadInput, Problem
        from softdock.networks.haptic_loop import RENDERINGS
        from softdock.networks.haptics import Setting, check, touch
        from softdock.networks.haptics import compare as compare_all

        if compare and real_time:
            raise BadInput(Problem("real-time", True, "without --compare, whose runs are too many"))
        if not rate_hz > 0.0:
            raise BadInput(Problem("rate-hz", rate_hz, "a number > 0 [Hz]"))
        setting = Setting(
            device_mass_kg=mass_kg,
            device_damping_Ns_per_m=damping,
            device_friction_N=friction,
            encoder_resolution_m=resolution_m,
            sample_period_s=1.0 / rate_hz,
            times_limit=times_limit,
            most_acceleration_m_per_s2=acceleration,
            alpha=alpha,
        )
        chosen = rendering or RENDERINGS
        check(setting, chosen)
        folder = choose_kept_folder(out, "haptics", as_json)
        with prepare_folder(folder, force=True):
            if real_time:
                from softdock.rig.udp.haptics import touch_over_udp

                driven = [touch_over_udp(setting, name) for name in chosen]
                touches = [one.touch for one in driven]
                for one in driven:
                    one.touch.numbers = one.numbers()
            else:
                touches = [touch(setting, name) for name in chosen]
            rows = (
                [row for row in compare_all(setting) if row["rendering"] in chosen]
                if compare
                else [{"rendering": t.rendering} | t.numbers for t in touches]
            )
        data = {
            "limit_N_per_m": setting.limit_N_per_m,
            "wall_N_per_m": setting.stiffness_N_per_m,
            "renderings": rows,
        }
        page = None
        if folder is not None:
            from softdock.output.pages.haptics import write_haptics_page

            page = write_haptics_page(folder, touches, data)
    if as_json:
        echo(json.dumps(data, indent=1, allow_nan=False) + "\n")
        return
    _print_table(data, compare)
    for row in rows if real_time else []:
        output().print(
            f"{row['rendering']}: {row['rate_Hz']:.5g} Hz, {row['late']} of {row['samples']} "
            f"answers late, {row['lost']} lost; there and back "
            f"{row['round_trip_median_us']:.0f} us, 99 % within {row['round_trip_99_us']:.0f} us",
            markup=False,
            soft_wrap=True,
        )
    for row in rows:
        if "guarantee" in row:
            cap = row["cap_m_per_s2"]
            output().print(
                f"\n{row['rendering']}: {row['guarantee']}"
                + (
                    f" ({cap:.3g} m/s^2; the device reached "
                    f"{row['largest_acceleration_m_per_s2']:.3g} m/s^2)"
                    if cap is not None
                    else ""
                ),
                markup=False,
                soft_wrap=True,
            )
    output().print(f"\nThe page: {page}", markup=False, soft_wrap=True)


def _print_table(data: dict[str, Any], compared: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from softdock.output.pages.haptics import NEGLIGIBLE
    from softdock.results.quantities import format_number

    title = (
        f"A wall of {data['wall_N_per_m']:.6g} N/m; Colgate's limit is "
        f"{data['limit_N_per_m']:.6g} N/m"
    )
    table = Table(title=title, title_justify="left")
    headings = [
        "rendering",
        "",
        "RMS speed [mm/s]",
        "mean force [N]",
        "static [N]",
        "least energy at the port [mJ]",
    ]
    for i, heading in enumerate(
        [
            *headings,
            *(["dies down when varied", "dies down at every trial up to"] if compared else []),
        ]
    ):
        table.add_column(escape(heading), justify="left" if i < 2 else "right")
    for row in data["renderings"]:
        cells = [
            row["rendering"],
            row["ends"],
            *(
                format_number(row[key] if abs(row[key]) > NEGLIGIBLE else 0.0)
                for key in (
                    "rms_speed_mm_per_s",
                    "mean_force_N",
                    "static_force_N",
                    "least_energy_at_port_mJ",
                )
            ),
        ]
        if compared:
            cells += [
                f"{row['stable_varied']} of {row['runs_varied']}",
                f"{row['stiffest_stable_times_limit']:g} x",
            ]
        table.add_row(*cells)
    output().print(table)
