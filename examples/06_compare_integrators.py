"""Compare integrators on one scenario. You learn: that the integrator of the satellites is part of
the delay budget (nothing, half a cycle or a whole one), and how to get the ranking that `softdock
compare` shows."""

import softdock

scenario = softdock.load_scenario("epos_1d")
comparison = softdock.compare(scenario, methods="direct", integrators="all")

for row in comparison.ranked:  # best first; the page and the JSON hold the same rows
    print(
        f"{row['rank']} {row['integrator']:17s} restitution {row['restitution']:.4f}, "
        f"{row['error_against_orbit']:.1%} of the approach away from the reference"
    )
print(comparison.recommendation)
