"""One [[vary]] of a campaign file: a key and where its values come from.

grid = [from, to, steps]    list = [...]
                            every combination of all grids and lists is a point
uniform = [low, high]       log_uniform = [low, high]
normal = [mean, deviation]  with within = [low, high] cut off there
keys = [...]                with mean = [...] and covariance = [[...]], or deviation = [...] and
                            correlation = [[...]]: correlated normals;
                            with list = [[...], ...]: keys that change together, one row per
                            point
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.errors import closest
from softdock.studies.campaign.normal_distribution import normal_probability
from softdock.studies.campaign.varied_key import Refuse, Vary

SOURCES = ("grid", "list", "uniform", "log_uniform", "normal", "mean")
KNOWN = (
    *SOURCES,
    "key",
    "keys",
    "also",
    "within",
    "deviation",
    "covariance",
    "correlation",
    "turn_about",
    "keep_tip",
    "name",
)
BESIDE = {
    "normal": ("within",),
    "mean": ("covariance", "deviation", "correlation"),
}  # keys that belong to one source alone
ATTITUDE = "attitude_wxyz"
MOST_POINTS = 1_000_000  # of one grid or list


def read_vary(table: Mapping[str, Any], path: str, refuse: Refuse) -> Vary | None:
    """None: refused, with the reason given to `refuse`."""
    bad: list[str] = []

    def wrong(key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        bad.append(key)
        refuse(f"{path}.{key}" if key else path, value, allowed, suggestion)

    for key in table:
        if key not in KNOWN:
            wrong(str(key), table[key], "one of " + ", ".join(KNOWN), closest(str(key), KNOWN))
    keys = [table["key"]] if "key" in table else table.get("keys")
    if (
        ("key" in table) == ("keys" in table)
        or not isinstance(keys, list)
        or not keys
        or not all(isinstance(k, str) for k in keys)
    ):
        wrong(
            "key",
            table.get("key", table.get("keys")),
            "the path of a key; or keys = [...] for several that go together",
        )
        return None
    also = table.get("also", [])
    if (
        not isinstance(also, list)
        or not all(isinstance(k, str) for k in also)
        or (also and len(keys) > 1)
    ):
        wrong("also", also, "a list of keys that get the same value, with a single key")
    sources = _find_sources(table, wrong)
    if bad:
        return None
    turn = table.get("turn_about", [])
    if turn or keys[0].endswith(ATTITUDE):
        fits = (
            isinstance(turn, list)
            and len(turn) == 3
            and _parse_numbers(turn) is not None
            and 1e-9 < math.hypot(*turn) < 1e9
        )
        if not fits or len(keys) > 1 or also or not keys[0].endswith(ATTITUDE):
            wrong(
                "turn_about",
                turn or None,
                f"an axis of three numbers, with one key that ends in {ATTITUDE}; its values "
                "are then angles in degrees",
            )
    keep_tip = table.get("keep_tip", False)
    if not isinstance(keep_tip, bool) or (keep_tip and keys[0] != f"chaser.{ATTITUDE}"):
        wrong(
            "keep_tip",
            keep_tip,
            f"true only with chaser.{ATTITUDE}: the first tip stays where it is while the "
            "chaser turns about it",
        )
    name = table.get("name", f"{keys[0].rpartition('.')[0]}.turn_deg" if turn else "")
    if not isinstance(name, str) or (name and len(keys) > 1):
        wrong("name", name, "a text, with a single key")
    if bad:
        return None
    shape = {"turn_about": tuple(float(x) for x in turn), "keep_tip": keep_tip, "name": name}
    return _read_source(sources[0], table, tuple(keys), tuple(also), shape, wrong)


def _find_sources(table: Mapping[str, Any], wrong: Refuse) -> list[str]:
    """Where the values come from: one of SOURCES; with what belongs to another refused."""
    sources = [s for s in SOURCES if s in table]
    if len(sources) != 1:
        wrong(
            "",
            ", ".join(sources) or None,
            "one of grid, list, uniform, log_uniform, normal (several keys: list, or mean)",
        )
        return sources
    beside = BESIDE.get(sources[0], ())
    for key in ("within", "deviation", "covariance", "correlation"):
        if key in table and (key not in beside or (key == "deviation" and "covariance" in table)):
            whose = "normal" if key == "within" else "correlation" if key == "deviation" else "mean"
            wrong(
                key,
                table[key],
                f"nothing here: {key} belongs to {whose}, and {sources[0]} would not heed it",
            )
    return sources


def _parse_numbers(value: Any) -> np.ndarray | None:
    """Finite numbers as an array, or None."""
    try:
        array = np.array(value)
    except ValueError:
        return None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(float)


def _read_source(
    source: str,
    table: Mapping[str, Any],
    keys: tuple[str, ...],
    also: tuple[str, ...],
    shape: Mapping[str, Any],
    wrong: Refuse,
) -> Vary | None:
    given, none = table[source], np.zeros((0, len(keys)))
    numbers = _parse_numbers(given)
    if len(keys) > 1 and source not in ("list", "mean"):
        wrong(
            source,
            given,
            "a single key; several keys go together as a list of rows, or as correlated "
            "normals (mean, covariance)",
        )
        return None
    if source == "grid":
        if (
            numbers is None
            or numbers.shape != (3,)
            or numbers[2] != int(numbers[2])
            or not 1 <= numbers[2] <= MOST_POINTS
        ):
            wrong("grid", given, f"[from, to, steps], steps a whole number up to {MOST_POINTS}")
            return None
        return Vary(
            keys,
            also,
            "grid",
            np.linspace(numbers[0], numbers[1], int(numbers[2]))[:, None],
            **shape,
        )
    if source == "list":
        fits = numbers is not None and 0 < len(np.atleast_1d(numbers)) <= MOST_POINTS
        if numbers is not None and fits:
            fits = numbers.shape[1:] == (() if len(keys) == 1 else (len(keys),))
        if not fits:
            wrong(
                "list",
                given,
                "numbers, at least one"
                if len(keys) == 1
                else f"rows of {len(keys)} numbers, one for each key",
            )
            return None
        return Vary(keys, also, "list", np.asarray(numbers).reshape(-1, len(keys)), **shape)
    if source in ("uniform", "log_uniform"):
        lowest = 0.0 if source == "log_uniform" else -math.inf
        if numbers is None or numbers.shape != (2,) or not lowest < numbers[0] < numbers[1]:
            wrong(
                source,
                given,
                "[low, high], low below high"
                + (", both above 0" if source == "log_uniform" else ""),
            )
            return None
        return Vary(
            keys=keys,
            also=also,
            how=source,
            points=none,
            low=float(numbers[0]),
            high=float(numbers[1]),
            **shape,
        )
    return _read_normal(source, table, keys, also, shape, wrong)


def _read_normal(
    source: str,
    table: Mapping[str, Any],
    keys: tuple[str, ...],
    also: tuple[str, ...],
    shape: Mapping[str, Any],
    wrong: Refuse,
) -> Vary | None:
    none = np.zeros((0, len(keys)))
    if source == "normal":
        numbers = _parse_numbers(table["normal"])
        if numbers is None or numbers.shape != (2,) or numbers[1] <= 0.0:
            wrong("normal", table["normal"], "[mean, deviation], the deviation above 0")
            return None
        mean, deviation = float(numbers[0]), float(numbers[1])
        cut = (0.0, 1.0)
        if "within" in table:
            bounds = _parse_numbers(table["within"])
            if bounds is None or bounds.shape != (2,) or not bounds[0] < bounds[1]:
                wrong("within", table["within"], "[low, high], low below high")
                return None
            low, high = bounds.tolist()  # infinitely many deviations away is a bound, too
            cut = (
                normal_probability((low - mean) / deviation),
                normal_probability((high - mean) / deviation),
            )
            if cut[1] - cut[0] < 1e-6:
                allowed = "bounds with at least a millionth of the distribution between them"
                wrong("within", table["within"], allowed)
                return None
        return Vary(
            keys, also, "normal", none, mean=(mean,), factor=((deviation,),), cut=cut, **shape
        )
    mean_row = _parse_numbers(table["mean"])
    covariance = _parse_covariance(table, len(keys))
    if mean_row is None or mean_row.shape != (len(keys),):
        wrong("mean", table["mean"], f"{len(keys)} numbers, one for each key")
        return None
    if covariance is None:
        given = table.get("covariance", table.get("correlation"))
        allowed = "a symmetric positive definite matrix; or deviation and correlation"
        wrong("covariance", given, allowed)
        return None
    factor = np.linalg.cholesky(covariance)
    return Vary(
        keys,
        also,
        "normal",
        none,
        mean=tuple(mean_row.tolist()),
        factor=tuple(map(tuple, factor.tolist())),
        **shape,
    )


def _parse_covariance(table: Mapping[str, Any], size: int) -> np.ndarray | None:
    """Symmetric, positive definite, or None."""
    if ("covariance" in table) == ("correlation" in table):
        return None
    matrix = _parse_numbers(table.get("covariance", table.get("correlation")))
    if "correlation" in table and matrix is not None:
        deviation = _parse_numbers(table.get("deviation"))
        if (
            deviation is None
            or deviation.shape != (size,)
            or not (deviation > 0.0).all()
            or matrix.shape != (size, size)
        ):
            return None
        if not np.allclose(np.diag(matrix), 1.0):
            return None
        with np.errstate(over="ignore", invalid="ignore"):  # beyond all floats: refused below
            matrix = matrix * np.outer(deviation, deviation)
    if (
        matrix is None
        or not np.isfinite(matrix).all()
        or matrix.shape != (size, size)
        or not np.allclose(matrix, matrix.T)
        or np.linalg.eigvalsh(matrix)[0] <= 0.0
    ):
        return None
    return matrix
