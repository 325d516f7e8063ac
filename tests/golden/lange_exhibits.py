"""Exhibits of `softdock papers lange`, each made once for all files that read it."""

from __future__ import annotations

import functools
import json

from softdock.papers.lange import PAPER
from softdock.papers.lange.causality import make_causality
from softdock.papers.lange.claims import make_claims
from softdock.papers.lange.figure_6 import make_figure_6
from softdock.papers.lange.figure_7 import make_figure_7
from softdock.papers.lange.offsets import make_offsets
from softdock.papers.lange.sensitivity import make_wrong_stiffness

figure_6, figure_7, causality, wrong_stiffness, offsets, claims = (
    functools.cache(f)
    for f in (
        make_figure_6,
        make_figure_7,
        make_causality,
        make_wrong_stiffness,
        make_offsets,
        make_claims,
    )
)


def rows_of(exhibit, *keys):
    return {
        tuple(row[key] for key in keys) if len(keys) > 1 else row[keys[0]]: row
        for row in exhibit.rows
    }


def fits_the_frame(exhibit):
    assert PAPER.makers[exhibit.key]
    for row in exhibit.rows:
        assert {c.key for c in exhibit.columns} <= set(row)
    json.dumps(exhibit.to_dict(), allow_nan=False)
