"""`softdock network`: the six steps from a network's description to its passive sampled step, and
its bond graph."""

from __future__ import annotations

from pathlib import Path

import click

from softdock.cli.arguments import OUT_FILE
from softdock.cli.progress import console, echo, show_status


@click.command(short_help="Analyse a port-Hamiltonian network of your own.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--period-ms",
    type=float,
    default=1.0,
    show_default=True,
    help="Sample period, for warnings about what it cannot resolve.",
)
@click.option("--svg", type=OUT_FILE, metavar="FILE", help="Write the bond graph here.")
def network(file: Path, period_ms: float, svg: Path | None) -> None:
    """Analyse the port-Hamiltonian network in the TOML file FILE (docs/ports.md): model, causality,
    energy functions, hierarchy and energy balance."""
    with show_status("analysing"):
        from softdock.errors import BadInput, Problem, printable
        from softdock.files.atomic import write_whole
        from softdock.networks.resolution import warnings_of
        from softdock.scenario.network_file import load_network

        if not period_ms > 0.0:
            raise BadInput(Problem("period-ms", period_ms, "a number > 0 [ms]"))
        found = load_network(file)
        text = found.describe()
        if svg is not None:
            write_whole(svg, found.svg().encode(), "svg")
    echo(printable(text, len(text)) + "\n")
    for warning in warnings_of(found, 1e-3 * period_ms):
        console.print(f"warning: {warning}", markup=False, soft_wrap=True)
