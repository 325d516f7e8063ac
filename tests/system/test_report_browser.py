"""The report in real chromium: charts drawn, numbers equal to the metrics, nothing leaves the
machine, light and dark, by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import chromium, opened

import softdock
from softdock.output.pages.demo import demo_page
from softdock.output.pages.frame.elements import look_up
from softdock.output.pages.run.page import run_page

pytestmark = pytest.mark.browser

# Every value on a page that says where it is from, and the charts with the number of lines drawn in
# each.
READ_VALUES = """() => Array.from(document.querySelectorAll("[data-key]")).map(e =>
    ({key: e.dataset.key, value: e.dataset.value, block: e.dataset.block || "metrics",
      text: e.innerText}))"""
READ_CHARTS = """() => Array.from(document.querySelectorAll(".chart")).map(e => ({
    id: e.id, svg: e.querySelectorAll("svg.main-svg").length,
    lines: e.querySelectorAll("g.trace path.js-line, g.trace path.point").length,
    titles: Array.from(e.querySelectorAll(".xtitle, .ytitle, .y2title"))
        .map(t => t.textContent)}))"""
HOSTILE = (
    '</script><script>window.hit = 1</script><img src="http://192.0.2.1/x" onerror="window.hit = '
    '2">'
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of runs that differ in what they have to show."""
    folder = tmp_path_factory.mktemp("pages")
    runs = {
        name: softdock.simulate(softdock.load_scenario(name))
        for name in ("epos_1d", "epos_3d", "oos_sim")
    }
    runs["stopped"] = softdock.simulate(
        softdock.load_scenario(
            "epos_1d", {"stop.force_N": 3.0, "name": HOSTILE, "description": HOSTILE}
        )
    )
    files = {name: folder / f"{name}.html" for name in (*runs, "demo")}
    for name, run in runs.items():
        files[name].write_text(run_page(run), encoding="utf-8")
    row = {
        "label": "raw loop, 16 ms",
        "delay_ms": 16.0,
        "restitution": runs["epos_1d"].restitution,
        "predicted_restitution": None,
    }
    row |= {"energy_added_J": runs["epos_1d"].energy_added_J, "error_against_orbit": 0.1}
    files["demo"].write_text(demo_page([row], [runs["epos_1d"]]), encoding="utf-8")
    return files


@pytest.mark.parametrize("name", ["epos_3d", "oos_sim", "stopped", "demo"])
def test_page_is_whole(browser: Any, pages: dict[str, Path], name: str) -> None:
    """Charts are drawn with units on their axes, numbers equal the JSON, nothing is asked of the
    network, the console stays empty, hostile names do nothing."""
    with opened(browser, pages[name], viewport={"width": 700, "height": 900}) as here:
        here.drawn()
        charts = here.page.evaluate(READ_CHARTS)
        assert len(charts) >= 3
        for chart in charts:
            assert chart["svg"] >= 1, chart
            assert chart["lines"] >= 1, chart
            assert all(re.search(r"\[.+\]$", title) for title in chart["titles"]), chart
            assert len(chart["titles"]) >= 2, chart
        values = here.page.evaluate(READ_VALUES)
        blocks = {
            v["block"]: json.loads(here.page.locator(f"#{v['block']}").first.text_content())
            for v in values
        }
        assert len(values) >= 4
        for v in values:
            assert json.loads(v["value"]) == look_up(blocks[v["block"]], v["key"]), v
        assert here.requests == []
        assert here.complaints == []
        assert here.page.evaluate("window.hit") is None
        assert here.page.evaluate(
            "document.documentElement.scrollWidth <= window.innerWidth"
        )  # nothing hangs out on a narrow screen


def test_dark_follows_the_system_and_the_button(browser: Any, pages: dict[str, Path]) -> None:
    """Page and charts change colour with the system's choice, and with the reader's."""

    def colours(page: Any) -> tuple[str, str]:
        return page.evaluate(
            """() => [getComputedStyle(document.body).backgroundColor,
                getComputedStyle(document.querySelector("#chart-gap path.js-line")).stroke]"""
        )

    seen = {}
    for scheme in ("light", "dark"):
        with opened(browser, pages["epos_1d"], color_scheme=scheme) as here:
            before = colours(here.drawn().page)
            here.page.locator("#theme").press("Enter")
            seen[scheme] = before, colours(here.page)
            assert here.complaints == []
    (light, to_dark), (dark, to_light) = seen["light"], seen["dark"]
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert to_dark == dark
    assert to_light == light


def test_contact_buttons_zoom_every_time_chart(browser: Any, pages: dict[str, Path]) -> None:
    """The charts begin with the hardest contact, framed in the strip of the whole run. By keyboard:
    a contact's button brings all time charts to that contact, the first button to the whole run."""
    ranges = """() => Array.from(document.querySelectorAll(".chart[data-time=yes]"))
        .map(e => e._fullLayout.xaxis.range.map(Number))"""
    height = (
        """() => document.querySelector("#chart-difference")._fullLayout.yaxis.range.map(Number)"""
    )
    with opened(browser, pages["epos_3d"]) as here:
        first = here.drawn().page.evaluate(ranges)
        metrics = json.loads(here.page.locator("#metrics").text_content())
        hardest = max(metrics["contacts"], key=lambda c: c["peak_force_real_N"])
        assert all(low < hardest["start_s"] and hardest["end_s"] < high for low, high in first)
        framed = here.page.evaluate(
            """() => ["x", "width"].map(k => Number(
                document.querySelector(".strip .window").getAttribute(k)))"""
        )
        assert framed[0] == pytest.approx(first[0][0], abs=1e-6)
        assert framed[1] == pytest.approx(first[0][1] - first[0][0], abs=1e-6)
        here.page.get_by_role("button", name="whole run").press("Enter")
        here.page.wait_for_timeout(50)
        whole = here.page.evaluate(ranges)
        bottom, top = here.page.evaluate(height)
        here.page.get_by_role("button", name="contact 2").press("Enter")
        here.page.wait_for_timeout(50)
        start, end = metrics["contacts"][1]["start_s"], metrics["contacts"][1]["end_s"]
        close = here.page.evaluate(ranges)
        assert len(close) >= 5
        assert all(
            low < start and end < high and high - low < 3.0 * (end - start) for low, high in close
        )
        low, high = here.page.evaluate(height)
        assert high - low < 0.5 * (top - bottom)  # what is shown fills the chart
        here.page.get_by_role("button", name="whole run").press("Enter")
        here.page.wait_for_timeout(50)
        assert here.page.evaluate(ranges) == whole


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (800, "dark"), (390, "light")])
def test_nothing_is_clipped_at_any_width(
    browser: Any, pages: dict[str, Path], width: int, scheme: str
) -> None:
    """Tiles, tables and charts end inside the page, no tile stands alone in its row, and no legend
    lies under the charts' buttons."""
    looks = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, pages["epos_3d"], **looks) as here:
        found = here.drawn().page.evaluate(
            """() => {
                const wide = document.documentElement.clientWidth;
                const out = Array.from(document.querySelectorAll(".tile, td, th, .chart, h1"))
                    .filter(e => e.offsetParent && e.getBoundingClientRect().left > -900)
                    .filter(e => e.getBoundingClientRect().right > wide + 1)
                    .map(e => e.className + " " + e.textContent.slice(0, 40));
                const tops = Array.from(document.querySelectorAll(".tile"))
                    .map(e => Math.round(e.getBoundingClientRect().top));
                const rows = Object.values(tops.reduce((n, t) => (n[t] = (n[t] || 0) + 1, n), {}));
                const under = Array.from(document.querySelectorAll(".chart")).filter(e => {
                    const a = e.querySelector(".legend"), b = e.querySelector(".modebar-group");
                    if (!a || !b) return false;
                    const p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
                    return p.right > q.left && p.top < q.bottom - 1 && p.height > 0;
                }).map(e => e.id + " " + [
                    e.querySelector(".legend").getBoundingClientRect().top,
                    e.querySelector(".modebar-group").getBoundingClientRect().bottom]);
                return {out, rows, under};
            }"""
        )
        assert found["out"] == []
        assert found["under"] == []
        assert width == 390 or min(found["rows"]) > 1
        assert here.complaints == []


def test_paper_is_light(browser: Any, pages: dict[str, Path]) -> None:
    """A page printed from a dark screen is dark on light, without buttons."""
    with opened(browser, pages["epos_1d"], color_scheme="dark") as here:
        here.drawn().page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        here.page.emulate_media(media="print")
        assert (
            here.page.evaluate("getComputedStyle(document.body).backgroundColor")
            == "rgb(255, 255, 255)"
        )
        red, green, blue = map(
            int, re.findall(r"\d+", here.page.evaluate("getComputedStyle(document.body).color"))[:3]
        )
        assert max(red, green, blue) < 100
        assert not here.page.locator("#theme").is_visible()
