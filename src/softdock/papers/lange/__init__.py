"""Lange, Grunwald, Albu-Schaeffer: robotic simulation of on-orbit servicing including hard impacts.
Its figures, and what it outlines, made."""

from __future__ import annotations

from softdock.papers.frame import Paper
from softdock.papers.lange.causality import make_causality
from softdock.papers.lange.claims import make_claims
from softdock.papers.lange.figure_6 import make_figure_6
from softdock.papers.lange.figure_6_arms import make_figure_6_arms
from softdock.papers.lange.figure_7 import make_figure_7
from softdock.papers.lange.figure_7_arms import make_figure_7_arms
from softdock.papers.lange.full_compensation import make_restitution
from softdock.papers.lange.offsets import make_offsets
from softdock.papers.lange.own_walls import make_own_walls
from softdock.papers.lange.sensitivity import make_wrong_stiffness
from softdock.papers.lange.short_contacts import make_short_contacts

PAPER = Paper(
    "lange",
    "Hard impacts, regenerated",
    "F. Lange, G. Grunwald, A. Albu-Schäffer: Robotic Simulation of On Orbit Servicing "
    "Including Hard Impacts, German Aerospace Center (DLR)",
    {
        "figure_6": make_figure_6,
        "figure_6_arms": make_figure_6_arms,
        "figure_7": make_figure_7,
        "figure_7_arms": make_figure_7_arms,
        "causality": make_causality,
        "restitution": make_restitution,
        "wrong_stiffness": make_wrong_stiffness,
        "offsets": make_offsets,
        "own_walls": make_own_walls,
        "short_contacts": make_short_contacts,
        "claims": make_claims,
    },
)
