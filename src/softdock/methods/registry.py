"""The list of methods. To add one: a module that ends in `METHOD = Method(...)` (method.py), and
its name here.

Everything else (run, compare, demo, stability, reference page, campaigns) finds a method by this
list, and what it asks of a method it finds in its declaration.
"""

from __future__ import annotations

from softdock.loop.method.declaration import KINDS, AtTop, Belief
from softdock.loop.method.method import METHODS, Method, register
from softdock.loop.method.shown import Shown
from softdock.methods.guidance import keys as guidance_keys
from softdock.methods.guidance import shown as guidance_shown

__all__ = ["KINDS", "METHODS", "RAW", "Belief", "Method", "register"]

MODULES = {  # by name, in the order in which they are listed; imported when first asked for
    "direct": "direct",
    "hybrid": "hybrid.method",
    "adaptive_damping": "adaptive_damping",
    "monitor": "monitor.method",
    "network_contact": "networks.network_contact",
    "network_satellite": "networks.satellite",
    "servicer_arm": "servicer_arm",
    "passive_integrator": "passive_integrator.method",
    "delay_passivity": "delay_passivity.method",
    "energy_ledger": "energy_ledger.method",
    "remapping": "remapping.method",
    "model_mediated": "model_mediated.method",
    "phase_lead": "phase_lead",
    "smith_predictor": "smith_predictor",
    "normalized_passivity": "normalized_passivity",
    "active_compliance": "active_compliance",
    "time_domain_passivity": "time_domain_passivity",
    "glideslope": "guidance.glideslope",
    "piloted": "guidance.piloted",
}
RAW = "direct"  # the raw loop, which every method is judged against
# listed methods whose tables stand at the top of a scenario, and those that show numbers of their
# own: what they declare is known without importing them
AT_TOP = {"glideslope": guidance_keys.TOP, "piloted": guidance_keys.TOP}
SHOWN = {"glideslope": guidance_shown.SHOWN, "piloted": guidance_shown.SHOWN}
ADVISED = "model_mediated"  # what the verdict of a recording advises to try next
OBSERVER = "monitor"  # records the observed energy of each axis

for _name, _module in MODULES.items():
    METHODS.list(_name, f"softdock.methods.{_module}")


def find_tables_at_top() -> dict[str, AtTop]:
    """By the name of a method, the tables at the top of a scenario that are its keys."""
    found = {name: AT_TOP[name] for name in METHODS if name in AT_TOP}
    found |= {name: method.at_top for name, method in METHODS.known(()) if method.at_top}
    return found


def find_shown_numbers() -> dict[str, Shown]:
    """By the name of a method, the numbers of its own that it shows."""
    found = {name: SHOWN[name] for name in METHODS if name in SHOWN}
    found |= {name: method.shown for name, method in METHODS.known(()) if method.shown}
    return found
