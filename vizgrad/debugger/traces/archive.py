"""The file of a trace: a zip of a manifest, the trace, what a browser draws, and arrays.

    manifest.json   `Manifest`: what there is
    trace.json      `debugger.model.Trace`
    view.json       `FiledView`: drawings that were made when it was saved, for who has no kernel
    arrays.json     `FiledArrays`: which array is which gradient
    arrays/N.npy    numpy's files: in each the arrays of one shape and type, one after another

Those of JSON but the first are in columns (`debugger.wire.columnar`) and deflated. Files of version 1 have no
columns, what is in arrays.json in their manifest, and an array in each of the last; nothing is deflated.

There is no pickle in a file, and nothing of it is run. How much it may become is asked before it is unpacked.
"""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import IO, Any

from vizgrad.core.arrays import files as npy
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.files import Budget, Records, size_of
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget.trace_contents import (
    TRACE_FORMAT,
    TRACE_VERSION,
    Filed,
    FiledArrays,
    FiledView,
    Manifest,
)
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.wire.columnar import from_column_json, to_column_json
from vizgrad.debugger.wire.wire import from_json, to_json

MANIFEST, TRACE, VIEW, ARRAYS = "manifest.json", "trace.json", "view.json", "arrays.json"
#: A zip file has no earlier day, and equal traces give equal files.
_NO_DATE = (1980, 1, 1, 0, 0, 0)
#: Bytes that any file may take to be read, whatever its size: what repeats takes next to nothing in it.
FREE = 1 << 30
#: The first version that is written in columns.
_IN_COLUMNS = 2


class TraceFileError(ValueError):
    """A file is no trace, or one that is damaged, made to do harm, or of a newer vizgrad."""


@dataclass(frozen=True, slots=True)
class Read:
    """The content of a file."""

    manifest: Manifest
    trace: model.Trace
    values: dict[model.ArrayName, Any]


@contextmanager
def replacing(path: File) -> Iterator[Path]:
    """A file beside `path`, which takes its place when the block is done: nobody finds half of one.
    FileNotFoundError, which names `path`, where its folder is missing.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(target))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    made = Path(name)
    try:
        yield made
        with suppress(OSError):
            made.chmod(target.stat().st_mode if target.exists() else 0o644)
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)


def write(
    path: Path,
    trace: model.Trace,
    view: FiledView,
    values: Callable[[int], tuple[Manifest, FiledArrays, dict[str, bytes]]],
) -> None:
    """`values(taken)` is asked when the trace and its view have taken so many bytes of the file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:

        def add(name: str, content: bytes, how: int = zipfile.ZIP_STORED) -> None:
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), content, how)

        for name, part in ((TRACE, trace), (VIEW, view)):
            add(name, to_column_json(part).encode(), zipfile.ZIP_DEFLATED)
        manifest, filed, arrays = values(sum(info.compress_size for info in archive.infolist()))
        add(MANIFEST, to_json(manifest).encode())
        add(ARRAYS, to_column_json(filed).encode(), zipfile.ZIP_DEFLATED)
        for name, array in arrays.items():
            add(name, array)


def written(arrays: list[Any]) -> bytes:
    """Arrays of one shape and type as numpy's file. ValueError for a type that numpy has no file for."""
    file = io.BytesIO()
    xp.lib.format.write_array(file, xp.stack(list(map(to_host, arrays))), allow_pickle=False)
    return file.getvalue()


def read(path: File | IO[bytes]) -> Read:
    """Raises TraceFileError before memory is taken that is not in proportion to the file; OSError where
    it cannot be opened; TypeError for what is neither a path nor an open file.
    """
    if not (isinstance(path, (str, os.PathLike)) or hasattr(path, "read")):
        raise TypeError(f"a trace is read from a path or a file open for bytes, not from {path!r}")
    with (
        Path(path).open("rb")
        if isinstance(path, (str, os.PathLike))
        else nullcontext(path) as file,
        refused(path),
    ):
        budget = Budget(size_of(file), free=FREE)
        return _read(Records(file, budget), budget)


@contextmanager
def refused(path: File | IO[bytes]) -> Iterator[None]:
    """A fault in a file is a TraceFileError, which names it."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise TraceFileError(f"{called(path)} is not a readable trace: {error}") from error


def _read(records: Records, budget: Budget) -> Read:
    for name in (MANIFEST, TRACE):
        if name not in records:
            raise ValueError(
                f"there is no {name} in it; vizgrad writes traces with trace.save(path)"
            )
    manifest = from_json(Manifest, records.text(MANIFEST), budget=budget)
    if manifest.format != TRACE_FORMAT:
        raise ValueError(f"its format is not {TRACE_FORMAT!r}")
    if manifest.version > TRACE_VERSION:
        raise ValueError(
            f"its version is {manifest.version}, and {TRACE_VERSION} is the latest that this vizgrad reads: "
            "update vizgrad"
        )
    text = records.text(TRACE)
    if manifest.version < _IN_COLUMNS:
        trace, filed = from_json(model.Trace, text, budget=budget), manifest.arrays
    else:
        trace = from_column_json(model.Trace, text, budget=budget)
        filed = from_column_json(FiledArrays, records.text(ARRAYS), budget=budget).arrays
    if (manifest.nodes, manifest.steps) != (len(trace.graph.nodes), len(trace.records)):
        raise ValueError("its manifest does not belong to its trace")
    return Read(manifest, trace, _values(records, filed))


def _values(records: Records, filed: Iterable[Filed]) -> dict[model.ArrayName, Any]:
    values: dict[model.ArrayName, Any] = {}
    files: dict[str, Any] = {}
    for each in filed:
        array = files.get(each.file)
        if array is None:
            array = files[each.file] = npy.array_of(records.read(each.file), each.file)
            if array.dtype.kind not in "biufc":
                raise ValueError(f"{each.file} holds no numbers")
        if each.at is not None:
            if not (array.ndim > 0 and 0 <= each.at < len(array)):
                raise ValueError(f"{each.file} has no array {each.at}")
            array = array[each.at, ...]
        if (array.shape, str(array.dtype)) != (each.shape, each.dtype):
            raise ValueError(f"{each.file} is not the array that the file describes")
        values.update(dict.fromkeys(each.of, array))
    return values


def called(path: File | IO[bytes]) -> str:
    """The name of a file, as far as it has one."""
    return Path(path).name[:100] if isinstance(path, (str, os.PathLike)) else "the file"
