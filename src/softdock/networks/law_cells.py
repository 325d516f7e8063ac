"""Rows of numbers that the laws of a network are: of a store, of a damper, of a node of a tabulated
potential, and of the answer of a sample (laws.py, nonlinear_step.py)."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.networks.elements import MOST_COEFFICIENTS

STORE = Cells(
    "network_store",
    Cell("kind", 1, "-", "of its potential (networks/elements.py); a mass is linear"),
    Cell("stiffness", 1, "N/m or 1/kg", "of a spring; of a mass one over it"),
    Cell("exponent", 1, "-", "of a one-sided spring's force"),
    Cell("lowest", 1, "m", "elongation at which a tabulated potential is lowest"),
    Cell("floor", 1, "J", "its energy there"),
    Cell("table", 1, "-", "its first node in the tables"),
    Cell("low", 1, "m", "elongation of its first node"),
    Cell("high", 1, "m", "elongation of its last node"),
    Cell("coefficients", MOST_COEFFICIENTS, "J/m^2, ...", "of x^2, x^3, ... of a polynomial"),
)
DAMPER = Cells(
    "network_damper",
    Cell("given_force", 1, "-", "1: the structure gives it a force; 0: a speed"),
    Cell("damping", 1, "Ns/m", "b"),
    Cell("quadratic", 1, "Ns^2/m^2", "b_v, times the speed"),
    Cell("per_force", 1, "s/m", "lambda, times a spring's force"),
    Cell("of", 1, "-", "the store that has this force; -1: none"),
)
NODE = Cells(
    "potential_node",
    Cell("energy", 1, "J", "V"),
    Cell("slope", 1, "N", "dV/dx"),
)
ANSWER = Cells(
    "sample_answer",
    Cell("offset", 1, "m or Ns", "of a store's step or a damper's output times T, at D = 0"),
    Cell("gain", 1, "-", "per displacement D of the first port; those of the others stand behind"),
)
IN_STORE, IN_DAMPER, IN_NODE, IN_ANSWER = STORE.at, DAMPER.at, NODE.at, ANSWER.at
STORE_FLOATS, DAMPER_FLOATS, NODE_FLOATS = STORE.size, DAMPER.size, NODE.size
