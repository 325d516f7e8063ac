"""Ready networks. Each is a few lines over `Network`; copy one to start your own.

Walls are pushed towards negative q: the state of a compressed spring is negative, as in Franken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softdock.errors import BadInput, Problem
from softdock.networks.network import Network


def voigt(stiffness: float, damping: float) -> Network:
    """A spring beside a damper."""
    net = (
        Network("voigt")
        .port("hand", "position")
        .spring("S1", stiffness)
        .damper("B1", damping)
        .one("together")
    )
    return net.connect("hand", "together").connect("together", "S1", "B1")


def single_spring(stiffness: float) -> Network:
    """The paper's first example, Franken eqs. 5 to 8."""
    net = Network("single spring").port("hand", "position").spring("S1", stiffness).one("together")
    return net.connect("hand", "together").connect("together", "S1")


def maxwell(stiffness: float, damping: float) -> Network:
    """A spring and a damper in series."""
    net = (
        Network("maxwell")
        .port("hand", "position")
        .spring("S1", stiffness)
        .damper("B1", damping)
        .zero("in_series")
    )
    return net.connect("hand", "in_series").connect("in_series", "S1", "B1")


def standard_linear_solid(k1: float, k2: float, b1: float) -> Network:
    """A spring beside a Maxwell branch: soft tissue that relaxes (Franken's Fig. 2)."""
    net = (
        Network("standard linear solid")
        .port("hand", "position")
        .spring("S1", k1)
        .spring("S2", k2)
        .damper("B1", b1)
    )
    net.one("together").zero("in_series").connect("hand", "together")
    return net.connect("together", "S1", "in_series").connect("in_series", "S2", "B1")


def generalised_maxwell(stiffness: float, branches: Sequence[tuple[float, float]]) -> Network:
    """A spring beside any number of Maxwell branches, each given as (stiffness [N/m], relaxation
    time [s])."""
    net = (
        Network("generalised maxwell")
        .port("hand", "position")
        .spring("S0", stiffness)
        .one("together")
        .connect("hand", "together")
    )
    net.connect("together", "S0")
    for i, (k, tau) in enumerate(branches, 1):
        net.spring(f"S{i}", k).damper(f"B{i}", k * tau).zero(f"branch{i}")
        net.connect("together", f"branch{i}").connect(f"branch{i}", f"S{i}", f"B{i}")
    return net


def hunt_crossley(stiffness: float, exponent: float, per_speed: float) -> Network:
    """Force k d^n (1 + lambda d'), d = -x the depth; k in N/m^n, lambda in s/m."""
    net = (
        Network("hunt-crossley")
        .port("hand", "position")
        .one_sided_spring("S1", stiffness, exponent)
    )
    net.damper("B1", per_force=per_speed, of="S1").one("together")
    return net.connect("hand", "together").connect("together", "S1", "B1")


def chain(
    masses: int,
    mass: float,
    stiffness: float,
    damping: float,
    end_stiffness: float,
    end_damping: float,
) -> Network:
    """Masses in a row, pushed through a spring and damper at one end, held by a spring and damper
    at the other."""
    if not isinstance(masses, int) or masses < 1:
        raise BadInput(Problem("chain.masses", masses, "a whole number >= 1"))
    net = Network("chain").port("hand", "position")
    before = "hand_moves"
    net.one(before).connect("hand", before)
    for i in range(1, masses + 1):
        _link(net, i, before, stiffness, damping)
        before = f"mass{i}_moves"
        net.mass(f"M{i}", mass).one(before).connect(f"force{i}", before).connect(before, f"M{i}")
    net.spring("S_end", end_stiffness).damper("B_end", end_damping)
    return net.connect(before, "S_end", "B_end")


def _link(net: Network, i: int, before: str, stiffness: float, damping: float) -> None:
    """Spring and damper between what moves `before` and what comes behind: a 0-junction, whose
    difference of flows they feel."""
    net.zero(f"force{i}").one(f"link{i}").spring(f"S{i}", stiffness).damper(f"B{i}", damping)
    net.connect(before, f"force{i}").connect(f"force{i}", f"link{i}").connect(
        f"link{i}", f"S{i}", f"B{i}"
    )


def three_axis_wall(
    normal: tuple[float, float, float], tangential: tuple[float, float, float]
) -> Network:
    """A standard linear solid (k1, k2, b1) along each axis: ports x, y (tangential) and z
    (normal)."""
    net = Network("three-axis wall")
    for axis, (k1, k2, b1) in (("x", tangential), ("y", tangential), ("z", normal)):
        net.port(axis, "position").spring(f"S1{axis}", k1).spring(f"S2{axis}", k2).damper(
            f"B1{axis}", b1
        )
        net.one(f"together_{axis}").zero(f"in_series_{axis}").connect(axis, f"together_{axis}")
        net.connect(f"together_{axis}", f"S1{axis}", f"in_series_{axis}").connect(
            f"in_series_{axis}", f"S2{axis}", f"B1{axis}"
        )
    return net


def tissue_between_two_devices(
    mass: float, stiffness: float, damping: float, anchor_stiffness: float, anchor_damping: float
) -> Network:
    """A lump of tissue that two devices hold, each through a spring and damper; the lump is
    anchored to the ground."""
    net = Network("tissue between two devices").mass("M", mass).one("lump").connect("lump", "M")
    net.spring("S_ground", anchor_stiffness).damper("B_ground", anchor_damping).connect(
        "lump", "S_ground", "B_ground"
    )
    for i, name in enumerate(("left", "right"), 1):
        net.port(name, "position").one(f"{name}_moves").connect(name, f"{name}_moves")
        _link(net, i, f"{name}_moves", stiffness, damping)
        net.connect(f"force{i}", "lump")
    return net


def flexible_satellite(hub: float, appendage: float, stiffness: float, damping: float) -> Network:
    """A rigid hub with an elastic appendage, along one axis: a force in, the hub's motion out."""
    net = (
        Network("flexible satellite")
        .port("contact", "force")
        .mass("hub", hub)
        .one("hub_moves")
        .connect("contact", "hub_moves")
    )
    net.connect("hub_moves", "hub")
    _link(net, 1, "hub_moves", stiffness, damping)
    return (
        net.mass("appendage", appendage)
        .one("appendage_moves")
        .connect("force1", "appendage_moves")
        .connect("appendage_moves", "appendage")
    )


def rigid_satellite(mass: float) -> Network:
    """One mass: a force in, its motion out."""
    net = Network("rigid satellite").port("contact", "force").mass("hub", mass).one("hub_moves")
    return net.connect("contact", "hub_moves").connect("hub_moves", "hub")


MODELS: dict[str, Callable[..., Network]] = {
    "single_spring": single_spring,
    "voigt": voigt,
    "maxwell": maxwell,
    "standard_linear_solid": standard_linear_solid,
    "generalised_maxwell": generalised_maxwell,
    "hunt_crossley": hunt_crossley,
    "chain": chain,
    "three_axis_wall": three_axis_wall,
    "tissue_between_two_devices": tissue_between_two_devices,
    "flexible_satellite": flexible_satellite,
    "rigid_satellite": rigid_satellite,
}
