"""Safetensors files, with the functions of `safetensors.torch`: names and tensors, nothing that could run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import blocks
from vizgrad.core.arrays.backend import parse_device, to_device, to_host
from vizgrad.core.arrays.dtypes import by_name
from vizgrad.core.arrays.files import Budget
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module

Name = str | os.PathLike[str]

#: Characters of the format's own errors.
_MOST_QUOTED = 1000

#: The format's name of an element type -> its name here.
_TYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F16": "float16", "BF16": "bfloat16",
    "F32": "float32", "F64": "float64", "C64": "complex64",
}  # fmt: skip
#: The memory of an empty tensor, with its name and shape.
_TENSOR = 600


def save(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """A file's content. ValueError for what is no dict of contiguous tensors of a type the format has,
    RuntimeError when two of them share memory: see `save_model`.
    """
    from safetensors.numpy import save as written

    return written(_checked(tensors), None if metadata is None else dict(metadata))


def save_file(
    tensors: Mapping[str, Tensor], filename: Name, metadata: Mapping[str, str] | None = None
) -> None:
    """Writes a file; errors as `save`."""
    from safetensors.numpy import save_file as write

    write(_checked(tensors), filename, None if metadata is None else dict(metadata))


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors of a file's content.

    Raises safetensors.SafetensorError for damage, TypeError for an element type vizgrad has not.
    """
    return _tensors(data, "cpu")


def load_file(filename: Name, device: Any = "cpu") -> dict[str, Tensor]:
    """The tensors of a file, on `device`; errors as `load`."""
    return _tensors(Path(filename).read_bytes(), device)


def save_model(
    model: Module,
    filename: Name,
    metadata: Mapping[str, str] | None = None,
    force_contiguous: bool = True,
) -> None:
    """Writes a module's state, each shared tensor once; the metadata names the one kept for the others.

    RuntimeError when none of the tensors that share memory covers all of it.
    """
    state = model.state_dict()
    notes = dict(metadata or {})
    for kept, others in _shared(state).items():
        for name in others:
            notes.setdefault(name, kept)
            del state[name]
    if force_contiguous:
        state = {name: tensor.contiguous() for name, tensor in state.items()}
    save_file(state, filename, notes or None)


def load_model(
    model: Module, filename: Name, strict: bool = True, device: Any = "cpu"
) -> tuple[set[str], list[str]]:
    """Loads such a file into a module, in place; returns the names (missing, unexpected).

    RuntimeError if `strict` and there are any; a shared tensor may be in the file under any of its names.
    """
    found = load_file(filename, device)
    twins = _shared(model.state_dict(), set(found))
    keys = model.load_state_dict(found, strict=False)
    missing, unexpected = set(keys.missing_keys), list(keys.unexpected_keys)
    for others in twins.values():
        unexpected += [name for name in others if name not in missing]
        missing -= set(others)
    if strict and (missing or unexpected):
        lines = [f"Error(s) in loading state_dict for {type(model).__name__}:"]
        if missing:
            lines.append(f"Missing key(s) in state_dict: {_listed(missing)}")
        if unexpected:
            lines.append(f"Unexpected key(s) in state_dict: {_listed(unexpected)}")
        raise RuntimeError("\n    ".join(lines))
    return missing, unexpected


def _listed(names: Any) -> str:
    return ", ".join(f'"{name}"' for name in sorted(names))


def _checked(tensors: Any) -> dict[str, Any]:
    """Arrays to write."""
    if not isinstance(tensors, Mapping):
        raise ValueError(f"Expected a dict of [str, Tensor] but received {type(tensors)}")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(
                f"Key `{name}` is invalid, expected Tensor but received {type(tensor)}"
            )
        if not isinstance(name, str):
            raise TypeError(f"names of tensors are strings, not {type(name).__name__}: {name!r}")
        if tensor.dtype.name not in _TYPES.values():
            raise ValueError(f"safetensors files have no {tensor.dtype.name}, the type of `{name}`")
        if not tensor.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed: the "
                "format has no strides. Save `.contiguous()` of it"
            )
    groups = [group for group in _overlapping(tensors) if len(group) > 1]
    if groups:
        raise RuntimeError(
            f"Some tensors share memory, which the file would not say: {[set(g) for g in groups]}. "
            "Use `save_model` for a module, or clone one of each"
        )
    return {name: to_host(tensor._array) for name, tensor in tensors.items()}


def _overlapping(tensors: Mapping[str, Tensor]) -> list[list[str]]:
    """Names of tensors by memory: those in one group share some of it."""
    groups: list[list[str]] = []
    end: tuple[Any, int] = None, 0
    spans = ((*blocks.span(t._array), str(t.device), name) for name, t in tensors.items())
    for start, stop, device, name in sorted(spans, key=lambda s: (s[2], s[0], -s[1], s[3])):
        if start == stop:
            continue
        if groups and end[0] == device and start < end[1]:
            groups[-1].append(name)
            end = device, max(stop, end[1])
        else:
            groups.append([name])
            end = device, stop
    return groups


def _shared(tensors: Mapping[str, Tensor], preferred: Any = ()) -> dict[str, list[str]]:
    """The name to keep for each memory that several tensors share -> the other names."""
    kept: dict[str, list[str]] = {}
    for group in _overlapping(tensors):
        if len(group) < 2:
            continue
        spans = {name: blocks.span(tensors[name]._array) for name in group}
        start, stop = min(s for s, _ in spans.values()), max(e for _, e in spans.values())
        whole = sorted(
            name for name in group
            if spans[name] == (start, stop) and tensors[name]._array.nbytes == stop - start
        )  # fmt: skip
        if not whole:
            raise RuntimeError(
                f"none of {sorted(group)} covers all of the memory they share, so that none can be "
                "saved for the others; clone them"
            )
        name = next((n for n in whole if n in preferred), whole[0])
        kept[name] = sorted(n for n in group if n != name)
    return kept


def _tensors(data: bytes, device: Any) -> dict[str, Tensor]:
    from safetensors import SafetensorError, deserialize

    budget = Budget(len(data))
    header = int.from_bytes(data[:8], "little")
    # The header's text becomes objects, of which each tensor has its own in braces.
    budget.spend(2 * len(data) + _TENSOR * data.count(b"{", 8, 8 + header))
    found: dict[str, Tensor] = {}
    try:
        views = deserialize(data)
    except SafetensorError as error:  # which quotes what it found in the file, however long
        raise SafetensorError(str(error)[:_MOST_QUOTED]) from None
    for name, view in views:
        kind = _TYPES.get(view["dtype"])
        if kind is None:
            raise TypeError(
                f"vizgrad has no element type {view['dtype']}, which `{name[:80]}` is of"
            )
        if len(view["shape"]) > blocks.MOST_DIMENSIONS:
            raise SafetensorError(f"`{name[:80]}` has {len(view['shape'])} dimensions")
        budget.spend(len(view["data"]))
        array = blocks.read_bytes(view["data"], by_name(kind).np).reshape(view["shape"])
        found[name] = new_tensor(to_device(array, parse_device(device)))
    return found
