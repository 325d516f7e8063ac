"""A group of commands, each imported when it is called or its help is shown."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from softdock.errors import closest


class LazyGroup(click.Group):
    """`lazy`: where each command stands, `module:function`, in the order of the help. A name that
    is not there is refused with the nearest that is."""

    def __init__(self, *args: Any, lazy: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module, _, name = self.lazy[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if (
            args
            and not args[0].startswith("-")
            and args[0] not in self.lazy
            and not ctx.resilient_parsing
        ):
            near = closest(args[0], self.lazy)
            hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(self.lazy)}."
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx)
        return super().resolve_command(ctx, args)
