"""Table I, the Dirac matrix of (22) from the network, and the bond graph of Fig. 4."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from softdock.networks.causality import is_admittance
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.franken.parameters import EXPERIMENT, SIMULATION, solid

PRINTED = np.array(
    [[0, 0, 0, 1], [0, 0, -1, 1], [0, 1, 0, 0], [-1, -1, 0, 0]], dtype=float
)  # Franken eq. 22


def make_table_1() -> Exhibit:
    rows = [
        {
            "parameter": name,
            "unit": unit,
            "simulation": getattr(SIMULATION, key),
            "experiment": getattr(EXPERIMENT, key),
        }
        for name, unit, key in (
            ("k_1", "N/m", "k1"),
            ("k_2", "N/m", "k2"),
            ("b_1", "Ns/m", "b1"),
            ("q_w", "m", "wall"),
        )
    ]
    columns = (
        Column("parameter", "parameter"),
        Column("unit", "unit"),
        Column("simulation", "simulation"),
        Column("experiment", "experiment"),
    )
    tau = {
        "relaxation_simulation_s": SIMULATION.b1 / SIMULATION.k2,
        "relaxation_experiment_s": EXPERIMENT.b1 / EXPERIMENT.k2,
    }
    return Exhibit(
        key="table_1",
        title="Table I: parameters",
        says=_summarise_table,
        columns=columns,
        rows=rows,
        numbers=tau,
    )


def make_structure() -> Exhibit:
    network = solid(SIMULATION)
    dirac = network.dirac
    same = bool(np.array_equal(dirac.matrix, PRINTED))
    rows = []
    for i, name in enumerate(dirac.rows):
        row: dict[str, object] = {"gives": name}
        row |= {f"from_{j}": float(dirac.matrix[i, j]) for j in range(len(dirac.columns))}
        row |= {"printed": "  ".join(f"{v:g}" for v in PRINTED[i])}
        rows.append(row)
    columns = (
        Column("gives", "gives"),
        *(Column(f"from_{j}", f"from {name}") for j, name in enumerate(dirac.columns)),
        Column("printed", "row of (22)"),
    )
    return Exhibit(
        key="structure",
        title="Fig. 4 and (22): bond graph and Dirac structure",
        says=_summarise_structure,
        columns=columns,
        rows=rows,
        numbers={
            "equal_to_printed": same,
            "skew": bool(np.array_equal(dirac.matrix, -dirac.matrix.T)),
            "B1_is_an_admittance": is_admittance(network.causality, network.parts, "B1"),
        },
        assumptions=("Order of the elements: stores, dampers, ports, as they were added.",),
        remarks=(),
        charts=[f"<figure>{network.svg()}</figure>", f"<pre>{escape(network.describe())}</pre>"],
    )


def _summarise_table(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    return Findings(
        "Inputs, not results: the table is copied from the paper, and both figures are made with "
        f"it. Relaxation times b_1 / k_2: {numbers['relaxation_simulation_s']:g} and "
        f"{numbers['relaxation_experiment_s']:g} s."
    )


def _summarise_structure(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    same, admits = numbers["equal_to_printed"], numbers["B1_is_an_admittance"]
    return Findings(
        f"The network's own Dirac matrix {'is' if same else 'IS NOT'} the printed (22), element by "
        f"element{'' if numbers['skew'] else ', and it is not skew'}; B1 has "
        + ("admittance causality, as the paper says." if admits else "NO admittance causality.")
    )
