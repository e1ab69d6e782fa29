"""All operations that are called, read from `signatures/`, and how a call of one is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any

from tests.fuzz import kinds
from tests.fuzz.calls import Call
from tests.fuzz.draw import Draw
from tests.fuzz.values import OMITTED, Code, Given, Omitted

FAMILIES = ("elementwise", "reductions", "shapes", "copies", "indexing", "products", "matrices", "fourier", "layers",
            "losses", "creation", "tensors", "operators")  # fmt: skip
PREFIXES = {"F": "nn.functional", "L": "linalg", "S": "special", "fft": "fft", "T": ""}


@dataclass(frozen=True)
class Argument:
    name: str
    kind: kinds.Kind
    keyword_only: bool = False
    omitted: float = 0.0


@dataclass(frozen=True)
class Signature:
    """One way to call an operation: arguments by name, or a maker of the whole call."""

    arguments: tuple[Argument, ...] = ()
    maker: Callable[[Draw], tuple[list[Any], dict[str, Any]]] | None = None
    #: A template for operators and statements.
    template: str = ""
    form: str = ""


@dataclass
class Operation:
    name: str
    signatures: list[Signature] = field(default_factory=list)
    #: Values are drawn from a generator: they are not compared.
    random: bool = False
    #: The file of `signatures` that says it first.
    family: str = ""

    @property
    def method_only(self) -> bool:
        return self.name.startswith("T.")

    @property
    def path(self) -> str:
        head, _, tail = self.name.rpartition(".")
        prefix = PREFIXES.get(head, "")
        return f"{prefix}.{tail}" if prefix else tail


@cache
def operations() -> dict[str, Operation]:
    """By name: `add`, `L.inv`, `F.relu`, `S.ndtr`, `fft.rfft`, `T.view`."""
    found: dict[str, Operation] = {}
    for family in FAMILIES:
        module = import_module(f"tests.fuzz.signatures.{family}")
        for names, signature in _lines(module):
            for name in names:
                bare = name.lstrip("~")
                operation = found.setdefault(bare, Operation(bare, family=family))
                operation.random |= name.startswith("~")
                operation.signatures.append(signature)
    return found


def _lines(module: Any) -> Iterator[tuple[list[str], Signature]]:
    scope = {**vars(kinds), **vars(module)}
    for line in re.sub(r"\n {4,}", " ", getattr(module, "TABLE", "")).splitlines():
        text = line.split("#")[0].strip()
        if text:
            names, _, arguments = text.partition(" :")
            yield names.split(), Signature(tuple(_argument(a, scope) for a in arguments.split()))
    for names, maker in getattr(module, "MAKERS", {}).items():
        yield names.split(), Signature(maker=maker)
    for name, form, template, arguments in getattr(module, "TEMPLATES", ()):
        made = tuple(_argument(a, scope) for a in arguments.split())
        yield [name], Signature(made, template=template, form=form)


def _argument(text: str, scope: dict[str, Any]) -> Argument:
    name, _, kind = text.partition("=")
    bare = kind.rstrip("?")
    omitted = {0: 0.0, 1: 0.5, 2: 0.85}[len(kind) - len(bare)]
    return Argument(name.lstrip("*"), eval(bare, scope), name.startswith("*"), omitted)


class Drawing:
    """Draws calls of operations that both modules have."""

    def __init__(self, torch: Any, vizgrad: Any) -> None:
        self.torch, self.vizgrad = torch, vizgrad
        both = (torch, vizgrad)
        self.absent = frozenset(
            n
            for n in ("bfloat16",)
            if not all(hasattr(m, n) and hasattr(m.Tensor, "bfloat16") for m in both)
        )
        self._forms: dict[str, list[tuple[str, str]]] = {}

    def has(self, owner: str, name: str) -> bool:
        for module in (self.torch, self.vizgrad):
            found: Any = module
            for part in [*owner.split("."), *name.split(".")]:
                found = getattr(found, part, None) if part else found
            if found is None:
                return False
        return True

    def forms(self, operation: Operation) -> list[tuple[str, str]]:
        """(form, path) of each way to write a call of it."""
        if operation.name not in self._forms:
            self._forms[operation.name] = list(self._found(operation))
        return self._forms[operation.name]

    def _found(self, operation: Operation) -> Iterator[tuple[str, str]]:
        path, tail = operation.path, operation.path.rpartition(".")[2]
        if not operation.method_only and self.has("", path):
            yield from [("function", path)] * 3
            from tests.oracle.signatures import ours, takes_an_out

            theirs: Any = self.torch
            own: Any = self.vizgrad
            for part in path.split("."):
                theirs, own = getattr(theirs, part), getattr(own, part)
            taken = ours(own)
            if takes_an_out(theirs) and taken is not None and "out" in taken.parameters:
                yield "out", path
        if not operation.method_only and self.has("", path + "_"):
            yield "function", path + "_"
        if "." not in path:
            if self.has("Tensor", tail):
                attribute = not callable(getattr(self.torch.Tensor, tail))
                yield from [("attribute" if attribute else "method", tail)] * 2
            if self.has("Tensor", tail + "_"):
                yield from [("in-place", tail + "_")] * 2

    def call(self, operation: Operation, seed: Any) -> Call | None:
        """One call; None where this draw makes none. Of some an ordinary `backward` is compared, too."""
        d = Draw(f"{operation.name} {seed}", self.absent)
        call = self._drawn(operation, d)
        return call if call is None else replace(call, plain=d.chance(0.35))

    def _drawn(self, operation: Operation, d: Draw) -> Call | None:
        signature = d.pick(operation.signatures)
        args, words = self._arguments(d, signature)
        if signature.template:
            return Call(operation.name, signature.form, signature.template, tuple(args))
        forms = self.forms(operation)
        if not forms:
            return None
        form, path = d.pick(forms)
        if form in ("method", "in-place", "attribute") and not (
            args and isinstance(args[0], Given)
        ):
            form, path = "function", operation.path
            if not self.has("", path):
                return None
        if form == "in-place" and words.get("inplace"):
            return None
        if path.endswith("_") and form == "method":
            form = "in-place"
        call = Call(operation.name, form, path, tuple(args), tuple(words.items()))
        if d.odd and d.chance(0.25):
            call = _spoiled(d, call)
        return self._with_out(d, call) if form == "out" else call

    def _arguments(self, d: Draw, signature: Signature) -> tuple[list[Any], dict[str, Any]]:
        if signature.maker is not None:
            return signature.maker(d)
        so_far: dict[str, Any] = {}
        args: list[Any] = []
        words: dict[str, Any] = {}
        by_name = False
        for argument in signature.arguments:
            if d.chance(argument.omitted):
                by_name = True
                continue
            value = argument.kind(d, so_far)
            so_far[argument.name] = value
            if argument.name.startswith("#"):
                continue
            if isinstance(value, Omitted):
                by_name = True
                continue
            positional = argument.name.startswith("_") or not args or bool(signature.template)
            if not positional and not by_name and not argument.keyword_only:
                by_name = d.chance(0.25)
            if argument.name == "_":
                args.extend(value)
            elif (positional and not by_name) or not (by_name or argument.keyword_only):
                args.append(value)
            else:
                words[argument.name] = value
        return args, words

    def _with_out(self, d: Draw, call: Call) -> Call | None:
        """Tensors to write to: as the results are, or of another shape or type."""
        plain = replace(call, form="function")
        from tests.fuzz.fatal import fatal
        from tests.fuzz.observe import run

        if fatal(plain):
            return plain
        try:
            made = run(self.torch, plain.source())["result"]
        except Exception:  # noqa: BLE001  refused either way
            return plain
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        if not all(isinstance(r, self.torch.Tensor) for r in results) or not results:
            return plain
        if any("complex32" in str(r.dtype) for r in results):
            return plain  # there is no such type in vizgrad
        if not d.chance(0.15):  # writing to `out` is refused where a gradient is wanted
            call = without_grad(call)
        outs = []
        for r in results:
            shape, dtype = tuple(r.shape), str(r.dtype).split(".")[-1]
            if d.chance(0.15):
                shape = d.pick(((0,), (5,), (1, *shape)))
            if d.chance(0.15):
                dtype = d.dtype()
            memory = d.pick(("plain", "plain", "turned", "stepped", "shifted"))
            outs.append(Given(shape, dtype, (0,), memory, d.chance(0.05) and "float" in dtype))
        return replace(call, outs=tuple(outs))


def without_grad(call: Call) -> Call:
    for k, given in enumerate(call.operands()):
        call = call.with_operand(k, replace(given, grad=False))
    return call


def _spoiled(d: Draw, call: Call) -> Call:
    """The call with something that no one takes."""
    way = d.pick(("word", "drop", "swap", "thing"))
    if way == "word":
        return replace(call, words=(*call.words, ("nonsense", 1)))
    first = 1 if call.form != "function" else 0
    places = range(first, len(call.args))
    if not places:
        return call
    at = d.pick(list(places))
    args = list(call.args)
    if way == "drop":
        del args[at]
    else:
        args[at] = d.pick(
            ("text", None, [1.0], 2, 1.5, True, Code("torch.float32"), Code("slice(0, 1)"))
        )
    return replace(call, args=tuple(args))


__all__ = ["OMITTED", "Drawing", "Operation", "operations"]
