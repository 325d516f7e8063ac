"""The Ethernet file of an RSI context: free names, HOLDON, and what is refused and why."""

from __future__ import annotations

import pytest
from rig_pieces import ethernet_file

from softdock.errors import BadInput
from softdock.rig.drivers.rsi_config import make_sen_telegram, parse_ethernet_file

GOOD = ethernet_file().decode()


def read(text: str, **options):
    return parse_ethernet_file(text.encode(), "chaser.xml", **options)


def test_names_hold_and_own_tags_are_read():
    """Address, port, SENTYPE, HOLDON and every value of the controller's own tags, in order."""
    file = read(ethernet_file(hold=0).decode().replace("RKorr", "Move"))
    assert (file.address, file.port, file.sentype) == ("127.0.0.1", 59152, "ImFree")
    assert file.correction() == "Move"
    assert not any(v.hold for v in file.receive)
    assert [v.attribute for v in file.send[:6]] == ["X", "Y", "Z", "A", "B", "C"]
    assert make_sen_telegram(file).frame("Move") == [1, 2, 3, 4, 5, 6]


REFUSED = {
    "entities": ('<!DOCTYPE a [<!ENTITY b "c">]>' + GOOD, "DOCTYPE"),
    "an outer file": ('<!DOCTYPE ROOT SYSTEM "file:///etc/passwd">' + GOOD, "DOCTYPE"),
    "cut": (GOOD[:-20], "well-formed"),
    "another root": ("<A/>", "ROOT"),
    "no RECEIVE": (GOOD[: GOOD.index("<RECEIVE>")] + "</ROOT>", "one RECEIVE"),
    "onlysend": (GOOD.replace("FALSE", "TRUE"), "takes no reply"),
    "an address": (GOOD.replace("127.0.0.1", "127.0.0.300"), "IPv4"),
    "a port": (GOOD.replace("59152", "99152"), "65535"),
    "a sentype": (GOOD.replace("ImFree", 'a" b'), "SENTYPE"),
    "no sentype": (GOOD.replace("<SENTYPE>ImFree</SENTYPE>", ""), "SENTYPE"),
    "a type": (GOOD.replace('"LONG"', '"LNG"'), "did you mean 'LONG'"),
    "a channel": (GOOD.replace('INDX="3"', 'INDX="65"'), "1 to 64"),
    "a tag twice": (GOOD.replace("RKorr.Y", "RKorr.X"), "every tag once"),
    "a tag of its own": (GOOD.replace("DEF_RSol", "DEF_RSoll"), "did you mean 'DEF_RSol'"),
    "IPOC stated": (GOOD.replace("RKorr.Y", "IPOC"), "never stated"),
    "hold": (GOOD.replace('HOLDON="1"', 'HOLDON="2"', 1), "0 or 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_files_are_refused_with_what_is_allowed(case):
    """Nothing is guessed: file, line, key, value and what would be right."""
    text, told = REFUSED[case]
    with pytest.raises(BadInput) as refused:
        read(text)
    assert told in str(refused.value)
    assert "chaser.xml" in str(refused.value)


def test_relative_corrections_are_refused_with_the_reason():
    """A held increment is applied again and again."""
    with pytest.raises(BadInput, match="runs away"):
        read(GOOD, correction="relative")


def test_corrections_of_axes_are_refused():
    """softdock commands poses; the refusal says what to put in their place."""
    axes = GOOD
    for i, a in enumerate("XYZABC", start=1):
        axes = axes.replace(f"RKorr.{a}", f"AK.A{i}")
    with pytest.raises(BadInput, match=r"Put RKorr\.X"):
        read(axes).correction()


def test_a_huge_file_is_refused_before_it_is_parsed():
    """A size limit, whatever is inside."""
    with pytest.raises(BadInput, match="bytes"):
        read(GOOD + " " * 300_000)
