"""Reads a pickle as data: each instruction is done here, and calls only what `names` allows.

Python's own unpickler would let a file set attributes of the functions and classes it may name, and reach
whatever those lead to. This one knows which kinds of object may be filled, and with what.
"""

from __future__ import annotations

import pickletools
from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import IO, Any

from vizgrad.serialization import names

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
#: What may be filled, item by item.
_FILLED = {list: (list,), dict: (dict, OrderedDict, Counter), set: (set,)}


def unpickle(file: IO[bytes], persistent: Callable[[Any], Any]) -> Any:
    """The object of the next pickle in `file`; `persistent` says what a persistent id stands for.

    Raises pickle.UnpicklingError for everything that is not plain data or an allowed name, RuntimeError for
    memory that is missing or too small.
    """
    try:
        return _Machine(persistent).run(file)
    except (UnpicklingError, RuntimeError):
        raise
    except Exception as error:  # whatever damage or malice brings about
        raise UnpicklingError(_REFUSED.format(error)) from error


def refused(what: str) -> UnpicklingError:
    return UnpicklingError(_REFUSED.format(what))


class _Machine:
    """A stack, the marks on it and a memo: the machine that pickles are programs of."""

    def __init__(self, persistent: Callable[[Any], Any]) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.persistent = persistent

    def run(self, file: IO[bytes]) -> Any:
        stack, memo = self.stack, self.memo
        for opcode, argument, _ in pickletools.genops(file):
            name = opcode.name
            if name in _LITERALS:
                stack.append(argument)
            elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
                memo[argument] = stack[-1]  # pyright: ignore[reportArgumentType]  an int here
            elif name in ("BINGET", "LONG_BINGET", "GET"):
                stack.append(memo[argument])  # pyright: ignore[reportArgumentType]  an int here
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
        return stack.pop()

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
        self.memo[len(self.memo)] = self.stack[-1]

    # --- containers ----------------------------------------------------------------------------

    def do_tuple(self, argument: Any) -> None:
        self.stack.append(tuple(self.since_mark()))

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
        self.stack.append(self.since_mark())

    def do_dict(self, argument: Any) -> None:
        found = self.since_mark()
        self.stack.append(dict(zip(found[::2], found[1::2], strict=True)))

    def do_frozenset(self, argument: Any) -> None:
        self.stack.append(frozenset(self.since_mark()))

    def do_append(self, argument: Any) -> None:
        item = self.stack.pop()
        self._to_fill(list).append(item)

    def do_appends(self, argument: Any) -> None:
        items = self.since_mark()
        self._to_fill(list).extend(items)

    def do_setitem(self, argument: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._to_fill(dict)[key] = value

    def do_setitems(self, argument: Any) -> None:
        items = self.since_mark()
        target = self._to_fill(dict)
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key] = value

    def do_additems(self, argument: Any) -> None:
        items = self.since_mark()
        self._to_fill(set).update(items)

    def _to_fill(self, kind: type) -> Any:
        """The container on top of the stack, which must be plain data of that kind."""
        target = self.stack[-1]
        own = type(target)
        if own not in _FILLED[kind] and not names.added(own):
            raise refused(f"a {own.__name__} stands where a {kind.__name__} is filled")
        return target

    # --- names and calls -----------------------------------------------------------------------

    def _global(self, name: str) -> None:
        try:
            self.stack.append(names.allowed(name))
        except KeyError:
            whole = (
                " (a whole module: save its state_dict() instead)" if ".nn.modules." in name else ""
            )
            raise refused(
                f"it names {name}{whole}, which is not among the functions and classes a file may use "
                f"(Unsupported global: {name}). If you know what that is and trust whoever wrote the file, "
                "let it be loaded with vizgrad.serialization.add_safe_globals([...]), or for one block with "
                "`with vizgrad.serialization.safe_globals([...])`"
            ) from None

    def do_global(self, argument: Any) -> None:
        self._global(argument.replace(" ", ".", 1))

    def do_stack_global(self, argument: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self._global(f"{module}.{name}")

    def do_reduce(self, argument: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        self._call(function, arguments)

    def do_newobj(self, argument: Any) -> None:
        arguments, kind = self.stack.pop(), self.stack.pop()
        if names.added(kind):
            self._call(kind.__new__, (kind, *arguments), vouched=True)
        else:
            self._call(kind, arguments)

    def _call(self, function: Any, arguments: Any, vouched: bool = False) -> None:
        if not (vouched or names.may_call(function)):
            raise refused(f"it calls {function!r}, which is not for a file to call")
        self.stack.append(function(*arguments))

    def do_build(self, argument: Any) -> None:
        """Gives the object on top of the stack its state."""
        state, target = self.stack.pop(), self.stack[-1]
        kind = type(target)
        if kind is OrderedDict:  # a state_dict, with `_metadata`
            target.__dict__.update(state)
        elif not names.added(kind):
            raise refused(f"it sets the state of a {kind.__name__}")
        elif hasattr(target, "__setstate__"):
            target.__setstate__(state)
        else:
            attributes, slots = state if isinstance(state, tuple) else (state, None)
            for name, value in {**(attributes or {}), **(slots or {})}.items():
                setattr(target, name, value)

    def do_persid(self, argument: Any) -> None:
        self.stack.append(self.persistent(argument))

    def do_binpersid(self, argument: Any) -> None:
        self.stack.append(self.persistent(self.stack.pop()))
