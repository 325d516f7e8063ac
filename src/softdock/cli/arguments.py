"""Arguments that commands share (scenario, changes, method files, folders), with shell completion,
and the folder of a command's results."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import click
from click.shell_completion import CompletionItem

from softdock.cli.main import FAILED
from softdock.cli.progress import console
from softdock.errors import BadInput, Unwritable

# The folder for a command's results, the same for all commands: the one given by --out, or the next
# free one, RUNS/name-N. It is created and tested before the work starts. A command that prints JSON
# keeps nothing unless --out is given, but for what took long or cannot be had again (`always`).

RUNS = "softdock-runs"  # where results go that were given no folder


def out_option(what: str, always: bool = False, over: str = "") -> Callable[..., Any]:
    """The option --out DIR of a command. `what`: that is kept there; `always`: with --json too;
    `over`: where something else than a new or an empty folder is taken."""
    kept = "" if always else "; with --json nothing is kept unless --out is given"
    return click.option(
        "--out",
        type=OUT_FOLDER,
        metavar="DIR",
        help=f"Folder for {what}: {over or 'new, or empty'}. [default: a new one in {RUNS}/{kept}]",
    )


def choose_kept_folder(out: Path | None, name: str, as_json: bool) -> Path | None:
    """As `choose_folder`; None: nothing is kept, since JSON is printed and no folder was given."""
    return choose_folder(out, name) if out is not None or not as_json else None


class Savable(Protocol):
    """A result that can be saved to a folder."""

    def save(self, folder: str | Path, force: bool = False) -> Path: ...


def choose_folder(out: Path | None, name: str) -> Path:
    """Return `out`, or a new folder RUNS/name-N with the next free number N. Two commands that run
    at once get two folders."""
    from softdock.files.folders import ensure_folder

    if out is not None:
        return out
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._")[:100] or "run"
    ensure_folder(RUNS)
    for i in count(1):
        path = Path(RUNS) / f"{stem}-{i}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    raise AssertionError


@contextmanager
def prepare_folder(folder: Path | None, force: bool) -> Iterator[None]:
    """Create the folder and test that it is writable before the work starts; remove it again if the
    work fails and left it empty."""
    from softdock.files.folders import leave_folder, make_folder

    above = [] if folder is None else [folder, *folder.parents]
    new = [path for path in above if not path.exists() or RUNS in (path.name, path.parent.name)]
    ours = False  # another run may have it
    try:
        if folder is not None:
            make_folder(folder, force)
            ours = True
        yield
    except BaseException:
        if folder is not None and ours:
            leave_folder(folder)
        for path in new if ours else new[1:]:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        raise


def save_result(result: Savable, folder: Path | None, force: bool) -> BadInput | None:
    """Save a result. An error of the disk is returned, not raised, so that the command can print
    the numbers first."""
    if folder is None:
        return None
    try:
        result.save(folder, force)
    except OSError as error:
        return (
            error if isinstance(error, BadInput) else Unwritable("out", folder, "a folder", error)
        )
    return None


class ScenarioName(click.ParamType):
    """A scenario file, the name of a preset or `benchmark:` and a case's; loaded by the command,
    which reports every problem at once."""

    name = "scenario"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        presets = (
            p.name.removesuffix(".toml")
            for p in files("softdock").joinpath("scenario", "presets").iterdir()
        )
        names = [CompletionItem(name) for name in sorted(presets) if name.startswith(incomplete)]
        if incomplete.startswith("benchmark"):
            from softdock.scenario.benchmark_set import PREFIX, case_set

            cases = (PREFIX + name for name in case_set().names)
            names += [CompletionItem(name) for name in cases if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


class Change(click.ParamType):
    """`key=value`; the keys are those of the scenario on the same line, or those every scenario
    has."""

    name = "key=value"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        scenario = ctx.params.get("scenario") or next(
            iter(ctx.args), None
        )  # a line that ends in --set is parsed only in part
        return [
            CompletionItem(f"{key}=")
            for key in list_scenario_keys(scenario)
            if key.startswith(incomplete)
        ]


class OutPath(click.Path):
    """A file or a folder that the command writes: refused before the work starts where it cannot be
    written."""

    def __init__(self, folder: bool = False, parents: bool = False) -> None:
        super().__init__(path_type=Path)
        self.folder, self.parents = folder, parents

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from softdock.files.atomic import refuse_unwritable

        path = Path(str(super().convert(value, param, ctx)))
        if isinstance(param, click.Argument):
            key = param.make_metavar(ctx) if ctx is not None else "FILE"
        else:
            key = "out" if param is None else param.opts[0]
        if ctx is None or not ctx.resilient_parsing:
            refuse_unwritable(path, key, self.folder, self.parents)
        return path


OUT_FILE, OUT_FOLDER = OutPath(), OutPath(folder=True)


def list_scenario_keys(scenario: str | None) -> list[str]:
    """Every scenario key that `--set` may change."""
    from softdock.errors import SoftdockError
    from softdock.scenario.files import load_scenario

    try:
        return sorted(_walk_keys(load_scenario(scenario or "epos_1d").tables))
    except SoftdockError:
        return []


def _walk_keys(tables: Any, path: str = "") -> Iterator[str]:
    if isinstance(tables, list) and tables and all(isinstance(t, Mapping) for t in tables):
        tables = dict(enumerate(tables))
    if isinstance(tables, Mapping):
        for key, value in tables.items():
            yield from _walk_keys(value, f"{path}{key}.")
    else:
        yield path[:-1]


METHOD_FILES: Callable[..., Any] = click.option(
    "--method-file",
    "method_files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE.py",
    help="A method of your own. THIS RUNS THE FILE: its Python code is executed with your rights; "
    "give only files you trust. May be given several times.",
)


def load_methods(files: Sequence[Path]) -> list[str]:
    """Import the user's method files, which runs their code. Returns the names of their methods."""
    if not files:
        return []
    from softdock.scenario.method_file import load_method_file

    names: list[str] = []
    for file in files:
        console.print(f"running the code in {file} (--method-file)", markup=False, highlight=False)
        names += load_method_file(file)
    return list(dict.fromkeys(names))


def use_methods(scenario: Any, names: Sequence[str]) -> Any:
    """The scenario with the named methods in place of its own, keys as the methods suggest (as
    `softdock compare` does). A scenario that lists one of them already is returned unchanged."""
    listed = [entry["name"] for entry in scenario.tables["methods"]]
    if not names or set(names) & set(listed):
        return scenario
    from softdock.errors import BadInput, Problem
    from softdock.scenario.candidates import JOIN, candidates

    chain = JOIN.join(names)
    able, unable = candidates(scenario, [chain], [scenario.tables["satellites"]["integrator"]])
    if not able:
        raise BadInput(Problem("--method-file", chain, unable[0].reason))
    console.print(
        f"{scenario.name} lists {', '.join(listed) or 'no method'}: run with {chain} in its place, "
        "keys as suggested",
        markup=False,
        highlight=False,
    )
    return able[0].scenario


SCENARIO: Callable[..., Any] = click.argument(
    "scenario", type=ScenarioName(), metavar="SCENARIO|PRESET"
)
CHANGES: Callable[..., Any] = click.option(
    "--set",
    "changes",
    type=Change(),
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key, e.g. robots.chaser.delay_ms=8. May be given several times.",
)


FAIL_ON: Callable[..., Any] = click.option(
    "--fail-on",
    type=click.Choice(["unsafe", "distorted"]),
    help="End with exit code 4 if the verdict is unsafe; with `distorted` also if it is distorted. "
    "[default: the verdict does not change the exit code]",
)
FAILING = {"unsafe": ("unsafe",), "distorted": ("off", "distorted", "unsafe")}


def exit_if_failed(fail_on: str | None, judged: Mapping[str, Any] | None) -> None:
    """Exit with code 4 if the verdict is one that `--fail-on` names. None and "no verdict" never
    fail."""
    if fail_on is not None and judged is not None and judged["word"] in FAILING[fail_on]:
        raise click.exceptions.Exit(FAILED)


def format_arguments(scenario: str, changes: Sequence[str], files: Sequence[Path] = ()) -> str:
    """The command-line arguments that select this scenario: name, `--set` changes and method files,
    quoted for a shell. Next steps that softdock prints need all of them."""
    words = [scenario, *(word for change in changes for word in ("--set", change))]
    return shlex.join([*words, *(word for file in files for word in ("--method-file", str(file)))])
