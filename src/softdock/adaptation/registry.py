"""The list of methods, and how compiled code finds the hooks of each by the type of its parameters.

`markers` is a tuple with one instance of a method's NamedTuple per listed method: its *type* chooses the code at compile time, so a loop
compiles only the methods it uses. In the vector a method's parameters stand behind one slot that holds where its memory begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numba.extending import overload

from softdock.adaptation import adaptive_damping, direct, hybrid, monitor, virtual_contact
from softdock.adaptation.interface import Wrenches
from softdock.compiled import OPTIONS, by_type, compiled
from softdock.parameters import Group
from softdock.spatial.motion import Wrench, no_wrench
from softdock.spatial.vectors import add


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


Checked = tuple[list[tuple[str, Any, str]], list[str]]  # problems (key, value, what is allowed) and warnings


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
    external: Callable[..., Any] = no_external  # a plug-in's own wrench on the satellites, booked as external work
    memory: Callable[[dict[str, Any], float], int] = lambda values, T: 0  # floats of `mem`, from its values (user's units) and the cycle [s]
    channels: tuple[tuple[str, str, str, str], ...] = ()  # recorded: name, unit, frame, meaning of the first floats of its memory
    check: Callable[[dict[str, Any], Any], Checked] = lambda values, tables: ([], [])  # of its values, and of the whole scenario's
    report: Callable[[Any, dict[str, Any]], list[str]] = lambda mem, values: []  # what a user should hear of, from its memory at the end of a run


METHODS: dict[str, Method] = {}
_BY_TYPE: dict[type, Method] = {}


def register(method: Method) -> None:
    """Add a method to the list."""
    METHODS[method.name] = method
    _BY_TYPE[type(method.marker)] = method


register(Method("direct", "the measured wrench, unchanged", "nothing", direct.DIRECT, direct.Direct(0), direct.prepare))
register(
    Method(
        "hybrid",
        "the measured wrench plus a virtual contact",
        "virtual stiffness and damping; the tip, in frames other than normal",
        hybrid.HYBRID,
        hybrid.Hybrid(0, 0, 0, 0, 0, 0, 0.0, (0.0, 0.0, 0.0), 0.0),
        hybrid.prepare,
        wrench=hybrid.wrench,
        memory=lambda values, T: virtual_contact.FLOATS,
        channels=hybrid.CHANNELS,
        check=hybrid.check,
    )
)
register(
    Method(
        "adaptive_damping",
        "virtual damping that ends a contact at the wanted energy",
        "stiffness and delay, roughly",
        adaptive_damping.ADAPTIVE_DAMPING,
        adaptive_damping.AdaptiveDamping(0, 0.0, 0.0, 0.0, 0.0, 0.0),
        adaptive_damping.prepare,
        wrench=adaptive_damping.wrench,
        memory=lambda values, T: adaptive_damping.FLOATS,
        channels=adaptive_damping.CHANNELS,
        check=adaptive_damping.check,
    )
)
register(
    Method(
        "monitor",
        "observes the energy that the rig adds, and acts above a bound",
        "nothing",
        monitor.MONITOR,
        monitor.Monitor(0, 0, 0.0, 0.0, 0, 0.0, 0.0, 0.0, 0.0),
        monitor.prepare,
        wrench=monitor.wrench,
        set_point=monitor.set_point,
        memory=monitor.floats,
        channels=monitor.CHANNELS,
        check=monitor.check,
        report=monitor.report,
    )
)


@by_type(lambda cls: _BY_TYPE[cls].prepare)
def _prepare_one(marker, vector, base, memory): ...


@by_type(lambda cls: _BY_TYPE[cls].wrench)
def _wrench_one(method, mem, rig, measured, satellites, wrenches): ...


@by_type(lambda cls: _BY_TYPE[cls].correct)
def _correct_one(method, mem, rig, measured, before, after, output): ...


@by_type(lambda cls: _BY_TYPE[cls].set_point)
def _set_point_one(method, mem, rig, satellites, output): ...


@by_type(lambda cls: _BY_TYPE[cls].external)
def _external_one(method, mem, rig, satellites): ...


# Each list function below is plain Python, and beside it the compiled form, unrolled over the tuple's length at compile time.


def prepare_methods(markers, vector, base):
    """The listed methods' parameters, from the vector."""
    prepared = []
    for marker in markers:
        prepared.append(_prepare_one(marker, vector, base + 1, int(vector[base])))
        base += 1 + _BY_TYPE[type(marker)].group.size
    return tuple(prepared)


@overload(prepare_methods, jit_options=OPTIONS)
def _prepare_methods(markers, vector, base):
    if len(markers) == 0:
        return lambda markers, vector, base: ()
    size = 1 + _BY_TYPE[markers[0].instance_class].group.size

    def rest(markers, vector, base):
        first = _prepare_one(markers[0], vector, base + 1, int(vector[base]))
        return (first, *prepare_methods(markers[1:], vector, base + size))

    return rest


def apply_wrench(methods, mem, rig, measured, satellites, wrenches):
    """All wrench hooks in order."""
    for method in methods:
        wrenches = _wrench_one(method, mem, rig, measured, satellites, wrenches)
    return wrenches


@overload(apply_wrench, jit_options=OPTIONS)
def _apply_wrench(methods, mem, rig, measured, satellites, wrenches):
    if len(methods) == 0:
        return lambda methods, mem, rig, measured, satellites, wrenches: wrenches

    def rest(methods, mem, rig, measured, satellites, wrenches):
        first = _wrench_one(methods[0], mem, rig, measured, satellites, wrenches)
        return apply_wrench(methods[1:], mem, rig, measured, satellites, first)

    return rest


def apply_correct(methods, mem, rig, measured, before, after, output):
    """All correct hooks in order."""
    for method in methods:
        after, output = _correct_one(method, mem, rig, measured, before, after, output)
    return after, output


@overload(apply_correct, jit_options=OPTIONS)
def _apply_correct(methods, mem, rig, measured, before, after, output):
    if len(methods) == 0:
        return lambda methods, mem, rig, measured, before, after, output: (after, output)

    def rest(methods, mem, rig, measured, before, after, output):
        state, sent = _correct_one(methods[0], mem, rig, measured, before, after, output)
        return apply_correct(methods[1:], mem, rig, measured, before, state, sent)

    return rest


def apply_set_point(methods, mem, rig, satellites, output):
    """All set-point hooks in order."""
    for method in methods:
        output = _set_point_one(method, mem, rig, satellites, output)
    return output


@overload(apply_set_point, jit_options=OPTIONS)
def _apply_set_point(methods, mem, rig, satellites, output):
    if len(methods) == 0:
        return lambda methods, mem, rig, satellites, output: output

    def rest(methods, mem, rig, satellites, output):
        first = _set_point_one(methods[0], mem, rig, satellites, output)
        return apply_set_point(methods[1:], mem, rig, satellites, first)

    return rest


@compiled
def add_wrenches(a, b):
    chaser = Wrench(add(a.chaser.force, b.chaser.force), add(a.chaser.torque, b.chaser.torque))
    return Wrenches(chaser, Wrench(add(a.target.force, b.target.force), add(a.target.torque, b.target.torque)))


def sum_external(methods, mem, rig, satellites, external):
    """The wrenches of all external hooks, added."""
    for method in methods:
        external = add_wrenches(external, _external_one(method, mem, rig, satellites))
    return external


@overload(sum_external, jit_options=OPTIONS)
def _sum_external(methods, mem, rig, satellites, external):
    if len(methods) == 0:
        return lambda methods, mem, rig, satellites, external: external

    def rest(methods, mem, rig, satellites, external):
        first = add_wrenches(external, _external_one(methods[0], mem, rig, satellites))
        return sum_external(methods[1:], mem, rig, satellites, first)

    return rest


def record_methods(methods, mem, row, at):
    """What the methods record, one after the other, into `row` from `at` on."""
    for method in methods:
        count = len(_BY_TYPE[type(method)].channels)
        row[at : at + count] = mem[method.memory : method.memory + count]
        at += count


@overload(record_methods, jit_options=OPTIONS)
def _record_methods(methods, mem, row, at):
    if len(methods) == 0:
        return lambda methods, mem, row, at: None
    count = len(_BY_TYPE[methods[0].instance_class].channels)

    def rest(methods, mem, row, at):
        for i in range(count):
            row[at + i] = mem[methods[0].memory + i]
        record_methods(methods[1:], mem, row, at + count)

    return rest
