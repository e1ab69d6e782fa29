"""Which leaf of one loss is which of another: by name first, for inner nodes may be others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping

from vizgrad.debugger import model


def leaf_pairs(here: model.Graph, there: model.Graph, matched: Mapping[int, int]) -> dict[int, int]:
    """Leaf of the one -> leaf of the other. `matched` are pairs by their place in both graphs, which count
    for leaves whose names do not say.

    Two leaves are the same one if they are the only ones of their name, then of their name without that of
    the variable that holds the module, and without those of wrappers around it (``torch.compile``, DDP); at
    last, if they are the only ones left of their shape.
    """
    pairs: dict[int, int] = {}

    def left(graph: model.Graph, taken: Iterable[int]) -> list[model.Node]:
        return [n for n in graph.nodes if n.kind == "leaf" and n.id not in set(taken)]

    def pair(key: Callable[[model.Node], Hashable]) -> None:
        its = _single(left(there, pairs.values()), key)
        for name, node in _single(left(here, pairs), key).items():
            if name in its and _shape(node) == _shape(its[name]):
                pairs[node.id] = its[name].id

    pair(lambda node: node.label)
    pair(lambda node: node.label.partition(".")[2])
    pair(_in_module)
    taken = set(pairs.values())
    for node in left(here, pairs):
        if node.id in matched and matched[node.id] not in taken:
            pairs[node.id] = matched[node.id]
    pair(_shape)
    return pairs


#: The names that wrappers give to the module that they wrap.
_WRAPPED = frozenset({"_orig_mod", "module", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"})


def _in_module(node: model.Node) -> Hashable:
    """``net._orig_mod.0.weight`` -> ``0.weight``."""
    return ".".join(part for part in node.label.split(".")[1:] if part not in _WRAPPED)


def _single(
    nodes: Iterable[model.Node], key: Callable[[model.Node], Hashable]
) -> dict[Hashable, model.Node]:
    """Those whose key no other has; one that is empty says nothing."""
    nodes = list(nodes)
    count = Counter(map(key, nodes))
    return {key(node): node for node in nodes if key(node) and count[key(node)] == 1}


def _shape(node: model.Node) -> Hashable:
    return tuple(output.shape for output in node.outputs)
