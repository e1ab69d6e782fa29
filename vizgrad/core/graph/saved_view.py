"""SavedTensor: one saved value of a node, as `node._raw_saved_<name>` shows it (V-65)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph import node as node_module
from vizgrad.core.graph.node import hooks_of
from vizgrad.core.graph.packing import pack
from vizgrad.core.graph.saved import Freed, Packed, bare, read_tensor
from vizgrad.core.graph.saved_group import GroupSlot
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Node


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


node_module.show_saved = _show
node_module.show_saved_group = _show_group
