"""`softdock compare`: methods and integrators side by side on one scenario, against orbit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from softdock.cli.arguments import (
    CHANGES,
    METHOD_FILES,
    SCENARIO,
    choose_kept_folder,
    load_methods,
    out_option,
    prepare_folder,
    save_result,
)
from softdock.cli.main import BAD_INPUT, STOPPED_EARLY
from softdock.cli.progress import console, echo, output, show_status
from softdock.results.quantities import format_quantity

if TYPE_CHECKING:
    from rich.table import Table

    from softdock.studies.compare.compare import Comparison

SMALL = 1e-5  # of the approach: smaller distances are shown as < 0.001 %


@click.command(short_help="Compare all methods on a scenario and recommend one.")
@SCENARIO
@CHANGES
@click.option(
    "--methods",
    default="all",
    show_default=True,
    metavar="all|A,B,A+B",
    help="Methods to compare; A+B is a chain, in this order.",
)
@click.option(
    "--integrators",
    default="recommended",
    show_default=True,
    metavar="recommended|all|A,B",
    help="recommended: one row a method, with the better of exact_hold and symplectic_euler.",
)
@METHOD_FILES
@click.option(
    "--phases",
    type=click.IntRange(1, 10_000),
    default=8,
    show_default=True,
    metavar="N",
    help="Sampling phases, with noise each with a seed of its own; the worst of them ranks.",
)
@out_option("the page, the JSON and the scenario")
@click.option("--force", is_flag=True, help="Write over the comparison that is in DIR.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the results as JSON, and nothing else, on standard output.",
)
@click.pass_context
def compare(
    ctx: click.Context,
    scenario: str,
    changes: tuple[str, ...],
    methods: str,
    integrators: str,
    method_files: tuple[Path, ...],
    phases: int,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Compare all methods on a scenario and recommend one.

    Every method is set as `softdock stability` advises. It runs at several sampling phases, first
    with correct parameters, then with wrong ones (delay and stiffness by 10 and 30 %, tool mass by
    1 %, the wanted contact by 10 %), and is timed. The worst phase ranks. The output ends with
    lines to paste into the scenario, and their verdict. Exit code 0: done; 2: bad input, or the
    method in --method-file could not run; 3: its runs, or all runs, stopped early.
    """
    if force and out is None:
        raise click.UsageError("--force needs --out DIR", ctx)
    with show_status(f"comparing methods on {scenario}") as say:
        from softdock.scenario.files import load_scenario
        from softdock.studies.compare import compare as run_comparison

        own_methods = load_methods(method_files)
        loaded = load_scenario(scenario, changes)
        if own_methods and methods != "all":
            methods = ",".join(dict.fromkeys([*methods.split(","), *own_methods]))
        name = loaded.name if loaded.tables["name"] != "unnamed" else Path(scenario).stem
        folder = choose_kept_folder(out, f"compare-{name}", as_json)
        with prepare_folder(folder, force):
            file = ", ".join(str(one) for one in method_files) or None
            _compile_missing(loaded, methods, say)
            comparison = run_comparison(
                loaded,
                methods,
                integrators,
                phases,
                lambda done, total, what: say(f"{done + 1} of {total}: {what}"),
                file,
            )
        problem = save_result(comparison, folder, force)
    if as_json:
        echo(comparison.to_json())
    else:
        print_comparison(comparison)
    if folder is not None and problem is None:
        (console if as_json else output()).print(
            Text(f"The page: {folder / 'comparison.html'}"), soft_wrap=True
        )
    if problem is not None:
        raise problem
    ctx.exit(exit_code(comparison.results, own_methods))


def _compile_missing(scenario: Any, methods: str, say: Callable[[str], None]) -> None:
    """Compile the lists of methods that are not on disk yet, on all cores."""
    from softdock.cli.compile_ahead import compile_missing
    from softdock.scenario.candidates import candidates
    from softdock.studies.campaign.batch import count_cores

    able, _ = candidates(scenario, methods)
    compile_missing((one.scenario for one in able), count_cores(), say)


def exit_code(results: dict[str, Any], own_methods: list[str]) -> int:
    """Exit code, as the command's help has it."""
    if any(set(own_methods) & set(one["method"].split("+")) for one in results["refused"]):
        return BAD_INPUT
    rows = results["candidates"]
    if not rows:
        return BAD_INPUT
    own = [row for row in rows if set(own_methods) & set(row["method"].split("+"))]
    if not any(row["status"] == "completed" for row in rows) or any(
        row["status"] != "completed" for row in own
    ):
        return STOPPED_EARLY
    return 0


def print_comparison(comparison: Comparison) -> None:
    """Print the ranked table, what could not run, and the recommendation."""
    from rich.markup import escape

    paper = output()
    results = comparison.results
    paper.print(ranked_table(results, paper.width))
    for one in results["refused"]:
        paper.print(
            f"[bold]could not run[/bold] {escape(one['method'])} "
            f"({escape(one['integrator'])}): {escape(one['reason'])}"
        )
    for row in results["candidates"]:
        if row["status"] != "completed":
            paper.print(
                f"[bold]stopped early[/bold] {escape(row['label'])}: {escape(row['status'])}"
            )
    for warning in results["warnings"]:
        paper.print(Text(f"warning: {warning}", style="yellow"))
    paper.print(escape(comparison.recommendation))
    best = next((r for r in results["candidates"] if r["status"] == "completed"), None)
    if best is not None:
        from softdock.cli.tables import print_verdict
        from softdock.results.verdict import name_method

        named = name_method(best["verdict"], best["method"])
        paper.print()
        paper.print(Text(results["paste"]), soft_wrap=True)
        print_verdict(paper, {**named, "next_step": _next_step(named)})


def _next_step(verdict: dict[str, Any]) -> str:
    """Next step after a comparison."""
    if verdict["word"] == "faithful":
        return (
            "Next: paste these lines into the file, run it, then vary the parameters that you know "
            "only roughly, in a campaign (docs/campaigns.md)."
        )
    return "Next: paste these lines into the file; `softdock why` explains the remaining error."


COLUMNS = (
    *("", "method", "integrator", "verdict", "error", "wrong", "peak", "e", "energy added"),
    "cost",
)
GAP = 2  # between two columns
LEFT_OUT_FIRST = ("cost", "wrong", "integrator", "energy added")  # where the terminal is narrow


def ranked_table(results: dict[str, Any], width: int) -> Table:
    """The same numbers as the page and the JSON, as many columns as fit into `width`."""
    from rich.box import SIMPLE_HEAVY
    from rich.table import Table

    orbit = results["orbit"]
    rows = [_cells_of(row) for row in results["candidates"]]
    last = dict.fromkeys(COLUMNS, "") | {
        "method": "on orbit",
        "error": "0",
        "peak": format_quantity(orbit["peak_force_N"], "N"),
        "e": _format_number(orbit["restitution"], ".3f"),
        "energy added": "0",
    }
    widths = {
        heading: max(len(heading), *(len(cells[heading]) for cells in [*rows, last]))
        for heading in last
    }
    left_out: list[str] = []
    for heading in LEFT_OUT_FIRST:
        if sum(widths.values()) + GAP * len(widths) > width:
            left_out.append(heading)
            del widths[heading]
    words = {
        "error": "against the on-orbit reference, in percent of the approach speed",
        "wrong": "with wrong parameters",
        "peak": "contact force",
        "e": "restitution",
        "cost": "over the raw loop's",
    }
    caption = "; ".join(f"{name}: {said}" for name, said in words.items() if name in widths)
    if left_out:
        caption += f"; the page also has: {', '.join(left_out)}"
    count = results["phases"]
    over = f", the worst of {count} sampling phases ranks" if count > 1 else ""
    table = Table(
        title=f"{results['scenario']}: best first{over}",
        caption=caption,
        box=SIMPLE_HEAVY,
        pad_edge=False,
        collapse_padding=True,
    )
    for heading in widths:
        text = heading in ("method", "integrator", "verdict")
        table.add_column(heading, justify="left" if text else "right", no_wrap=True)
    for row, cells in zip(results["candidates"], rows, strict=True):
        styled = cells | {"verdict": Text(cells["verdict"], style=row["verdict"]["colour"])}
        table.add_row(*(styled[heading] for heading in widths))
    table.add_section()
    table.add_row(*(last[heading] for heading in widths))
    return table


def _cells_of(row: dict[str, Any]) -> dict[str, str]:
    cells = (
        str(row["rank"]),
        row["method"],
        row["integrator"],
        row["verdict"]["word"],
        _format_distance(row),
        _format_distance(row["worst"]) if row["worst"] else "-",
        format_quantity(row["peak_force_satellite_N"], "N"),
        _format_number(row["restitution"], ".3f"),
        format_quantity(row["energy_added_J"], "J"),
        _format_number(row["cost_ratio_to_direct"], ".1f"),
    )
    return dict(zip(COLUMNS, cells, strict=True))


def _format_distance(row: dict[str, Any]) -> str:
    """Distance from the reference in percent; below SMALL an upper bound."""
    from softdock.studies.compare.ranking import describe_distance, find_worst_distance

    distance = find_worst_distance(row)
    return "< 0.001 %" if distance is not None and distance < SMALL else describe_distance(row)


def _format_number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
