"""A method as the rest of softdock knows it: `Method`, the hooks it has where it does nothing, and
the table it is registered in.

A method's parameters are a NamedTuple, and its *type* chooses the code at compile time (hooks.py),
so a loop compiles only the methods it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from softdock.core.adaptation.interface import Replaced, Wrenches
from softdock.core.adaptation.networks.orbit import NOT_IN_ORBIT
from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group
from softdock.core.spatial.motion import no_wrench


@compiled
def keep_wrench(method, mem, rig, measured, satellites, wrenches):
    return wrenches


@compiled
def keep_states(method, mem, rig, measured, before, after, output):
    return after, output


@compiled
def keep_set_point(method, mem, rig, satellites, output):
    return output


@compiled
def no_external(method, mem, rig, satellites):
    return Wrenches(no_wrench(), no_wrench())


@compiled
def nothing_rewound(method, mem):
    return 0.0


@compiled
def nothing_replaced(method, mem):
    return Replaced(0.0, False, False, (0.0, 0.0, 0.0), 0.0, False)


@compiled
def keep_past(method, mem, chaser, target, record, column, row):
    return None


KINDS = ("delay", "stiffness", "tool_mass")  # what a method may believe, rightly or wrongly
Checked = tuple[
    list[tuple[str, Any, str]], list[str]
]  # problems (key, value, what is allowed) and warnings


class Belief(NamedTuple):
    """One thing a method must be told and may be told wrongly: its kind, and the key of the
    method's parameter that holds it."""

    kind: str  # one of KINDS
    key: str


@dataclass(frozen=True)
class Method:
    """A registry entry: everything the rest of softdock knows about a method."""

    name: str
    summary: str
    knows: str  # what it must be told beforehand
    group: Group
    marker: Any  # an instance of its NamedTuple; only the type counts
    prepare: Callable[..., Any]  # (marker, vector, base, memory) -> its NamedTuple, compiled
    wrench: Callable[..., Any] = keep_wrench
    correct: Callable[..., Any] = keep_states
    set_point: Callable[..., Any] = keep_set_point
    external: Callable[..., Any] = (
        no_external  # a plug-in's own wrench on the satellites, booked as external work
    )
    rewound: Callable[..., Any] = (
        # (method, mem) -> gain of kinetic energy in this cycle by a past that was changed, J
        nothing_rewound
    )
    replaced: Callable[..., Any] = (
        # (method, mem) -> Replaced: a wanted contact in place of the real one; W_designed is real
        # less wanted work
        nothing_replaced
    )
    past: Callable[..., Any] = (
        # (method, mem, chaser, target, record, column, row): that past into its own channels of
        # earlier rows
        keep_past
    )
    memory: Callable[[dict[str, Any], float], int] = lambda values, T: (
        0
    )  # floats of `mem`, from its values (user's units) and the cycle [s]
    channels: tuple[
        tuple[str, str, str, str], ...
    ] = ()  # recorded: name, unit, frame, meaning of the first floats of its memory
    check: Callable[[dict[str, Any], Any], Checked] = lambda values, tables: (
        [],
        [],
    )  # of its values, and of the whole scenario's
    report: Callable[[Any, dict[str, Any]], list[str]] = (
        lambda mem, values: []
    )  # what a user should hear of, from its memory at the end of a run
    truth: Callable[..., tuple[dict[str, Any], list[str]]] = (
        lambda name, values, tables, series, contacts: ({}, [])
    )  # what it could not know: books, words
    needs: tuple[Belief, ...] = ()  # what it believes: comparisons run it with errors in each
    suggest: Callable[[Any], dict[str, Any]] = (
        lambda scenario: {}
    )  # its keys for a scenario that does not list it, beyond their defaults
    refuses: Callable[[Any], str | None] = lambda scenario: (
        None
    )  # why it cannot run on a scenario, in words
    in_demo: bool = (
        False  # shown by `softdock demo`: few, because each is compiled there for the first time
    )
    books: Callable[[Any], dict[str, Any]] = (
        lambda mem: {}
    )  # what it did in a run, from its slice of `mem`
    events: Callable[[Any, float], list[str]] = (
        lambda mem, T: []
    )  # what went wrong with its readings, in words; from its slice and the cycle
    in_orbit: Callable[[dict[str, Any]], int] = lambda values: (
        NOT_IN_ORBIT
    )  # how orbit has it: a network that is part of a satellite
    part_of_scenario: bool = (
        False  # no remedy but a part of the rig or the satellites: kept whatever is compared
    )
    variant: Callable[[dict[str, Any]], Any] = lambda values: (
        None
    )  # for these values another marker, registered by `register_variant`; None: its own


METHODS: dict[str, Method] = {}
BY_TYPE: dict[type, Method] = {}  # also of variants


def register(method: Method) -> None:
    """Add a method to the list. Compiled code knows a NamedTuple by its name and fields, so no two
    methods may have the same."""
    cls = type(method.marker)
    for other in METHODS.values():
        twin = type(other.marker)
        if (
            other.name != method.name
            and twin.__name__ == cls.__name__
            and twin._fields == cls._fields
        ):
            raise ValueError(
                f"method '{method.name}': a NamedTuple '{cls.__name__}' with these fields is "
                f"already that of '{other.name}'; give it another name"
            )
    METHODS[method.name] = method
    BY_TYPE[type(method.marker)] = method


def register_variant(
    name: str, marker: Any, prepare: Callable[..., Any], **hooks: Callable[..., Any]
) -> None:
    """Another compiled code of a method, for some of its values: with the same parameters, memory
    and channels."""
    BY_TYPE[type(marker)] = replace(METHODS[name], marker=marker, prepare=prepare, **hooks)  # type: ignore[arg-type]
