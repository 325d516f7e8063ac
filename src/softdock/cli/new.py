"""`softdock new`: a scenario file of one's own rig, asked for or given by options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import OUT_FILE
from softdock.meshes.reading import UNITS
from softdock.scenario.new_file import (
    FIXED,
    LOOKS,
    QUESTIONS,
    ROBOT,
    SHAPES,
    TARGETS,
    MeshPart,
    problem_of,
    scenario_text,
)

TARGET = click.Choice(TARGETS)
CLIENT = "what holds the client: a second robot, or the floor"


def _option_name(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add one option for each question."""
    for question in reversed(QUESTIONS):
        unit = f" [{question.unit}]" if question.unit != "-" else ""
        command = click.option(
            _option_name(question.name),
            metavar="A,B,C" if "," in str(question.default) else "NUMBER",
            help=f"{question.asks}{unit}. (default: {question.default})",
        )(command)
    return command


@click.command(short_help="Write a commented scenario file of your own rig.")
@click.argument("file", type=OUT_FILE)
@click.option(
    "--shape", type=click.Choice(SHAPES), help="The client's part. [default: cone; mesh: --mesh]"
)
@click.option("--mesh", type=click.Path(path_type=Path), help="Its STL, OBJ, GLB or STEP file.")
@click.option("--unit", type=click.Choice(tuple(UNITS)), help="Of the mesh's numbers. [default: m]")
@click.option(
    "--looks",
    type=click.Choice(tuple(LOOKS)),
    help="Direction of the mesh's file that looks at the servicer. [default: z]",
)
@click.option(
    "--target",
    type=TARGET,
    help=f"What holds the client: a second {ROBOT}, or the floor ({FIXED}). [default: {ROBOT}]",
)
@_add_options
@click.option("--ask/--no-ask", default=None, help="Ask for what is not given. [on a terminal]")
@click.option("--force", is_flag=True, help="Write over FILE.")
def new(
    file: Path,
    shape: str | None,
    mesh: Path | None,
    unit: str | None,
    looks: str | None,
    target: str | None,
    ask: bool | None,
    force: bool,
    **given: str | None,
) -> None:
    """Write a scenario file of your own rig. On a terminal it asks for what no option gives; every
    answer has a default. The file passes `softdock check`, and every line says what it is.
    """
    from softdock.errors import BadInput, Problem
    from softdock.files.atomic import write_whole
    from softdock.files.toml_text import parse_toml
    from softdock.scenario.build import build

    if file.suffix != ".toml":
        raise BadInput(Problem("FILE", str(file), "a name that ends in .toml"))
    if file.exists() and not force:
        raise BadInput(Problem("FILE", str(file), "a new file; --force writes over this one"))
    part = _read_part(file, shape, mesh, unit, looks)
    asks = ask if ask is not None else sys.stdin.isatty()
    answers: dict[str, Any] = {}
    problems = []
    for question in QUESTIONS:
        text = given[question.name]
        if question.of_target and target is None:
            target = click.prompt(CLIENT, type=TARGET, default=ROBOT) if asks else ROBOT
        if question.of_target and target == FIXED:
            if text is not None:
                nothing = f"not allowed together with --target {FIXED}"
                problems.append(Problem(_option_name(question.name), text, nothing))
            continue
        if text is None and asks:
            unit = f" [{question.unit}]" if question.unit != "-" else ""
            text = click.prompt(f"{question.asks}{unit}", default=str(question.default))
        if text is None:
            continue
        wrong = problem_of(question, str(text))
        if wrong:
            problems.append(Problem(_option_name(question.name), text, wrong))
        else:
            answers[question.name] = text if isinstance(question.default, str) else float(text)
    if problems:
        raise BadInput(problems)
    written = scenario_text(file.stem, shape or SHAPES[0], answers, target or ROBOT, part)
    tables, locate, _ = parse_toml(written, str(file))
    if part is not None:
        tables["contact"][0]["file"] = str(part.path.absolute())
    checked = build(tables, locate)  # nothing is written that would not run
    write_whole(file, written.encode())
    for note in checked.notes:
        click.echo(f"note: {note}")
    click.echo(f"{file}: written. Next: `softdock run {file}`")


def _read_part(
    file: Path, shape: str | None, mesh: Path | None, unit: str | None, looks: str | None
) -> MeshPart | None:
    """The client's part from a file; None: a shape of softdock's."""
    from softdock.errors import BadInput, Problem

    if mesh is not None and shape in (None, "mesh"):
        named = Path(os.path.relpath(mesh, file.parent)).as_posix()
        if not named.isprintable() or {'"', "\\"} & set(named):
            allowed = "a path without quotes, backslashes and control characters"
            raise BadInput(Problem("--mesh", named, allowed))
        return MeshPart(mesh, named, unit or "m", looks or "z")
    if shape == "mesh":
        raise BadInput(Problem("--shape", shape, "--mesh FILE beside it"))
    for option, given in (("--mesh", mesh), ("--unit", unit), ("--looks", looks)):
        if given is not None:
            raise BadInput(Problem(option, str(given), "nothing: it is for --mesh"))
    return None
