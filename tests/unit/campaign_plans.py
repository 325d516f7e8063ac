"""Plans of small campaigns for the unit tests."""

from __future__ import annotations

from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.spec import read_spec

STIFFNESS = "contact.0.real.stiffness_N_per_m"


def plan(**tables):
    return make_plan(read_spec({"scenario": "epos_1d", **tables}))
