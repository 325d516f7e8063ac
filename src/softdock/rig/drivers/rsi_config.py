"""The Ethernet file of a KUKA RSI context, the contract of both ends of the wire; and the tables of
telegrams made from it.

In: the XML that lies on the controller (CONFIG, SEND, RECEIVE). Out: `EthernetFile`, with every
value that a telegram carries, in the order of the file. Tags are free names; `DEF_` tags are the
controller's own and are spelt out here. IPOC is always there and never in the file. Refused, with
the reason: entities, an unknown key or type, a tag twice, ONLYSEND, relative corrections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.files.plain_xml import Element, read_xml
from softdock.files.reading import LARGEST_FILE, Unreadable, read_bytes
from softdock.rig.wire import telegram
from softdock.rig.wire.numbers import MOST_DECIMALS
from softdock.rig.wire.telegram import BOOL, DOUBLE, IPOC, LONG, NOTHING, STRING

FRAME = ("X", "Y", "Z", "A", "B", "C")
_AXES, _EXTERNAL = tuple(f"A{i}" for i in range(1, 7)), tuple(f"E{i}" for i in range(1, 7))
# what the controller's own tags carry; () is the element's text
INTERNAL: dict[str, tuple[str, ...]] = {
    "RIst": FRAME,
    "RSol": FRAME,
    "AIPos": _AXES,
    "ASPos": _AXES,
    "EIPos": _EXTERNAL,
    "ESPos": _EXTERNAL,
    "MACur": _AXES,
    "MECur": _EXTERNAL,
    "Delay": ("D",),
    "ELPos": _EXTERNAL,
    "EStr": (),
    "BMode": (),
    "IPOSTAT": (),
    "ComStatus": (),
    **{
        f"Tech.{c}{i}": tuple(f"{c}{i}{j}" for j in range(1, 11)) for c in "CT" for i in range(1, 7)
    },
}
TYPES = ("BOOL", "STRING", "LONG", "DOUBLE")
CYCLES_MS = {"IPO_FAST": 4, "IPO": 12}
MODES = {cycle: mode for mode, cycle in CYCLES_MS.items()}
SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*\Z")
SAFE_ATTRIBUTE = re.compile(r"[A-Za-z0-9_:-]+\Z")  # KUKA's own GPIO channels are named 01, 02, ...
MOST_CHANNELS = 64
CARTESIAN = (
    "corrections of axes (AK, AKorr; AxisCorr) are not sent: softdock commands poses. Put RKorr.X, "
    "RKorr.Y, RKorr.Z, RKorr.A, RKorr.B, RKorr.C into RECEIVE and link them to a PosCorr in the "
    "context; `softdock rig new` writes both files so"
)
RELATIVE = (
    "absolute: a relative correction that is held because a reply was late is applied again in "
    "every cycle, and the robot runs away (0.6 mm a cycle are 60 mm in 100 late packets)"
)


@dataclass(frozen=True)
class Value:
    """One value of a telegram."""

    element: str
    attribute: str  # "": the element's text
    kind: str  # of TYPES
    hold: bool  # HOLDON: what the controller does with it when a reply is late


@dataclass(frozen=True)
class EthernetFile:
    """What both ends agreed on."""

    file: str
    address: str  # IP_NUMBER: of the PC
    port: int
    sentype: str
    send: tuple[Value, ...]  # robot to PC
    receive: tuple[Value, ...]  # PC to robot

    def correction(self) -> str:
        """The name of the element that carries the Cartesian correction."""
        names = [v.element for v in self.receive if v.attribute == "X"]
        full = [
            n for n in names if {v.attribute for v in self.receive if v.element == n} >= {*FRAME}
        ]
        if len(full) == 1:
            return full[0]
        allowed = "one element with X, Y, Z, A, B and C"
        if not full and any(v.attribute == "A1" for v in self.receive):
            allowed += f"; {CARTESIAN}"
        given = ", ".join(sorted({v.element for v in self.receive})) or None
        raise BadInput(Problem("RECEIVE", given, allowed, self.file))


class _File:
    """A file while it is read: all that is wrong with it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def wrong(self, key: str, value: object, allowed: str, node: Element, hint: str = "") -> None:
        where = f"{self.file}:{node.line}"
        self.problems.append(Problem(key, value, allowed, where, suggestion=hint))


def _read_config(config: Element, notes: _File) -> dict[str, str]:
    known = ("IP_NUMBER", "PORT", "SENTYPE", "ONLYSEND", "PROTOCOL")
    for child in config.children:
        if child.name not in known:
            hint = closest(child.name, known)
            notes.wrong("CONFIG", child.name, ", ".join(known), child, hint)
    found = {name: node.text for name in known if (node := config.first(name)) is not None}
    for name in ("IP_NUMBER", "PORT", "SENTYPE"):
        if not found.get(name):
            notes.wrong(f"CONFIG.{name}", None, "a value", config)
    return found


def _check_config(found: dict[str, str], config: Element, notes: _File) -> None:
    address, port, sentype = (found.get(k, "") for k in ("IP_NUMBER", "PORT", "SENTYPE"))
    parts = address.split(".")
    if address and not (len(parts) == 4 and all(_is_whole(p, 0, 255) for p in parts)):
        notes.wrong("CONFIG.IP_NUMBER", address, "an IPv4 address", config)
    if port and not _is_whole(port, 1, 65535):
        notes.wrong("CONFIG.PORT", port, "1 to 65535", config)
    if sentype and not SAFE_NAME.match(sentype):
        notes.wrong("CONFIG.SENTYPE", sentype, "letters, digits and _ . : -", config)
    if found.get("ONLYSEND", "FALSE").upper() != "FALSE":
        allowed = "FALSE: with TRUE the controller takes no reply, and nothing could be moved"
        notes.wrong("CONFIG.ONLYSEND", found["ONLYSEND"], allowed, config)
    if found.get("PROTOCOL", "UDP").upper() != "UDP":
        notes.wrong("CONFIG.PROTOCOL", found["PROTOCOL"], "UDP", config)


def _list_names(tag: str, node: Element, notes: _File) -> Iterator[tuple[str, str]]:
    """Element and attribute of every value that a tag stands for."""
    if tag.startswith("DEF_"):
        own = tag.removeprefix("DEF_")
        if own not in INTERNAL:
            hint = closest(tag, ["DEF_" + k for k in INTERNAL])
            notes.wrong("TAG", tag, "a tag of the controller, or a free name", node, hint)
            return
        yield from ((own.partition(".")[0], attribute) for attribute in INTERNAL[own] or ("",))
        return
    element, dot, attribute = tag.partition(".")
    safe = SAFE_NAME.match(element) and (not dot or SAFE_ATTRIBUTE.match(attribute))
    if not safe or element == "IPOC":
        allowed = "a name, or two with a dot between; IPOC is always there and never stated"
        notes.wrong("TAG", tag, allowed, node)
        return
    yield element, attribute


def _read_values(section: Element, notes: _File) -> tuple[Value, ...]:
    found: dict[tuple[str, str], Value] = {}
    elements = section.first("ELEMENTS")
    for node in elements.children if elements is not None else ():
        a = node.attributes
        extra = [k for k in a if k not in ("TAG", "TYPE", "INDX", "HOLDON", "UNIT")]
        if node.name != "ELEMENT" or extra:
            allowed = "ELEMENT with TAG, TYPE, INDX, HOLDON, UNIT"
            notes.wrong(section.name, extra[0] if extra else node.name, allowed, node)
            continue
        tag, kind, channel = a.get("TAG", ""), a.get("TYPE", "DOUBLE").upper(), a.get("INDX", "")
        if kind not in TYPES:
            notes.wrong(f"{tag}.TYPE", kind, ", ".join(TYPES), node, closest(kind, TYPES))
        internal = channel.upper() == "INTERNAL"
        if not internal and not _is_whole(channel, 1, MOST_CHANNELS):
            notes.wrong(f"{tag}.INDX", channel, f"INTERNAL or 1 to {MOST_CHANNELS}", node)
        if a.get("HOLDON", "1") not in ("0", "1"):
            notes.wrong(f"{tag}.HOLDON", a["HOLDON"], "0 or 1", node)
        for element, attribute in _list_names(tag, node, notes):
            if (element, attribute) in found:
                notes.wrong("TAG", tag, "every tag once", node)
            hold = a.get("HOLDON", "1") == "1"
            found[element, attribute] = Value(element, attribute, kind, hold)
    both = {e for e, a in found if a} & {e for e, a in found if not a}
    for element in sorted(both):
        notes.wrong("TAG", element, "an element with attributes or with text", section)
    return tuple(found.values())


def _is_whole(text: str, low: int, high: int) -> bool:
    """A whole number in these bounds; numbers of thousands of digits are not even looked at."""
    return text.isascii() and text.isdecimal() and len(text) < 10 and low <= int(text) <= high


def read_ethernet_file(path: str | Path, correction: str = "absolute") -> EthernetFile:
    """The Ethernet file at a path, or every reason why it cannot be used."""
    try:
        data = read_bytes(Path(path), LARGEST_FILE)
    except Unreadable as error:
        raise BadInput(Problem("ethernet_xml", str(path), error.allowed)) from None
    return parse_ethernet_file(data, str(path), correction)


def parse_ethernet_file(data: bytes, file: str, correction: str = "absolute") -> EthernetFile:
    """The same from bytes."""
    if correction != "absolute":
        raise BadInput(Problem("correction", correction, RELATIVE, file))
    root, notes = read_xml(data, file), _File(file)
    if root.name != "ROOT":
        raise BadInput(Problem("root element", root.name, "ROOT", f"{file}:{root.line}"))
    sections = {name: root.all(name) for name in ("CONFIG", "SEND", "RECEIVE")}
    for child in root.children:
        if child.name not in sections:
            notes.wrong("ROOT", child.name, ", ".join(sections), child)
    for name, nodes in sections.items():
        if len(nodes) != 1:
            notes.wrong(name, f"{len(nodes)} of them", f"one {name}", root)
    if notes.problems:
        raise BadInput(notes.problems)
    (config,), (send,), (receive,) = sections.values()
    found = _read_config(config, notes)
    _check_config(found, config, notes)
    sends, receives = _read_values(send, notes), _read_values(receive, notes)
    if notes.problems:
        raise BadInput(notes.problems)
    return EthernetFile(
        file=file,
        address=found["IP_NUMBER"],
        port=int(found["PORT"]),
        sentype=found["SENTYPE"],
        send=sends,
        receive=receives,
    )


# From an Ethernet file to what compiled code reads and writes by: tables of names, templates.
#
# A table has one row per value (row 0: the root), a template the literal bytes between the values.
# Both number the values alike, so what one end writes from row i the other end reads into row i.
# IPOC is the last row and the last element.

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


def _make_table(root: str, kind: str, values: tuple[Value, ...], required: set[str]) -> tuple:
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


def _make_template(
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


def _make_telegram(
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
    names, table = _make_table(root, wants, values, required)
    literals, pieces = _make_template(root, sends, values, rows, decimals, text)
    made = Telegram(
        root=root, rows=rows, names=names, table=table, literals=literals, pieces=pieces
    )
    longest = len(literals) + 16 * len(pieces)
    if longest > telegram.LONGEST:
        allowed = f"telegrams of at most {telegram.LONGEST} bytes: send fewer elements"
        raise BadInput(Problem(root, f"up to {longest} bytes", allowed))
    return made


def make_rob_telegram(file: EthernetFile, decimals: int = 6) -> Telegram:
    """Robot to PC. Its Type is not checked: controllers write Type or TYPE, and any value."""
    required = {v.element for v in file.send} & {"RIst"}
    return _make_telegram("Rob", "KUKA", "", file.send, required, decimals, "")


def make_sen_telegram(file: EthernetFile, decimals: int = 6, text: str = "softdock") -> Telegram:
    """PC to robot."""
    kind = file.sentype
    return _make_telegram("Sen", kind, kind, file.receive, {file.correction()}, decimals, text)
