# %% [markdown]
# # 1. Energy from nothing
#
# A satellite meets a lossless spring. In orbit it leaves as fast as it came. On a rig the robots
# are late: the spring pushes a little too long, and the satellite leaves faster. Nobody paid for
# that energy.

# %%
import softdock


def bounce(delay_ms):
    """EPOS on one axis, both robots late by so much."""
    changes = {"robots.chaser.delay_ms": delay_ms, "robots.target.delay_ms": delay_ms}
    return softdock.judge(softdock.run_loop(softdock.load_scenario("epos_1d", changes)))


run = bounce(16.0)
print(f"restitution in orbit {run.metrics['reference']['restitution']:.4f}")
print(f"restitution on the rig {run.metrics['restitution']:.4f}")

# %% [markdown]
# The series say where it happens: `true.chaser.force` is the contact's force, and what the rig
# added is counted while it acts.

# %%
for delay_ms in (0.0, 8.0, 16.0):
    metrics = bounce(delay_ms).metrics
    share = metrics["energy_added_J"] / metrics["ledger"]["kinetic_start_J"]
    print(f"{delay_ms:4g} ms: {metrics['restitution']:.4f}, {share:+.1%} of the energy")

# %% [markdown]
# ## Exercise
#
# Even with robots without delay the loop adds 2.5 %. Why? Make the control cycle four
# times shorter (`time.cycle_ms`, 4 ms in the preset) and see what is left.

# %% tags=["solution"]
changes = {"time.cycle_ms": 1.0, "robots.chaser.delay_ms": 0.0, "robots.target.delay_ms": 0.0}
metrics = softdock.judge(softdock.run_loop(softdock.load_scenario("epos_1d", changes))).metrics
share = metrics["energy_added_J"] / metrics["ledger"]["kinetic_start_J"]
print(f"held for 1 ms in place of 4 ms: {share:+.2%}, a quarter: the hold is half a cycle of delay")
