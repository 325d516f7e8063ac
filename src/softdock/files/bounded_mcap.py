"""Records of an MCAP file within a stated bound of memory, whatever the file claims.

In: an open file. Out: its records in order, those of chunks in place of the chunks. Every length is
compared with the bytes that are there before it is read, every decompressed size with the bounds
before it is decompressed, and decompression stops at the size that the chunk states. What cannot be
read raises `ValueError`; zstandard's and lz4's own errors become one.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

LARGEST_CHUNK = 256 << 20  # bytes of a chunk, decompressed
LEAST_TOTAL = 512 << 20  # bytes of a file's chunks, decompressed: allowed of any file
RATIO = 64  # of a larger file: so many times its own size
HEADER = 22  # bytes of a message before its data
LARGEST_RECORD = 1 << 30  # bytes of a record outside chunks, an attachment for example


def most_bytes(file_bytes: int) -> int:
    """Largest memory that a file of this size may take [bytes]."""
    return max(LEAST_TOTAL, RATIO * file_bytes)


class _Within:
    """Reads no more than the file has: a claimed length costs no memory."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file, self.left = file, size

    def read(self, count: int = -1) -> bytes:
        if not 0 <= count <= self.left:
            raise ValueError(f"cut or damaged: {count} bytes are to follow, {self.left} do")
        self.left -= count
        return self.file.read(count)


def mcap_records(file: BinaryIO) -> Iterator[Any]:
    """Records from the beginning of a file to its footer. Raises `ValueError` or mcap's own
    `McapError` where bytes are damaged or a bound is exceeded."""
    from mcap.records import Chunk
    from mcap.stream_reader import StreamReader

    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    stream: Any = _Within(file, size)
    reader = StreamReader(
        stream, emit_chunks=True, validate_crcs=True, record_size_limit=LARGEST_RECORD
    )
    left = most_bytes(size)
    try:
        for record in reader.records:
            if not isinstance(record, Chunk):
                yield record
                continue
            data = chunk_bytes(record, left)
            left -= len(data)
            yield from _records_in(data)
    except (struct.error, IndexError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"damaged: {error}") from None


def chunk_bytes(chunk: Any, most: int) -> bytes:
    """A chunk decompressed: exactly as many bytes as it states, with the stated checksum."""
    stated = chunk.uncompressed_size
    bound = min(most, LARGEST_CHUNK)
    if stated > bound:
        raise ValueError(f"a chunk that states {stated} bytes; at most {bound} are decompressed")
    data = _decompressed(chunk.compression, chunk.data, stated)
    if len(data) != stated:
        raise ValueError(f"a chunk of {len(data)} bytes that states {stated}")
    if chunk.uncompressed_crc not in (0, zlib.crc32(data)):
        raise ValueError("a chunk whose checksum is another")
    return data


def _decompressed(compression: str, data: bytes, stated: int) -> bytes:
    """At most one byte more than stated."""
    if compression == "":
        return data
    if compression == "zstd":
        import zstandard

        try:
            reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data)
            return _read_up_to(reader, stated + 1)
        except (zstandard.ZstdError, MemoryError) as error:
            raise ValueError(f"a damaged chunk: {error}") from None
    if compression == "lz4":
        import lz4.frame

        try:
            return _read_up_to(lz4.frame.open(BytesIO(data)), stated + 1)
        except (RuntimeError, EOFError, MemoryError, OSError) as error:
            raise ValueError(f"a damaged chunk: {error}") from None
    raise ValueError(f"a chunk compressed by {compression[:40]!r}; zstd and lz4 are read")


def _read_up_to(reader: Any, most: int) -> bytes:
    parts, left = [], most
    while left > 0 and (part := reader.read(min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _records_in(data: bytes) -> Iterator[Any]:
    """Schemas, channels and messages of a chunk, one at a time."""
    from mcap.data_stream import ReadDataStream
    from mcap.opcode import Opcode
    from mcap.records import Channel, Message, Schema

    stream = ReadDataStream(BytesIO(data))
    while stream.count < len(data):
        opcode, length = stream.read1(), stream.read8()
        if length > len(data) - stream.count or (opcode == Opcode.MESSAGE and length < HEADER):
            raise ValueError(f"a record of {length} bytes in a chunk")
        end = stream.count + length
        if opcode == Opcode.MESSAGE:
            yield Message.read(stream, length)
        elif opcode == Opcode.CHANNEL:
            yield Channel.read(stream)
        elif opcode == Opcode.SCHEMA:
            yield Schema.read(stream)
        if stream.count > end:
            raise ValueError("a record that is longer than it states")
        stream.read(end - stream.count)
