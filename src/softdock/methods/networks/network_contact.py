"""The method `network_contact`: a linear network (contact.py) or a nonlinear one (nonlinear.py) as
a virtual contact or as an appendage."""

from __future__ import annotations

from typing import Any

from softdock.loop.method.declaration import APPENDAGE, NOT_IN_ORBIT, Variant
from softdock.loop.method.method import Method
from softdock.methods.networks import contact, nonlinear
from softdock.methods.networks.port import HEAD, STATE, Port
from softdock.networks.linear_step import CUTS, MOST_CUT, MOST_WANTED
from softdock.networks.tables import network_from

# What the cap of a network's step cut of its force, reported after a run: the step stays passive
# for every motion within a bound, and where tank and network cannot pay for that, the force is less
# than the network's.

WORTH_A_WORD = 0.01  # of the largest force: a cut beyond that is reported


def summarize(mem: Any) -> dict[str, Any]:
    """What its cap cut, from the method's slice of `mem`."""
    own = mem[HEAD:]
    return {
        "cycles_cut_by_the_cap": float(own[CUTS]),
        "largest_cut_N": float(own[MOST_CUT]),
        "largest_force_wanted_N": float(own[MOST_WANTED]),
    }


def describe(mem: Any, values: dict[str, Any]) -> list[str]:
    """A cap that changed the contact: it is no longer the network's."""
    found = summarize(mem)
    cut, wanted = found["largest_cut_N"], found["largest_force_wanted_N"]
    if not cut > WORTH_A_WORD * wanted:
        return []
    return [
        f"network_contact: its cap cut the network's force in "
        f"{found['cycles_cut_by_the_cap']:.0f} cycles, by up to {cut:.3g} N of {wanted:.3g} N: "
        f"this is not the network's contact. With tank_J = {values['tank_J']:g} it must stay "
        "passive for relative accelerations up to most_acceleration_m_per_s2 = "
        f"{values['most_acceleration_m_per_s2']:g}; give the acceleration that the satellites "
        "reach, a larger tank or a shorter cycle"
    ]


_NO_PORT = Port(0, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 0.0)
_NONLINEAR = nonlinear.NonlinearContact(
    memory=0, numbers=0, at=0, port=_NO_PORT, tank=0.0, acceleration=0.0
)

METHOD = Method(
    name="network_contact",
    summary="a port-Hamiltonian network as a virtual contact between the satellites, or as an "
    "appendage of one of them",
    knows="the network",
    group=contact.NETWORK_CONTACT,
    marker=contact.NetworkContact(
        memory=0, numbers=0, at=0, port=_NO_PORT, sided=0, tank=0.0, acceleration=0.0
    ),
    prepare=contact.prepare,
    wrench=contact.wrench,
    set_point=contact.step,
    cells=STATE,
    memory=contact.count_floats,
    check=contact.check,
    books=summarize,
    report=describe,
    part_of_scenario=True,
    while_latched="the latch's force is passed on: the pair grows as without it",
    in_orbit=lambda values: NOT_IN_ORBIT if values["between"] == "satellites" else APPENDAGE,
    variant=lambda values: None if network_from(values["network"]).linear else _NONLINEAR,
    variants=(
        Variant(
            _NONLINEAR, nonlinear.prepare, {"wrench": nonlinear.wrench, "set_point": nonlinear.step}
        ),
    ),
)
