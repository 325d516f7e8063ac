"""Direct adaptation: the measured wrench acts on the satellites as it is. The raw loop every method
is judged against."""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group

DIRECT = Group("direct", "The measured wrench acts on the satellites unchanged.")


class Direct(NamedTuple):
    memory: int


@compiled
def prepare(marker, vector, base, memory):
    return Direct(memory)


METHOD = Method(
    name="direct",
    summary="the measured wrench, unchanged",
    knows="no parameter",
    while_latched="it passes the force on: the pair grows at (k (h + T/2) - b) / 2m for ever",
    group=DIRECT,
    marker=Direct(0),
    prepare=prepare,
    linear_part=lambda values, normals: ({}, []),
)
