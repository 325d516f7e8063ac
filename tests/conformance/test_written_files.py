"""What a person writes that is no Python: styles, scripts, presets, the Makefile."""

from __future__ import annotations

import re

from house import CHECKOUT

MOST_LINES, MOST_COLUMNS = 300, 100
WRITTEN = ["Makefile", "pyproject.toml", ".ci/run"]
FOLDERS = {"src": ("css", "js", "toml"), "examples": ("toml",), "benchmarks": ("toml",)}
MADE = ("min.js", "found/")  # by a program: libraries, and files that once broke something
ONE_TEXT = re.compile(r'\s*(\w+ = )?"[^"]*",?\s*')  # which TOML has no line break for


def written():
    """Hand-written files by their path in the checkout."""
    paths = [CHECKOUT / name for name in WRITTEN if (CHECKOUT / name).exists()]
    for folder, ends in FOLDERS.items():
        paths += [path for end in ends for path in sorted((CHECKOUT / folder).rglob(f"*.{end}"))]
    names = {str(path.relative_to(CHECKOUT)): path for path in paths}
    return {name: path for name, path in names.items() if not any(one in name for one in MADE)}


def too_wide(text):
    """Numbers of the lines that are wider than two files side by side allow."""
    return [
        i
        for i, line in enumerate(text.splitlines(), 1)
        if len(line) > MOST_COLUMNS and not ONE_TEXT.fullmatch(line)
    ]


def test_written_files_are_short_and_narrow():
    """Protects reading, as of Python files: pages' styles and scripts, presets and settings."""
    found = written()
    assert {"src/softdock/report/assets/page.css", "Makefile"} <= set(found)
    assert len(found) > 80
    texts = {name: path.read_text(encoding="utf-8") for name, path in found.items()}
    assert {name: wide for name, text in texts.items() if (wide := too_wide(text))} == {}
    assert [name for name, text in texts.items() if text.count("\n") > MOST_LINES] == []


def test_a_wide_line_is_found():
    """The test above can fail; a text that cannot be broken may be long."""
    assert too_wide(f"a\n{'b' * 101}\n") == [2]
    assert too_wide(f'description = "{"b" * 101}"\n') == []
    assert too_wide(f'x = "{"b" * 101}" # and a remark\n') == [1]
