"""The hooks of the listed methods, one after the other: what the cycle calls.

`methods` is a tuple with one NamedTuple per listed method; compiled code finds the hooks of each by
its type. In the vector a method's parameters stand behind one slot that holds where its memory
begins.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from softdock.compile.jit import INNER_OPTIONS, by_type, compiled, find_tuple_class
from softdock.loop.method.interface import Replaced, Wrenches
from softdock.loop.method.method import (
    entry_of,
    keep_set_point,
    keep_states,
    keep_wrench,
    no_external,
    no_past,
    nothing_replaced,
    nothing_rewound,
)
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import add

# Which hooks the listed methods have, as constants in compiled code: a hook that no method has is
# not compiled.


def _any_method(classes, *hooks):
    defaults: dict[str, Any] = {
        "wrench": keep_wrench,
        "correct": keep_states,
        "set_point": keep_set_point,
        "external": no_external,
    }
    defaults |= {"rewound": nothing_rewound, "replaced": nothing_replaced, "past": no_past}
    return any(
        getattr(entry_of(cls), hook) is not defaults[hook] for cls in classes for hook in hooks
    )


def _known_at_compile_time(name, *hooks):
    """A function of the methods that is a constant in compiled code: whether any of them has one of
    these hooks."""

    def ask(methods):
        return _any_method([type(method) for method in methods], *hooks)

    def typed(methods):
        answer = _any_method([find_tuple_class(method) for method in methods], *hooks)
        return lambda methods: answer

    ask.__name__ = name
    overload(ask, jit_options=INNER_OPTIONS)(typed)
    return ask


any_wrench = _known_at_compile_time("any_wrench", "wrench")  # else F_sat is F_meas


any_correct = _known_at_compile_time(
    "any_correct", "correct"
)  # else the integrated state is the state


any_lead = _known_at_compile_time(
    "any_lead", "correct", "set_point"
)  # else the satellites' own motion is sent


any_external = _known_at_compile_time("any_external", "external")


any_rewound = _known_at_compile_time("any_rewound", "rewound")  # else the past stays as it was


any_replaced = _known_at_compile_time(
    "any_replaced", "replaced"
)  # else satellites feel the real contact


any_reported_work = _known_at_compile_time(
    "any_reported_work", "wrench", "correct", "set_point"
)  # else there is no virtual or designed work


any_past = _known_at_compile_time("any_past", "past")  # else nothing is recomputed


def memory_slots(methods, base):
    """Where in the vector each listed method's memory is named; the first method's at `base`."""
    slots = []
    for marker in methods:
        slots.append(base)
        base += 1 + entry_of(type(marker)).group.size
    return slots


@by_type(lambda cls: entry_of(cls).prepare)
def _prepare_one(marker, vector, base, memory): ...


@by_type(lambda cls: entry_of(cls).wrench)
def _wrench_one(method, mem, rig, measured, satellites, wrenches): ...


@by_type(lambda cls: entry_of(cls).correct)
def _correct_one(method, mem, rig, measured, before, after, output): ...


@by_type(lambda cls: entry_of(cls).set_point)
def _set_point_one(method, mem, rig, satellites, output): ...


@by_type(lambda cls: entry_of(cls).external)
def _external_one(method, mem, rig, satellites): ...


@by_type(lambda cls: entry_of(cls).rewound)
def _rewound_one(method, mem): ...


@by_type(lambda cls: entry_of(cls).replaced)
def _replaced_one(method, mem): ...


# Each list function below is plain Python, and beside it the compiled form, unrolled over the
# tuple's length at compile time.


def prepare_methods(markers, vector, base):
    """The listed methods' parameters, from the vector."""
    prepared = []
    for marker in markers:
        prepared.append(_prepare_one(marker, vector, base + 1, int(vector[base])))
        base += 1 + entry_of(type(marker)).group.size
    return tuple(prepared)


@overload(prepare_methods, jit_options=INNER_OPTIONS)
def _prepare_methods(markers, vector, base):
    if len(markers) == 0:
        return lambda markers, vector, base: ()
    size = 1 + entry_of(find_tuple_class(markers[0])).group.size

    def rest(markers, vector, base):
        first = _prepare_one(markers[0], vector, base + 1, int(vector[base]))
        return (first, *prepare_methods(markers[1:], vector, base + size))

    return rest


def apply_wrench(methods, mem, rig, measured, satellites, wrenches):
    """All wrench hooks in order."""
    for method in methods:
        wrenches = _wrench_one(method, mem, rig, measured, satellites, wrenches)
    return wrenches


@overload(apply_wrench, jit_options=INNER_OPTIONS)
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


@overload(apply_correct, jit_options=INNER_OPTIONS)
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


@overload(apply_set_point, jit_options=INNER_OPTIONS)
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
    return Wrenches(
        chaser, Wrench(add(a.target.force, b.target.force), add(a.target.torque, b.target.torque))
    )


def sum_external(methods, mem, rig, satellites, external):
    """The wrenches of all external hooks, added."""
    for method in methods:
        external = add_wrenches(external, _external_one(method, mem, rig, satellites))
    return external


@overload(sum_external, jit_options=INNER_OPTIONS)
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
        count = len(entry_of(type(method)).channels)
        row[at : at + count] = mem[method.memory : method.memory + count]
        at += count


@overload(record_methods, jit_options=INNER_OPTIONS)
def _record_methods(methods, mem, row, at):
    if len(methods) == 0:
        return lambda methods, mem, row, at: None
    count = len(entry_of(find_tuple_class(methods[0])).channels)

    def rest(methods, mem, row, at):
        for i in range(count):
            row[at + i] = mem[methods[0].memory + i]
        record_methods(methods[1:], mem, row, at + count)

    return rest


def sum_rewound(methods, mem):
    """Gain of kinetic energy in this cycle by pasts that were changed [J]."""
    total = 0.0
    for method in methods:
        total += _rewound_one(method, mem)
    return total


@overload(sum_rewound, jit_options=INNER_OPTIONS)
def _sum_rewound(methods, mem):
    if len(methods) == 0:
        return lambda methods, mem: 0.0
    return lambda methods, mem: _rewound_one(methods[0], mem) + sum_rewound(methods[1:], mem)


@compiled
def _both_replaced(a, b):
    acts, pushes = a.acts or b.acts, a.pushes or b.pushes
    return Replaced(taken=a.taken + b.taken, acts=acts, pushes=pushes)


def sum_replaced(methods, mem):
    """What the methods' wanted contacts did in this cycle."""
    total = nothing_replaced(None, mem)
    for method in methods:
        total = _both_replaced(total, _replaced_one(method, mem))
    return total


@overload(sum_replaced, jit_options=INNER_OPTIONS)
def _sum_replaced(methods, mem):
    if len(methods) == 0:
        return lambda methods, mem: Replaced(taken=0.0, acts=False, pushes=False)
    return lambda methods, mem: _both_replaced(
        _replaced_one(methods[0], mem), sum_replaced(methods[1:], mem)
    )
