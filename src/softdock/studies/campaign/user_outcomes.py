"""Outcomes of a user's own: functions of a run's outcome row, its contact log and what varied,
compiled by Numba and called for every run, whichever machine ran it.

    # my_outcomes.py
    from softdock.studies.campaign.user_outcomes import LOG, OUTCOME

    def hardest_pair(outcome, log):
        '''The pair of the hardest contact.'''
        best = 0
        for i in range(log.shape[0]):
            if log[i, LOG.peak_force_real_N] > log[best, LOG.peak_force_real_N]:
                best = i
        return log[best, LOG.pair]

    def energy_per_mass(outcome, log, varied):
        return outcome[OUTCOME.energy_added_J] / varied[0]

Every function of two or three arguments that the file defines is an outcome; those whose names
begin with _ are helpers, compiled likewise. `OUTCOME` and `LOG` say where each number stands
(loop/entry_points.py, loop/contact/log.py; the first contacts are logged); what varies stands in
the order of the campaign file, in its units. An index beyond their ends is an error,
never a number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from softdock.errors import BadInput, CampaignStopped, Problem
from softdock.files.reading import Unreadable, read_text
from softdock.loop import entry_points
from softdock.loop.contact import log as contact_log
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOME_COLUMNS, OUTCOMES
from softdock.studies.campaign.batch import Batch

OWN_CONTACTS = 4  # rows of the contact log that these functions see
MANY = 9.0  # contacts, more than that

# where each number stands in a row, by its name
OUTCOME: Any = entry_points.OUTCOME.at
LOG: Any = contact_log.LOG.at

Own = dict[str, Callable[..., Any]]


def load_own(file: Path, varied: int) -> Own:
    """The functions of a file, compiled. THIS RUNS THE FILE. `varied`: how many numbers vary."""
    scope: dict[str, Any] = {"__name__": "softdock_own_outcomes", "__file__": str(file)}
    try:
        exec(compile(read_text(file, what="Python file"), str(file), "exec"), scope)
    except Unreadable as error:
        raise BadInput(Problem("outcome_file", str(file), error.allowed)) from None
    except (Exception, SystemExit) as error:
        raise BadInput(
            Problem(
                "outcome_file", str(file), f"Python that runs ({type(error).__name__}: {error})"
            )
        ) from None
    written = {
        name: f
        for name, f in scope.items()
        if inspect.isfunction(f) and f.__module__ == "softdock_own_outcomes"
    }
    functions = {name: f for name, f in written.items() if not name.startswith("_")}
    if not functions or any(
        len(inspect.signature(f).parameters) not in (2, 3) for f in functions.values()
    ):
        allowed = (
            "functions of two arguments, outcome and log, or three, with what varied; names of "
            "helpers begin with _"
        )
        raise BadInput(Problem("outcome_file", str(file), allowed))
    scope.update(
        {name: _compile_function(f) for name, f in written.items() if name not in functions}
    )
    made = {name: _make_loop(f) for name, f in functions.items()}
    tried = np.zeros((2, OUTCOMES))  # a run without a contact, and one with more than its log holds
    tried[1, OUTCOME_COLUMNS.index("contacts")] = MANY
    for name, loop in made.items():  # compiles, and fails here rather than after the first shard
        try:
            loop(
                tried,
                np.zeros((2, OWN_CONTACTS, len(LOG_COLUMNS))),
                np.zeros((2, varied)),
                np.zeros(2),
            )
        except IndexError as error:
            allowed = (
                f"indices that are there: outcome[{OUTCOMES}], log[{OWN_CONTACTS}, "
                f"{len(LOG_COLUMNS)}], varied[{varied}] ({error})"
            )
            raise BadInput(Problem(f"outcome_file {name}", str(file), allowed)) from None
        except (Exception, SystemExit) as error:
            raise BadInput(
                Problem(
                    f"outcome_file {name}",
                    str(file),
                    "a function that Numba compiles to a number "
                    f"({(str(error) or type(error).__name__).splitlines()[0]})",
                )
            ) from None
    return made


def _compile_function(function: Callable[..., Any]) -> Callable[..., Any]:
    compiled: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", boundscheck=True)(
        function
    )
    return compiled


def _make_loop(function: Callable[..., Any]) -> Callable[..., Any]:
    one = _compile_function(function)

    @numba.njit(nogil=True, error_model="numpy")
    def each(outcomes, logs, varied, result):
        for i in range(outcomes.shape[0]):
            result[i] = one(outcomes[i], logs[i])

    @numba.njit(nogil=True, error_model="numpy")
    def each_with_varied(outcomes, logs, varied, result):
        for i in range(outcomes.shape[0]):
            result[i] = one(outcomes[i], logs[i], varied[i])

    return each if len(inspect.signature(function).parameters) == 2 else each_with_varied


def apply_own(own: Own, batch: Batch, varied: np.ndarray) -> dict[str, np.ndarray]:
    """A column each. `varied`: one row per run. Each function is handed copies: what it writes into
    them changes no official column."""
    columns = {name: np.zeros(len(batch)) for name in own}
    for name, loop in own.items():
        try:
            loop(batch.outcomes.copy(), batch.logs.copy(), np.array(varied, float), columns[name])
        except (
            Exception,
            SystemExit,
        ) as error:  # the user's code, on numbers that the trial did not have
            raise CampaignStopped(
                f"outcome_file: {name} failed: {type(error).__name__}: {error}; correct it and "
                "begin in a new folder"
            ) from None
    return columns
