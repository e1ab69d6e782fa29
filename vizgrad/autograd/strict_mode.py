"""`set_paranoid`: finds writes to saved values that went past the version counter (V-25)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.chunks import checksum
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Checked
from vizgrad.core.tensor.modes import MODES, add_listener, remove_listener
from vizgrad.core.tensor.tensor import Tensor


def set_paranoid(mode: bool) -> bool:
    """Whether this thread's operations keep a checksum of each value they save; returns what was set.

    Backward compares it when it reads the value, and warns (UserWarning) of one that was changed without
    being counted: through `numpy()`, `.data` or a foreign buffer. The gradient is wrong then. A setting
    for debugging: each saved value is read once more when it is saved, and once when it is used.
    """
    before = _remember in MODES.on_record
    if mode and not before:
        add_listener(_remember)
    elif before and not mode:
        remove_listener(_remember)
    return before


def _remember(node: Node, outputs: Any) -> None:
    """Listener of recording; what saved-tensors hooks have packed is theirs to look after (V-63)."""
    if MODES.saved_hooks is not None:
        return
    values = node.saved_values()
    node.restore_saved({name: _checked(form) for name, form in values.items()})


def _checked(form: Any) -> Any:
    if not hasattr(form, "_array") or (isinstance(form, Tensor) and form._is_stand_in):
        return form
    return Checked(form, checksum(form._array))
