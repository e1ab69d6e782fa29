"""Packing saved values: what `saved_tensors_hooks` does when a node is recorded (spec 03 G).

Recording functions know nothing of this: while hooks are active on any thread, they tell of each new
node (`vizgrad.core.tensor.modes.noted`), whose saved values are then packed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.core.errors import explained, function_place
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.node import hooks_of
from vizgrad.core.graph.saved import KeptSelf, Packed, SavedResult, read_tensor
from vizgrad.core.tensor.duals import DUALS, is_dual
from vizgrad.core.tensor.modes import (
    MODES,
    add_listener,
    remove_listener,
    set_grad_mode,
    share_of_thread,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor, rare_of

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Node

Pack = Callable[[Tensor], Any]
Unpack = Callable[[Any], Tensor]


class EnoughRecomputed(BaseException):
    """Raised by a hook that packs, to end a checkpoint's recomputation that has all it is for.

    Not an Exception: the function that is computed again is not to catch it.
    """


class HookPair(NamedTuple):
    """A pair of hooks that is entered, and the one around it."""

    pack: Pack
    unpack: Unpack
    around: HookPair | None


def set_saved_hooks(pair: HookPair | None) -> None:
    """Makes `pair` the innermost one of this thread."""
    before, MODES.saved_hooks = MODES.saved_hooks, pair
    share_of_thread().switches += 1
    if before is None and pair is not None:
        add_listener(_pack_recorded)
    elif before is not None and pair is None:
        remove_listener(_pack_recorded)


def _pack_recorded(node: Node, outputs: Any) -> None:
    pair = MODES.saved_hooks
    if pair is not None and not node.wants_tensors:  # a custom Function packs while it saves
        pack_node(node, outputs, pair.pack, pair.unpack)


def pack_node(node: Node, outputs: Sequence[Tensor], pack_hook: Pack, unpack_hook: Unpack) -> None:
    """Packs all values that `node`, just recorded, has saved."""
    for name in node.saved_names:
        form = getattr(node, "_" + name)
        tensor = _packable(node, name, form, outputs)
        if tensor is not None:
            hooks_of(node)  # so that the engine knows that reading runs code of the user's
            setattr(node, "_" + name, pack(form, tensor, pack_hook, unpack_hook))
    for name in node.group_names:
        hooks_of(node)
        group = getattr(node, "_" + name)
        group.forms = [
            pack(form, form, pack_hook, unpack_hook) if isinstance(form, Tensor) else form
            for form in group.forms
        ]


def _packable(node: Node, name: str, form: Any, outputs: Sequence[Tensor]) -> Tensor | None:
    """The tensor to give to a pack hook; None for what hooks do not see (V-64)."""
    if isinstance(form, SavedResult):
        for out in outputs:
            if out._array is form._array:
                return out
        return read_tensor(node, name, form)
    if isinstance(form, KeptSelf):
        return new_tensor(form._array)
    return form if isinstance(form, Tensor) and not form._is_stand_in else None


def pack(form: Any, tensor: Tensor, pack_hook: Pack, unpack_hook: Unpack) -> Packed:
    """Gives `tensor` to the hook, grad mode off; RuntimeError if the hook writes to it (V-62)."""
    version = tensor._storage.version if tensor._storage is not None else 0
    before = set_grad_mode(False)
    try:
        packed = pack_hook(tensor)
    finally:
        set_grad_mode(before)
    if (tensor._storage.version if tensor._storage is not None else 0) != version:
        raise explained(
            RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
                "to pack hook cannot be modified by in-place operations as this can lead to "
                "unexpected side-effects."
            ),
            kind="hook-effect",
            culprit=function_place(pack_hook),
            fix="change a clone in the pack hook",
        )
    own = isinstance(form, SavedResult)
    edge = form.edge if isinstance(form, KeptSelf) else None if own else edge_of(form)
    made = Packed(packed, unpack_hook, tensor._array, edge, form.output_nr if own else None)
    if DUALS.on and is_dual(tensor):
        made.tangents = rare_of(tensor).tangents
    return made
