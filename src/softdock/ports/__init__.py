"""Port-Hamiltonian networks that stay passive when sampled: virtual walls, tissues and bodies, for
haptic devices and for docking.

network.py causality.py dirac.py     a network in a few lines -> who decides what -> J, R, G, H
linear_step.py wall_step.py nonlinear_step.py secants.py     the better step: passive at the sampled port for every motion within a bound, the default
published.py                         Franken's algorithm as published
models.py                            ready networks
sampled.py                           both steps behind one class: `Sampled(network, T)`
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS = {
    "Network": "softdock.ports.network",
    "Sampled": "softdock.ports.sampled",
    "load_network": "softdock.scenario.network_file",
    "network_from": "softdock.ports.tables",
    "warnings_of": "softdock.ports.resolution",
    "voigt": "softdock.ports.models",
    "single_spring": "softdock.ports.models",
    "maxwell": "softdock.ports.models",
    "standard_linear_solid": "softdock.ports.models",
    "generalised_maxwell": "softdock.ports.models",
    "hunt_crossley": "softdock.ports.models",
    "chain": "softdock.ports.models",
    "three_axis_wall": "softdock.ports.models",
    "tissue_between_two_devices": "softdock.ports.models",
    "flexible_satellite": "softdock.ports.models",
    "rigid_satellite": "softdock.ports.models",
}
__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock.ports' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
