"""The user's names of tensors: looked up in the namespaces in use."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, cast

from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.source_location import INTERNAL, frame_outside
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.api.frameworks import of_framework

#: A container longer than this is not searched; only this many parameters of a module are.
_LONGEST_LIST = 64
_LONGEST_DICT = 256
_MOST_PARAMETERS = 10_000
_PLAIN = int, float, complex, str
#: A parameter's place in a tree of modules says more than the variable of a loop, or a list of some.
_IN_A_CONTAINER, _IN_A_MODULE = 1, 2


#: Beginnings of names that serve only if nothing better is found: IPython's history among them.
_HIDDEN = ("_", "Out[")


class Names(dict[int, str]):
    """id of tensor -> name. Knows the tensors weakly: an address that is used again names nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._tensors: dict[int, weakref.ref[Any]] = {}
        self._ranks: dict[int, int] = {}
        #: The variables themselves, by name: numbers and texts as they were, tensors weakly.
        self._plain: dict[str, Any] = {}
        self._by_name: dict[str, weakref.ref[Any]] = {}

    def found(self, tensor: Any, name: str, rank: int = 0) -> None:
        """Notes a name. The one of the highest rank stays, the first of these, unless it is a hidden
        one, or of IPython's results.
        """
        key = id(tensor)
        known = super().get(key)
        hidden = name.startswith(_HIDDEN)
        if known is None or (known.startswith(_HIDDEN) and not hidden):
            better = True
        else:
            better = rank > self._ranks.get(key, 0) and (not hidden or known.startswith(_HIDDEN))
        if better:
            self[key], self._ranks[key] = name, rank
            self._tensors[key] = weakref.ref(tensor)

    def get(self, number: int, default: Any = None) -> Any:
        tensor = self._tensors.get(number)
        return default if tensor is None or tensor() is None else super().get(number, default)

    def tensors(self) -> list[Any]:
        """Those that are still there."""
        return [tensor for known in self._tensors.values() if (tensor := known()) is not None]

    def variable(self, name: str, value: Any) -> None:
        """Notes a variable that is a tensor, a module, a number or a text; the first of a name stays."""
        if name in self._plain or name in self._by_name:
            return
        if isinstance(value, _PLAIN):
            self._plain[name] = value
            return
        with suppress(TypeError):  # a class without weak references
            self._by_name[name] = weakref.ref(value)

    def variables(self) -> dict[str, Any]:
        """Numbers and texts as they were when the names were looked up; tensors and modules that are still
        there.
        """
        found = dict(self._plain)
        for name, known in self._by_name.items():
            tensor = known()
            if tensor is not None:
                found[name] = tensor
        return found


def variables_of(
    names: Mapping[int, str], loss: Any, elements: Any
) -> Callable[[], Mapping[str, Any]]:
    """The variables of a backward: those that `names` knows, and `loss`. Holds no tensor: `elements` of a
    loss that is one number, an alias without history, take its place when nobody holds it any more.
    """
    known = weakref.ref(loss)

    def variables() -> Mapping[str, Any]:
        found = names.variables() if isinstance(names, Names) else {}
        there = known()
        found["loss"] = elements if there is None else there
        return found

    return variables


def names_in(namespaces: Iterable[Mapping[str, Any]], kinds: tuple[type, ...] = (Tensor,)) -> Names:
    """id of tensor -> name, e.g. ``w``, ``model.0.weight``; earlier namespaces win.

    Names that begin with an underscore (IPython's history among them) only serve if nothing better is
    found. `kinds` are the types of what is a tensor: other engines have theirs.
    """
    names = Names()
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if isinstance(value, (*_PLAIN, *kinds)) or is_module(value):
                names.variable(name, value)
            for inner, tensor in _tensors_in(value, kinds):
                names.found(tensor, name + inner)
            for inner, module in _modules_in(name, value):
                for below, tensor in _of_module(module, kinds):
                    rank = 0
                    if type(tensor).__name__ == "Parameter":
                        rank = _IN_A_CONTAINER if "[" in inner else _IN_A_MODULE
                    names.found(tensor, name + inner + below, rank)
    return names


def _tensors_in(value: Any, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """Tensors that a variable holds, with what to write after its name to get at them."""
    if isinstance(value, kinds):
        yield "", value
    else:
        yield from _items(value, lambda each: isinstance(each, kinds))


def _items(value: Any, wanted: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """The items that are wanted, of a list, a tuple or a dictionary that is not too long.

    They are few, if there are any: no key is written for the others.
    """
    if isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        if len(items) <= _LONGEST_LIST:
            yield from ((f"[{i}]", each) for i, each in enumerate(items) if wanted(each))
    elif isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        if len(entries) <= _LONGEST_DICT:
            yield from ((f"[{_key(k)}]", each) for k, each in list(entries.items()) if wanted(each))


def _key(key: Any) -> str:
    """A key as the user writes it: a function or a class by its name. No address of an object is shown."""
    name = getattr(key, "__name__", None)
    if isinstance(name, str):
        return name
    text = repr(key)
    return f"<{type(key).__name__}>" if "0x" in text else text


def is_module(value: Any) -> bool:
    """Has it parameters by name, as modules of all engines?"""
    kind: type[Any] = type(value)
    return callable(getattr(kind, "named_parameters", None))


def _modules_in(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Modules that a variable holds: itself, items of a container, or attributes of `self`."""
    if is_module(value):
        yield "", value
        return
    yield from _items(value, is_module)
    if name == "self":
        own = getattr(value, "__dict__", None) or {}
        yield from ((f".{key}", each) for key, each in list(own.items()) if is_module(each))


def _of_module(module: Any, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """The parameters of a module, and tensors that its parts hold without having registered them."""
    for inner, parameter in islice(module.named_parameters(), _MOST_PARAMETERS):
        yield f".{inner}", parameter
    for inner, part in islice(module.named_modules(), _MOST_PARAMETERS):
        where = f".{inner}" if inner else ""
        for key, tensor in unregistered(part, kinds):
            yield f"{where}.{key}", tensor


def unregistered(module: Any, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """Tensors that a module has as attributes of Python's alone, with their path: its `parameters()` leaves
    them out, and those of modules in its lists and dictionaries.
    """
    for key, value in list(vars(module).items()):
        if key.startswith("_"):
            continue
        if isinstance(value, kinds):
            yield key, value
        elif isinstance(value, list | tuple | dict):
            for inner, each in _items(
                value, lambda each: isinstance(each, kinds) or is_module(each)
            ):
                if isinstance(each, kinds):
                    yield f"{key}{inner}", each
                    continue
                for below, parameter in each.named_parameters():
                    yield f"{key}{inner}.{below}", parameter


def names_around(depth: int = 2, kinds: tuple[type, ...] = (Tensor,)) -> Names:
    """Names in the nearest frame outside vizgrad, its callers, and its module."""
    frame = frame_outside(depth + 1)
    spaces: list[Mapping[str, Any]] = []
    steps = 0
    while frame is not None and steps < 8:
        package = frame.f_globals.get("__package__")
        users = INTERNAL[package] is False and not of_framework(package)
        if users:
            own = locals_of(frame)
            spaces.append(own)
            if own is not frame.f_globals:
                spaces.append(frame.f_globals)
        if frame.f_code.co_name == "<module>":
            break
        frame = frame.f_back
        # Frames of a watch stand between others, and each mode of PyTorch's adds some of PyTorch's.
        steps += users
    return names_in(spaces, kinds)
