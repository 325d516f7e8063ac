"""Active compliance: an adaptive Kalman filter identifies stiffness and damping of the contact, a
phase lead brings the measured force up to now, and the identified contact adds what the robots'
late response keeps from it (He 2022, after the abstract).

Along the line of the measured force f, with the depth d of the mock-ups since the touch and its
rate, both at the instant of the sample, a contact f = k d + b d' + c is linear in (k, b, c); c is
the depth at the touch, which no sample shows. Each new sample updates the three by a Kalman filter
of constant states. It adapts in two ways: the covariance is divided by `forgetting` before each
sample, and the variance R of the force is estimated from the innovations y (Sage and Husa),

    R <- (1 - g) R + g (y^2 - H P H^T),   at least noise_N squared

The force on the satellites is then

    f_c = f + h df/dt + k (d_s - d_m) + b (d_s' - d_m')

h: how late the force is; d_s - d_m, by which the satellites are deeper than the mock-ups now, comes
from their poses alone, half a cycle ahead because the force is held. It never pulls. Before the
mock-ups touch nothing is known of the contact, so the first v h of the satellites' way into it has
no force: what is left of the delay's error is of second order, (w h)^2 / 2 of the speed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import NOISE_SIGMAS, Belief, known_of
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import coasting
from softdock.loop.spatial.vectors import dot
from softdock.methods.measured.force_rate import (
    FORCE_LEAD,
    FORCE_RATE,
    RATE_FILTER,
    SAME_SAMPLE,
    find_force_rate,
    find_lead_warnings,
)
from softdock.methods.measured.line_of_action import (
    CONTACT_THRESHOLD,
    find_noise_warnings,
    measured_force,
    mock_ups_when_felt,
    parting_rate,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.methods.measured.normal_damper import compute_damper_wrenches
from softdock.methods.phase_lead import find_delays

ACTIVE_COMPLIANCE = Group(
    "active_compliance",
    "Stiffness and damping by an adaptive Kalman filter; the force led, and corrected by them.",
    FORCE_LEAD,
    RATE_FILTER,
    CONTACT_THRESHOLD,
    Parameter(
        "noise",
        "noise_N",
        "least standard deviation of the force that the filter assumes",
        0.01,
        unit="N",
        low=1e-6,
        high=1e6,
    ),
    Parameter(
        "stiffest",
        "stiffness_scale_N_per_m",
        "standard deviation of the stiffness before the first contact",
        1e6,
        unit="N/m",
        low=1.0,
        high=1e9,
    ),
    Parameter(
        "most_damping",
        "damping_scale_Ns_per_m",
        "standard deviation of the damping before the first contact",
        1e3,
        unit="Ns/m",
        low=1e-3,
        high=1e8,
    ),
    Parameter(
        "forgetting",
        "forgetting",
        "the covariance is divided by it before each sample; 1: nothing is forgotten",
        0.99,
        low=0.5,
        high=1.0,
    ),
)
STATE = Cells(
    "active_compliance",
    recorded("stiffness", "N/m", "identified"),
    recorded("damping", "Ns/m", "identified"),
    recorded("offset", "N", "identified force at the depth of the touch"),
    recorded("deviation", "N", "identified standard deviation of the force"),
    recorded("added", "N", "added to the force along its line"),
    Cell("covariance", 6, "", "of the three: kk, bb, cc, kb, kc, bc"),
    Cell("variance", float, "N^2", "of the force"),
    Cell("gain", float, "-", "share of the newest innovation in the variance"),
    Cell("acts", bool, "-", "in contact"),
    Cell("started", bool, "-", "a contact was seen before"),
    Cell("time", float, "s", "instant of the newest sample"),
    Cell("depth", float, "m", "of the mock-ups since the touch"),
    Cell("mock_ups", Output, "m, -, m/s, rad/s", "at the newest sample"),
    Cell("force_rate", FORCE_RATE, "", "of the readings: methods/measured/force_rate.py"),
)


class ActiveCompliance(NamedTuple):
    memory: int
    force_lead: float  # s
    filter: float  # s
    threshold: float  # N
    noise: float  # N
    stiffest: float  # N/m
    most_damping: float  # Ns/m
    forgetting: float


@compiled
def prepare(marker, vector, base, memory):
    keys = ACTIVE_COMPLIANCE(vector, base)
    return ActiveCompliance(
        memory=memory,
        force_lead=keys.force_lead,
        filter=keys.filter,
        threshold=keys.threshold,
        noise=keys.noise,
        stiffest=keys.stiffest,
        most_damping=keys.most_damping,
        forgetting=keys.forgetting,
    )


@compiled
def _touch(method, s, way):
    """A contact begins: stiffness and damping are kept, its depth at the touch is not known, but is
    not far beyond `way` [m]."""
    s.depth, s.acts, s.offset, s.gain = 0.0, True, 0.0, 1.0
    way = way * method.stiffest + method.noise  # N
    P = s.covariance
    if s.started:
        s.covariance = (P[0], P[1], way * way, P[3], 0.0, 0.0)
    else:
        s.started, s.variance = True, method.noise**2
        s.covariance = (method.stiffest**2, method.most_damping**2, way * way, 0.0, 0.0, 0.0)


@compiled
def _learn(method, s, force, d, rate):
    """One sample: the filter's gain, its three states, its covariance and the force's variance."""
    kk, bb, cc, kb, kc, bc = s.covariance
    lost = 1.0 / method.forgetting
    kk, bb, cc, kb, kc, bc = lost * kk, lost * bb, lost * cc, lost * kb, lost * kc, lost * bc
    PH = (kk * d + kb * rate + kc, kb * d + bb * rate + bc, kc * d + bc * rate + cc)
    explained = d * PH[0] + rate * PH[1] + PH[2]
    y = force - (s.stiffness * d + s.damping * rate + s.offset)
    scale = 1.0 / (explained + s.variance)  # He 2022, the filter
    s.stiffness += scale * PH[0] * y
    s.damping += scale * PH[1] * y
    s.offset += scale * PH[2] * y
    s.covariance = (
        max(kk - scale * PH[0] * PH[0], 0.0),
        max(bb - scale * PH[1] * PH[1], 0.0),
        max(cc - scale * PH[2] * PH[2], 0.0),
        kb - scale * PH[0] * PH[1],
        kc - scale * PH[0] * PH[2],
        bc - scale * PH[1] * PH[2],
    )
    s.gain = s.gain / (s.gain + method.forgetting)  # 1/2, 1/3, ... down to 1 - forgetting
    least = method.noise**2
    s.variance = max((1.0 - s.gain) * s.variance + s.gain * (y * y - explained), least)
    s.deviation = s.variance**0.5


@noinline
def wrench(
    method: ActiveCompliance,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    s, force, felt = STATE(mem, method.memory), measured_force(measured), measured.wrenches
    slope = find_force_rate(s.force_rate, rig.cycle * rig.T, measured, method.filter)
    s.added = 0.0
    if force <= method.threshold:
        s.acts = False
        return wrenches
    then = mock_ups_when_felt(measured)
    rate = -parting_rate(felt, force, then)  # of the depth
    taken = rig.cycle * rig.T - measured.force_age
    if not s.acts:
        _touch(method, s, abs(rate) * rig.T)
        s.time, s.mock_ups = taken, then
        _learn(method, s, force, 0.0, rate)
    elif taken > s.time + SAME_SAMPLE:
        s.depth -= work_between(felt, s.mock_ups, then) / force
        s.time, s.mock_ups = taken, then
        _learn(method, s, force, s.depth, rate)
    now = Output(
        coasting(measured.mock_ups.chaser, measured.pose_age),
        coasting(measured.mock_ups.target, measured.pose_age),
    )
    ahead = satellite_motions(rig, satellites)
    deeper = -work_between(felt, now, ahead) / force
    faster = parting_rate(felt, force, now) - parting_rate(felt, force, ahead)
    deeper += 0.5 * rig.T * faster  # the force is held over a cycle
    led = method.force_lead * dot(slope.chaser.force, felt.chaser.force) / force
    late = max(s.stiffness, 0.0) * deeper + max(s.damping, 0.0) * faster
    s.added = led + late  # He 2022
    return plus_wrenches(wrenches, 1.0, compute_damper_wrenches(measured, wrenches, force, s.added))


# What it says of itself.


def suggest(scenario: Any) -> dict[str, Any]:
    """The force's delay that is true of a scenario, and its noise."""
    noise = known_of(scenario).noise
    found = {"force_lead_ms": round(find_delays(scenario.tables)[0], 6)}
    return found | ({"noise_N": noise, "contact_N": NOISE_SIGMAS * noise} if noise > 0.0 else {})


def refuses(scenario: Any) -> str | None:
    """Where there is nothing to identify."""
    if not scenario.tables["contact"]:
        return "there is no contact that it could identify"
    return None


def check(values: dict[str, Any], tables: Any) -> Any:
    led = find_lead_warnings(
        "active_compliance", values["force_lead_ms"], values["filter_ms"], tables
    )
    return [], [*led, *find_noise_warnings(values, tables)]


def summarize(mem: Any) -> dict[str, Any]:
    """What it identified, from its slice of `mem`."""
    s = STATE(mem)
    return {
        "stiffness_N_per_m": float(s.stiffness),
        "damping_Ns_per_m": float(s.damping),
        "force_deviation_N": float(s.deviation),
    }


METHOD = Method(
    name="active_compliance",
    summary="stiffness and damping by an adaptive Kalman filter; the force led, and corrected by "
    "them for the robots' delay",
    knows="the delay of the force",
    while_latched="it takes the latch for a contact and corrects for most of the delay: the pair "
    "grows at a thirtieth of the raw pair's rate, more slowly where it swings slowly",
    group=ACTIVE_COMPLIANCE,
    marker=ActiveCompliance(
        memory=0,
        force_lead=0.0,
        filter=0.0,
        threshold=0.0,
        noise=0.0,
        stiffest=0.0,
        most_damping=0.0,
        forgetting=1.0,
    ),
    prepare=prepare,
    wrench=wrench,
    cells=STATE,
    books=summarize,
    check=check,
    needs=(Belief("delay", "force_lead_ms"),),
    suggest=suggest,
    refuses=refuses,
    threshold_key="contact_N",
)
