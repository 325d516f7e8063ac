"""What is allowed and still worth knowing before a network runs: relaxation or oscillation too fast
for the sample period."""

from __future__ import annotations

import numpy as np

from softdock.networks.elements import POLYNOMIAL, Spring
from softdock.networks.network import Network

FLOOR_POINTS = 401  # in which the floor of a potential is looked for


def warnings_of(network: Network, T: float) -> list[str]:
    """A branch that relaxes within two samples (tau < 2 T), an oscillation of fewer than eight
    samples; of a nonlinear network as it is at rest."""
    eq = network.equations
    stiffness = np.array(
        [_at_rest(network, name, k) for name, k in zip(network.dirac.stores, eq.stiffness)]
    )
    values, vectors = np.linalg.eig((eq.J - eq.R) @ np.diag(stiffness))
    found = []
    for value, vector in zip(values, vectors.T):
        if value.imag < 0.0:
            continue
        energy = np.abs(vector) ** 2 * stiffness
        name = network.dirac.stores[int(np.argmax(energy))]
        if value.imag == 0.0 and value.real < 0.0 and -1.0 / value.real < 2.0 * T:
            found.append(
                f"{network.name}.{name}: relaxes in {-1e3 / value.real:.3g} ms, less than "
                f"two samples of {1e3 * T:.3g} ms; its relaxation is not resolved"
            )
        elif value.imag > 0.0 and abs(value) * T > 2.0 * np.pi / 8.0:
            found.append(
                f"{network.name}.{name}: oscillates in {2e3 * np.pi / abs(value):.3g} ms, "
                f"fewer than eight samples of {1e3 * T:.3g} ms"
            )
    return found


def _at_rest(network: Network, name: str, stiffness: float) -> float:
    """Stiffness of a store at rest [N/m or 1/kg]; of a nonlinear spring the curvature of its
    potential at rest (of one's own: at its floor), none where it is one-sided."""
    store = network.parts.elements[name]
    if not np.isnan(stiffness) or not isinstance(store, Spring):
        return float(stiffness)
    if store.kind == POLYNOMIAL:
        return 2.0 * store.coefficients[0]
    return _curvature_at_floor(store) if store.potential is not None else 0.0


def _curvature_at_floor(spring: Spring) -> float:
    """Curvature of a user's potential where it is lowest [N/m]."""
    x = np.linspace(*spring.stretch, FLOOR_POINTS)
    V = (
        np.array([spring.potential(float(at)) for at in x])
        if spring.potential is not None
        else np.zeros(FLOOR_POINTS)
    )
    i = int(np.clip(np.argmin(V), 1, FLOOR_POINTS - 2))
    return max(0.0, float((V[i - 1] - 2.0 * V[i] + V[i + 1]) / (x[1] - x[0]) ** 2))
