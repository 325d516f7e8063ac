"""MCAP files that claim or expand to more than a stated bound are refused before it is allocated,
and damaged ones by name."""

from __future__ import annotations

import contextlib
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # for `benchmarks`, no part of the package

from benchmarks.hostile.log_samples import mcap_file, raw_mcap
from softdock import BadInput
from softdock.files import bounded_mcap
from softdock.files.bounded_mcap import mcap_records
from softdock.recording.logs.table_files import read_tables
from softdock.recording.logs.tables import CsvForm

RNG = np.random.default_rng(3)
DENSE = 200_000  # bytes of zeros, which compress a thousandfold


@pytest.mark.parametrize("kind", ["zstd", "lz4"])
@pytest.mark.parametrize(
    ("chunks", "stated", "said"),
    [
        (1, 2**62, "at most"),  # claims more than the bound
        (1, 1000, "states 1000"),  # holds more than it claims: read up to the claim
        (40, None, "are decompressed"),  # each within the bound, and not all together
    ],
)
def test_a_file_is_read_within_its_bound(tmp_path, monkeypatch, kind, chunks, stated, said):
    """Not one byte more than a chunk states is decompressed, and no chunk beyond the bound."""
    monkeypatch.setattr(bounded_mcap, "LEAST_TOTAL", 10 * DENSE)
    monkeypatch.setattr(bounded_mcap, "RATIO", 1)
    path = tmp_path / "bomb.mcap"
    path.write_bytes(raw_mcap(RNG, DENSE, chunks, stated, kind))
    with pytest.raises(BadInput, match=said) as error:
        read_tables(path, CsvForm())
    assert "bomb.mcap" in str(error.value)
    assert bytes_read(path) <= 10 * DENSE


def first_chunk(data: bytes) -> tuple[int, int]:
    """Where it begins, and how long it is."""
    at = 8
    while data[at] != 6:
        at += 9 + struct.unpack_from("<Q", data, at + 1)[0]
    return at + 9, struct.unpack_from("<Q", data, at + 1)[0]


def bytes_read(path: Path) -> int:
    """Of all records until one is refused."""
    found = 0
    with path.open("rb") as file, contextlib.suppress(ValueError):
        for record in mcap_records(file):
            found += len(getattr(record, "data", b""))
    return found


@pytest.mark.parametrize("at", [0.3, 0.5, 0.7])
def test_a_damaged_chunk_is_refused_by_name(tmp_path, at):
    """Sixteen bytes of a chunk: no error of zstandard's or lz4's comes through."""
    for seed in range(6):
        data = bytearray(mcap_file(np.random.default_rng(seed)))
        first, length = first_chunk(data)
        place = first + 60 + int(at * (length - 80))
        data[place : place + 16] = RNG.bytes(16)
        path = tmp_path / "damaged.mcap"
        path.write_bytes(data)
        with pytest.raises(BadInput, match=r"damaged\.mcap"):
            read_tables(path, CsvForm())
