"""The outcomes of some runs as a table: the run's number, what varied, every declared outcome, and
the user's own behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.studies.campaign.arrow_arrays import numbers
from softdock.studies.campaign.outcome import Made
from softdock.studies.campaign.outcomes import columns_of
from softdock.studies.campaign.variants import Plan


def column_names(plan: Plan) -> list[str]:
    """Of every table of a campaign."""
    names = [outcome.name for outcome in columns_of(plan.spec.reference)]
    return [names[0], *plan.design.labels, *names[1:]]


def outcome_table(made: Made, own: Mapping[str, np.ndarray]) -> Any:
    """Runs of a variant as an Arrow table; `own`: the user's outcomes."""
    import pyarrow as pa

    first, *others = columns_of(made.beside is not None)
    values = made.plan.design.values(made.first, made.first + made.count)
    columns = {first.name: first.column(made)} if first.column else {}
    columns |= {label: numbers(values[:, i]) for i, label in enumerate(made.plan.design.labels)}
    columns |= {outcome.name: outcome.column(made) for outcome in others if outcome.column}
    return pa.table(columns | {name: numbers(x) for name, x in own.items()})
