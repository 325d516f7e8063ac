"""A thousand runs on all cores. You learn: how to sweep keys as columns, and to read the outcomes
of a batch as arrays."""

import time

import numpy as np

import softdock
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns

runs = 1000
random = np.random.default_rng(1)
scenario = softdock.load_scenario("epos_1d")
delay_ms = random.uniform(0.0, 32.0, runs)
stiffness = random.uniform(500.0, 2000.0, runs)  # N/m

began = time.perf_counter()
swept = {
    "robots.chaser.delay_ms": delay_ms,
    "robots.target.delay_ms": delay_ms,
    "contact.0.real.stiffness_N_per_m": stiffness,
}
batch = run_cpu(*make_columns(scenario, swept))
took = time.perf_counter() - began

restitution = batch.column("restitution")
share = batch.column("energy_added_J") / batch.column("kinetic_start_J")
print(f"{len(batch)} runs, {batch.column('cycles').sum():.0f} cycles in {took:.2f} s")
print(
    f"restitution: median {np.median(restitution):.3f}, 95th percentile "
    f"{np.percentile(restitution, 95):.3f}"
)
print(f"add more than a tenth of the approach energy: {np.mean(share > 0.1):.0%} of the runs")
theory = np.exp(0.5 * np.pi * np.sqrt(stiffness / 63.0) * 1e-3 * (delay_ms + 2.0))
print(f"furthest from exp(pi w h / 2): {np.abs(restitution - theory).max():.4f}")
