"""The container: a zip file of uncompressed records, each at a multiple of 64 bytes, as PyTorch reads it."""

from __future__ import annotations

import struct
import zipfile
from pathlib import PurePath
from types import TracebackType
from typing import IO, Any, Self

from vizgrad.core.arrays.backend import Array, to_host
from vizgrad.core.arrays.files import Budget, Records

_ALIGNMENT = 64
_LOCAL_HEADER = 30
#: Of the extra field that fills the space before a record.
_PADDING_ID = b"FB"
#: A zip file has no earlier day, and equal objects give equal files.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


class Writer:
    """Adds records to a zip file, in a folder named after the file."""

    def __init__(self, file: Any) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        named = isinstance(file, (str, PurePath))
        self._folder = (PurePath(file).stem if named else "") or "archive"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._zip.close()

    def add(self, name: str, content: Any) -> None:
        """Writes bytes, or the memory of a flat array."""
        content = content if isinstance(content, bytes) else to_host(content).data
        info = zipfile.ZipInfo(f"{self._folder}/{name}", _NO_DATE)
        at = self._zip.fp.tell() if self._zip.fp else 0
        # Above 2 GiB zipfile puts 20 bytes of its own before the padding.
        large = 20 if len(content) * 1.05 > zipfile.ZIP64_LIMIT else 0
        start = at + _LOCAL_HEADER + len(info.filename.encode()) + 4 + large
        fill = -start % _ALIGNMENT
        info.extra = _PADDING_ID + struct.pack("<H", fill) + b"Z" * fill
        info.file_size = len(content)
        with self._zip.open(info, "w", force_zip64=bool(large)) as record:
            record.write(content)


class Reader:
    """The records of such a file, by name without the folder."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._records = Records(file, budget)
        found = [n for n in self._records.names if n == "data.pkl" or n.endswith("/data.pkl")]
        if not found:
            raise RuntimeError("failed reading zip archive: there is no record data.pkl in it")
        self._folder = found[0].removesuffix("data.pkl")

    def has(self, name: str) -> bool:
        return self._folder + name in self._records

    def size(self, name: str) -> int:
        """Bytes of a record, before it is read; RuntimeError when it is missing."""
        return self._records.size(self._folder + name)

    def read(self, name: str) -> Array:
        """A record as an array of bytes; RuntimeError when it is missing or damaged."""
        return self._records.read(self._folder + name)

    def text(self, name: str) -> bytes:
        return self._records.text(self._folder + name)

    def place(self, name: str) -> tuple[int, int]:
        """Where an uncompressed record is in the file, and its length."""
        return self._records.place(self._folder + name)
