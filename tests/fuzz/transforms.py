"""Calls under transforms: in forward mode, on a batch, and the gradients of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from tests.fuzz.calls import NAMES, Call
from tests.fuzz.draw import Draw
from tests.fuzz.operations import Drawing, Operation, without_grad
from tests.fuzz.values import Given

WAYS = ("jvp", "vmap", "vmap", "vmap grad")


#: What ends PyTorch's process on a batch: it reads memory that is not there.
FATAL = frozenset({"as_strided", "lu_solve", "L.lu_solve"})


@dataclass(frozen=True)
class Transformed(Call):
    """A call inside of a function that is transformed in the `way` named."""

    way: str = "vmap"
    #: Of each vmap, the innermost first: its size, and of each operand which dimension its batch is, or None.
    batches: tuple[tuple[int, tuple[int | None, ...]], ...] = ()
    #: Numbers of the operands that have tangents, or of which gradients are taken.
    chosen: tuple[int, ...] = ()

    def bare(self) -> Call:
        """The call alone, with gradients for what is differentiated by."""
        given = {each.name: getattr(self, each.name) for each in fields(Call)}
        made = without_grad(Call(**given))
        for k, operand in enumerate(made.operands()):
            if k in self.chosen:
                made = made.with_operand(k, replace(operand, grad=True))
        return made

    def source(self) -> list[str]:
        call = without_grad(replace(self.bare(), plain=False))
        *made, line = call.source()
        names = NAMES[: len(call.operands())]
        chosen = [names[k] for k in self.chosen if k < len(names)]
        own = chosen if self.way == "jvp" else list(names)
        body = [f"    {names[0]} = {names[0]}.clone()"] if self.writes and names else []
        function = "\n".join(
            [f"def one({', '.join(own)}):", *body, f"    {line}", "    return result"]
        )
        lines = [*made, function]
        if self.way == "jvp":
            tangents = "".join(f"weight(torch, {name}, 1.0), " for name in chosen)
            primals = "".join(f"{name}, " for name in chosen)
            return [*lines, f"result = torch.func.jvp(one, ({primals}), ({tangents}))"]
        if self.way == "vmap grad":
            places = tuple(k for k in self.chosen if k < len(names))
            lines.append(
                f"slopes = torch.func.grad(lambda *given: weighted(torch, one(*given)), {places})"
            )
        called, (values, dims) = self.called, self.mapped()
        for each in dims:
            called = f"torch.func.vmap({called}, ({''.join(f'{dim}, ' for dim in each)}))"
        return [*lines, f"result = {called}({', '.join(values)})"]

    @property
    def called(self) -> str:
        """The function that is called for each example."""
        return "slopes" if self.way == "vmap grad" else "one"

    def mapped(self) -> tuple[list[str], list[tuple[int | None, ...]]]:
        """(The operands of the whole as source text, dimensions of each vmap, the innermost first)."""
        operands = self.operands()
        values, found = list(NAMES[: len(operands)]), []
        for size, dims in self.batches:
            each = tuple(self._dim(dims, k, values[k], given) for k, given in enumerate(operands))
            values = [
                value if dim is None else f"batch(torch, {value}, {size}, {dim})"
                for value, dim in zip(values, each, strict=True)
            ]
            found.append(each)
        return values, found

    @staticmethod
    def _dim(dims: tuple[int | None, ...], place: int, text: str, given: Given) -> int | None:
        """Where the batch of an operand lies; what is batched already has more dimensions."""
        dim = dims[place] if place < len(dims) else None
        return None if dim is None else dim % (given.rank + text.count("batch(") + 1)

    def simpler(self) -> Iterator[Transformed]:
        if len(self.batches) > 1:
            for k in range(len(self.batches)):
                yield replace(self, batches=self.batches[:k] + self.batches[k + 1 :])
        for k, (size, dims) in enumerate(self.batches):
            for smaller in (1, 2):
                if smaller < size:
                    yield self._with(k, (smaller, dims))
            for place, dim in enumerate(dims):
                for other in (None, 0):
                    if dim is not None and dim != other:
                        yield self._with(k, (size, (*dims[:place], other, *dims[place + 1 :])))
        if len(self.chosen) > 1:
            for k in range(len(self.chosen)):
                yield replace(self, chosen=self.chosen[:k] + self.chosen[k + 1 :])

    def _with(self, place: int, batch: tuple[int, tuple[int | None, ...]]) -> Transformed:
        return replace(self, batches=(*self.batches[:place], batch, *self.batches[place + 1 :]))


def drawn(
    drawing: Drawing, operation: Operation, seed: object, way: str = ""
) -> Transformed | None:
    """A call under a transform; None where this draw makes none."""
    call = drawing.call(operation, f"under {seed}")
    if call is None or call.form == "out" or not call.operands():
        return None
    operands = call.operands()
    d = Draw(f"{operation.name} {way} under {seed}")
    way = way or d.pick(WAYS)
    if way != "jvp" and operation.name in FATAL:
        return None
    differentiable = [k for k, given in enumerate(operands) if given.differentiable]
    chosen = tuple(k for k in differentiable if operands[k].grad) or tuple(differentiable)
    if way != "vmap" and not chosen:
        return None
    batches = []
    for _ in range(0 if way == "jvp" else 2 if d.chance(0.25) else 1):
        dims = tuple(
            d.pick((0, 0, 1, -1)) if given.dtype and d.chance(0.75) else None for given in operands
        )
        if all(dim is None for dim in dims):
            dims = (0, *dims[1:])
        batches.append((d.pick((2, 2, 3, 1)), dims))
    given: dict[str, Any] = {each.name: getattr(call, each.name) for each in fields(Call)}
    return Transformed(**given, way=way, batches=tuple(batches), chosen=chosen)
