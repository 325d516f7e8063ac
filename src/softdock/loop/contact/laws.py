"""Contact laws: depth d [m] > 0 and its rate [m/s] in, normal force [N] out, with the energy stored
[J]. The list of laws stands here.

What is absorbed is either stored, V(d), or dissipated, f d' - dV/dt. Where the clamp acts the
surface is left behind and its stored energy counts as dissipated. Coulomb friction, off by default:
mu f against the sliding velocity v, regularised as v / sqrt(v^2 + v_0^2).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softdock.compile.generated import generate, make_chooser
from softdock.compile.jit import compiled
from softdock.loop.contact.hunt_crossley import HUNT_CROSSLEY_LAW
from softdock.loop.contact.law import ContactLaw
from softdock.loop.contact.spring_damper import PULLING_LAW, SPRING_DAMPER_LAW
from softdock.loop.contact.table import IN_TABLE, TABLE_LAW, TABLE_ROW, table_interval, table_slope

if TYPE_CHECKING:
    from softdock.loop.contact.law import Law

__all__ = ["IN_TABLE", "TABLE_ROW", "table_interval", "table_slope"]

LAW_MODELS: tuple[ContactLaw, ...] = (
    SPRING_DAMPER_LAW,
    PULLING_LAW,
    HUNT_CROSSLEY_LAW,
    TABLE_LAW,
)
LAWS = tuple(law.name for law in LAW_MODELS)
LINEAR_LAWS = tuple(law.name for law in LAW_MODELS if law.is_linear)
SPRING_DAMPER, SPRING_DAMPER_PULL, HUNT_CROSSLEY, TABLE = (
    LAWS.index(law.name) for law in (SPRING_DAMPER_LAW, PULLING_LAW, HUNT_CROSSLEY_LAW, TABLE_LAW)
)


def law_named(name: str) -> ContactLaw:
    """A law by its name in a scenario."""
    return LAW_MODELS[LAWS.index(name)]


def _flag(name: str, field: str) -> Any:
    """A compiled `name(kind)`: whether a law has a flag."""
    which = [str(i) for i, law in enumerate(LAW_MODELS) if getattr(law, field)]
    said = " or ".join(f"kind == {i}" for i in which) or "False"
    return generate(name, f"def {name}(kind):\n    return {said}\n", {})


# the part of the force that the stored energy gives back: dV/dd [N]
elastic_force = make_chooser(
    "elastic_force", "vector, law, depth", "law.kind", [law.elastic for law in LAW_MODELS]
)
damped_force = make_chooser(
    "damped_force", "law, elastic, rate", "law.kind", [law.damped for law in LAW_MODELS]
)
# energy held by the compressed surface [J]
stored_energy = make_chooser(
    "stored_energy", "vector, law, depth", "law.kind", [law.stored for law in LAW_MODELS]
)
continued_force = make_chooser(
    "continued_force", "vector, law, row, depth", "law.kind", [law.continued for law in LAW_MODELS]
)
table_row = make_chooser(
    "table_row", "vector, law, depth", "law.kind", [law.row for law in LAW_MODELS]
)
steepest_slope = make_chooser(
    "steepest_slope", "vector, law", "law.kind", [law.steepest for law in LAW_MODELS]
)
pace = make_chooser(
    "pace",
    "vector, law, steepest, depth, speed, mobility, outside",
    "law.kind",
    [law.pace for law in LAW_MODELS],
)
may_pull = _flag("may_pull", "pulls")
is_graded = _flag("is_graded", "graded")


@compiled
def normal_force(law: Law, elastic, rate):
    """Normal force at depth > 0 [N], from its elastic part; positive pushes apart."""
    force = damped_force(law, elastic, rate)
    if force < 0.0 and not may_pull(law.kind):
        return 0.0
    return force


@compiled
def friction_factor(law: Law, sliding, turning):
    """Friction force over normal force and sliding velocity [s/m]: mu / sqrt(v^2 + v_0^2); v of the
    sliding and of a turn about the normal (bristle.turn_speed)."""
    speed = sliding * sliding + turning * turning
    return law.friction / math.sqrt(speed + law.slip_speed * law.slip_speed)
