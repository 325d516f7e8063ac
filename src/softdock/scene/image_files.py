"""Pixels as PNG and GIF files, with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

import numpy as np

LEVELS = (6, 7, 6)  # steps of red, green and blue in a GIF's palette: 252 colours


def png(pixels: np.ndarray) -> bytes:
    """RGB pixels (height, width, 3) of 8 bits."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


def gif(frames: Iterable[np.ndarray], delays_s: Iterable[float]) -> bytes:
    """Frames of equal size, each shown for its delay (steps of 10 ms), for ever."""
    parts: list[bytes] = []
    for pixels, delay in zip(frames, delays_s, strict=True):
        height, width, _ = pixels.shape
        if not parts:
            screen = struct.pack("<HHBBB", width, height, 0xF7, 0, 0)
            parts += [b"GIF89a", screen, _palette(), b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"]
        steps = max(2, round(100.0 * delay))
        parts.append(b"!\xf9\x04\x00" + struct.pack("<H", steps) + b"\x00\x00")
        parts.append(b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x08")
        coded = _lzw(_indices(pixels))
        blocks = [coded[i : i + 255] for i in range(0, len(coded), 255)]
        parts += [bytes([len(block)]) + block for block in blocks]
        parts.append(b"\x00")
    return b"".join(parts) + b";"


def _palette() -> bytes:
    r, g, b = LEVELS
    colours = np.zeros((256, 3), np.uint8)
    for i in range(r * g * b):
        steps = (i // (g * b), i // b % g, i % b)
        colours[i] = [round(255 * s / (n - 1)) for s, n in zip(steps, LEVELS, strict=True)]
    return colours.tobytes()


def _indices(pixels: np.ndarray) -> np.ndarray:
    steps = np.array(LEVELS) - 1
    level = np.round(pixels / 255.0 * steps).astype(int)
    return np.asarray(
        level[..., 0] * LEVELS[1] * LEVELS[2] + level[..., 1] * LEVELS[2] + level[..., 2]
    )


def _lzw(indices: np.ndarray) -> bytes:
    """GIF's variant of LZW: 8-bit symbols, a clear code, codes of up to 12 bits."""
    clear, end = 256, 257
    table: dict[tuple[int, int], int] = {}
    bits, held, width, following = 0, 0, 9, 258
    out = bytearray()

    def put(code: int) -> None:
        nonlocal bits, held
        bits |= code << held
        held += width
        while held >= 8:
            out.append(bits & 255)
            bits >>= 8
            held -= 8

    put(clear)
    values = indices.ravel().tolist()
    run = values[0]
    for value in values[1:]:
        known = table.get((run, value))
        if known is not None:
            run = known
            continue
        put(run)
        table[run, value] = following
        if following == 1 << width and width < 12:
            width += 1
        following += 1
        if following == 4096:
            put(clear)
            table.clear()
            width, following = 9, 258
        run = value
    put(run)
    put(end)
    if held:
        out.append(bits & 255)
    return bytes(out)
