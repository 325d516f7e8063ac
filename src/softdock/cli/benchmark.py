"""`softdock benchmark`: methods over many cases, against orbit; a leaderboard, a page, a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.text import Text

from softdock.cli.arguments import METHOD_FILES, OUT_FOLDER, load_methods
from softdock.cli.benchmark_output import list_cases, show, shown_progress
from softdock.cli.compile_ahead import compile_missing
from softdock.cli.folders import RUNS, choose, made
from softdock.cli.progress import console, echo, output, working

JOBS_PER_CORE = 4  # more is a slip of the finger
MOST_RANDOM = 100_000
NOT_WITH_RESULTS = (
    "quick",
    "cases",
    "drawn",
    "methods",
    "variants",
    "tellings",
    "phases",
    "resume",
)


@click.command(short_help="Methods over many cases, against orbit: a leaderboard.")
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
    help="Of the random cases. [default: a new one, which is said]",
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
    "--tellings",
    default="all",
    show_default=True,
    metavar="all|nothing,wrong,exactly",
    help="What methods are told: nothing, everything with 10 % errors, everything exactly.",
)
@click.option(
    "--phases",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Sampling phases (with noise: seeds) of each case. [default: the case's own, 8]",
)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Processes. [default: all cores]")
@click.option(
    "--out",
    type=OUT_FOLDER,
    metavar="DIR",
    help=f"Folder for the results: new, or empty. [default: a new one in {RUNS}/]",
)
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
@click.option("--list", "listed", is_flag=True, help="List the cases with their reasons.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON, nothing else.")
@click.pass_context
def benchmark(ctx: click.Context, /, **options: Any) -> None:
    """Which method is within 1 % of orbit, on how many cases, told what, and at what cost?

    Every method runs on every case at the worst of 8 sampling phases, told nothing, told everything
    with errors of 10 %, and told exactly. DIR/report.html is the page, DIR/benchmark.json the
    results, DIR/cases the scenario files. Cells are kept as they come; --resume goes on.

    Exit code 0: done, whatever the scores are; 2: bad input; 130: Ctrl-C, what was measured is
    kept.
    """
    if options["listed"]:
        list_cases()
        return
    if options["results"] is not None:
        _shown_again(ctx, options)
        return
    if options["resume"] and options["out"] is None:
        raise click.UsageError("--resume needs --out DIR", ctx)
    if options["seed"] is not None and not options["drawn"]:
        raise click.UsageError("--seed needs --random N", ctx)
    if options["resume"] and options["drawn"] and options["seed"] is None:
        raise click.UsageError("--resume with --random needs the --seed that it began with", ctx)
    with _every_feature():
        _run(ctx, options)


class _every_feature:
    """While inside, one loop a method, whatever a case needs (scenario/features.py): few are
    compiled, and all give the same bits."""

    def __enter__(self) -> None:
        from softdock.scenario.features import SWITCH

        self.name, self.before = SWITCH, os.environ.get(SWITCH)
        os.environ[SWITCH] = "1"

    def __exit__(self, *_: Any) -> None:
        if self.before is None:
            del os.environ[self.name]
        else:
            os.environ[self.name] = self.before


def _run(ctx: click.Context, options: dict[str, Any]) -> None:
    from softdock.archive.benchmark_folder import save_benchmark
    from softdock.benchmark.folder import PLAN, again, check_free
    from softdock.benchmark.results import read_results, to_json
    from softdock.benchmark.results_compared import compared
    from softdock.benchmark.run import opened, run_cells
    from softdock.campaign.cpu import available_cores

    jobs = options["jobs"] or available_cores()
    if jobs > JOBS_PER_CORE * (os.cpu_count() or 1):
        most = JOBS_PER_CORE * (os.cpu_count() or 1)
        raise click.UsageError(f"-j {jobs}: at most {most} on this machine", ctx)
    with working("checking the cases") as say:
        plan = _plan(options)
        before = read_results(options["against"], "--against") if options["against"] else None
        folder = choose(options["out"], "benchmark")
        if not options["resume"]:
            check_free(folder)
        with made(None if options["resume"] else folder, False):
            kept = opened(plan, folder, options["resume"])
        _compile(plan, jobs, say)
    for damage in kept.said:
        console.print(Text(damage), style="yellow", soft_wrap=True)
    try:
        with shown_progress(plan.size) as progress:
            results = run_cells(kept, jobs, progress)
    except KeyboardInterrupt:
        if (folder / PLAN).exists():
            line = f"every cell that was measured is kept; the same command with {again(folder)}"
            seed = f" --seed {plan.seed}" if plan.drawn else ""
            console.print(Text(f"{line}{seed} goes on"), soft_wrap=True)
        raise click.Abort from None
    since = None if before is None else compared(results, before)
    page = save_benchmark(results, folder, since)
    if options["as_json"]:
        echo(to_json(results))
    else:
        show(results, since)
    (console if options["as_json"] else output()).print(
        Text(f"The page: {page}\nThe results: {folder / 'benchmark.json'}"), soft_wrap=True
    )


def _plan(options: dict[str, Any]) -> Any:
    import secrets

    from softdock.benchmark.entries import entries_of
    from softdock.benchmark.plan import Plan, cases_of, check_tellings

    mine = load_methods(options["method_files"])
    entries = tuple(entries_of(options["methods"], options["variants"], mine))
    tellings = check_tellings(options["tellings"])
    seed = options["seed"]
    if options["drawn"] and seed is None:
        seed = secrets.randbelow(2**32)
        console.print(f"random cases from --seed {seed}", highlight=False)
    cases = cases_of(options["cases"], options["quick"], options["drawn"], seed or 0)
    return Plan(
        cases=cases,
        entries=entries,
        tellings=tellings,
        phases=options["phases"],
        seed=seed,
        drawn=options["drawn"],
    )


def _compile(plan: Any, jobs: int, say: Any) -> None:
    """All loops that are not on disk yet, in several processes."""
    from softdock.benchmark.tellings import EXACTLY, NOTHING, told

    kinds: dict[Any, Any] = {}  # cases that need different loops, by what else is in them
    for case in plan.cases:
        built = case.scenario
        listed = tuple(entry["name"] for entry in built.tables["methods"])
        kinds.setdefault((type(built.markers.features), listed), case)
    scenarios = []
    for entry in plan.entries:
        for case in kinds.values():
            for telling in (EXACTLY, NOTHING):
                ways = told(case.scenario, entry, telling)
                if not isinstance(ways, str):
                    scenarios.append(ways[0].scenario)
                    break
    compile_missing(scenarios, jobs, say)


def _shown_again(ctx: click.Context, options: dict[str, Any]) -> None:
    """A page of results that are there already."""
    from softdock.archive.benchmark_folder import save_page
    from softdock.benchmark.folder import PAGE
    from softdock.benchmark.results import read_results, to_json
    from softdock.benchmark.results_compared import compared
    from softdock.files.folders import make_folder

    given = [
        name
        for name in NOT_WITH_RESULTS
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given or options["method_files"]:
        raise click.UsageError("--results runs nothing: it goes with --against, --out, --json", ctx)
    results = read_results(options["results"], "--results")
    against = options["against"]
    since = compared(results, read_results(against, "--against")) if against else None
    if options["as_json"]:
        echo(to_json(results))
    else:
        show(results, since)
    if options["out"] is not None:
        page = save_page(results, make_folder(options["out"]) / PAGE, since)
        (console if options["as_json"] else output()).print(
            Text(f"The page: {page}"), soft_wrap=True
        )
