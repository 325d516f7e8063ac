"""What `build` refuses of tables, for the tests of scenarios."""

from __future__ import annotations

import copy

import pytest
from scenarios import epos_wall

from softdock import BadInput, run_loop
from softdock.scenario.keys import set_key


def refused(tables):
    """Problems of tables that are refused before the clock starts: by `build`, or (a start deep in
    contact) by the start itself."""
    with pytest.raises(BadInput) as caught:
        run_loop(tables)
    return caught.value.problems


def only(tables):
    problems = refused(tables)
    assert len(problems) == 1, [str(p) for p in problems]
    return problems[0]


def with_key(path, value, tables=None):
    tables = copy.deepcopy(tables or epos_wall())
    set_key(tables, path, value)
    return tables
