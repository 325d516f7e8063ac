"""XML files from elsewhere, read with nothing that XML could do to a reader.

In: bytes that nobody vouches for. Out: a tree of names, attributes and text, each element with its
line. Refused with file and line before any of it is used: a DOCTYPE (and with it every entity),
processing instructions, and whatever is larger or deeper than `Bounds` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat

from softdock.errors import BadInput, Problem


class Bounds(NamedTuple):
    """Largest size and depth of a file."""

    bytes: int
    deep: int  # elements within each other
    elements: int
    characters: int = 4_000  # of one attribute


SETTINGS = Bounds(256 * 1024, 16, 20_000)  # of a device: they have 2 to 20 kB
ROBOT = Bounds(2_000_000, 24, 20_000)  # a URDF file, visual parts included


@dataclass
class Element:
    """One element: its name, attributes, line in the file, and contents."""

    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        return [c for c in self.children if c.name == name]

    def first(self, name: str) -> Element | None:
        return next((c for c in self.children if c.name == name), None)


class _Reader:
    """Collects elements from the parser's calls."""

    def __init__(self, file: str, bounds: Bounds) -> None:
        self.file, self.bounds, self.count = file, bounds, 0
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = p = expat.ParserCreate()
        p.StartElementHandler, p.EndElementHandler = self.begin, self.end
        p.CharacterDataHandler = self.take
        p.StartDoctypeDeclHandler = p.EntityDeclHandler = self.no_doctype
        p.ProcessingInstructionHandler = self.no_instruction

    def refuse(self, what: str, allowed: str) -> None:
        where = f"{self.file}:{self.parser.CurrentLineNumber}"
        raise BadInput(Problem("XML", what, allowed, where))

    def no_doctype(self, *_: Any) -> None:
        self.refuse("a document type (DOCTYPE)", "elements, attributes and text; no entities")

    def no_instruction(self, target: str, _data: str) -> None:
        self.refuse(f"a processing instruction '{target}'", "elements, attributes and text")

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        bounds = self.bounds
        if len(self.open) >= bounds.deep:
            self.refuse(f"elements {bounds.deep + 1} deep", f"elements at most {bounds.deep} deep")
        if self.count > bounds.elements:
            self.refuse(f"{self.count} elements", f"at most {bounds.elements} elements")
        for key, value in attributes.items():
            if len(value) > bounds.characters:
                what = f"{name}.{key} of {len(value)} characters"
                self.refuse(what, f"at most {bounds.characters} characters")
        element = Element(name, dict(attributes), self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _name: str) -> None:
        element = self.open.pop()
        element.text = element.text.strip()

    def take(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text


def read_xml(data: bytes, file: str, bounds: Bounds = SETTINGS) -> Element:
    """The root element; `file` is its name in refusals."""
    if len(data) > bounds.bytes:
        raise BadInput(Problem("size", len(data), f"at most {bounds.bytes} bytes", file))
    reader = _Reader(file, bounds)
    try:
        reader.parser.Parse(data, True)
    except (LookupError, ValueError) as error:  # an encoding that Python does not know
        where = f"{file}:{reader.parser.CurrentLineNumber}"
        raise BadInput(Problem("XML", str(error), "XML in UTF-8", where)) from None
    except expat.ExpatError as error:
        allowed = f"well-formed XML ({expat.ErrorString(error.code)})"
        raise BadInput(Problem("XML", None, allowed, f"{file}:{error.lineno}")) from None
    assert reader.root is not None  # expat refuses a file without elements
    return reader.root
