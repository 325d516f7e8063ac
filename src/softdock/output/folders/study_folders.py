"""Folders of a comparison and of a benchmark: page, numbers as JSON, scenario."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.output.pages.benchmark import benchmark_page
from softdock.output.pages.comparison import comparison_page
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import files_of, kept
from softdock.studies.benchmark.folder import PAGE, RESULTS
from softdock.studies.benchmark.results import Results, to_json
from softdock.studies.compare.compare import Comparison


def save_benchmark(results: Results, folder: Path, since: Mapping[str, Any] | None = None) -> Path:
    """Write results and page, each whole or not at all. Returns the page's path."""
    write_whole(folder / RESULTS, to_json(results).encode())
    return save_benchmark_page(results, folder / PAGE, since)


def save_benchmark_page(
    results: Results, file: Path, since: Mapping[str, Any] | None = None
) -> Path:
    """Write the page of stored results."""
    write_whole(file, benchmark_page(results, since).encode())
    return file


RESULTS_FILE, PAGE_FILE, SCENARIO_FILE = "comparison.json", "comparison.html", "scenario.toml"


def save_comparison(comparison: Comparison, folder: str | Path, force: bool = False) -> Path:
    """Write page, JSON, scenario and the user's method files, each whole or not at all. Refuses a
    folder that is not empty, unless `force`. Returns its path."""
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
