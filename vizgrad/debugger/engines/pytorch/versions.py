"""Facts that the versions of PyTorch report in different ways. Each is asked for what it has, none for
its number.

PyTorch 2.13 tells what a slot of a node holds, and of what shape and type its gradients must be; 2.4 tells
neither. There a slot is unpacked to be read (`Slot`), with hooks kept from running. One that was written to
cannot be unpacked: it gives its tensor to a hook of ours, which refuses it to a backward in the same words.
Facts of outputs come from tensors that were met here (`note_output`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.pytorch.elements import shape_of

_RAW, _PLAIN = "_raw_saved_", "_saved_"
#: Do slots tell what they hold?
_SLOTS_TELL = hasattr(torch._C._autograd.SavedTensor, "data")
#: Do nodes tell what their outputs are?
OUTPUTS_TOLD = hasattr(torch._C._functions.AccumulateGrad, "_input_metadata")
#: Where in a node's own metadata is kept what PyTorch does not tell.
_OUTPUTS, _OPENED = "vizgrad outputs", "vizgrad slots"
_STALE = re.compile(r"(is at version )\d+(; expected version )(\d+)")
#: The facts of an unknown output.
UNKNOWN = model.OutputMeta((), "unknown", "unknown")


# --- what gradients must be like ---------------------------------------------------------------------


def outputs_of(node: Any, used: int) -> tuple[model.OutputMeta, ...]:
    """The shape and dtype of the gradient at each output of a node. `used`: so many are known to be used."""
    if OUTPUTS_TOLD:
        return tuple(map(_meta, node._input_metadata))
    variable = getattr(node, "variable", None)
    if variable is not None:
        return (_meta(variable),)
    known = node.metadata.get(_OUTPUTS, {})
    return tuple(known.get(nr, UNKNOWN) for nr in range(max(used, 1, *(nr + 1 for nr in known))))


def devices_of_outputs(node: Any) -> set[torch.device]:
    """The devices of the gradients that come to a node, as far as they are known."""
    variable = getattr(node, "variable", None)
    if variable is not None:
        return {variable.device}
    if OUTPUTS_TOLD:
        return {each.device for each in node._input_metadata}
    known = node.metadata.get(_OUTPUTS, {}).values()
    return {torch.device(each.device) for each in known if each.device != UNKNOWN.device}


def note_output(tensor: torch.Tensor, node: Any) -> None:
    """The facts of an output known from its tensor, where PyTorch has none."""
    if not OUTPUTS_TOLD and node is not None and not hasattr(node, "variable"):
        node.metadata.setdefault(_OUTPUTS, {}).setdefault(tensor.output_nr, _meta(tensor))


def note_outputs(tensors: Iterable[Any]) -> None:
    """`note_output` of tensors that a person has. A view that was written to is not asked for its node."""
    for tensor in tensors:
        if isinstance(tensor, torch.Tensor) and not (tensor._is_view() and tensor._version):
            note_output(tensor, tensor.grad_fn)


def note_gradients(node: Any, grads: Iterable[torch.Tensor | None]) -> None:
    """The same by the gradients that came to a node: these are what they must be."""
    if not OUTPUTS_TOLD and not hasattr(node, "variable"):
        known = node.metadata.setdefault(_OUTPUTS, {})
        known.update((nr, _meta(grad)) for nr, grad in enumerate(grads) if grad is not None)


def _meta(like: Any) -> model.OutputMeta:
    dtype = str(like.dtype).removeprefix("torch.")
    return model.OutputMeta(shape_of(like), dtype, str(like.device))


# --- slots of saved tensors --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slot:
    """As PyTorch's own: the tensor that was saved (None: there is none), or what a hook made of it."""

    data: Any
    unpack_hook: Any = None


def slots_of(node: Any, name: str) -> Any:
    """The slot of what a node has saved under a name, a tuple of several. RuntimeError where a custom
    Function says that they are freed.
    """
    raw = getattr(node, _RAW + name)
    if _SLOTS_TELL:
        return raw
    several = isinstance(raw, tuple)
    with torch._C.DisableTorchFunction():  # a watch's mode is in Python, as hooks are
        read = _read(node, name, raw if several else (raw,))
    return read if several else read[0]


def _read(node: Any, name: str, raw: tuple[Any, ...]) -> tuple[Slot, ...]:
    attribute = "saved_tensors" if hasattr(node, "_forward_cls") else _PLAIN + name
    opened: dict[int, _Opened] = node.metadata.get(_OPENED, {}).get(name, {})
    for each in opened.values():
        each.refuses = False
    try:
        values, error = _values(node, attribute)
        if error is not None:
            opened = node.metadata.setdefault(_OPENED, {}).setdefault(name, {})
            values = _open(node, attribute, raw, opened, error)
    except _Packed as packed:  # all that one operation saved was packed by the same hooks
        return (Slot(packed.value, _refuse),) * len(raw)
    except RuntimeError:
        return (Slot(None),) * len(raw)
    finally:
        for each in opened.values():
            each.refuses = True
    return tuple(map(_told, values))


def _told(value: Any) -> Slot:
    """Without history, and with the counter of what was saved."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        return Slot(value)
    if value.grad_fn is not None:
        note_output(value, value.grad_fn)
    with torch._C._DisableTorchDispatch():
        return Slot(value.detach())


def _values(node: Any, attribute: str) -> tuple[tuple[Any, ...], RuntimeError | None]:
    """The saved values, or the error of the first that was written to since."""
    try:
        found = _unpacked(node, attribute)
    except RuntimeError as error:
        if not _STALE.search(str(error)):
            raise
        return (), error
    return (found if isinstance(found, tuple) else (found,)), None


def _open(
    node: Any, attribute: str, raw: tuple[Any, ...], opened: dict[int, _Opened], error: Any
) -> tuple[Any, ...]:
    """The values where some were written to: one slot after the other, until none of them refuses."""
    values: tuple[Any, ...] = ()
    for nr, slot in enumerate(raw):
        if error is None:
            break
        try:
            one = _Opened(slot, str(error))
        except RuntimeError:  # there is nothing in it, or it was opened before
            continue
        opened[nr] = one
        values, after = _values(node, attribute)
        if str(after) == str(error):
            one.expected = one.version  # it was another
        error = after
    return values or (None,) * len(raw)


class _Opened:
    """A slot that gives its tensor to hooks of ours: to who looks, and to a backward if it may have it."""

    def __init__(self, slot: Any, error: str) -> None:
        #: The counter when it was opened.
        self.version = 0
        self._error = error
        told = _STALE.search(error)
        self.expected = int(told[3]) if told is not None else 0
        self.refuses = False
        slot.register_hooks(self._take, self._give)

    def _take(self, tensor: torch.Tensor) -> torch.Tensor:
        self.version = tensor._version
        return tensor

    def _give(self, tensor: torch.Tensor) -> torch.Tensor:
        now = tensor._version
        if self.refuses and now != self.expected:
            raise RuntimeError(_STALE.sub(rf"\g<1>{now}\g<2>{self.expected}", self._error))
        return tensor


class _Packed(BaseException):
    """The argument of a hook, had it run."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def _unpacked(node: Any, attribute: str) -> Any:
    if sys.getprofile() is None:
        return _guarded(node, attribute)
    with ThreadPoolExecutor(1) as aside:  # a profiler is on, for this thread
        return aside.submit(_guarded, node, attribute).result()


def _guarded(node: Any, attribute: str) -> Any:
    """Raises _Packed in place of running a hook."""
    sys.setprofile(_refuse)
    try:
        return getattr(node, attribute)
    finally:
        sys.setprofile(None)


def _refuse(frame: FrameType, event: str, arg: Any) -> None:
    if event == "call" and frame.f_globals is not globals():
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + bool(code.co_flags & 4)]
        given = [frame.f_locals[name] for name in names if name != "self"]
        raise _Packed(given[0] if given else None)


# --- counters ----------------------------------------------------------------------------------------


def set_version(tensor: torch.Tensor, version: int) -> None:
    """Sets the counter of the writes to a tensor."""
    put: Any = torch._C._autograd._unsafe_set_version_counter
    try:
        put((tensor,), (version,))
    except TypeError:  # before PyTorch 2.6
        put(tensor, version)
