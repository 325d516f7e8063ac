"""The Ethernet file of a KUKA RSI context: the contract of both ends of the wire.

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

from softdock.errors import BadInput, Problem, closest
from softdock.files.plain_xml import Element, read_xml
from softdock.files.reading import LARGEST_FILE, Unreadable, read_bytes

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
CYCLES_MS = {"IPO_FAST": 4.0, "IPO": 12.0}
SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*\Z")
SAFE_ATTRIBUTE = re.compile(r"[A-Za-z0-9_:-]+\Z")  # KUKA's own GPIO channels are named 01, 02, ...
MOST_CHANNELS = 64
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
            allowed += "; corrections of axes need the arm's kinematics, which softdock lacks"
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


def _config(config: Element, notes: _File) -> dict[str, str]:
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


def _names(tag: str, node: Element, notes: _File) -> Iterator[tuple[str, str]]:
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


def _values(section: Element, notes: _File) -> tuple[Value, ...]:
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
        for element, attribute in _names(tag, node, notes):
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
    found = _config(config, notes)
    _check_config(found, config, notes)
    sends, receives = _values(send, notes), _values(receive, notes)
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
