"""Nests of containers as a list of leaves and a description of the nest, as torch.utils._pytree.

A nest is made of tuples, lists, dicts, named tuples, OrderedDicts, defaultdicts, deques, and of classes that
were registered; everything else is a leaf, None too. A dict's leaves come in its own order.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vizgrad.core.tensor.state import wrong_call
from vizgrad.utils.nests import KINDS, PyTree, TreeSpec, kind_of
from vizgrad.utils.nests import GetAttrKey as GetAttrKey
from vizgrad.utils.nests import KeyPath as KeyPath
from vizgrad.utils.nests import LeafSpec as LeafSpec
from vizgrad.utils.nests import MappingKey as MappingKey
from vizgrad.utils.nests import PyTreeSpec as PyTreeSpec
from vizgrad.utils.nests import SequenceKey as SequenceKey
from vizgrad.utils.nests import is_namedtuple as is_namedtuple
from vizgrad.utils.nests import is_namedtuple_class as is_namedtuple_class
from vizgrad.utils.nests import is_namedtuple_instance as is_namedtuple_instance
from vizgrad.utils.nests import key_get as key_get
from vizgrad.utils.nests import keystr as keystr
from vizgrad.utils.nests import register_pytree_node as register_pytree_node

IsLeaf = Callable[[Any], bool] | None


def tree_is_leaf(tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    return (is_leaf is not None and is_leaf(tree)) or kind_of(tree) is None


# --- taking apart, putting together ------------------------------------------------------------------


def _walk(tree: PyTree, is_leaf: IsLeaf, leaves: list[Any]) -> TreeSpec:
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        leaves.append(tree)
        return LeafSpec()
    children, context = KINDS[kind].flatten(tree)
    return TreeSpec(kind, context, [_walk(child, is_leaf, leaves) for child in children])


def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """(leaves, description). An object for which `is_leaf` returns True is a leaf, too."""
    leaves: list[Any] = []
    return leaves, _walk(tree, is_leaf, leaves)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The nest that `treespec` describes, with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise wrong_call(
            TypeError(
                f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}."
            ),
            "give it what tree_flatten or tree_structure returned",
        )
    return treespec.unflatten(leaves)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[Any]:
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterator[Any]:
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    return tree_flatten(tree, is_leaf)[1]


def _paths(tree: PyTree, is_leaf: IsLeaf, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        yield path, tree
        return
    children, context = KINDS[kind].flatten(tree)
    for key, child in zip(KINDS[kind].keys(tree, context), children, strict=True):
        yield from _paths(child, is_leaf, (*path, key))


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    return list(_paths(tree, is_leaf, ()))


def tree_flatten_with_path(
    tree: PyTree, is_leaf: IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


# --- mapping -----------------------------------------------------------------------------------------


def tree_map(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """The nest of `func(leaf, *what the others have there)`; the others may be deeper."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(*each) for each in zip(leaves, *others, strict=True)])


def tree_map_(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Calls `func` as `tree_map` does, and returns `tree` itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """As `tree_map`, with the path of the leaf as the first argument."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten(
        [func(*place, *each) for place, *each in zip(leaves, *others, strict=True)]
    )


def _chooses(wanted: Any) -> Callable[[Any], Any]:
    if isinstance(wanted, (type, tuple, types.UnionType)):
        return lambda leaf: isinstance(leaf, wanted)
    if callable(wanted):
        return wanted
    raise wrong_call(
        TypeError("Argument must be a type, a tuple of types, or a callable."),
        "e.g. tree_map_only(Tensor, ...)",
    )


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """As `tree_map`, for leaves of these types, or for which the predicate holds; others stay."""
    chosen = _chooses(type_or_types_or_pred)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    tree_map_only(type_or_types_or_pred, func, tree, is_leaf)
    return tree


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: IsLeaf = None
) -> list[Any] | None:
    """The leaves of `tree` for each leaf of `treespec`, of which it may be a beginning: a leaf stands for all
    that is below it. None where it is no beginning.
    """
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf() or kind_of(tree) is not treespec.type:
        return None
    children, context = KINDS[treespec.type].flatten(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec.children(), strict=True):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found
