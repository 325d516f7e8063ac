"""The one reader of XML files from elsewhere: what it gives, and what it refuses."""

from __future__ import annotations

import pytest

from softdock.errors import BadInput
from softdock.files.plain_xml import SETTINGS, Bounds, read_xml

SMALL = Bounds(bytes=400, deep=3, elements=4, characters=10)


def test_a_tree_has_names_attributes_text_and_lines():
    """Protects refusals that name a line, and values that stand between tags."""
    root = read_xml(b'<a x="1">\n <b> 2 </b>\n <b y="3"/>\n</a>', "f.xml")
    assert (root.name, root.attributes, root.line) == ("a", {"x": "1"}, 1)
    assert [(b.text, b.attributes, b.line) for b in root.all("b")] == [
        ("2", {}, 2),
        ("", {"y": "3"}, 3),
    ]
    assert root.first("b") is root.children[0]
    assert root.first("c") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "DOCTYPE"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "DOCTYPE"),
        ("<a><?php run()?></a>", "processing instruction 'php'"),
        ("<a><b><c><d/></c></b></a>", "at most 3 deep"),
        ("<a><b/><b/><b/><b/></a>", "at most 4 elements"),
        (f'<a b="{"x" * 11}"/>', "at most 10 characters"),
        (f"<a>{'x' * 400}</a>", "at most 400 bytes"),
        ("<a><b></a>", r"f\.xml:1: XML: .*well-formed"),
        ("", "well-formed"),
        ('<?xml version="1.0" encoding="no-such-code"?><a/>', "UTF-8|well-formed"),
    ],
)
def test_what_xml_could_do_to_a_reader_is_refused(text, said):
    """Entities, outer files, instructions and trees without end: one message each, no traceback,
    nothing fetched."""
    with pytest.raises(BadInput, match=said):
        read_xml(text.encode(), "f.xml", SMALL)


def test_the_bounds_leave_room_for_what_devices_write():
    """A settings file of 20 kB, the largest that is known, is read."""
    rows = "".join(f'<ELEMENT TAG="A.{i}" TYPE="DOUBLE" INDX="{i}"/>' for i in range(450))
    assert len(rows) > 20_000
    assert len(read_xml(f"<R>{rows}</R>".encode(), "f.xml", SETTINGS).children) == 450
