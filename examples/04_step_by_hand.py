"""Step the loop by hand. You learn: how to stand in the loop as a supervisor would, here one that
stops the rig as soon as the energy that it can observe itself (Zebenay eq. 114) says that the rig
is active."""

import softdock

scenario = softdock.load_scenario("epos_1d")
cycles = 625  # 2.5 s of 4 ms
loop = softdock.Stepper(scenario, rows=cycles + 1)  # rows: room to record that many instants
approach = loop.series["energy.kinetic"][0]

while loop.cycles < cycles and loop.status == "completed":
    loop.step(5)  # five cycles, 20 ms
    observed = loop.series["energy.observed"][-1]  # J; above zero: the rig gives more than it takes
    if observed > 0.05 * approach:
        print(
            f"stopped at {loop.time_s:.3f} s: observed energy {1e3 * observed:.3f} mJ is "
            "over 5 % of the approach's"
        )
        break
else:
    print("ran to its end")

print(
    f"the mock-ups are {1e3 * loop.series['contact.depth'][-1]:.2f} mm deep in contact, the "
    f"chaser moves at {loop.series['chaser.velocity'][-1, 0]:+.4f} m/s"
)
