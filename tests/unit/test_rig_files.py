"""Generated controller files fit each other; the sensor's page is read, bounded and checked."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from softdock.errors import BadInput
from softdock.rig.drivers.emulated_sensor import SensorPage, SensorSettings, write_page
from softdock.rig.drivers.net_ft_page import check_scale, fetch_calibration, read_page
from softdock.rig.drivers.rsi_config import parse_ethernet_file, read_ethernet_file
from softdock.rig.drivers.rsi_templates import (
    RobotFiles,
    read_context,
    write_context_xml,
    write_ethernet_xml,
    write_files,
)

CHASER = RobotFiles(
    name="chaser", address="192.168.7.1", port=59152, lower_mm=(-50.0, -20.0, -30.0)
)


def test_the_three_files_of_a_robot_belong_together(tmp_path):
    """Channels of the Ethernet file are the context's links; limits and Timeout are the stated
    ones; KRL names the same context; lines are what a controller reads."""
    written = write_files(CHASER, tmp_path)
    assert [p.name for p in written] == ["chaser.xml", "chaser.rsi.xml", "chaser.src"]
    file = read_ethernet_file(tmp_path / "chaser.xml")
    assert (file.address, file.port, file.correction()) == ("192.168.7.1", 59152, "RKorr")
    assert all(v.hold for v in file.receive)
    limits = read_context((tmp_path / "chaser.rsi.xml").read_bytes(), "chaser.rsi.xml")
    assert limits.lower_mm == (-50.0, -20.0, -30.0)
    assert limits.timeout_packets == 50
    assert limits.monitor_mm > (200.0**2 * 3) ** 0.5
    program = (tmp_path / "chaser.src").read_bytes()
    assert b'RSI_CREATE("chaser.rsi", id, TRUE)\r\n' in program
    assert b"RSI_ON(#ABSOLUTE, #IPO_FAST)" in program
    with pytest.raises(BadInput, match="a new file"):
        write_files(CHASER, tmp_path)


def test_the_program_takes_its_start_pose_in_its_own_base_and_tool(tmp_path):
    """$POS_ACT is a pose of the tool in the base: read before both are set it would be another
    one. Every KRL program that moves has the INI fold with $STOPMESS; every file says for which
    KSS and RSI it is."""
    files = [p.read_text() for p in write_files(CHASER, tmp_path)]
    _, context, program = files
    order = [
        "INTERRUPT ON 3",
        "BAS (#INITMOV",
        "BAS(#BASE",
        "BAS(#TOOL",
        "$POS_ACT\n",
        "PTP XSTART",
    ]
    code = "\n".join(line.partition(";")[0].rstrip() for line in program.splitlines())
    places = [code.index(word) for word in order]
    assert places == sorted(places)
    assert code.count("$POS_ACT") == 1
    assert "INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )" in code
    assert program.count(";FOLD") == program.count(";ENDFOLD") == 3
    for text in files:
        assert "KSS 8.2 to 8.5 with RSI 3.x or 4.0" in text
    for step in (
        "in RSIVisual",
        f"5. ETHERNET: ConfigFile = chaser.xml, Timeout = {CHASER.timeout_packets}",
        "link Out6 of ETHERNET to CorrC of POSCORR",
        "link Out7 of ETHERNET to In1 of STOP",
        "link Out1 of DIGIN to In1 of ETHERNET",
    ):
        assert step in context


def test_no_file_of_a_controller_names_loopback(tmp_path):
    """A controller that sends to 127.0.0.1 sends to itself."""
    with pytest.raises(BadInput, match="the controller would send to itself"):
        write_files(replace(CHASER, address="127.0.0.1"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_corrections_of_axes_are_refused_with_the_remedy():
    """In the Ethernet file and in the context."""
    ethernet = write_ethernet_xml(CHASER)
    for i, axis in enumerate("XYZABC", 1):
        ethernet = ethernet.replace(f"RKorr.{axis}", f"AK.A{i}")
    with pytest.raises(BadInput, match=r"Put RKorr\.X, RKorr\.Y"):
        parse_ethernet_file(ethernet.encode(), "axes.xml").correction()
    context = write_context_xml(CHASER).replace('ObjType="POSCORR"', 'ObjType="AXISCORR"')
    with pytest.raises(BadInput, match=r"axes\.rsi\.xml:\d+: ObjType: given 'AXISCORR'.*PosCorr"):
        read_context(context.encode(), "axes.rsi.xml")


@pytest.mark.parametrize(
    "changes",
    [{"name": "2x"}, {"mode": "FAST"}, {"element": "a.b"}, {"upper_mm": (0.0, 1.0, 1.0)}],
)
def test_impossible_descriptions_are_refused(changes):
    """Nothing is written that a controller would not load, or that would clamp at once."""
    with pytest.raises(BadInput):
        RobotFiles(**{"name": "chaser", "address": "127.0.0.1", "port": 1, **changes})


def test_limits_of_an_independent_projects_context_are_read():
    """RSIPI's contexts, where the package is installed."""
    package = pytest.importorskip("RSIPI", reason="RSIPI is not installed (group `oracles`)")
    path = Path(package.__file__).parent / "contexts" / "RSIPI_Basic.rsi.xml"
    limits = read_context(path.read_bytes(), path.name)
    assert (limits.upper_mm, limits.max_turn_deg) == ((50.0, 50.0, 50.0), 45.0)
    assert limits.timeout_packets == 100


def test_the_emulated_page_is_read_over_loopback():
    """Scale, serial number, calibration; the filter and the rate can be set as on the real one."""
    with SensorPage(SensorSettings(serial="FT1<2", counts_per_N=1e6)) as page:
        found = fetch_calibration("127.0.0.1", page.port)
        assert (found.counts_per_N, found.counts_per_Nm, found.serial) == (1e6, 1e6, "FT1<2")
        assert (found.rate_Hz, found.filter, found.bias) == (7000, 0, (0.0,) * 6)
        assert page.answer("/comm.cgi?comrdtrate=1000")[0] == 200
        assert page.answer("/comm.cgi?comrdtrate=999")[0] == 400
        assert page.answer("/else.cgi")[0] == 404
        assert fetch_calibration("127.0.0.1", page.port).rate_Hz == 1000
    check_scale(found, 1e6, 1e6)
    with pytest.raises(BadInput, match="1e\\+06"):
        check_scale(found, 1e5, 1e6)


PAGE = write_page(SensorSettings())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAGE.replace("<scfgfu>N<", "<scfgfu>pN<"), "lbf"),
        (PAGE.replace("<cfgcpf>1000000<", "<cfgcpf>0<"), "above zero"),
        (PAGE.replace("<cfgcpt>", "<x>").replace("</cfgcpt>", "</x>"), "cfgcpt"),
        (PAGE.replace("<runstat>", "<cfgcpf>1</cfgcpf><runstat>"), "once"),
        ("<!DOCTYPE a>" + PAGE[21:], "DOCTYPE"),
    ],
)
def test_pages_that_would_give_wrong_forces_are_refused(text, told):
    """Units, scale, a value missing or given twice, entities."""
    with pytest.raises(BadInput, match=told):
        read_page(text.encode(), "page")


def test_units_are_converted():
    """Pounds and inches: counts per N and per Nm."""
    text = PAGE.replace("<scfgfu>N<", "<scfgfu>lbf<").replace("<scfgtu>N-m<", "<scfgtu>lbf-in<")
    found = read_page(text.encode(), "page")
    assert found.counts_per_N == pytest.approx(1e6 / 4.4482216152605)
    assert found.counts_per_Nm == pytest.approx(1e6 / (4.4482216152605 * 0.0254))


def slow_server(part: bytes, pause_s: float):
    """A server that sends a part again and again."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        try:
            connection, _ = server.accept()
            connection.recv(1000)
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
            for _ in range(2000):
                connection.sendall(part)
                time.sleep(pause_s)
        except OSError:
            pass

    threading.Thread(target=serve, daemon=True).start()
    return server


@pytest.mark.parametrize(
    ("part", "pause_s", "longest_s", "told"),
    [(b" ", 0.02, 0.3, "within 0.3 s"), (b" " * 8192, 0.0, 120.0, "at most 65536")],
)
def test_a_page_is_bounded_in_time_and_size(part, pause_s, longest_s, told):
    """A server that drips, or that never ends, cannot hold up a start. Without the bound the first
    would be read for 40 s, and refused for what it sent."""
    with slow_server(part, pause_s) as server, pytest.raises(BadInput, match=told):
        fetch_calibration("127.0.0.1", server.getsockname()[1], longest_s)


def test_a_silent_address_is_refused_with_what_to_do():
    """No server there: said, with the address."""
    with socket.socket() as deaf:  # has the port, and does not listen
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        with pytest.raises(BadInput, match=f"127.0.0.1:{port}"):
            fetch_calibration("127.0.0.1", port, 0.5)
