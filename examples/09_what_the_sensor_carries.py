"""What the sensor carries. You learn: what 1 % of a tool's mass, 5 mm of its centre of mass and its
inertia do to momentum, contact point and bounce, and what corrects each."""

import numpy as np

import softdock

TOOL = {"mass_kg": 10.0, "centre_m": [0.1, 0.0, 0.0]}


def impact(believed, duration_s=1.0, speed=0.1, cycle_ms=4.0, **sensor):
    """Lange's central impact (100 kg, 50 N/mm) with a 10 kg mock-up behind the chaser's sensor, and
    what the user believes of it."""
    body = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]}
    return {
        "time": {"duration_s": duration_s, "cycle_ms": cycle_ms},
        "satellites": {"integrator": "symplectic_euler"},
        "chaser": body | {"position_m": [-0.05, 0.0, 0.0], "velocity_m_per_s": [speed, 0.0, 0.0]},
        "target": body,
        "sensor": sensor,
        "mock_up": {"chaser": TOOL | {"believed": believed}},
        "contact": [
            {"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 50000.0}}
        ],
    }


for threshold in (0.0, 2.0):  # four standard deviations of a sensor with 0.5 N of noise
    s = softdock.simulate(impact({"mass_kg": 9.9}, 8.0, 0.0, threshold_N=threshold)).series
    momentum, drift = 100.0 * s["chaser.velocity.z"][-1], s["chaser.position.z"][-1]
    print(
        f"1 % of the mass, threshold {threshold:g} N: {s['measured.chaser.force.z'][0]:+.2f} "
        f"N, after 8 s {momentum:+.2f} Ns and {drift:+.3f} m"
    )

s = softdock.simulate(impact({"centre_m": [0.105, 0.0, 0.0]})).series
force, torque = s["measured.chaser.force"], s["measured.chaser.torque"]
line = (
    np.cross(force, torque) / np.maximum(np.sum(force**2, axis=1), 1.0)[:, None]
)  # nearest point of the wrench's line of action; it should be the tip, 0
peak = np.argmax(np.abs(force[:, 0]))
off, rate = 1e3 * np.linalg.norm(line[peak]), np.linalg.norm(s["chaser.rate"][-1])
print(
    f"5 mm of the centre: contact point {off:.1f} mm off at {abs(force[peak, 0]):.0f} N; "
    f"after 1 s the chaser turns at {rate:.3f} rad/s"
)

for taken in ("ignored", "commanded", "measured"):
    runs = [
        softdock.simulate_phases(impact({"acceleration": taken}, cycle_ms=T), 8).metrics["phases"][
            "spread"
        ]["restitution"]
        for T in (4.0, 12.0)
    ]
    print(
        f"inertia {taken:9s}: restitution {runs[0]['mean']:.3f} at a cycle of 4 ms, "
        f"{runs[1]['mean']:.3f} at 12 ms"
    )
