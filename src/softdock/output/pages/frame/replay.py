"""The replay on a page: a poster, the player's controls, and the scenes as packed data.

`replay` returns HTML for any section of any page; the page's frame adds the player's script and
three.js once if a section holds a replay. Names of runs are escaped here and reach the script as
JSON only.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files

from softdock.output.pages.frame.elements import inline, json_block
from softdock.results.scene.build import ON_ORBIT
from softdock.results.scene.model import LAYERS, Scene
from softdock.results.scene.pack import pack_scenes, synchronise
from softdock.results.scene.poster import choose_poster_frame, draw_poster

SPEEDS = {"auto": "auto", "1": "1 x", "0.25": "1/4 x", "0.1": "1/10 x", "0.01": "1/100 x"}
POSTER_SIZES = {1: (960, 480), 2: (600, 600)}
KEYS = "Space plays, arrow keys go frame by frame, 1 to 4 choose a camera; drag to look around."
NO_WEBGL = "This browser shows no 3-D (WebGL): the picture stays, and so does the rest of the page."
ARROW = '<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M1 0L10 5L1 10Z"/></svg>'


def replay(
    key: str,
    scenes: Sequence[Scene],
    title: str,
    caption: str = "",
    *,
    on_sight: bool = False,
    charts: bool = True,
) -> str:
    """Scenes side by side, synchronised. `charts`: share the time with the page's time charts.

    `on_sight`: play as soon as it is visible; otherwise on request.
    """
    panels = [scene for scene in synchronise(scenes) if len(scene.time) > 0]
    if not panels:
        return ""
    first, several = panels[0], len(panels) > 1
    if several:  # the reference has a panel of its own
        panels = [
            replace(scene, readings=tuple(r for r in scene.readings if r.name != ON_ORBIT))
            for scene in panels
        ]
    at = float(first.time[choose_poster_frame(first)])
    start, end = float(first.time[0]), max(float(scene.time[-1]) for scene in panels)
    columns = 2 if several else 1
    text = " ".join(part for part in (caption, _exaggeration(panels)) if part)
    return (
        f'<figure class="replay{" several" if several else ""}" data-replay="{escape(key)}" '
        f'data-from="{start:.6f}" data-to="{end:.6f}" data-at="{at:.6f}" '
        f'data-start="{"sight" if on_sight else "click"}" '
        f'data-charts="{"yes" if charts else "no"}" '
        f'style="--columns:{columns};--panels:{len(panels)}">'
        f"<figcaption><strong>{escape(title)}</strong><p>{inline(text)}</p></figcaption>"
        f"{_stage_html(panels, at, title)}{_control_bar(panels, start, end)}{_options_bar(panels)}"
        f'<p class="replay-note" hidden>{escape(NO_WEBGL)}</p><p class="replay-notes">'
        f'{escape(" ".join(first.notes))} <span class="replay-keys">{escape(KEYS)}</span></p>'
        + json_block(pack_scenes(panels), f'data-replay-data="{escape(key)}"')
        + "</figure>"
    )


def _exaggeration(scenes: Sequence[Scene]) -> str:
    factors = {scene.exaggeration for scene in scenes if "orbit" in scene.layers}
    if not factors:
        return ""
    if factors == {1.0}:
        return "The grey ghost is the chaser on orbit."
    listed = " or ".join(f"{factor:g}" for factor in sorted(factors))
    return f"The grey ghost is the chaser on orbit, {listed} times as far from the rig as it was."


def _stage_html(scenes: Sequence[Scene], at: float, title: str) -> str:
    size = POSTER_SIZES[2 if len(scenes) > 1 else 1]
    pictures = "".join(draw_poster(scene, frame=scene.frame_at(at), size=size) for scene in scenes)
    labels = "".join(_panel_label(scene, at) for scene in scenes)
    kinds = ("room" if scene.grounded else "space" for scene in scenes)
    backs = "".join(f'<div class="{kind}"></div>' for kind in kinds)
    name = f"{title}: {', '.join(scene.name for scene in scenes)}"
    return (
        f'<div class="replay-stage" tabindex="0" role="group" aria-label="{escape(name)}">'
        f'<div class="replay-backs">{backs}</div><div class="posters">{pictures}</div>'
        f'<div class="replay-panels">{labels}</div>'
        f'<button type="button" class="replay-start" aria-label="Play the replay" hidden>{ARROW}'
        "</button></div>"
    )


def _panel_label(scene: Scene, at: float) -> str:
    ended = ""
    if scene.ended:
        words = f"stopped at {float(scene.time[-1]):.3f} s: {scene.ended}"
        ended = f'<span class="replay-ended">{escape(words)}</span>'
    readings = "".join(
        f"<span>{text}</span>" for text in scene.describe_instant(scene.frame_at(at))
    )
    return (
        f'<div class="replay-panel"><span>{escape(scene.name)}</span>'
        f'<span class="replay-readings">{readings}</span>{ended}</div>'
    )


def _control_bar(scenes: Sequence[Scene], start: float, end: float) -> str:
    span = max(end - start, 1e-9)
    marks = []
    for window in sorted({w for scene in scenes for w in scene.contacts}):
        left = 100.0 * (window[0] - start) / span
        width = 100.0 * (window[1] - window[0]) / span
        marks.append(f'<i style="left:{left:.3f}%;width:{max(width, 0.0):.3f}%"></i>')
    return (
        '<div class="replay-bar" hidden><button type="button" class="replay-play">Play</button>'
        '<div class="replay-scrub"><input type="range" aria-label="Time of the replay">'
        f'<div class="replay-marks">{"".join(marks)}</div></div>'
        '<output class="replay-time"></output></div>'
    )


def _options_bar(scenes: Sequence[Scene]) -> str:
    scene = next((one for one in scenes if one.robots), scenes[0])
    held = {layer for one in scenes for layer in one.layers}
    speeds = "".join(f'<option value="{key}">{words}</option>' for key, words in SPEEDS.items())
    cameras = "".join(
        f'<button type="button" data-view="{key}" aria-pressed="false">{key}</button>'
        for key in scene.views
    )
    layers = "".join(
        f'<label><input type="checkbox" data-layer="{layer}">{layer_name(scene, layer)}</label>'
        for layer in LAYERS
        if layer in held
    )
    return (
        f'<div class="replay-more" hidden><label title="auto: slow in contacts">speed <select>'
        f'{speeds}</select></label><span role="group" aria-label="Camera">{cameras}</span>'
        f'<span role="group" aria-label="What is shown">{layers}</span>'
        '<span class="replay-last"><button type="button" data-do="picture">Save picture</button>'
        '<button type="button" data-do="full">Full screen</button></span></div>'
    )


def layer_name(scene: Scene, layer: str) -> str:
    """Name of a layer in the controls, with its factor if it is exaggerated."""
    enlarged = f"chaser on orbit, {scene.exaggeration:g} x the difference"
    return enlarged if layer == "orbit_far" else LAYERS[layer]


@cache
def player_script() -> str:
    """The replay's own script; parts in the order of their dependencies."""
    parts = ("replay_scene.js", "replay_stage.js", "replay_charts.js", "replay.js")
    return "".join(_asset(part) for part in parts)


@cache
def three_script() -> str:
    """The script of three.js."""
    return _asset("three-subset.min.js")


@cache
def three_compressed() -> str:
    """three.js compressed, in base64: it stands in the page as text that does not run."""
    return base64.b64encode(zlib.compress(three_script().encode(), 9)).decode()


@cache
def player_style() -> str:
    return _asset("replay.css")


def _asset(name: str) -> str:
    return files("softdock.output.pages").joinpath("assets", name).read_text(encoding="utf-8")
