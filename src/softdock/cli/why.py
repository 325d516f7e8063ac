"""`softdock why`: why a rig fails its verdict, cause by cause."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.cli.arguments import (
    CHANGES,
    METHOD_FILES,
    SCENARIO,
    format_arguments,
    load_methods,
    use_methods,
)
from softdock.cli.progress import echo, output, show_status
from softdock.results.quantities import format_percent, format_quantity


@click.command(short_help="Explain the verdict, cause by cause.")
@SCENARIO
@CHANGES
@METHOD_FILES
@click.option(
    "--phases",
    type=click.IntRange(1, 1000),
    default=2,
    show_default=True,
    metavar="N",
    help="Sampling phases simulated for each cause.",
)
@click.option(
    "--free",
    multiple=True,
    metavar="KEY",
    help="A further key that the rig can have smaller, for the advice: robots.chaser.delay_ms. May "
    "be given several times.",
)
@click.option(
    "--no-methods",
    "without_methods",
    is_flag=True,
    help="Advise settings alone, and try no other method (each may have to be compiled).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
def why(
    scenario: str,
    changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    phases: int,
    free: tuple[str, ...],
    without_methods: bool,
    as_json: bool,
) -> None:
    """Explain the verdict, cause by cause.

    The causes are switched off one by one and together: delay, lag and limits of each robot; age,
    noise, filter, dead band and bias of the force; the tool's weight, measured poses, friction,
    integrator and cycle. Each gets its share of the criterion that failed. Then softdock tries
    settings of the rig, and other methods if no setting helps. It prints lines to paste, each with
    its verdict. Exit code 0 whatever the verdict; 2: bad input.
    """
    with show_status("switching causes off (a first run compiles for about half a minute)") as say:
        from softdock.results.advice import explain
        from softdock.results.metrics import convert_to_plain
        from softdock.results.phases import judge_metrics, list_phases, simulate_metrics
        from softdock.scenario.files import load_scenario

        own_methods = load_methods(method_files)
        loaded = use_methods(load_scenario(scenario, changes), own_methods)
        arguments = format_arguments(scenario, changes, method_files)
        own = simulate_metrics(list_phases(loaded, loaded.tables["verdict"]["phases"]))
        verdict = judge_metrics(loaded, own, arguments)
        further = None if without_methods else lambda: _other_methods(loaded, say)
        result = convert_to_plain(explain(loaded, verdict, arguments, phases, free, further, say))
    if as_json:
        echo(json.dumps(result, indent=1, allow_nan=False) + "\n")
    else:
        print_causes(output(), result)


def _other_methods(loaded: Any, say: Callable[[str], None]) -> list[Any]:
    """Settings with every method that can run, as `softdock compare` sets it, with the scenario's
    own integrator and with the ideal one."""
    from softdock.cli.compile_ahead import compile_missing
    from softdock.results.causes import IDEAL_INTEGRATOR
    from softdock.results.rig_settings import Setting
    from softdock.scenario.candidates import candidates
    from softdock.studies.campaign.batch import count_cores
    from softdock.studies.compare.settings import advise_settings, list_settings_to_paste

    own = loaded.tables["satellites"]["integrator"]
    listed = [entry["name"] for entry in loaded.tables["methods"]]
    able, _ = candidates(
        loaded, "all", list(dict.fromkeys((own, IDEAL_INTEGRATOR))), advise_settings
    )
    able = [one for one in able if not set(one.methods) & set(listed)]
    compile_missing((one.scenario for one in able), count_cores(), say)
    methods: dict[str, Setting] = {}
    for one in able:
        keys: dict[str, Any] = {"methods": list_settings_to_paste(one.entries)}
        if one.integrator != own:
            keys["satellites.integrator"] = one.integrator
        methods.setdefault(one.method, Setting(f"method {one.method}", [])).values.append(keys)
    return list(methods.values())


def print_causes(to: Console, result: dict[str, Any]) -> None:
    from softdock.cli.tables import print_verdict, show_advice

    print_verdict(to, result["verdict"])
    to.print(Text(result["sentence"], style="bold"))
    show_advice(to, result["advice"])
    if result["free_flight"]:
        to.print(Text(result["free_flight"], style="yellow"))
    to.print(causes_table(result))
    to.print(
        Text(
            f"With all causes removed {format_percent(result['all_off'])} remains. A share is the "
            "mean of what a cause adds, over all orders of switching them on (Shapley value). "
            "Sensor contributions are differences between the run with and without each cause.",
            style="dim",
        )
    )


def causes_table(result: dict[str, Any]) -> Table:
    table = Table(
        title=f"{result['scenario']}: {result['of']}, {format_percent(result['number'])} (limit "
        f"{format_percent(result['bound'])}), worst of {result['phases']} phases"
    )
    headings = ("cause", "share", "alone", "without it", "left so far", "sensor part")
    for heading in headings:
        table.add_column(Text(heading), justify="left" if heading == "cause" else "right")
    for row in result["rows"]:
        split = row["of_sensor_row_J"]
        table.add_row(
            row["what"],
            format_percent(row["share"]),
            format_percent(row["alone"]),
            format_percent(row["without"]),
            format_percent(row["left"]),
            "" if split is None else format_quantity(split, "J"),
        )
    return table
