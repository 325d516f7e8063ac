"""What is wrong with a user's methods, as far as it can be seen without compiling them."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numba

from softdock.compile.numba_internals import CPUDispatcher
from softdock.errors import BadInput, Problem
from softdock.loop.method.method import BY_TYPE
from softdock.loop.parameters import Group
from softdock.methods.registry import KINDS, METHODS, Method, register
from softdock.scenario.method_sources import OPTION

HOOKS = ("prepare", "wrench", "correct", "set_point", "external", "rewound", "replaced", "past")
CALLED = ("memory", "check", "report", "books", "events", "truth", "suggest", "refuses")
WANTED = (
    "a Python file that calls register(Method(...)) or defines METHOD; see docs/your_own_method.md"
)
MARKER = "an instance of the method's NamedTuple, with a field 'memory'"


def methods_of(
    module: ModuleType,
    before: dict[str, Method],
    before_types: dict[type, Method],
    file: Path,
) -> list[Method]:
    """The methods that a file brought, registered; `before`: the registry without them."""
    defined = getattr(module, "METHOD", [])
    for method in (
        defined
        if isinstance(defined, list | tuple) and not hasattr(defined, "_fields")
        else [defined]
    ):
        if not isinstance(method, Method):
            raise BadInput(
                Problem(
                    f"{file}: METHOD",
                    method,
                    "a softdock.methods.Method, or a list of them",
                )
            )
        if (
            METHODS.get(method.name) is before.get(method.name)
            or METHODS.get(method.name) is not method
        ):
            _refuse_taken(method, before, file)
            _register(method, file)
    found = [method for name, method in METHODS.items() if before.get(name) is not method]
    _refuse_changed(before, before_types, file)
    if not found:
        raise BadInput(Problem(OPTION, str(file), WANTED + "; this one imports, and has no method"))
    problems = [problem for method in found for problem in _problems(method, before, file)]
    if problems:
        raise BadInput(problems)
    return found


def _refuse_changed(
    before: dict[str, Method], before_types: dict[type, Method], file: Path
) -> None:
    """A file may add methods; those that were there stay as they are, and so do their hooks."""
    gone = [name for name in before if name not in METHODS]
    changed = {
        method.name for cls, method in before_types.items() if BY_TYPE.get(cls) is not method
    }
    for name in [*gone, *sorted(changed - set(gone))]:
        allowed = "methods of its own beside those there are, which it may not change or remove"
        raise BadInput(Problem(f"{file}: register", name, allowed))


def _refuse_taken(method: Method, before: dict[str, Method], file: Path) -> None:
    if method.name in before:
        raise BadInput(
            Problem(
                f"{file}: name",
                method.name,
                "a name that no other method has; taken: " + ", ".join(before),
            )
        )


def _register(method: Method, file: Path) -> None:
    if not _is_marker(method.marker):
        raise BadInput(Problem(f"{file}: {method.name}.marker", method.marker, MARKER))
    try:
        register(method)
    except ValueError as error:  # another method's NamedTuple, or one that looks like it
        allowed = f"a NamedTuple class of its own: its name and fields choose the code ({error})"
        raise BadInput(
            Problem(f"{file}: {method.name}.marker", type(method.marker).__name__, allowed)
        ) from None


def _is_marker(marker: Any) -> bool:
    return isinstance(marker, tuple) and "memory" in getattr(marker, "_fields", ())


def _problems(method: Any, before: dict[str, Method], file: Path) -> list[Problem]:
    """Everything wrong with an entry that can be seen without compiling it."""
    found: list[Problem] = []

    def refuse(field: str, value: Any, allowed: str) -> None:
        found.append(Problem(f"{file}: {method.name}.{field}", value, allowed))

    if not isinstance(method.name, str):
        refuse("name", method.name, "a text")
        return found
    if method.name in before:
        refuse("name", method.name, "a name that no other method has; taken: " + ", ".join(before))
    if not re.fullmatch(r"[A-Za-z]\w*", method.name) or method.name == "all":
        refuse("name", method.name, "letters, digits and _, and not 'all'")
    if not _is_marker(method.marker):
        refuse("marker", method.marker, MARKER)
    if not isinstance(method.group, Group):
        refuse("group", method.group, "a softdock.methods.Group of parameters")
        return found
    for field in CALLED:
        if not callable(getattr(method, field)):
            refuse(field, getattr(method, field), "a function; see docs/your_own_method.md")
    keys = [p.key for p in method.group]
    for belief in method.needs:
        if belief.kind not in KINDS or belief.key not in keys:
            refuse(
                "needs",
                tuple(belief),
                f"Belief(kind, key): kind one of {', '.join(KINDS)}; key one of "
                f"{', '.join(keys) or 'its parameters (it has none)'}",
            )
    if not numba.config.DISABLE_JIT:
        for hook in HOOKS:
            if not isinstance(getattr(method, hook), CPUDispatcher):
                refuse(
                    hook,
                    getattr(method, hook),
                    "a function under @compiled (from softdock.methods)",
                )
    return found
