"""numpy's archives of arrays (.npz), for tensors by name."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from vizgrad.core.arrays import dtypes, files, xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.files import Budget, Records, size_of
from vizgrad.core.tensor.tensor import Tensor, new_tensor

File = str | os.PathLike[str] | IO[bytes]


def save_npz(tensors: Mapping[str, Tensor], file: File) -> None:
    """Writes an archive that `numpy.load` reads: values, shapes and types.

    TypeError for what is no tensor. Memory that tensors share is written once for each.
    """
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"`{name}` is no tensor but {type(tensor).__name__}")
    with zipfile.ZipFile(file, "w") as archive:
        for name, tensor in tensors.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as record:
                xp.lib.format.write_array(record, to_host(tensor._array), allow_pickle=False)


def load_npz(file: File) -> dict[str, Tensor]:
    """The tensors of such an archive, by name.

    Arrays of Python objects, which would need running a pickle, are refused with ValueError, other types
    that tensors cannot have with TypeError, damage with RuntimeError, before memory is taken for it.
    """
    with (
        Path(file).open("rb")
        if isinstance(file, (str, os.PathLike))
        else nullcontext(file) as source
    ):
        records = Records(source, Budget(size_of(source)))
        return {
            name.removesuffix(".npy"): new_tensor(_native(files.array_of(records.read(name), name)))
            for name in records.names
        }


def _native(array: xp.ndarray) -> xp.ndarray:
    """In this machine's byte order."""
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return dtypes.canonical(native)
