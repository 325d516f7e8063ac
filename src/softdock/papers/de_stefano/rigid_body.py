"""The paper's future work, the full rigid body: rotation and translation, every integrator with the
same pushes, and the balance at the port of the set-point in discrete time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from softdock.loop.satellites import INTEGRATORS
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.methods.passive_integrator.method import STATE
from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.de_stefano.body_scheme import (
    ATTITUDE,
    ENERGY,
    PORT,
    POSE,
    TURN_CORRECTION,
    drive,
    invert,
)
from softdock.papers.frame import Column, Exhibit, Findings

MASS = 250.0  # kg, published
INERTIA = (95.0, 110.0, 140.0, 12.0, -8.0, 15.0)  # kg m^2: xx, yy, zz, xy, xz, yz; assumed
RATE = (0.02, 0.35, 0.03)  # rad/s, assumed
CYCLES = (0.004, 0.1)  # s: of the experiment, and T1
DURATION = 60.0  # s
FORCE, TORQUE = 60.0, 20.0  # N, published for z; Nm, assumed
NOISE, TORQUE_NOISE = 0.25, 0.05  # N, Nm, assumed
ITERATES = ("exact_hold", "lie_midpoint")
DAMPED = "lie_split, passive_integrator rigid_body"
FINER = 16  # cycles of lie_rk4 in one, for the attitude that is compared with
ROUNDING = 1e-12  # of the largest energy


class Flight(NamedTuple):
    """A body under held wrenches, sample by sample."""

    pose: np.ndarray  # of the set-point: p [m], q wxyz
    energy: np.ndarray  # J, kinetic, of the state
    port: np.ndarray  # J, work of the held wrench on the motion of the set-point so far
    turn_correction: np.ndarray  # rad/s, w_pc
    attitude: np.ndarray  # wxyz, of the state

    @property
    def surplus(self) -> np.ndarray:
        """E_obs [J]: work at the port less what the body gained. Below zero: active."""
        return self.port - (self.energy - self.energy[0])


def drive_body(scheme: str, T: float, wrenches: np.ndarray) -> Flight:
    """Fly the body by an integrator, or by DAMPED."""
    damped = scheme == DAMPED
    code = [i.name for i in INTEGRATORS].index("lie_split" if damped else scheme)
    params = BodyParams(
        fixed=False,
        mass=(MASS,) * 3,
        inverse_mass=(1.0 / MASS,) * 3,
        inertia=INERTIA,
        inverse_inertia=invert(INERTIA),
    )
    x, y, z = (inertia_matrix() @ RATE).tolist()
    body = Body((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (x, y, z))
    rows = np.zeros((len(wrenches) + 1, 16))
    drive(code, damped, params, T, body, np.ascontiguousarray(wrenches), np.zeros(STATE.size), rows)
    return Flight(*(rows[:, at] for at in (POSE, ENERGY, PORT, TURN_CORRECTION, ATTITUDE)))


def inertia_matrix() -> np.ndarray:
    """J in body axes [kg m^2]."""
    xx, yy, zz, xy, xz, yz = INERTIA
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def push_by_hand(T: float) -> np.ndarray:
    """Force and torque of every cycle: three pushes of half a sine on all axes, and the sensor's
    noise throughout."""
    t = np.arange(round(DURATION / T)) * T
    shares = np.array([0.3, -0.25, 1.0])
    wrenches = np.zeros((len(t), 6))
    for start, length, sign in ((2.0, 3.0, 1.0), (20.0, 2.0, -1.0), (38.0, 4.0, 1.0)):
        bump = sign * np.sin(np.pi * np.clip((t - start) / length, 0.0, 1.0))
        wrenches[:, :3] += FORCE * np.outer(bump, shares)
        wrenches[:, 3:] += TORQUE * np.outer(bump, shares[::-1])
    noise = np.random.default_rng(0).standard_normal(wrenches.shape)
    return wrenches + noise * np.repeat([NOISE, TORQUE_NOISE], 3)


def turn_between(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two attitudes [degree]."""
    one, other = (Rotation.from_quat(q, scalar_first=True) for q in (a, b))
    return float(np.degrees((one.inv() * other).magnitude()))


def _compare(T: float) -> list[dict[str, Any]]:
    """Every scheme without a wrench and with the pushes."""
    pushes, rows = push_by_hand(T), []
    free = np.zeros_like(pushes)
    ends = [
        drive_body("lie_rk4", T / FINER, np.repeat(held, FINER, axis=0)).attitude[-1]
        for held in (free, pushes)
    ]
    for scheme in (*(i.name for i in INTEGRATORS), DAMPED):
        alone, pushed = drive_body(scheme, T, free), drive_body(scheme, T, pushes)
        surplus, rounding = pushed.surplus, ROUNDING * float(pushed.energy.max())
        rows.append(
            {
                "scheme": scheme,
                "cycle_ms": 1e3 * T,
                "solves": "iterates" if scheme in ITERATES else "explicit",
                "free_energy": float(np.abs(alone.energy / alone.energy[0] - 1.0).max()),
                "free_attitude_deg": turn_between(alone.pose[-1, 3:], ends[0]),
                "lowest_J": float(min(surplus.min() + rounding, 0.0)),
                "highest_J": float(max(surplus.max() - rounding, 0.0)),
                "attitude_deg": turn_between(pushed.pose[-1, 3:], ends[1]),
                "correction_rad_per_s": float(np.abs(pushed.turn_correction).max()),
            }
        )
    return rows


def make_rigid_body() -> Exhibit:
    slow = CYCLES[1]
    wrenches = push_by_hand(slow)
    t = np.arange(len(wrenches) + 1) * slow
    lines = [
        Line(name, role, t, drive_body(name, slow, wrenches).surplus)
        for name, role in (
            ("exact_hold", "c1"),
            ("lie_rk4", "c2"),
            ("lie_split", "c3"),
            (DAMPED, "c4"),
        )
    ]
    lines.append(
        Line("torque about x", "measured", t[:-1], wrenches[:, 3], second=True, steps=True)
    )
    return Exhibit(
        key="rigid_body",
        title="Future work: the full rigid body, explicit",
        says=_summarise,
        columns=(
            Column("scheme", "scheme"),
            Column("cycle_ms", "T [ms]"),
            Column("solves", "step"),
            Column("free_energy", "torque-free, 60 s: |dH| / H"),
            Column("free_attitude_deg", "attitude off [deg]"),
            Column("lowest_J", "pushed: lowest E_obs [J]"),
            Column("highest_J", "highest E_obs [J]"),
            Column("attitude_deg", "attitude off [deg]"),
            Column("correction_rad_per_s", "largest w_pc [rad/s]"),
        ),
        rows=[row for T in CYCLES for row in _compare(T)],
        numbers={"mass_kg": MASS, "noise_N": NOISE, "torque_noise_Nm": TORQUE_NOISE},
        assumptions=(
            f"250 kg and up to {FORCE:g} N are published; full inertia, {RATE[1]:g} rad/s of "
            f"tumbling, pushes of up to {TORQUE:g} Nm and noise of {NOISE:g} N and "
            f"{TORQUE_NOISE:g} Nm are assumed.",
            "E_obs: work of the held wrench on the motion of the set-point (displacement and "
            "rotation vector, world axes) less the gain of the state's kinetic energy; below zero "
            f"the port is active. {ROUNDING:g} of the largest energy is counted as rounding.",
            f"Attitude off: from lie_rk4 with {FINER} steps in a cycle and the same held wrench.",
        ),
        remarks=(
            "The paper's damper acts along the force, and so does this one along the torque. It "
            "cannot act where there is none: the free flight has to keep its energy by itself, "
            "which no explicit Euler step of a tumbling body does. lie_split does, in closed form.",
        ),
        charts=[
            chart(
                "rigid_body",
                f"Observed energy at T = {slow:g} s",
                lines,
                "time [s]",
                "E_obs [J]",
                second_title="torque [Nm]",
            )
        ],
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    passive = [
        name
        for name in dict.fromkeys(row["scheme"] for row in rows)
        if all(row["lowest_J"] == 0.0 for row in rows if row["scheme"] == name)
    ]
    slow = {
        row["scheme"]: row for row in rows if row["cycle_ms"] == max(r["cycle_ms"] for r in rows)
    }
    ours, implicit, fourth = slow[DAMPED], slow["lie_midpoint"], slow["lie_rk4"]
    explicit = [name for name in passive if slow[name]["solves"] == "explicit"]
    return Findings(
        f"Passive at the port with {numbers['noise_N']:g} N and "
        f"{numbers['torque_noise_Nm']:g} Nm of noise: {'; '.join(passive) or 'none'}. Of these "
        f"explicit: {'; '.join(explicit) or 'none'}.",
        [
            f"At {ours['cycle_ms']:g} ms: lowest E_obs {ours['lowest_J']:.2g} J, lie_midpoint "
            f"{implicit['lowest_J']:.2g} J, lie_rk4 {fourth['lowest_J']:.2g} J, lie_split alone "
            f"{slow['lie_split']['lowest_J']:.2g} J; torque-free attitude off by "
            f"{ours['free_attitude_deg']:.2g}, {implicit['free_attitude_deg']:.2g} and "
            f"{fourth['free_attitude_deg']:.2g} degree.",
            f"What the damper takes off the set-point's rate is at most "
            f"{ours['correction_rad_per_s']:.2g} rad/s.",
        ],
    )
