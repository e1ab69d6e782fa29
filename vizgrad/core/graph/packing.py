"""Hooks on saved values (spec 03 G): `saved_tensors_hooks`, which packs the values of each node that is
recorded, and `SavedTensor`, one saved value as `node._raw_saved_<name>` shows it (V-65).

Recording functions know nothing of this: while hooks are active on any thread, they tell of each new
node (`vizgrad.core.tensor.modes.noted`), whose saved values are then packed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from vizgrad.core.errors import explained, function_place, place_of
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.node import hooks_of
from vizgrad.core.graph.saved import (
    Freed,
    GroupSlot,
    KeptSelf,
    Packed,
    SavedResult,
    bare,
    read_tensor,
)
from vizgrad.core.tensor.duals import DUALS, is_dual
from vizgrad.core.tensor.modes import (
    MODES,
    add_listener,
    remove_listener,
    set_grad_mode,
    share_of_thread,
)
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor, rare_of
from vizgrad.core.upcalls import UPCALLS

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


# --- one saved value ------------------------------------------------------------------------------------


class Slot(Protocol):
    """Where a saved value sits."""

    def get(self) -> Any: ...

    def set(self, form: Any) -> None: ...


class NodeSlot:
    """The slot ``_<name>`` of a compiled node."""

    __slots__ = ("_name", "_node")

    def __init__(self, node: Node, name: str) -> None:
        self._node = node
        self._name = "_" + name

    def get(self) -> Any:
        return getattr(self._node, self._name)

    def set(self, form: Any) -> None:
        setattr(self._node, self._name, form)


class SavedTensor:
    """Made when asked for: nodes keep saved values in cheaper forms (`vizgrad.core.graph.saved`)."""

    __slots__ = ("_name", "_node", "_slot")

    def __init__(self, node: Node, name: str, slot: Slot) -> None:
        self._node = node
        self._name = name
        self._slot = slot

    @property
    def data(self) -> Tensor | None:
        """The value, unpacked now."""
        return self.unpack()

    def unpack(self) -> Tensor | None:
        return read_tensor(self._node, self._name, self._slot.get())

    def register_hooks(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        """Packs the value now, with `pack_hook`; `unpack_hook` runs at each use.

        Raises RuntimeError for a value that is None, was freed, or has hooks already.
        """
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise wrong_call(
                TypeError("register_hooks expects two callables, pack_hook and unpack_hook"),
                "give it two functions",
                "hook-effect",
            )
        form = bare(self._slot.get())
        if form is None:
            raise self._refusal(
                "Calling register_hooks on a saved tensor with value None is forbidden",
                f"`{self._name}` is not needed for the backward of {self._node.name()}: leave it out",
            )
        if isinstance(form, Freed):
            raise self._refusal(
                "Calling register_hooks on a saved tensor after it has been freed. Specify "
                "retain_graph=True if you need saved values after a backward.",
                "register hooks before the backward",
            )
        if isinstance(form, Packed):
            raise self._refusal(
                "Calling register_hooks on a saved tensor whose hooks have already been set. "
                "Hint: only one pair of hooks is allowed at a time.",
                "put both pairs into one",
            )
        tensor = read_tensor(self._node, self._name, form)
        assert tensor is not None
        hooks_of(self._node)  # so that the engine knows that reading runs code of the user's
        self._slot.set(pack(form, tensor.detach(), pack_hook, unpack_hook))

    def _refusal(self, message: str, fix: str) -> RuntimeError:
        return explained(
            RuntimeError(message),
            kind="hook-effect",
            culprit=place_of(caller()),
            tensor=self._node.name(),
            fix=fix,
        )

    def __repr__(self) -> str:
        return f"<SavedTensor `{self._name}` of {self._node.name()}>"


def _show(node: Node, name: str) -> SavedTensor:
    return SavedTensor(node, name, NodeSlot(node, name))


def _show_group(node: Node, name: str) -> tuple[SavedTensor, ...]:
    group = getattr(node, "_" + name)
    return tuple(
        SavedTensor(node, f"{name}[{n}]", GroupSlot(group, n)) for n in range(len(group.forms))
    )


UPCALLS.show_saved = _show
UPCALLS.show_saved_group = _show_group
