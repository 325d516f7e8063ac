"""Port-Hamiltonian networks that stay passive when sampled: virtual walls, tissues and bodies, for
haptic devices and for docking. All public names; the code is in core/ports/ and networks/.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS = {
    "Network": "softdock.core.ports.network",
    "Sampled": "softdock.networks.sampled",
    "load_network": "softdock.scenario.network_file",
    "network_from": "softdock.core.ports.tables",
    "warnings_of": "softdock.networks.resolution",
    "voigt": "softdock.core.ports.models",
    "single_spring": "softdock.core.ports.models",
    "maxwell": "softdock.core.ports.models",
    "standard_linear_solid": "softdock.core.ports.models",
    "generalised_maxwell": "softdock.core.ports.models",
    "hunt_crossley": "softdock.core.ports.models",
    "chain": "softdock.core.ports.models",
    "three_axis_wall": "softdock.core.ports.models",
    "tissue_between_two_devices": "softdock.core.ports.models",
    "flexible_satellite": "softdock.core.ports.models",
    "rigid_satellite": "softdock.core.ports.models",
}
__all__ = sorted(_EXPORTS)
__path__: list[str] = []  # modules below the old name are found by _moved.py


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock.core.ports' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
