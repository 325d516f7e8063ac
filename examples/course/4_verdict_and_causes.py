# %% [markdown]
# # 4. A verdict, and its causes
#
# *Faithful*, *off* or *unsafe*: one rule with bounds that are keys of the scenario. The worst of
# eight sampling phases decides, because nobody knows at which instant of a cycle the touch falls.

# %%
import softdock
from softdock.results.free_flight import analyse_free_flight

scenario = softdock.load_scenario("epos_1d")
run = softdock.judge(softdock.run_loop(scenario))
print(run.verdict)

# %% [markdown]
# Some trouble is there before anything touches. A tool of 2 kg that is believed to weigh 1.94 kg
# pushes the satellite all the way.

# %%
heavy = {
    "mock_up.chaser.mass_kg": 2.0,
    "mock_up.chaser.believed.mass_kg": 1.94,
    "laboratory.gravity_m_per_s2": [0.0, 0.0, -9.81],
}
weighed_wrong = softdock.load_scenario("epos_1d", heavy)
found = analyse_free_flight(weighed_wrong)
print(found.text)
print("to do:", found.remedy)

# %% [markdown]
# `softdock why SCENARIO` switches causes off one by one and together and gives each its share.
#
# ## Exercise
#
# To how many grams must the tool be weighed so that the sentence calls the drift less than 10 % of
# the approach?

# %% tags=["solution"]
for grams in (60.0, 10.0, 1.0, 0.1):
    wrong = heavy | {"mock_up.chaser.believed.mass_kg": 2.0 - 1e-3 * grams}
    drift = analyse_free_flight(softdock.load_scenario("epos_1d", wrong))
    share = drift.speed_m_per_s / drift.approach_m_per_s
    print(f"{grams:5g} g: {share:.1%} of the approach")
