"""The replay in real chromium: where things are drawn, one time with the charts, light and dark,
without WebGL, on paper."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
from browser import PATIENCE_MS, chromium, opened
from scenarios import cone_docking

from softdock.output.pages.frame.charts import Line, chart
from softdock.output.pages.frame.page import page
from softdock.output.pages.frame.replay import replay
from softdock.results.scene import Scene, build_reference_scene, build_scene
from softdock.results.scene.cameras import compute_world_vertices, place_camera, project
from softdock.scenario.files import load_scenario

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from drifting_scenes import drifting

pytestmark = pytest.mark.browser

HOSTILE = '</script><img src="http://192.0.2.1/x" onerror="window.hit = 1"><b>bold</b>'
PLAYER = "document.querySelector('figure[data-replay]').player"
# Draws now, and reads the canvas in the same task: extents of what is drawn [CSS pixels], a sum of
# all colours.
LOOK = f"""() => {{
    const player = {PLAYER};
    player.render();
    const flat = document.createElement("canvas"), source = player.canvas;
    flat.width = source.width; flat.height = source.height;
    const paper = flat.getContext("2d");
    paper.drawImage(source, 0, 0);
    const data = paper.getImageData(0, 0, flat.width, flat.height).data;
    let left = 1e9, top = 1e9, right = -1, bottom = -1, sum = 0;
    for (let y = 0; y < flat.height; y++) for (let x = 0; x < flat.width; x++) {{
        const at = 4 * (y * flat.width + x);
        if (data[at + 3] < 100) continue;
        left = Math.min(left, x); right = Math.max(right, x + 1);
        top = Math.min(top, y); bottom = Math.max(bottom, y + 1);
        sum += (x + 1) * data[at] + (y + 1) * data[at + 1] + data[at + 2];
    }}
    return {{box: [left, top, right, bottom], sum, size: [flat.width, flat.height]}};
}}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def scene() -> Scene:
    return build_scene(drifting(cone_docking()), name=HOSTILE)


@cache
def on_robots() -> Scene:
    """Satellites that drift, on the robots of EPOS 3-D."""
    return build_scene(drifting(load_scenario("epos_3d").tables), name=HOSTILE)


@pytest.fixture(scope="module")
def pages(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One scene with a chart; two scenes; one part alone, without a floor."""
    folder = tmp_path_factory.mktemp("replays")
    time = np.linspace(0.0, 1.596, 400)
    drawn = chart(
        "force", "Force", [Line("force", "c1", time, np.sin(time))], "time [s]", "force [N]"
    )
    solid = replace(next(part for part in scene.parts if part.name == "cone 1"), opacity=1.0)
    alone = replace(scene, parts=(solid,), arrows=(), trails=())
    alone = replace(alone, views={k: replace(v, floor=False) for k, v in scene.views.items()})
    robots = on_robots()
    forearm = next(part for part in robots.parts if part.mesh == "robot.chaser.3.link")
    bare = {k: replace(v, floor=False) for k, v in robots.views.items()}
    forearm_alone = replace(robots, parts=(forearm,), arrows=(), trails=(), views=bare)
    run = drifting(cone_docking(), status="diverged")
    both = [build_reference_scene(run), build_scene(run, name=HOSTILE, reference=False)]
    bodies = {
        "one": replay("one", [scene], "Title", HOSTILE) + drawn,
        "two": replay("two", both, HOSTILE),
        "alone": replay("alone", [alone], "Alone"),
        "forearm": replay("forearm", [forearm_alone], "Forearm"),
    }
    files = {name: folder / f"{name}.html" for name in bodies}
    for name, body in bodies.items():
        html = page("Replay", "", {"all": ("", body)}, {})
        files[name].write_text(html, encoding="utf-8")
    return files


def begin(here: Any, time: float = 0.4) -> Any:
    """The page, with its replay built and paused at a time."""
    tab = here.drawn().page
    tab.evaluate(f"time => {{ {PLAYER}.seek(time); return {PLAYER}.build(); }}", time)
    tab.wait_for_selector("figure[data-ready=yes]")
    return tab


def until(tab: Any, condition: str) -> None:
    """Wait for a condition; the page's policy forbids playwright's own way, which evaluates
    text."""
    end = monotonic() + 1e-3 * PATIENCE_MS
    while monotonic() < end:
        if tab.evaluate(f"() => {condition}"):
            return
        tab.wait_for_timeout(50)
    pytest.fail(f"never came true: {condition}")


def test_scene_moves_and_nothing_leaves_the_machine(browser: Any, pages: dict[str, Path]) -> None:
    """Asked by touch, the canvas takes the poster's place, pixels change with time, nothing is
    requested or complained of."""
    options = {"viewport": {"width": 390, "height": 800}, "has_touch": True}
    with opened(browser, pages["one"], **options) as here:
        tab = here.drawn().page
        assert tab.locator(".poster").is_visible()
        assert tab.locator("canvas").count() == 0  # nothing is built before it is asked for
        tab.locator(".replay-start").tap()
        tab.wait_for_selector("figure[data-ready=yes]")
        until(tab, f"{PLAYER}.time > 0.05")
        tab.evaluate(f"{PLAYER}.pause()")
        seen = []
        for time in (0.1, 0.8, 1.5):
            tab.evaluate(f"time => {PLAYER}.seek(time)", time)
            seen.append(tab.evaluate(LOOK)["sum"])
        assert len(set(seen)) == 3
        assert here.requests == []
        assert here.complaints == []
        assert tab.evaluate("window.hit") is None
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(
    ("page_name", "mesh", "view", "width"),
    [
        ("alone", "shape_1", "contact", 1000),
        ("alone", "shape_1", "rig", 1000),
        ("alone", "shape_1", "contact", 420),
        ("forearm", "robot.chaser.3.link", "rig", 1000),
    ],
)
def test_bodies_are_drawn_where_their_poses_say(
    browser: Any,
    pages: dict[str, Path],
    scene: Scene,
    page_name: str,
    mesh: str,
    view: str,
    width: int,
) -> None:
    """The extents of a part on the canvas, of a mock-up as of a robot's link, are those of its
    projected corners, within two pixels."""
    scene = on_robots() if page_name == "forearm" else scene
    part = next(part for part in scene.parts if part.mesh == mesh)
    with opened(browser, pages[page_name], viewport={"width": width, "height": 900}) as here:
        tab = begin(here)
        tab.evaluate(f"view => {PLAYER}.look(view)", view)
        tab.wait_for_timeout(100)
        for time in (0.0, 1.2):
            tab.evaluate(f"time => {PLAYER}.seek(time)", time)
            found = tab.evaluate(LOOK)
            frame, size = scene.frame_at(time), tuple(found["size"])
            camera = place_camera(scene, scene.views[view], frame, size)
            flat, _ = project(camera, compute_world_vertices(scene, part, frame))
            wanted = np.concatenate([flat.min(axis=0), flat.max(axis=0)])
            assert np.abs(np.array(found["box"]) - wanted).max() < 2.0, (found, wanted)


def test_replay_and_charts_have_one_time(browser: Any, pages: dict[str, Path]) -> None:
    """A line in the chart stands at the replay's time, also after a zoom; a click in the chart
    takes the replay there."""
    place = """() => {
        const gd = document.querySelector(".chart"), line = gd.querySelector(".replay-cursor");
        const axis = gd._fullLayout.xaxis, left = line.getBoundingClientRect().left;
        const at = left - gd.getBoundingClientRect().left - axis._offset;
        return {told: Number(line.dataset.time), shown: axis.p2d(at)}; }"""
    with opened(browser, pages["one"]) as here:
        tab = begin(here, 0.444)
        for zoom in (None, [0.2, 1.0]):
            if zoom:
                tab.evaluate(
                    "range => Plotly.relayout(document.querySelector('.chart'), "
                    "{'xaxis.range': range})",
                    zoom,
                )
            at = tab.evaluate(place)
            assert at["told"] == tab.evaluate(f"{PLAYER}.time") == 0.444
            assert at["shown"] == pytest.approx(0.444, abs=0.003)
        tab.locator(".chart").scroll_into_view_if_needed()
        box = tab.locator(".chart .nsewdrag").first.bounding_box()
        tab.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
        until(tab, "Boolean((document.querySelector('.chart')._hoverdata || []).length)")
        tab.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
        until(tab, f"{PLAYER}.time !== 0.444")
        assert tab.evaluate(f"{PLAYER}.time") == pytest.approx(0.8, abs=0.005)
        assert tab.evaluate(place)["told"] == tab.evaluate(f"{PLAYER}.time")
        assert float(tab.locator("input[type=range]").input_value()) == pytest.approx(
            tab.evaluate(f"{PLAYER}.time")
        )


def test_keys_play_step_and_choose_the_camera(
    browser: Any, pages: dict[str, Path], scene: Scene
) -> None:
    """Space plays and stops, an arrow key goes one frame on and back, figures choose cameras; a
    contact is passed slowly."""
    with opened(browser, pages["one"]) as here:
        tab = begin(here, float(scene.time[30]))
        stage = tab.locator(".replay-stage")
        stage.press("ArrowRight")
        assert tab.evaluate(f"{PLAYER}.time") == pytest.approx(float(scene.time[31]), abs=1e-6)
        stage.press("ArrowLeft")
        stage.press("ArrowLeft")
        assert tab.evaluate(f"{PLAYER}.time") == pytest.approx(float(scene.time[29]), abs=1e-6)
        tab.evaluate(f"() => {{ {PLAYER}.speed.value = '0.1'; }}")  # however late the next look
        stage.press(" ")
        until(tab, f"{PLAYER}.playing && {PLAYER}.time > {float(scene.time[30])}")
        stage.press(" ")
        assert not tab.evaluate(f"{PLAYER}.playing")
        tab.evaluate(f"() => {{ {PLAYER}.speed.value = 'auto'; }}")
        stage.press("2")
        assert tab.locator("button[data-view=rig]").get_attribute("aria-pressed") == "true"
        assert tab.locator("input[data-layer=satellites]").is_checked()
        slow = tab.evaluate(
            f"() => {{ {PLAYER}.time = 0.55; return [{PLAYER}.advance(0.1) - 0.55, "
            f"{PLAYER}.speedNow()]; }}"
        )
        assert slow[1] < 0.3
        assert slow[0] == pytest.approx(0.1 * slow[1])
        assert here.complaints == []


def test_dark_changes_the_scene(browser: Any, pages: dict[str, Path]) -> None:
    """The bodies' colours follow the page's, by the system and by the button."""
    seen = []
    for scheme in ("light", "dark"):
        with opened(browser, pages["alone"], color_scheme=scheme) as here:
            tab = begin(here)
            before = tab.evaluate(LOOK)["sum"]
            tab.locator("#theme").press("Enter")
            tab.wait_for_timeout(100)
            seen.append((before, tab.evaluate(LOOK)["sum"]))
    (light, to_dark), (dark, to_light) = seen
    assert light != dark
    assert (to_dark, to_light) == (dark, light)


def test_names_are_text_and_panels_say_why_they_stopped(
    browser: Any, pages: dict[str, Path]
) -> None:
    """Markup in a run's name is shown as it is written; a run that diverged says so when its end is
    reached."""
    with opened(browser, pages["two"], viewport={"width": 800, "height": 900}) as here:
        tab = begin(here, 1.596)
        labels = tab.locator(".replay-panel > span:first-child").all_text_contents()
        assert labels == ["on orbit", HOSTILE]
        assert tab.locator("figure b, figure img").count() == 0
        assert "stopped at 1.596 s: diverged" in tab.locator(".replay-ended").first.text_content()
        assert tab.evaluate("window.hit") is None
        assert here.requests == []
        assert here.complaints == []


def test_page_is_whole_without_webgl(browser: Any, pages: dict[str, Path]) -> None:
    """The poster stays, a sentence says why, charts and page go on, and the console is quiet."""
    with opened(browser, pages["one"]) as here:
        here.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        here.page.reload()
        tab = here.drawn().page
        tab.locator(".replay-start").click()
        tab.wait_for_selector("figure.still")
        assert tab.locator(".replay-note").is_visible()
        assert tab.locator(".poster").is_visible()
        assert tab.locator("canvas").count() == 0
        assert here.complaints == []


def test_paper_has_the_poster(browser: Any, pages: dict[str, Path]) -> None:
    """In print the drawing stands in the canvas's place, without controls."""
    with opened(browser, pages["one"]) as here:
        tab = begin(here)
        tab.emulate_media(media="print")
        assert not tab.locator("canvas").is_visible()
        assert not tab.locator(".replay-play").is_visible()
        assert tab.locator(".poster").is_visible()
