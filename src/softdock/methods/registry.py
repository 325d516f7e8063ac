"""The list of methods. To add one: a module that ends in `METHOD = Method(...)` (method.py), and
its name here.

Everything else (run, compare, demo, stability, reference page, campaigns) finds a method by this
list, and what it asks of a method it finds in its declaration.
"""

from __future__ import annotations

from softdock.loop.method.declaration import KINDS, Belief
from softdock.loop.method.method import METHODS, Method, register

__all__ = ["KINDS", "METHODS", "RAW", "Belief", "Method", "register"]

MODULES = {  # by name, in the order in which they are listed; imported when first asked for
    "direct": "direct",
    "hybrid": "hybrid.method",
    "adaptive_damping": "adaptive_damping",
    "monitor": "monitor.method",
    "network_contact": "networks.network_contact",
    "network_satellite": "networks.satellite",
    "passive_integrator": "passive_integrator.method",
    "delay_passivity": "delay_passivity.method",
    "energy_ledger": "energy_ledger.method",
    "remapping": "remapping.method",
    "faithful": "faithful.method",
    "glideslope": "guidance.glideslope",
    "piloted": "guidance.piloted",
}
RAW = "direct"  # the raw loop, which every method is judged against
# those whose tables stand at the top of a scenario, and those that show numbers of their own
AT_TOP = SHOWN = ("glideslope", "piloted")
OBSERVER = "monitor"  # records the observed energy of each axis

for _name, _module in MODULES.items():
    METHODS.list(_name, f"softdock.methods.{_module}")


def methods_at_top() -> dict[str, Method]:
    """Methods whose keys are tables at the top of a scenario, by name."""
    return {name: method for name, method in METHODS.known(AT_TOP) if method.at_top is not None}


def methods_with_numbers() -> dict[str, Method]:
    """Methods that show numbers of their own, by name."""
    return {name: method for name, method in METHODS.known(SHOWN) if method.shown is not None}
