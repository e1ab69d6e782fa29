"""How much memory the reading of one file may take: asked before any of it is taken."""

from __future__ import annotations

import io
import math
import struct
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import IO, Any

import numpy as np

from vizgrad.core.arrays.backend import Array, to_host

#: Any file may take this much.
FREE = 16 << 20
#: And this many times its own size.
TIMES = 10

_limit: ContextVar[int | None] = ContextVar("vizgrad_memory_limit", default=None)


class Budget:
    """Bytes that may still be taken, with the objects around them.

    Spent budget does not come back when an object is released, so that the budget bounds the work of
    reading as well.
    """

    __slots__ = ("left", "total")

    def __init__(self, size: int, *, free: int = FREE, times: int = TIMES) -> None:
        """For a file of `size` bytes."""
        limit = _limit.get()
        self.total = self.left = free + times * size if limit is None else limit

    def spend(self, count: int) -> None:
        """RuntimeError when there is less than `count` left. Call it before the memory is taken."""
        self.left -= count
        if self.left < 0:
            raise RuntimeError(
                f"reading the file would take more than {self.total} bytes of memory, many times what it "
                "holds: it is damaged, or made to do harm. If you know better, allow more for one block "
                "with `with vizgrad.serialization.memory_limit(bytes):`"
            )


class memory_limit:
    """`with memory_limit(8 << 30):` lets a file of the block take so many bytes, whatever its size."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._tokens: list[object] = []

    def __enter__(self) -> None:
        self._tokens.append(_limit.set(self.limit))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _limit.reset(self._tokens.pop())  # pyright: ignore[reportArgumentType]


# One array as numpy writes it to a file (.npy), from bytes that are there already.

#: The longest header that is read: numpy's own limit. Its content is a dict of three entries.
_LONGEST_HEADER = 10_000


def array_of(content: Array, name: str) -> Array:
    """The array, over the memory of `content`.

    ValueError for one of Python objects, RuntimeError for damage.
    """
    head = io.BytesIO(content[: _LONGEST_HEADER + 16].tobytes())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers of Python 2, and of text that is none
            version = np.lib.format.read_magic(head)
            read: Any = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            shape, fortran, kind = read(head)
        count = math.prod(shape)
        data = content[head.tell() :]
        if not kind.hasobject:
            flat = np.frombuffer(data, kind) if count else np.empty(0, kind)
            return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)
    except Exception as error:  # what the reader of headers raises is of many kinds
        raise RuntimeError(
            f"{name} is no array of numpy: {str(error)[:300]}; the file is damaged"
        ) from error
    raise ValueError(
        f"{name} is an array of Python objects, which only running a pickle would read; files are "
        "read with allow_pickle=False"
    )


# The records of a zip file, read into memory that a budget has allowed.

_LOCAL_HEADER = 30
_CHUNK = 1 << 20
#: The memory that zipfile keeps for an entry of the directory, in multiples of the bytes of the shortest one.
_PER_BYTE_OF_DIRECTORY = 14


def size_of(file: IO[bytes]) -> int:
    """Bytes from where `file` stands to its end."""
    begin = file.tell()
    end = file.seek(0, io.SEEK_END)
    file.seek(begin)
    return max(0, end - begin)


class Bounded:
    """A file that is asked for no more than it has: `read(n)` takes memory for n bytes beforehand."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.left = size_of(file)

    def read(self, count: int) -> bytes:
        """`count` bytes, or those that are left."""
        data = self._file.read(max(0, min(count, self.left)))
        self.left -= len(data)
        return data

    def readline(self) -> bytes:
        data = self._file.readline()
        self.left -= len(data)
        return data


class _Directory:
    """The file as zipfile reads it: while the directory is read, each byte costs what becomes of it."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self.seek, self.tell, self._file = file.seek, file.tell, file
        self._budget: Budget | None = budget

    def seekable(self) -> bool:
        return True

    def read(self, count: int = -1) -> bytes:
        if self._budget is not None:
            left = size_of(self._file)
            count = left if count < 0 else min(count, left)
            self._budget.spend(count * _PER_BYTE_OF_DIRECTORY)
        return self._file.read(count)

    def known(self) -> None:
        self._budget = None


@contextmanager
def told() -> Iterator[None]:
    """Turns zipfile's errors for damage, of a dozen kinds, into RuntimeError."""
    try:
        yield
    except RuntimeError:
        raise
    except Exception as error:
        raise RuntimeError(
            f"failed reading zip archive: {str(error)[:300]}; the file is damaged or was cut short"
        ) from error


class Records:
    """The records of a zip file by name, stored or deflated; RuntimeError for every kind of damage."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._file, self._budget = file, budget
        directory: Any = _Directory(file, budget)
        with told():
            self._zip = zipfile.ZipFile(directory)
        directory.known()
        self.names = self._zip.namelist()

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def _info(self, name: str) -> zipfile.ZipInfo:
        with told():
            info = self._zip.getinfo(name)
        # The expanded size of others is known only afterwards.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise RuntimeError(
                f"failed reading zip archive: {name} is compressed in a way that is not read here "
                f"(method {info.compress_type})"
            )
        return info

    def size(self, name: str) -> int:
        """Bytes of a record, as the directory has it."""
        return self._info(name).file_size

    def read(self, name: str) -> Array:
        """A record, as bytes of their own."""
        info = self._info(name)
        self._budget.spend(info.file_size)
        out: Any = np.empty(info.file_size, np.uint8)
        into, filled = memoryview(out), 0
        with told(), self._zip.open(info) as record:
            while filled < len(into):
                part = record.read(min(_CHUNK, len(into) - filled))
                if not part:
                    raise EOFError(f"{name} has {filled} bytes, not {len(into)}")
                into[filled : filled + len(part)] = part
                filled += len(part)
            record.read(1)  # compares the checksum, of an empty record as well
        return out

    def text(self, name: str) -> bytes:
        """A record that is read as a whole."""
        self._budget.spend(self.size(name))
        return self.read(name).tobytes()

    def place(self, name: str) -> tuple[int, int]:
        """Where an uncompressed record is in the file, and its length."""
        info = self._info(name)
        if info.compress_type != zipfile.ZIP_STORED:
            raise RuntimeError(f"mmap=True needs uncompressed records, and {name} is compressed")
        with told():
            self._file.seek(info.header_offset)
            header = self._file.read(_LOCAL_HEADER)
            start = info.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
            if start + info.file_size > self._file.seek(0, io.SEEK_END):
                raise EOFError(f"{name} reaches beyond the end")
        return start, info.file_size


# An array as the Python that makes it again: ``np.array([[1.0, 2.5]], dtype=np.float32)``.

#: Elements that are written; of a larger array only a first part is.
MOST_WRITTEN = 1_000


def numpy_text(array: Array, most: int = MOST_WRITTEN) -> tuple[str, tuple[int, ...]]:
    """The text, and the shape of what is written: the array's own, unless it has more than `most` elements.

    Numbers are written with the digits that they need to be read as the same. numpy's own types only: one of
    another kind (bfloat16) becomes float32, which holds all of its numbers.
    """
    part = first_part(array.shape, most)
    data = to_host(array[tuple(map(slice, part))])
    if data.dtype.kind == "V" or not hasattr(np, str(data.dtype)):
        data = data.astype(np.float32)
    name = f"np.{data.dtype}" if data.dtype != np.bool_ else "bool"
    if not data.size:
        return f"np.empty({data.shape}, dtype={name})", part
    return f"np.array({_nested(data)}, dtype={name})", part


def first_part(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The first elements along each dimension, with `most` in all: whole rows, if there is room for one."""
    part: list[int] = []
    for length in reversed(shape):
        here = min(length, max(most, 1))
        part.append(here)
        most //= max(here, 1)
    return tuple(reversed(part))


def _nested(data: np.ndarray, indent: int = len("np.array(")) -> str:
    if data.ndim == 0:
        return _written(data[()])
    if data.ndim == 1:
        return "[" + ", ".join(map(_written, data)) + "]"
    joint = ",\n" + " " * (indent + 1)
    return "[" + joint.join(_nested(row, indent + 1) for row in data) + "]"


def _written(value: Any) -> str:
    """A number as Python reads it."""
    if isinstance(value, np.complexfloating):
        real, imaginary = _written(value.real), _written(value.imag)
        plain = np.isfinite(value.real) and np.isfinite(value.imag)
        return (
            f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
            if plain
            else (f"complex({real}, {imaginary})")
        )
    if isinstance(value, np.floating) and not np.isfinite(value):
        return "np.nan" if np.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return str(value)
