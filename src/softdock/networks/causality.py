"""Which of effort and flow each element decides: sequential assignment, ports first, then stores,
then dampers.

At each end of a bond one side gives the effort and the other answers with the flow. A 0-junction is
given its effort by exactly one bond, a 1-junction its flow by exactly one bond; a transformer hands
both on. Stores must integrate (a spring gives effort, a mass gives flow): a store that is forced
the other way would have to differentiate, and is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass

from softdock.errors import BadInput, Problem
from softdock.networks.elements import (
    FORCE,
    Damper,
    Junction,
    Mass,
    Parts,
    Port,
    Spring,
    Transformer,
)


@dataclass(frozen=True)
class Causality:
    """`effort_from[i]`: the element that gives bond i its effort; the other end gives the flow.
    `chosen`: dampers whose causality was free."""

    effort_from: tuple[str, ...]
    chosen: tuple[
        str, ...
    ]  # more than one, or one that feeds itself, makes an algebraic loop, which is solved


def assign_causality(network: str, parts: Parts) -> Causality:
    given: dict[int, str] = {}

    def other(i: int, name: str) -> str:
        return parts.bonds[i].head if parts.bonds[i].tail == name else parts.bonds[i].tail

    def set_effort(i: int, name: str) -> None:
        """Bond i gets its effort from `name`; follow what that implies."""
        if i in given:
            if given[i] != name:
                raise _conflict(network, parts, i)
            return
        given[i] = name
        for end in (parts.bonds[i].tail, parts.bonds[i].head):
            follow(end)

    def follow(name: str) -> None:
        element = parts.elements[name]
        bonds = parts.at(name)
        if isinstance(element, Transformer):
            known = [i for i in bonds if i in given]
            for i in known:
                j = next(j for j in bonds if j != i)
                # effort in at one side is effort out at the other
                set_effort(j, other(j, name) if given[i] == name else name)
        elif isinstance(element, Junction):
            deciding = [i for i in bonds if i in given and _decides(element, name, given[i])]
            free = [i for i in bonds if i not in given]
            if len(deciding) > 1:
                raise _conflict(network, parts, deciding[-1])
            if len(deciding) == 1:
                for i in free:
                    set_effort(i, name if element.kind == 0 else other(i, name))
            elif not free:
                raise BadInput(
                    Problem(
                        f"{network}.{name}",
                        "nothing decides it",
                        "a junction whose flow (1) or effort (0) one element decides",
                    )
                )
            elif len(free) == 1:
                set_effort(free[0], other(free[0], name) if element.kind == 0 else name)

    for port in parts.of(Port):
        assert isinstance(port, Port)
        (i,) = parts.at(port.name)
        wanted = port.name if port.causality == FORCE else other(i, port.name)
        _demand(
            network, parts, given, i, wanted, port.name, "ports that do not contradict each other"
        )
        set_effort(i, wanted)
    for store in parts.of(Spring, Mass):
        (i,) = parts.at(store.name)
        wanted = store.name if isinstance(store, Spring) else other(i, store.name)
        decides = "flow" if isinstance(store, Spring) else "effort"
        _demand(
            network,
            parts,
            given,
            i,
            wanted,
            store.name,
            f"integral causality: another element already decides its {decides} the wrong "
            "way, so it "
            "would have to differentiate; put a spring, a mass or a damper between the two",
        )
        set_effort(i, wanted)
    chosen = []
    for damper in parts.of(Damper):
        (i,) = parts.at(damper.name)
        if i not in given:
            chosen.append(damper.name)
            set_effort(i, damper.name)  # impedance: flow in, force out
    for i, bond in enumerate(parts.bonds):
        if i not in given:  # junctions among themselves
            set_effort(i, bond.tail)
    return Causality(tuple(given[i] for i in range(len(parts.bonds))), tuple(chosen))


def _decides(junction: Junction, name: str, effort_from: str) -> bool:
    """Whether a bond of which the effort comes from `effort_from` decides the junction."""
    return (effort_from != name) if junction.kind == 0 else (effort_from == name)


def _demand(
    network: str, parts: Parts, given: dict[int, str], i: int, wanted: str, name: str, allowed: str
) -> None:
    if given.get(i, wanted) != wanted:
        raise BadInput(Problem(f"{network}.{name}", "derivative causality", allowed))


def _conflict(network: str, parts: Parts, i: int) -> BadInput:
    bond = parts.bonds[i]
    ends = [n for n in (bond.tail, bond.head) if not isinstance(parts.elements[n], Junction)]
    name = ends[0] if ends else f"{bond.tail} -> {bond.head}"
    return BadInput(
        Problem(
            f"{network}.{name}",
            "derivative causality",
            "a junction that only one element decides; two compete here, so one would have "
            "to differentiate",
        )
    )


def is_admittance(causality: Causality, parts: Parts, name: str) -> bool:
    """Whether an element is given the effort and answers with the flow."""
    (i,) = parts.at(name)
    return causality.effort_from[i] != name
