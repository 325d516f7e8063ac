"""Methods that are told something, as a user would register them, for the tests of
comparisons."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.loop.parameters import Group, Parameter
from softdock.methods import direct
from softdock.methods.registry import Belief, Method


class Told(NamedTuple):
    memory: int


class Pushing(NamedTuple):
    memory: int


TOLD = Group(
    "told",
    "Believes a delay and a stiffness, and does nothing with them.",
    Parameter(
        "delay", "delay_ms", "delay as believed", 20.0, unit="ms", low=0.0, high=24.0, scale=1e-3
    ),
    Parameter(
        "stiffness",
        "contact.stiffness_N_per_m",
        "stiffness as believed",
        unit="N/m",
        low=0.0,
        high=1e9,
    ),
)
NEEDS = (Belief("delay", "delay_ms"), Belief("stiffness", "contact.stiffness_N_per_m"))


def told(**changes: Any) -> Method:
    fields = {
        "needs": NEEDS,
        "suggest": lambda s: {
            "contact": {"stiffness_N_per_m": s.tables["contact"][0]["real"]["stiffness_N_per_m"]}
        },
    }
    return Method(
        name="told",
        summary="told much",
        knows="delay and stiffness",
        group=TOLD,
        marker=Told(0),
        prepare=direct.prepare,
        **(fields | changes),
    )
