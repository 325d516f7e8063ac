# %% [markdown]
# # 5. A method that helps
#
# A method stands between the measured wrench and the satellites. `adaptive_damping` adds virtual
# damping while a force is measured, from what it believes of stiffness and delay.

# %%
import softdock

direct = softdock.judge(softdock.run_loop(softdock.load_scenario("epos_1d")))
method = {
    "name": "adaptive_damping",
    "stiffness_N_per_m": 1000.0,
    "delay_ms": 18.0,  # 16 ms of robots, half a cycle of hold
}
helped = softdock.judge(softdock.run_loop(softdock.load_scenario("epos_1d", {"methods": [method]})))
for name, run in (("direct", direct), ("adaptive_damping", helped)):
    m = run.metrics
    print(
        f"{name:17s} restitution {m['restitution']:.4f}, "
        f"{m['error_against_orbit_worst']:.1%} from the reference"
    )

# %% [markdown]
# The rig still adds energy; the damping takes it out again. `softdock compare epos_1d` sets
# every method as the stability analysis advises and ranks them by the worst of eight phases, also
# when what they believe is wrong.
#
# ## Exercise
#
# The method assumes 1500 N/m where the contact has 1000. How far is it from the reference then?

# %% tags=["solution"]
wrong = softdock.load_scenario("epos_1d", {"methods": [method | {"stiffness_N_per_m": 1500.0}]})
error = softdock.judge(softdock.run_loop(wrong)).metrics["error_against_orbit_worst"]
print(f"with 50 % too much: {error:.1%} from the reference")
