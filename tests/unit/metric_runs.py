"""Short runs of every end that the tests of metrics and verdicts share."""

from __future__ import annotations

from scenarios import epos_wall


def no_contact():
    return epos_wall() | {"contact": []}


def pushed(rows):
    tables = epos_wall()
    tables["external"] = {"chaser": {"rows": rows}}
    return tables
