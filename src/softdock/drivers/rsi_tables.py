"""From an Ethernet file to what compiled code reads and writes by: tables of names, templates.

A table has one row per value (row 0: the root), a template the literal bytes between the values.
Both number the values alike, so what one end writes from row i the other end reads into row i.
IPOC is the last row and the last element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.core.wire import telegram
from softdock.core.wire.numbers import MOST_DECIMALS
from softdock.core.wire.telegram import BOOL, DOUBLE, IPOC, LONG, NOTHING, STRING
from softdock.drivers.rsi_config import FRAME, EthernetFile, Value
from softdock.errors import BadInput, Problem

KINDS = {"BOOL": BOOL, "STRING": STRING, "LONG": LONG, "DOUBLE": DOUBLE}


@dataclass(frozen=True)
class Telegram:
    """One direction of the wire: how it is read and how it is written."""

    root: str
    rows: dict[tuple[str, str], int]  # (element, attribute) to row
    names: np.ndarray  # uint8
    table: np.ndarray  # int64, (rows, telegram.TABLE_COLUMNS)
    literals: np.ndarray  # uint8
    pieces: np.ndarray  # int64, (pieces, telegram.PIECE_COLUMNS)

    def values(self) -> np.ndarray:
        """Room for the values of one telegram, all zero."""
        return np.zeros(len(self.table))

    def seen(self) -> np.ndarray:
        return np.zeros(len(self.table), dtype=np.int64)

    def frame(self, element: str) -> list[int]:
        """Rows of X, Y, Z, A, B, C of an element; 0 where it has them not."""
        return [self.rows.get((element, axis), 0) for axis in FRAME]


class _Names:
    def __init__(self) -> None:
        self.bytes = b""

    def place(self, name: str) -> tuple[int, int]:
        at = len(self.bytes)
        self.bytes += name.encode("ascii")
        return at, len(name)


def _table(root: str, kind: str, values: tuple[Value, ...], required: set[str]) -> tuple:
    names, rows = _Names(), [[0] * telegram.TABLE_COLUMNS]
    rows[0][: telegram.KIND] = *names.place(root), *names.place(kind)
    for v in (*values, Value("IPOC", "", "LONG", False)):
        row = [0] * telegram.TABLE_COLUMNS
        row[: telegram.KIND] = *names.place(v.element), *names.place(v.attribute)
        is_ipoc = v.element == "IPOC"
        row[telegram.KIND] = IPOC if is_ipoc else KINDS[v.kind]
        row[telegram.REQUIRED] = int(is_ipoc or v.element in required)
        row[telegram.HOLD] = int(v.hold)
        rows.append(row)
    return np.frombuffer(names.bytes, np.uint8).copy(), np.array(rows, dtype=np.int64)


class _Template:
    """Literal bytes and, behind each, a value."""

    def __init__(self) -> None:
        self.literals, self.text = b"", ""
        self.pieces: list[list[int]] = []

    def value(self, kind: int, row: int, decimals: int) -> None:
        literal = self.text.encode("ascii")
        self.pieces.append([len(self.literals), len(literal), kind, row, decimals])
        self.literals += literal
        self.text = ""

    def add(self, value: Value, row: int, decimals: int, text: str) -> None:
        if value.kind == "STRING":
            self.text += text
        else:
            self.value(KINDS[value.kind], row, decimals)


def _template(
    root: str, kind: str, values: tuple[Value, ...], rows: dict, decimals: int, text: str
) -> tuple:
    made = _Template()
    made.text = f'<{root} Type="{kind}">'
    for element in dict.fromkeys(v.element for v in values):
        parts = [v for v in values if v.element == element]
        if parts[0].attribute == "":
            made.text += f"<{element}>"
            made.add(parts[0], rows[element, ""], decimals, text)
            made.text += f"</{element}>"
            continue
        made.text += f"<{element}"
        for v in parts:
            made.text += f' {v.attribute}="'
            made.add(v, rows[element, v.attribute], decimals, text)
            made.text += '"'
        made.text += "/>"
    made.text += "<IPOC>"
    made.value(IPOC, 0, 0)
    made.text = f"</IPOC></{root}>"
    made.value(NOTHING, 0, 0)
    return np.frombuffer(made.literals, np.uint8).copy(), np.array(made.pieces, dtype=np.int64)


def _telegram(
    root: str,
    sends: str,
    wants: str,
    values: tuple[Value, ...],
    required: set[str],
    decimals: int,
    text: str,
) -> Telegram:
    if not 0 <= decimals <= MOST_DECIMALS:
        raise BadInput(Problem("decimals", decimals, f"0 to {MOST_DECIMALS}"))
    rows = {(v.element, v.attribute): i for i, v in enumerate(values, start=1)}
    names, table = _table(root, wants, values, required)
    literals, pieces = _template(root, sends, values, rows, decimals, text)
    made = Telegram(
        root=root, rows=rows, names=names, table=table, literals=literals, pieces=pieces
    )
    longest = len(literals) + 16 * len(pieces)
    if longest > telegram.LONGEST:
        allowed = f"telegrams of at most {telegram.LONGEST} bytes: send fewer elements"
        raise BadInput(Problem(root, f"up to {longest} bytes", allowed))
    return made


def rob_telegram(file: EthernetFile, decimals: int = 6) -> Telegram:
    """Robot to PC. Its Type is not checked: controllers write Type or TYPE, and any value."""
    required = {v.element for v in file.send} & {"RIst"}
    return _telegram("Rob", "KUKA", "", file.send, required, decimals, "")


def sen_telegram(file: EthernetFile, decimals: int = 6, text: str = "softdock") -> Telegram:
    """PC to robot."""
    kind = file.sentype
    return _telegram("Sen", kind, kind, file.receive, {file.correction()}, decimals, text)
