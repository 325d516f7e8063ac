"""Everything that may be said of a method beyond its parameters and hooks (method.py): its memory,
what it checks, shows and claims, and where it stands among others.

Whoever asks something of methods walks these fields: no other file knows a method by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from softdock.compile.cells import Cells
from softdock.loop.contact.laws import LINEAR_LAWS
from softdock.loop.method.memory import Channel
from softdock.loop.method.shown import Shown

# What a method would be told of a rig, where a scenario does not say: for comparisons. From the
# scenario's truth, so that errors of knowledge are added to it afterwards and on purpose. Plain
# Python on a scenario's tables.

NOISE_SIGMAS = 4.0  # a force below this many standard deviations is not taken for a contact


class Known(NamedTuple):
    """What an engineer would know of the rig."""

    stiffness: float | None  # N/m, of the stiffest pair; None: a contact without a stiffness
    delay: float  # s, from set-point to measured force, the hold included
    noise: float  # N


def known_of(scenario: Any) -> Known:
    tables = scenario.tables
    laws = [pair["real"] for pair in tables["contact"]]
    linear = [law["stiffness_N_per_m"] for law in laws if law["law"] in LINEAR_LAWS]
    robots, sensor, cycle_ms = tables["robots"], tables["sensor"], tables["time"]["cycle_ms"]
    late = (
        max(
            robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"]
            for robot in robots.values()
        )
        + sensor["delay_ms"]
    )
    if sensor["handover"] == "mean" and sensor["period_ms"] > 0.0:
        late += 0.5 * (cycle_ms - sensor["period_ms"])
    return Known(
        max(linear) if linear and len(linear) == len(laws) else None,
        1e-3 * (late + 0.5 * cycle_ms),
        sensor["noise_N"],
    )


def needs_stiffness(scenario: Any) -> str | None:
    """Why a method that must know the stiffness cannot run."""
    if known_of(scenario).stiffness is None:
        return "it must know the contact's stiffness, and this scenario has no linear contact"
    return None


def damper(scenario: Any) -> dict[str, Any]:
    """For `hybrid`: the damping along the normal that cancels the delay, b = k h."""
    known = known_of(scenario)
    if known.stiffness is None:
        return {}
    return {
        "damping_Ns_per_m": [known.stiffness * known.delay, 0.0, 0.0],
        "contact_N": NOISE_SIGMAS * known.noise,
    }


def stiffness_and_delay(scenario: Any) -> dict[str, Any]:
    """Stiffness and delay for `adaptive_damping`."""
    known = known_of(scenario)
    if known.stiffness is None:
        return {}
    return {
        "stiffness_N_per_m": known.stiffness,
        "delay_ms": 1e3 * known.delay,
        "contact_N": NOISE_SIGMAS * known.noise,
    }


def neutral_damper(advice: Any) -> dict[str, Any]:
    """For `hybrid`: the damping along the normal that takes out what the whole delay puts in."""
    if advice.neutral_damping is None:
        return {}
    return {"damping_Ns_per_m": [advice.neutral_damping, 0.0, 0.0]}


def delay_before_the_hold(advice: Any) -> dict[str, Any]:
    """For `adaptive_damping`, which adds half a cycle of hold itself: the whole delay without
    it."""
    return {"delay_ms": round(1e3 * (advice.whole_delay - 0.5 * advice.cycle), 6)}


# Methods whose keys are tables at the top of a scenario, in place of keys in an entry of
# `[[methods]]`: part of the mission, and no remedy.
#
# One key of the first table names the method (`guidance.controller = "glideslope"`), so a scenario
# has one method of such a kind. Reader, sweeps, memory map and reference page walk this declaration
# (scenario/top_tables.py).


class AtTop(NamedTuple):
    """What the methods of one kind share."""

    kind: str  # what such a method is called, and the key of the first table that names it
    tables: tuple[str, ...]
    meaning: str  # for the reference page, Markdown
    # keys (table.key) that are those of the first contact pair where they are not given
    from_contact: Mapping[str, str] = {}

    @property
    def key(self) -> str:
        """The key that names the method."""
        return f"{self.tables[0]}.{self.kind}"

    def named(self, tables: Mapping[str, Any]) -> str:
        """The method that a scenario's tables name; empty: none."""
        first = tables.get(self.tables[0], {})
        return str(first.get(self.kind, "")) if isinstance(first, Mapping) else ""


# How orbit has a listed network: not at all (a virtual contact, which is part of the rig), hanging
# on a satellite, or as the satellite itself; or a servicer with an arm as the satellite.

NOT_IN_ORBIT, APPENDAGE, SATELLITE, SERVICER = 0, 1, 2, 3


KINDS = ("delay", "stiffness", "tool_mass")  # what a method may believe, rightly or wrongly
Values = Mapping[str, Any]  # a method's keys as a scenario has them, in the user's units
# problems (key, value, what is allowed) and warnings
Checked = tuple[list[tuple[str, Any, str]], list[str]]
# fields of stability's `Loop`, and notes
LinearPart = tuple[dict[str, Any], list[str]]


def no_memory(values: dict[str, Any], T: float) -> int:
    """Memory of a method that remembers nothing."""
    return 0


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


class Steered(NamedTuple):
    """How a program outside steers a method (`softdock.Pilot`), in plain Python."""

    seen: Callable[..., Any]  # (its slice of mem, tables) -> what it sees; None: nothing yet
    command: Callable[..., None]  # (its slice of mem, its cells, force and torque)


ONCE = "it settles the energy of the whole loop"


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Everything that may be said of a method beyond its parameters and hooks."""

    # its memory and what it records
    cells: Cells | None = None  # the fixed head of its slice of `mem` (memory.py)
    # floats of `mem`, from its values and the cycle [s]; default: its cells
    memory: Callable[[dict[str, Any], float], int] = no_memory
    channels: tuple[Channel, ...] = ()  # default: the recorded ones of its cells
    parts: tuple[Cells, ...] = ()  # layouts of what stands several times in its slice
    row_parts: tuple[Cells, ...] = ()  # layouts of what it has behind the parameter vector

    # before a run
    check: Callable[[dict[str, Any], Any], Checked] = lambda values, tables: ([], [])
    # the same where no robot of the scenario is an arm: problems
    without_arms: Callable[[dict[str, Any]], list[tuple[str, Any, str]]] = lambda values: []
    # rows behind the vector, by the name of the parameter that says where they are
    rows: Callable[[dict[str, Any]], list[tuple[str, Any]]] = lambda values: []
    # which of what is found of the scenario's arms at their contact (loop/arms/at_contact.py) it is
    # told: names of its parameters
    told_of_arms: Callable[[dict[str, Any]], tuple[str, ...]] = lambda values: ()
    # its keys are tables at the top of a scenario, and not in its entry of [[methods]]
    at_top: AtTop | None = None
    needs: tuple[Belief, ...] = ()  # what it believes: comparisons run it with errors in each
    # its keys for a scenario that does not list it, beyond their defaults
    suggest: Callable[[Any], dict[str, Any]] = lambda scenario: {}
    # the same from advice on the whole linear loop (studies/compare/settings.py), in place of what
    # it suggests
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
    shown: Shown | None = None  # numbers for run.metrics, and a section of the page
    # what it could not know: books, words
    truth: Callable[..., tuple[dict[str, Any], list[str]]] = (
        lambda name, values, tables, series, contacts: ({}, [])
    )

    steered: Steered | None = None  # by a program outside; None: it steers itself

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

    # a pair that latches hold together (loop/contact/latch.py)
    while_latched: str = ""  # what it does then, measured; empty: nobody has tried
    holds_latch: bool = False  # a latched pair on a late rig does not grow with it
    knows_no_latch: str = ""  # why it must not run with one

    # what analyses ask
    # the contact that its satellites are to feel, where its own values say so and not the
    # scenario's: keys of contact.wanted (law, restitution, ...); None: the scenario's
    wanted: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda values: None
    # how orbit has it: a network that is part of a satellite, or a servicer with an arm
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
