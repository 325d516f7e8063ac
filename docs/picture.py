"""The README's picture: `make picture`. The demo's page, made afresh, opened in the system's chromium, its curves photographed."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

FILE = Path(__file__).with_name("demo.png")


def main() -> int:
    from playwright.sync_api import sync_playwright

    from softdock.comparison.demonstration import demonstrate
    from softdock.report.demo_page import demo_page

    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser_path is None:
        print("no chromium on this machine", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "demo.html"
        page_file.write_text(demo_page(*demonstrate()), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader"])
        page = browser.new_page(viewport={"width": 1180, "height": 900}, color_scheme="light", device_scale_factor=1.5)
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-drawn=yes]")
        page.locator("#curves .grid").screenshot(path=FILE)
        browser.close()
    print(f"{FILE} ({FILE.stat().st_size / 1e3:.0f} kB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
