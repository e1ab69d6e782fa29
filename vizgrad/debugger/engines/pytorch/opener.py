"""Opens graphs of PyTorch tensors, for looking at them and for stepping their backward."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from threading import get_ident
from typing import Any

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import frameworks, summarizer
from vizgrad.debugger.engines.api.abilities import CapabilityCard
from vizgrad.debugger.engines.api.alarm_source import register_alarms
from vizgrad.debugger.engines.api.local_backward import LocalBackward, run_locally
from vizgrad.debugger.engines.api.openers import open_backward, open_picture
from vizgrad.debugger.engines.api.process_groups import register_distributed
from vizgrad.debugger.engines.api.protocols import Backward
from vizgrad.debugger.engines.common.local_run import run_to_leaves
from vizgrad.debugger.engines.common.released_graph import refusal
from vizgrad.debugger.engines.common.variable_names import variables_of
from vizgrad.debugger.engines.pytorch.captured import budget_of
from vizgrad.debugger.engines.pytorch.elements import bytes_of, elements_of
from vizgrad.debugger.engines.pytorch.gate import Grad
from vizgrad.debugger.engines.pytorch.graph_source import (
    Numbering,
    TorchGraph,
    can_number,
    roots_of,
)
from vizgrad.debugger.engines.pytorch.line_watch import noting_lines
from vizgrad.debugger.engines.pytorch.process_group import TorchDistributed
from vizgrad.debugger.engines.pytorch.released_nodes import released_in
from vizgrad.debugger.engines.pytorch.run import TorchRun
from vizgrad.debugger.engines.pytorch.summary import summarize, summarize_closely
from vizgrad.debugger.engines.pytorch.torch_alarms import TorchAlarms
from vizgrad.debugger.engines.pytorch.torch_nodes import as_list
from vizgrad.debugger.engines.pytorch.torch_watch import watching
from vizgrad.debugger.watch.functions import Tap


def card_of(function: Any, *inputs: Any) -> CapabilityCard:
    """`vizgrad.card` of a custom Function of PyTorch's."""
    from vizgrad.debugger.engines.pytorch.function_card import card

    return card(function, *inputs)


def memory_of() -> Any:
    """The adapter of `vizgrad.memory` for PyTorch's tensors."""
    from vizgrad.debugger.engines.pytorch.torch_tensors import TorchMemory

    return TorchMemory()


#: The first PyTorch whose graphs can be read and held.
OLDEST = (2, 4)


@open_picture.register(torch.Tensor)
@open_picture.register(torch.autograd.graph.Node)
def open_graph(
    tensors: Any, names: Mapping[int, str], limit: int | None = None, *, bare: bool = False
) -> TorchGraph:
    """The graph of a tensor, of several, or of a node. Raises as `openers.open_picture`."""
    _new_enough()
    none = bare and isinstance(tensors, torch.Tensor) and not tensors.requires_grad
    return TorchGraph([] if none else roots_of(tensors), names, limit=limit)


@open_backward.register(torch.Tensor)
def open_tensor(loss: Any, options: Mapping[str, Any]) -> Backward:
    """The backward of one tensor, or of several, before its first node. Raises what backward raises, of a
    graph that an earlier one has released at once, unless `allow_released`.
    """
    _new_enough()
    losses = as_list(loss)
    gradient = options.get("gradient")
    given = [None] * len(losses)
    if gradient is not None:
        given = [gradient] if isinstance(loss, torch.Tensor) else list(gradient)
        given += [None] * (len(losses) - len(given))
    inputs = options.get("inputs")
    asked = None if inputs is None else as_list(inputs)

    def start() -> None:
        torch.autograd.backward(
            losses, None if gradient is None else given, options.get("retain_graph"),
            options.get("create_graph", False), inputs=asked,
        )  # fmt: skip

    if not all(tensor.requires_grad for tensor in losses):
        start()  # says what is wrong
    names = options.get("names") or {}
    source = TorchGraph(roots_of(losses), names)
    reached = _reached(source, asked)
    if not options.get("allow_released"):
        noted = options.get("noted")
        released = released_in(source, reached, noted and noted(losses[0]))
        if released is not None:
            raise refusal(released)
    seeds: dict[tuple[int, int], torch.Tensor] = {}
    for slot, tensor, seed in zip(source.roots, losses, given, strict=True):
        one = torch.ones_like(tensor).detach() if seed is None else seed.detach()
        seeds[slot] = seeds[slot] + one if slot in seeds else one
    known = getattr(names, "tensors", list[Any])()
    tensors = [tensor for tensor in known if isinstance(tensor, torch.Tensor)]
    numbering = None
    if options.get("create_graph") and can_number():
        before = [seed for seed in given if seed is not None and seed.requires_grad]
        numbering = Numbering([*source.nodes, *(TorchGraph(roots_of(before), {}).nodes)])
    run = TorchRun(
        source, seeds, reached, start, tensors, numbering, asked or (), names,
        created=bool(options.get("create_graph")),
        budget=_budget(source) if options.get("keep") is None else None,
    )  # fmt: skip
    title = options.get("title") or names.get(id(losses[0]), "")
    one = losses[0].detach() if losses[0].numel() == 1 else None
    variables = variables_of(names, losses[0], one)
    return Backward(source, run, title or "backward", _modes, variables)


@run_locally.register(torch.Tensor)
def run_tensor_locally(loss: Any, names: Mapping[int, str], title: str) -> LocalBackward:
    """See `vizgrad.debugger.engines.api.local_backward`."""

    def gradients(leaves: Sequence[torch.Tensor]) -> Sequence[Grad]:
        return torch.autograd.grad(loss, leaves, retain_graph=True, allow_unused=True)

    return run_to_leaves(open_graph(loss, names), title, gradients)


_BACKWARD = signature(torch.autograd.backward)


@contextmanager
def asking(ask: Callable[..., bool]) -> Generator[None]:
    """`ask` is called before each `torch.autograd.backward` in the block; where it is True it has run it."""
    under_way: set[int] = (
        set()
    )  # threads: a mode of functions (torch.set_default_device) calls it again

    def heard(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        thread = get_ident()
        if thread in under_way:
            return tap.original(*args, **kwargs)
        given = _BACKWARD.bind(*args, **kwargs).arguments
        done = ask(
            given["tensors"],
            given.get("grad_tensors"),
            given.get("retain_graph"),
            given.get("create_graph", False),
            given.get("inputs"),
        )
        if done:
            return None
        under_way.add(thread)
        try:
            return tap.original(*args, **kwargs)
        finally:
            under_way.discard(thread)

    tap = Tap(torch.autograd.backward, "backward", "", heard)
    try:
        yield
    finally:
        tap.end()


def _budget(source: TorchGraph) -> int:
    """Bytes of copies, for a user who has asked for nothing else."""
    leaves = (node.variable for node in source.nodes if hasattr(node, "variable"))
    return budget_of(sum(map(bytes_of, leaves)) + sum(size for size, _ in source.holdings()))


def _reached(source: TorchGraph, asked: list[torch.Tensor] | None) -> Callable[[int], bool]:
    """Does a node lead to a tensor that was asked for? All do if nothing was asked for by name."""
    if asked is None:
        return lambda node: True
    found = {source.number(tensor) for tensor in asked}
    into: dict[int, list[int]] = {}
    for node in range(len(source)):
        for target in source.targets(node):
            if target is not None:
                into.setdefault(target, []).append(node)
    stack = [node for node in found if node is not None]
    while stack:
        for node in into.get(stack.pop(), ()):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found.__contains__


def _modes() -> model.Modes:
    return model.Modes(
        grad=torch.is_grad_enabled(),
        inference=torch.is_inference_mode_enabled(),
        anomaly=torch.is_anomaly_enabled(),
        multithreading=torch._C._is_multithreading_enabled(),
    )


def _new_enough() -> None:
    version = torch.__version__.split("+")[0]
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise RuntimeError(
            f"vizgrad shows graphs of PyTorch {'.'.join(map(str, OLDEST))} and newer, this is {version}"
        )


summarizer.register(torch.Tensor, summarize, summarize_closely, elements_of)
frameworks.register_listener(watching)
frameworks.register_line_notes(noting_lines)
register_alarms(TorchAlarms)
frameworks.register_interceptor(asking)
frameworks.register_memory(memory_of, torch.optim.Optimizer)
frameworks.register_examiner(torch.autograd.Function, card_of)
register_distributed(TorchDistributed())
