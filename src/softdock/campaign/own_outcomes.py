"""Outcomes of a user's own: functions of a run's outcome row and contact log, compiled by Numba and called for every run, whichever machine ran it.

    # my_outcomes.py
    def hardest_pair(outcome, log):
        '''The pair of the hardest contact.'''
        best = 0
        for i in range(log.shape[0]):
            if log[i, 4] > log[best, 4]:
                best = i
        return log[best, 7]

Every function of two arguments that the file defines is an outcome. Columns: `doors.OUTCOME_COLUMNS`, `contact_log.LOG_COLUMNS` (the first contacts).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from softdock.campaign.batch import Batch
from softdock.errors import BadInput, Problem

Own = dict[str, Callable[..., Any]]


def load_own(file: Path) -> Own:
    """The functions of a file, compiled. THIS RUNS THE FILE."""
    scope: dict[str, Any] = {"__name__": "softdock_own_outcomes", "__file__": str(file)}
    try:
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    except OSError as error:
        raise BadInput(Problem("outcome_file", str(file), f"a file that can be read ({error.strerror})")) from None
    except Exception as error:
        raise BadInput(Problem("outcome_file", str(file), f"Python that runs ({type(error).__name__}: {error})")) from None
    found = {name: f for name, f in scope.items() if inspect.isfunction(f) and f.__module__ == "softdock_own_outcomes" and not name.startswith("_")}
    if not found or any(len(inspect.signature(f).parameters) != 2 for f in found.values()):
        raise BadInput(Problem("outcome_file", str(file), "functions of two arguments, outcome and log; names of helpers begin with _"))
    made = {name: _looped(f) for name, f in found.items()}
    from softdock.contact_log import LOG_COLUMNS
    from softdock.doors import OUTCOMES

    for name, loop in made.items():  # compiles, and fails here rather than after the first shard
        try:
            loop(np.zeros((1, OUTCOMES)), np.zeros((1, 4, len(LOG_COLUMNS))), np.zeros(1))
        except Exception as error:
            raise BadInput(Problem(f"outcome_file {name}", str(file), f"a function that Numba compiles to a number ({str(error).splitlines()[0]})")) from None
    return made


def _looped(function: Callable[..., Any]) -> Callable[..., Any]:
    one = numba.njit(nogil=True)(function)

    @numba.njit(nogil=True)
    def each(outcomes, logs, result):
        for i in range(outcomes.shape[0]):
            result[i] = one(outcomes[i], logs[i])

    return each


def apply_own(own: Own, batch: Batch) -> dict[str, np.ndarray]:
    found = {name: np.zeros(len(batch)) for name in own}
    for name, loop in own.items():
        loop(batch.outcomes, batch.logs, found[name])
    return found
