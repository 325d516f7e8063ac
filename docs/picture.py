"""Pictures of the docs: `make picture`. Pages made afresh, opened in the system's chromium, and a
part of each photographed: the demo's curves, the trade."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


def pages() -> Iterator[tuple[str, str, str]]:
    """File of the picture, HTML of the page, and what is photographed of it."""
    from softdock.comparison.demonstration import demonstrate
    from softdock.papers.frame import load_paper, paper_page, regenerate
    from softdock.report.demo.page import demo_page

    yield "demo.png", demo_page(*demonstrate()), "#curves .grid"
    paper = load_paper("de-stefano")
    yield "trade.png", paper_page(paper, regenerate(paper, ["trade"])), "figure:has(#chart-trade)"


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
        for name, html, part in pages():
            if names and name not in names:
                continue
            page_file = Path(folder) / "page.html"
            page_file.write_text(html, encoding="utf-8")
            page = browser.new_page(
                viewport={"width": 1180, "height": 900},
                color_scheme="light",
                device_scale_factor=1.5,
            )
            page.goto(page_file.as_uri())
            page.wait_for_selector("html[data-drawn=yes]")
            page.locator(part).screenshot(path=HERE / name)
            print(f"{name} ({(HERE / name).stat().st_size / 1e3:.0f} kB)")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
