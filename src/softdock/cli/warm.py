"""`softdock warm`: compile what runs, comparisons and batches need, before they need it."""

from __future__ import annotations

import time
from typing import Any

import click

from softdock.cli.progress import console, report_compiled, show_status

DEFAULT = ("epos_1d",)


@click.command(short_help="Compile ahead, so that the first run starts at once.")
@click.argument("scenarios", nargs=-1)
@click.option(
    "--methods",
    default=None,
    help='Also these methods on each scenario: names, chains "a+b", or "all".',
)
@click.option("--batches", is_flag=True, help="Also the loop that batches and campaigns use.")
@click.option(
    "--rig", metavar="RIG|PRESET", help="Also what a rig needs to run and to check each scenario."
)
@click.option(
    "-j", "--jobs", type=click.IntRange(min=1), help="Processes (default: as many as cores)."
)
def warm(
    scenarios: tuple[str, ...],
    methods: str | None,
    batches: bool,
    rig: str | None,
    jobs: int | None,
) -> None:
    """Compile ahead, so that the first run starts at once.

    SCENARIOS are presets or files (default: epos_1d). Each list of methods is compiled once; what
    is on disk already is not compiled again.
    """
    begin = time.perf_counter()
    with show_status("compiling ahead"):
        from softdock.cli.compile_ahead import compile_ahead, list_rig_tasks, list_tasks
        from softdock.compile.disk_cache import find_usable_folder
        from softdock.scenario.candidates import candidates
        from softdock.scenario.files import load_scenario
        from softdock.studies.campaign.batch import count_cores

        folder = find_usable_folder()
        wanted = []
        for name in scenarios or DEFAULT:
            loaded = load_scenario(name)
            wanted.append(loaded)
            if methods is not None:
                able, _ = candidates(loaded, methods)
                wanted += [candidate.scenario for candidate in able]
        tasks = list_tasks(wanted, batches)
        if rig is not None:
            _check_rig(rig, wanted)
            tasks = [*list_rig_tasks(rig, wanted), *tasks]
        if folder is not None:
            compile_ahead(tasks, jobs or count_cores(), report_compiled)
    kept = f"kept in {folder}" if folder is not None else "nothing is kept: no folder to keep it in"
    console.print(
        f"{len(tasks)} ready after {time.perf_counter() - begin:.1f} s, {kept}",
        highlight=False,
        soft_wrap=True,
    )


def _check_rig(rig: str, wanted: Any) -> None:
    """Refuse a scenario that cannot run on the rig here, not in a worker."""
    from softdock.rig.file import load_rig
    from softdock.rig.scenario import put_on_rig

    opened = load_rig(rig)
    for scenario in wanted:
        put_on_rig(opened, scenario)
