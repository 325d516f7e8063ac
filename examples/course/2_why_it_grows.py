# %% [markdown]
# # 2. How much, and why
#
# A force that comes h late acts like negative damping: F(t - h) = k x - k h x'. A bounce of half a
# period multiplies the speed by exp(pi w h / 2), w the root of stiffness over mass. The sampled
# loop holds its force for a cycle T, which counts as T / 2.

# %%
import math

from softdock.studies.stability import critical_delay, predicted_restitution

MASS, STIFFNESS, CYCLE = 63.0, 1000.0, 0.004  # kg, N/m, s: EPOS on one axis
w = math.sqrt(STIFFNESS / MASS)
for delay in (0.0, 0.008, 0.016, 0.032):
    simple = math.exp(0.5 * math.pi * w * (delay + 0.5 * CYCLE))
    exact = predicted_restitution(MASS, STIFFNESS, 0.0, delay, CYCLE)
    print(f"{1e3 * delay:3.0f} ms: exp(pi w h / 2) = {simple:.4f}, sampled loop {exact:.4f}")

# %% [markdown]
# Damping in the contact takes energy out. It wins as long as the delay is below the critical one.

# %%
for damping in (10.0, 20.0, 40.0):
    found = float(critical_delay(MASS, damping, STIFFNESS, CYCLE))
    print(
        f"{damping:3.0f} Ns/m: stable up to {1e3 * found:.1f} ms; damping / stiffness "
        f"= {1e3 * damping / STIFFNESS:.1f} ms less half a cycle"
    )

# %% [markdown]
# ## Exercise
#
# How much damping does a rig with 24 ms of delay need on this spring? Use the rule above, then let
# `critical_delay` confirm it.

# %% tags=["solution"]
needed = STIFFNESS * (0.024 + 0.5 * CYCLE)
print(f"{needed:.0f} Ns/m by the rule")
print(
    f"critical delay with it: {1e3 * float(critical_delay(MASS, needed, STIFFNESS, CYCLE)):.1f} ms"
)
