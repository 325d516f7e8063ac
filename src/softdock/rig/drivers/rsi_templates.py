"""Files for a KUKA controller, generated from one description: Ethernet file, RSI context, KRL.

One robot a call. The Ethernet file's channels, the context's links and the KRL program's context
name belong together, so they are made together. What a person must still do on the controller
(network interface, base and tool numbers, start pose, T1 first) is said in the KRL program. The
context is the XML of RSI 3 and 4 up to KSS 8.5; its head has the steps to draw it in RSIVisual, for
the diagram (.rsi) or for RSI 4.1 and later (.rsix). Not tried on a controller.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.files.folders import ensure_folder
from softdock.files.plain_xml import Element, read_xml
from softdock.rig.drivers.rsi_config import (
    CARTESIAN,
    CYCLES_MS,
    FRAME,
    SAFE_NAME,
    parse_ethernet_file,
)

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}\Z")  # KRL names have at most 24 letters
CHANNEL_STOP_INPUT, CHANNEL_STOP_OUTPUT = 1, 7
VERSIONS = "KSS 8.2 to 8.5 with RSI 3.x or 4.0 (KR C4)"  # whose contexts are .rsi.xml
DRAWN = (
    "To draw it in RSIVisual (a diagram, .rsi, to look at; RSI 4.1 and later, KSS 8.6 and KR C5, "
    "load only .rsix):"
)
AXIS_OBJECTS = ("AXISCORR", "AXISCORREXT")
# object types of RSI, as its own contexts number them
TYPE_IDS = {"POSCORR": 27, "STOP": 18, "DIGIN": 29, "ETHERNET": 64, "POSCORRMON": 81}


@dataclass(frozen=True)
class RobotFiles:
    """What is stated of one robot; lengths in mm, angles in degrees."""

    name: str  # of the program, the context and the files
    address: str  # of the PC
    port: int
    mode: str = "IPO_FAST"  # 4 ms; IPO: 12 ms
    sentype: str = "softdock"
    element: str = "RKorr"
    timeout_packets: int = 50
    lower_mm: tuple[float, float, float] = (-200.0, -200.0, -200.0)
    upper_mm: tuple[float, float, float] = (200.0, 200.0, 200.0)
    max_turn_deg: float = 20.0
    digital_input: int = 1  # $IN of the operator's stop; sent as DiL

    def __post_init__(self) -> None:
        wrong = []
        if not NAME.match(self.name):
            allowed = "a letter, then letters, digits and _; 20 at most"
            wrong.append(Problem("name", self.name, allowed))
        if self.mode not in CYCLES_MS:
            wrong.append(Problem("mode", self.mode, " or ".join(CYCLES_MS)))
        if not SAFE_NAME.match(self.element) or "." in self.element:
            wrong.append(Problem("element", self.element, "a name without a dot"))
        for low, high in zip(self.lower_mm, self.upper_mm):
            if not low < 0.0 < high:
                wrong.append(Problem("lower_mm, upper_mm", (low, high), "low < 0 < high"))
        if not 0.0 < self.max_turn_deg <= 180.0:
            wrong.append(Problem("max_turn_deg", self.max_turn_deg, "above 0, at most 180"))
        if not 1 <= self.timeout_packets <= 1000:
            wrong.append(Problem("timeout_packets", self.timeout_packets, "1 to 1000"))
        if not 1 <= self.digital_input <= 4096:
            wrong.append(Problem("digital_input", self.digital_input, "1 to 4096"))
        if wrong:
            raise BadInput(wrong)


def _write_element(tag: str, kind: str, channel: object, hold: bool | None = None) -> str:
    held = "" if hold is None else f' HOLDON="{int(hold)}"'
    return f'      <ELEMENT TAG="{tag}" TYPE="{kind}" INDX="{channel}"{held}/>\n'


def write_ethernet_xml(robot: RobotFiles) -> str:
    """The Ethernet file: measured and wanted pose, late packets, the operator's stop; corrections.

    HOLDON = 1: when a reply is late the robot stands on its last correction. With 0 an absolute
    correction would drop to zero, a jump back to the start.
    """
    sends = "".join(_write_element(f"DEF_{tag}", "DOUBLE", "INTERNAL") for tag in ("RIst", "RSol"))
    sends += _write_element("DEF_Delay", "LONG", "INTERNAL")
    sends += _write_element("DiL", "LONG", CHANNEL_STOP_INPUT)
    receives = "".join(
        _write_element(f"{robot.element}.{axis}", "DOUBLE", i, True)
        for i, axis in enumerate(FRAME, 1)
    )
    receives += _write_element("Stop", "LONG", CHANNEL_STOP_OUTPUT, True)
    text = (
        f"<ROOT>\n  <!-- {VERSIONS} -->\n  <CONFIG>\n"
        f"    <IP_NUMBER>{escape(robot.address)}</IP_NUMBER>\n    <PORT>{robot.port}</PORT>\n"
        f"    <SENTYPE>{escape(robot.sentype)}</SENTYPE>\n    <ONLYSEND>FALSE</ONLYSEND>\n"
        "  </CONFIG>\n"
        f"  <SEND>\n    <ELEMENTS>\n{sends}    </ELEMENTS>\n  </SEND>\n"
        f"  <RECEIVE>\n    <ELEMENTS>\n{receives}    </ELEMENTS>\n  </RECEIVE>\n</ROOT>\n"
    )
    parse_ethernet_file(text.encode(), f"{robot.name}.xml")  # what we write we can read
    return text


def _write_parameter(name: str, number: int, value: object, runtime: bool = True) -> str:
    fixed = "" if runtime else ' IsRuntime="false"'
    return (
        f"      <Parameter Name={quoteattr(name)} ParamID={quoteattr(str(number))} "
        f"ParamValue={quoteattr(str(value))}{fixed} />\n"
    )


def _write_object(kind: str, inputs: list[tuple[str, int]], parameters: str) -> str:
    links = "".join(
        f'      <Input InIdx="{i}" OutObjID="{source}" OutIdx="{out}" />\n'
        for i, (source, out) in enumerate(inputs, start=1)
    )
    links = f"    <Inputs>\n{links}    </Inputs>\n" if links else ""
    return (
        f'  <RSIObject ObjType="{kind}" ObjTypeID="{TYPE_IDS[kind]}" ObjID="{kind}1">\n{links}'
        f"    <Parameters>\n{parameters}    </Parameters>\n  </RSIObject>\n"
    )


def _list_steps(name: str, objects: str) -> str:
    """How to draw the objects of a context in RSIVisual, line by line."""
    found = re.findall(r'ObjType="(\w+)".*?ObjID="(\w+)">(.*?)</RSIObject>', objects, re.DOTALL)
    steps = [f"a new context; one object each: {', '.join(kind for kind, _, _ in found)}"]
    for kind, _, inside in found:
        parameters = re.findall(r'Name="(\w+)" ParamID="\d+" ParamValue="(.*?)"', inside)
        steps.append(f"{kind}: {', '.join(' = '.join(one) for one in parameters)}")
    for kind, _, inside in found:
        for at, source, out in re.findall(r'InIdx="(\d)" OutObjID="(\w+?)1" OutIdx="(\d)"', inside):
            to = f"Corr{FRAME[int(at) - 1]}" if kind == "POSCORR" else f"In{at}"
            steps.append(f"link Out{out} of {source} to {to} of {kind}")
    steps.append(f"save as {name}; beside it {name}.xml, both on the controller")
    return "".join(f"  {i}. {step}\n" for i, step in enumerate(steps, 1))


def write_context_xml(robot: RobotFiles) -> str:
    """The RSI context: the Ethernet object drives PosCorr in the base; PosCorrMon is a tenth wider.

    PosCorr's and PosCorrMon's factory limits are 5 and 6 mm: a docking would end there.
    """
    limits = [
        *(("LowerLim", v) for v in robot.lower_mm),
        *(("UpperLim", v) for v in robot.upper_mm),
    ]
    poscorr = "".join(
        _write_parameter(name + "XYZ"[i % 3], i + 1, value)
        for i, (name, value) in enumerate(limits)
    )
    poscorr += _write_parameter("MaxRotAngle", 7, robot.max_turn_deg)
    poscorr += _write_parameter("RefCorrSys", 1, 1, runtime=False)
    widest = sum(max(-a, b) ** 2 for a, b in zip(robot.lower_mm, robot.upper_mm)) ** 0.5
    monitor = _write_parameter("MaxTrans", 1, round(1.1 * widest, 3))
    monitor += _write_parameter("MaxRotAngle", 2, round(min(180.0, 1.1 * robot.max_turn_deg), 3))
    ethernet = _write_parameter("ConfigFile", 1, f"{robot.name}.xml", runtime=False)
    ethernet += _write_parameter("Timeout", 1, robot.timeout_packets)
    ethernet += _write_parameter("Flag", 4, -1) + _write_parameter("Precision", 8, 6)
    digin = _write_parameter("Index", 1, robot.digital_input) + _write_parameter("DataSize", 2, 0)
    objects = (
        _write_object("DIGIN", [], digin)
        + _write_object("POSCORR", [("ETHERNET1", i) for i in range(1, 7)], poscorr)
        + _write_object(
            "STOP", [("ETHERNET1", CHANNEL_STOP_OUTPUT)], _write_parameter("Mode", 1, 4)
        )
        + _write_object("ETHERNET", [("DIGIN1", 1)], ethernet)
        + _write_object("POSCORRMON", [], monitor)
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    head += f"<!-- {VERSIONS}. {DRAWN}\n{_list_steps(robot.name, objects)}-->\n<RSIObjects>\n"
    return f"{head}{objects}</RSIObjects>\n"


def write_krl_program(robot: RobotFiles) -> str:
    """The KRL program: to the start pose, RSI on with absolute corrections, off again."""
    return f"""&ACCESS RVP
&COMMENT softdock: corrections over Ethernet
DEF {robot.name}( )
; Generated for {VERSIONS}.
; First in T1, with the mock-ups apart, and with a hand on the emergency stop:
; RSI limits neither speed nor acceleration. softdock is no safety function.
; Before: an RSI network interface on its own subnet; {robot.name}.xml and {robot.name}.rsi.xml in
; C:\\KRC\\ROBOTER\\Config\\User\\Common\\SensorInterface; BASE and TOOL numbers, and XSTART below.
DECL INT ret, id
DECL E6POS XSTART
;FOLD INI
  ;FOLD BASISTECH INI
    GLOBAL INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )
    INTERRUPT ON 3
    BAS (#INITMOV,0 )
  ;ENDFOLD (BASISTECH INI)
  ;FOLD USER INI
    ;Make your modifications here
  ;ENDFOLD (USER INI)
;ENDFOLD (INI)
BAS(#BASE, 1)                      ; the base that the rig file's poses are given in
BAS(#TOOL, 1)                      ; the flange or mock-up that they are poses of
BAS(#VEL_PTP, 10)
; $POS_ACT is a pose of the TOOL in the BASE that are set: it is read behind both
XSTART = $POS_ACT                  ; replace by the taught start pose
PTP XSTART
WAIT SEC 0.5                       ; corrections count from here: the robot must stand still
ret = RSI_CREATE("{robot.name}.rsi", id, TRUE)
IF (ret <> RSIOK) THEN
  HALT
ENDIF
ret = RSI_ON(#ABSOLUTE, #{robot.mode})
IF (ret <> RSIOK) THEN
  HALT
ENDIF
RSI_MOVECORR()                     ; until the PC sends Stop, or Timeout packets are late
ret = RSI_OFF()
ret = RSI_DELETE(id)
END
"""


def refuse_loopback(address: str) -> None:
    """A controller's file must not name loopback: the controller would send to itself."""
    if address.startswith("127."):
        allowed = (
            "this computer's address in the RSI network: at 127.x.x.x the controller would send to "
            "itself (softdock rig new --computer)"
        )
        raise BadInput(Problem("address", address, allowed))


def write_files(robot: RobotFiles, folder: str | Path) -> list[Path]:
    """All files of one robot into a folder; nothing that is there is overwritten."""
    refuse_loopback(robot.address)
    folder = Path(folder)
    ensure_folder(folder)
    texts = {
        f"{robot.name}.xml": write_ethernet_xml(robot),
        f"{robot.name}.rsi.xml": write_context_xml(robot),
        f"{robot.name}.src": write_krl_program(robot),
    }
    there = [Problem("file", str(folder / n), "a new file") for n in texts if (folder / n).exists()]
    if there:
        raise BadInput(there)
    for name, text in texts.items():
        write_whole(folder / name, text.replace("\n", "\r\n").encode("ascii"))
    return [folder / name for name in texts]


@dataclass(frozen=True)
class ContextLimits:
    """What a context allows; None where it has no such object."""

    lower_mm: tuple[float, ...] | None
    upper_mm: tuple[float, ...] | None
    max_turn_deg: float | None
    timeout_packets: int | None
    monitor_mm: float | None


def read_context(data: bytes, file: str) -> ContextLimits:
    """Limits of a .rsi.xml context, so that a run can be refused before RSI would end it."""
    found: dict[str, Element] = {
        n.attributes.get("ObjType", ""): n for n in read_xml(data, file).children
    }

    axes_of = [kind for kind in found if kind.upper() in AXIS_OBJECTS]
    if axes_of:
        node = found[axes_of[0]]
        allowed = f"POSCORR: {CARTESIAN}"
        raise BadInput(Problem("ObjType", axes_of[0], allowed, f"{file}:{node.line}"))

    def value(kind: str, name: str) -> float | None:
        parameters = found[kind].first("Parameters") if kind in found else None
        for node in parameters.children if parameters is not None else ():
            if node.attributes.get("Name") == name:
                given = node.attributes.get("ParamValue")
                try:
                    number = float(given or "")
                except ValueError:
                    number = math.nan
                if not math.isfinite(number):
                    raise BadInput(Problem(name, given, "a finite number", f"{file}:{node.line}"))
                return number
        return None

    def axes(name: str) -> tuple[float, ...] | None:
        values = tuple(value("POSCORR", name + axis) for axis in "XYZ")
        return None if None in values else tuple(float(v) for v in values if v is not None)

    timeout = value("ETHERNET", "Timeout")
    return ContextLimits(
        lower_mm=axes("LowerLim"),
        upper_mm=axes("UpperLim"),
        max_turn_deg=value("POSCORR", "MaxRotAngle"),
        timeout_packets=None if timeout is None else int(timeout),
        monitor_mm=value("POSCORRMON", "MaxTrans"),
    )
