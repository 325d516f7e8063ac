"""docs/campaigns.md stays true: its keys, columns, presets and its example are those of the
code."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOME_COLUMNS, OUTCOMES
from softdock.studies.campaign.checking import CHECKED
from softdock.studies.campaign.digest import MOST_ROWS
from softdock.studies.campaign.engines import BACKENDS, MUCH
from softdock.studies.campaign.outcome import ACTIVE
from softdock.studies.campaign.outcomes import list_columns
from softdock.studies.campaign.plan import load_plan
from softdock.studies.campaign.spec import KEYS, list_presets
from softdock.studies.campaign.user_outcomes import load_own

PAGE = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())  # wherever its lines end


def read_first_cells(heading: str) -> list[str]:
    """Code words in the first column of the table under a row of headings."""
    table = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n")[0]
    return [
        word
        for line in table.splitlines()[2:]
        for word in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]


@pytest.mark.parametrize(
    ("heading", "known"),
    [
        ("key", list(KEYS)),
        ("column", [outcome.name for outcome in list_columns(reference=True)]),
        ("preset", list_presets()),
        ("backend", list(BACKENDS)),
    ],
)
def test_a_table_lists_what_there_is(heading, known):
    """Protects the page's tables: no key, column, preset or backend is missing from it, none is
    invented."""
    assert sorted(read_first_cells(heading)) == sorted(known)


def test_numbers_in_the_text_are_the_codes():
    """Protects the numbers in the page's sentences: a constant that changes in the code changes
    there."""
    assert f"{100 * ACTIVE:g} % of the energy at the start" in PROSE
    assert f"{MOST_ROWS:,} runs" in PROSE
    assert f"more than {MUCH:g} cycles".replace("2e+09", "2e9") in PROSE
    assert f"an even sample of {CHECKED} runs" in PROSE


def test_the_example_file_can_be_planned(tmp_path):
    """Protects whoever copies the page's campaign file: it is read and planned as it stands."""
    file = tmp_path / "my_campaign.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", PAGE, re.S).group(1))
    plan = load_plan(file)
    assert plan.runs == 2000
    assert plan.spec.reference


def test_the_example_outcome_compiles(tmp_path):
    """Protects whoever copies the page's own outcome: softdock loads it, Numba compiles it, and the
    names stand for the right columns."""
    code = next(
        block for block in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "def " in block
    )
    file = tmp_path / "mine.py"
    file.write_text(code)
    (name, loop), *others = load_own(file, 0).items()
    assert (name, others) == ("second_touch_s", [])
    outcomes, logs, found = np.zeros((2, OUTCOMES)), np.zeros((2, 4, len(LOG_COLUMNS))), np.zeros(2)
    outcomes[1, OUTCOME_COLUMNS.index("contacts")] = 2.0
    logs[1, 1, LOG_COLUMNS.index("start_s")] = 7.0
    loop(outcomes, logs, np.zeros((2, 0)), found)
    assert found.tolist() == [-1.0, 7.0]
