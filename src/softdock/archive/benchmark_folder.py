"""A benchmark on disk: its results as JSON and its page, beside the cells they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softdock.benchmark.folder import PAGE, RESULTS
from softdock.benchmark.results import Results, to_json
from softdock.files.atomic import write_whole
from softdock.report.benchmark.page import benchmark_page


def save_benchmark(results: Results, folder: Path, since: Mapping[str, Any] | None = None) -> Path:
    """Results, then the page, each whole or not at all. Returns the page's path."""
    write_whole(folder / RESULTS, to_json(results).encode())
    return save_page(results, folder / PAGE, since)


def save_page(results: Results, file: Path, since: Mapping[str, Any] | None = None) -> Path:
    """The page alone, from results that were read."""
    write_whole(file, benchmark_page(results, since).encode())
    return file
