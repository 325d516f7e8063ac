"""A comparison on disk: its page, its numbers as JSON, and the scenario."""

from __future__ import annotations

from pathlib import Path

from softdock.comparison.result import Comparison
from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.report.comparison.page import comparison_page
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import files_of, kept

RESULTS_FILE, PAGE_FILE, SCENARIO_FILE = "comparison.json", "comparison.html", "scenario.toml"


def save_comparison(comparison: Comparison, folder: str | Path, force: bool = False) -> Path:
    """Page, JSON and scenario, and the files of the user's own methods, each whole or not at all.
    Refuses a folder that has something in it, unless `force`. Returns its path."""
    path = make_folder(folder, force)
    write_whole(path / SCENARIO_FILE, to_toml(comparison.scenario.tables).encode())
    methods = {name for row in comparison.ranked for name in row["method"].split("+")}
    for name, data in kept(files_of(sorted(methods))).items():
        (path / name).parent.mkdir(exist_ok=True)
        write_whole(path / name, data)
    write_whole(path / RESULTS_FILE, comparison.to_json().encode())
    write_whole(path / PAGE_FILE, comparison_page(comparison).encode())
    leave_folder(path)
    return path
