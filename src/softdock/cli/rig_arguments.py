"""Arguments that the commands of a rig share, what each of them prints first, and the confirmation
before a motion."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from softdock.cli.arguments import (
    METHOD_FILES,
    OUT_FOLDER,
    RUNS,
    ScenarioName,
    load_methods,
    use_methods,
)
from softdock.cli.progress import console

if TYPE_CHECKING:
    from softdock.rig.model import Rig
    from softdock.rig.scenario import OnRig

DEFAULT_RIG, DEFAULT_SCENARIO = "emulated_pair", "epos_1d"
CYCLE = "time.cycle_ms"


class RigName(click.ParamType):
    """A rig file or the name of a preset."""

    name = "rig"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        presets = files("softdock").joinpath("rig", "rigs").iterdir()
        names = sorted(p.name.removesuffix(".toml") for p in presets)
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return [*found, CompletionItem(incomplete, type="file")]


RIG: Callable[..., Any] = click.argument(
    "rig", type=RigName(), metavar="[RIG|PRESET]", default=DEFAULT_RIG
)
RIG_OUT: Callable[..., Any] = click.option(
    "--out",
    type=OUT_FOLDER,
    metavar="DIR",
    help="Folder for the recordings: new, or empty. [default: a new one in the rig file's "
    f"record.folder, {RUNS}/]",
)
_CHANGES: Callable[..., Any] = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of the rig file, e.g. limits.restitution=1.05. May be given several times.",
)
_DRIVER_FILES: Callable[..., Any] = click.option(
    "--driver-file",
    "driver_files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE.py",
    help="A driver that the rig file names. THIS RUNS THE FILE: its Python code is executed with "
    "your rights; give only files you trust. May be given several times.",
)
SCENARIO_OPTION: Callable[..., Any] = click.option(
    "--scenario",
    type=ScenarioName(),
    default=DEFAULT_SCENARIO,
    show_default=True,
    metavar="SCENARIO|PRESET",
    help="Whose mock-ups and contact are emulated; a real rig has its own.",
)
SCENARIO_CHANGES: Callable[..., Any] = click.option(
    "--scenario-set",
    "scenario_changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of the scenario, e.g. mock_up.chaser.mass_kg=2.",
)
JSON: Callable[..., Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print everything as JSON, and nothing else."
)


def RIG_CHANGES(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--set`, and `--driver-file`: the user's driver files are loaded before the command."""

    @functools.wraps(command)
    def loaded(*args: Any, driver_files: Sequence[Path] = (), **options: Any) -> Any:
        load_drivers(driver_files)
        return command(*args, **options)

    made: Callable[..., Any] = _CHANGES(_DRIVER_FILES(loaded))
    return made


def load_drivers(files: Sequence[Path]) -> None:
    """Import the user's driver files, which runs their code."""
    if not files:
        return
    from softdock.rig.driver_registry import load_driver_file

    for file in files:
        say(f"running the code in {file} (--driver-file)")
        load_driver_file(file)


def rig_methods(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--method-file`. A method that does not compile is bad input, wherever that shows first."""

    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> Any:
        if not options["method_files"]:
            return command(*args, **options)
        from softdock.scenario.method_compile import refusing_what_does_not_compile

        with refusing_what_does_not_compile():
            return command(*args, **options)

    made: Callable[..., Any] = METHOD_FILES(guarded)
    return made


def say(text: str) -> None:
    """A line of progress or a warning, on standard error."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def open_rig(rig: str, changes: Sequence[str]) -> Rig:
    """The rig, and what must be said of it."""
    from softdock.rig.file import load_rig

    found = load_rig(rig, changes)
    for note in found.notes:
        say(f"{found.name}: {note}")
    return found


def open_on_rig(
    rig: str,
    changes: Sequence[str],
    scenario: str,
    scenario_changes: Sequence[str] = (),
    method_files: Sequence[Path] = (),
    acts: bool = True,
) -> OnRig:
    """A scenario on a rig, and every difference between the two. A preset gets the rig's cycle:
    nobody can write another one into it. Methods of the user's files act in a scenario that lists
    none of them too, as of `run`; where no controller does (`acts`), only what it lists is known by
    them."""
    from softdock.rig.scenario import put_on_rig
    from softdock.scenario.files import load_scenario, preset_names

    mine = load_methods(method_files)
    opened, flown = open_rig(rig, changes), load_scenario(scenario, scenario_changes)
    cycle_ms, stated_ms = opened.clock.cycle_ms, float(flown.tables["time"]["cycle_ms"])
    given = any(change.partition("=")[0].strip() == CYCLE for change in scenario_changes)
    if cycle_ms != stated_ms and scenario in preset_names() and not given:
        flown = load_scenario(scenario, (*scenario_changes, f"{CYCLE}={cycle_ms:g}"))
        say(f"{opened.name}: {CYCLE}: the rig's {cycle_ms:g} counts, {scenario} says {stated_ms:g}")
    found = put_on_rig(opened, flown)
    for difference in found.differences:
        say(f"{found.rig.name}: {difference}")
    if not acts:
        return found
    return dataclasses.replace(found, scenario=use_methods(found.scenario, mine))


# Before anything moves beyond loopback: a person types speed, box and energy once more.


def make_phrase(rig: Rig, speed_m_per_s: float, energy_J: float | None = None) -> str:
    """What has to be typed: how fast, how far from the middle of the box, how much energy."""
    edges = [
        (high - low)
        for which in rig.moving
        for low, high in zip(rig.robots[which].box_min_m, rig.robots[which].box_max_m)
    ]
    words = f"{1e3 * speed_m_per_s:g} mm/s in {1e3 * max(edges):g} mm"
    return words if energy_J is None else f"{words} with {energy_J:.3g} J"


def confirm_motion(
    rig: Rig, what: str, speed_m_per_s: float, energy_J: float | None = None
) -> None:
    """Nothing where no machine moves (loopback, drivers that simulate); else a typed confirmation,
    or `BadInput`."""
    if not rig.real:
        return
    from softdock.errors import BadInput, Problem

    phrase = make_phrase(rig, speed_m_per_s, energy_J)
    said = [
        rig.robots[w].address
        + ("" if rig.robot_driver(w).compiled else f" ({rig.robots[w].driver})")
        for w in rig.moving
    ]
    say(f"{what}: the robots at {', '.join(said)} will move.")
    for which in rig.moving:
        robot = rig.robots[which]
        say(f"  {which}: within {list(robot.box_min_m)} to {list(robot.box_max_m)} m of its base")
    say("softdock is no safety function. T1, a hand on the emergency stop, nobody in the cell.")
    if not sys.stdin.isatty():
        allowed = f"a terminal, where a person types: {phrase}"
        raise BadInput(Problem("confirmation", "no terminal", allowed))
    typed = click.prompt(f'Type "{phrase}" to go on', default="", show_default=False, err=True)
    if " ".join(typed.split()) != phrase:
        raise BadInput(Problem("confirmation", typed, f"{phrase}; nothing has moved"))
