"""A network that runs at a sample rate, stepped from Python: displacement in, effort out. The
compiled functions behind it serve loops of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.networks.linear_step import (
    FED,
    SHORT,
    TANK,
    create_memory,
    lay_out_linear,
    linear_net,
    run_linear,
)
from softdock.networks.network import Network
from softdock.networks.nonlinear_step import (
    begin_nonlinear,
    create_nonlinear_memory,
    lay_out_nonlinear,
    nonlinear_net,
    run_nonlinear,
)
from softdock.networks.resolution import warnings_of


class Sampled:
    """The better step. Sign: `effort . displacement` is the energy that flows in, so the force on
    the hand is minus the effort.

    `most_acceleration`: the cap holds for every motion whose displacement per sample changes by at
    most this times T^2 [m/s^2; of a force port N/s]; inf: no cap, passive only as long as the tank
    lasts. `tank_J`: energy lent at the start, about one sample's worth.
    """

    def __init__(
        self,
        network: Network,
        T: float,
        *,
        most_acceleration: float | Sequence[float] = math.inf,
        tank_J: float = 1e-5,
        states: Sequence[float] | None = None,
    ):
        if not (isinstance(T, (int, float)) and math.isfinite(T) and T > 0.0):
            raise BadInput(Problem("T", T, "a finite number > 0 [s]"))
        if not (isinstance(tank_J, (int, float)) and math.isfinite(tank_J) and tank_J >= 0.0):
            raise BadInput(Problem("tank_J", tank_J, "a finite number >= 0 [J]"))
        extrapolate = 0.0 if network.linear else 1.0
        bound = (
            (1.0 + extrapolate) * np.asarray(most_acceleration, float) * T * T
        )  # how far a displacement can be from its prediction
        if not np.all(bound >= 0.0) or bound.shape not in ((), (len(network.ports),)):
            raise BadInput(
                Problem(
                    "most_acceleration",
                    most_acceleration,
                    f"one number >= 0 [m/s^2], or one for each of {len(network.ports)} ports",
                )
            )
        self.network, self.T, self.ports = network, T, network.dirac.ports
        self.capped = bool(np.all(np.isfinite(bound)))  # without it: passive while the tank lasts
        self.warnings = warnings_of(
            network, T
        )  # branches that the sampling does not resolve, by name
        n = len(network.dirac.stores)
        self._net: Any
        self._at: Any
        if states is not None and (
            len(states) != n or not np.all(np.isfinite(np.asarray(states, float)))
        ):
            raise BadInput(
                Problem(
                    "states",
                    states,
                    f"{n} finite numbers, one per store: {', '.join(network.dirac.stores)}",
                )
            )
        if network.linear:
            self._net = linear_net(network, T, bound, extrapolate)
            self.mem = create_memory(self._net, tank_J)
            self._at = lay_out_linear(n, self._net.m)
        else:
            self._net = nonlinear_net(network, T, bound, extrapolate)
            self.mem = create_nonlinear_memory(self._net, tank_J)
            self._at = lay_out_nonlinear(n, len(network.dirac.dampers), self._net.m)
        if states is not None:
            self.states = np.asarray(states, float)

    @property
    def states(self) -> np.ndarray:
        """Elongations [m] and momenta [kg m/s] of the stores, in their order."""
        return self.mem[self._at.x : self._at.x + self._net.n]

    @states.setter
    def states(self, value: np.ndarray) -> None:
        self.mem[self._at.x : self._at.x + self._net.n] = value
        if self.network.linear:
            m = self._net.m
            self.mem[self._at.c : self._at.c + m] = self._net.C @ value
            self.mem[self._at.y : self._at.y + m] = self._net.C @ value
        else:
            begin_nonlinear(self._net, self.mem)

    @property
    def effort(self) -> np.ndarray:
        """Held at the ports until the next sample [N; of a force port m/s]."""
        return self.mem[self._at.y : self._at.y + self._net.m].copy()

    @property
    def tank_J(self) -> float:
        return float(self.mem[TANK])

    @property
    def fed_J(self) -> float:
        """Energy that has flown in through the ports, true for held efforts."""
        return float(self.mem[FED])

    @property
    def short_J(self) -> float:
        """What the motion took beyond network and tank; nought within the cap's bound."""
        return float(self.mem[SHORT])

    def step(self, displacement: float | Sequence[float]) -> np.ndarray:
        """One sample: how far each port moved (a force port: the impulse it got) in, the effort to
        hold next out."""
        self.run(np.atleast_1d(np.asarray(displacement, float)).reshape(1, -1))
        return self.effort

    def run(self, displacements: np.ndarray) -> np.ndarray:
        """Many samples (rows). Returns the effort that was held during each."""
        dq = np.ascontiguousarray(displacements, dtype=float)
        if dq.ndim == 1 and self._net.m == 1:
            dq = dq.reshape(-1, 1)
        if dq.ndim != 2 or dq.shape[1] != self._net.m:
            raise BadInput(
                Problem(
                    "displacements",
                    dq.shape,
                    f"a row per sample, a column per port: {', '.join(self.ports)}",
                )
            )
        if not np.isfinite(dq).all():
            raise BadInput(Problem("displacements", "not finite", "finite numbers [m]"))
        efforts, tanks = np.zeros(dq.shape), np.zeros(len(dq))
        (run_linear if self.network.linear else run_nonlinear)(
            self._net, self.mem, dq, efforts, tanks
        )
        return efforts
