"""What is checked of every text: what it quotes is code, what it names is public, what it counts is so."""

from __future__ import annotations

import ast
import inspect
import keyword
import linecache
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import vizgrad as vg
from vizgrad.core.errors import Explanation

QUOTED = re.compile(r"`([^`]+)`")
NODE = re.compile(r"\b\w+Backward\d*\b")
DUNDER = re.compile(r"\b__\w+__\b")
#: What nodes have saved, as they call it: `_saved_self`.
_SAVED = re.compile(r"saved `\w+`|`\w+` is not needed for the backward of \w+")
_SPACE = re.compile(r"\s+")
_WHERE = re.compile(
    r"`(?P<text>[^`]+)` (?P<how>made NaN|made an infinite value) on (?:line \d+|a line that is not known): "
    r"[^`]+?, where `(?P<name>[^`]+)` is (?P<value>[-\w.+]+?)\.? ",
)
_DERIVATIVE = re.compile(
    r"The derivative of `(?P<text>[^`]+)` on line \d+ is not finite where `(?P<name>[^`]+)` is "
    r"(?P<value>-?[\d.]+(?:e[-+]?\d+)?)\b"
)
_FACTOR = re.compile(r"(\d+) operations there multiply its size by (\S+), each by (\S+) on average")
#: The arithmetic at an element: log(-1) = NaN; 0 / 0 = NaN; a gradient that arrived, and the derivative.
_NUMBER = r"-?(?:[\d.]+(?:e[-+]?\d+)?|inf|NaN)"
_CALL = re.compile(rf"(?P<op>\w+)\((?P<x>{_NUMBER})\) = (?P<made>{_NUMBER})")
_INFIX = re.compile(rf": (?P<a>{_NUMBER}) (?P<op>[-+*/]) (?P<b>{_NUMBER}) = (?P<made>{_NUMBER})")
_ARRIVED = re.compile(
    rf"gradient (?P<g>{_NUMBER}) arrived"
    rf"(?:, (?P<formula>[^`]+?) is (?P<f>{_NUMBER}) at (?P<at>[^`,]+), | and met (?P<met>{_NUMBER}): )"
    rf"(?P<a>{_NUMBER}) \* (?P<b>{_NUMBER}) = (?P<made>{_NUMBER})"
)
_SHARE = re.compile(r"(\d+) of (\d+) (?:units|steps)")
#: What people call operations of one operand -> what numpy does.
UNARY: dict[str, Callable[[Any], Any]] = {
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "exp": np.exp,
    "expm1": np.expm1, "sinh": np.sinh, "cosh": np.cosh, "acos": np.arccos, "asin": np.arcsin,
    "atanh": np.arctanh, "acosh": np.arccosh, "reciprocal": np.reciprocal,
}  # fmt: skip


@cache
def public() -> frozenset[str]:
    """Names that a person may write: of the package, of its modules, of tensors and modules."""
    spaces: list[Any] = [
        vg,
        vg.Tensor,
        vg.nn,
        vg.nn.functional,
        vg.nn.Module,
        vg.optim,
        vg.autograd,
    ]
    names = {name for space in spaces for name in dir(space) if not name.startswith("_")}
    for function in (vg.autograd.backward, vg.autograd.grad, vg.Tensor.backward):
        names |= set(inspect.signature(function).parameters)
    return frozenset(
        names | {"vizgrad", *(name for name, _ in vg.nn.Linear(1, 1).named_parameters())}
    )


def _source(file: str) -> str:
    """As it is written, and as Python writes it; without spaces. A mutant is in no file."""
    return _twice("".join(linecache.getlines(file)) or Path(file).read_text(encoding="utf-8"))


@cache
def _twice(text: str) -> str:
    return _SPACE.sub("", text + "\n" + ast.unparse(ast.parse(text))).replace("'", '"')


def is_code(quoted: str, file: str) -> bool:
    """Does it stand in the program, or is it made of names that are public?"""
    if _SPACE.sub("", quoted).replace("'", '"') in _source(file) or keyword.iskeyword(quoted):
        return True
    whole = f"x{quoted}" if quoted.startswith(".") else quoted  # `.mean()`
    whole = re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", whole)  # `model.2.bias`, as modules name parameters
    try:
        tree = ast.parse(f"{whole} pass" if quoted.endswith(":") else whole)
    except SyntaxError:
        return False
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return all(name in public() or name in _source(file) for name in names)


def problems(each: Explanation, file: str) -> Iterator[str]:
    """What is wrong with a text about a program of a file."""
    for quoted in QUOTED.findall(_SAVED.sub("", f"{each.story} {each.fix}")):
        if not is_code(quoted, file):
            yield f"`{quoted}` is no code: {each.story} | {each.fix}"
        if DUNDER.search(quoted) and quoted not in _source(file):
            yield f"`{quoted}` has underscores: {each.story} | {each.fix}"
    if NODE.search(each.fix) or DUNDER.search(each.fix):
        yield f"a name of ours in: {each.fix}"
    for link in each.chain:
        if DUNDER.search(link.text):
            yield f"a name of ours in the chain: {link.text}"
    if re.search(r"; [A-Z][a-z]", each.story) or re.search(r"\bwhere it is\b", each.story):
        yield f"badly said: {each.story}"
    yield from _numbers(each)


def _operation(text: str) -> str:
    """`sqrt` of `x.sqrt()` and of `vg.sqrt(x)`."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return ""
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def said_values(story: str) -> Iterator[tuple[str, float, bool]]:
    """Operation, the number that is said of its operand, and whether its derivative is spoken of."""
    for pattern, derivative in ((_WHERE, False), (_DERIVATIVE, True)):
        for found in pattern.finditer(f"{story} "):
            op = _operation(found["text"])
            if op in UNARY:
                yield op, float(found["value"]), derivative


def _numbers(each: Explanation) -> Iterator[str]:
    for op, value, derivative in said_values(each.story):
        if derivative:
            x = vg.tensor(value, requires_grad=True)
            getattr(x, op)().backward()
            made = float(x.grad)
        else:
            with np.errstate(all="ignore"):
                made = float(UNARY[op](np.float32(value)))
        if np.isfinite(made):
            yield f"not so of {value}: {each.story}"
    yield from _arithmetic(each.story)
    for count, whole, single in _FACTOR.findall(each.story):
        if not np.isclose(
            int(count) * np.log10(float(single)), np.log10(float(whole)), rtol=0.02, atol=0.3
        ):
            yield f"{single} ** {count} is not {whole}: {each.story}"
    for part, whole in _SHARE.findall(each.story):
        if int(part) > int(whole):
            yield f"{part} is more than {whole}: {each.story}"


def _in_types(compute: Callable[[Any], Any], wanted: str) -> bool:
    """Does it give that in one of the floating types?"""
    with np.errstate(all="ignore"):
        made = [float(compute(kind)) for kind in (np.float64, np.float32, np.float16)]
    return any(np.array_equal(each, float(wanted), equal_nan=True) for each in made)


def _evaluated(formula: str, values: dict[str, float], kind: Any) -> Any:
    """A formula as it is said, at numbers of a type."""
    scope: dict[str, Any] = {"ln": np.log, "sqrt": np.sqrt}
    scope |= {name: kind(value) for name, value in values.items()}
    code = re.sub(r"\bln (\d+)", r"ln(\1)", formula).replace("^", "**")
    code = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)(?![\w.])", r"_k(\1)", code)
    return eval(code, {"__builtins__": {}}, scope | {"_k": kind})


def _arithmetic(story: str) -> Iterator[str]:
    for found in _CALL.finditer(story):
        op, x = found["op"], float(found["x"])
        if op in UNARY and not _in_types(
            lambda kind, op=op, x=x: UNARY[op](kind(x)), found["made"]
        ):
            yield f"{found[0]} is not so: {story}"
    for found in _INFIX.finditer(story):
        a, b, sign = float(found["a"]), float(found["b"]), found["op"]
        work: Any = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[sign]
        if not _in_types(lambda kind, a=a, b=b, work=work: work(kind(a), kind(b)), found["made"]):
            yield f"{found[0]} is not so: {story}"
    for found in _ARRIVED.finditer(story):
        g, factor = float(found["g"]), float(found["b"])
        if found["a"] != found["g"] or found["b"] != (found["f"] or found["met"]):
            yield f"other numbers are multiplied: {story}"
        if not _in_types(lambda kind, g=g, factor=factor: kind(g) * kind(factor), found["made"]):
            yield f"{found[0]} is not so: {story}"
        if found["formula"]:
            values = dict(each.split(" = ") for each in found["at"].split(" and "))
            numbers = {name: float(value) for name, value in values.items()}
            compute = lambda kind, f=found["formula"], n=numbers: _evaluated(f, n, kind)  # noqa: E731
            if not _in_types(compute, found["f"]):
                yield f"{found['formula']} is not {found['f']} at {found['at']}: {story}"


def arithmetic(each: Explanation) -> int:
    """How often the arithmetic at an element is shown."""
    return sum(len(pattern.findall(each.story)) for pattern in (_CALL, _INFIX, _ARRIVED))


def quoted(each: Explanation) -> int:
    return len(QUOTED.findall(f"{each.story} {each.fix}"))


def numbers(each: Explanation) -> int:
    """How many numbers are checked."""
    found = sum(1 for _ in said_values(each.story))
    return found + len(_FACTOR.findall(each.story)) + len(_SHARE.findall(each.story))
