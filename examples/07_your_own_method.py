"""A method of your own. You learn: that a method is one file (force_lead.py, beside this; explained
in docs/your_own_method.md), that it is compared like any other, and what an error in what it must
know costs. The first time it compiles for about half a minute."""

from pathlib import Path

import softdock

names = softdock.load_method_file(Path(__file__).with_name("force_lead.py"))  # this runs that file
comparison = softdock.compare(
    softdock.load_scenario("epos_1d"), methods=["direct", *names], integrators="exact_hold"
)

for row in comparison.ranked:
    worst = (
        f"{row['worst']['error_against_orbit']:.2%}"
        if row["worst"]
        else "the same: it knows nothing"
    )
    print(
        f"{row['rank']} {row['method']:11s} {row['error_against_orbit']:.2%} of the approach "
        f"away from the reference; with wrong knowledge at worst {worst}"
    )
