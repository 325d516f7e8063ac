"""Logs of other programs for the tester: one docking as CSV, Parquet and MCAP, and odd files that
a careless program or ill will makes."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
MAGIC = b"\x89MCAP0\r\n"


def columns(rng: Rng, rows: int = 300) -> dict[str, np.ndarray]:
    """A touch: a body that comes and goes, a force while it is there."""
    t = 0.004 * np.arange(rows)
    x = 0.02 * np.abs(t - 0.6) - 0.002
    force = np.maximum(-1e3 * x, 0.0) + rng.normal(0.0, 0.02, rows)
    zero = np.zeros(rows)
    poses = {"x": x, "y": zero, "z": zero}
    found = {"time": t} | {f"cmd_{a}": v for a, v in poses.items()}
    found |= {f"act_{a}": v for a, v in poses.items()}
    return found | {"fx": force, "fy": zero, "fz": zero}


def csv_file(rng: Rng) -> bytes:
    own = columns(rng)
    delimiter, decimal = [(",", "."), (";", ","), ("\t", "."), (" ", "."), (";", ".")][
        int(rng.integers(5))
    ]
    names = [f"{name} [N]" if name.startswith("f") and delimiter != " " else name for name in own]
    lines = [delimiter.join(names)]
    for row in zip(*own.values(), strict=True):
        lines.append(delimiter.join(f"{value:.7g}".replace(".", decimal) for value in row))
    eol = ["\n", "\r\n"][int(rng.integers(2))]
    encoding = ["utf-8", "utf-8-sig", "utf-16", "latin-1"][int(rng.integers(4))]
    return (eol.join(lines) + eol).encode(encoding)


def parquet_file(rng: Rng, made: Any = None) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    kind = ["zstd", "snappy", "none", "gzip"][int(rng.integers(4))]
    table = made if made is not None else pa.table(columns(rng))
    pq.write_table(table, sink, compression=kind, use_dictionary=bool(rng.integers(2)))
    return sink.getvalue()


def mcap_file(rng: Rng, message: Callable[[int, dict], bytes] | None = None) -> bytes:
    from mcap.writer import CompressionType, Writer

    own, sink = columns(rng), io.BytesIO()
    kinds = (CompressionType.ZSTD, CompressionType.LZ4, CompressionType.NONE)
    writer = Writer(sink, compression=kinds[int(rng.integers(3))], chunk_size=8000)
    writer.start()
    channel = writer.register_channel("/log", "json", 0)
    for i, at in enumerate((1e9 * own["time"]).astype(int).tolist()):
        row = {name: float(column[i]) for name, column in own.items()}
        data = json.dumps(row).encode() if message is None else message(i, row)
        writer.add_message(channel, at, data, at)
    writer.finish()
    return sink.getvalue()


def odd_csv(rng: Rng) -> bytes:
    n = int(rng.integers(1, 2000))
    return (
        lambda: b"",
        lambda: b"\n" * n,
        lambda: b"# only a comment\n" * n,
        lambda: rng.bytes(n * 10),
        lambda: b"\0" * n,
        lambda: b"t,x\n",
        lambda: b"t" * 200_000 + b",x\n0,1\n",
        lambda: ",".join(f"c{i}" for i in range(30_000)).encode() + b"\n" + b"1," * 29_999 + b"1\n",
        lambda: (
            ("t," + ",".join(f"w{i}" for i in range(120)) + "\n").encode()
            + b"".join(b"%d" % i + b",idle" * 120 + b"\n" for i in range(3000))
        ),
        lambda: b"t,x\n0," + b"1" * 50_000_000 + b"\n",
        lambda: b"t,x\n" + b"0.1,0.2\n" * 50 + b"7" * 20_000_000,
        lambda: b't,x\n0,"1\n' * n,
        lambda: b"t;x\r" + b"0,1;0,2\r" * n,
        lambda: ("t,x\n" + "0,1\n" * n).encode("utf-16")[: -int(rng.integers(1, 4))],
        lambda: b"t,t,x,x\n" + b"".join(b"%d,1,2,3\n" % i for i in range(n)),
        lambda: b"t,x\n" + b"1e400,-1e400\n" * n,
        lambda: b"t,x\n" + b"99999999999999999999999,18446744073709551615\n" * n,
        lambda: b"," * n + b"\n" + b"1," * n + b"1\n",
        lambda: b"t,x\n1,2\n1,2,3\n" * n,
        lambda: "\u0442,\u03be,\u6642\n".encode() + b"1,2,3\n" * n,
        lambda: b"24:61:61,2024-13-45,1\n" * n,
        lambda: csv_file(rng) * int(rng.integers(2, 4)),
    )[int(rng.integers(22))]()


def odd_parquet(rng: Rng) -> bytes:
    import pyarrow as pa

    n = int(rng.integers(1, 500))
    a = pa.array(np.arange(n, dtype=float))
    stamps = pa.array(np.arange(n) * 4_000_000, pa.timestamp("ns"))
    tables: tuple[Callable[[], Any], ...] = (
        lambda: pa.table([a, a, a], names=["t", "x", "x"]),
        lambda: pa.table({"t": pa.array(np.arange(n).astype(np.uint64) + 2**63), "x": a}),
        lambda: pa.table({"t": a[:0], "x": a[:0]}),
        lambda: pa.table({"w": pa.array(["idle"] * n)}),
        lambda: pa.table({"t": a, "l": pa.array([[1.0, 2.0]] * n)}),
        lambda: pa.table({"t": a, "s": pa.array([{"x": {"y": 1.0}}] * n)}),
        lambda: pa.table({"t": a, "s": pa.array([None] * n, pa.struct([("x", pa.float64())]))}),
        lambda: pa.table({"t": stamps, "x": a}),
        lambda: pa.table({"t": pa.nulls(n), "x": pa.nulls(n, pa.int64())}),
        lambda: pa.table({"t": a, "b": pa.array([True] * n), "h": a.cast(pa.float16())}),
        lambda: pa.table({"t": a, "d": pa.array([None] * n, pa.decimal128(10, 2))}),
        lambda: pa.table({"t": pa.array(np.arange(n), pa.time64("us")), "x": a}),
        lambda: pa.table({"": a, ".": a, "a.b": a, "a": pa.array([{"b": 1.0}] * n)}),
        lambda: pa.table({"x" * 100_000: a}),
        lambda: pa.table({f"c{i}": a[:1] for i in range(3000)}),
        lambda: pa.table(
            {"t": pa.array(np.zeros(30_000_000)), "x": pa.array(np.zeros(30_000_000))}
        ),
        lambda: pa.table({"t": a.dictionary_encode(), "x": a}),
        lambda: pa.table({"t": pa.array([2**63 - 1] * n), "x": pa.array([np.nan] * n)}),
    )
    i = int(rng.integers(len(tables) + 2))
    if i < len(tables):
        return parquet_file(rng, tables[i]())
    return [b"PAR1", b"PAR1" + rng.bytes(100) + struct.pack("<I", 2**31) + b"PAR1"][i - len(tables)]


def record(opcode: int, data: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(data)) + data


def text(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def raw_mcap(
    rng: Rng, size: int, chunks: int, stated: int | None, kind: str, schema: bytes = b""
) -> bytes:
    """A file written byte by byte: a message of `size` zeros in each chunk."""
    channel = record(4, struct.pack("<HH", 1, 1) + text(b"/a") + text(b"cdr") + text(b""))
    described = record(3, struct.pack("<H", 1) + text(b"a/A") + text(b"ros2msg") + text(schema))
    message = record(5, struct.pack("<HIQQ", 1, 0, int(rng.integers(2**62)), 0) + bytes(size))
    whole = described + channel + message
    if kind == "zstd":
        import zstandard

        packed = zstandard.ZstdCompressor().compress(whole)
    elif kind == "lz4":
        import lz4.frame

        packed = lz4.frame.compress(whole)
    else:
        packed = whole
    length = len(whole) if stated is None else stated
    head = struct.pack("<QQQI", 0, 0, length, 0) + text(kind.encode())
    chunk = record(6, head + struct.pack("<Q", len(packed)) + packed)
    end = record(15, bytes(4)) + record(2, bytes(20))
    return MAGIC + record(1, text(b"") + text(b"")) + chunk * chunks + end + MAGIC


NESTED = b"B[] b\n" + b"".join(
    b"=" * 80 + b"\nMSG: a/%c\n%c[1000] x\n" % (65 + i, 66 + i) for i in range(1, 18)
)


def odd_mcap(rng: Rng) -> bytes:
    n = int(rng.integers(1, 300))
    kind = ["zstd", "lz4", ""][int(rng.integers(3))]
    keys = [f"k{i}" for i in range(20)]
    return (
        lambda: b"",
        lambda: MAGIC,
        lambda: MAGIC + MAGIC,
        lambda: MAGIC + rng.bytes(n),
        lambda: raw_mcap(rng, 100 << 20, 40, None, "zstd"),
        lambda: raw_mcap(rng, 60 << 20, 10, None, "lz4"),
        lambda: raw_mcap(rng, 1 << 20, 1, 2**63, kind),
        lambda: raw_mcap(rng, 1 << 20, 1, 1000, kind),
        lambda: raw_mcap(rng, n, 3, None, "brotli"),
        lambda: raw_mcap(rng, n, 3, None, kind, b"float64 x\nfloat64[] y\n"),
        lambda: raw_mcap(rng, n, 3, None, kind, b"a/A again\n"),
        lambda: raw_mcap(rng, 2000, 3, None, kind, b"uint8[2000000000] x\n"),
        lambda: raw_mcap(rng, 2000, 3, None, kind, NESTED),
        lambda: raw_mcap(rng, n, 3, None, kind, rng.bytes(200)),
        lambda: mcap_file(rng, lambda i, row: b"[" * 100_000),
        lambda: mcap_file(rng, lambda i, row: b'{"a":' * 50_000),
        lambda: mcap_file(rng, lambda i, row: rng.bytes(n)),
        lambda: mcap_file(rng, lambda i, row: b"17"),
        lambda: mcap_file(rng, lambda i, row: b"1" * 5000),
        lambda: mcap_file(rng, lambda i, row: json.dumps({keys[i % 20]: 1.0}).encode()),
        lambda: mcap_file(rng, lambda i, row: json.dumps({"time": [i] * 3000, "x": None}).encode()),
        lambda: mcap_file(rng, lambda i, row: b'{"time": NaN, "x": Infinity, "y": 1e999}'),
    )[int(rng.integers(22))]()


FORMATS: dict[str, tuple[str, Callable[[Rng], bytes], Callable[[Rng], bytes]]] = {
    "csv": (".csv", csv_file, odd_csv),
    "parquet": (".parquet", parquet_file, odd_parquet),
    "mcap": (".mcap", mcap_file, odd_mcap),
}
