"""Records of an MCAP file that softdock wrote, checked before they are used.

`check_bytes` compares the whole file with its checksums: every byte of a file of this version is
under one of two (the data's and the summary's). A file of version 0.1 has none for its data: its
chunks and attachments have their own, the text of its metadata has none. `records` reads in order,
up to the end of the data, and takes no more memory than its bounds say, whatever a chunk claims.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

MAGIC = b"\x89MCAP0\r\n"
LARGEST_RECORD = 256_000_000  # bytes; a longer one is a length that was cut or changed
LARGEST_CHUNK = 64_000_000  # bytes, decompressed; softdock ends a chunk at 1 MB
MOST_EXPANDED = 1000  # times the size of the file, beyond one chunk: all chunks, decompressed
LARGEST_WINDOW = 1 << 27  # bytes that zstd may look back
AT_ONCE = 1 << 20  # bytes
DATA_END, FOOTER = struct.Struct("<BQI"), struct.Struct("<BQQQI")
DATA_END_CODE, FOOTER_CODE = 0x0F, 0x02


class _Rest:
    """A stream of which never more is asked for than it has."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self.stream, self.left = stream, size

    def read(self, length: int) -> bytes:
        data = self.stream.read(max(0, min(length, self.left)))
        self.left -= len(data)
        return data


def _crc(stream: BinaryIO, start: int, end: int) -> int:
    stream.seek(start)
    found = 0
    while start < end and (piece := stream.read(min(AT_ONCE, end - start))):
        found, start = zlib.crc32(piece, found), start + len(piece)
    return found


def check_bytes(stream: BinaryIO) -> bool:
    """Whether the file has a checksum of its data; raises `ValueError` where a checksum, of the
    data, the summary or an attachment, is not that of the bytes."""
    changed = "its bytes are not those that were written: the checksum of its {} differs"
    end = stream.seek(0, 2) - len(MAGIC) - FOOTER.size
    if end < len(MAGIC) + DATA_END.size:
        raise ValueError("too short to be whole")
    stream.seek(end)
    code, _, summary, _, summary_crc = FOOTER.unpack(stream.read(FOOTER.size))
    if code != FOOTER_CODE or not len(MAGIC) + DATA_END.size <= summary <= end:
        raise ValueError(changed.format("summary"))
    if _crc(stream, summary, end + FOOTER.size - 4) != summary_crc:
        raise ValueError(changed.format("summary"))
    data_end = summary - DATA_END.size
    stream.seek(data_end)
    code, length, data_crc = DATA_END.unpack(stream.read(DATA_END.size))
    if code != DATA_END_CODE or length != 4:
        raise ValueError(changed.format("data"))
    if data_crc and _crc(stream, 0, data_end) != data_crc:
        raise ValueError(changed.format("data"))
    if not data_crc:
        _check_attachments(stream, summary, end)
    return data_crc != 0


def _check_attachments(stream: BinaryIO, summary: int, end: int) -> None:
    """Each attachment that the summary names, against its own checksum."""
    from mcap.records import AttachmentIndex
    from mcap.stream_reader import StreamReader

    stream.seek(summary)
    rest: Any = _Rest(stream, end + FOOTER.size - summary)
    found = []
    for record in StreamReader(rest, skip_magic=True).records:
        if isinstance(record, AttachmentIndex):
            found.append(record)
        if rest.left <= FOOTER.size:
            break
    for one in found:
        stream.seek(one.offset + one.length - 4)
        (crc,) = struct.unpack("<I", stream.read(4))
        if _crc(stream, one.offset + 9, one.offset + one.length - 4) != crc:
            raise ValueError(f"the attachment '{one.name}' is not what was written")


def records(stream: BinaryIO) -> Iterator[Any]:
    """Records in order, those of the chunks too, up to the end of the data. Raises `ValueError`
    where they are none."""
    import zstandard
    from mcap.exceptions import McapError

    try:
        yield from _records(stream)
    except (McapError, struct.error, zstandard.ZstdError) as error:
        raise ValueError(f"{type(error).__name__} {error}".strip()) from None


def _records(stream: BinaryIO) -> Iterator[Any]:
    from mcap.records import Chunk, DataEnd
    from mcap.stream_reader import StreamReader

    size = stream.seek(0, 2)
    stream.seek(0)
    left = LARGEST_CHUNK + MOST_EXPANDED * size
    rest: Any = _Rest(stream, size)
    reader = StreamReader(rest, emit_chunks=True, record_size_limit=LARGEST_RECORD)
    for record in reader.records:
        if isinstance(record, DataEnd):
            return
        if not isinstance(record, Chunk):
            yield record
            continue
        left -= record.uncompressed_size
        if left < 0:
            raise ValueError(f"its chunks hold more than {MOST_EXPANDED} times its size")
        yield from _of_chunk(record)


def _of_chunk(chunk: Any) -> list[Any]:
    """The records of a chunk that is what it says it is."""
    import zstandard
    from mcap.stream_reader import breakup_chunk

    size = chunk.uncompressed_size
    if size > LARGEST_CHUNK:
        raise ValueError(f"a chunk of {size} bytes, more than {LARGEST_CHUNK}")
    if chunk.compression not in ("", "zstd"):
        raise ValueError(f"a chunk compressed by '{chunk.compression}', which softdock never does")
    data = chunk.data
    if chunk.compression:
        unpacker = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        with unpacker.stream_reader(BytesIO(data)) as unpacked:
            data = unpacked.read(size + 1)
    if len(data) != size or (chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc):
        raise ValueError("a chunk is not what was written: its size or its checksum differs")
    return breakup_chunk(replace(chunk, compression="", data=data, uncompressed_crc=0))
