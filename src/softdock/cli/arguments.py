"""Arguments that commands share: a scenario and its changes, both completed by the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

import click
from click.shell_completion import CompletionItem


class ScenarioName(click.ParamType):
    """A scenario file or the name of a preset; loaded by the command, which reports every problem
    at once."""

    name = "scenario"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        presets = (
            p.name.removesuffix(".toml")
            for p in files("softdock").joinpath("scenario", "presets").iterdir()
        )
        found = [CompletionItem(name) for name in sorted(presets) if name.startswith(incomplete)]
        return [*found, CompletionItem(incomplete, type="file")]


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
            CompletionItem(f"{key}=") for key in known_keys(scenario) if key.startswith(incomplete)
        ]


def known_keys(scenario: str | None) -> list[str]:
    """Every key that `--set` may change."""
    from softdock.errors import SoftdockError
    from softdock.scenario.files import load_scenario

    try:
        return sorted(_leaves(load_scenario(scenario or "epos_1d").tables))
    except SoftdockError:
        return []


def _leaves(tables: Any, path: str = "") -> Iterator[str]:
    if isinstance(tables, list) and tables and all(isinstance(t, Mapping) for t in tables):
        tables = dict(enumerate(tables))
    if isinstance(tables, Mapping):
        for key, value in tables.items():
            yield from _leaves(value, f"{path}{key}.")
    else:
        yield path[:-1]


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
