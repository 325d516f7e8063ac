"""`[require]` of a campaign file: probabilities that must be shown, and whether they are.

    [require]
    captured = 0.95      # at least this share of all dockings like these captures
    faithful = 0.9       # at least; needs reference = true
    unsafe = 0.01        # at most; needs reference = true
    confidence = 0.95    # with which that is to be shown

A share of draws is an estimate. Its bounds are Clopper and Pearson's, exact for independent draws
and wide for a Latin hypercube, which scatters less. *pass*: the bound itself fulfils the
requirement; *fail*: even the other bound does not; *undecided*: more runs are needed, and how many
is said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from softdock.files.schema import OPTIONAL, own_key
from softdock.files.tables import Reader
from softdock.results.verdict import FAITHFUL, UNSAFE


def _is_between(low: float, value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low < value < 1.0


AT_LEAST, AT_MOST = ("captured", "faithful"), ("unsafe",)
DRAWN = ("random", "latin_hypercube")
REQUIRE = tuple(
    own_key(
        key,
        "probability that must be shown" if low == 0.0 else "with which they are to be shown",
        f"a probability above {low:g} and below 1",
        partial(_is_between, low),
        OPTIONAL,
    )
    for key, low in (*((key, 0.0) for key in (*AT_LEAST, *AT_MOST)), ("confidence", 0.5))
)
CONFIDENCE = 0.95  # of each bound of a share, where no other is required
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
COLOURS = {PASS: "green", FAIL: "red", UNDECIDED: "amber"}
MOST_RUNS = 10_000_000  # that are looked for when it is said how many would do


def read_requirement(
    table: Reader, reference: bool, sampling: str, is_drawn: bool
) -> dict[str, float]:
    """What is required; empty: nothing."""
    values, refuse = table.read(REQUIRE), table.refuse
    table.done()
    required: dict[str, float] = {}
    for key in table.table:  # in the order of the file
        if values.get(key) is None:
            continue
        if key in ("faithful", "unsafe") and not reference:
            refuse(key, values[key], "left out, unless reference = true simulates the reference")
        else:
            required[key] = values[key]
    if table.table and not any(key in required for key in (*AT_LEAST, *AT_MOST)):
        refuse("", dict(table.table), "one of " + ", ".join((*AT_LEAST, *AT_MOST)))
    if table.table and (sampling not in DRAWN or not is_drawn):
        given = sampling if is_drawn else "a grid or a list"
        allowed = (
            f"draws alone, sampling one of {', '.join(DRAWN)}: points of a grid have no probability"
        )
        refuse("", given, allowed)
    return required


def check_requirement(
    wanted: Mapping[str, float], counts: Mapping[str, Any], sampling: str
) -> dict[str, Any] | None:
    """Of one variant; None where nothing is required."""
    if not wanted:
        return None
    confidence = wanted.get("confidence", CONFIDENCE)
    checks = []
    for what, bound in wanted.items():
        if what == "confidence":
            continue
        hits, of = _count_hits(what, counts)
        checks.append(_check_share(what, bound, hits, of, confidence))
    words = [one["word"] for one in checks]
    word = FAIL if FAIL in words else UNDECIDED if UNDECIDED in words else PASS
    sentences = "; ".join(one["sentence"] for one in checks)
    wide = (
        " Bounds are those of independent draws; a Latin hypercube scatters less."
        if sampling != "random"
        else ""
    )
    return {
        "word": word,
        "colour": COLOURS[word],
        "confidence": confidence,
        "checks": checks,
        "sentence": f"Requirement: {word}. {sentences[:1].upper()}{sentences[1:]}.{wide}",
    }


def _count_hits(what: str, counts: Mapping[str, Any]) -> tuple[int, int]:
    if what == "captured":
        return int(counts["captured"]), int(counts["asked"])
    word = FAITHFUL if what == "faithful" else UNSAFE
    return int(counts["verdicts"].get(word, 0)), int(counts["runs"])


def _check_share(what: str, bound: float, hits: int, of: int, confidence: float) -> dict[str, Any]:
    if of == 0:
        sentence = f"{what}: the scenario has no capture (capture.for_s is 0)"
        return {"what": what, "required": bound, "word": FAIL, "sentence": sentence}
    low, high = compute_share_interval(hits, of, confidence)
    least = what in AT_LEAST
    if low >= bound if least else high <= bound:
        word = PASS
    elif high < bound if least else low > bound:
        word = FAIL
    else:
        word = UNDECIDED
    share, side = hits / of, "at least" if least else "at most"
    sentence = (
        f"{what} {100.0 * share:.4g} % of {of} runs ({100.0 * low:.4g} to {100.0 * high:.4g} %, "
        f"each with {100.0 * confidence:g} % confidence), required {side} {100.0 * bound:g} %"
    )
    if word == UNDECIDED:
        more = _compute_runs_needed(share, bound, confidence, least)
        sentence += (
            f"; about {more} runs would decide it" if more else "; no number of runs decides it"
        )
    return {
        "what": what,
        "required": bound,
        "share": share,
        "runs": of,
        "interval": [low, high],
        "word": word,
        "sentence": sentence,
    }


def _compute_runs_needed(share: float, bound: float, confidence: float, least: bool) -> int | None:
    """Runs with which a share like this one would pass or fail, to two digits."""
    n = 10.0
    while n < MOST_RUNS:
        of = round(n)
        hits = round(share * of)
        low, high = compute_share_interval(hits, of, confidence)
        if low >= bound or high < bound if least else high <= bound or low > bound:
            digits = 10 ** max(len(str(of)) - 2, 0)
            return math.ceil(of / digits) * digits
        n *= 1.1
    return None


def compute_share_interval(hits: int, of: int, confidence: float) -> tuple[float, float]:
    """Bounds of a share of draws, each with this confidence."""
    return compute_lower_bound(hits, of, confidence), 1.0 - compute_lower_bound(
        of - hits, of, confidence
    )


def compute_lower_bound(hits: int, of: int, confidence: float) -> float:
    """The least probability with which so many hits are not yet unlikely (Clopper and Pearson,
    1934): P(X >= hits) = 1 - confidence."""
    if hits <= 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if incomplete_beta(hits, of - hits + 1.0, middle) < 1.0 - confidence:
            low = middle
        else:
            high = middle
    return low


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised, by its continued fraction (Lentz): P(X >= a) of a + b - 1 draws of chance x."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0) or tiny)
    fraction = d
    for m in range(1, 20000):
        for top in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 / (1.0 + top * d or tiny)
            c = 1.0 + top / c or tiny
            fraction *= c * d
        if abs(c * d - 1.0) < 1e-14:
            break
    return fraction
