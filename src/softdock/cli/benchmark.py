"""`softdock benchmark`: methods over many cases, against orbit; a leaderboard, a page, a file.
Logs of emulated rigs, and what is identified from them: benchmark_logs.py."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import click
from click.core import ParameterSource
from rich.text import Text

from softdock.cli.arguments import (
    METHOD_FILES,
    choose_folder,
    load_methods,
    out_option,
    prepare_folder,
)
from softdock.cli.compile_ahead import compile_missing
from softdock.cli.progress import console, echo, output, show_status

LINE_EVERY_S = 10.0  # s between two lines of progress, off a terminal


@contextmanager
def show_progress(total: int) -> Iterator[Callable[[int, int, str], None]]:
    """Show cells done and the time left: a bar on a terminal, else a line every LINE_EVERY_S."""
    if console.is_terminal:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.completed} of {task.total} cells"),
            BarColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        with Progress(*columns, console=console, transient=True) as shown:
            task = shown.add_task("", total=total)
            yield lambda done, of, what: shown.update(task, completed=done, description=what)
        return
    start: list[tuple[int, float]] = []
    last_line = [monotonic()]

    def line(done: int, of: int, what: str) -> None:
        if not start:
            start.append((done, monotonic()))
        before, began = start[0]
        rate = (done - before) / max(monotonic() - began, 1e-9)
        if rate > 0.0 and (monotonic() - last_line[0] >= LINE_EVERY_S or done == of):
            last_line[0] = monotonic()
            left = (of - done) / rate
            console.print(Text(f"{done} of {of} cells, {left:.0f} s left"), soft_wrap=True)

    yield line


def list_cases() -> None:
    """Print the cases by group, each with its reason."""
    from softdock.scenario.benchmark_set import case_set, case_text, reason_of

    listed = case_set()
    click.echo(f"version {listed.version}, {len(listed.names)} cases; * in --quick")
    for group, names in listed.groups.items():
        click.echo(f"\n{group}")
        for name in names:
            click.echo(f"  {'*' if name in listed.quick else ' '} {name}")
            reason = reason_of(case_text(name))
            click.echo(textwrap.fill(reason, 96, initial_indent=" " * 6, subsequent_indent=" " * 6))


def print_results(results: Mapping[str, Any], since: Mapping[str, Any] | None) -> None:
    """Print a leaderboard for each level, the answer, and changes since earlier results."""
    from rich.box import SIMPLE_HEAVY
    from rich.table import Table

    from softdock.studies.benchmark.plan import WORDS
    from softdock.studies.benchmark.results import describe_changes
    from softdock.studies.benchmark.scores import (
        describe_winner,
        format_percent,
        list_remarks,
        make_leaderboard,
    )

    paper = output()
    for level in results["knowledge"]:
        rows = make_leaderboard(results, level)
        if not rows:
            continue
        table = Table(title=f"{WORDS[level]}, best first", box=SIMPLE_HEAVY, pad_edge=False)
        table.add_column("", justify="right")
        table.add_column("entry", no_wrap=True)
        for heading in ("1 %", "0.1 %", "cases", "median", "worst", "energy", "peak", "cost"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in rows:
            numbers = [
                format_percent(row[key]) for key in ("median", "worst", "energy", "peak_error")
            ]
            counts = [str(row[key]) for key in ("within_1", "within_01", "cases")]
            cost = "-" if row["cost"] is None else f"{row['cost']:.2f}"
            table.add_row(str(row["rank"]), Text(row["label"]), *counts, *numbers, cost)
        paper.print(table)
    paper.print(
        Text(
            "1 %, 0.1 %: cases within that error at the worst phase or seed; energy: largest share "
            "added; peak: error of the peak force, median; cost: CPU per cycle over the raw "
            "loop's; diverged: over ten times the approach"
        ),
        soft_wrap=True,
    )
    for line in (describe_winner(results), *list_remarks(results)):
        paper.print(Text(line), soft_wrap=True)
    if since is not None:
        paper.print(Text(describe_changes(dict(since))), soft_wrap=True)


JOBS_PER_CORE = 4  # at most; more is a typing error
MOST_RANDOM = 100_000
NOT_WITH_RESULTS = (
    "quick",
    "cases",
    "drawn",
    "methods",
    "variants",
    "knowledge",
    "phases",
    "resume",
)


@click.command(short_help="Rank all methods over many cases.")
@click.option("--quick", is_flag=True, help="A small part of the cases, in about a minute.")
@click.option(
    "--cases",
    default="all",
    show_default=True,
    metavar="all|none|A,B,FILE.toml",
    help="Cases of the set, and scenario files of your own.",
)
@click.option(
    "--random",
    "drawn",
    type=click.IntRange(0, MOST_RANDOM),
    default=0,
    metavar="N",
    help="N random cases beside them, each written as a scenario file.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    metavar="S",
    help="Seed of the random cases. [default: a new one, which is printed]",
)
@click.option(
    "--methods",
    default="all",
    show_default=True,
    metavar="all|A,B,A+B",
    help="Methods that take part; A+B is a chain, in this order.",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="LABEL=METHOD:KEY=VALUE;...",
    help="A method with keys set, as an entry of its own. May be given several times.",
)
@METHOD_FILES
@click.option(
    "--knowledge",
    default="all",
    show_default=True,
    metavar="all|none,wrong,exact",
    help="What methods know: nothing, parameters with 10 % errors, exact parameters.",
)
@click.option(
    "--phases",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Sampling phases (with noise: seeds) of each case. [default: the case's own, 8]",
)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Processes. [default: all cores]")
@out_option("the results", always=True)
@click.option("--resume", is_flag=True, help="Go on with the benchmark in DIR.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Earlier results (benchmark.json, or its folder): what has changed since.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Run nothing: show these results, and with --out DIR write their page there.",
)
@click.option(
    "--make-logs",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run no method: write the logs of 40 emulated rigs (--random N: of N), CSV and MCAP, and "
    "their truth, from --seed.",
)
@click.option(
    "--logs",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run no method: score what softdock identify and the verdict find in such logs.",
)
@click.option("--list", "listed", is_flag=True, help="List the cases with their reasons.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON, nothing else.")
@click.pass_context
def benchmark(ctx: click.Context, /, **options: Any) -> None:
    """Rank all methods by the cases that they bring within 1 % of the on-orbit reference.

    Every method runs on every case at the worst of 8 sampling phases: with no prior knowledge,
    with parameters that are wrong by 10 %, and with exact parameters. DIR/report.html is the page,
    DIR/benchmark.json the results, DIR/cases the scenario files. Results are kept as they come;
    --resume goes on.

    Exit code 0: done, whatever the scores are; 2: bad input; 130: Ctrl-C, what was measured is
    kept.
    """
    if options["listed"]:
        list_cases()
        return
    if options["make_logs"] is not None or options["logs"] is not None:
        _run_logs(ctx, options)
        return
    if options["results"] is not None:
        _show_stored(ctx, options)
        return
    if options["resume"] and options["out"] is None:
        raise click.UsageError("--resume needs --out DIR", ctx)
    if options["seed"] is not None and not options["drawn"]:
        raise click.UsageError("--seed needs --random N", ctx)
    if options["resume"] and options["drawn"] and options["seed"] is None:
        raise click.UsageError("--resume with --random needs the --seed that it began with", ctx)
    with _EveryFeature():
        _run_benchmark(ctx, options)


def _run_logs(ctx: click.Context, options: dict[str, Any]) -> None:
    from softdock.cli.benchmark_logs import make_data_set, score_data_set

    make, logs = options["make_logs"], options["logs"]
    allowed = {"logs", "as_json"} if make is None else {"make_logs", "seed", "drawn"}
    for name, value in options.items():
        source = ctx.get_parameter_source(name)
        if source is ParameterSource.COMMANDLINE and name not in allowed and value is not None:
            own, goes = "--make-logs", "--seed, --random"
            if make is None:
                own, goes = "--logs", "--json"
            raise click.UsageError(f"{own} runs no method: it goes with {goes}", ctx)
    if make is None:
        score_data_set(logs, options["as_json"])
        return
    with _EveryFeature():
        make_data_set(make, options["seed"], options["drawn"])


class _EveryFeature:
    """Context in which every loop is compiled with all features (scenario/features.py), one for
    each method: fewer compiles, the same bits."""

    def __enter__(self) -> None:
        from softdock.scenario.features import SWITCH

        self.name, self.before = SWITCH, os.environ.get(SWITCH)
        os.environ[SWITCH] = "1"

    def __exit__(self, *_: Any) -> None:
        if self.before is None:
            del os.environ[self.name]
        else:
            os.environ[self.name] = self.before


def _run_benchmark(ctx: click.Context, options: dict[str, Any]) -> None:
    from softdock.output.folders.study_folders import save_benchmark
    from softdock.studies.benchmark.folder import PLAN, check_free, format_resume_option
    from softdock.studies.benchmark.results import compare_results, read_results, to_json
    from softdock.studies.benchmark.run import open_folder, run_cells
    from softdock.studies.campaign.batch import count_cores

    jobs = options["jobs"] or count_cores()
    if jobs > JOBS_PER_CORE * (os.cpu_count() or 1):
        most = JOBS_PER_CORE * (os.cpu_count() or 1)
        raise click.UsageError(f"-j {jobs}: at most {most} on this machine", ctx)
    with show_status("checking the cases") as say:
        plan = _make_plan(options)
        before = read_results(options["against"], "--against") if options["against"] else None
        folder = choose_folder(options["out"], "benchmark")
        if not options["resume"]:
            check_free(folder)
        with prepare_folder(None if options["resume"] else folder, False):
            kept = open_folder(plan, folder, options["resume"])
        _compile_missing(plan, jobs, say)
    for damage in kept.notes:
        console.print(Text(damage), style="yellow", soft_wrap=True)
    try:
        with show_progress(plan.size) as progress:
            results = run_cells(kept, jobs, progress)
    except KeyboardInterrupt:
        if (folder / PLAN).exists():
            line = (
                "every cell that was measured is kept; the same command with "
                f"{format_resume_option(folder)}"
            )
            seed = f" --seed {plan.seed}" if plan.drawn else ""
            console.print(Text(f"{line}{seed} goes on"), soft_wrap=True)
        raise click.Abort from None
    since = None if before is None else compare_results(results, before)
    page = save_benchmark(results, folder, since)
    if options["as_json"]:
        echo(to_json(results))
    else:
        print_results(results, since)
    (console if options["as_json"] else output()).print(
        Text(f"The page: {page}\nThe results: {folder / 'benchmark.json'}"), soft_wrap=True
    )


def _make_plan(options: dict[str, Any]) -> Any:
    import secrets

    from softdock.studies.benchmark.plan import Plan, check_levels, choose_cases, list_entries

    own_methods = load_methods(options["method_files"])
    entries = tuple(list_entries(options["methods"], options["variants"], own_methods))
    levels = check_levels(options["knowledge"])
    seed = options["seed"]
    if options["drawn"] and seed is None:
        seed = secrets.randbelow(2**32)
        console.print(f"random cases from --seed {seed}", highlight=False)
    cases = choose_cases(options["cases"], options["quick"], options["drawn"], seed or 0)
    return Plan(
        cases=cases,
        entries=entries,
        levels=levels,
        phases=options["phases"],
        seed=seed,
        drawn=options["drawn"],
    )


def _compile_missing(plan: Any, jobs: int, say: Any) -> None:
    """Compile the loops that are not on disk yet, in several processes."""
    from softdock.studies.benchmark.plan import EXACT, NONE, prepare_entries

    kinds: dict[Any, Any] = {}  # cases that need different loops, by what else is in them
    for case in plan.cases:
        built = case.scenario
        listed = tuple(entry["name"] for entry in built.tables["methods"])
        kinds.setdefault((type(built.markers.features), listed), case)
    scenarios = []
    for entry in plan.entries:
        for case in kinds.values():
            for level in (EXACT, NONE):
                ways = prepare_entries(case.scenario, entry, level)
                if not isinstance(ways, str):
                    scenarios.append(ways[0].scenario)
                    break
    compile_missing(scenarios, jobs, say)


def _show_stored(ctx: click.Context, options: dict[str, Any]) -> None:
    """Print stored results, and write their page where --out is given."""
    from softdock.files.folders import make_folder
    from softdock.output.folders.study_folders import save_benchmark_page
    from softdock.studies.benchmark.folder import PAGE
    from softdock.studies.benchmark.results import compare_results, read_results, to_json

    given = [
        name
        for name in NOT_WITH_RESULTS
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given or options["method_files"]:
        raise click.UsageError("--results runs nothing: it goes with --against, --out, --json", ctx)
    results = read_results(options["results"], "--results")
    against = options["against"]
    since = compare_results(results, read_results(against, "--against")) if against else None
    if options["as_json"]:
        echo(to_json(results))
    else:
        print_results(results, since)
    if options["out"] is not None:
        page = save_benchmark_page(results, make_folder(options["out"]) / PAGE, since)
        (console if options["as_json"] else output()).print(
            Text(f"The page: {page}"), soft_wrap=True
        )
