"""The table `[verdict]` of a scenario: the bounds by which a run is called faithful, distorted or
unsafe. They belong to who judges and not to the loop: nothing compiled reads them."""

from __future__ import annotations

from softdock.loop.parameters import Group, Parameter

PATH = "verdict"
VERDICT = Group(
    "verdict",
    "By what a run is judged (docs/verdict.md), at the worst of the sampling phases. The loop does "
    "not know these numbers.",
    Parameter(
        "faithful_distance",
        "faithful_distance",
        "largest distance from the reference, after the contacts and settle_s later, of the "
        "approach",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "faithful_peak_force",
        "faithful_peak_force",
        "largest difference of the peak forces of contacts and latches from the reference's, of "
        "the larger",
        0.10,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "free_flight",
        "free_flight",
        "largest change of speed by forces in free flight, of the approach speed",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "unsafe_energy",
        "unsafe_energy",
        "most energy that ended contacts add, or that a pair in contact has beyond orbit's, of the "
        "energy that the first contact can reach",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "unsafe_growth",
        "unsafe_growth",
        "largest growth of the swing of a pair that still touches, over ten swings, less orbit's",
        0.05,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter(
        "settle_s",
        "settle_s",
        "after the last contact: then satellites are compared again; forces in free flight count",
        1.0,
        unit="s",
        low=0.0,
        high=1e4,
    ),
    Parameter(
        "phases",
        "phases",
        "sampling phases that are simulated for the verdict",
        8,
        low=1,
        high=1000,
        kind="integer",
    ),
)
