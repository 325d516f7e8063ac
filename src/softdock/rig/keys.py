"""A table of a rig file by its dataclass: a field is read as its metadata says (rig_schema.py)."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Mapping
from typing import Any, TypeVar

from softdock.files.strict_tables import Reader
from softdock.rig.schema import LONGEST_TEXT

T = TypeVar("T")
NOTHING: Mapping[str, Any] = {}


def read_table(row: Reader, cls: type[T], instead: Mapping[str, Any] = NOTHING) -> T:
    """One table; `instead`: defaults other than the field's own."""
    values = {}
    for each in dataclasses.fields(cls):  # type: ignore[arg-type]
        values[each.name] = _value(
            row, each.name, each.metadata, instead.get(each.name, each.default)
        )
    row.done()
    return cls(**values)


def _value(row: Reader, key: str, m: Mapping[str, Any], default: Any) -> Any:
    kind = m["kind"]
    if kind in ("number", "maybe"):
        if kind == "maybe" and not row.has(key):
            row.asked.append(key)
            return None
        return row.number(key, default, m["low"], m["high"], m["unit"], m.get("above", False))
    if kind == "whole":
        return _whole(row, key, m, default)
    if kind == "three":
        return row.numbers(key, 3, default, m["unit"], m["most"])
    if kind == "attitude":
        return row.attitude(key, default)
    if kind == "choice":
        return row.choice(key, m["choices"], default)
    if kind == "flag":
        return _flag(row, key, default)
    if kind == "address":
        return _address(row, key, default)
    return row.text(key, default, LONGEST_TEXT)


def _whole(row: Reader, key: str, m: Mapping[str, Any], default: int) -> int:
    value = row.take(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not m["low"] <= value <= m["high"]:
        row.refuse(key, value, f"a whole number, {m['low']} to {m['high']}")
        return default
    return value


def _flag(row: Reader, key: str, default: bool) -> bool:
    value = row.take(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        row.refuse(key, value, "true or false")
        return default
    return value


def _address(row: Reader, key: str, default: str) -> str:
    value = row.take(key)
    if value is None:
        return default
    try:
        found = ipaddress.IPv4Address(value if isinstance(value, str) else "")
    except ValueError:
        found = None
    if found is None or found.is_unspecified or found.is_multicast or str(found).endswith(".255"):
        row.refuse(key, value, "the IPv4 address of one machine, such as 192.168.1.20")
        return default
    return str(found)
