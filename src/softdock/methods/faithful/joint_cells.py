"""What the joint fit remembers (joint.py): its unknowns, their equations, and how far it has
come."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.methods.faithful.joint_samples import TOUCHES

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
    Cell("kind", 1, "-", "1 to 7: kind of laws that is tried; 0: no fit is under way"),
    Cell("round", 1, "-", "of Levenberg and Marquardt"),
    Cell("brake", 1, "-", "their lambda: 0 a step of Gauss and Newton"),
    Cell("rows", 1, "-", "samples that this fit rests on"),
    Cell("chi", 1, "-", "of the best unknowns of this kind so far"),
    Cell("last_chi", 1, "-", "by equation, of the last fit that ended"),
    Cell("used", 1, "-", "equations"),
    Cell("seen", 1, "-", "samples that this fit has seen"),
    Cell("fitted", 1, "-", "samples that the last fit to end has seen"),
    Cell("best_kind", 1, "-", "kind with the least chi^2 + p ln N so far"),
    Cell("best_chi", 1, "-", "its chi^2 by equation"),
    Cell("best_number", 1, "-", "its unknowns"),
    Cell("last_kind", 1, "-", "kind that explained the samples of the last fit; 0: none did"),
    Cell("guess", 1, "N/m", "a stiffness from the largest sample"),
    Cell("friction_spread", 1, "-", "standard deviation of mu"),
    Cell("sliding", 1, "m/s", "root mean square over the samples, by their force"),
    Cell("touched", MOST_PAIRS, "-", "1: the pair is in the samples"),
    Cell("own", MOST_PAIRS, "-", "model of a pair that its samples alone have told; 0: none"),
    Cell("unit", MOST_PAIRS, "m", "its deepest sample"),
    Cell("spread", MOST_PAIRS, "-", "standard deviation of its stiffness, as a share of it"),
    Cell("start", UNKNOWNS, "", "unknowns before the fit"),
    Cell("now", UNKNOWNS, "", "unknowns in this round"),
    Cell("before", UNKNOWNS, "", "best unknowns of this kind so far"),
    Cell("best", UNKNOWNS, "", "unknowns of the best kind"),
    Cell("columns", COLUMNS * COLUMN.size, "", "derivatives of one sample"),
    Cell("coupled", UNKNOWNS, "-", "1: others are in its equation"),
    Cell("matrix", UNKNOWNS * UNKNOWNS, "", "normal equations, then their triangle"),
    Cell("right", UNKNOWNS, "", "right side, then the step"),
    Cell("kept_matrix", UNKNOWNS * UNKNOWNS, "", "normal equations of `before`"),
    Cell("kept_right", UNKNOWNS, "", "and their right side"),
)
JOINT = JOINT_CELLS.at
