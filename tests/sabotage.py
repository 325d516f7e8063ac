"""Numbers of an exhibit made wrong on purpose: what it says of them must change with them.

A sentence that claims something ("as published", "agree") and goes on claiming it whatever the
numbers are is a fixed text. `fixed_claims` finds such sentences; `unmoved` finds sentences of the
verdict that no sabotage changes at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zlib import crc32

from softdock.papers.frame import Exhibit

CLAIMS = (
    "as published",
    "as printed",
    "as the paper s",
    "confirmed",
    "agree",
    r"met\b",
    "holds",
    "follows",
    "rig passive",
    "costs nothing",
    "stops",
    "is the printed",
    "never",
)
GIVEN = ("published", "independent", "golden", "expected", "design", "bound", "at_least", "at_most")
Change = Callable[[float, str], float]  # a number and its key
SABOTAGES: dict[str, Change] = {
    "other sign": lambda x, key: -x,
    "three times": lambda x, key: 3.0 * x,
    "a third": lambda x, key: x / 3.0,
    "all one": lambda x, key: 1.0,
    "all zero": lambda x, key: 0.0,
    "far off": lambda x, key: 3.0 * x + 7.0,
    "below": lambda x, key: -3.0 * x - 7.0,
    "shaken": lambda x, key: x * (0.5 + crc32(key.encode()) % 97 / 97.0),
}


def sabotaged(value: Any, change: Change, key: str = "") -> Any:
    """Every number changed, every truth turned round; names and what is given stay."""
    if key.startswith(GIVEN):
        return value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return round(change(float(value), key))
    if isinstance(value, float):
        return change(value, key)
    if isinstance(value, dict):
        return {name: sabotaged(item, change, name) for name, item in value.items()}
    if isinstance(value, list):
        return [sabotaged(item, change, f"{key}{i}") for i, item in enumerate(value)]
    return value


def sabotages(exhibit: Exhibit, keys: tuple[str, ...]) -> list[Exhibit]:
    """The exhibit with its numbers changed in each way; `keys` tell rows apart and stay."""
    found = []
    for change in SABOTAGES.values():
        rows = [
            {k: v if k in keys else sabotaged(v, change, k) for k, v in row.items()}
            for row in exhibit.rows
        ]
        found.append(replace(exhibit, rows=rows, numbers=sabotaged(exhibit.numbers, change)))
    return found


def said_of(exhibit: Exhibit) -> list[str]:
    """Verdict and differences that are made of numbers; arithmetic that fails on nonsense says
    nothing."""
    try:
        said = exhibit.says(exhibit.rows, exhibit.numbers)
    except (ArithmeticError, ValueError):
        return []
    return [said.verdict, *said.differences]


def sentences(text: str) -> list[str]:
    return [part.strip() for part in text.replace("; ", ". ").split(". ") if part.strip()]


def claims_in(text: str) -> set[str]:
    """What a text claims: not what it denies; a count is part of its claim."""
    found = set()
    for sentence in sentences(text):
        count = re.search(r"\b\d+ of \d+", sentence)
        for claim in CLAIMS:
            if re.search(rf"(?<!not )(?<!not all )(?<!\w){claim}", sentence.lower()):
                found.add(f"{count.group()} {claim}" if count else claim)
    return found


def fixed_claims(exhibit: Exhibit, keys: tuple[str, ...] = ()) -> list[str]:
    """Texts with a claim that stays under every sabotage."""
    wrong = [said_of(e) for e in sabotages(exhibit, keys)]
    found = []
    for i, text in enumerate(said_of(exhibit)):
        for claim in claims_in(text):
            others = [texts[i] for texts in wrong if i < len(texts)]
            if others and all(claim in claims_in(other) for other in others):
                found.append(f"{exhibit.key}: {claim!r} whatever the numbers: {text}")
    return found


def unmoved(exhibit: Exhibit, keys: tuple[str, ...] = ()) -> list[str]:
    """Texts that no sabotage changes."""
    wrong = [said_of(e) for e in sabotages(exhibit, keys)]
    return [
        f"{exhibit.key}: {text}"
        for i, text in enumerate(said_of(exhibit))
        if all(i >= len(texts) or texts[i] == text for texts in wrong)
    ]
