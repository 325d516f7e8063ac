"""What the joint fit remembers (joint.py): its unknowns, their equations, and how far it has
come."""

from __future__ import annotations

from softdock.core.adaptation.faithful.many import TOUCHES
from softdock.core.machine.cells import Cell, Cells
from softdock.core.shapes.keys import MOST_PAIRS

LAW_UNKNOWNS = Cells(  # of one pair
    "law_unknowns",
    Cell("k", 1, "N", "force of the spring at the deepest sample"),
    Cell("c", 1, "Ns/m", "damping"),
    Cell("f_0", 1, "N", "pre-load"),
    Cell("n", 1, "-", "power of the deflection"),
    Cell("g", 1, "Ns/m", "k lambda"),
    Cell("ramp", 1, "-", "logarithm of d_0 in m"),
)
PER = LAW_UNKNOWNS.size
UNKNOWNS = MOST_PAIRS * PER + 2  # and of all pairs: mu, and the logarithm of v_0
MU, SLIP = UNKNOWNS - 2, UNKNOWNS - 1
COLUMNS = TOUCHES * PER + 2  # of one sample's derivatives
COLUMN = Cells(
    "column",
    Cell("unknown", 1, "-", "which"),
    Cell("force", 3, "N", "change of the sample's force"),
    Cell("torque", 3, "Nm", "of its torque"),
)
COLUMN_AT, COLUMN_FLOATS = COLUMN.at, COLUMN.size
JOINT_CELLS = Cells(
    "joint",
    Cell("kind", 1, "-", "1 to 4: kind of laws that is tried; 0: no fit is under way"),
    Cell("round", 1, "-", "of Gauss and Newton"),
    Cell("rows", 1, "-", "samples that this fit rests on"),
    Cell("chi", 1, "-", "of the unknowns before the last round"),
    Cell("chi_before", 1, "-", "and a round earlier"),
    Cell("last_chi", 1, "-", "by equation, of the last fit that ended"),
    Cell("used", 1, "-", "equations"),
    Cell("seen", 1, "-", "samples that this fit has seen"),
    Cell("fitted", 1, "-", "samples that the last fit to end has seen"),
    Cell("best_kind", 1, "-", "kind with the least chi^2 + p ln N so far"),
    Cell("best_chi", 1, "-", "its chi^2 by equation"),
    Cell("best_number", 1, "-", "its unknowns"),
    Cell("friction_spread", 1, "-", "standard deviation of mu"),
    Cell("touched", MOST_PAIRS, "-", "1: the pair is in the samples"),
    Cell("own", MOST_PAIRS, "-", "model of a pair that its samples alone have told; 0: none"),
    Cell("unit", MOST_PAIRS, "m", "its deepest sample"),
    Cell("spread", MOST_PAIRS, "-", "standard deviation of its stiffness, as a share of it"),
    Cell("start", UNKNOWNS, "", "unknowns before the fit"),
    Cell("now", UNKNOWNS, "", "unknowns in this round"),
    Cell("before", UNKNOWNS, "", "unknowns a round earlier"),
    Cell("best", UNKNOWNS, "", "unknowns of the best kind"),
    Cell("columns", COLUMNS * COLUMN.size, "", "derivatives of one sample"),
    Cell("sought", UNKNOWNS, "-", "1: it is in the equations"),
    Cell("matrix", UNKNOWNS * UNKNOWNS, "", "normal equations, then their triangle"),
    Cell("right", UNKNOWNS, "", "right side, then the step"),
)
JOINT = JOINT_CELLS.at
