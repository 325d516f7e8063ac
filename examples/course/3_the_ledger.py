# %% [markdown]
# # 3. The ledger
#
# Every joule that appears has a row: robots that are not where they were sent, a sensor that reads
# late, an integrator that is not exact. The rows sum to the added energy, to rounding.

# %%
import softdock

run = softdock.judge(softdock.run_loop(softdock.load_scenario("epos_1d")))
rows = run.ledger_rows
for name, energy in rows.items():
    if abs(energy) > 1e-12:
        print(f"{name:12s} {1e3 * energy:+.4f} mJ")
print(f"sum {1e3 * sum(rows.values()):+.4f} mJ, added {1e3 * run.energy_added_J:+.4f} mJ")

# %% [markdown]
# A rig does not know the true force. What it can tell is the observed energy: measured force times
# measured motion (Zebenay's equation 114). It is the rig's own warning lamp.

# %%
observed = run.series["energy.observed"]
print(f"observed at the end {1e3 * observed[-1]:+.4f} mJ")

# %% [markdown]
# ## Exercise
#
# Which row grows if the sensor has 6 ms of delay (`sensor.delay_ms`) and the robots none?

# %% tags=["solution"]
changes = {"sensor.delay_ms": 6.0, "robots.chaser.delay_ms": 0.0, "robots.target.delay_ms": 0.0}
late = softdock.run_loop(softdock.load_scenario("epos_1d", changes)).ledger_rows
print(f"largest row: {max(late, key=lambda name: late[name])}")
