"""Pictures and animations of a run, drawn without a browser.

`.png`: one frame; `.gif`: an animation that slows down in contacts; both with numpy and the
standard library alone; `.mp4`: the same through ffmpeg, where it is installed; `.svg`: one frame as
a drawing; a folder: every picture of the animation as a numbered PNG.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable, write_whole
from softdock.files.folders import ensure_folder
from softdock.scene.image_files import gif, png
from softdock.scene.model import Scene
from softdock.scene.poster import poster, poster_frame
from softdock.scene.raster import PALETTES, picture

EXPORT = "export"  # key of a refusal
KINDS = (".png", ".svg", ".gif", ".mp4")
PICTURES_PER_S = 12.0
CONTACT_S, FLIGHT_S = 2.0, 5.0  # a contact lasts at least, the flight at most, on the screen
SIZE = (720, 404)


def check_export(file: Path) -> None:
    """Refuse what cannot be written, before any work."""
    kind = file.suffix.lower()
    if kind and kind not in KINDS:
        allowed = "a folder, or a file that ends in " + ", ".join(KINDS)
        raise BadInput(Problem(EXPORT, str(file), allowed))
    if kind == ".mp4" and shutil.which("ffmpeg") is None:
        allowed = "a .gif: MP4 needs ffmpeg, which is not installed here"
        raise BadInput(Problem(EXPORT, str(file), allowed))
    refuse_unwritable(file, EXPORT, folder=not kind)


def export(
    scene: Scene,
    file: Path,
    view: str = "",
    theme: str = "light",
    time: float | None = None,
    size: tuple[int, int] = SIZE,
) -> int:
    """Write a picture or an animation; returns how many were drawn. `time`: of one picture."""
    check_export(file)
    if view and view not in scene.views:
        raise BadInput(Problem("view", view, "one of " + ", ".join(scene.views)))
    if theme not in PALETTES:
        raise BadInput(Problem("theme", theme, "one of " + ", ".join(PALETTES)))
    kind = file.suffix.lower()
    frame = poster_frame(scene) if time is None else scene.frame_at(time)
    if kind == ".png":
        write_whole(file, png(picture(scene, frame, size, view, theme)), EXPORT)
        return 1
    if kind == ".svg":
        write_whole(file, standing_svg(scene, view, frame, theme).encode(), EXPORT)
        return 1
    times = screen_times(scene)
    drawn = (picture(scene, scene.frame_at(t), size, view, theme) for t in times)
    if kind == ".gif":
        write_whole(file, gif(drawn, [1.0 / PICTURES_PER_S] * len(times)), EXPORT)
    elif kind == ".mp4":
        _film(file, drawn, size)
    else:
        ensure_folder(file)
        for i, pixels in enumerate(drawn):
            write_whole(file / f"frame_{i:05d}.png", png(pixels), EXPORT)
    return len(times)


def screen_times(scene: Scene) -> list[float]:
    """Instants of the run, one a picture: contacts slowly, flights fast."""
    start, end = float(scene.time[0]), float(scene.time[-1])
    windows = [(max(a, start), min(b, end)) for a, b in scene.contacts if b > a]
    busy = sum(b - a for a, b in windows)
    flight = max((end - start - busy) / FLIGHT_S, 1.0)
    times, t = [], start
    while t < end:
        times.append(t)
        length = next((b - a for a, b in windows if a <= t < b), None)
        rate = flight if length is None else min(max(length / CONTACT_S, 1e-3), 1.0)
        nearest = min([a for a, _ in windows if a > t], default=end)
        t = min(t + rate / PICTURES_PER_S, nearest if length is None else end)
    return [*times, end]


def standing_svg(scene: Scene, view: str, frame: int, theme: str) -> str:
    """The poster with its own style, so that it stands without a page."""
    palette = {role: "#{:02x}{:02x}{:02x}".format(*rgb) for role, rgb in PALETTES[theme].items()}
    names = "".join(f"--{role}:{colour};" for role, colour in palette.items())
    shades = ((38, "#000"), (46, "#000"), (56, "#000"), (70, "#000"), (86, "#000"), (100, "#000"))
    mixed = [*shades, (88, "#fff"), (76, "#fff")]
    rules = [f".poster{{{names}background:var(--back)}}"]
    rules += [f".r-{role}{{--k:var(--{role})}}" for role in palette]
    rules += [
        f".k{i}{{fill:color-mix(in srgb,var(--k) {part}%,{other})}}"
        for i, (part, other) in enumerate(mixed)
    ]
    rules += [".floor{fill:none;stroke:var(--floor)}", ".head{fill:var(--k)}"]
    rules.append(".line{fill:none;stroke:var(--k);stroke-width:3}")
    drawing = poster(scene, view, frame)
    head, _, rest = drawing.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{"".join(rules)}</style>{rest}'


def _film(file: Path, drawn: Iterator[np.ndarray], size: tuple[int, int]) -> None:
    """Raw pictures into ffmpeg."""
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{size[0]}x{size[1]}", "-r", f"{PICTURES_PER_S:g}", "-i", "-"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as film:
        assert film.stdin is not None
        for pixels in drawn:
            film.stdin.write(pixels.tobytes())
        film.stdin.close()
    if film.returncode != 0:
        raise BadInput(Problem(EXPORT, str(file), "a file that ffmpeg can write"))
