"""One array as numpy writes it to a file (.npy), from bytes that are there already."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array

#: The longest header that is read: numpy's own limit. What is in it is a dict of three entries.
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
