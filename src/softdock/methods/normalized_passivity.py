"""Normalized passivity control: a virtual damper along the measured force, whose coefficient is the
power that the rig adds, over the power that is exchanged (Insam 2021, after its abstract and
introduction).

Between the satellites and the contact stands what Insam, Peiris and Rixen call the transfer system:
robots, sensor, hold. With f the measured force along its line, r_s the rate at which the satellites
part along it and r_m that of the mock-ups at the instant of the force, it adds the power

    P_e = f (r_s - r_m)

to what the contact gives: f is released at the rate r_m and felt at the rate r_s. A delay h of a
spring makes r_s - r_m = h f / m, so P_e = h f^2 / m > 0 throughout. Running means of P_e and of the
exchanged power |f r_s| give the share, and the share the damping:

    b = gain max(mean P_e, 0) / mean |f r_s|,      force -b r_s on the satellites, never a pull

The means run since the touch, over at most `mean_ms`. In an undamped contact of frequency w their
ratio rises from 0 to w h pi / 2 at full depth and stays there, and the damper takes what the delay
adds, to first order in w h, if gain = 0.9664 sqrt(k m). The hold adds half a cycle that the rates
do not show: `suggest` allows for it. The filters and the gain of the paper could not be read.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import (
    NOISE_SIGMAS,
    Belief,
    known_of,
    needs_stiffness,
)
from softdock.loop.method.interface import Measured, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import no_wrench
from softdock.methods.measured.line_of_action import (
    CONTACT_THRESHOLD,
    find_noise_warnings,
    measured_force,
    mock_ups_when_felt,
    parting_rate,
    plus_wrenches,
    satellite_motions,
)
from softdock.methods.measured.normal_damper import (
    DAMPER,
    compute_damper_wrenches,
    count_damper,
)

NORMALIZED_PASSIVITY = Group(
    "normalized_passivity",
    "Virtual damping by the power that the rig adds, over the power that is exchanged.",
    Parameter(
        "gain",
        "gain_Ns_per_m",
        "damping where the rig adds as much power as is exchanged",
        unit="Ns/m",
        low=0.0,
        high=1e8,
    ),
    Parameter(
        "mean",
        "mean_ms",
        "time over which both powers are averaged, at most; they begin at the touch",
        500.0,
        unit="ms",
        low=0.0,
        high=1e6,
        scale=1e-3,
    ),
    CONTACT_THRESHOLD,
    Parameter(
        "most",
        "most_Ns_per_m",
        "largest damping; 0: no limit",
        0.0,
        unit="Ns/m",
        low=0.0,
        high=1e8,
    ),
)
STATE = Cells(
    "normalized_passivity",
    recorded("damping", "Ns/m", "virtual damping in use"),
    recorded("added_power", "W", "running mean of what the rig adds"),
    recorded("exchanged_power", "W", "running mean of what is exchanged"),
    recorded("absorbed", "J", "absorbed by the virtual damper so far"),
    Cell("acts", bool, "-", "in contact"),
    Cell("since", float, "s", "since the touch"),
    Cell("damper", DAMPER, "", "of the virtual damper (methods/measured/normal_damper.py)"),
)

# over sqrt(k m): pi / 2 over the integral of ratio times cos^2 over a half swing of an undamped
# spring, where the ratio is that of the means, over w h
NEUTRAL_GAIN = 0.96636


class NormalizedPassivity(NamedTuple):
    memory: int
    gain: float  # Ns/m
    mean: float  # s
    threshold: float  # N
    most: float  # Ns/m


@compiled
def prepare(marker, vector, base, memory):
    keys = NORMALIZED_PASSIVITY(vector, base)
    return NormalizedPassivity(
        memory=memory, gain=keys.gain, mean=keys.mean, threshold=keys.threshold, most=keys.most
    )


@compiled
def _update_means(method, s, T, added, exchanged):
    """Both running means: of all since the touch, then of `mean_ms`."""
    s.since += T
    share = T / min(s.since, max(method.mean, T))
    s.added_power += share * (added - s.added_power)
    s.exchanged_power += share * (exchanged - s.exchanged_power)


@compiled
def _choose_damping(method, s):
    if s.exchanged_power <= 0.0:
        return 0.0
    found = method.gain * max(s.added_power, 0.0) / s.exchanged_power  # Insam 2021
    return min(found, method.most) if method.most > 0.0 else found


@noinline
def wrench(
    method: NormalizedPassivity,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    s, force = STATE(mem, method.memory), measured_force(measured)
    motions = satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if rig.cycle == 0:
        count_damper(mem, s.damper, virtual, motions)
        s.absorbed = 0.0
    touching = force > method.threshold
    if touching:
        if not s.acts:
            s.since, s.added_power, s.exchanged_power = 0.0, 0.0, 0.0
        parting = parting_rate(measured.wrenches, force, motions)
        released = parting_rate(measured.wrenches, force, mock_ups_when_felt(measured))
        _update_means(method, s, rig.T, force * (parting - released), abs(force * parting))
        s.damping = _choose_damping(method, s)
        virtual = compute_damper_wrenches(measured, wrenches, force, -s.damping * parting)
    else:
        s.damping = 0.0
    s.acts = touching
    s.absorbed += count_damper(mem, s.damper, virtual, motions)
    return plus_wrenches(wrenches, 1.0, virtual)


def _find_mass(tables: Any) -> float:
    """Effective mass of both satellites without turning [kg]."""
    mobility = 0.0
    for name in ("chaser", "target"):
        if not tables[name]["fixed"]:
            mass = tables[name]["mass_kg"]
            of_axes = mass if isinstance(mass, list | tuple) else [mass]
            mobility += len(of_axes) / sum(of_axes)
    return 1.0 / mobility if mobility > 0.0 else 0.0


def suggest(scenario: Any) -> dict[str, Any]:
    """The gain of a lossless contact of the believed stiffness and the satellites' masses."""
    known = known_of(scenario)
    if known.stiffness is None:
        return {}
    hold = 0.5e-3 * scenario.tables["time"]["cycle_ms"]
    unseen = known.delay / (known.delay - hold) if known.delay > hold else 1.0
    mass = _find_mass(scenario.tables)
    return {
        "gain_Ns_per_m": round(NEUTRAL_GAIN * unseen * math.sqrt(known.stiffness * mass), 6),
        "contact_N": NOISE_SIGMAS * known.noise,
    }


def refuses(scenario: Any) -> str | None:
    """Why it cannot be set for a scenario."""
    if all(scenario.tables[name]["fixed"] for name in ("chaser", "target")):
        return "no satellite is free: no power is exchanged"
    return needs_stiffness(scenario)


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], find_noise_warnings(values, tables)


METHOD = Method(
    name="normalized_passivity",
    summary="virtual damping by the power that the rig adds over the power exchanged",
    knows="a gain, roughly the root of stiffness times mass",
    while_latched="its damping takes a part of what the delay adds: the pair grows at a tenth of "
    "the raw pair's rate, at two thirds where it swings faster than mean_ms",
    group=NORMALIZED_PASSIVITY,
    marker=NormalizedPassivity(memory=0, gain=0.0, mean=0.0, threshold=0.0, most=0.0),
    prepare=prepare,
    wrench=wrench,
    cells=STATE,
    check=check,
    needs=(Belief("stiffness", "gain_Ns_per_m"),),
    suggest=suggest,
    refuses=refuses,
    compensates_delay="its damping takes what the rig adds",
    threshold_key="contact_N",
)
