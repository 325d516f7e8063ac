"""Two fingerprints in, every difference out: by case and channel, with its size if known."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.fingerprint.digests import size_of_difference
from benchmarks.fingerprint.store import SAME_MACHINE, Fingerprint

FAILED = "failed"  # channel of a case that ended with an error which is no refusal
SHOWN = 12  # channels named of a case that differs


class Verdict(NamedTuple):
    lines: list[str]
    equal: bool


def compare(a: Fingerprint, b: Fingerprint, partial: bool = False) -> Verdict:
    """Equal: B has every case of A, with the same text in every channel. What only B has is named.

    `partial`: a case of A that B has not (yet) is named and is no difference.
    """
    lines = [
        _machine(key, a, b)
        for key in SAME_MACHINE
        if a.header.get(key, True) != b.header.get(key, True)
    ]
    missing, new = sorted(set(a.cases) - set(b.cases)), sorted(set(b.cases) - set(a.cases))
    differing, broken = 0, 0
    for name in (name for name in a.cases if name in b.cases):
        found = differences(a.cases[name], b.cases[name])
        broken += FAILED in b.cases[name] or FAILED in a.cases[name]
        differing += bool(found)
        lines += [f"DIFFERS {name}: {len(found)} channels", *found[:SHOWN]] if found else []
        lines += [f"        and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
        added = sorted(set(b.cases[name]) - set(a.cases[name]))
        lines += [f"new channels in {name}: {', '.join(added[:SHOWN])}"] if added else []
    lines += [f"MISSING {name}" for name in missing] + [f"new case {name}" for name in new]
    lines += [f"{broken} cases ended with an error that is no refusal"] if broken else []
    both = len(a.cases) - len(missing)
    counted = sum(len(a.cases[name]) for name in a.cases if name in b.cases)
    lines.append(
        f"{both - differing} of {both} cases equal ({counted} channels), {differing} differ, "
        f"{len(missing)} missing, {len(new)} new"
    )
    return Verdict(lines, equal=not (differing or broken or (missing and not partial)) and both > 0)


def differences(a: dict[str, str], b: dict[str, str]) -> list[str]:
    """The channels of A that B has not, or not the same."""
    found = []
    for channel, text in a.items():
        if channel not in b:
            found.append(f"        {channel}: missing")
        elif b[channel] != text:
            size = size_of_difference(text, b[channel])
            found.append(f"        {channel}: {size or _short(text, b[channel])}")
    return found


def _short(a: str, b: str) -> str:
    return f"{a[:24]} -> {b[:24]}"


def _machine(key: str, a: Fingerprint, b: Fingerprint) -> str:
    was, now = a.header.get(key), b.header.get(key)
    return f"not the same {key} ({was}, {now}): numbers may differ by rounding"
