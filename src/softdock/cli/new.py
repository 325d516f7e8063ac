"""`softdock new`: a scenario file of one's own rig, asked for or given by options."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import OUT_FILE
from softdock.scenario.new_file import (
    FIXED,
    QUESTIONS,
    ROBOT,
    SHAPES,
    TARGETS,
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
@click.option("--shape", type=click.Choice(SHAPES), default="cone", show_default=True)
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
    shape: str,
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
    written = scenario_text(file.stem, shape, answers, target or ROBOT)
    tables, locate, _ = parse_toml(written, str(file))
    checked = build(tables, locate)  # nothing is written that would not run
    write_whole(file, written.encode())
    for note in checked.notes:
        click.echo(f"note: {note}")
    click.echo(f"{file}: written. Next: `softdock run {file}`")
