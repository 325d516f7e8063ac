"""What is allowed and still worth knowing before a network runs: relaxation or oscillation too fast for the sample period."""

from __future__ import annotations

import numpy as np

from softdock.ports.network import Network


def warnings_of(network: Network, T: float) -> list[str]:
    """A branch that relaxes within two samples (tau < 2 T), an oscillation of fewer than eight samples, a damper that is stiffer than the sampling."""
    if not network.linear:
        return []
    eq = network.equations
    values, vectors = np.linalg.eig((eq.J - eq.R) @ np.diag(eq.stiffness))
    found = []
    for value, vector in zip(values, vectors.T):
        if value.imag < 0.0:
            continue
        energy = np.abs(vector) ** 2 * eq.stiffness
        name = network.dirac.stores[int(np.argmax(energy))]
        if value.imag == 0.0 and value.real < 0.0 and -1.0 / value.real < 2.0 * T:
            found.append(
                f"{network.name}.{name}: relaxes in {-1e3 / value.real:.3g} ms, less than two samples of {1e3 * T:.3g} ms; its relaxation is not resolved"
            )
        elif value.imag > 0.0 and abs(value) * T > 2.0 * np.pi / 8.0:
            found.append(f"{network.name}.{name}: oscillates in {2e3 * np.pi / abs(value):.3g} ms, fewer than eight samples of {1e3 * T:.3g} ms")
    return found
