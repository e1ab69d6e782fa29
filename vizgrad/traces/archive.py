"""The file of a trace: an uncompressed zip of a manifest, the trace, what a browser draws, and arrays.

    manifest.json   `Manifest`: what there is, and which array is which gradient
    trace.json      `inspection.model.Trace`
    view.json       `FiledView`: drawings that were made when it was saved, for who has no kernel
    arrays/N.npy    numpy's files

Nothing is compressed, so that nothing can grow: what a file takes to be read is a multiple of what it has.
There is no pickle in it, and nothing of it is run.
"""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from vizgrad.arrays import npy, xp
from vizgrad.arrays.backend import to_host
from vizgrad.arrays.budget import Budget
from vizgrad.arrays.records import Records, size_of
from vizgrad.inspection import model
from vizgrad.inspection.filing import File
from vizgrad.inspection.wire import from_json, to_json
from vizgrad.widgets.filed import TRACE_FORMAT, TRACE_VERSION, FiledView, Manifest

MANIFEST, TRACE, VIEW = "manifest.json", "trace.json", "view.json"
#: A zip file has no earlier day, and equal traces give equal files.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


class TraceFileError(ValueError):
    """A file is no trace, or one that is damaged, made to do harm, or of a newer vizgrad."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read from a file."""

    manifest: Manifest
    trace: model.Trace
    values: dict[model.ArrayName, Any]


@contextmanager
def replacing(path: File) -> Iterator[Path]:
    """A file beside `path`, which takes its place when the block is done: nobody finds half of one."""
    target = Path(path)
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
    path: Path, manifest: Manifest, trace: model.Trace, view: FiledView, arrays: list[bytes]
) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:

        def add(name: str, content: bytes) -> None:
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), content)

        add(MANIFEST, to_json(manifest).encode())
        add(TRACE, to_json(trace).encode())
        add(VIEW, to_json(view).encode())
        for filed, array in zip(manifest.arrays, arrays, strict=True):
            add(filed.file, array)


def written(array: Any) -> bytes:
    """As numpy's file. ValueError for a type that numpy has no file for."""
    file = io.BytesIO()
    xp.lib.format.write_array(file, to_host(array), allow_pickle=False)
    return file.getvalue()


def read(path: File | IO[bytes]) -> Read:
    """Raises TraceFileError before memory is taken that is not in proportion to the file; OSError where
    it cannot be opened.
    """
    with (
        Path(path).open("rb")
        if isinstance(path, (str, os.PathLike))
        else nullcontext(path) as file,
        refused(path),
    ):
        budget = Budget(size_of(file))
        return _read(Records(file, budget), budget)


@contextmanager
def refused(path: File | IO[bytes]) -> Iterator[None]:
    """What is wrong with a file is a TraceFileError, which names it."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise TraceFileError(f"{called(path)} is no trace that can be read: {error}") from error


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
    trace = from_json(model.Trace, records.text(TRACE), budget=budget)
    if (manifest.nodes, manifest.steps) != (len(trace.graph.nodes), len(trace.records)):
        raise ValueError("its manifest does not belong to its trace")
    values: dict[model.ArrayName, Any] = {}
    for filed in manifest.arrays:
        array = npy.array_of(records.read(filed.file), filed.file)
        if (array.shape, str(array.dtype)) != (filed.shape, filed.dtype):
            raise ValueError(f"{filed.file} is not the array that the manifest tells of")
        if array.dtype.kind not in "biufc":
            raise ValueError(f"{filed.file} holds no numbers")
        values.update(dict.fromkeys(filed.of, array))
    return Read(manifest, trace, values)


def called(path: File | IO[bytes]) -> str:
    """The name of a file, as far as it has one."""
    return Path(path).name[:100] if isinstance(path, (str, os.PathLike)) else "the file"
