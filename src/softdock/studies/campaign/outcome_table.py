"""The outcomes of some runs as a table: the run's number, what varied, every declared outcome, and
the user's own behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.studies.campaign.arrow_arrays import make_number_column
from softdock.studies.campaign.outcome import ShardResult
from softdock.studies.campaign.outcomes import list_columns
from softdock.studies.campaign.variants import Plan


def list_column_names(plan: Plan) -> list[str]:
    """Of every table of a campaign."""
    names = [outcome.name for outcome in list_columns(plan.spec.reference)]
    return [names[0], *plan.design.labels, *names[1:]]


def make_outcome_table(made: ShardResult, own: Mapping[str, np.ndarray]) -> Any:
    """Runs of a variant as an Arrow table; `own`: the user's outcomes."""
    import pyarrow as pa

    first, *others = list_columns(made.beside is not None)
    values = made.plan.design.values(made.first, made.first + made.count)
    columns = {first.name: first.column(made)} if first.column else {}
    columns |= {
        label: make_number_column(values[:, i]) for i, label in enumerate(made.plan.design.labels)
    }
    columns |= {outcome.name: outcome.column(made) for outcome in others if outcome.column}
    return pa.table(columns | {name: make_number_column(x) for name, x in own.items()})
