"""The holders of one storage: who holds it, which tensors show it, and under which kind it is counted."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vizgrad.core.errors import Place, place_of
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import InferenceStorage
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.memory.graph_holders import Block, Graphs
from vizgrad.debugger.memory.retention_paths import Paths, public, slot_of
from vizgrad.debugger.memory.walk import (
    CONTEXT,
    FUNCTION,
    NODE,
    OPTIMIZER,
    SESSION,
    TENSOR,
    Root,
    Walk,
)

#: Holders and aliases of a storage that are told; things above one that are looked through.
MOST_HOLDERS, MOST_ALIASES = 12, 64
_MOST_ABOVE = 40
#: Those that say most come first.
_ORDER: tuple[model.HeldBy, ...] = (
    "variable", "gradient", "optimizer", "numpy", "saved", "context", "hook", "view", "elsewhere",
    "cycle", "leaf",
)  # fmt: skip
#: The kinds under which a storage is counted: the first that one of its holders has.
_USES: dict[model.HeldBy, model.HeapUse] = {
    "gradient": "gradient", "optimizer": "optimizer", "variable": "variable", "numpy": "variable",
    "saved": "saved", "context": "saved", "hook": "saved", "view": "variable",
    "elsewhere": "elsewhere", "cycle": "garbage", "leaf": "saved",
}  # fmt: skip


class Held:
    """Tells of storages, from what a walk has met."""

    def __init__(self, walk: Walk, paths: Paths, graphs: Graphs) -> None:
        self._walk = walk
        self._paths = paths
        self._graphs = graphs
        #: The places of lines that recorded nodes: there are few of them, and many nodes.
        self._places: dict[Site | None, Place | None] = {}

    def use(self, block: Block) -> model.HeapUse:
        """As what it is counted."""
        alive = [owner for owner in block.owners if not self._graphs.is_garbage(owner[0])]
        if not alive:
            return "garbage"
        kinds: set[model.HeldBy] = set()
        for number, _ in alive:
            tensor = self._walk.things[number]
            if self._walk.kinds[number] != TENSOR:
                kinds.add(self._kind_of_owner(number))
                continue
            if tensor._view is None and tensor.requires_grad and not tensor._has_producer():
                return "parameter"
            kinds.update(
                self._kind(holder, number) for holder in set(self._walk.holders.get(number, ()))
            )
        for kind, use in _USES.items():
            if kind in kinds:
                return use
        return "elsewhere"

    def told(self, number: int, block: Block) -> model.HeapStorage:
        """All of it."""
        tensors = self._tensors(block)
        first = next((t for t in tensors if t._view is None), tensors[0] if tensors else None)
        shown = max((array for _, array in block.owners), key=lambda array: array.nbytes)
        holders = self._holders(block)
        aliases = self._aliases(block)
        return model.HeapStorage(
            id=number,
            name=self._name(block, first, holders),
            use=self.use(block),
            bytes=block.bytes,
            shape=tuple(shown.shape),
            dtype=str(shown.dtype),
            device=block.extent.device,
            version=None if first is None else _version(first),
            holders=tuple(holders[:MOST_HOLDERS]),
            holders_more=max(len(holders) - MOST_HOLDERS, 0),
            aliases=tuple(aliases[:MOST_ALIASES]),
            aliases_more=max(len(aliases) - MOST_ALIASES, 0),
        )

    # --- holders ----------------------------------------------------------------------------------------

    def _holders(self, block: Block) -> list[model.HeapHolder]:
        found: dict[tuple[str, str, Any], model.HeapHolder] = {}
        views = self._tensors(block)
        for number, _ in block.owners:
            if self._walk.kinds[number] != TENSOR:
                self._note(found, self._owner(number))
                continue
            for holder in dict.fromkeys(self._walk.holders.get(number, ())):
                is_own_view = (
                    self._walk.things[holder] in _Same(views)
                    and self._kind(holder, number) == "view"
                )
                if not is_own_view:
                    self._note(found, self._holder(holder, number))
        return sorted(
            public(found.values()),
            key=lambda holder: (_ORDER.index(holder.kind), not holder.graphs),
        )

    @staticmethod
    def _note(
        found: dict[tuple[str, str, Any], model.HeapHolder], holder: model.HeapHolder
    ) -> None:
        found.setdefault((holder.kind, holder.text, holder.place), holder)

    def _kind(self, holder: int, number: int) -> model.HeldBy:
        """As what `holder` has the tensor."""
        if self._graphs.is_garbage(holder):
            return "cycle"
        kind, thing = self._walk.kinds[holder], self._walk.things[holder]
        tensor = self._walk.things[number]
        if kind == TENSOR:
            return (
                "gradient"
                if thing._grad is tensor
                else "view"
                if _is_base(thing, tensor)
                else "hook"
            )
        return self._kind_of_owner(holder)

    def _kind_of_owner(self, holder: int) -> model.HeldBy:
        """The same of a holder that is no tensor."""
        if self._graphs.is_garbage(holder):
            return "cycle"
        kind = self._walk.kinds[holder]
        if kind == NODE:
            return "leaf" if self._graphs.is_leaf(holder) else "saved"
        if kind == CONTEXT:
            return "context"
        way = self._above(holder)
        if OPTIMIZER in way:
            return "optimizer"
        if CONTEXT in way:
            return "context"
        if NODE in way or (FUNCTION in way and TENSOR in way):
            return "hook"
        if SESSION in way or self._graphs.is_elsewhere(holder):
            return "elsewhere"
        return "numpy" if self._has_array(holder) else "variable"

    def _above(self, number: int) -> list[int]:
        """The kinds of the objects that lead to it."""
        return [self._walk.kinds[each] for each in self._way_up(number)]

    def _way_up(self, number: int) -> Iterator[int]:
        for _ in range(_MOST_ABOVE):
            if number < 0:
                return
            yield number
            number = self._walk.parent[number]

    def _session_of(self, number: int) -> str:
        """The title of the session that it is a part of; empty where it is none."""
        things, kinds = self._walk.things, self._walk.kinds
        return next((things[n].title for n in self._way_up(number) if kinds[n] == SESSION), "")

    def _has_array(self, number: int) -> bool:
        return number in self._graphs.with_arrays

    def _holder(self, holder: int, number: int) -> model.HeapHolder:
        kind = self._kind(holder, number)
        if self._walk.kinds[holder] == NODE and kind in ("saved", "leaf"):
            return self._by_node(kind, holder, self._walk.things[number])
        if kind == "gradient":
            return model.HeapHolder(kind, f".grad of {self._paths.of(holder) or 'a leaf'}")
        if kind == "view":
            return model.HeapHolder(kind, f"{self._paths.of(holder) or 'a tensor'}, a view of it")
        session = self._session_of(holder)
        if session:
            return model.HeapHolder(kind, f"the open session of {session}")
        text = self._paths.through(holder, number)
        if kind == "optimizer" and " state " not in text:
            text = self._paths.optimizer(holder)
        return model.HeapHolder(kind, self._text(kind, holder, text))

    def _owner(self, number: int) -> model.HeapHolder:
        """Who has an array of numpy's, or a node that has saved a bare one."""
        kind = self._kind_of_owner(number)
        array = next(a for n, a in self._graphs.arrays_of(number))
        if self._walk.kinds[number] == NODE:
            return self._by_node(kind, number, array)
        session = self._session_of(number)
        if session:
            return model.HeapHolder(kind, f"the open session of {session}")
        thing = self._walk.things[number]
        text = thing.name if isinstance(thing, Root) else self._paths.by_array(number, array)
        return model.HeapHolder(kind, self._text(kind, number, text))

    def _by_node(self, kind: model.HeldBy, number: int, thing: Any) -> model.HeapHolder:
        node: Node = self._walk.things[number]
        graphs = self._graphs.names_of(number)
        if kind == "leaf":
            return model.HeapHolder(kind, "leaf of a graph", None, *graphs)
        slot = slot_of(node, thing)
        text = f"saved `{slot}` of {node.name()}" if slot else f"a part of {node.name()}"
        site = node.site
        if site not in self._places:
            self._places[site] = place_of(site)
        return model.HeapHolder(kind, text, self._places[site], *graphs)

    def _text(self, kind: model.HeldBy, holder: int, text: str) -> str:
        if kind == "cycle":
            return "a cycle that the collector has not freed yet"
        return text or "something without a name: an expression that is running, or an extension"

    # --- aliases ----------------------------------------------------------------------------------------

    def _tensors(self, block: Block) -> list[Tensor]:
        found = (self._walk.things[n] for n, _ in block.owners if self._walk.kinds[n] == TENSOR)
        return list({id(tensor): tensor for tensor in found}.values())

    def _aliases(self, block: Block) -> list[model.HeapAlias]:
        """The tensors that show it, bases before their views, then what shares it without a counter."""
        tensors = sorted(self._tensors(block), key=lambda tensor: tensor._view is not None)
        at: dict[int, int] = {}
        found: list[model.HeapAlias] = []
        for tensor in tensors:
            view = tensor._view
            base = None if view is None else at.get(id(view.base))
            relation = "view" if base is not None else "base" if not found else "shares"
            at[id(tensor)] = len(found)
            found.append(
                model.HeapAlias(
                    name=self._tensor_name(tensor),
                    relation=relation,
                    of=base if base is not None else (0 if found else None),
                    shape=tuple(tensor._array.shape),
                    dtype=str(tensor._array.dtype),
                    version=_version(tensor),
                    maker="" if view is None else view.maker,
                )
            )
        found += self._without_tensors(block, bool(found))
        return found

    def _without_tensors(self, block: Block, shares: bool) -> list[model.HeapAlias]:
        found: dict[tuple[str, str], model.HeapAlias] = {}
        for number, array in block.owners:
            if self._walk.kinds[number] == TENSOR:
                continue
            holder = self._owner(number)
            relation = "numpy" if holder.kind == "numpy" else "saved"
            of = 0 if shares or found else None
            alias = model.HeapAlias(holder.text, relation, of, tuple(array.shape), str(array.dtype))
            found.setdefault((alias.name, str(alias.shape)), alias)
        return list(found.values())

    # --- names ------------------------------------------------------------------------------------------

    def _tensor_name(self, tensor: Tensor) -> str:
        number = self._walk.number(tensor)
        if number is None:
            return ""
        if self._paths.is_variable(number):
            return self._paths.of(number)
        holders = self._walk.holders.get(number, ())
        return self._holder(holders[0], number).text if holders else ""

    def _name(self, block: Block, first: Tensor | None, holders: list[model.HeapHolder]) -> str:
        name = "" if first is None else self._tensor_name(first)
        if (
            name
            and holders
            and holders[0].kind in ("variable", "gradient", "optimizer", "elsewhere")
        ):
            return name
        return holders[0].text if holders else name


class _Same:
    """Is a thing one of these? `in` of a list would compare tensors."""

    def __init__(self, things: list[Any]) -> None:
        self._ids = set(map(id, things))

    def __contains__(self, thing: Any) -> bool:
        return id(thing) in self._ids


def _is_base(view: Tensor, base: Tensor) -> bool:
    return view._view is not None and view._view.base is base


def _version(tensor: Tensor) -> int | None:
    """As it is now; None where none is counted."""
    if tensor._storage is None:
        return 0
    return None if isinstance(tensor._storage, InferenceStorage) else tensor._storage.version
