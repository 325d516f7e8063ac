"""The contact of the on-orbit reference, where a method's own keys want one and the scenario's
contacts do not: a wanted restitution of 0.7 is judged against an orbit with 0.7, not a lossless
one.

In: the resolved tables, and what a method declares (`Method.wanted`). Out: numbers of the law
`wanted` in the parameter vector, beside which the tables stay as they were written, and what was
done, in words. A restitution becomes damping on the effective mass along the pair's axis, or a
Hunt-Crossley factor at the approach speed, as in the scenario's own words.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.contact.keys import AT, LAW_KEYS
from softdock.loop.contact.laws import HUNT_CROSSLEY, LAWS
from softdock.scenario.schema import pair_base
from softdock.scenario.words import resolve_restitution

SAME = "same_as_real"
NUMBERS = {
    "stiffness_N_per_m": "stiffness",
    "damping_Ns_per_m": "damping",
    "exponent": "exponent",
    "lambda_s_per_m": "factor",
}


def wanted_in_orbit(
    name: str, wanted: Mapping[str, Any], tables: Mapping[str, Any], vector: np.ndarray
) -> tuple[list[str], list[str]]:
    """Put a method's wanted contact into `vector` for every pair that wants none of its own.
    Returns notes, and warnings where a pair does."""
    notes: list[str] = []
    warnings: list[str] = []
    for i, pair in enumerate(tables["contact"]):
        if pair["wanted"]["law"] != SAME:
            warnings.append(
                f"the reference uses contact.{i}.wanted, and not with what {name} wants "
                f"({_words(wanted)})"
            )
            continue
        law = _law(i, wanted, tables)
        if law is None:
            warnings.append(
                f"the reference uses contact.{i}.real: what {name} wants ({_words(wanted)}) is no "
                "law for it"
            )
            continue
        real, to = (pair_base(i) + at for at in (AT.real_law, AT.wanted_law))
        for offset in LAW_KEYS:  # friction and what else the laws share
            vector[to + offset] = vector[real + offset]
        vector[to] = 1.0 + LAWS.index(law["law"])
        for key, field in NUMBERS.items():
            if key in law:
                vector[to + getattr(LAW_KEYS, field)] = law[key]
        notes.append(f"the reference uses the contact that {name} wants: {_words(wanted)}")
    return notes, warnings


def _law(i: int, wanted: Mapping[str, Any], tables: Mapping[str, Any]) -> dict[str, Any] | None:
    """Plain keys of the law; None: its restitution cannot be resolved, or a number differs by
    direction."""
    if any(isinstance(wanted.get(key), str) for key in NUMBERS):
        return None
    real = tables["contact"][i]["real"]
    law = {"law": real["law"], "stiffness_N_per_m": real.get("stiffness_N_per_m", 0.0)}
    law |= {"exponent": real["exponent"]} if "exponent" in real else {}
    law |= dict(wanted)
    if law["law"] == LAWS[HUNT_CROSSLEY] and "exponent" not in law:
        law["exponent"] = 1.0  # a stiffness in N/m
    if "restitution" not in law:
        return law
    changed: dict[str, Any] = copy.deepcopy(dict(tables))
    changed["contact"][i]["wanted"] = law
    refused: list[Any] = []
    resolve_restitution(changed, i, "wanted", lambda *problem: refused.append(problem), [])
    return None if refused else changed["contact"][i]["wanted"]


def _words(wanted: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} = {value}" if isinstance(value, str) else f"{key} = {value:g}"
        for key, value in wanted.items()
    )
