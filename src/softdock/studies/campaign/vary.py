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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.files.schema import OPTIONAL, Parameter, own_key
from softdock.files.tables import Reader
from softdock.studies.campaign.draws import inverse_normal, normal_probability

ATTITUDE = "attitude_wxyz"
MOST_POINTS = 1_000_000  # of one grid or list


@dataclass(frozen=True)
class Vary:
    """What varies. `points`: (n, keys) values of a grid or list; else a distribution that makes one
    column of each uniform number."""

    keys: tuple[str, ...]
    also: tuple[str, ...]  # keys that get the same value as the first
    how: str
    points: np.ndarray  # empty for a distribution
    low: float = 0.0
    high: float = 0.0
    mean: tuple[float, ...] = ()
    factor: tuple[tuple[float, ...], ...] = ()  # of the covariance, lower triangle
    cut: tuple[float, float] = (0.0, 1.0)  # probabilities between which a normal is kept
    turn_about: tuple[float, ...] = ()  # world axis; the values are angles in degrees then
    keep_tip: bool = False
    name: str = ""

    @property
    def dimensions(self) -> int:
        """Uniform numbers it takes."""
        return 0 if self.how in ("grid", "list") else len(self.keys)

    @property
    def is_correlated(self) -> bool:
        return self.how == "normal" and len(self.keys) > 1

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of its columns in the tables."""
        return (self.name,) if self.name else self.keys

    @property
    def label(self) -> str:
        return self.labels[0]

    @property
    def written(self) -> tuple[str, ...]:
        """Every key of the scenario that it sets."""
        return (*self.keys, *self.also)

    def from_uniform(self, u: np.ndarray) -> np.ndarray:
        """Values from uniform numbers, (N, keys) both."""
        if self.how == "uniform":
            return self.low + (self.high - self.low) * u
        if self.how == "log_uniform":
            return np.exp(math.log(self.low) + (math.log(self.high) - math.log(self.low)) * u)
        low, high = self.cut
        drawn = inverse_normal(low + (high - low) * u)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by key
            return np.asarray(np.array(self.mean) + drawn @ np.array(self.factor).T)


def _parse_numbers(value: Any) -> np.ndarray | None:
    """Finite numbers as an array, or None."""
    try:
        array = np.array(value)
    except ValueError:
        return None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(float)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _row_of(size: int, fits: Callable[[np.ndarray], bool]) -> Callable[[Any], bool]:
    """Whether a value is so many numbers, and they fit."""

    def is_row(value: Any) -> bool:
        numbers = _parse_numbers(value)
        return numbers is not None and numbers.shape == (size,) and bool(fits(numbers))

    return is_row


def _is_anything(value: Any) -> bool:
    """What depends on the number of keys is checked together with them."""
    return True


def _optional(
    key: str, meaning: str, allowed: str, fits: Callable[[Any], bool] = _is_anything
) -> Parameter:
    """A key that may be left out."""
    return own_key(key, meaning, allowed, fits, OPTIONAL)


_KEY = "the path of a key; or keys = [...] for several that go together"
_MATRIX = "a symmetric positive definite matrix; or deviation and correlation"
_RISING = "[low, high], low below high"
SOURCES = (
    _optional(
        "grid",
        "evenly spaced values",
        f"[from, to, steps], steps a whole number up to {MOST_POINTS}",
        _row_of(3, lambda n: n[2] == int(n[2]) and 1 <= n[2] <= MOST_POINTS),
    ),
    _optional("list", "these values", "numbers, at least one"),
    _optional("uniform", "drawn evenly", _RISING, _row_of(2, lambda n: n[0] < n[1])),
    _optional(
        "log_uniform",
        "drawn evenly on a logarithmic scale",
        f"{_RISING}, both above 0",
        _row_of(2, lambda n: 0.0 < n[0] < n[1]),
    ),
    _optional(
        "normal",
        "drawn from a normal distribution",
        "[mean, deviation], the deviation above 0",
        _row_of(2, lambda n: n[1] > 0.0),
    ),
    _optional("mean", "of correlated normals, one for each key", "numbers, one for each key"),
)
VARY = (
    *SOURCES,
    _optional("key", "the key that varies", _KEY, lambda value: isinstance(value, str)),
    _optional("keys", "keys that go together", _KEY, lambda v: _is_texts(v) and bool(v)),
    own_key(
        "also",
        "keys that get the same value",
        "a list of keys that get the same value, with a single key",
        _is_texts,
        [],
    ),
    _optional("within", "bounds of a normal", _RISING, _row_of(2, lambda n: n[0] < n[1])),
    _optional("deviation", "of correlated normals", "numbers above 0, one for each key"),
    _optional("covariance", "of correlated normals", _MATRIX),
    _optional("correlation", "of correlated normals", _MATRIX),
    _optional(
        "turn_about",
        "axis about which an attitude turns",
        f"an axis of three numbers, with one key that ends in {ATTITUDE}; its values are then "
        "angles in degrees",
        lambda value: value == [] or _row_of(3, lambda n: 1e-9 < math.hypot(*n) < 1e9)(value),
    ),
    own_key(
        "keep_tip",
        "whether the first tip stays where it is",
        f"true only with chaser.{ATTITUDE}: the first tip stays where it is while the chaser turns "
        "about it",
        lambda value: isinstance(value, bool),
        False,
    ),
    _optional(
        "name", "of its column", "a text, with a single key", lambda value: isinstance(value, str)
    ),
)
BY_KEY = {parameter.key: parameter for parameter in VARY}
# keys that belong to one source alone
WITH_SOURCE = {"normal": ("within",), "mean": ("covariance", "deviation", "correlation")}


class _VaryReader:
    """One [[vary]] while it is read. `own`: its values, each of which is of its kind."""

    def __init__(self, row: Reader) -> None:
        self.row, self.before = row, len(row.problems)
        self.own = row.read(VARY)
        row.done()

    @property
    def is_refused(self) -> bool:
        return len(self.row.problems) > self.before

    def refuse(self, key: str, allowed: str = "") -> None:
        """A value that does not go with the others."""
        self.row.refuse(key, self.row.table.get(key), allowed or BY_KEY[key].allowed)


def read_vary(row: Reader) -> Vary | None:
    """What one table says; None: it is refused."""
    reader = _VaryReader(row)
    own = reader.own
    if row.has("key") == row.has("keys"):
        row.refuse("key", row.table.get("key", row.table.get("keys")), _KEY)
    keys = tuple(own["keys"] or ([own["key"]] if own["key"] is not None else []))
    if own["also"] and len(keys) > 1:
        reader.refuse("also")
    source = _find_source(reader)
    if not keys or reader.is_refused:
        return None
    turn = own["turn_about"] or []
    if bool(turn) != keys[0].endswith(ATTITUDE) or (turn and (len(keys) > 1 or own["also"])):
        row.refuse("turn_about", turn or None, BY_KEY["turn_about"].allowed)
    if own["keep_tip"] and keys[0] != f"chaser.{ATTITUDE}":
        reader.refuse("keep_tip")
    name = own["name"]
    if name is None:
        name = f"{keys[0].rpartition('.')[0]}.turn_deg" if turn else ""
    if name and len(keys) > 1:
        reader.refuse("name")
    values = _read_values(reader, source, len(keys))
    if values is None or reader.is_refused:
        return None
    return Vary(
        keys=keys,
        also=tuple(own["also"]),
        turn_about=tuple(float(x) for x in turn),
        keep_tip=own["keep_tip"],
        name=name,
        **values,
    )


def _find_source(reader: _VaryReader) -> str:
    """Where the values come from: one of SOURCES; with what belongs to another refused."""
    row = reader.row
    sources = [one.key for one in SOURCES if row.has(one.key)]
    if len(sources) != 1:
        allowed = "one of grid, list, uniform, log_uniform, normal (several keys: list, or mean)"
        row.refuse("", ", ".join(sources) or None, allowed)
        return ""
    mine = WITH_SOURCE.get(sources[0], ())
    for key in ("within", "deviation", "covariance", "correlation"):
        is_twice = key == "deviation" and row.has("covariance")
        if row.has(key) and (key not in mine or is_twice):
            whose = "normal" if key == "within" else "correlation" if key == "deviation" else "mean"
            allowed = f"nothing here: {key} belongs to {whose}, and {sources[0]} would not heed it"
            reader.refuse(key, allowed)
    return sources[0]


def _read_values(reader: _VaryReader, source: str, size: int) -> dict[str, Any] | None:
    """Fields of `Vary` that say which values there are, for so many keys; None: refused."""
    if size > 1 and source not in ("list", "mean"):
        allowed = (
            "a single key; several keys go together as a list of rows, or as correlated normals "
            "(mean, covariance)"
        )
        reader.refuse(source, allowed)
        return None
    numbers = _parse_numbers(reader.own[source])
    if source == "list":
        return _read_list(reader, numbers, size)
    none = np.zeros((0, size))
    if source == "mean":
        return _read_correlated(reader, numbers, none, size)
    assert numbers is not None, source
    if source == "grid":
        points = np.linspace(numbers[0], numbers[1], int(numbers[2]))[:, None]
        return {"how": "grid", "points": points}
    if source == "normal":
        return _read_normal(reader, numbers, none)
    return {"how": source, "points": none, "low": float(numbers[0]), "high": float(numbers[1])}


def _read_list(reader: _VaryReader, numbers: np.ndarray | None, size: int) -> dict[str, Any] | None:
    fits = numbers is not None and 0 < len(np.atleast_1d(numbers)) <= MOST_POINTS
    if numbers is None or not fits or numbers.shape[1:] != (() if size == 1 else (size,)):
        reader.refuse("list", "" if size == 1 else f"rows of {size} numbers, one for each key")
        return None
    return {"how": "list", "points": numbers.reshape(-1, size)}


def _read_normal(
    reader: _VaryReader, numbers: np.ndarray, none: np.ndarray
) -> dict[str, Any] | None:
    mean, deviation = float(numbers[0]), float(numbers[1])
    cut = (0.0, 1.0)
    bounds = _parse_numbers(reader.own["within"]) if reader.row.has("within") else None
    if bounds is not None:
        low, high = bounds.tolist()  # infinitely many deviations away is a bound, too
        cut = (
            normal_probability((low - mean) / deviation),
            normal_probability((high - mean) / deviation),
        )
        if cut[1] - cut[0] < 1e-6:
            allowed = "bounds with at least a millionth of the distribution between them"
            reader.refuse("within", allowed)
            return None
    return {
        "how": "normal",
        "points": none,
        "mean": (mean,),
        "factor": ((deviation,),),
        "cut": cut,
    }


def _read_correlated(
    reader: _VaryReader, mean: np.ndarray | None, none: np.ndarray, size: int
) -> dict[str, Any] | None:
    table = reader.row.table
    covariance = _parse_covariance(table, size)
    if mean is None or mean.shape != (size,):
        reader.refuse("mean", f"{size} numbers, one for each key")
    if covariance is None:
        given = table.get("covariance", table.get("correlation"))
        reader.row.refuse("covariance", given, _MATRIX)
    if mean is None or covariance is None or reader.is_refused:
        return None
    factor = np.linalg.cholesky(covariance)
    return {
        "how": "normal",
        "points": none,
        "mean": tuple(mean.tolist()),
        "factor": tuple(map(tuple, factor.tolist())),
    }


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
