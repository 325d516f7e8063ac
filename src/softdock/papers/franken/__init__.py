"""Franken, Reilink, Misra, Stramigioli: passive sampled port-Hamiltonian systems. Table, figures
and claims, from `softdock.networks`."""

from __future__ import annotations

from softdock.papers.frame import Paper
from softdock.papers.franken.argument import make_argument
from softdock.papers.franken.bench import make_bench
from softdock.papers.franken.claims import make_claims
from softdock.papers.franken.figure_5 import make_figure_5
from softdock.papers.franken.figure_6 import make_figure_6
from softdock.papers.franken.structure import make_structure, make_table_1
from softdock.papers.franken.telemanipulation import make_telemanipulation
from softdock.papers.franken.two_devices import make_alpha, make_two_devices

PAPER = Paper(
    "franken",
    "Passive sampled port-Hamiltonian systems, regenerated",
    "M. Franken, R. Reilink, S. Misra, S. Stramigioli: Multi-Dimensional Passive Sampled "
    "Port-Hamiltonian Systems, University of Twente",
    {
        "table_1": make_table_1,
        "structure": make_structure,
        "argument": make_argument,
        "figure_5": make_figure_5,
        "figure_6": make_figure_6,
        "alpha": make_alpha,
        "two_devices": make_two_devices,
        "bench": make_bench,
        "telemanipulation": make_telemanipulation,
        "claims": make_claims,
    },
)
