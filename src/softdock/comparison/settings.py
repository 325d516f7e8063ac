"""How a method is set for a scenario that does not list it: as `softdock stability` advises for the
whole loop, and not by a rule of thumb.

In: a scenario without the method, with the integrator it will run with. Out: keys of the method, in
place of those that it suggests itself.

The advice is of the whole linear loop: the virtual damping with which one impact gives back what
the contact itself would, and the whole delay, with lag, filter, hold and integrator counted. A
method says what it makes of it (`Method.advised`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

from softdock.core.adaptation.declaration import LinearAdvice
from softdock.core.adaptation.registry import METHODS, RAW
from softdock.core.adaptation.suggestions import known_of
from softdock.errors import BadInput
from softdock.scenario.build import Scenario
from softdock.scenario.restitution import restitution_of_damping
from softdock.stability.advice import damping_to_add
from softdock.stability.budget import total_delay
from softdock.stability.critical import loop_stretch
from softdock.stability.from_scenario import loops_of
from softdock.stability.loop import Loop


def advised(name: str, scenario: Scenario) -> dict[str, Any]:
    """Keys of a method; empty: its own suggestion is as good as any."""
    if known_of(scenario).stiffness is None:
        return {}
    loop = _raw_loop(scenario)
    if loop is None:
        return {}
    advice = LinearAdvice(total_delay(loop), loop.cycle or 0.0, neutral_damping(loop))
    return METHODS[name].advised(advice)


@functools.lru_cache(maxsize=64)  # a comparison asks for every method, of one loop an integrator
def neutral_damping(loop: Loop) -> float | None:
    """The virtual damping [Ns/m] that takes out what the whole delay puts in, so that an impact
    gives back what the contact itself would; what makes it stable, where no damping does that;
    None: none does either."""
    own = restitution_of_damping(loop.stiffness, loop.damping, loop.mass)
    found = damping_to_add(loop, own)
    if found is None:
        stretch = loop_stretch(loop.changed(virtual_damping=1e-9), "virtual_damping")
        found = None if stretch is None else stretch[0]
    return None if found is None or not math.isfinite(found) else float(f"{found:.4g}")


def _raw_loop(scenario: Scenario) -> Loop | None:
    """The least stable contact pair's, without methods, with the largest effective mass of the
    normals that it can meet: that of a hit along the axis, which decides the docking."""
    try:
        points = loops_of(scenario.with_keys({"methods": [{"name": RAW}]}))
    except BadInput:
        return None
    worst = min(points, key=lambda point: point.loop.mass)
    return worst.loop.changed(mass=worst.mass_range_kg[1])
