"""Places that cannot be written or read, given to every command that takes one: found by walking
the commands, so that a new one is tested without a line here."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from softdock.cli.arguments import OutPath
from softdock.cli.main import cli, main

GIVEN = {"SCENARIO|PRESET": "epos_1d", "PAPER": "zebenay", "RIG|PRESET": "loopback"}


def commands(
    command: click.Command = cli, *path: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, *path, name)


def places() -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    """Every parameter of a command that names a file or a folder."""
    for words, command in commands():
        for parameter in command.params:
            if isinstance(parameter.type, click.Path):
                yield words, parameter


def line(words: tuple[str, ...], asked: click.Parameter, value: str) -> list[str]:
    """A command line with the value in its place, and something in those that must be there."""
    arguments: list[str] = []
    context = click.Context(cli)
    for name in words:
        context = click.Context(context.command.get_command(context, name))
    for parameter in context.command.params:
        if isinstance(parameter, click.Argument):
            if parameter is asked or parameter.name == asked.name:
                arguments.append(value)
            elif parameter.required:
                arguments.append(GIVEN.get(str(parameter.metavar), "epos_1d"))
        elif parameter.name == asked.name:
            arguments += [parameter.opts[0], value]
    return [*words, *arguments]


@pytest.mark.parametrize(
    ("words", "parameter"),
    [pytest.param(*one, id=" ".join([*one[0], str(one[1].name)])) for one in places()],
)
def test_a_place_that_cannot_be_is_refused_before_any_work(words, parameter, tmp_path):
    """A name of 300 characters, a folder of the kernel's, a file as a folder, a device: one message
    that names the option, exit code 2, nothing left behind."""
    (tmp_path / "file").write_text("")
    for bad in (
        f"{tmp_path}/{'x' * 300}.toml",
        "/proc/x.toml",
        f"{tmp_path}/file/x.toml",
        "/dev/full",
    ):
        done = CliRunner().invoke(cli, line(words, parameter, bad))
        assert done.exit_code == 2, (bad, done.output, done.exception)
        assert isinstance(done.exception, SystemExit), (bad, done.exception)
        if isinstance(parameter.type, OutPath):
            assert "that can be written (" in done.output, (bad, done.output)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def ended(arguments: list[str], output: str | None, errors: str, tmp_path) -> int:
    """The exit code of a command in a fork of this process, with standard output and standard
    error at these places; None: closed."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.chdir(tmp_path)
            os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
            sys.stderr = open(2, "w", encoding="utf-8")  # noqa: SIM115
            if output is None:
                os.close(1)
                sys.stdout = None  # as Python starts then
            else:
                os.dup2(os.open(output, os.O_WRONLY), 1)
                sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
            sys.argv = ["softdock", *arguments]
            main()
        except SystemExit as error:
            code = int(error.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            try:  # as Python does at its end
                if sys.stdout is not None:
                    sys.stdout.flush()
            except OSError:
                code = 120
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


WORK = (["scenarios"], ["show", "epos_1d"], ["check", "epos_1d"], ["new", "a.toml", "--no-ask"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("arguments", WORK, ids=" ".join)
def test_an_output_that_takes_nothing_ends_in_one_message(arguments, tmp_path):
    """Standard output on a full disc: exit code 2 and its name; closed: as if nobody looked. Never
    a traceback, also where standard error is full too."""
    said = tmp_path / "said"
    assert ended(arguments, "/dev/full", str(said), tmp_path) == 2
    assert said.read_text().count("standard output: the system refuses it") == 1
    assert "Traceback" not in said.read_text()
    assert ended(arguments, "/dev/full", "/dev/full", tmp_path) == 2
    said.unlink()
    (tmp_path / "a.toml").unlink(missing_ok=True)
    assert ended(arguments, None, str(said), tmp_path) == 0
    assert "Traceback" not in said.read_text()


def test_every_command_says_once_that_its_output_is_full(tmp_path):
    """One message and exit code 2 for whatever command, here for its help."""
    for words, _ in commands():
        said = tmp_path / "-".join(words)
        assert ended([*words, "--help"], "/dev/full", str(said), tmp_path) == 2
        assert said.read_text().count("the system refuses it") == len(said.read_text().splitlines())
