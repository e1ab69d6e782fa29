"""`vizgrad.save`."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import IO, Any

from vizgrad.serialization.archive import Writer


def save(
    obj: Any,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Writes tensors and whatever holds them to a file that `load` and PyTorch's `torch.load` read.

    Tensors that share memory share it again when loaded, and the memory is written once. What a view does
    not show of it is written too; save `x.clone()` for a part alone. `.grad` and history are not saved.

    The pickle inside has protocol 2, which every reader knows, whatever `pickle_protocol` says; other values
    of `pickle_module` and the format of before PyTorch 1.6 are refused with ValueError. Raises RuntimeError
    when two tensors view one memory as different types, or the folder does not exist.
    """
    if pickle_module is not pickle:
        raise ValueError("save() writes with Python's own pickle; leave pickle_module away")
    if not _use_new_zipfile_serialization:
        raise ValueError(
            "save() writes zip files only; the format of before PyTorch 1.6 can be read"
        )
    if isinstance(f, (str, os.PathLike)):
        f = Path(f)
        if not f.parent.is_dir():
            raise RuntimeError(f"Parent directory {f.parent} does not exist.")
    elif not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute, "
            f"not {type(f).__name__}"
        )
    from vizgrad.serialization.pickling import pickled  # before the file is begun

    content = pickled(obj)
    with Writer(f) as archive:
        archive.add("data.pkl", content.data)
        archive.add(".format_version", b"1")
        archive.add(".storage_alignment", b"64")
        archive.add("byteorder", sys.byteorder.encode())
        for key, block in content.memory.items():
            archive.add(f"data/{key}", block)
        archive.add("version", b"3\n")
