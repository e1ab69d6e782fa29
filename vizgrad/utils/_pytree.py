"""Nests of containers as a list of leaves and a description of the nest, as torch.utils._pytree.

A nest is made of tuples, lists, dicts, named tuples, OrderedDicts, defaultdicts, deques, and of classes that
were registered; everything else is a leaf, None too. A dict's leaves come in its own order.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from vizgrad.core.tensor.state import wrong_call

T = TypeVar("T")
PyTree = Any
Context = Any


# --- steps of a path ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class SequenceKey(Generic[T]):
    """The element number `idx`."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey(Generic[T]):
    """The value of `key`."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The field `name`."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


KeyPath = tuple[Any, ...]


def keystr(kp: KeyPath) -> str:
    """The path as one writes it behind a variable: `['weights'][0]`."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """The value at the end of the path."""
    for key in kp:
        obj = key.get(obj)
    return obj


# --- kinds of containers -----------------------------------------------------------------------------


class _Kind(NamedTuple):
    """How containers of one class are taken apart, and made again of children and context."""

    flatten: Callable[[Any], tuple[list[Any], Any]]
    unflatten: Callable[[Iterable[Any], Any], Any]
    keys: Callable[[Any, Any], Iterable[Any]]


def _numbered(tree: Any, context: Any) -> list[Any]:
    return [SequenceKey(number) for number in range(len(tree))]


def _keyed(tree: Any, context: Any) -> list[Any]:
    return [MappingKey(key) for key in tree]


def _mapping(keys: Any, children: Iterable[Any]) -> Any:
    return zip(keys, children, strict=True)


KINDS: dict[Any, _Kind] = {
    list: _Kind(lambda t: (list(t), None), lambda c, _: list(c), _numbered),
    tuple: _Kind(lambda t: (list(t), None), lambda c, _: tuple(c), _numbered),
    NamedTuple: _Kind(
        lambda t: (list(t), type(t)),
        lambda c, cls: cls(*c),
        lambda t, _: [GetAttrKey(field) for field in t._fields],
    ),
    dict: _Kind(
        lambda t: (list(t.values()), list(t)), lambda c, keys: dict(_mapping(keys, c)), _keyed
    ),
    OrderedDict: _Kind(
        lambda t: (list(t.values()), list(t)),
        lambda c, keys: OrderedDict(_mapping(keys, c)),
        _keyed,
    ),
    defaultdict: _Kind(
        lambda t: (list(t.values()), [t.default_factory, list(t)]),
        lambda c, context: defaultdict(context[0], _mapping(context[1], c)),
        _keyed,
    ),
    deque: _Kind(lambda t: (list(t), t.maxlen), lambda c, most: deque(c, maxlen=most), _numbered),
}
#: Kinds that may stand for each other where several trees are mapped together.
_DICTS = (dict, OrderedDict, defaultdict)


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Context]],
    unflatten_fn: Callable[[Iterable[Any], Context], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Context], Any] | None = None,
    from_dumpable_context: Callable[[Any], Context] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Context]] | None = None,
) -> None:
    """Makes instances of `cls` containers: `flatten_fn` gives children and context, and back.

    The names for writing a description to a file are taken, and nothing is done with them. Raises ValueError
    for a class that is known already.
    """
    if cls in KINDS:
        raise wrong_call(
            ValueError(f"{cls} is already registered as pytree node."), "register a class once"
        )

    def keys(tree: Any, context: Any) -> list[Any]:
        if flatten_with_keys_fn is not None:
            return [key for key, _ in flatten_with_keys_fn(tree)[0]]
        return _numbered(flatten_fn(tree)[0], context)

    KINDS[cls] = _Kind(flatten_fn, unflatten_fn, keys)


def is_namedtuple_class(cls: Any) -> bool:
    """Is it a class made by `namedtuple`, or derived from one?"""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields := getattr(cls, "_fields", None), tuple)
        and all(isinstance(field, str) for field in fields)
    )


def is_namedtuple_instance(obj: object) -> bool:
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: Any) -> bool:
    """Is it a named tuple, or a class of them?"""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def kind_of(tree: Any) -> Any:
    """The key into `KINDS`; None for a leaf."""
    cls = type(tree)
    if cls in KINDS:
        return cls
    return NamedTuple if is_namedtuple_class(cls) else None


# --- descriptions ------------------------------------------------------------------------------------


class TreeSpec:
    """The containers of a nest without its leaves. `type` is None for a leaf."""

    __slots__ = ("_children", "context", "num_leaves", "num_nodes", "type")

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]) -> None:
        self.type = type
        self.context = context
        self._children = children_specs
        self.num_nodes = 1 + sum(child.num_nodes for child in children_specs)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in children_specs)

    @property
    def num_children(self) -> int:
        return len(self._children)

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list[TreeSpec]:
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        return self._children[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context) == (other.type, other.context) and (
            self._children == other._children
        )

    def __hash__(self) -> int:
        return hash((self.type, repr(self.context), tuple(self._children)))

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        name = "namedtuple" if self.type is NamedTuple else self.type.__name__
        inner = ",\n".join(map(repr, self._children)).replace("\n", "\n  ")
        return f"TreeSpec({name}, {self.context!r}, [{inner}])"

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """The nest with these leaves; ValueError unless they are as many as its own were."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise wrong_call(
                ValueError(
                    f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a "
                    f"pytree that holds {self.num_leaves} items ({self})."
                ),
                "give as many leaves as the description was made of",
            )
        return self._made(iter(leaves))

    def _made(self, leaves: Iterator[Any]) -> PyTree:
        if self.type is None:
            return next(leaves)
        children = [child._made(leaves) for child in self._children]
        return KINDS[self.type].unflatten(children, self.context)

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """The values of `tree` where this nest has leaves; ValueError where its containers are others."""
        found: list[PyTree] = []
        self._collect(tree, found)
        return found

    def _collect(self, tree: PyTree, found: list[PyTree]) -> None:
        if self.type is None:
            found.append(tree)
            return
        kind = kind_of(tree)
        alike = kind is self.type or (kind in _DICTS and self.type in _DICTS)
        if not alike:
            _differs(f"Node type mismatch; expected {self.type}, but got {type(tree)}.")
        children, context = KINDS[kind].flatten(tree)
        if len(children) != self.num_children:
            _differs(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if kind in _DICTS:
            keys = self.context[1] if self.type is defaultdict else self.context
            if missing := [key for key in keys if key not in tree]:
                extra = [key for key in tree if key not in keys]
                _differs(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {extra}.")
            children = [tree[key] for key in keys]
        elif context != self.context:
            _differs(f"Node context mismatch; expected {self.context!r}, but got {context!r}.")
        for spec, child in zip(self._children, children, strict=True):
            spec._collect(child, found)


PyTreeSpec = TreeSpec


class _LeafMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.type is None


class LeafSpec(TreeSpec, metaclass=_LeafMeta):
    """The description of a leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])


def _differs(message: str) -> NoReturn:
    raise wrong_call(ValueError(message), "give nests of the same containers")


# --- taking apart and putting together ----------------------------------------------------------------


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
