"""Port-Hamiltonian networks that stay passive when sampled: virtual walls, tissues and bodies, for
haptic devices and for docking. All public names.

network.py causality.py dirac.py     a network in a few lines -> who decides what -> J, R, G, H
linear_step.py wall_step.py nonlinear_step.py
                                     the better step: passive at the sampled port for every motion
                                     within a bound, the default
published.py                         Franken's algorithm as published
models.py                            ready networks
sampled.py haptics.py walls.py       networks at work, as Python drives them
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS = {
    "Network": "softdock.networks.network",
    "Sampled": "softdock.networks.sampled",
    "load_network": "softdock.scenario.network_file",
    "network_from": "softdock.networks.tables",
    "warnings_of": "softdock.networks.resolution",
    "voigt": "softdock.networks.models",
    "single_spring": "softdock.networks.models",
    "maxwell": "softdock.networks.models",
    "standard_linear_solid": "softdock.networks.models",
    "generalised_maxwell": "softdock.networks.models",
    "hunt_crossley": "softdock.networks.models",
    "chain": "softdock.networks.models",
    "three_axis_wall": "softdock.networks.models",
    "tissue_between_two_devices": "softdock.networks.models",
    "flexible_satellite": "softdock.networks.models",
    "rigid_satellite": "softdock.networks.models",
}
__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock.networks' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
