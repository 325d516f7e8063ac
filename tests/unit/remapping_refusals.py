"""Lange's impact with keys of the re-mapping, and what is refused of it."""

from __future__ import annotations

import pytest
from scenarios import lange_impact

from softdock import build
from softdock.errors import BadInput
from softdock.scenario.files import load_scenario


def remapped(preset=None, tables=None, **keys):
    if preset:
        return load_scenario(preset, {"methods": [{"name": "remapping", **keys}], **(tables or {})})
    return build({**lange_impact(), **(tables or {}), "methods": [{"name": "remapping", **keys}]})


def refused(key, *words, **given):
    with pytest.raises(BadInput) as caught:
        remapped(**given)
    problems = [p for p in caught.value.problems if p.key.endswith(key)]
    assert problems, [p.key for p in caught.value.problems]
    for word in words:
        assert word in problems[0].allowed
