"""What a node of the engine says of itself: its kind, its formulas, its hooks."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import inspect
import re
import textwrap
from functools import cache
from typing import Any

from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.hooks import Hooks
from vizgrad.core.graph.node import Meta, Node
from vizgrad.debugger import model


def kind_of(node: Node) -> model.NodeKind:
    if isinstance(node, AccumulateGrad):
        return "leaf"
    name = node.name()
    if name == "CopySlices":
        return "copy_slices"
    if name == "GraphRoot":
        return "root"
    return "function" if node.wants_tensors else "op"


def formulas_of(node: Node) -> tuple[model.Formula, ...]:
    op: Any = getattr(getattr(node, "fn", node), "op", None)
    if op is None:
        backward = getattr(getattr(type(node), "_forward_cls", None), "backward", None)
        if backward is None:
            return ()
        return (model.Formula(input="", source=source_of(backward)),)
    return tuple(
        model.Formula(
            input=name, source=_formula_of(op.formulas[name]), math=op.maths.get(name, "")
        )
        for name in op.differentiable
    )


@cache
def source_of(function: Any) -> str:
    """The text of a formula; empty when its file is not to be had."""
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError):
        return ""


@cache
def _formula_of(function: Any) -> str:
    return unmarked(source_of(function))


def unmarked(source: str) -> str:
    """Our own text without what it says to formatters and linters: a person looks for the formula."""
    return re.sub(
        r" *# (fmt: \w+|noqa\b.*|type: ignore\b.*|pyright: .*)$", "", source, flags=re.MULTILINE
    )


@cache
def dtype_name(dtype: Any) -> str:
    """Numpy makes it anew each time."""
    return str(dtype)


def hooks_of(node: Node) -> tuple[str, ...]:
    found: list[str] = []
    if isinstance(node, AccumulateGrad) and node.variable._rare is not None:
        rare = node.variable._rare
        kept: tuple[Hooks | None, ...] = rare.hooks, rare.post_accumulate
        for hooks in kept:
            found += [] if hooks is None else [_name(h) for h in hooks.values()]
    if node.hooks is not None:
        for slot in node.hooks.tensor.values():
            found += [_name(h) for h in slot.values()]
        found += [_name(h) for h in (*node.hooks.pre.values(), *node.hooks.post.values())]
    return tuple(found)


def _name(hook: Any) -> str:
    return getattr(hook, "__qualname__", type(hook).__name__)


def short_repr(value: Any) -> str:
    if isinstance(value, Meta):
        return f"{list(value.shape)} {value.dtype}"
    text = repr(value)
    return text if len(text) <= 200 else text[:199] + "…"
