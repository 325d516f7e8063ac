"""Your own rig as a scenario file. You learn: what a file looks like (03_your_own_rig.toml, beside
this), how mistakes are answered, and that one run is one draw: where in a cycle the touch falls is
chance on a rig."""

from pathlib import Path

import softdock

rig = Path(__file__).with_suffix(".toml")

try:  # two mistakes at once: both are named, with what is allowed
    softdock.load_scenario(
        rig, {"contact.0.real.stifness_N_per_m": 5000.0, "chaser.mass_kg": -120.0}
    )
except softdock.BadInput as error:
    for problem in error.problems:
        print("refused:", str(problem).partition(": ")[2][:60])

scenario = softdock.load_scenario(rig)
print("warnings:", scenario.warnings or "none")
metrics = softdock.simulate_phases(scenario, 8).metrics  # the same docking at eight sampling phases
spread = metrics["phases"]["spread"]["restitution"]
print(metrics["summary"])
print(
    f"restitution over the sampling phase: {spread['mean']:.4f} +- {spread['std']:.4f}, in "
    f"orbit {metrics['reference']['restitution']:.4f}"
)
