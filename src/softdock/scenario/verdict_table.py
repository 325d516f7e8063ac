"""The table `[verdict]` of a scenario: the bounds by which a run is called faithful, off or unsafe.
They belong to who judges and not to the loop: nothing compiled reads them."""

from __future__ import annotations

from softdock.core.machine.parameters import Group, Parameter

PATH = "verdict"
VERDICT = Group(
    "verdict",
    "By what a run is judged (docs/verdict.md), at the worst of the sampling phases. The loop does "
    "not know these numbers.",
    Parameter(
        "faithful_distance",
        "faithful_distance",
        "faithful: largest distance from orbit, the worse of after the last contact and at the end",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "faithful_peak_force",
        "faithful_peak_force",
        "faithful: largest difference of the satellites' peak force from orbit's, as a share of it",
        0.10,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "unsafe_energy",
        "unsafe_energy",
        "unsafe: invented energy that no method takes out, as a share of the approach energy",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "unsafe_growth",
        "unsafe_growth",
        "unsafe: growth of a repeated or a latched contact, as a share",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "phases",
        "phases",
        "sampling phases that are flown for the verdict",
        8,
        low=1,
        high=1000,
        kind="integer",
    ),
)
