"""The list of methods. To add one: a module that ends in `METHOD = Method(...)` (method.py), and
its name here.

Everything else (run, compare, demo, stability, reference page, campaigns) finds a method by this
list, and what it asks of a method it finds in its declaration.
"""

from __future__ import annotations

from importlib import import_module

from softdock.core.adaptation.declaration import KINDS, Belief
from softdock.core.adaptation.method import METHODS, Method, register

__all__ = ["KINDS", "METHODS", "RAW", "Belief", "Method", "register"]

MODULES = (
    "direct",
    "hybrid.method",
    "adaptive_damping",
    "monitor.method",
    "networks.network_contact",
    "networks.satellite",
    "passive_integrator.method",
    "delay_passivity.method",
    "energy_ledger.method",
    "remapping.method",
    "faithful.method",
    "guidance.glideslope",
    "guidance.piloted",
)
for _module in MODULES:
    # beside this module: the single-precision twin of the package has a list of its own
    register(import_module(f"{__name__.rpartition('.')[0]}.{_module}").METHOD)

RAW = METHODS[MODULES[0]].name  # the raw loop, which every method is judged against
