"""Pictures of a scene: posters, single pictures and animations hold what they show, and no
text of a scenario."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from drifting_scenes import docking
from PIL import Image

from softdock.errors import BadInput
from softdock.results.scene.cameras import compute_world_vertices, place_camera, project
from softdock.results.scene.export import choose_screen_times, encode_gif, encode_png, export
from softdock.results.scene.poster import draw_poster
from softdock.results.scene.raster import draw_picture

HOSTILE = "</script><script>alert(1)</script>"
SHOTS = ((10, "contact"), (60, "contact"), (30, "rig"))  # frames and cameras


def test_poster_holds_no_text_of_a_scenario() -> None:
    """A hostile name reaches neither the drawing nor, unescaped, the replay's figure."""
    from softdock.output.pages.frame.replay import replay

    scene = replace(docking(), name=HOSTILE, ended=HOSTILE)
    assert "alert" not in draw_poster(scene)
    html = replay("x", [scene, scene], HOSTILE, HOSTILE)
    assert "<script>" not in html
    assert html.count("</script>") == 1  # its own block of data
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize("view", ["contact", "rig", "satellites", "top"])
def test_raster_draws_a_part_where_its_corners_are(view: str) -> None:
    """The picture's coloured pixels span what the projection says, within two pixels."""
    scene = docking()
    part = next(part for part in scene.parts if part.name == "cone 1")
    alone = replace(scene, parts=(replace(part, opacity=1.0),), arrows=(), trails=())
    alone = replace(alone, views={k: replace(v, floor=False) for k, v in scene.views.items()})
    size, frame = (480, 320), 40
    image = draw_picture(alone, frame, size, view, text=False).astype(int)
    drawn = np.abs(image - image[0, 0]).sum(axis=2) > 60
    flat, _ = project(
        place_camera(alone, alone.views[view], frame, size),
        compute_world_vertices(alone, part, frame),
    )
    flat = flat.clip(0, np.array(size))
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    found = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    assert np.abs(found - np.concatenate([flat.min(axis=0), flat.max(axis=0)])).max() < 2.0


def test_picture_files_hold_their_pixels() -> None:
    """A PNG gives its pixels back; a GIF has as many frames as asked for, each with its delay, and
    repeats; an even area stays even, and no colour is off by more than the eye sees."""
    image = draw_picture(docking(), 10, (64, 40), theme="dark")
    assert np.array_equal(np.array(Image.open(BytesIO(encode_png(image)))), image)
    frames = [draw_picture(docking(), at, (240, 160), view) for at, view in SHOTS]
    delays_s = [0.1, 0.2, 0.084]
    animation = Image.open(BytesIO(encode_gif(frames, delays_s, frames)))
    assert (animation.n_frames, animation.info["loop"]) == (3, 0)
    for i, (wanted, delay) in enumerate(zip(frames, delays_s, strict=True)):
        animation.seek(i)
        shown = np.array(animation.convert("RGB"))
        off = np.abs(shown.astype(int) - wanted.astype(int))
        colours, counts = np.unique(wanted.reshape(-1, 3), axis=0, return_counts=True)
        largest = (wanted == colours[np.argmax(counts)]).all(axis=2)
        assert len(np.unique(shown[largest], axis=0)) == 1  # no bands
        assert off[largest].max() <= 4  # Pillow looks colours up in steps of 4
        assert np.percentile(off, 99.0) <= 8
        assert off.max() <= 48
        assert animation.info["duration"] == 10 * round(100.0 * delay)


FFMPEG = """#!{python}
import sys
open(sys.argv[-1], "w").write(str(len(sys.stdin.buffer.read())))
"""


def test_animation_slows_down_in_contacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures stand closer in contacts; each kind of file is written; what cannot be is
    refused."""
    scene = docking()
    times = np.array(choose_screen_times(scene))
    steps, (start, end) = np.diff(times), scene.contacts[0]
    inside = (times[:-1] >= start) & (times[1:] <= end)
    assert inside.sum() > 20
    assert steps[inside].max() < 0.5 * steps[~inside].max()
    short = replace(scene, contacts=())
    sizes = {"size": (48, 32), "theme": "dark", "camera": "rig"}
    assert export(scene, tmp_path / "a.png", **sizes) == 1
    assert export(short, tmp_path / "frames", **sizes) == len(list((tmp_path / "frames").iterdir()))
    assert export(scene, tmp_path / "a.svg") == 1
    drawing = (tmp_path / "a.svg").read_text()
    assert drawing.count("<svg") == drawing.count("</svg>") == 1
    assert re.search(r">[\d.]+ s +force 30\.0 N +force on orbit 30\.0 N +speed", drawing)
    with pytest.raises(BadInput, match=r"\.gif"):
        export(scene, tmp_path / "a.bmp")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="needs ffmpeg"):
        export(scene, tmp_path / "a.mp4", **sizes)
    stand_in = tmp_path / "ffmpeg"  # takes raw pictures, and writes how many bytes came
    stand_in.write_text(FFMPEG.format(python=sys.executable))
    stand_in.chmod(0o755)
    count = export(short, tmp_path / "a.mp4", **sizes)
    assert (tmp_path / "a.mp4").read_text() == str(count * 48 * 32 * 3)
    with pytest.raises(BadInput, match=r"'moon'.* contact, rig, satellites, top"):
        export(scene, tmp_path / "a.png", camera="moon")
