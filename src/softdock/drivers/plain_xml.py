"""Small XML files from elsewhere, read with nothing that XML could do to a reader.

In: bytes. Out: a tree of names, attributes and text. Refused before any of it is used: a DOCTYPE
(and with it every entity), processing instructions, files above a size, trees above a depth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from softdock.errors import BadInput, Problem

LARGEST = 256 * 1024  # bytes; Ethernet files have 2 to 20 kB
DEEPEST = 16


@dataclass
class Node:
    """One element."""

    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def all(self, name: str) -> list[Node]:
        return [c for c in self.children if c.name == name]

    def first(self, name: str) -> Node | None:
        return next((c for c in self.children if c.name == name), None)


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.open: list[Node] = []
        self.parser = expat.ParserCreate()
        p = self.parser
        p.StartElementHandler, p.EndElementHandler = self.begin, self.end
        p.CharacterDataHandler = self.take
        p.StartDoctypeDeclHandler = lambda *_: self.refuse("a DOCTYPE", "no DOCTYPE, no entities")
        p.EntityDeclHandler = lambda *_: self.refuse("an entity", "no entities")
        p.ProcessingInstructionHandler = lambda *_: self.refuse(
            "a processing instruction", "elements, attributes and text"
        )

    def refuse(self, what: str, allowed: str) -> None:
        where = f"{self.file}:{self.parser.CurrentLineNumber}"
        raise BadInput(Problem("XML", what, allowed, where))

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        node = Node(name, dict(attributes), self.parser.CurrentLineNumber)
        if len(self.open) >= DEEPEST:
            self.refuse(f"<{name}>", f"elements at most {DEEPEST} deep")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, _name: str) -> None:
        node = self.open.pop()
        node.text = node.text.strip()

    def take(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text


def read_xml(data: bytes, file: str) -> Node:
    """The tree of a small XML file; `file` is its name in refusals."""
    if len(data) > LARGEST:
        raise BadInput(Problem("size", len(data), f"at most {LARGEST} bytes", file))
    reader = _Reader(file)
    try:
        reader.parser.Parse(data, True)
    except LookupError as error:  # an encoding that Python does not know
        raise BadInput(Problem("XML", str(error), "XML in UTF-8", f"{file}:1")) from None
    except expat.ExpatError as error:
        allowed = f"well-formed XML ({expat.ErrorString(error.code)})"
        raise BadInput(Problem("XML", None, allowed, f"{file}:{error.lineno}")) from None
    assert reader.root is not None  # expat refuses a file without elements
    return reader.root
