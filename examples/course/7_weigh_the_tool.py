# %% [markdown]
# # 7. Weigh the tool with the sensor
#
# A sensor reads the tool's weight, which turns with the robot, and its own bias, which does not. So
# a few attitudes tell them apart. Which ones, and how well?

# %%
import numpy as np

from softdock.loop.spatial.arrays import matrices
from softdock.studies.identify.calibration import calibrate
from softdock.studies.identify.pose_plan import plan_poses

plan = plan_poses(count=9, most_deg=45.0, mass_kg=2.0, noise_N=0.2, readings=1000)
print(f"promised: mass +- {1e3 * plan.mass_kg:.2g} g, bias +- {plan.bias_N:.2g} N")

# %% [markdown]
# The readings of such a sensor: 2 kg, half a newton of bias, the mean of 1000 noisy samples each.

# %%
rng = np.random.default_rng(4)
MASS, CENTRE, BIAS = 2.0, np.array([0.0, 0.0, 0.15]), np.array([0.5, -0.2, 0.1])
weight = MASS * np.einsum("nji,j->ni", matrices(plan.attitudes), [0.0, 0.0, -9.81])
noise = 0.2 / np.sqrt(1000.0)
force = weight + BIAS + noise * rng.normal(size=weight.shape)
torque = np.cross(CENTRE, weight) + 0.1 * noise * rng.normal(size=weight.shape)
found = calibrate(plan.attitudes, force, torque)
print(f"mass {found.mass.value:.4f} +- {found.mass.uncertainty:.4f} kg")
print("bias", np.round(found.bias_force.value, 3), "+-", np.round(found.bias_force.uncertainty, 3))

# %% [markdown]
# ## Exercise
#
# A robot that may turn by 10 degrees only: by how much is the mass less certain?

# %% tags=["solution"]
narrow = plan_poses(count=9, most_deg=10.0, mass_kg=2.0, noise_N=0.2, readings=1000)
print(f"{narrow.mass_kg / plan.mass_kg:.0f} times less certain: a small tilt hardly turns a weight")
