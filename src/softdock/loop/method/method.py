"""A method as the rest of softdock knows it: `Method`, the hooks it has where it does nothing, and
the table it is registered in. What may be said of one: declaration.py.

A method's parameters are a NamedTuple, and its *type* chooses the code at compile time (hooks.py),
so a loop compiles only the methods it uses. Whatever else softdock asks of a method (may it stand
in a chain, what part of it is linear) it finds in this declaration: no other file knows a method by
its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, MutableMapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from softdock.compile.jit import compiled
from softdock.loop.method.declaration import Declaration, no_memory
from softdock.loop.method.interface import Replaced, Wrenches
from softdock.loop.method.memory import channels_of, floats_of
from softdock.loop.parameters import Group
from softdock.loop.spatial.motion import no_wrench


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
    return Replaced(taken=0.0, acts=False, pushes=False)


@compiled
def no_past(method, mem, stamp):
    return None


HOOKS = ("wrench", "correct", "set_point", "external", "rewound", "replaced", "past")


@dataclass(frozen=True)
class Method(Declaration):
    """A registry entry: parameters, compiled hooks (interface.py) and the declaration."""

    name: str
    summary: str
    knows: str  # what it must be told beforehand
    group: Group
    marker: Any  # an instance of its NamedTuple; only the type counts
    prepare: Callable[..., Any]  # (marker, vector, base, memory) -> its NamedTuple, compiled
    wrench: Callable[..., Any] = keep_wrench
    correct: Callable[..., Any] = keep_states
    set_point: Callable[..., Any] = keep_set_point
    # a plug-in's own wrench on the satellites, booked as external work
    external: Callable[..., Any] = no_external
    # (method, mem) -> gain of kinetic energy in this cycle by a past that was changed, J
    rewound: Callable[..., Any] = nothing_rewound
    # (method, mem) -> Replaced: a wanted contact in place of the real one; W_designed is real less
    # wanted work
    replaced: Callable[..., Any] = nothing_replaced
    # (method, mem, stamp) -> Past: of the past that this cycle took over, whose length is the cell
    # `rewound`. Such a method has a cell `corrected` too (corrected.py)
    past: Callable[..., Any] = no_past

    def __post_init__(self) -> None:
        if self.cells is not None:
            if not self.channels:
                object.__setattr__(self, "channels", channels_of(self.cells))
            if self.memory is no_memory:
                object.__setattr__(self, "memory", floats_of(self.cells))
        told = {cell.name for cell in self.cells or ()}
        if self.past is not no_past and not told >= {"corrected", "rewound"}:
            raise ValueError(
                f"method '{self.name}': a hook 'past' needs cells 'corrected' and 'rewound'"
            )

    @property
    def acts_on_wrench(self) -> bool:
        """Whether it changes the wrench on the satellites."""
        if self.changes_wrench is None:
            return self.wrench is not keep_wrench
        return self.changes_wrench

    @property
    def is_forgetful(self) -> bool:
        """Whether it keeps no memory."""
        return self.memory is no_memory

    @property
    def is_plug_in(self) -> bool:
        """Whether it is part of the scenario (a network, or what only adds a wrench of its own, as
        a thruster): kept whatever is compared."""
        hooks = (self.wrench, self.correct, self.set_point)
        return self.part_of_scenario or (
            self.external is not no_external and hooks == (keep_wrench, keep_states, keep_set_point)
        )


class Methods(MutableMapping[str, Method]):
    """Methods by name. A listed one is imported when it is first asked for, so that a run imports
    the methods it uses and no others."""

    def __init__(self) -> None:
        self._found: dict[str, Method | str] = {}  # a text: the module that declares it

    def list(self, name: str, module: str) -> None:
        """Name a method whose module ends in `METHOD = Method(...)`."""
        self._found.setdefault(name, module)

    def known(self, names: Collection[str]) -> Iterator[tuple[str, Method]]:
        """The methods of these names, and all that are imported already."""
        for name, found in tuple(self._found.items()):
            if name in names or not isinstance(found, str):
                yield name, self[name]

    def __getitem__(self, name: str) -> Method:
        found = self._found[name]
        if isinstance(found, str):
            register(import_module(found).METHOD)
            found = self._found[name]
            assert not isinstance(found, str), f"{name} is not the name of its module's METHOD"
        return found

    def __setitem__(self, name: str, method: Method) -> None:
        self._found[name] = method

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._found))

    def __len__(self) -> int:
        return len(self._found)


METHODS = Methods()
BY_TYPE: dict[type, Method] = {}  # also of variants


class NotItsNamedTuple(TypeError):
    """`prepare` returned something that is no method's NamedTuple."""


def entry_of(cls: type) -> Method:
    """The method whose NamedTuple this is."""
    found = BY_TYPE.get(cls)
    if found is None:
        raise NotItsNamedTuple(
            f"prepare must return the method's own NamedTuple, not a {cls.__name__}: its type "
            "chooses the code"
        )
    return found


def register(method: Method) -> None:
    """Add a method to the list. Compiled code knows a NamedTuple by its name and fields, so no two
    methods may have the same."""
    cls: Any = type(method.marker)
    twin: Any
    for twin, other in BY_TYPE.items():  # variants too
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
    entries = [method]
    for variant in method.variants:
        changed: dict[str, Any] = {"marker": variant.marker, "prepare": variant.prepare}
        entries.append(replace(method, **changed | variant.hooks))
    for entry in entries:
        BY_TYPE[type(entry.marker)] = entry
