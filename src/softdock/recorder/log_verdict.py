"""What can be judged from a log alone, by the bounds of the verdict; what cannot is said.

In: contacts and observed energy of a recording, bounds. Out: a plain dict with the word, its
colour, the sentence with the bounds, one next step, the numbers (None: not in this log) and what
was not judged.

    unsafe      a contact gave the satellites more than `unsafe_energy` beyond the energy it took;
                or, of a raw loop, the observed energy is more than that, of the energy that the
                largest contact took; or a later contact took more than one before by more than
                `unsafe_growth`
    not judged  nothing of that was seen, or the log has not what it takes

A log knows no orbit: nothing that is measured makes a rig faithful or off. No passive contact gives
more than it takes, so that a gain needs no orbit to be judged by. The observed energy is that of
the loop only where the measured wrench moves the satellites and the robots are sent where these
are; a method in between may mean to differ, and then it is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.analysis.judgement import COLOURS, UNSAFE, share

NOT_JUDGED = "not judged"
CYCLES, LITTLE_M = 1.5, 1e-6  # of a cycle's way, and m: a set-point of the next instant
DIFFERS = 0.05  # of the largest force: another wrench than the measured one
COUNTS = 0.1  # of the largest measured force: a smaller touch is not judged
BOUNDS = {"unsafe_energy": 0.05, "unsafe_growth": 0.05}  # where no scenario is attached
ORBITS = ("distance from orbit", "peak force against orbit's")
Contact = Mapping[str, Any]


def judged(
    contacts: Sequence[Contact],
    observed_J: float | None,
    bounds: Mapping[str, float] | None = None,
    source: str = "DIR",
    raw: bool = True,
) -> dict[str, Any]:
    """The judgement. `source`: how a person names the recording on the command line; `raw`: no
    method acts between sensor, satellites and robots."""
    b = {key: float((bounds or BOUNDS)[key]) for key in BOUNDS}
    numbers = _numbers(contacts, observed_J if raw else None)
    over = [
        said
        for key, bound, said in (
            ("gain", "unsafe_energy", "a contact gave back {} more energy than it took"),
            (
                "observed_share",
                "unsafe_energy",
                "the rig gave {} of the energy of its largest contact (observed energy)",
            ),
            ("growth", "unsafe_growth", "a contact took {} more energy than one before"),
        )
        for said in [_said(numbers[key], b[bound], said)]
        if said
    ]
    word = UNSAFE if over else NOT_JUDGED
    return {
        "word": word,
        "colour": COLOURS.get(word, "bright_black"),
        "sentence": _sentence(word, over, numbers, b),
        "next_step": (
            f"Next: `softdock identify {source} --scenario FILE.toml` writes what this log tells "
            "into a scenario; `softdock run FILE.toml` judges it against orbit."
        ),
        "bounds": b,
        "numbers": numbers,
        "not_judged": [*ORBITS, *_absent(numbers, raw)],
    }


def _numbers(contacts: Sequence[Contact], observed_J: float | None) -> dict[str, float | None]:
    largest = max((c["peak_force_measured_N"] for c in contacts), default=0.0)
    clear = [c for c in contacts if c["peak_force_measured_N"] >= COUNTS * largest]
    gave = [c["restitution_energetic"] for c in clear if c["restitution_energetic"] is not None]
    taken = [c["work_taken_J"] for c in clear if c.get("work_taken_J")]
    most = max(taken, default=None)
    growth = None
    if len(taken) > 1 and len(taken) == len(clear):
        gains = [later / min(taken[: i + 1]) - 1.0 for i, later in enumerate(taken[1:], start=0)]
        growth = max(gains)
    return {
        "gain": max(gave) ** 2 - 1.0 if gave else None,
        "observed_share": observed_J / most if most and observed_J is not None else None,
        "growth": growth,
        "contacts_judged": float(len(clear)),
    }


def _said(value: float | None, bound: float, words: str) -> str:
    if value is None or not value > bound:
        return ""
    return f"{words.format(share(value))} (bound {share(bound)})"


def _sentence(
    word: str, over: list[str], n: Mapping[str, float | None], b: Mapping[str, float]
) -> str:
    if over:
        return f"Unsafe: {'; '.join(over)}. How far from orbit it was, a log alone cannot tell."
    if not n["contacts_judged"]:
        return "Not judged: nothing touched in this log."
    known = [n[key] for key in ("gain", "observed_share") if n[key] is not None]
    if not known:
        return (
            "Not judged: this log has not the satellites' motion and the wrenches on them, so that "
            "energy cannot be told."
        )
    return (
        f"Not judged: no contact gave back more than {share(b['unsafe_energy'])} beyond what it "
        "took; how far from orbit it was, a log alone cannot tell."
    )


def is_raw(series: Mapping[str, np.ndarray]) -> bool:
    """Whether the measured wrench moves the satellites and the robots are sent where these are."""
    for body in ("chaser", "target"):
        ours, sent = f"{body}.position", f"command.{body}.position"
        if f"{ours}.x" in series and f"{sent}.x" in series:
            way = np.asarray(series[ours])
            step = float(np.abs(np.diff(way, axis=0)).max(initial=0.0))
            if np.abs(way - np.asarray(series[sent])).max(initial=0.0) > CYCLES * step + LITTLE_M:
                return False
        felt, read = f"satellite.{body}.force", f"measured.{body}.force"
        if f"{felt}.x" in series and f"{read}.x" in series:
            f, m = np.asarray(series[felt]), np.asarray(series[read])
            largest = float(np.abs(m).max(initial=0.0))
            apart = min(np.abs(f - m).max(initial=0.0), np.abs(f[1:] - m[:-1]).max(initial=0.0))
            if apart > DIFFERS * largest:
                return False
    return True


def _absent(n: Mapping[str, float | None], raw: bool) -> list[str]:
    method = "" if raw else " (a method acts between sensor, satellites and robots)"
    named = {
        "gain": "energy given back by a contact",
        "observed_share": f"observed energy{method}",
        "growth": "growth of repeated contacts",
    }
    return [words for key, words in named.items() if n[key] is None]
