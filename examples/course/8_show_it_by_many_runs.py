# %% [markdown]
# # 8. Shown by many runs
#
# One good run shows nothing of a rig whose delay and contact are known to some percent. A campaign
# draws them, and a requirement is judged by a bound, not by a share.

# %%
import numpy as np

import softdock
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.campaign.requirement import check_requirement, compute_lower_bound

runs = 200
rng = np.random.default_rng(1)
delay_ms = rng.normal(4.0, 1.0, runs).clip(0.0, None)
scenario = softdock.load_scenario("epos_1d", {"contact.0.real.damping_Ns_per_m": 9.0})
swept = {
    "robots.chaser.delay_ms": delay_ms,
    "robots.target.delay_ms": delay_ms,
    "contact.0.real.stiffness_N_per_m": rng.normal(1000.0, 50.0, runs),
}
batch = run_cpu(*make_columns(scenario, swept))
passive = int(np.sum(batch.column("restitution") < 1.0))
print(f"{passive} of {runs} bounces lose energy: {passive / runs:.1%}")
print(f"with 95 % confidence at least {compute_lower_bound(passive, runs, 0.95):.1%}")

# %% [markdown]
# `[require]` in a campaign file asks for that: pass, fail, or undecided with the runs that would
# tell. Here a bounce that loses energy stands for a capture.

# %%
counts = {"captured": passive, "asked": runs}
print(check_requirement({"captured": 0.95}, counts, "random")["sentence"])

# %% [markdown]
# ## Exercise
#
# How many runs that all succeed does it take to show 99 % with 95 % confidence?

# %% tags=["solution"]
n = next(n for n in range(1, 1000) if compute_lower_bound(n, n, 0.95) >= 0.99)
print(f"{n} runs")
