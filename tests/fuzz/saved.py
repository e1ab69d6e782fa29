"""Calls of which is asked what they keep for the backward: operands that require grad are no leaves."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from tests.fuzz.calls import NAMES, Call
from tests.fuzz.operations import Drawing, Operation

#: Draws until one makes a call that can be recorded.
TRIES = 6


@dataclass(frozen=True)
class Saved(Call):
    """A call whose operands are copies of leaves: they may be written to."""

    def leaves(self) -> list[str]:
        """The lines that make the leaves."""
        return [
            f"leaf_{NAMES[k]} = {given.source()}"
            for k, given in enumerate(self.operands())
            if given.grad
        ]

    def source(self) -> list[str]:
        """The leaves, the operands, then the call."""
        made = super().source()
        for k, given in enumerate(self.operands()):
            if given.grad:
                made[k] = f"{NAMES[k]} = leaf_{NAMES[k]}.clone()"
        return [*self.leaves(), *made]


def drawn(drawing: Drawing, operation: Operation, seed: object) -> Saved | None:
    """A call that has a gradient; None where no draw makes one."""
    for number in range(TRIES):
        call = drawing.call(operation, f"saved {seed} {number}")
        if call is None or call.form == "out":
            continue
        operands = call.operands()
        if not any(given.grad for given in operands):
            for k, given in enumerate(operands):
                if given.differentiable:
                    call = call.with_operand(k, replace(given, grad=True))
        if any(given.grad for given in call.operands()):
            given: dict[str, Any] = {each.name: getattr(call, each.name) for each in fields(Call)}
            return Saved(**given)
    return None


def asking(call: Saved, what: str) -> list[str]:
    """Lines behind the call that show what it keeps: for `report`."""
    lines = [
        "results = []; _shape_of(torch, result, results)",
        "roots = [r for r in results if not r.is_leaf]",
        f"leaves = [{', '.join(line.split(' =')[0] for line in call.leaves())}]",
    ]
    kind, _, number = what.rpartition(" ")
    if number.isdigit():
        place = f"results[{number}]" if kind.endswith("result") else NAMES[int(number)]
        return [*lines, "print(gradients(torch, roots, leaves, retain=True))", f"spoil({place})",
                "print(gradients(torch, roots, leaves))"]  # fmt: skip
    return [*lines, "print(*[[n, getattr(r.grad_fn, n)] for r in roots for n in dir(r.grad_fn) if n.startswith('_saved')])",
            "print(gradients(torch, roots, leaves))", "print(gradients(torch, roots, leaves))"]  # fmt: skip
