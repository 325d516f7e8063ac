"""Pictures and animations of a run, drawn without a browser.

`.png`: one frame; `.gif`: an animation that slows down in contacts; `.mp4`: the same through
ffmpeg, if it is installed; `.svg`: one frame as a drawing; a folder: every picture of the animation
as a numbered PNG.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from softdock.errors import BadInput, Problem, printable
from softdock.files.atomic import refuse_unwritable, write_whole
from softdock.files.folders import ensure_folder
from softdock.results.scene.model import Scene
from softdock.results.scene.poster import SIZE as POSTER_SIZE
from softdock.results.scene.poster import choose_poster_frame, draw_poster
from softdock.results.scene.raster import PALETTES, draw_picture

COLOURS = 256  # of a GIF
SAMPLES = 12  # pictures of an animation from which its palette is taken


def encode_png(pixels: np.ndarray) -> bytes:
    """PNG file of RGB pixels (height, width, 3) of 8 bits."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def encode_gif(
    frames: Iterable[np.ndarray], delays_s: Iterable[float], samples: Sequence[np.ndarray]
) -> bytes:
    """GIF file of frames of equal size, each shown for its delay (steps of 10 ms), repeating. All
    have one palette, made of the colours of `samples`, so that nothing flickers. Frames that are
    alike become one with the sum of their delays."""
    palette = _make_palette(samples)
    images = (
        Image.fromarray(pixels).quantize(palette=palette, dither=Image.Dither.NONE)
        for pixels in frames
    )
    delays_ms = [10 * max(2, round(100.0 * delay)) for delay in delays_s]
    file = BytesIO()
    next(images).save(
        file,
        "GIF",
        save_all=True,
        append_images=images,
        duration=delays_ms,
        loop=0,
        optimize=False,
    )
    return file.getvalue()


def _make_palette(samples: Sequence[np.ndarray]) -> Image.Image:
    """An image with the palette: the commonest colours of the samples as they are, so that large
    areas are right, and those that cover the others best."""
    colours, counts = np.unique(
        np.concatenate([pixels.reshape(-1, 3) for pixels in samples]), axis=0, return_counts=True
    )
    common = colours[np.argsort(-counts, kind="stable")[: COLOURS // 2]]
    rest = Image.fromarray(colours[None]).quantize(COLOURS - len(common))
    image = Image.new("P", (1, 1))
    image.putpalette([*common.ravel().tolist(), *(rest.getpalette() or [])][: 3 * COLOURS])
    return image


EXPORT = "export"  # key of a refusal
KINDS = (".png", ".svg", ".gif", ".mp4")
PICTURES_PER_S = 12.0
CONTACT_S, FLIGHT_S = 2.0, 5.0  # a contact lasts at least, the flight at most, on the screen
SIZE = (720, 404)


def check_export(file: Path) -> None:
    """Refuse a file that cannot be written, before any work."""
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
    camera: str = "",
    theme: str = "light",
    time: float | None = None,
    size: tuple[int, int] = SIZE,
    report: Callable[[int, int], None] = lambda drawn, count: None,
) -> int:
    """Write a picture or an animation; returns the number of pictures. `time`: of a single
    picture; `report`: told how many of how many pictures are drawn."""
    check_export(file)
    if camera and camera not in scene.views:
        raise BadInput(Problem("camera", camera, "one of " + ", ".join(scene.views)))
    if theme not in PALETTES:
        raise BadInput(Problem("theme", theme, "one of " + ", ".join(PALETTES)))
    kind = file.suffix.lower()
    frame = choose_poster_frame(scene) if time is None else scene.frame_at(time)
    if kind == ".png":
        write_whole(file, encode_png(draw_picture(scene, frame, size, camera, theme)), EXPORT)
        return 1
    if kind == ".svg":
        write_whole(file, make_standalone_svg(scene, camera, frame, theme).encode(), EXPORT)
        return 1
    times = choose_screen_times(scene)

    def draw() -> Iterator[np.ndarray]:
        for i, t in enumerate(times):
            report(i, len(times))
            yield draw_picture(scene, scene.frame_at(t), size, camera, theme)

    drawn = draw()
    if kind == ".gif":
        chosen = np.unique(np.linspace(0, len(times) - 1, SAMPLES).astype(int))
        samples = [
            draw_picture(scene, scene.frame_at(times[i]), size, camera, theme) for i in chosen
        ]
        delays_s = [1.0 / PICTURES_PER_S] * len(times)
        write_whole(file, encode_gif(drawn, delays_s, samples), EXPORT)
    elif kind == ".mp4":
        _write_film(file, drawn, size)
    else:
        ensure_folder(file)
        for i, pixels in enumerate(drawn):
            write_whole(file / f"frame_{i:05d}.png", encode_png(pixels), EXPORT)
    return len(times)


def choose_screen_times(scene: Scene) -> list[float]:
    """Run times of the pictures: contacts slowly, free flight fast."""
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


def make_standalone_svg(scene: Scene, view: str, frame: int, theme: str) -> str:
    """The poster with its own style, name, time, forces and speed, for use outside a page."""
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
    rules.append(".text{fill:var(--text);font:22px sans-serif}")
    drawing = draw_poster(scene, view, frame)
    line = "     ".join(scene.describe_instant(frame))
    texts = "".join(
        f'<text class="text" xml:space="preserve" x="24" y="{y}">{escape(printable(words))}</text>'
        for y, words in ((44, scene.name), (POSTER_SIZE[1] - 24, line))
    )
    head, _, rest = drawing.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{"".join(rules)}</style>{rest.removesuffix("</svg>")}{texts}</svg>'


def _write_film(file: Path, drawn: Iterator[np.ndarray], size: tuple[int, int]) -> None:
    """Pipe raw pictures into ffmpeg."""
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
