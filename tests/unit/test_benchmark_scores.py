"""Scores, sentences, page and comparison of a benchmark, from made-up cells: nothing is run."""

from __future__ import annotations

import copy
import json

import pytest

from softdock import BadInput, load_scenario
from softdock.output.pages.benchmark import benchmark_page, cumulative_shares
from softdock.scenario.files import parse_changes
from softdock.studies.benchmark import plan
from softdock.studies.benchmark.cell import CANNOT, make_refusal
from softdock.studies.benchmark.plan import Entry, check_levels, choose_cases, list_entries
from softdock.studies.benchmark.replay import format_command, format_inline
from softdock.studies.benchmark.results import (
    compare_results,
    describe_changes,
    read_results,
    to_json,
)
from softdock.studies.benchmark.scores import (
    count_by_group,
    count_within_by_any,
    describe_winner,
    list_remarks,
    make_leaderboard,
)

LEVELS = ["none", "wrong", "exact"]


def outcome(distance, status="completed", energy=0.01):
    row = make_refusal(status, "") | {"distance": distance, "energy_share": energy, "runs": 8}
    return row | {"peak_force_error": -0.02, "word": "distorted", "changes": {"methods": []}}


def made(distances):
    """Results of entries on cases a, b, c; `distances`: entry -> three numbers, or None: it
    cannot run without parameters."""
    cells = []
    for entry, row in distances.items():
        for case, far in zip("abc", row or (1.0, 1.0, 1.0), strict=True):
            rows = {level: outcome(far) for level in LEVELS}
            if row is None:
                rows["none"] = make_refusal(CANNOT, "it needs the delay")
            cost = {"ns_per_cycle": 300.0, "ratio_to_direct": 1.5}
            cells.append({"case": case, "entry": entry, "knowledge": rows, "cost": cost})
    cases = [
        {
            "name": name,
            "group": "law" if name < "c" else "friction",
            "source": f"benchmark:{name}",
            "description": f"case {name}",
            "reason": f"because of {name}",
            "digest": name,
            "bound": 0.004 if name == "c" else None,
        }
        for name in "abc"
    ]
    entries = [
        {"label": e, "methods": [e], "settings": {}, "summary": e, "knows": "no parameter"}
        for e in distances
    ]
    return {
        "format": "softdock benchmark",
        "schema": 1,
        "softdock": "0",
        "core": "abc",
        "versions": {"python": "3", "numpy": "2", "numba": "0"},
        "set_version": 1,
        "seed": None,
        "random": 0,
        "phases": None,
        "knowledge": LEVELS,
        "jobs": 1,
        "wall_s": 1.0,
        "cpu_s": 1.0,
        "method_files": [],
        "cases": cases,
        "entries": entries,
        "cells": cells,
    }


@pytest.fixture
def results():
    return made({"direct": (0.2, 0.3, 0.4), "good": (5e-4, 0.009, 0.02), "knowing": None})


def test_a_method_that_needs_parameters_has_no_row_without_them(results):
    """A leaderboard compares methods that knew the same: one that needs parameters is not ranked
    without."""
    assert [row["label"] for row in make_leaderboard(results, "none")] == ["good", "direct"]
    assert len(make_leaderboard(results, "exact")) == 3


def test_counts_median_and_worst_are_of_all_cases(results):
    """Protects a method's row: counts, median, worst and peak error are over all of its cases."""
    best = make_leaderboard(results, "none")[0]
    assert (best["within_1"], best["within_01"], best["cases"]) == (2, 1, 3)
    assert (best["median"], best["worst"], best["peak_error"]) == (0.009, 0.02, 0.02)
    assert count_by_group(results, "none")["good"] == {"law": (2, 2), "friction": (0, 1)}
    assert count_within_by_any(results, "none") == 2


@pytest.mark.parametrize(
    "lost", [outcome(None), outcome(1e-9, "diverged"), make_refusal(CANNOT, "why")]
)
def test_a_case_without_an_end_is_a_miss_and_infinitely_far(results, lost):
    """A method cannot rise by refusing, or by diverging near orbit."""
    results["cells"][3]["knowledge"]["none"] = lost  # `good` on a
    best = next(r for r in make_leaderboard(results, "none") if r["label"] == "good")
    assert (best["within_1"], best["within_01"], best["ran"]) == (1, 0, 2)
    assert best["worst"] is None
    assert best["median"] == 0.02


def test_every_sentence_follows_the_numbers(results):
    """Sabotage: one distance changed in the cells, and answer, bullets and page say so."""
    before = describe_winner(results), list_remarks(results), benchmark_page(results)
    assert "good ranks first: 2 of 3 cases have an error within 1 %" in before[0]
    assert "the raw loop has 0 within 1 %" in before[0]
    changed = copy.deepcopy(results)
    changed["cells"][5]["knowledge"]["none"]["distance"] = 0.0099  # `good` on c
    after = describe_winner(changed), list_remarks(changed), benchmark_page(changed)
    assert "good ranks first: 3 of 3 cases have an error within 1 %" in after[0]
    assert before[1] != after[1]
    assert describe_winner(changed) in after[2]
    assert describe_winner(results) not in after[2]
    assert "0.99 %" in after[2]
    assert "0.99 %" not in before[2]


def test_the_page_has_every_cell_with_its_command_and_the_bound(results):
    """Protects the page: every cell has the command that makes it again, its bound, and why."""
    page = benchmark_page(results)
    assert page.count("softdock run benchmark:") == 3 * 3  # all levels of a cell are alike
    every = "with no prior knowledge, with 10 % errors, with exact parameters"
    assert page.count(every) == 3 * 2 + 1  # and once in how the benchmark was made
    results["cells"][0]["knowledge"]["wrong"]["distance"] = 0.5  # `direct` on a
    assert benchmark_page(results).count("softdock run benchmark:a") == 3 + 1
    assert page.count("because of") == 3
    assert "bound by noise" in page
    assert "no unbiased estimator has a root mean square below 0.4 %" in page
    assert "it needs the delay" in page


def test_since_then_compares_what_both_have(results):
    """A case whose keys have changed is left out, and a cell that crossed 1 % is named."""
    before = copy.deepcopy(results)
    before["cells"][4]["knowledge"]["none"]["distance"] = 0.5  # `good` on b
    before["cases"][2]["digest"] = "another"
    found = compare_results(results, before)
    assert (found["cases"], found["cases_left_out"]) == (2, ["c"])
    assert [(c["case"], c["entry"], c["level"]) for c in found["crossed"]] == [
        ("b", "good", "none")
    ]
    assert "1 came within" in describe_changes(found)
    assert "0 left" in describe_changes(found)
    assert describe_changes(found) in benchmark_page(results, found)
    assert "no error has changed" in describe_changes(compare_results(results, results))


def test_a_file_of_results_that_was_changed_cut_or_is_none_is_refused(results, tmp_path):
    """Results that were edited, cut or are something else are refused, and whole ones read back."""
    file = tmp_path / "benchmark.json"
    file.write_text(to_json(results))
    assert read_results(file) == json.loads(json.dumps(results))
    assert read_results(tmp_path) == read_results(file)
    file.write_text(to_json(results).replace("0.009", "0.008"))
    with pytest.raises(BadInput, match="this file was changed"):
        read_results(file)
    file.write_text(to_json(results)[:-40])
    with pytest.raises(BadInput, match="cut or no JSON"):
        read_results(file)
    file.write_text("{}")
    with pytest.raises(BadInput, match="the results of a benchmark"):
        read_results(file)
    file.write_text(to_json(results | {"schema": 99}))
    with pytest.raises(BadInput, match="version 1 or older"):
        read_results(file)
    with pytest.raises(BadInput, match="--against"):
        read_results(tmp_path / "nothing.json", "--against")


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda: list_entries("direct,energy_leger"), "did you mean 'energy_ledger'"),
        (lambda: list_entries("direct+direct"), "each method once"),
        (lambda: list_entries("direct", ["x=energy_ledger"]), "LABEL=METHOD:KEY=VALUE"),
        (lambda: list_entries("direct", ["x=nobody:form=clamp"]), "nobody"),
        (lambda: list_entries("direct", ["direct=energy_ledger:form=clamp"]), "a label"),
        (lambda: list_entries("direct", ["a b=energy_ledger:form=clamp"]), "letters"),
        (lambda: choose_cases("lossless_16"), "did you mean 'lossless_16ms'"),
        (lambda: choose_cases("lossless_16ms,lossless_16ms"), "each case once"),
        (lambda: choose_cases("none"), "at least one case"),
        (lambda: choose_cases("not_there.toml"), "not_there.toml"),
        (lambda: check_levels("exact,nought"), "nought"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(ask, match):
    """Unknown methods, cases and levels are refused with those that there are."""
    with pytest.raises(BadInput, match=match):
        ask()


def test_a_variant_is_an_entry_of_its_own():
    """A method with other settings is ranked beside the plain one, under its own name."""
    plain, variant = list_entries("energy_ledger", ["clamped=energy_ledger:form=clamp;loan=0.0"])
    assert (plain.label, plain.settings) == ("energy_ledger", {})
    assert (variant.label, variant.methods) == ("clamped", ("energy_ledger",))
    assert variant.settings == {"form": "clamp", "loan": 0.0}


def test_a_change_on_the_command_line_is_the_value_to_the_last_bit():
    """What `--set` reads is what the cell ran with: nested tables, words, numbers, lists."""
    value = [{"name": "a", "x": 0.1 + 0.2, "on": True, "n": 3, "deep": {"law": "b", "k": [1e-9]}}]
    assert parse_changes([f"methods={format_inline(value)}"]) == {"methods": value}
    line = format_command("benchmark:a", {"methods": value}, ["my file.py"])
    assert line.startswith('softdock run benchmark:a --set \'methods=[{ name = "a"')
    assert line.endswith("--method-file 'my file.py'")
    assert format_command("benchmark:a", {"methods": value, "contact.0.wanted": {}}) == ""


def test_a_profile_ends_at_the_share_that_has_a_distance():
    """Cases without a distance count in the share, so that a profile ends below 100 %."""
    x, y = cumulative_shares([1e-9, 0.01, float("inf"), float("inf")])
    assert x.tolist() == pytest.approx([1e-4, 1e-4, 1.0, 1000.0])
    assert y.tolist() == pytest.approx([0.0, 25.0, 50.0, 50.0])


def test_a_method_without_parameters_runs_without_them():
    """`model_mediated` puts a contact in the real one's place as the re-mapping does, but one that
    it has identified: it belongs on the leaderboard of those without prior knowledge."""
    case = load_scenario("benchmark:lossless_16ms")
    refusal = plan.prepare_entries(case, Entry("remapping", ("remapping",)), plan.NONE)
    assert isinstance(refusal, str)
    assert "it needs" in refusal
    ready = plan.prepare_entries(case, Entry("model_mediated", ("model_mediated",)), plan.NONE)
    assert not isinstance(ready, str)
    assert len(ready) == 1
