"""Who takes part: methods, chains of methods, and variants of one method with some of its keys set,
as for an ablation.

    energy_ledger                                  a method, its keys as they are advised or default
    force_lead+energy_ledger                       a chain, in this order
    clamped=energy_ledger:form=clamp;loan=0.0      a variant, called `clamped` in tables and files
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.methods.registry import METHODS
from softdock.scenario.candidates import ALL, JOIN, OF_A_FILE, refuse_unknown
from softdock.scenario.files import parse_changes

VARIANT = "--variant"
LONGEST_LABEL = 60  # characters


@dataclass(frozen=True)
class Entry:
    """One row of the leaderboard."""

    label: str
    methods: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)  # keys of its one method

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "methods": list(self.methods),
            "settings": self.settings,
            "summary": ", then ".join(METHODS[name].summary for name in self.methods),
            "knows": "; ".join(dict.fromkeys(METHODS[name].knows for name in self.methods)),
        }


def parse_entry(row: dict[str, Any]) -> Entry:
    return Entry(row["label"], tuple(row["methods"]), dict(row["settings"]))


def list_entries(
    methods: str = ALL, variants: Sequence[str] = (), mine: Sequence[str] = ()
) -> list[Entry]:
    """All that was asked for, each label once. `mine`: methods of the user's own files, which are
    in whatever was asked for."""
    names = [name for name in METHODS if not METHODS[name].is_plug_in]
    asked = names if methods == ALL else [part.strip() for part in methods.split(",")]
    asked = list(dict.fromkeys([*asked, *mine]))
    chains = [tuple(part.strip() for part in chain.split(JOIN)) for chain in asked]
    refuse_unknown("--methods", [name for chain in chains for name in chain], names, OF_A_FILE)
    for chain in chains:
        if len(set(chain)) < len(chain):
            raise BadInput(Problem("--methods", JOIN.join(chain), "each method once in a chain"))
    found = [Entry(JOIN.join(chain), chain) for chain in chains]
    found += [_parse_variant(text, names) for text in variants]
    labels = [entry.label for entry in found]
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput(Problem(VARIANT, label, "a label that no method or variant has"))
    return found


def _parse_variant(text: str, names: Sequence[str]) -> Entry:
    label, equals, rest = text.partition("=")
    name, colon, settings = rest.partition(":")
    label, name = label.strip(), name.strip()
    if not (equals and colon and label and settings.strip()) or len(label) > LONGEST_LABEL:
        raise BadInput(Problem(VARIANT, text, "LABEL=METHOD:KEY=VALUE[;KEY=VALUE]"))
    if not all(c.isalnum() or c in "_-+." for c in label):
        raise BadInput(Problem(VARIANT, label, "a label of letters, digits and _ - + ."))
    refuse_unknown(VARIANT, [name], names)
    return Entry(label, (name,), parse_changes(settings.split(";")))
