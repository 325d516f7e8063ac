"""The naive loop with led set-points: the measured wrench straight to the satellites, robots sent
to the pose after the delay at constant acceleration.

No method of softdock: an independent calculation of the same cone had this loop (+1548 % after four
contacts). Written as a user's own method is (docs/your_own_method.md), and loaded by figure_7.py
for its runs.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.methods import (
    Body,
    Group,
    Method,
    Output,
    Parameter,
    add_scaled,
    compiled,
    exponential,
    motion_of,
    product,
    scale,
    subtract,
)

NAME = "led_naive"
GROUP = Group(
    NAME,
    "The measured wrench as it is; set-points ahead by the last acceleration.",
    Parameter("lead", "lead_ms", "how far ahead", 0.0, unit="ms", low=0.0, high=2000.0, scale=1e-3),
)
AT = GROUP.at


class LeadParameters(NamedTuple):
    memory: int
    lead: float  # s


@compiled
def prepare(marker, vector, base, memory):
    return LeadParameters(memory, vector[base + AT.lead])


@compiled
def extrapolate(body, before, after, lead, T):
    """Motion of a satellite after `lead` [s] with the acceleration of the last cycle."""
    a = scale(1.0 / T, subtract(after.v, before.v))
    torque = scale(1.0 / T, subtract(after.L, before.L))
    p = add_scaled(add_scaled(after.p, lead, after.v), 0.5 * lead * lead, a)
    v = add_scaled(after.v, lead, a)
    mean = motion_of(body, Body(p, after.q, v, add_scaled(after.L, 0.5 * lead, torque)))
    q = product(after.q, exponential(scale(lead, mean.w)))
    return motion_of(body, Body(p, q, v, add_scaled(after.L, lead, torque)))


@compiled
def correct(method, mem, rig, measured, before, after, output):
    lead, T = method.lead, rig.T
    chaser = extrapolate(rig.chaser, before.chaser, after.chaser, lead, T)
    return after, Output(chaser, extrapolate(rig.target, before.target, after.target, lead, T))


METHOD = Method(
    name=NAME,
    summary="the measured wrench, set-points ahead by the last acceleration",
    knows="the delay",
    group=GROUP,
    marker=LeadParameters(0, 0.0),
    prepare=prepare,
    correct=correct,
)
