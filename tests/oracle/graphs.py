"""Where the gradients of a program that differs part: its backwards on both sides, node by node.

The program is run again on each side; each backward that it asks for is run once more before, traced and
taken back. Its hooks run twice then, which is why this is only done for the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.oracle.harness import execute
from tests.oracle.registry import Program
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad import opener as opener  # registers vizgrad's own engine
from vizgrad.debugger.traces.difference import diff, traced


def parted(one: Program, theirs: Any, ours: Any) -> str:
    """The first backward of which nodes differ, PyTorch's beside vizgrad's; empty if there is none, or a
    program's backwards cannot be run twice.
    """
    for number, (a, b) in enumerate(
        zip(_backwards(one, theirs), _backwards(one, ours), strict=False)
    ):
        found = diff(a, b, None)
        if not found.same:
            return f"backward {number + 1}, PyTorch here and vizgrad there: {found.to_text()}"
    return ""


def _backwards(one: Program, module: Any) -> list[model.Trace]:
    found: list[model.Trace] = []
    with _asked(
        module, lambda losses, gradients: found.append(traced(losses, {}, gradient=gradients))
    ):
        execute(one, module)
    return found


@contextmanager
def _asked(module: Any, tell: Callable[[list[Any], list[Any] | None], None]) -> Iterator[None]:
    """`tell` is called before each backward, with the tensors and gradients that it begins with."""
    inside = False

    def told(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(tensors: Any, gradients: Any = None, *rest: Any, **named: Any) -> Any:
            nonlocal inside
            if not inside:
                inside = True
                with suppress(Exception):  # the report lacks it, then
                    given = named.get("grad_tensors", named.get("gradient", gradients))
                    given = None if real is module.autograd.grad else given
                    tell(_listed(tensors), None if given is None else _listed(given))
                inside = False
            return real(tensors, gradients, *rest, **named)

        return call

    places = [(module.Tensor, "backward"), (module.autograd, "backward"), (module.autograd, "grad")]
    before = [getattr(owner, name) for owner, name in places]
    for (owner, name), real in zip(places, before, strict=True):
        setattr(owner, name, told(real))
    try:
        yield
    finally:
        for (owner, name), real in zip(places, before, strict=True):
            setattr(owner, name, real)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]
