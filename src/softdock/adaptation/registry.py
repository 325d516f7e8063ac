"""The list of methods, and how compiled code finds the hooks of each by the type of its parameters.

`markers` is a tuple with one instance of a method's NamedTuple per listed method: its *type* chooses the code at compile time, so a loop
compiles only the methods it uses. In the vector a method's parameters stand behind one slot that holds where its memory begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from numba.extending import overload

from softdock.adaptation import (
    adaptive_damping,
    delay_passivity,
    delay_passivity_keys,
    direct,
    energy_ledger,
    energy_ledger_notes,
    executable,
    hybrid,
    monitor,
    network_contact,
    network_nonlinear,
    network_port,
    network_satellite,
    orbit_networks,
    passive_integrator,
    remapping,
    remapping_checks,
    remapping_keys,
    remapping_memory,
    remapping_reports,
    remapping_truth,
    rewind,
    suggestions,
    virtual_contact,
)
from softdock.adaptation.by_axis import WORK_CHANNELS
from softdock.adaptation.interface import Replaced, Wrenches
from softdock.compiled import OPTIONS, by_type, compiled
from softdock.parameters import Group
from softdock.ports.tables import network_from
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
Checked = tuple[list[tuple[str, Any, str]], list[str]]  # problems (key, value, what is allowed) and warnings


class Belief(NamedTuple):
    """One thing a method must be told and may be told wrongly: its kind, and the key of the method's parameter that holds it."""

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
    external: Callable[..., Any] = no_external  # a plug-in's own wrench on the satellites, booked as external work
    rewound: Callable[..., Any] = nothing_rewound  # (method, mem) -> gain of kinetic energy in this cycle by a past that was changed, J
    replaced: Callable[..., Any] = nothing_replaced  # (method, mem) -> Replaced: a wanted contact in place of the real one; W_designed is real less wanted work
    past: Callable[..., Any] = keep_past  # (method, mem, chaser, target, record, column, row): that past into its own channels of earlier rows
    memory: Callable[[dict[str, Any], float], int] = lambda values, T: 0  # floats of `mem`, from its values (user's units) and the cycle [s]
    channels: tuple[tuple[str, str, str, str], ...] = ()  # recorded: name, unit, frame, meaning of the first floats of its memory
    check: Callable[[dict[str, Any], Any], Checked] = lambda values, tables: ([], [])  # of its values, and of the whole scenario's
    report: Callable[[Any, dict[str, Any]], list[str]] = lambda mem, values: []  # what a user should hear of, from its memory at the end of a run
    truth: Callable[..., tuple[dict[str, Any], list[str]]] = lambda name, values, tables, series, contacts: ({}, [])  # what it could not know: books, words
    needs: tuple[Belief, ...] = ()  # what it believes: comparisons run it with errors in each
    suggest: Callable[[Any], dict[str, Any]] = lambda scenario: {}  # its keys for a scenario that does not list it, beyond their defaults
    refuses: Callable[[Any], str | None] = lambda scenario: None  # why it cannot run on a scenario, in words
    in_demo: bool = False  # shown by `softdock demo`: few, because each is compiled there for the first time
    books: Callable[[Any], dict[str, Any]] = lambda mem: {}  # what it did in a run, from its slice of `mem`
    events: Callable[[Any, float], list[str]] = lambda mem, T: []  # what went wrong with its readings, in words; from its slice and the cycle
    in_orbit: Callable[[dict[str, Any]], int] = lambda values: orbit_networks.NOT_IN_ORBIT  # how orbit has it: a network that is part of a satellite
    part_of_scenario: bool = False  # no remedy but a part of the rig or the satellites: kept whatever is compared
    variant: Callable[[dict[str, Any]], Any] = lambda values: None  # for these values another marker, registered by `register_variant`; None: its own


METHODS: dict[str, Method] = {}
_BY_TYPE: dict[type, Method] = {}


def register(method: Method) -> None:
    """Add a method to the list. Compiled code knows a NamedTuple by its name and fields, so no two methods may have the same."""
    cls = type(method.marker)
    for other in METHODS.values():
        twin = type(other.marker)
        if other.name != method.name and twin.__name__ == cls.__name__ and twin._fields == cls._fields:
            raise ValueError(f"method '{method.name}': a NamedTuple '{cls.__name__}' with these fields is already that of '{other.name}'; give it another name")
    METHODS[method.name] = method
    _BY_TYPE[type(method.marker)] = method


def register_variant(name: str, marker: Any, prepare: Callable[..., Any], **hooks: Callable[..., Any]) -> None:
    """Another compiled code of a method, for some of its values: with the same parameters, memory and channels."""
    _BY_TYPE[type(marker)] = replace(METHODS[name], marker=marker, prepare=prepare, **hooks)  # type: ignore[arg-type]


_NO_PORT = network_port.Port(0, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 0.0)
_NONLINEAR = network_nonlinear.NonlinearContact(0, 0, 0, _NO_PORT, 0.0, 0.0)
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
        needs=(Belief("stiffness", "damping_Ns_per_m"), Belief("delay", "damping_Ns_per_m")),  # b = k h: an error in either is one in b
        suggest=suggestions.damper,
        refuses=suggestions.needs_stiffness,
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
        needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "delay_ms")),
        suggest=suggestions.stiffness_and_delay,
        refuses=suggestions.needs_stiffness,
        in_demo=True,
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
register(
    Method(
        "network_contact",
        "a port-Hamiltonian network as a virtual contact between the satellites, or as an appendage of one of them",
        "the network",
        network_contact.NETWORK_CONTACT,
        network_contact.NetworkContact(0, 0, 0, _NO_PORT, 0, 0.0, 0.0),
        network_contact.prepare,
        wrench=network_contact.wrench,
        set_point=network_contact.step,
        memory=network_contact.memory,
        channels=network_port.CHANNELS,
        check=network_contact.check,
        part_of_scenario=True,
        in_orbit=lambda values: orbit_networks.NOT_IN_ORBIT if values["between"] == "satellites" else orbit_networks.APPENDAGE,
        variant=lambda values: None if network_from(values["network"]).linear else _NONLINEAR,
    )
)
register(
    Method(
        "network_satellite",
        "a port-Hamiltonian network as a satellite along one axis: force in, motion out, energy exact",
        "the network",
        network_satellite.NETWORK_SATELLITE,
        network_satellite.NetworkSatellite(0, 0, 0, 0, (0.0, 0.0, 0.0)),
        network_satellite.prepare,
        correct=network_satellite.follow,
        memory=network_satellite.memory,
        channels=network_satellite.CHANNELS,
        check=network_satellite.check,
        part_of_scenario=True,
        in_orbit=lambda values: orbit_networks.SATELLITE,
    )
)
register_variant("network_contact", _NONLINEAR, network_nonlinear.prepare, wrench=network_nonlinear.wrench, set_point=network_nonlinear.step)
register(
    Method(
        "passive_integrator",
        "De Stefano's passive integrator: set-points corrected by the energy of the integration",
        "nothing; its tank: the largest force",
        passive_integrator.PASSIVE_INTEGRATOR,
        passive_integrator.MARKER,
        passive_integrator.prepare,
        wrench=passive_integrator.wrench,
        correct=passive_integrator.correct,
        memory=lambda values, T: passive_integrator.FLOATS,
        channels=passive_integrator.CHANNELS,
        books=passive_integrator.books,
        events=passive_integrator.events,
    )
)
register(
    Method(
        "delay_passivity",
        "passivity observer and controller around the robots' delay: the satellites get what the real contact gives, and no more",
        "nothing; with noise: the force that is no contact",
        delay_passivity_keys.DELAY_PASSIVITY,
        delay_passivity_keys.MARKER,
        delay_passivity_keys.prepare,
        wrench=delay_passivity.wrench,
        memory=delay_passivity_keys.memory,
        channels=WORK_CHANNELS,
        books=delay_passivity.books,
        events=delay_passivity.events,
        check=delay_passivity_keys.check,
        suggest=delay_passivity_keys.suggest,
        refuses=delay_passivity_keys.refuses,
    )
)
register(
    Method(
        "energy_ledger",
        "the satellites' kinetic energy follows the measured work of the real contact",
        "nothing; with noise, its size",
        energy_ledger.ENERGY_LEDGER,
        energy_ledger.MARKER,
        energy_ledger.prepare,
        wrench=energy_ledger.remember,
        correct=energy_ledger.follow,
        set_point=energy_ledger.send,
        memory=energy_ledger.memory,
        channels=WORK_CHANNELS,
        check=energy_ledger.check,
        suggest=energy_ledger.suggest,
        refuses=energy_ledger.refuses,
        books=energy_ledger_notes.books,
        events=energy_ledger_notes.events,
    )
)
register(
    Method(
        "remapping",
        "the measured force says where the environment is; the satellites feel the wanted contact there",
        "the mock-ups' stiffness; the delay, for its lead",
        remapping_keys.REMAPPING,
        remapping_memory.MARKER,
        remapping.prepare,
        wrench=remapping.wrench,
        correct=remapping.correct,
        set_point=executable.set_point,
        rewound=remapping.rewound,
        replaced=remapping.replaced,
        past=rewind.rewrite_past,
        memory=remapping_reports.memory,
        channels=remapping_memory.CHANNELS,
        check=remapping_checks.check,
        report=remapping_reports.report,
        truth=remapping_truth.truth,
        needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "lead_ms")),
        suggest=remapping_reports.suggest,
        refuses=remapping_reports.refuses,
        books=remapping_reports.books,
    )
)


def memory_slots(methods, base):
    """Where in the vector each listed method's memory is named; the first method's at `base`."""
    slots = []
    for marker in methods:
        slots.append(base)
        base += 1 + _BY_TYPE[type(marker)].group.size
    return slots


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


@by_type(lambda cls: _BY_TYPE[cls].rewound)
def _rewound_one(method, mem): ...


@by_type(lambda cls: _BY_TYPE[cls].replaced)
def _replaced_one(method, mem): ...


@by_type(lambda cls: _BY_TYPE[cls].past)
def _past_one(method, mem, chaser, target, record, column, row): ...


def _any_method(classes, *hooks):
    defaults: dict[str, Any] = {"wrench": keep_wrench, "correct": keep_states, "set_point": keep_set_point, "external": no_external}
    defaults |= {"rewound": nothing_rewound, "replaced": nothing_replaced}
    return any(getattr(_BY_TYPE[cls], hook) is not defaults[hook] for cls in classes for hook in hooks)


def _known_at_compile_time(name, *hooks):
    """A function of the methods that is a constant in compiled code: whether any of them has one of these hooks."""

    def ask(methods):
        return _any_method([type(method) for method in methods], *hooks)

    def typed(methods):
        answer = _any_method([method.instance_class for method in methods], *hooks)
        return lambda methods: answer

    ask.__name__ = name
    overload(ask, jit_options=OPTIONS)(typed)
    return ask


any_wrench = _known_at_compile_time("any_wrench", "wrench")  # else F_sat is F_meas
any_correct = _known_at_compile_time("any_correct", "correct")  # else the integrated state is the state
any_lead = _known_at_compile_time("any_lead", "correct", "set_point")  # else the satellites' own motion is sent
any_external = _known_at_compile_time("any_external", "external")
any_rewound = _known_at_compile_time("any_rewound", "rewound")  # else the past stays as it was
any_replaced = _known_at_compile_time("any_replaced", "replaced")  # else satellites feel the real contact
any_books = _known_at_compile_time("any_books", "wrench", "correct", "set_point")  # else there is no virtual or designed work


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


def sum_rewound(methods, mem):
    """Gain of kinetic energy in this cycle by pasts that were changed [J]."""
    total = 0.0
    for method in methods:
        total += _rewound_one(method, mem)
    return total


@overload(sum_rewound, jit_options=OPTIONS)
def _sum_rewound(methods, mem):
    if len(methods) == 0:
        return lambda methods, mem: 0.0
    return lambda methods, mem: _rewound_one(methods[0], mem) + sum_rewound(methods[1:], mem)


@compiled
def _both_replaced(a, b):
    changed, acts = a.past_changed or b.past_changed, a.acts or b.acts
    return Replaced(a.taken + b.taken, acts, changed, add(a.impulse, b.impulse), max(a.peak_squared, b.peak_squared), a.pushes or b.pushes)


def sum_replaced(methods, mem):
    """What the methods' wanted contacts did in this cycle."""
    total = nothing_replaced(None, mem)
    for method in methods:
        total = _both_replaced(total, _replaced_one(method, mem))
    return total


@overload(sum_replaced, jit_options=OPTIONS)
def _sum_replaced(methods, mem):
    if len(methods) == 0:
        return lambda methods, mem: Replaced(0.0, False, False, (0.0, 0.0, 0.0), 0.0, False)
    return lambda methods, mem: _both_replaced(_replaced_one(methods[0], mem), sum_replaced(methods[1:], mem))


def rewrite_pasts(methods, mem, chaser, target, record, at, row):
    """Corrected pasts into the methods' own channels of rows before `row`; the first method's channels begin at `at`."""
    for method in methods:
        _past_one(method, mem, chaser, target, record, at, row)
        at += len(_BY_TYPE[type(method)].channels)


@overload(rewrite_pasts, jit_options=OPTIONS)
def _rewrite_pasts(methods, mem, chaser, target, record, at, row):
    if len(methods) == 0:
        return lambda methods, mem, chaser, target, record, at, row: None
    count = len(_BY_TYPE[methods[0].instance_class].channels)

    def rest(methods, mem, chaser, target, record, at, row):
        _past_one(methods[0], mem, chaser, target, record, at, row)
        rewrite_pasts(methods[1:], mem, chaser, target, record, at + count, row)

    return rest
