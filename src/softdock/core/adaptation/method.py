"""A method as the rest of softdock knows it: `Method`, the hooks it has where it does nothing, and
the table it is registered in.

A method's parameters are a NamedTuple, and its *type* chooses the code at compile time (hooks.py),
so a loop compiles only the methods it uses. Whatever else softdock asks of a method (may it stand
in a chain, what part of it is linear, does it run in single precision) it finds in this
declaration: no other file knows a method by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from softdock.core.adaptation.interface import Replaced, Wrenches
from softdock.core.adaptation.memory import Channel, channels_of, floats_of
from softdock.core.adaptation.networks.orbit import NOT_IN_ORBIT
from softdock.core.machine.cells import Cells
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
    return Replaced(
        taken=0.0,
        acts=False,
        past_changed=False,
        impulse=(0.0, 0.0, 0.0),
        peak_squared=0.0,
        pushes=False,
    )


@compiled
def keep_past(method, mem, chaser, target, record, column, row):
    return None


def no_memory(values: dict[str, Any], T: float) -> int:
    """Memory of a method that remembers nothing."""
    return 0


HOOKS = ("wrench", "correct", "set_point", "external", "rewound", "replaced", "past")
KINDS = ("delay", "stiffness", "tool_mass")  # what a method may believe, rightly or wrongly
Values = Mapping[str, Any]  # a method's keys as a scenario has them, in the user's units
# problems (key, value, what is allowed) and warnings
Checked = tuple[list[tuple[str, Any, str]], list[str]]
# fields of stability's `Loop`, and notes
LinearPart = tuple[dict[str, Any], list[str]]


class LinearAdvice(NamedTuple):
    """What the linear analysis of the whole loop says of the raw rig."""

    whole_delay: float  # s: robot, computation, age and filter of the force, hold, integrator
    cycle: float  # s
    # Ns/m of virtual damping with which an impact gives back what the contact itself would; None:
    # none does, nor makes it stable
    neutral_damping: float | None


class Belief(NamedTuple):
    """One thing a method must be told and may be told wrongly: its kind, and the key of the
    method's parameter that holds it."""

    kind: str  # one of KINDS
    key: str


class Variant(NamedTuple):
    """Another compiled code of a method, for some of its values (`Method.variant`): with the same
    parameters, memory and channels."""

    marker: Any
    prepare: Callable[..., Any]
    hooks: dict[str, Callable[..., Any]]  # by their names in Method


ONCE = "it settles the energy of the whole loop"


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Everything that may be said of a method beyond its parameters and hooks."""

    # its memory and what it records
    cells: Cells | None = None  # the fixed head of its slice of `mem` (memory.py)
    # floats of `mem`, from its values and the cycle [s]; default: its cells
    memory: Callable[[dict[str, Any], float], int] = no_memory
    channels: tuple[Channel, ...] = ()  # default: the recorded ones of its cells

    # before a run
    check: Callable[[dict[str, Any], Any], Checked] = lambda values, tables: ([], [])
    # the same where no robot of the scenario is an arm: problems
    without_arms: Callable[[dict[str, Any]], list[tuple[str, Any, str]]] = lambda values: []
    # rows behind the vector, by the name of the parameter that says where they are
    rows: Callable[[dict[str, Any]], list[tuple[str, Any]]] = lambda values: []
    # its keys are tables at the top of a scenario, and not in its entry of [[methods]]
    at_top: bool = False
    needs: tuple[Belief, ...] = ()  # what it believes: comparisons run it with errors in each
    # its keys for a scenario that does not list it, beyond their defaults
    suggest: Callable[[Any], dict[str, Any]] = lambda scenario: {}
    # the same from advice on the whole linear loop (comparison/settings.py), in place of what it
    # suggests
    advised: Callable[[LinearAdvice], dict[str, Any]] = lambda advice: {}
    # why it cannot run on a scenario, in words
    refuses: Callable[[Any], str | None] = lambda scenario: None
    # for these values the marker of one of its variants; None: its own
    variant: Callable[[dict[str, Any]], Any] = lambda values: None
    variants: tuple[Variant, ...] = ()

    # after a run, from its slice of `mem` at the end
    report: Callable[[Any, dict[str, Any]], list[str]] = lambda mem, values: []
    books: Callable[[Any], dict[str, Any]] = lambda mem: {}  # what it did
    # from its books: why it does not vouch for the run, in words; empty: it learned what it needs.
    # None: it never says so. Comparisons advise one that does first
    vouches: Callable[[Mapping[str, Any]], list[str]] | None = None
    # what went wrong with its readings, in words; also from the cycle [s]
    events: Callable[[Any, float], list[str]] = lambda mem, T: []
    # what it could not know: books, words
    truth: Callable[..., tuple[dict[str, Any], list[str]]] = (
        lambda name, values, tables, series, contacts: ({}, [])
    )

    # where it stands among others
    once: str = ""  # why it may be listed only once
    settles_energy: bool = False  # of the whole loop: no other that does may be listed with it
    # whether it changes the wrench on the satellites; None: if it has a hook `wrench`
    changes_wrench: bool | None = None
    is_last_on_wrench: str = ""  # why no method after it may change the wrench
    # why its virtual work is against the delay, and no loss that is wanted; empty: it is wanted
    compensates_delay: str = ""
    may_compensate_delay: bool = False  # as its user means it
    part_of_scenario: bool = False  # no remedy but a part of rig or satellites: always kept
    in_demo: bool = False  # shown by `softdock demo`: few, because each is compiled there

    # a pair that latches hold together (contact/latch.py)
    while_latched: str = ""  # what it does then, measured; empty: nobody has tried
    holds_latch: bool = False  # a latched pair on a late rig does not grow with it
    knows_no_latch: str = ""  # why it must not run with one

    # what analyses ask
    # the contact that its satellites are to feel, where its own values say so and not the
    # scenario's: keys of contact.wanted (law, restitution, ...); None: the scenario's
    wanted: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda values: None
    # how orbit has it: a network that is part of a satellite
    in_orbit: Callable[[dict[str, Any]], int] = lambda values: NOT_IN_ORBIT
    # (values, normals) -> fields of the linear loop and notes; `normals`: the contact's normal by
    # frame (world, target, chaser, normal). None: the analysis is of the loop without it
    linear_part: Callable[[Values, Mapping[str, Any]], LinearPart] | None = None
    threshold_key: str = ""  # key of the force [N] below which it does nothing
    # key of the force [N] above which it takes any reading for a contact and moves the satellites
    contact_key: str = ""
    # its channel that is 2 or more while it holds the satellites in a contact
    holds_contact: str = ""
    observes: tuple[str, ...] = ()  # its channels of observed energy [J], for the chart
    claims_passivity: Mapping[str, Any] | None = None  # keys with which it does
    double_only: str = ""  # why it does not run in single precision


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
    # (method, mem, chaser, target, record, column, row): that past into its own channels of
    # earlier rows
    past: Callable[..., Any] = keep_past

    def __post_init__(self) -> None:
        if self.cells is not None:
            if not self.channels:
                object.__setattr__(self, "channels", channels_of(self.cells))
            if self.memory is no_memory:
                object.__setattr__(self, "memory", floats_of(self.cells))

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


METHODS: dict[str, Method] = {}
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
