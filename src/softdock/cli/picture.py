"""`softdock picture`: a run as a picture or an animation, without a browser."""

from __future__ import annotations

from pathlib import Path

import click

from softdock.cli.arguments import CHANGES, METHOD_FILES, load_methods
from softdock.cli.compile_ahead import start_numba
from softdock.cli.progress import output, show_status


@click.command(short_help="Draw a run as PNG, SVG, GIF or MP4.")
@click.argument("source", metavar="SCENARIO|PRESET|FOLDER|MCAP")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE|DIR")
@CHANGES
@METHOD_FILES
@click.option(
    "--camera",
    default="",
    help="contact, rig, satellites or top. [default: contact; rig where no shape is described]",
)
@click.option("--dark", is_flag=True, help="On dark.")
@click.option("--at", "time", type=float, help="Time of one picture [s]. [default: largest force]")
@click.option(
    "--size",
    nargs=2,
    type=click.IntRange(16, 4096),
    default=(720, 404),
    show_default=True,
    help="Width and height in pixels.",
)
def picture(
    source: str,
    file: Path,
    changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    camera: str,
    dark: bool,
    time: float | None,
    size: tuple[int, int],
) -> None:
    """Draw a scenario, the run in a folder, or a recording (MCAP) into FILE.

    .png and .svg are one picture; .gif is an animation that slows down in contacts; .mp4 the same,
    where ffmpeg is installed; without an ending, a folder of numbered PNGs. Name, time, force and
    speed are written on it. Needs no browser.
    """
    from softdock.results.scene.export import check_export, export

    check_export(file)
    with show_status(f"drawing {source}") as update:
        start_numba()
        from softdock.output.folders.sources import load_scene

        load_methods(method_files)
        scene = load_scene(source, changes)
        count = export(
            scene,
            file,
            camera,
            "dark" if dark else "light",
            time,
            size,
            report=lambda drawn, count: update(f"drawing {source}: picture {drawn + 1} of {count}"),
        )
    output().print(f"{file}: {count} picture{'' if count == 1 else 's'}", markup=False)
