"""De Stefano, Balachandran, Artigas, Secchi: a passive and explicit discrete integrator. Its scheme
and every figure."""

from __future__ import annotations

from softdock.papers.de_stefano.drift import make_figure_3
from softdock.papers.de_stefano.energies import (
    make_figure_4,
    make_figure_5,
    make_figure_6,
    make_figure_11,
)
from softdock.papers.de_stefano.experiment import (
    make_figure_12,
    make_figure_13,
    make_figure_14,
    make_noise,
)
from softdock.papers.de_stefano.faults import make_faults
from softdock.papers.de_stefano.observers import make_figure_9, make_figure_10, make_two_port
from softdock.papers.de_stefano.on_rig import make_on_rig
from softdock.papers.de_stefano.rigid_body import make_rigid_body
from softdock.papers.de_stefano.servicer import make_servicer
from softdock.papers.de_stefano.trade import make_trade
from softdock.papers.frame import Paper

PAPER = Paper(
    "de-stefano",
    "The passive integrator, regenerated",
    "M. De Stefano, R. Balachandran, J. Artigas, C. Secchi: Reproducing Physical Dynamics "
    "with Hardware-in-the-Loop Simulators: A Passive and Explicit "
    "Discrete Integrator",
    {
        "figure_3": make_figure_3,
        "figure_4": make_figure_4,
        "figure_5": make_figure_5,
        "figure_6": make_figure_6,
        "figure_9": make_figure_9,
        "figure_10": make_figure_10,
        "figure_11": make_figure_11,
        "figure_12": make_figure_12,
        "figure_13": make_figure_13,
        "figure_14": make_figure_14,
        "on_rig": make_on_rig,
        "two_port": make_two_port,
        "rigid_body": make_rigid_body,
        "servicer": make_servicer,
        "noise": make_noise,
        "trade": make_trade,
        "faults": make_faults,
    },
)
