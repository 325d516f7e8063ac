"""Time-domain passivity control of integration and delay: what either adds to the energy is
observed, and taken by one variable damper (De Stefano 2020, after abstract and first page).

Along the measured force f, with what acted on the satellites in the last cycle, W, two observers
count what the satellites got and the contact did not give [J]:

    E_I += T W . (mean rate of the satellites) - W . (displacement of the satellites)
    E_D += W . (displacement of the satellites) - f . (displacement of the mock-ups)

E_I is of the integration: zero for a step that moves a body by its mean rate (exact_hold), for one
of Euler's +-T^2 W^2 / 2m a cycle. E_D is of robots, sensor and hold; f and the mock-ups' way belong
to the same instants, trapezoid. With E = E_I + E_D > 0 the controller damps, with r_s the rate at
which the satellites part along f:

    alpha = E / (T r_s^2), at most m / (n T);    force -alpha r_s, never a pull

m: what the pair weighs along f; n: `braking_cycles`. Its work is in W, and so repays E in the next
cycle. Between contacts there is no force along which it could act: a debt waits for the next one, a
credit is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import NOISE_SIGMAS, ONCE, known_of
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import no_wrench
from softdock.methods.measured.line_of_action import (
    CONTACT_THRESHOLD,
    average,
    effective_mass,
    find_noise_warnings,
    measured_force,
    mock_ups_when_felt,
    parting_rate,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.methods.measured.normal_damper import (
    DAMPER,
    compute_damper_wrenches,
    count_damper,
)

TIME_DOMAIN_PASSIVITY = Group(
    "time_domain_passivity",
    "Passivity observers of integration and delay, and one variable damper for both.",
    CONTACT_THRESHOLD,
    Parameter(
        "braking_cycles",
        "braking_cycles",
        "the damper takes at least so many cycles to stop the pair; below 4 a latched pair waits "
        "at its turning points",
        4.0,
        low=1.0,
        high=1e4,
    ),
)
STATE = Cells(
    "time_domain_passivity",
    recorded("integration", "J", "observed energy of the integration"),
    recorded("delay", "J", "observed energy of robots, sensor and hold"),
    recorded("damping", "Ns/m", "of the damper in use"),
    recorded("absorbed", "J", "absorbed by the damper so far"),
    Cell("started", bool, "-", "the first cycle is over"),
    Cell("acting", Wrenches, "N, Nm", "on both satellites in the last cycle, by the contact"),
    Cell("felt", Wrenches, "N, Nm", "measured in the last cycle"),
    Cell("mock_ups", Output, "m, -, m/s, rad/s", "when it was felt"),
    Cell("damper", DAMPER, "", "of the virtual damper (methods/measured/normal_damper.py)"),
)


class TimeDomainPassivity(NamedTuple):
    memory: int
    threshold: float  # N
    braking_cycles: float


@compiled
def prepare(marker, vector, base, memory):
    keys = TIME_DOMAIN_PASSIVITY(vector, base)
    return TimeDomainPassivity(
        memory=memory, threshold=keys.threshold, braking_cycles=keys.braking_cycles
    )


@noinline
def _observe(s, rig: Rig, measured: Measured, motions: Output):
    """Both observers, over the cycle that ends now. The satellites' motions of the cycle before are
    those that the damper remembers."""
    before, then = s.damper.motions, mock_ups_when_felt(measured)
    moved = work_between(s.acting, before, motions)
    # rates of parting along W, times the force that they are divided by
    rates = parting_rate(s.acting, 1.0, before) + parting_rate(s.acting, 1.0, motions)
    s.integration += 0.5 * rig.T * rates - moved  # De Stefano 2020, integration
    released = work_between(average(s.felt, measured.wrenches), s.mock_ups, then)
    s.delay += moved - released  # De Stefano 2020, delay
    s.felt, s.mock_ups = measured.wrenches, then


@compiled
def _choose_damping(method, rig: Rig, satellites: Satellites, measured: Measured, force, energy):
    """The pair is stopped in `braking_cycles` at the soonest."""
    motions = satellite_motions(rig, satellites)
    rate = parting_rate(measured.wrenches, force, motions)
    most = effective_mass(rig, satellites, measured.wrenches, force) / (
        method.braking_cycles * rig.T
    )
    if energy >= most * rig.T * rate * rate:
        return most
    return energy / (rig.T * rate * rate)  # De Stefano 2020, controller


@noinline
def wrench(
    method: TimeDomainPassivity,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    s, force = STATE(mem, method.memory), measured_force(measured)
    motions = satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if not s.started:
        s.started, s.mock_ups = True, mock_ups_when_felt(measured)
        s.felt, s.acting = measured.wrenches, virtual
        count_damper(mem, s.damper, virtual, motions)
        s.absorbed = 0.0
    _observe(s, rig, measured, motions)
    energy, s.damping = s.integration + s.delay, 0.0
    if force > method.threshold and energy > 0.0:
        s.damping = _choose_damping(method, rig, satellites, measured, force, energy)
        rate = parting_rate(measured.wrenches, force, motions)
        virtual = compute_damper_wrenches(measured, wrenches, force, -s.damping * rate)
    s.absorbed += count_damper(mem, s.damper, virtual, motions)
    s.acting = plus_wrenches(wrenches, 1.0, virtual)
    return s.acting


# What it says of itself.


def suggest(scenario: Any) -> dict[str, Any]:
    noise = known_of(scenario).noise
    return {"contact_N": NOISE_SIGMAS * noise} if noise > 0.0 else {}


def refuses(scenario: Any) -> str | None:
    """Why it cannot be set for a scenario."""
    if all(scenario.tables[name]["fixed"] for name in ("chaser", "target")):
        return "no satellite is free: there is no energy to observe"
    return None


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], find_noise_warnings(values, tables)


def summarize(mem: Any) -> dict[str, Any]:
    """What it observed and took, from its slice of `mem`."""
    s = STATE(mem)
    return {
        "integration_J": float(s.integration),
        "delay_J": float(s.delay),
        "absorbed_J": float(s.absorbed),
    }


METHOD = Method(
    name="time_domain_passivity",
    summary="passivity observers of integration and delay, and one variable damper for both",
    knows="no parameter; with noise, the force below which there is no contact",
    while_latched="it holds the pair: what the delay adds is taken, and it grows at less than 1e-6 "
    "of the raw pair's rate",
    holds_latch=True,
    group=TIME_DOMAIN_PASSIVITY,
    marker=TimeDomainPassivity(memory=0, threshold=0.0, braking_cycles=1.0),
    prepare=prepare,
    wrench=wrench,
    cells=STATE,
    books=summarize,
    check=check,
    suggest=suggest,
    refuses=refuses,
    once=ONCE,
    settles_energy=True,
    is_last_on_wrench="it must be the last that changes the wrench, or it counts what never acts",
    compensates_delay="its damping takes what the rig adds",
    threshold_key="contact_N",
)
