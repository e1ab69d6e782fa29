"""Reads a pickle as data: each instruction is done here, and calls only what `names` allows.

Python's own unpickler would let a file set attributes of the functions and classes it may name, and reach
whatever those lead to. This one knows which kinds of object may be filled, and with what.
"""

from __future__ import annotations

import pickletools
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from pickle import UnpicklingError
from typing import IO, Any, Protocol

from vizgrad.core.arrays.files import Budget
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.serialization.names import (
    Names,
    check_attributes,
    check_key,
    rebuild_sparse_tensor,
    weight_of_parts,
)

# How deep containers lie in one another.

#: Python writes no pickle of a deeper nesting: it gives up at its limit of recursion.
MOST = 1000
#: The state of the search for a container.
_COST = 100


def check_nesting(root: Any, budget: Budget) -> None:
    """UnpicklingError when anything that walks over `root` by recursion would go deeper than `MOST`."""
    height: dict[
        int, int
    ] = {}  # of what was left; 0 where the walk is inside: a circle is no depth
    path: list[tuple[Any, Iterator[Any]]] = []
    below = [0]

    def enter(found: Any, inner: Iterable[Any]) -> None:
        budget.spend(_COST)
        height[id(found)] = 0
        path.append((found, iter(inner)))
        below.append(0)

    first = _inside(root)
    if first is not None:
        enter(root, first)
    while path:
        found, inner = path[-1]
        for item in inner:
            inside = _inside(item)
            if inside is None:
                continue
            known = height.get(id(item))
            if known is None:
                enter(item, inside)
                break
            below[-1] = max(below[-1], known)
        else:
            path.pop()
            height[id(found)] = tall = below.pop() + 1
            below[-1] = max(below[-1], tall)
        if len(path) + below[-1] > MOST:
            raise UnpicklingError(
                "Weights only load failed: containers lie in one another more than "
                f"{MOST} deep, as nothing that was saved does"
            )


def _inside(found: Any) -> Iterable[Any] | None:
    """The items of a container; None for any other object."""
    if isinstance(found, dict):
        state = getattr(found, "__dict__", None)
        return (*found.values(), state) if state else found.values()
    if isinstance(found, (list, tuple)):
        return found
    if isinstance(found, Tensor):
        return (found.__dict__,) if found.__dict__ else None
    return None


_REFUSED = (
    "Weights only load failed: {}. The file was read as data, and nothing of it was run; it may be "
    "damaged, or hold more than tensors, numbers, strings and containers of them."
)
#: Push what follows them in the stream.
_LITERALS = frozenset((
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING",
    "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8",
))  # fmt: skip
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False, "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_SET": set,
}  # fmt: skip
#: The subset of those that Python has made before.
_SMALL = frozenset(("BININT1",))
#: The objects that may be filled, item by item.
_FILLED = {list: (list,), dict: (dict, OrderedDict, Counter), set: (set,)}
#: The memory of an instruction, in bytes: a place on the stack, and the value there.
_PLACE = 8
_COSTS = {
    "EMPTY_LIST": 80, "EMPTY_DICT": 90, "EMPTY_SET": 240, "EMPTY_TUPLE": 8, "LIST": 80, "DICT": 90,
    "FROZENSET": 240, "TUPLE": 70, "TUPLE1": 80, "TUPLE2": 90, "TUPLE3": 100, "MARK": 40, "APPEND": 10,
    "SETITEM": 80, "MEMOIZE": 10, "BINPUT": 10, "LONG_BINPUT": 10, "PUT": 10, "REDUCE": 450,
    "NEWOBJ": 450, "BUILD": 300,
}  # fmt: skip
#: The memory of an item, as a container is made of others.
_ITEM, _ENTRY = 8, 80
_MISSING = object()


class Source(Protocol):
    """The input of a pickle; a request for more than there is takes no more memory than there is."""

    def read(self, count: int, /) -> bytes: ...
    def readline(self) -> bytes: ...


def unpickle(file: Source | IO[bytes], persistent: Callable[[Any], Any], budget: Budget) -> Any:
    """The object of the next pickle in `file`; `persistent` says what a persistent id stands for.

    Raises pickle.UnpicklingError for everything that is not plain data or an allowed name, RuntimeError for
    memory that is missing or too small, or more than `budget` allows.
    """
    try:
        found = _Machine(persistent, budget).run(file)
        check_nesting(found, budget)
    except RecursionError as error:  # a RuntimeError
        raise refused("what it holds is nested too deeply") from error
    except (UnpicklingError, RuntimeError):
        raise
    except Exception as error:  # whatever damage or malice brings about
        raise refused(str(error)) from error
    return found


def refused(what: str) -> UnpicklingError:
    return UnpicklingError(_REFUSED.format(what if len(what) < 1000 else what[:1000] + "..."))


def in_short(found: Any) -> str:
    """For a message. Never the whole: text that says what an object holds may be longer than any memory."""
    if type(found) in (int, bool, float) and -1e9 < found < 1e9:
        return repr(found)
    if type(found) is str:
        return repr(found[:80])
    name = getattr(found, "__qualname__", None)
    return name if isinstance(name, str) else f"a {type(found).__name__}"


class _Machine:
    """A stack, the marks on it and a memo: the machine that pickles are programs of."""

    def __init__(self, persistent: Callable[[Any], Any], budget: Budget) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: list[Any] = []
        self.persistent = persistent
        self.names = Names()
        self.budget = budget

    def run(self, file: Any) -> Any:
        stack, memo, spend = self.stack, self.memo, self.budget.spend
        for opcode, argument, _ in pickletools.genops(file):
            name = opcode.name
            spend(_COSTS.get(name, _PLACE))
            if name in _LITERALS:
                if name not in _SMALL:
                    spend(sys.getsizeof(argument))
                stack.append(argument)
            elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
                self.put(argument)
            elif name in ("BINGET", "LONG_BINGET", "GET"):
                stack.append(self.got(argument))
            elif name == "MARK":
                self.marks.append(len(stack))
            elif name in _CONSTANTS:
                stack.append(_CONSTANTS[name]())
            elif name == "STOP":
                break
            elif name not in ("PROTO", "FRAME"):
                step = getattr(self, "do_" + name.lower(), None)
                if step is None:
                    raise refused(f"the instruction {name} has no use in a file of tensors")
                step(argument)
        if len(stack) != 1:
            raise refused("the stack does not hold one object at the end")
        memo.clear()
        return stack.pop()

    def put(self, index: Any) -> None:
        """Keeps what is on top of the stack under a number: they mostly count up from 0."""
        top, memo = self.stack[-1], self.memo
        if index == len(memo):
            memo.append(top)
        else:
            if index > len(memo):
                self.budget.spend(_PLACE * (index - len(memo)))
                memo.extend([_MISSING] * (index + 1 - len(memo)))
            elif index < 0:
                raise refused("a number of the memo is negative")
            memo[index] = top

    def got(self, index: Any) -> Any:
        found = self.memo[index] if 0 <= index < len(self.memo) else _MISSING
        if found is _MISSING:
            raise refused(f"it takes {in_short(index)} from the memo, which nothing put there")
        return found

    # --- the stack -----------------------------------------------------------------------------

    def since_mark(self) -> list[Any]:
        start = self.marks.pop()
        if start > len(self.stack):
            raise refused("a mark lies beyond the stack")
        found = self.stack[start:]
        del self.stack[start:]
        return found

    def do_pop(self, argument: Any) -> None:
        if self.marks and self.marks[-1] == len(self.stack):
            self.marks.pop()
        else:
            self.stack.pop()

    def do_pop_mark(self, argument: Any) -> None:
        self.since_mark()

    def do_dup(self, argument: Any) -> None:
        self.stack.append(self.stack[-1])

    def do_memoize(self, argument: Any) -> None:
        self.put(len(self.memo))

    # --- containers ----------------------------------------------------------------------------

    def items(self, each: int) -> list[Any]:
        """The items above the last mark, when each takes `each` bytes at its destination."""
        found = self.since_mark()
        self.budget.spend(each * len(found))
        return found

    def keys(self, found: list[Any]) -> list[Any]:
        for key in found:
            if not self.names.vouched(type(key)):
                self.budget.spend(check_key(key))
        return found

    def do_tuple(self, argument: Any) -> None:
        self.stack.append(tuple(self.items(_ITEM)))

    def _short_tuple(self, length: int) -> None:
        found = self.stack[-length:]
        if len(found) < length:
            raise refused("the stack is too short")
        self.stack[-length:] = [tuple(found)]

    def do_tuple1(self, argument: Any) -> None:
        self._short_tuple(1)

    def do_tuple2(self, argument: Any) -> None:
        self._short_tuple(2)

    def do_tuple3(self, argument: Any) -> None:
        self._short_tuple(3)

    def do_list(self, argument: Any) -> None:
        self.stack.append(self.items(_ITEM))

    def do_dict(self, argument: Any) -> None:
        found = self.items(_ENTRY // 2)
        self.stack.append(dict(zip(self.keys(found[::2]), found[1::2], strict=True)))

    def do_frozenset(self, argument: Any) -> None:
        self.stack.append(frozenset(self.keys(self.items(_ENTRY))))

    def do_append(self, argument: Any) -> None:
        item = self.stack.pop()
        self._to_fill(list).append(item)

    def do_appends(self, argument: Any) -> None:
        items = self.items(_ITEM)
        self._to_fill(list).extend(items)

    def do_setitem(self, argument: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        target = self._to_fill(dict)
        self.keys([key])
        target[key] = value

    def do_setitems(self, argument: Any) -> None:
        items = self.items(_ENTRY // 2)
        target = self._to_fill(dict)
        for key, value in zip(self.keys(items[::2]), items[1::2], strict=True):
            target[key] = value

    def do_additems(self, argument: Any) -> None:
        items = self.keys(self.items(_ENTRY))
        self._to_fill(set).update(items)

    def _to_fill(self, kind: type) -> Any:
        """The container on top of the stack, which must be plain data of that kind."""
        target = self.stack[-1]
        own = type(target)
        if own not in _FILLED[kind] and not self.names.vouched(own):
            raise refused(f"a {own.__name__} stands where a {kind.__name__} is filled")
        return target

    # --- names and calls -----------------------------------------------------------------------

    def _global(self, name: str) -> None:
        try:
            self.stack.append(self.names.allowed(name))
        except KeyError:
            whole = (
                " (a whole module: save its state_dict() instead)" if ".nn.modules." in name else ""
            )
            shown = name[:100]
            raise refused(
                f"it names {shown}{whole}, which is not among the functions and classes a file may use "
                f"(Unsupported global: {shown}). If you know what that is and trust the author of the file, "
                "let it be loaded with vizgrad.serialization.add_safe_globals([...]), or for one block with "
                "`with vizgrad.serialization.safe_globals([...])`"
            ) from None

    def do_global(self, argument: Any) -> None:
        self._global(argument.replace(" ", ".", 1))

    def do_stack_global(self, argument: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if not (isinstance(name, str) and isinstance(module, str)):
            raise refused("a name is not a string")
        self._global(f"{module}.{name}")

    def do_reduce(self, argument: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        self._call(function, arguments)

    def do_newobj(self, argument: Any) -> None:
        arguments, kind = self.stack.pop(), self.stack.pop()
        if self.names.vouched(kind):
            self._call(kind.__new__, (kind, *self._arguments(arguments)), vouched=True)
        else:
            self._call(kind, arguments)

    def _arguments(self, found: Any) -> tuple[Any, ...]:
        if type(found) is not tuple:
            raise refused(f"a {type(found).__name__} stands where a tuple of arguments should")
        return found

    def _call(self, function: Any, arguments: Any, vouched: bool = False) -> None:
        if not (vouched or self.names.may_call(function)):
            raise refused(f"it calls {in_short(function)}, which is not for a file to call")
        for given in self._arguments(arguments):  # of which it makes something as large
            if isinstance(given, (str, bytes, bytearray)):
                self.budget.spend(2 * len(given))
            elif isinstance(given, (list, tuple, dict, set, frozenset)):
                self.budget.spend(_ENTRY * len(given))
        if function is rebuild_sparse_tensor:
            self.budget.spend(weight_of_parts(*arguments))
        self.stack.append(function(*arguments))

    def do_build(self, argument: Any) -> None:
        """Gives the object on top of the stack its state."""
        state: Any = self.stack.pop()
        target = self.stack[-1]
        kind = type(target)
        if isinstance(state, (dict, list, tuple)):
            self.budget.spend(_ENTRY * len(state))
        if kind is OrderedDict:  # a state_dict, with `_metadata`
            target.__dict__.update(check_attributes(state, OrderedDict))
        elif not self.names.vouched(kind):
            raise refused(f"it sets the state of a {kind.__name__}")
        elif hasattr(target, "__setstate__"):
            target.__setstate__(state)
        else:
            attributes: Any
            slots: Any
            attributes, slots = state if isinstance(state, tuple) else (state, None)
            for name, value in {**(attributes or {}), **(slots or {})}.items():
                setattr(target, name, value)

    def do_persid(self, argument: Any) -> None:
        self.stack.append(self.persistent(argument))

    def do_binpersid(self, argument: Any) -> None:
        self.stack.append(self.persistent(self.stack.pop()))
