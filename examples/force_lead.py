from typing import NamedTuple

from softdock.methods import (
    Belief,
    Group,
    Method,
    Parameter,
    Wrench,
    Wrenches,
    compiled,
    dot,
    norm,
    scale,
    subtract,
)

GROUP = Group(
    "force_lead",
    "The measured force, led by a stated stiffness and delay.",
    Parameter(
        "stiffness",
        "stiffness_N_per_m",
        "stiffness of the contact, as believed",
        unit="N/m",
        low=0.0,
        high=1e9,
    ),
    Parameter(
        "delay",
        "delay_ms",
        "delay of the whole loop, as believed",
        unit="ms",
        low=0.0,
        high=1e4,
        scale=1e-3,
    ),
    Parameter(
        "threshold",
        "threshold_N",
        "forces below this are no contact",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
)


class ForceLead(NamedTuple):
    memory: int  # where its slice of `mem` begins; it needs none
    damping: float  # Ns/m
    threshold: float  # N


@compiled
def prepare(marker, vector, base, memory):
    keys = GROUP(vector, base)  # its parameters, by name
    return ForceLead(memory, keys.stiffness * keys.delay, keys.threshold)


@compiled
def lead(method, mem, rig, measured, satellites, wrenches):
    """|F| - k h (rate of the gap): what the spring will push with, one delay later. Never a
    pull."""
    force = wrenches.chaser.force
    size = norm(force)
    if size <= method.threshold:
        return wrenches
    rate = (
        dot(force, subtract(satellites.chaser.v, satellites.target.v)) / size
    )  # m/s, > 0: the gap opens
    factor = max(0.0, size - method.damping * rate) / size
    return Wrenches(scaled(factor, wrenches.chaser), scaled(factor, wrenches.target))


@compiled
def scaled(factor, wrench):
    return Wrench(scale(factor, wrench.force), scale(factor, wrench.torque))


def suggest(scenario):
    """Its keys for a scenario that does not list it: what is true of that scenario."""
    tables = scenario.tables
    hold_ms = 0.5 * tables["time"]["cycle_ms"]
    return {
        "stiffness_N_per_m": tables["contact"][0]["real"]["stiffness_N_per_m"],
        "delay_ms": tables["robots"]["chaser"]["delay_ms"] + hold_ms,
        "threshold_N": 4.0 * tables["sensor"]["noise_N"],
    }


def refuses(scenario):
    """Why it cannot run on a scenario, in words; None if it can."""
    contacts = scenario.tables["contact"]
    if not contacts:
        return "there is no contact whose force it could lead"
    if contacts[0]["real"]["law"] not in ("spring_damper", "spring_damper_pull"):
        return "the contact is not a spring: it has no one stiffness"
    return None


METHOD = Method(
    name="force_lead",
    summary="the measured force, led by stiffness times delay times the rate of the gap",
    knows="the contact's stiffness and the loop's delay",
    group=GROUP,
    marker=ForceLead(0, 0.0, 0.0),
    prepare=prepare,
    wrench=lead,
    needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "delay_ms")),
    suggest=suggest,
    refuses=refuses,
)
