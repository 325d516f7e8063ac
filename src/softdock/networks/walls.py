"""A motion against a virtual wall, rendered in every way there is, beside the continuous truth.
Walls lie at q < 0; forces push out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.networks.continuous import simulate_continuous_wall
from softdock.networks.linear_step import create_memory, linear_net
from softdock.networks.network import Network
from softdock.networks.published import create_published_memory, published_net, run_published
from softdock.networks.published_net import IN_BOOKS, STORES_AT
from softdock.networks.wall_step import IN_BOOKS as IN_WALL_BOOKS
from softdock.networks.wall_step import WALL_BOOKS, run_wall

Motion = Callable[[np.ndarray], np.ndarray]


@dataclass
class Rendered:
    """Per sample k >= 1: force held during the sample that ends at t_k, energy exchanged up to
    then, energy dissipated inside [J]."""

    force: np.ndarray
    exchanged: np.ndarray
    dissipated: np.ndarray
    books: np.ndarray  # as the algorithm keeps them
    guarantee: str = ""  # of the better step: what its cap promises of this motion


def render_published(
    network: Network,
    T: float,
    q: np.ndarray,
    *,
    controller_Ns_per_m: float = 0.0,
    alpha: float = 1.0,
) -> Rendered:
    """Books: as `published_net.BOOKS`, each store behind. `alpha`: share of the depth at the touch
    with which springs start."""
    net = published_net(network, T, alpha=alpha, controller_Ns_per_m=controller_Ns_per_m)
    force, books = np.zeros(len(q)), np.zeros((len(q), STORES_AT + net.n))
    run_published(net, create_published_memory(net, q[0]), q, force, books)
    exchanged = books[:, IN_BOOKS.fed] + books[:, IN_BOOKS.paid]
    return Rendered(force, exchanged, books[:, IN_BOOKS.dissipated], books)


def published_residual(books: np.ndarray) -> np.ndarray:
    """H_I + H_virtual less all it must be [J]: stored, dissipated and lost."""
    at = IN_BOOKS
    return np.asarray(
        books[:, at.fed]
        + books[:, at.virtual]
        - books[:, at.stored]
        - books[:, at.dissipated]
        - books[:, at.lost]
    )


PASSIVE = "passive: within its cap"
UNCAPPED = "uncapped: passive only while the tank lasts"
BEYOND = "moved faster than its cap"


def largest_acceleration(q: np.ndarray, T: float) -> float:
    """Largest change of the displacement per sample, over T^2 [m/s^2]; of all ports (columns)."""
    return float(np.abs(np.diff(q, 2, axis=0)).max(initial=0.0)) / T**2


def describe_guarantee(most_acceleration: float, q: np.ndarray, T: float) -> str:
    """What the better step's cap promises of the motion `q`."""
    if not math.isfinite(most_acceleration):
        return UNCAPPED
    return PASSIVE if largest_acceleration(q, T) <= most_acceleration else BEYOND


def render_better(
    network: Network,
    T: float,
    q: np.ndarray,
    *,
    tank_J: float = 1e-5,
    most_acceleration: float = math.inf,
) -> Rendered:
    """Books: as `wall_step.WALL_BOOKS`. `most_acceleration`: the wall stays passive for motions
    that keep to it [m/s^2]; inf: uncapped, passive only while the tank lasts."""
    net = linear_net(network, T, bound=most_acceleration * T * T)
    force, books = np.zeros(len(q)), np.zeros((len(q), WALL_BOOKS.size))
    books[0, IN_WALL_BOOKS.tank] = tank_J
    run_wall(net, create_memory(net, tank_J), q, force, books)
    dissipated = books[:, IN_WALL_BOOKS.put_in] - books[:, IN_WALL_BOOKS.stored]
    guarantee = describe_guarantee(most_acceleration, q, T)
    return Rendered(force, books[:, IN_WALL_BOOKS.fed], dissipated, books, guarantee)


def render_euler(k1: float, k2: float, b1: float, T: float, q: np.ndarray) -> Rendered:
    """The standard linear solid by forward Euler: x1 = q, x2 += dq - T k2 x2 / b1, force held."""
    force, exchanged, dissipated = np.zeros(len(q)), np.zeros(len(q)), np.zeros(len(q))
    x2, held, touching, total, lost = 0.0, 0.0, False, 0.0, 0.0
    for k in range(1, len(q)):
        force[k] = held
        total -= held * (q[k] - q[k - 1])
        if q[k] < 0.0:
            lost += (k2 * x2) ** 2 * T / b1
            x2 = x2 + (q[k] - q[k - 1]) - T * k2 * x2 / b1 if touching else q[k]
        touching = q[k] < 0.0
        held = -k1 * q[k] - k2 * x2 if touching else 0.0
        exchanged[k], dissipated[k] = total, lost
    return Rendered(force, exchanged, dissipated, np.zeros((len(q), 0)))


def true_force(
    network: Network,
    T: float,
    samples: int,
    position: Motion,
    velocity: Motion,
    *,
    pull: bool = False,
    substeps: int = 40,
) -> Rendered:
    """The continuous wall: mean force over each sample. `pull`: as in the paper's model the force
    may pull until q is out of the wall."""
    found = simulate_continuous_wall(network, T, samples, position, velocity, substeps, pull)
    force, exchanged = np.zeros(samples + 1), np.zeros(samples + 1)
    force[1:], exchanged[1:] = -found.mean_effort[:, 0], found.fed
    dissipated = exchanged.copy()
    dissipated[1:] -= found.stored
    return Rendered(force, exchanged, dissipated, np.zeros((samples + 1, 0)))


def force_error(force: np.ndarray, truth: np.ndarray) -> float:
    """RMS of the difference over RMS of the truth."""
    return float(np.sqrt(np.sum((force - truth) ** 2) / np.sum(truth**2)))
