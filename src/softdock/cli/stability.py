"""`softdock stability`: how much delay does the rig bear, is it safe, and what should be set? From
a scenario, or from four numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from softdock.cli.arguments import (
    CHANGES,
    FAIL_ON,
    METHOD_FILES,
    OUT_FILE,
    ScenarioName,
    exit_if_failed,
)
from softdock.cli.progress import echo, show_status
from softdock.errors import BadInput, Problem

INTEGRATORS = (
    "exact_hold",
    "symplectic_euler",
    "forward_euler",
    "lie_rk4",
    "lie_midpoint",
    "lie_split",
)


@click.command(short_help="Find the delay and damping that keep the loop stable.")
@click.argument("scenario", type=ScenarioName(), metavar="[SCENARIO|PRESET]", required=False)
@CHANGES
@METHOD_FILES
@click.option("--mass", type=float, metavar="KG", help="Effective mass, without a scenario.")
@click.option(
    "--stiffness", type=float, metavar="N/M", help="Contact stiffness, without a scenario."
)
@click.option(
    "--damping",
    type=float,
    metavar="NS/M",
    help="Contact damping, real plus virtual, without a scenario. [default: 0]",
)
@click.option("--delay-ms", type=float, metavar="MS", help="Delay of the loop, without a scenario.")
@click.option(
    "--cycle-ms",
    type=float,
    metavar="MS",
    help="Sampled: force held over this cycle. Without it the continuous loop.",
)
@click.option(
    "--integrator",
    type=click.Choice(INTEGRATORS),
    help="Of the sampled loop, without a scenario. [default: exact_hold]",
)
@click.option(
    "--wanted-restitution",
    type=float,
    metavar="E",
    help="Also give the virtual damping that reaches this restitution.",
)
@click.option(
    "--depth-mm",
    type=float,
    metavar="MM",
    help="Depth at which a non-linear contact is linearised. [default: where the approach would "
    "stop]",
)
@click.option(
    "--tilt-deg",
    type=click.FloatRange(0.0, 180.0),
    metavar="DEG",
    help="How far the chaser may be turned from its attitude where a compliance device meets the "
    "normals. [default: 10]",
)
@click.option(
    "--at",
    type=click.Choice(["start", "touch"]),
    help="Attitudes of the bodies: of the start, or of the reference's first touch. [default: "
    "touch if a body turns, else start]",
)
@click.option(
    "--uncertain",
    multiple=True,
    metavar="NAME=RANGE",
    help="A parameter known only roughly (mass, stiffness, damping, delay_ms): 10% (either way), "
    "900:1100, or 1000~50 (mean~deviation). Gives worst case and "
    "probability. May be given several times.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Draws for the probability.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draws.")
@click.option(
    "--chart",
    type=OUT_FILE,
    metavar="FILE",
    help="Also draw a chart: .png or .svg (needs the extra 'figures'), or .html.",
)
@click.option(
    "--figure",
    type=click.Choice(["5", "6", "7", "10"]),
    default="5",
    show_default=True,
    help="Which of Zebenay's figures the chart is like.",
)
@click.option(
    "--vary",
    multiple=True,
    metavar="NAME=V,V,...",
    help="Values of mass, stiffness or damping for the curves of figures 6 and 10.",
)
@click.option(
    "--dot",
    "dots",
    multiple=True,
    metavar="DELAY_MS:DAMPING[:RESTITUTION]",
    help="A measured point on the chart. May be given several times.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="FOLDER",
    help="A run folder as a dot on the chart. May be given several times.",
)
@click.option(
    "--no-runs",
    "without_runs",
    is_flag=True,
    help="Only the linear analysis, without simulated runs and without a verdict.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0.0, min_open=True),
    default=30.0,
    metavar="SECONDS",
    help="CPU time after which a loop that is too large is refused. [default: 30]",
)
@FAIL_ON
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on standard output."
)
def stability(
    scenario: str | None,
    changes: tuple[str, ...],
    fail_on: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the critical delay of the loop, what limits it, and the virtual damping that makes a
    rebound neutral.

    Give a scenario, or --mass, --stiffness, --damping and --delay-ms. A scenario first gets the
    verdict of `softdock run`, with its methods, over its sampling phases. The linear analysis
    follows; it names the methods that it leaves out.

    Exit code 0: done, whether the rig is stable or not; 2: bad input; 4: --fail-on, by the verdict.
    """
    if fail_on is not None and (scenario is None or options["without_runs"]):
        raise click.UsageError("--fail-on needs a verdict: a scenario, and no --no-runs")
    with show_status("analysing the loop") as say:
        from softdock.cli.arguments import format_arguments
        from softdock.cli.stability_options import load_scenario_option, operating_points

        loaded = load_scenario_option(scenario, changes, options)
        points = operating_points(loaded, options)
        with _limit_time(points, options["patience"]):
            result = _analyse(points, options, say)
        if loaded is not None:
            result |= _analyse_dead_bands(loaded, points)
            result |= _analyse_latched(loaded, options["without_runs"], say)
        if scenario is not None and loaded is not None and not options["without_runs"]:
            say("judging its runs")
            result |= _judge(loaded, format_arguments(scenario, changes, options["method_files"]))
        if options["chart"] is not None:
            say("drawing the chart")
            with _limit_time(points, options["patience"]):
                result["chart"] = _draw_chart(points, result, options)
    if as_json:
        from softdock.results.metrics import convert_to_plain

        echo(json.dumps(convert_to_plain(result), indent=2, allow_nan=False) + "\n")
    else:
        from softdock.cli.stability_tables import print_stability

        print_stability(result)
    exit_if_failed(fail_on, result.get("verdict"))


@contextmanager
def _limit_time(points: list[Any], patience: float) -> Iterator[None]:
    """Refuse a loop that takes longer than `patience` [s]."""
    from softdock.studies.stability.time_limit import TimeLimitExceeded, limit_time

    try:
        with limit_time(patience):
            yield
    except TimeLimitExceeded as error:
        cycles = max(_delay_cycles(point.loop) for point in points)
        allowed = f"more, or fewer cycles of delay than {cycles:.0f} ({error})"
        raise BadInput(Problem("--patience", f"{patience:g} s", allowed)) from None


def _judge(loaded: Any, called: str) -> dict[str, Any]:
    """The verdict of `softdock run`, or why there is none; `called`: the scenario's arguments."""
    from softdock.results.phases import judge_metrics, list_phases, simulate_metrics

    try:
        found = simulate_metrics(list_phases(loaded, loaded.tables["verdict"]["phases"]))
    except BadInput as error:  # a start that no run can have
        return {
            "verdict": None,
            "no_verdict": f"NO VERDICT: the scenario cannot be simulated ({error}).",
        }
    return {"verdict": judge_metrics(loaded, found, called)}


def _analyse_dead_bands(loaded: Any, points: list[Any]) -> dict[str, Any]:
    """What the sensor's threshold does to each pair's impact; empty without a threshold."""
    from softdock.studies.stability.dead_band import describe_dead_band, find_dead_bands

    found = find_dead_bands(loaded, points)
    if not found:
        return {}
    return {
        "dead_band": {
            "points": [one.as_dict() for one in found],
            "sentences": [describe_dead_band(one) for one in found],
        }
    }


def _analyse_latched(loaded: Any, without_runs: bool, say: Any) -> dict[str, Any]:
    """Modes of the latched pair, and the latch damping that stabilises them; empty without
    latches."""
    from softdock.studies.stability.latched import (
        describe_latched_modes,
        describe_tried_damping,
        find_latched_modes,
    )

    modes = find_latched_modes(loaded)
    if not modes:
        return {}
    sentences = describe_latched_modes(modes)
    if not without_runs:
        say("running it with more damping of the latch")
        sentences += describe_tried_damping(loaded, modes)
    return {"latched": {"modes": [mode.as_dict() for mode in modes], "sentences": sentences}}


def _delay_cycles(loop: Any) -> float:
    """The largest delay [cycles]."""
    longest = max(robot.delay for robot in loop.robots) + loop.sensor_delay
    return float(longest / loop.cycle) if loop.cycle else float("inf")


def _analyse(points: list[Any], options: dict[str, Any], say: Any) -> dict[str, Any]:
    """Analysis of the worst point at the top level, and of every point in `points`."""
    from softdock.cli.stability_options import describe_point
    from softdock.studies.stability.advice import advise

    found = []
    for i, point in enumerate(points, start=1):
        say(f"analysing the loop: {point.name}, {i} of {len(points)}")
        found.append((point, advise(point.loop, options["wanted_restitution"])))
    worst, advice = max(found, key=lambda pair: pair[1].analysis.growth_rate_per_s)
    result = {"point": worst.name, **advice.as_dict(), "given": describe_point(worst)}
    result["safe"] = all(each.safe for _, each in found)
    if options["uncertain"]:
        from softdock.cli.stability_options import read_uncertain
        from softdock.studies.stability.critical import robust_margins

        result["robust"] = robust_margins(
            worst.loop,
            read_uncertain(worst.loop, options["uncertain"]),
            options["samples"],
            options["seed"],
        )
    if len(found) > 1:
        result["points"] = [
            {"point": point.name, **each.as_dict(), "given": describe_point(point)}
            for point, each in found
        ]
    return result


def _draw_chart(points: list[Any], result: dict[str, Any], options: dict[str, Any]) -> str:
    from softdock.cli.stability_options import read_dots, read_run_dots, read_vary
    from softdock.studies.stability.chart import chart_of
    from softdock.studies.stability.dead_band import DeadBand, sweep_dead_band

    bands = result.get("dead_band", {"points": []})["points"]
    band = next((DeadBand(**one) for one in bands if one["point"] == result["point"]), None)
    loop = next(point.loop for point in points if point.name == result["point"])
    dots = read_dots(options["dots"]) + read_run_dots(options["runs"])
    chart_of(
        loop,
        figure=options["figure"],
        vary=read_vary(options["vary"]),
        dots=dots,
        file=options["chart"],
        verdict=result.get("verdict"),
        dead_band=sweep_dead_band(loop, band) if band else None,
    )
    return str(options["chart"])
