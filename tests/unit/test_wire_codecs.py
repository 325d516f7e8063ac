"""Bytes to numbers and back: decimals, RSI telegrams, RDT records; and that no bytes do harm."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from rig_pieces import ethernet_file

from softdock.compile.jit import entry_point
from softdock.rig.drivers.rsi_config import (
    make_rob_telegram,
    make_sen_telegram,
    parse_ethernet_file,
)
from softdock.rig.wire import entry_points, numbers, rdt, telegram

scan_decimal, write_decimal = entry_point(numbers.scan_decimal), entry_point(numbers.write_decimal)
KUKA_ROB = (  # as in KUKA's own unit tests, KSS 8.6
    b'<Rob Type="KUKA"><RIst X="445.0000" Y="0.0000" Z="790.0000" A="0.0000" B="90.0000" '
    b'C="0.0000"/><AIPos A1="0.0000" A2="-90.0000" A3="90.0000" A4="0.0000" A5="0.0000" '
    b'A6="0.0000"/><EIPos E1="0.0000" E2="0.0000" E3="0.0000" E4="0.0000" E5="0.0000" '
    b'E6="0.0000"/><Delay D="3"/><IPOC>4208163634</IPOC></Rob>'
)
FILE = parse_ethernet_file(ethernet_file(), "chaser.xml")
ROB, SEN = make_rob_telegram(FILE), make_sen_telegram(FILE)


def scan(which, data: bytes, room: int = 0):
    values, seen = which.values(), which.seen()
    array = np.zeros(max(len(data), room, 1), np.uint8)
    array[: len(data)] = np.frombuffer(data, np.uint8)
    status, ipoc = entry_points.scan_telegram(
        array, len(data), which.names, which.table, values, seen
    )
    return telegram.REASONS[status], ipoc, values, seen


def write(which, values, ipoc: int, room: int = telegram.LONGEST):
    out = np.zeros(room, np.uint8)
    size = entry_points.write_telegram(which.literals, which.pieces, values, ipoc, out)
    return out[:size].tobytes() if size >= 0 else None


@pytest.mark.parametrize(
    "text", ["0", "-0.0", "445.0000", "+1.5", ".25", "7.", "1e3", "-2.5E-7", "123645634563", "0.1"]
)
def test_decimals_are_read_as_python_reads_them(text):
    """A decimal of up to 15 digits is the nearest float64, in every form that XML peers use."""
    data = np.frombuffer(text.encode(), np.uint8).copy()
    assert scan_decimal(data, 0, len(data)) == (float(text), len(data), True)


@pytest.mark.parametrize("text", ["", "-", ".", "e5", "nan", "inf", "1e999", "1e", "x1"])
def test_what_is_no_number_is_refused(text):
    """Neither an empty value nor NaN, infinity or an overflow comes through as a number."""
    data = np.frombuffer(text.encode() or b" ", np.uint8).copy()
    value, at, found = scan_decimal(data, 0, len(text))
    assert not found or at < len(text), (value, at)


def test_random_decimals_survive_writing_and_reading():
    """Corrections come back within half a nanometre and every digit is Python's own, or its
    neighbour where the binary value lies on the edge."""
    random, out = np.random.default_rng(1), np.zeros(64, np.uint8)
    for value in random.uniform(-3000.0, 3000.0, 2000):
        size = write_decimal(out, 0, value, 6)
        text = out[:size].tobytes().decode()
        assert abs(float(text) - value) <= 0.5e-6 * (1.0 + 1e-6)
        assert len(text.partition(".")[2]) == 6
        back, at, found = scan_decimal(out, 0, size)
        assert (back, at, found) == (float(text), size, True)
    assert write_decimal(out, 0, -1e-9, 6) == len("0.000000")  # no minus before zero
    assert write_decimal(out, 0, np.nan, 6) == numbers.NO_ROOM
    assert write_decimal(out, 60, 1.0, 6) == numbers.NO_ROOM


def test_a_telegram_of_kukas_own_is_read():
    """Values by their rows, IPOC as a whole number, elements that are not there left out."""
    reason, ipoc, values, seen = scan(ROB, KUKA_ROB)
    assert (reason, ipoc) == ("ok", 4208163634)
    assert values[ROB.frame("RIst")].tolist() == [445.0, 0.0, 790.0, 0.0, 90.0, 0.0]
    assert values[ROB.rows["Delay", "D"]] == 3.0
    assert values[ROB.rows["AIPos", "A2"]] == -90.0
    assert not seen[ROB.frame("RSol")].any()


def test_blanks_quotes_order_and_unknown_elements_are_taken():
    """What other controllers write: blanks, single quotes, an XML declaration, padding zeros."""
    data = (
        b'<?xml version="1.0"?>\n<Rob TYPE="KUKA" >\n <Delay D = \'7\' />\t<Other Q="1 &amp; x">a'
        b'</Other><IPOC> 12 </IPOC>\r\n<RIst C="6" B="5" A="4" Z="3" Y="2" X="1" />\n</Rob>\n\0\0'
    )
    reason, ipoc, values, _ = scan(ROB, data, room=200)
    assert (reason, ipoc) == ("ok", 12)
    assert values[ROB.frame("RIst")].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert values[ROB.rows["Delay", "D"]] == 7.0


BROKEN = {
    b"": "malformed",
    b"<Rob": "malformed",
    b"<Rob></Rob>": "no IPOC",
    b"<Rob/>": "no IPOC",
    b"<Sen><IPOC>1</IPOC></Sen>": "another root element",
    b"<Rob><IPOC>1</IPOC></Rob>": "a value is missing",
    b"<Rob><IPOC>1.5</IPOC></Rob>": "a value that is no number",
    b"<Rob><IPOC>9999999999999999999</IPOC></Rob>": "a value that is no number",
    b"<Rob><IPOC>1</IPOC><IPOC>2</IPOC></Rob>": "a value given twice",
    b'<Rob><RIst X="1" X="2"/><IPOC>1</IPOC></Rob>': "a value given twice",
    b'<Rob><RIst X="nan"/><IPOC>1</IPOC></Rob>': "a value that is no number",
    b'<Rob><RIst X="1/><IPOC>1</IPOC></Rob>': "malformed",
    b"<Rob><a><b>1</b></a><IPOC>1</IPOC></Rob>": "malformed",
    b"<Rob><!-- x --><IPOC>1</IPOC></Rob>": "malformed",
    b"<Rob><IPOC>1</IPOK></Rob>": "malformed",
    b"<Rob><IPOC>1</IPOC></Rob>x": "malformed",
}


@pytest.mark.parametrize("data", BROKEN)
def test_broken_telegrams_are_refused_with_the_reason(data):
    """No half-read telegram counts: each fault has its own status."""
    assert scan(ROB, data)[0] == BROKEN[data]


def test_the_reply_has_exactly_the_templates_bytes():
    """No blank that a strict reader would refuse; SENTYPE, corrections and the echoed IPOC."""
    values = SEN.values()
    values[SEN.frame("RKorr")] = [1.0, -2.5, 1e-6, 0.0, -0.0000001, 179.9999999]
    assert write(SEN, values, 123645634563) == (
        b'<Sen Type="ImFree"><RKorr X="1.000000" Y="-2.500000" Z="0.000001" A="0.000000" '
        b'B="0.000000" C="180.000000"/><IPOC>123645634563</IPOC></Sen>'
    )
    assert write(SEN, values, 1, room=40) is None
    values[SEN.frame("RKorr")[0]] = np.inf
    assert write(SEN, values, 1) is None


def test_sen_must_have_the_stated_type():
    """A controller discards replies of another Type; so does the emulated one."""
    good = write(SEN, SEN.values(), 5)
    assert scan(SEN, good)[0] == "ok"
    assert scan(SEN, good.replace(b"ImFree", b"ImFred"))[0] == "another Type"
    assert scan(SEN, good.replace(b' Type="ImFree"', b""))[0] == "another Type"


def test_what_one_end_writes_the_other_reads():
    """Rows of template and table are the same, for free names, text, digital inputs and Tech."""
    extra = (
        '<ELEMENT TAG="DiL" TYPE="LONG" INDX="1"/><ELEMENT TAG="Digout.o1" TYPE="BOOL" INDX="2"/>'
        '<ELEMENT TAG="DEF_Tech.C1" TYPE="DOUBLE" INDX="INTERNAL"/>'
    )
    more = '<ELEMENT TAG="DEF_EStr" TYPE="STRING" INDX="INTERNAL"/>'
    file = parse_ethernet_file(ethernet_file(extra, more), "x.xml")
    for which in (make_rob_telegram(file), make_sen_telegram(file)):
        values = which.values()
        values[1:-1] = np.round(np.random.default_rng(2).uniform(-100, 100, len(values) - 2), 6)
        for (element, _), row in which.rows.items():
            if element in ("Delay", "DiL", "Digout"):
                values[row] = 1.0
        reason, ipoc, back, _ = scan(which, write(which, values, 99))
        assert (reason, ipoc) == ("ok", 99)
        numbers_rows = [r for (e, _), r in which.rows.items() if e != "EStr"]
        assert back[numbers_rows].tolist() == values[numbers_rows].tolist()


def spoilt(random, good: bytes) -> bytes:
    """One of many ways to spoil a datagram."""
    data = bytearray(good)
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(0, len(data) + 1))
        way = random.integers(0, 4)
        if way == 0:
            data = data[:at]
        elif way == 1:
            data[at:at] = bytes(random.integers(0, 256, int(random.integers(1, 20)), np.uint8))
        elif way == 2 and data:
            data[at % len(data)] = int(random.integers(0, 256))
        else:
            data[at:at] = b'<>/"=& '[int(random.integers(0, 7)) :][:1]
        if not data:
            break
    return bytes(data)


def fuzz(cases: int, seed: int) -> None:
    """Spoilt telegrams and records: a status comes out, values are finite, bytes behind the
    datagram are not looked at (they would make it well-formed)."""
    random = np.random.default_rng(seed)
    values, seen = ROB.values(), ROB.seen()
    record = np.zeros(rdt.RECORD_COLUMNS, np.int64)
    for case in range(cases):
        data = spoilt(random, KUKA_ROB)[: telegram.LONGEST]
        array = np.zeros(len(data) + len(KUKA_ROB), np.uint8)
        array[: len(data)] = np.frombuffer(data, np.uint8)
        array[len(data) :] = np.frombuffer(KUKA_ROB, np.uint8)
        status, ipoc = entry_points.scan_telegram(
            array, len(data), ROB.names, ROB.table, values, seen
        )
        alone, again = entry_points.scan_telegram(
            array[: len(data)], len(data), ROB.names, ROB.table, values, seen
        )
        assert (status, ipoc) == (alone, again), (seed, case, data)
        assert 0 <= status < len(telegram.REASONS), (seed, case, data)
        if status == telegram.OK:
            assert np.isfinite(values[ROB.frame("RIst")]).all(), (seed, case, data)
            assert ipoc >= 0 or b"-" in data, (seed, case, data)
        size = int(random.integers(0, 4 * rdt.RECORD_BYTES))
        count = entry_points.count_records(array, size)
        assert (count > 0) == (size % rdt.RECORD_BYTES == 0 and 0 < size <= len(array))
        for i in range(-1, count + 1):
            assert (entry_points.read_record(array, size, i, record) == rdt.OK) == (0 <= i < count)


def test_fuzzed_datagrams_do_no_harm():
    """Ten thousand spoilt datagrams; a million with SOFTDOCK_PROVE=1, and with bounds checked by
    NUMBA_BOUNDSCHECK=1 in a cache folder of its own."""
    fuzz(1_000_000 if os.environ.get("SOFTDOCK_PROVE") == "1" else 10_000, 1)


def test_records_and_requests_are_what_struct_makes_of_them():
    """Big-endian words, sequences up to 2^32 - 1, negative counts: byte for byte."""
    out, record = np.zeros(36, np.uint8), np.array([7, 2**32 - 1, 0x80020000, -5, 6, 0, 1, 2, -3])
    assert entry_points.write_record(out, 0, record) == 36
    assert out.tobytes() == struct.pack("!IIIiiiiii", *record.tolist())
    back = np.zeros(9, np.int64)
    assert entry_points.read_record(out, 36, 0, back) == rdt.OK
    assert back.tolist() == record.tolist()
    assert entry_points.write_request(out, rdt.BIAS, 0) == 8
    assert out[:8].tobytes() == struct.pack("!HHI", 0x1234, 0x42, 0)
    assert entry_points.read_request(out, 8) == (rdt.OK, rdt.BIAS, 0)
    assert entry_points.read_request(out, 7)[0] == rdt.WRONG_SIZE
    out[0] = 9
    assert entry_points.read_request(out, 8)[0] == rdt.WRONG_MAGIC
    record[3] = 2**31
    assert entry_points.write_record(out, 0, record) == numbers.NO_ROOM


def test_an_ethernet_file_from_an_independent_project_is_read():
    """RSIPI's own Ethernet files, where the package is installed, need no change."""
    package = pytest.importorskip("RSIPI", reason="RSIPI is not installed (group `oracles`)")
    folder = Path(package.__file__).parent / "contexts"
    for name in ("RSI_EthernetConfig_Basic.xml", "RSI_EthernetConfig_Full.xml"):
        file = parse_ethernet_file((folder / name).read_bytes(), name)
        assert file.correction() == "RKorr"
        assert all(make_rob_telegram(file).frame("RIst"))
