"""Layouts of Foxglove and PlotJuggler beside a recording, so that it opens with plots:
NAME.foxglove.json and NAME.plotjuggler.xml. In both programs open the recording, then import the
layout.

A layout names what the recording has and nothing else: it is made from the list of its topics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from softdock.files.atomic import write_whole
from softdock.recording.mcap_file import DESCRIPTION_TOPIC as DESCRIPTION
from softdock.recording.mcap_file import EVENTS_TOPIC, name_topic
from softdock.recording.messages import BODIES, WORLD, make_flat_topic, make_topics, name_fields
from softdock.recording.streams import About, Stream

FOXGLOVE, PLOTJUGGLER = ".foxglove.json", ".plotjuggler.xml"
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf")
# of the flat message: which numbers are drawn, by the beginning of their channel's name
ENERGIES = ("energy.observed", "energy.kinetic", "energy.real", "observed")
GAPS = ("contact.depth",)
MOST_CURVES = 6


class Curve(NamedTuple):
    """A number of a topic over time; `path`: fields from the message down."""

    topic: str
    path: tuple[str, ...]


class Chart(NamedTuple):
    """Curves that share axes."""

    title: str
    curves: tuple[Curve, ...]


def list_topics(about: About, streams: Iterable[Stream]) -> list[str]:
    """Every topic of a recording, in the order of the file."""
    topics: list[str] = []
    for stream in streams:
        if stream.kind == "rows":
            topics += [topic.name for topic in make_topics(stream, about.absent)]
        elif stream.kind == "samples":
            topics.append(name_topic(stream))
    return [*dict.fromkeys([*topics, EVENTS_TOPIC]), *([DESCRIPTION] if about.urdf else [])]


def list_charts(topics: Sequence[str], streams: Iterable[Stream]) -> list[Chart]:
    """What is drawn: forces, approach, energies, joints."""
    charts = []
    for body in BODIES:
        curves = [
            Curve(f"/{body}/{name}", ("wrench", "force", axis))
            for name in ("wrench", "wrench_on_satellite")
            for axis in "xyz"
        ]
        charts.append((f"forces, {body} [N]", curves))
    charts.append(
        (
            "velocities [m/s]",
            [Curve(f"/{b}/satellite/twist", ("twist", "linear", a)) for b in BODIES for a in "xyz"],
        )
    )
    for stream in streams:
        if stream.kind != "rows":
            continue
        flat = make_flat_topic(stream).name
        fields = dict(
            zip((c.name for c in stream.channels), name_fields(stream.channels), strict=True)
        )
        for title, starts in (("energies [J]", ENERGIES), ("overlap [m]", GAPS)):
            drawn = [Curve(flat, (field,)) for name, field in fields.items() if name in starts]
            charts.append((title, drawn))
    found = [(title, [one for one in curves if one.topic in topics]) for title, curves in charts]
    return [Chart(title, tuple(curves[:MOST_CURVES])) for title, curves in found if curves]


def write_foxglove(topics: Sequence[str], charts: Sequence[Chart]) -> str:
    """A Foxglove layout: the scene, plots, events."""
    shown = [topic for topic in topics if topic.endswith(("/pose", "/wrench"))]
    scene: dict[str, Any] = {
        "followTf": WORLD,
        "topics": {topic: {"visible": True} for topic in shown},
        "cameraState": {"distance": 6.0, "phi": 60.0, "thetaOffset": 45.0, "perspective": True},
        "layers": {},
    }
    if DESCRIPTION in topics:
        scene["layers"]["arms"] = {
            "layerId": "foxglove.Urdf",
            "instanceId": "arms",
            "label": "Arms",
            "sourceType": "topic",
            "topic": DESCRIPTION,
            "visible": True,
        }
    panels: dict[str, Any] = {"3D!scene": scene}
    plots = []
    for i, chart in enumerate(charts):
        name = f"Plot!chart{i}"
        plots.append(name)
        panels[name] = {
            "title": chart.title,
            "foxglovePanelTitle": chart.title,
            "paths": [
                {
                    "value": ".".join([one.topic, *one.path]),
                    "label": label_curve(one),
                    "enabled": True,
                    "timestampMethod": "receiveTime",
                }
                for one in chart.curves
            ],
            "xAxisVal": "timestamp",
            "showLegend": True,
            "isSynced": True,
        }
    panels["RosOut!events"] = {"topicToRender": EVENTS_TOPIC, "searchTerms": [], "minLogLevel": 1}
    left = {"direction": "column", "first": "3D!scene", "second": "RosOut!events"}
    layout = {
        "direction": "row",
        "first": {**left, "splitPercentage": 75},
        "second": _stack(plots),
        "splitPercentage": 45,
    }
    tables = {"globalVariables": {}, "userNodes": {}, "playbackConfig": {"speed": 0.2}}
    return json.dumps({"configById": panels, **tables, "layout": layout}, indent=1) + "\n"


def _stack(panels: list[str]) -> Any:
    """Panels below each other, all as high."""
    if len(panels) < 2:
        return panels[0] if panels else "RosOut!events"
    share = 100.0 / len(panels)
    rest = _stack(panels[1:])
    return {"direction": "column", "first": panels[0], "second": rest, "splitPercentage": share}


def write_plotjuggler(charts: Sequence[Chart]) -> str:
    """A PlotJuggler layout: one tab with a plot for every chart."""
    root = Element("root")
    window = SubElement(root, "tabbed_widget", {"name": "Main Window", "parent": "main_window"})
    tab = SubElement(window, "Tab", tab_name="softdock", containers="1")
    sizes = ";".join(f"{1.0 / max(len(charts), 1):.6f}" for _ in charts)
    holder = SubElement(SubElement(tab, "Container"), "DockSplitter", orientation="|")
    holder.attrib |= {"sizes": sizes, "count": str(len(charts))}
    for chart in charts:
        area = SubElement(holder, "DockArea", name=chart.title)
        plot = SubElement(area, "plot", mode="TimeSeries", style="Lines")
        for i, one in enumerate(chart.curves):
            name = "/".join([one.topic, *one.path])
            SubElement(plot, "curve", name=name, color=COLOURS[i % len(COLOURS)])
    SubElement(window, "currentTabIndex", index="0")
    SubElement(root, "use_relative_time_offset", enabled="1")
    indent(root)
    return "<?xml version='1.0' encoding='UTF-8'?>\n" + tostring(root, encoding="unicode") + "\n"


def label_curve(curve: Curve) -> str:
    """A curve in a legend."""
    words = [*curve.topic.strip("/").split("/"), *curve.path]
    left_out = {"wrench", "twist", "linear"} if len(curve.path) > 1 else {"softdock", "cycle"}
    kept = [word for i, word in enumerate(words) if word not in left_out or i == 1]
    return re.sub("_", " ", " ".join(dict.fromkeys(kept)))


def write_layouts(
    file: Path, about: About, streams: Sequence[Stream], force: bool = False
) -> list[Path]:
    """Both layouts beside the recording `file`; one that is there stays, unless `force`. Returns
    what was written."""
    topics = list_topics(about, streams)
    charts = list_charts(topics, streams)
    texts = {FOXGLOVE: write_foxglove(topics, charts), PLOTJUGGLER: write_plotjuggler(charts)}
    written = []
    for ending, text in texts.items():
        path = file.with_suffix(ending)
        if force or not path.exists():
            write_whole(path, text.encode())
            written.append(path)
    return written
