"""The network of Franken's algorithm: its matrices and its memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.errors import BadInput, Problem
from softdock.networks.elements import POSITION, Mass
from softdock.networks.network import Network

# after the first spring emptied inside the wall: wait until q leaves it, or take any inward motion
# as a new contact
LATCH, REARM = 0, 1
HEAD = Cells(  # scalars at the head of `mem`
    "published_head",
    Cell("force", 1, "N", "on the port"),
    Cell("position", 1, "m", "of the port"),
    Cell("jump", 1, "m", "change of the first spring that the next step hands on"),
    Cell("in_contact", 1, "-", "1: the port touches"),
    Cell("latched", 1, "-", "1: the network is held"),
    Cell("h_in", 1, "J", "energy through the port"),
    Cell("h_virtual", 1, "J", "stored in the network"),
    Cell("h_dissipated", 1, "J", "dissipated in the network"),
    Cell("h_lost", 1, "J", "lost at a jump"),
    Cell("h_control", 1, "J", "taken by the passivity controller"),
    Cell("control_force", 1, "N", "of the passivity controller"),
)
BOOKS = Cells(  # after a sample; the energy of each store stands behind
    "published_books",
    Cell("fed", 1, "J", "H_I, energy that crossed the port"),
    Cell("stored", 1, "J", "in all stores"),
    Cell("dissipated", 1, "J", "dissipated in the network"),
    Cell("lost", 1, "J", "lost at a jump"),
    Cell("virtual", 1, "J", "from deadlocks and overdrafts"),
    Cell("paid", 1, "J", "taken by the passivity controller"),
)
IN_BOOKS, STORES_AT = BOOKS.at, BOOKS.size
SCALARS = HEAD.size
(
    FORCE,
    POSITION_AT,
    JUMP,
    IN_CONTACT,
    LATCHED,
    H_IN,
    H_VIRTUAL,
    H_DISSIPATED,
    H_LOST,
    H_CONTROL,
    CONTROL_FORCE,
) = HEAD.at


class PublishedNet(NamedTuple):
    n: int
    first: int  # the spring that moves with the port
    stiffness: np.ndarray
    S: np.ndarray  # J - R
    G: np.ndarray
    C: np.ndarray
    Y: float
    is_mass: np.ndarray
    T: float
    alpha: float
    damping_max: float  # Ns/m of the passivity controller; 0: off
    after_empty: int


def published_net(
    network: Network,
    T: float,
    *,
    alpha: float = 1.0,
    controller_Ns_per_m: float = 0.0,
    rearm: bool = False,
) -> PublishedNet:
    """The order in which the balances are solved follows from the structure: first the spring whose
    flow is the port's, then what it hands on to."""
    if not network.linear or len(network.ports) != 1 or network.ports[0].causality != POSITION:
        raise BadInput(
            Problem(
                network.name,
                "nonlinear, several ports or a force port",
                "a linear network of one position port; the better step takes all others",
            )
        )
    if not (isinstance(alpha, (int, float)) and 0.0 < alpha <= 1.0):
        raise BadInput(Problem("alpha", alpha, "a number > 0 and <= 1"))
    eq, S = network.equations, network.equations.J - network.equations.R
    springs = [
        i
        for i, name in enumerate(network.dirac.stores)
        if not isinstance(network.parts.elements[name], Mass)
    ]
    moves_with_port = [i for i in springs if eq.G[i, 0] == 1.0 and not S[i].any()]
    first = (
        moves_with_port[0]
        if moves_with_port
        else next((i for i in springs if eq.G[i, 0] != 0.0), -1)
    )
    if first < 0:
        raise BadInput(
            Problem(
                network.name,
                "no spring at the port",
                "a network in which a spring moves with the port: its balance is solved first",
            )
        )
    is_mass = np.array(
        [isinstance(network.parts.elements[name], Mass) for name in network.dirac.stores]
    )
    return PublishedNet(
        n=len(is_mass),
        first=first,
        stiffness=eq.stiffness,
        S=np.ascontiguousarray(S),
        G=np.ascontiguousarray(eq.G[:, 0]),
        C=np.ascontiguousarray(eq.C[0]),
        Y=float(eq.Y[0, 0]),
        is_mass=is_mass,
        T=T,
        alpha=alpha,
        damping_max=controller_Ns_per_m,
        after_empty=REARM if rearm else LATCH,
    )


def create_published_memory(net: PublishedNet, q: float) -> np.ndarray:
    mem = np.zeros(SCALARS + 2 * net.n)
    mem[POSITION_AT] = q
    return mem
