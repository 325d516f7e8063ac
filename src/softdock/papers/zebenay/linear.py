"""The paper's linear analysis, sections 3.3 and 4: F_x, T, F_y, the characteristic polynomial,
limiting masses, the family of critical delays.

Errata corrected: (76) has J_x, (80) has cos alpha, row 2 of (92) and (94) are negative and row 4 of
(92) has m_a, (97) loses its invented "2b, 2k" mode, (109) counts upwards only. The closed forms
(108) to (112), with the family of critical delays and the number of unstable poles, are
softdock.stability's.
"""

from __future__ import annotations

import numpy as np

from softdock.papers.zebenay.models import PlanarChaser


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
