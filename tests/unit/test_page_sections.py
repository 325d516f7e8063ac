"""The page of a run is a list of sections, and the commands are a list of names."""

from __future__ import annotations

import click
import numpy as np
from click.testing import CliRunner

import softdock
from softdock.cli import main
from softdock.output.pages.frame.charts import Line, chart
from softdock.output.pages.run.page import SECTIONS, Section, run_page


def test_a_listed_section_is_on_the_page(monkeypatch):
    """Protects the recipe for a chart: one function, one entry in the list; an empty one is left
    out."""
    drawn = Section(
        "mine",
        "Heading of mine",
        lambda told: chart(
            "my-chart",
            "Chart of mine",
            [Line("line of mine", "c1", np.arange(3.0), told.run.series["time"][:3])],
            "time [s]",
            "mine [-]",
        ),
    )
    empty = Section("empty", "Heading of nothing", lambda told: "")
    monkeypatch.setattr("softdock.output.pages.run.page.SECTIONS", [*SECTIONS, drawn, empty])
    page = run_page(softdock.simulate(softdock.load_scenario("epos_1d")))
    for words in ("Heading of mine", "Chart of mine", "line of mine", "my-chart"):
        assert words in page
    assert "Heading of nothing" not in page


@click.command()
def mine():
    """A command of this test."""
    click.echo("mine was called")


def test_a_listed_command_is_called_and_helped(monkeypatch):
    """Protects the recipe for a command: one file, one line in the list."""
    monkeypatch.setitem(main.LAZY, "mine", f"{__name__}:mine")
    runner = CliRunner()
    assert "A command of this test." in runner.invoke(main.cli, ["--help"]).output
    assert "mine was called" in runner.invoke(main.cli, ["mine"]).output
    assert "Did you mean 'mine'?" in runner.invoke(main.cli, ["mein"]).output


def test_every_command_has_a_sentence_of_help():
    """Protects `softdock --help`: every listed command is there and says what it does."""
    context = click.Context(main.cli)
    for name in main.LAZY:
        command = main.cli.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(), name
