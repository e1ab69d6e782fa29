"""What a call keeps for its backward, seen from outside: which writes spoil it, what lives on, what is let go."""

from __future__ import annotations

import tracemalloc
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.calls import NAMES
from tests.fuzz.observe import NAMESPACE, _shape_of, array, unwarned, weight

#: The part of a message with which a backward refuses what was written to.
WRITTEN = ("modified by an inplace operation", "has been modified inplace")
#: The same of a graph that was let go.
FREED = ("second time",)
#: The domain in which numpy tells tracemalloc of the memory of arrays.
ARRAYS = np.lib.tracemalloc_domain


class Run:
    """One run of a call on a module, as far as its forward."""

    def __init__(self, module: Any, call: Any) -> None:
        self.module = module
        self.names: dict[str, Any] = {"torch": module, **NAMESPACE}
        lines = call.source()
        count = len(call.leaves())
        self._exec(lines[:count])
        self.rest = lines[count:]
        self.leaves = [self.names[line.split(" =")[0]] for line in lines[:count]]
        self.results: list[Any] = []

    def _exec(self, lines: list[str]) -> None:
        exec(compile("\n".join(lines), "<call>", "exec"), self.names)

    def forward(self) -> Run:
        self.module.manual_seed(0)
        self._exec(self.rest)
        _shape_of(self.module, self.names["result"], self.results)
        return self

    @property
    def roots(self) -> list[Any]:
        return [r for r in self.results if not r.is_leaf]

    def backward(self, retain: bool = False) -> list[Any]:
        """Gradients of the leaves, as arrays."""
        return gradients(self.module, self.roots, self.leaves, retain)

    def drop(self) -> list[Any]:
        """Lets go of all tensors but the leaves; what is left are the nodes, with the numbers of the results."""
        nodes = [self.module.autograd.graph.get_gradient_edge(r) for r in self.roots]
        self.results = []
        for name in self.names.keys() - {"torch", "inf", "nan"}:
            del self.names[name]
        return nodes


def gradients(module: Any, roots: list[Any], leaves: list[Any], retain: bool = False) -> list[Any]:
    weights = [weight(module, r) for r in roots]
    found = module.autograd.grad(roots, leaves, weights, allow_unused=True, retain_graph=retain)
    return [None if g is None else array(g) for g in found]


def observed(module: Any, call: Any) -> dict[str, Any]:
    """By name of what is seen; nothing where the call or its backward is refused."""
    with unwarned():
        try:
            plain = Run(module, call).forward()
            if not plain.roots:
                return {}
            first = plain.backward(retain=True)
        except Exception:  # noqa: BLE001  refusals are compared elsewhere
            return {}
        seen: dict[str, Any] = {"gradients": first}
        places = [f"operand {k}" for k in range(len(call.operands()))]
        places += [f"result {k}" for k in range(len(plain.results))]
        for place in places:
            seen[f"write {place}"] = _written(module, call, place)
        seen["again"] = _twice(Run(module, call).forward())
        measure = held_of_arrays if "numpy" in _kind_of(module) else held_of_packed
        seen["held"], seen["kept"] = measure(module, call)
        return seen


def _kind_of(module: Any) -> str:
    """Where tensors lie: vizgrad's in arrays of numpy."""
    return "numpy" if hasattr(module.zeros(1), "_array") else "own"


def _written(module: Any, call: Any, place: str) -> Any:
    """The gradients after a write between forward and backward, or the word for why there are none."""
    run = Run(module, call).forward()
    kind, number = place.split()
    tensor = run.results[int(number)] if kind == "result" else run.names[NAMES[int(number)]]
    try:
        spoil(tensor)
    except Exception:  # noqa: BLE001  memory that overlaps, or is read only
        return "unwritable"
    return _gradients(run.backward, WRITTEN)


def _twice(run: Run) -> Any:
    run.backward()
    return _gradients(run.backward, FREED)


def _gradients(backward: Callable[[], Any], phrases: tuple[str, ...]) -> Any:
    try:
        return backward()
    except RuntimeError as error:
        if not any(phrase in str(error) for phrase in phrases):
            raise
        return "refused"


def spoil(tensor: Any) -> None:
    """Writes other elements where the history does not see it; the version counts it."""
    memory = tensor.detach()
    if memory.is_floating_point() or memory.is_complex():
        memory.mul_(-2).add_(0.7)
    elif str(memory.dtype).endswith("bool"):
        memory.logical_not_()
    else:
        memory.fill_(0)


class _Box:
    """What a pack hook gives: it lives as long as a node keeps it."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


def held_of_packed(module: Any, call: Any) -> tuple[list[int], list[int]]:
    """Bytes of each memory that the nodes keep after the forward, and after the backward.

    Of PyTorch, whose nodes give all that they save to the pack hooks.
    """
    boxes: list[Any] = []

    def pack(tensor: Any) -> _Box:
        box = _Box(tensor)
        boxes.append(weakref.ref(box))
        return box

    run = Run(module, call)
    own = {leaf.untyped_storage().data_ptr() for leaf in run.leaves}
    with module.autograd.graph.saved_tensors_hooks(pack, lambda box: box.tensor):
        run.forward()
    weights = [weight(module, r) for r in run.roots]
    nodes = run.drop()

    def alive() -> list[int]:
        found: dict[int, int] = {}
        for ref in boxes:
            box = ref()
            if box is not None:
                storage = box.tensor.untyped_storage()
                if storage.data_ptr() not in own:
                    found[storage.data_ptr()] = storage.nbytes()
        return sorted(found.values())

    held = alive()
    module.autograd.grad(nodes, run.leaves, weights, allow_unused=True)
    return held, alive()


def held_of_arrays(module: Any, call: Any) -> tuple[list[int], list[int]]:
    """The same of vizgrad, by what numpy says of its memory: what no hook sees, is counted, too."""
    run = Run(module, call)
    tracemalloc.start()
    try:
        run.forward()
        weights = [weight(module, r) for r in run.roots]
        nodes = run.drop()
        held = _traced()
        module.autograd.grad(nodes, run.leaves, weights, allow_unused=True)
        kept = _traced()
        del nodes
        others = _traced()  # the weights, and what a generator of random numbers has made
    finally:
        tracemalloc.stop()
    return sorted((held - others).elements()), sorted((kept - others).elements())


def _traced() -> Counter[int]:
    snapshot = tracemalloc.take_snapshot()
    # numpy asks for a byte where an array has no elements
    return Counter(t.size for t in snapshot.traces if t.domain == ARRAYS and t.size > 1)
