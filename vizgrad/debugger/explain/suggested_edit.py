"""The line to blame as it could be, where one changed line does it: for a person to read, never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from math import prod

from vizgrad.core.errors import Place, Source
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.watch import source_expressions

#: The term to add where an operation has no finite value, or derivative, at zero.
_EPS = 1e-12


def mended(cause: Cause, place: Place | None, source: Source) -> str:
    """The line of a cause, `place`, as it could be; "" if no single change does it. `source` has its file."""
    if isinstance(inner := cause.facts.get("why"), Cause):
        return mended(inner, place, source)
    rule = _RULES.get(cause.kind) or _ON_OPERANDS.get(cause.kind)
    if place is None or rule is None or not place.text:
        return ""
    text = place.text
    if text.startswith(("for ", "while ", "with ", "if ", "def ", "class ")):
        return ""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError):
        return ""  # a part of a statement of several lines
    if len(statements) != 1:
        return ""
    cuts = cause.case == "carried-over" or cause.fix == "cut-each-step"
    if cuts and _runs_within_a_step(place.line, "".join(source.getlines(place.file))):
        return ""
    if cause.kind in _RULES:
        edit = _RULES[cause.kind](cause, statements[0])
    else:
        tree = source_expressions.parsed("".join(source.getlines(place.file)))
        edit = _ON_OPERANDS[cause.kind](cause, statements[0], tree)
    if edit is None:
        return ""
    changed = _put(text, *edit)
    return "" if changed == text else changed


def _runs_within_a_step(line: int, file: str) -> bool:
    """Is the innermost loop around the line one without a backward? It runs several times for each: a cut in
    it would leave the gradient of the last.
    """
    tree = source_expressions.parsed(file)
    around = [
        loop
        for loop in ast.walk(tree or ast.Module([], []))
        if isinstance(loop, (ast.For, ast.While)) and loop.lineno < line <= (loop.end_lineno or 0)
    ]
    inner = max(around, key=lambda loop: loop.lineno, default=None)
    return inner is not None and not any(_called(node) == "backward" for node in ast.walk(inner))


#: The replacement of a part of the line.
_Edit = tuple[ast.expr | ast.stmt, str] | None


def _put(text: str, node: ast.expr | ast.stmt, new: str) -> str:
    """`text` with `new` where `node` is: all else, also comments, stays as the person wrote it."""
    data = text.encode()
    start, end = node.col_offset, node.end_col_offset
    return (data[:start] + new.encode() + data[end:]).decode()


def _inner(node: ast.AST) -> str:
    """As an operand: in parentheses where it is more than a name or a call."""
    text = ast.unparse(node)
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return text if simple else f"({text})"


def _called(node: ast.AST) -> str:
    """``log`` of ``x.log()`` and ``vg.log(x)``; "" of what is no call."""
    if not isinstance(node, ast.Call):
        return ""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _calls(statement: ast.stmt, *names: str) -> list[ast.Call]:
    found = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return [node for node in found if _called(node) in names]


def _operand(call: ast.Call, tree: ast.Module | None) -> ast.expr | None:
    """The operand of a call: ``x`` of ``x.log()`` and of ``vg.log(x)``; `tree` is that of its file."""
    if isinstance(call.func, ast.Attribute) and source_expressions.is_method(call, tree):
        return call.func.value
    return call.args[0] if call.args else None


# --- kinds -----------------------------------------------------------------------------------------------


def _normalised(cause: Cause, statement: ast.stmt, tree: ast.Module | None) -> _Edit:
    """The normalisation before the loss is taken out."""
    if cause.case != "normalised-before":
        return None
    raw = str(cause.facts["raw"])
    for call in _calls(statement, str(cause.facts["op"])):
        first = _operand(call, tree)
        if first is None:
            continue
        if _called(first) in ("softmax", "sigmoid"):
            assert isinstance(first, ast.Call)
            inside = _operand(first, tree)
            return None if inside is None else (first, ast.unparse(inside))
        if ast.unparse(first) == cause.tensor and raw.isidentifier():
            return first, raw
    return None


def _carried(cause: Cause, statement: ast.stmt) -> _Edit:
    if cause.fix == "cut-each-of-several":
        return None  # in a line of its own
    if cause.case == "kept-in-a-container":
        kept = _read(statement, cause.tensor)
        return (kept[0], f"{cause.tensor}.item()") if len(kept) == 1 else None
    if isinstance(statement, ast.AugAssign) and cause.fix in ("add-number", "compute-number"):
        return statement.value, f"{_inner(statement.value)}.item()"
    cut = cause.fix == "cut-each-step" or cause.case == "carried-over"
    if isinstance(statement, ast.Assign) and cut:
        read = _read(statement.value, cause.tensor)
        if len(read) == 1:
            return read[0], f"{cause.tensor}.detach()"
    return None


def _read(tree: ast.AST, name: str) -> list[ast.Name | ast.Attribute]:
    """Where a variable is read."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == name
    ]


def _detached(cause: Cause, statement: ast.stmt) -> _Edit:
    """The one detach() or .data of the line is taken out."""
    if cause.case != "detached":
        return None
    cuts: list[tuple[ast.expr, ast.expr]] = [
        (call, call.func.value)
        for call in _calls(statement, "detach")
        if isinstance(call.func, ast.Attribute) and not call.args
    ]
    cuts += [
        (node, node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and node.attr == "data"
    ]
    if len(cuts) != 1:
        return None
    node, of = cuts[0]
    if (
        isinstance(statement, ast.Assign)
        and statement.value is node
        and [ast.unparse(each) for each in statement.targets] == [ast.unparse(of)]
    ):  # nothing would be left of it
        return statement, f"# {ast.unparse(statement)}"
    return node, ast.unparse(of)


def _with_graph(cause: Cause, statement: ast.stmt) -> _Edit:
    alone = cause.case in ("gradient-without-history", "stored-gradient")
    if not alone and cause.fix != "create-graph":
        return None
    return _with_keyword(statement, "create_graph=True")


def _kept_graph(cause: Cause, statement: ast.stmt) -> _Edit:
    return _with_keyword(statement, "retain_graph=True") if _told(cause, "retain_graph") else None


def _told(cause: Cause, fix: str) -> bool:
    """Does the error that was raised say that?"""
    return cause.case == "told" and fix in str(cause.facts["fix"])


def _with_keyword(statement: ast.stmt, keyword: str) -> _Edit:
    calls = _calls(statement, "grad", "backward")
    name = keyword.partition("=")[0]
    if len(calls) != 1 or any(each.arg in (name, None) for each in calls[0].keywords):
        return None
    text = ast.unparse(calls[0]).removesuffix(")")
    return calls[0], f"{text}{'' if text.endswith('(') else ', '}{keyword})"


def _out_of_place(cause: Cause, statement: ast.stmt) -> _Edit:
    """``x += y`` becomes ``x = x + y``, and ``x.exp_()`` ``x = x.exp()``."""
    if cause.case != "saved-overwritten" and not _told(cause, "write out of place"):
        return None
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        name = statement.target.id
        whole = ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value)
        return statement, f"{name} = {ast.unparse(whole)}"
    if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call):
        func = call.func
        if (
            isinstance(func, ast.Attribute)
            and isinstance(func.value, ast.Name)
            and func.attr.endswith("_")
            and func.attr not in _NO_OTHER_FORM
        ):
            name, op = func.value.id, func.attr.removesuffix("_")
            arguments = ast.unparse(call)[len(ast.unparse(func)) :]
            return statement, f"{name} = {name}.{op}{arguments}"
    return None


#: In-place operations without a form that makes a new tensor, or where that would be another thing.
_NO_OTHER_FORM = frozenset(
    {
        "zero_", "fill_", "copy_", "normal_", "uniform_", "random_", "exponential_", "bernoulli_",
        "detach_", "requires_grad_", "set_", "resize_", "share_memory_",
    }
)  # fmt: skip


def _broadcast(cause: Cause, statement: ast.stmt) -> _Edit:
    """One of two operands with equal numbers of elements takes the shape of the other."""
    one, other = str(cause.facts["one"]), str(cause.facts["other"])
    if not all(re.fullmatch(r"[\w.]+", name) for name in (one, other)):
        return None
    named = [n for n in ast.walk(statement) if isinstance(n, ast.expr) and ast.unparse(n) == other]
    if prod(cause.facts["first"]) != prod(cause.facts["second"]) or len(named) != 1:
        return None
    return named[0], f"{other}.reshape({one}.shape)"


_LOGS = ("log", "log2", "log10")


def _kept_in_domain(cause: Cause, statement: ast.stmt, tree: ast.Module | None) -> _Edit:
    """The operand that the cause names is kept where its operation is finite."""
    calls = _calls(statement, *_LOGS, "sqrt", "rsqrt")
    told = str(cause.facts.get("call", ""))
    same = [call for call in calls if ast.unparse(call) == told]
    for call in same or (calls if len(calls) == 1 else []):  # of several the one that is told of
        operand = _operand(call, tree)
        if operand is None:
            continue
        if _called(operand) == "softmax" and _called(call) == "log" and not call.args:
            text = ast.unparse(operand)
            at = text.rindex("softmax(")
            return call, f"{text[:at]}log_softmax({text[at + len('softmax(') :]}"
        if ast.unparse(operand) != cause.tensor or cause.fix.startswith("log-of-s"):
            continue
        return operand, f"{_inner(operand)}.clamp(min={_EPS})"
    divisions = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and ast.unparse(node.right) == cause.tensor
    ]
    if len(divisions) == 1 and cause.fix == "quotient":
        right = divisions[0].right
        return right, f"({ast.unparse(right)} + {_EPS})"
    return None


_RULES: dict[str, Callable[[Cause, ast.stmt], _Edit]] = {
    "history-kept": _carried,
    "cut-detach": _detached,
    "second-order-cut": _with_graph,
    "graph-freed": _kept_graph,
    "saved-overwritten": _out_of_place,
    "shape-broadcast": _broadcast,
}
#: The same for rules that ask which operand a call has: they are given the syntax of the file, too.
_ON_OPERANDS: dict[str, Callable[[Cause, ast.stmt, ast.Module | None], _Edit]] = {
    "double-normalised": _normalised,
    "nonfinite-forward": _kept_in_domain,
    "nonfinite-backward": _kept_in_domain,
}
