"""XML as plain data, for files that nobody vouches for.

No document type, so no entities and nothing external; no processing instructions; size, depth and
count bounded. Whatever is more than elements and attributes is refused with its line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from softdock.errors import BadInput, Problem

DEEPEST, MOST_ELEMENTS, LONGEST_VALUE = 24, 20_000, 4_000


@dataclass
class Element:
    """One element: its tag, its attributes, what is in it, and its line in the file."""

    tag: str
    values: dict[str, str]
    line: int
    inside: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        return [e for e in self.inside if e.tag == tag]

    def first(self, tag: str) -> Element | None:
        return next(iter(self.all(tag)), None)


class _Refused(Exception):
    def __init__(self, what: str, allowed: str) -> None:
        super().__init__(what)
        self.what, self.allowed = what, allowed


class _Builder:
    """Collects elements from the parser's calls."""

    def __init__(self, parser: Any) -> None:
        self.parser, self.count = parser, 0
        self.stack: list[Element] = []
        self.root: Element | None = None

    def start(self, tag: str, values: dict[str, str]) -> None:
        self.count += 1
        if len(self.stack) >= DEEPEST:
            raise _Refused(f"elements {DEEPEST + 1} deep", f"at most {DEEPEST} deep")
        if self.count > MOST_ELEMENTS:
            raise _Refused(f"{self.count} elements", f"at most {MOST_ELEMENTS}")
        for key, value in values.items():
            if len(value) > LONGEST_VALUE:
                raise _Refused(f"{tag}.{key} of {len(value)} characters", f"<= {LONGEST_VALUE}")
        element = Element(tag, values, self.parser.CurrentLineNumber)
        if self.stack:
            self.stack[-1].inside.append(element)
        else:
            self.root = element
        self.stack.append(element)

    def end(self, tag: str) -> None:
        self.stack.pop()

    def no_doctype(self, *_: Any) -> None:
        raise _Refused("a document type (DOCTYPE)", "elements and attributes only, no entities")

    def no_instruction(self, target: str, data: str) -> None:
        raise _Refused(f"a processing instruction '{target}'", "elements and attributes only")


def parse_plain(data: bytes, name: str) -> Element:
    """The root element of a file. Raises `BadInput` with file and line."""
    parser = expat.ParserCreate()
    builder = _Builder(parser)
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.StartDoctypeDeclHandler = builder.no_doctype
    parser.EntityDeclHandler = builder.no_doctype
    parser.ProcessingInstructionHandler = builder.no_instruction
    try:
        parser.Parse(data, True)
    except _Refused as why:
        where = f"{name}:{parser.CurrentLineNumber}"
        raise BadInput(Problem("XML", why.what, why.allowed, where)) from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        where = f"{name}:{parser.CurrentLineNumber}"
        raise BadInput(Problem("XML", str(error), "a well-formed XML file", where)) from None
    if builder.root is None:
        raise BadInput(Problem("XML", "nothing", "a root element", f"{name}:1"))
    return builder.root
