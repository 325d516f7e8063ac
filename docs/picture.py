"""Pictures of the docs: `make picture`. Pages made afresh, opened in the system's chromium, and a
part of each photographed: the demo's curves, the trade, the benchmark's profiles, and what the
tutorial my_rig.md shows, made by that page's own commands."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
BARS = "figure:has(#chart-bars-distance)"
CAPTURED = "figure:has(#chart-map-captured-0)"
DISTRIBUTION = "figure:has(#chart-distribution-error_against_orbit_later)"


def pages() -> Iterator[tuple[str, Callable[[], str], str]]:
    """File of the picture, what makes the page, and what is photographed of it."""
    yield "demo.png", _demo, "#curves .grid"
    yield "demo_page.png", _demo, ".demo-top figure"
    yield "replay.png", lambda: _preset("epos_3d"), "#replay figure.replay"
    yield "trade.png", _trade, "figure:has(#chart-trade)"
    yield "placement.png", _placement, "figure:has(#chart-map-chaser)"
    yield "benchmark.png", _benchmark, "figure:has(#chart-profile-nothing)"
    yield "relative_orbit.png", _relative_orbit, "figure:has(#chart-lvlh)"
    yield "latch.png", _latch, "figure:has(#chart-latch-way)"
    yield "guided_docking.png", _guided_docking, "figure:has(#chart-lvlh)"
    yield "guided_thrust.png", _guided_docking, "figure:has(#chart-guidance-thrust)"
    yield "pictures/my_rig_path.png", lambda: _my_rig("run"), "figure:has(#chart-path)"
    yield "pictures/my_rig_compare.png", lambda: _my_rig("compare"), BARS
    yield "pictures/my_rig_campaign.png", lambda: _my_rig("campaign"), DISTRIBUTION
    yield "pictures/your_mechanism.png", lambda: _your_mechanism("run"), "#replay figure.replay"
    yield "pictures/your_mechanism_map.png", lambda: _your_mechanism("campaign"), CAPTURED
    yield "pictures/launch_ring.png", lambda: _preset("launch_ring"), "#replay figure.replay"
    yield "guided_map.png", _guided_map, "figure:has(#chart-map-latched-0)"


def _demo() -> str:
    from softdock.output.pages.demo import demo_page
    from softdock.studies.compare.demonstration import demonstrate

    return demo_page(*demonstrate())


def _preset(name: str) -> str:
    """The page of `softdock run NAME`."""
    from softdock.output.pages.run.page import run_page
    from softdock.results.simulation import simulate
    from softdock.scenario.files import load_scenario

    return run_page(simulate(load_scenario(name)))


def _trade() -> str:
    from softdock.papers.frame import load_paper, paper_page, regenerate

    paper = load_paper("de-stefano")
    return paper_page(paper, regenerate(paper, ["trade"]))


def _placement() -> str:
    """The page of `softdock place lange_cone --arm kr16 --robot chaser`."""
    from softdock.loop.arms.scenario_facility import facility_of
    from softdock.output.pages.placement import placement_page
    from softdock.results.metrics import convert_to_plain
    from softdock.scenario.files import load_scenario
    from softdock.studies.placement.motion import load_motion
    from softdock.studies.placement.place import place_robots

    scenario = load_scenario("lange_cone")
    facility, motion = facility_of(scenario.tables), load_motion(scenario)
    result = place_robots("lange_cone", scenario.tables, facility, motion, {"chaser": "kr16"})
    return placement_page(result, convert_to_plain(result.as_dict()))


def _benchmark() -> str:
    """The page of the stored results that leaderboard.md shows: nothing is run."""
    from leaderboard_page import stored_file

    from softdock.output.pages.benchmark import benchmark_page
    from softdock.studies.benchmark.results import read_results

    file = stored_file((HERE / "leaderboard.md").read_text(encoding="utf-8"))
    return benchmark_page(read_results(HERE.parent / file))


def _relative_orbit() -> str:
    """The page of `softdock run vbar_drift`: a straight start along V-bar that the tide bends."""
    from softdock.output.pages.run.page import run_page
    from softdock.results.simulation import simulate
    from softdock.scenario.files import load_scenario

    return run_page(simulate(load_scenario("vbar_drift")))


def _latch() -> str:
    """The page of `softdock run soft_dock --set time.duration_s=40`."""
    from softdock.output.pages.run.page import run_page
    from softdock.results.simulation import simulate
    from softdock.scenario.files import load_scenario

    return run_page(simulate(load_scenario("soft_dock", {"time.duration_s": 40.0})))


def _guided_docking() -> str:
    """The page of `softdock run vbar_docking`."""
    from softdock.output.pages.run.page import run_page
    from softdock.results.simulation import simulate
    from softdock.scenario.files import load_scenario

    return run_page(simulate(load_scenario("vbar_docking")))


def _my_rig(what: str) -> str:
    """The page of one of the tutorial's commands, its file as the page has it by then."""
    from click.testing import CliRunner

    from softdock.cli.main import cli

    text = (HERE / "my_rig.md").read_text(encoding="utf-8")
    new = re.search(r"^softdock new .*$", text, re.M)
    blocks = re.findall(r"```toml\n(.*?)```", text, re.S)
    weighed, pasted, scatter = blocks[0], blocks[1], blocks[2]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run = CliRunner().invoke
        run(cli, shlex.split(new[0] if new else "")[1:], catch_exceptions=False)
        rig = Path("my_rig.toml")
        if what != "run":
            rig.write_text(
                re.sub(r"^believed\.mass_kg.*$", weighed.strip(), rig.read_text(), flags=re.M)
            )
        if what == "campaign":
            bare = re.sub(
                r"^\[(?:satellites|\[methods\])\].*?\n\n", "", rig.read_text(), flags=re.S | re.M
            )
            rig.write_text(bare + "\n" + pasted)
            Path("scatter.toml").write_text(scatter)
        file = "scatter.toml" if what == "campaign" else "my_rig.toml"
        run(cli, [what, file, "--out", "made"], catch_exceptions=False)
        page = "comparison.html" if what == "compare" else "report.html"
        return Path("made", page).read_text(encoding="utf-8")


def write_mechanism() -> str:
    """What your_mechanism.md makes, in the present folder; returns the line of `softdock new`."""
    text = (HERE / "your_mechanism.md").read_text(encoding="utf-8")
    exec(re.findall(r"```python\n(.*?)```", text, re.S)[0], {})
    captured, campaign = re.findall(r"```toml\n(.*?)```", text, re.S)
    Path("captured.toml").write_text(captured, encoding="utf-8")
    Path("my_map.toml").write_text(campaign, encoding="utf-8")
    return re.findall(r"^softdock new .*$", text, re.M)[0]


def _your_mechanism(what: str) -> str:
    """The page of a command of your_mechanism.md."""
    from click.testing import CliRunner

    from softdock.cli.main import cli

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run = CliRunner().invoke
        run(cli, shlex.split(write_mechanism())[1:], catch_exceptions=False)
        rig = Path("my_drogue.toml")
        rig.write_text(rig.read_text() + "\n" + Path("captured.toml").read_text())
        file = "my_map.toml" if what == "campaign" else rig.name
        run(cli, [what, file, "--out", "made"], catch_exceptions=False)
        return Path("made", "report.html").read_text(encoding="utf-8")


def _guided_map() -> str:
    """The page of `softdock campaign vbar_navigation`."""
    from softdock.output.folders.campaign_folder import run_campaign
    from softdock.studies.campaign.plan import load_plan

    with tempfile.TemporaryDirectory() as folder:
        run_campaign(load_plan("vbar_navigation"), Path(folder) / "campaign")
        return (Path(folder) / "campaign" / "report.html").read_text(encoding="utf-8")


def main(names: list[str]) -> int:
    from playwright.sync_api import sync_playwright

    browser_path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if browser_path is None:
        print("no chromium on this machine", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path,
            args=["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader"],
        )
        for name, make, part in pages():
            if names and name not in names:
                continue
            page_file = Path(folder) / "page.html"
            page_file.write_text(make(), encoding="utf-8")
            page = browser.new_page(
                viewport={"width": 1180, "height": 900},
                color_scheme="light",
                reduced_motion="reduce",  # replays stay at the instant of the largest force
                device_scale_factor=1.5,
            )
            page.goto(page_file.as_uri())
            page.wait_for_selector("html[data-drawn=yes]")
            if "figure" in part and page.locator(part).get_attribute("data-replay"):
                page.evaluate("document.querySelector('figure[data-replay]').player.build()")
                page.wait_for_selector("figure[data-ready=yes]")
            page.locator(part).screenshot(path=HERE / name)
            print(f"{name} ({(HERE / name).stat().st_size / 1e3:.0f} kB)")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
