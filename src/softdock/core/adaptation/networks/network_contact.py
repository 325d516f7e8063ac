"""The method `network_contact`: a linear network (contact.py) or a nonlinear one (nonlinear.py) as
a virtual contact or as an appendage."""

from __future__ import annotations

from softdock.core.adaptation.declaration import Variant
from softdock.core.adaptation.method import Method
from softdock.core.adaptation.networks import cap_report, contact, nonlinear
from softdock.core.adaptation.networks.orbit import APPENDAGE, NOT_IN_ORBIT
from softdock.core.adaptation.networks.port import CELLS, DOUBLE_ONLY, Port
from softdock.core.ports.tables import network_from

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
    cells=CELLS,
    memory=contact.memory,
    check=contact.check,
    books=cap_report.books,
    report=cap_report.report,
    part_of_scenario=True,
    while_latched="the latch's force is passed on: the pair grows as without it",
    in_orbit=lambda values: NOT_IN_ORBIT if values["between"] == "satellites" else APPENDAGE,
    variant=lambda values: None if network_from(values["network"]).linear else _NONLINEAR,
    variants=(
        Variant(
            _NONLINEAR, nonlinear.prepare, {"wrench": nonlinear.wrench, "set_point": nonlinear.step}
        ),
    ),
    double_only=DOUBLE_ONLY,
)
