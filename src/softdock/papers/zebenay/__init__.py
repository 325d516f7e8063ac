"""Zebenay, Boge, Choukroun: modelling, stability analysis and testing of a hybrid docking
simulator. Its models and every table and figure."""

from __future__ import annotations

from softdock.papers.frame import Paper
from softdock.papers.zebenay.docking_3d import make_test_3d
from softdock.papers.zebenay.effective_mass_3d import make_effective_mass_3d
from softdock.papers.zebenay.figure_10 import make_figure_10
from softdock.papers.zebenay.figures_5_6 import make_figure_5, make_figure_6
from softdock.papers.zebenay.table_1 import make_figure_7, make_table_1
from softdock.papers.zebenay.table_2 import make_table_2

PAPER = Paper(
    "zebenay",
    "The hybrid docking simulator, regenerated",
    "M. Zebenay, T. Boge, D. Choukroun: Modeling, Stability Analysis, and Testing of a "
    "Hybrid Docking Simulator, Acta Astronautica, 2018",
    {
        "figure_5": make_figure_5,
        "figure_6": make_figure_6,
        "table_1": make_table_1,
        "figure_7": make_figure_7,
        "table_2": make_table_2,
        "figure_10": make_figure_10,
        "test_3d": make_test_3d,
        "effective_mass_3d": make_effective_mass_3d,
    },
)
