"""A first run. You learn: what a run says about the rig, and that orbit, which has no robots,
always stands beside it."""

import softdock

scenario = softdock.load_scenario("epos_1d")  # a preset; `softdock scenarios` lists all
run = softdock.simulate(scenario)
metrics = run.metrics  # plain numbers, the same as `softdock run epos_1d --json`

print(metrics["summary"])
print(
    f"restitution {metrics['restitution']:.4f}, in orbit {metrics['reference']['restitution']:.4f}"
)
print(f"the loop added {1e3 * metrics['energy_added_J']:.3f} mJ; where it came from:")
for row, energy in metrics["ledger"]["rows"].items():
    print(f"  {row:12s}{1e3 * energy:+8.3f} mJ")

print(f"the chaser leaves at {1e3 * run.series['chaser.velocity'][-1, 0]:.2f} mm/s")
print(f"in orbit it leaves at {1e3 * run.reference.series['chaser.velocity'][-1, 0]:.2f} mm/s")
