"""The paper's nonlinear models of the loop, section 3.2: state and delayed state in, rate of the
state out. Errata corrected (docs/errata.md).

Frames as in the paper: N is inertial with its z axis along the normal n, B is the chaser's body; D
turns N (or G) into B. The penetration d is positive along n, the force f = -k d - b d' acts along
n, and the touch never ends (these are models for stability, not for a bounce). What the robots
delay, pose and twist at t - h, is a second argument, so that the same functions serve without
delay, with a constant one and for a Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# The paper's linear analysis, sections 3.3 and 4: F_x, T, F_y, the characteristic polynomial,
# limiting masses, the family of critical delays.
#
# Errata corrected: (76) has J_x, (80) has cos alpha, row 2 of (92) and (94) are negative and row 4
# of (92) has m_a, (97) loses its invented "2b, 2k" mode, (109) counts upwards only. The closed
# forms (108) to (112), with the family of critical delays and the number of unstable poles, are
# softdock.studies.stability's.


def dynamics_matrix(chaser: PlanarChaser) -> np.ndarray:
    """F_x: rates of z, v_z, theta, omega at first touch, by the states that the force sees."""
    m, J = chaser.mass, chaser.inertia
    k, b, arm = chaser.stiffness, chaser.damping, chaser.length * np.cos(chaser.half_angle)
    return np.array(  # Zebenay eq. 72
        [
            [0.0, 1.0, 0.0, 0.0],
            [-k / m, -b / m, k * arm / m, b * arm / m],
            [0.0, 0.0, 0.0, 1.0],
            [k * arm / J, b * arm / J, -k * arm**2 / J, -b * arm**2 / J],
        ]
    )


def penetration_transform(chaser: PlanarChaser) -> np.ndarray:
    """T: from z, v_z, theta, omega to z, v_z, d, d'."""
    arm = chaser.length * np.cos(chaser.half_angle)
    return np.array(
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, -arm, 0.0], [0.0, 1.0, 0.0, -arm]]
    )  # Zebenay eqs. 80, 81, 90


def transformed_matrix(chaser: PlanarChaser) -> np.ndarray:
    """F_y, as it follows from T F_x T^-1."""
    k, b, m, m_a = chaser.stiffness, chaser.damping, chaser.mass, effective_mass(chaser)
    return np.array(  # Zebenay eq. 92, corrected
        [
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, -k / m, -b / m],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, -k / m_a, -b / m_a],
        ]
    )


def effective_mass(chaser: PlanarChaser) -> float:
    """The mass that the wall feels [kg]."""
    arm = chaser.length * np.cos(chaser.half_angle)
    return float(chaser.mass / (1.0 + chaser.mass * arm**2 / chaser.inertia))  # Zebenay eq. 84


def limiting_masses(chaser: PlanarChaser) -> dict[str, float]:
    """The four limits that follow (84) [kg]: frontal, parallel to the wall, inertia very large,
    inertia very small."""
    arm = chaser.length * np.cos(chaser.half_angle)
    return {
        "frontal": chaser.mass,
        "parallel": chaser.mass / (1.0 + chaser.mass * chaser.length**2 / chaser.inertia),
        "large_inertia": chaser.mass,
        "small_inertia": chaser.inertia / arm**2,
    }


def characteristic(chaser: PlanarChaser, delay: float, s: np.ndarray) -> np.ndarray:
    """The characteristic polynomial of the fourth-order loop at complex s."""
    s = np.asarray(s, dtype=complex)
    along, into = chaser.mass * s**2, effective_mass(chaser) * s**2
    return np.asarray(
        along * (into + np.exp(-s * delay) * (chaser.damping * s + chaser.stiffness))
    )  # Zebenay eq. 100


@dataclass(frozen=True)
class Chaser:
    """A free chaser with a probe that touches a fixed wall."""

    mass: float  # kg
    inertia: np.ndarray  # kg m^2, 3 x 3, about B, body axes
    lever: np.ndarray  # m, a: from B to the tip, body axes
    stiffness: float  # N/m
    damping: float  # Ns/m
    normal: np.ndarray  # n, inertial axes


@dataclass(frozen=True)
class PlanarChaser:
    """The same in the y-z plane, the probe through the centre of mass."""

    mass: float  # kg
    inertia: float  # kg m^2, J_x
    length: float  # m, a
    half_angle: float  # rad, alpha: between probe and wall
    stiffness: float  # N/m
    damping: float  # Ns/m

    @property
    def nominal(self) -> np.ndarray:
        """z, v_z, theta, omega at first touch: Zebenay eqs. 50 to 53."""
        return np.array(
            [-self.length * np.sin(self.half_angle), 0.0, 0.5 * np.pi - self.half_angle, 0.0]
        )

    def in_space(self) -> Chaser:
        """The same chaser for the 3-D models; its moments about y and z play no part in the
        plane."""
        return Chaser(
            mass=self.mass,
            inertia=self.inertia * np.eye(3),
            lever=np.array([0.0, 0.0, self.length]),
            stiffness=self.stiffness,
            damping=self.damping,
            normal=np.array([0.0, 0.0, 1.0]),
        )


def skew(a: np.ndarray) -> np.ndarray:
    """[a x]."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def penetration(
    chaser: Chaser, r: np.ndarray, v: np.ndarray, normal_B: np.ndarray, w: np.ndarray
) -> tuple[float, float]:
    """Depth [m] and its rate [m/s] from a pose and twist; `normal_B` = D n."""
    depth = r @ chaser.normal + chaser.lever @ normal_B  # Zebenay eqs. 19, 28
    rate = v @ chaser.normal + chaser.lever @ (skew(-w) @ normal_B)  # Zebenay eqs. 20, 29
    return float(depth), float(rate)


def contact_force(chaser: Chaser | PlanarChaser, depth: float, rate: float) -> float:
    """Along n [N]."""
    return -chaser.stiffness * depth - chaser.damping * rate  # Zebenay eqs. 18, 27, 47


def _accelerations(
    chaser: Chaser, w: np.ndarray, force: float, delayed_normal_B: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    torque = force * (skew(chaser.lever) @ delayed_normal_B)  # Zebenay eqs. 17, 26
    linear = force / chaser.mass * chaser.normal  # Zebenay eqs. 14, 23
    return linear, np.linalg.solve(
        chaser.inertia, skew(-w) @ chaser.inertia @ w + torque
    )  # Zebenay eqs. 16, 25


def rates_3d(chaser: Chaser, state: np.ndarray, delayed: np.ndarray) -> np.ndarray:
    """18 states: r, v (inertial axes), D row by row, w (body axes)."""
    v, D, w = state[3:6], state[6:15].reshape(3, 3), state[15:18]
    late_D = delayed[6:15].reshape(3, 3)
    depth, rate = penetration(
        chaser, delayed[0:3], delayed[3:6], late_D @ chaser.normal, delayed[15:18]
    )
    linear, angular = _accelerations(
        chaser, w, contact_force(chaser, depth, rate), late_D @ chaser.normal
    )
    return np.concatenate([v, linear, (skew(-w) @ D).ravel(), angular])  # Zebenay eqs. 13 and 15


def rates_3d_reduced(chaser: Chaser, state: np.ndarray, delayed: np.ndarray) -> np.ndarray:
    """12 states: r, v in the nozzle's frame, d_c3 = D n, w in body axes. The normal must be the
    frame's z axis."""
    v, column, w = state[3:6], state[6:9], state[9:12]
    depth, rate = penetration(chaser, delayed[0:3], delayed[3:6], delayed[6:9], delayed[9:12])
    linear, angular = _accelerations(chaser, w, contact_force(chaser, depth, rate), delayed[6:9])
    return np.concatenate([v, linear, skew(-w) @ column, angular])  # Zebenay eqs. 22 and 24


def rates_2d(chaser: PlanarChaser, state: np.ndarray, delayed: np.ndarray) -> np.ndarray:
    """Six states: y, v_y, z, v_z, theta, omega. The last four are those of the stability
    analysis."""
    _, v_y, _, v_z, _, omega = state
    _, _, z, late_v_z, theta, late_omega = delayed
    depth = z + chaser.length * np.cos(theta)  # Zebenay eq. 48
    rate = late_v_z - chaser.length * late_omega * np.sin(theta)  # Zebenay eq. 49
    force = contact_force(chaser, depth, rate)
    torque = -chaser.length * force * np.sin(theta)  # Zebenay eq. 46
    return np.array(
        [v_y, 0.0, v_z, force / chaser.mass, omega, torque / chaser.inertia]
    )  # Zebenay eqs. 40 to 45


def rotation_about_x(theta: float) -> np.ndarray:
    """D of the plane: turns N into B, so that D n = (0, sin theta, cos theta), Zebenay eq. 32."""
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def state_3d(planar: np.ndarray) -> np.ndarray:
    """The 18 states of the plane's six."""
    y, v_y, z, v_z, theta, omega = planar
    return np.array([0.0, y, z, 0.0, v_y, v_z, *rotation_about_x(theta).ravel(), omega, 0.0, 0.0])


def state_3d_reduced(planar: np.ndarray) -> np.ndarray:
    """The 12 states of the plane's six."""
    y, v_y, z, v_z, theta, omega = planar
    return np.array([0.0, y, z, 0.0, v_y, v_z, 0.0, np.sin(theta), np.cos(theta), omega, 0.0, 0.0])
