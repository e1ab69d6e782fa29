"""The user's source at an instruction: names of operands and of the result."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache

from vizgrad.core.errors import Place, place_at
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.tensor import Tensor

#: Beginnings of names of what divides its first operand by its last.
_QUOTIENTS = ("div", "truediv", "rtruediv", "itruediv", "true_divide", "floor_divide", "reciprocal")
#: The user's source is repeated if it is no longer.
SHORT = 40


@lru_cache(maxsize=64)
def parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def tree_of(file: str) -> ast.Module | None:
    """The syntax of a file or cell; None if it is not available."""
    return parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=4096)
def _at(site: Site) -> tuple[ast.expr | None, ast.stmt | None]:
    """The expression that is the instruction, and the statement it is in."""
    tree = tree_of(site.file)
    if tree is None:
        return None, None
    line, columns = site.line(), site.columns()
    expression: ast.expr | None = None
    statement: ast.stmt | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            if node.lineno <= line <= (node.end_lineno or node.lineno) and not (
                columns is not None  # several statements may be on one line
                and node.lineno == node.end_lineno
                and not node.col_offset <= columns[0] < (node.end_col_offset or 0)
            ):
                statement = node  # the walk goes from the outermost to the innermost
        elif (
            expression is None
            and columns is not None
            and isinstance(node, ast.expr)
            and (line, *columns) in _starts(node)
        ):
            expression = node
    return expression, statement


def _starts(node: ast.expr) -> Iterator[tuple[int, int, int | None]]:
    """Line, first and last column of a node, as its instruction may say it: the call of a method whose
    name is on another line than what it is called on begins at that name.
    """
    yield node.lineno, node.col_offset, node.end_col_offset
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Attribute) and function.end_lineno not in (None, node.lineno):
        end = function.end_col_offset or 0
        last = node.end_col_offset or 0
        for each in (last, end):  # where the parentheses end on another line, the name's own end
            yield function.end_lineno or 0, end - len(function.attr.encode()), each


def operands(site: Site | None) -> list[str]:
    """The operands of the operation at an instruction, as written; numbers are left out."""
    if site is None:
        return []
    expression, statement = _at(site)
    found: list[ast.expr] = []
    if isinstance(expression, ast.Call):
        if is_method(expression, tree_of(site.file)) and isinstance(expression.func, ast.Attribute):
            found.append(expression.func.value)
        found += expression.args
    elif isinstance(expression, ast.BinOp):
        found = [expression.left, expression.right]
    elif isinstance(expression, ast.UnaryOp):
        found = [expression.operand]
    elif isinstance(expression, ast.Compare):
        found = [expression.left, *expression.comparators]
    elif isinstance(expression, (ast.Subscript, ast.Attribute)):
        found = [expression.value]
    elif isinstance(statement, ast.AugAssign):
        found = [statement.target, statement.value]
    return [
        ast.unparse(each) for each in found if not isinstance(each, (ast.Constant, ast.Starred))
    ]


#: Methods of tensors that take no operand but the tensor: `m.sqrt(x)` is a function of a module `m`.
_OF_ITSELF = frozenset(
    {
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "detach", "erf",
        "erfinv", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "logsigmoid", "neg",
        "reciprocal", "relu", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
        "trunc",
    }
)  # fmt: skip


def is_method(call: ast.Call, tree: ast.Module | None) -> bool:
    """As `x.log()`, and `net.eval()`; not `self.criterion(x, y)`, which is not applied to `self`, and no
    function of a module that the file with this syntax imports.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or _is_module(function.value, tree):
        return False
    if call.args and function.attr in _OF_ITSELF:
        return False
    mine = isinstance(function.value, ast.Name) and function.value.id == "self"
    return not call.args or (hasattr(Tensor, function.attr) and not mine)


def called(site: Site | None) -> str:
    """The last name of what is called at an instruction: `softmax` of `F.softmax(x)`; "" if nothing is."""
    expression = None if site is None else _at(site)[0]
    if not isinstance(expression, ast.Call):
        return ""
    function = expression.func
    return function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)


def alone(site: Site | None) -> bool:
    """Is the call a statement of its own, as `set_grad_enabled(False)` without `with`?"""
    return site is not None and isinstance(_at(site)[1], ast.Expr)


def factors(site: Site | None) -> list[str]:
    """Both operands of a product, as written, numbers too; empty where they are not to be seen."""
    expression, statement = (None, None) if site is None else _at(site)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Mult):
        return [ast.unparse(expression.left), ast.unparse(expression.right)]
    if expression is None and isinstance(statement, ast.AugAssign):
        return [ast.unparse(statement.target), ast.unparse(statement.value)]
    if isinstance(expression, ast.Call):
        found = [*expression.args]
        tree = None if site is None else tree_of(site.file)
        if is_method(expression, tree) and isinstance(expression.func, ast.Attribute):
            found.insert(0, expression.func.value)
        if len(found) == 2:
            return [ast.unparse(each) for each in found]
    return []


def exponent(site: Site | None) -> float | None:
    """The exponent of a power, where it is a number as written: of `x ** 0.5`, `x.pow(-1)`, `pow(x, 2)`."""
    expression = None if site is None else _at(site)[0]
    found: ast.expr | None = None
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Pow):
        found = expression.right
    elif isinstance(expression, ast.Call) and called(site) == "pow" and expression.args:
        found = expression.args[-1]
    try:
        return None if found is None else float(ast.literal_eval(found))
    except (TypeError, ValueError):
        return None


def arguments(site: Site | None) -> list[str]:
    """The arguments of a call, without keywords."""
    expression = None if site is None else _at(site)[0]
    return (
        [ast.unparse(each) for each in expression.args] if isinstance(expression, ast.Call) else []
    )


def expression_of(site: Site | None) -> str:
    """The expression of an instruction, as written; "" where it is not to be seen, or is a statement."""
    expression = None if site is None else _at(site)[0]
    return "" if expression is None else ast.unparse(expression)


def adds_a_dimension(site: Site | None) -> bool:
    """Is it an element with None among its places: `x[:, None]`?"""
    expression = None if site is None else _at(site)[0]
    if not isinstance(expression, ast.Subscript):
        return False
    at = expression.slice
    places = at.elts if isinstance(at, ast.Tuple) else [at]
    return any(ast.unparse(each).split(".")[-1] in ("None", "newaxis") for each in places)


def _is_module(node: ast.expr, tree: ast.Module | None) -> bool:
    """`vg`, `torch.nn.functional`: by what the file imports, and what modules are usually called."""
    text = ast.unparse(node)
    if text in {"vg", "vizgrad", "torch", "T", "F", "np", "numpy", "nn"} or text.endswith(
        (".functional", ".linalg", ".special", ".fft", ".nn", ".autograd")
    ):
        return True
    return tree is not None and text.partition(".")[0] in _imported(tree)


@lru_cache(maxsize=64)
def _imported(tree: ast.Module) -> frozenset[str]:
    """The names that `import` gives modules in a file."""
    aliases = (
        alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    )
    return frozenset(alias.asname or alias.name.partition(".")[0] for alias in aliases)


def divides(name: str) -> bool:
    """Is that operation, or node in lower case, a quotient, whose last operand is the one to look at?"""
    return name.strip("_").startswith(_QUOTIENTS)


def operand(site: Site | None, name: str = "") -> str:
    """The operand of the operation called `name`: the base of a power, the divisor of a quotient, else a
    variable if there is one; "" if it is long.
    """
    parts = operands(site)
    if name.lower().startswith("pow"):
        parts = parts[:1]
    elif divides(name.lower()):
        parts = parts[-1:]
    elif known := variable(site):
        return known
    return parts[0] if parts and len(parts[0]) <= SHORT else ""


def variable(site: Site | None) -> str:
    """The first operand that is a name, an attribute or an element; "" if none is."""
    for text in operands(site):
        if text.replace(".", "").replace("_", "").isalnum() and not text[0].isdigit():
            return text
    return ""


def assigned(site: Site | None) -> str:
    """The target of the statement at an instruction; "" if it assigns nothing."""
    if site is None:
        return ""
    _, statement = _at(site)
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        target = statement.target
    if isinstance(target, ast.Tuple) and len(target.elts) == 1:
        target = target.elts[0]
    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        return ast.unparse(target)
    return ""


def assignment_of(name: str, site: Site | None) -> Place | None:
    """The line in the file of an instruction that gives a variable its value, where one alone does."""
    tree = None if site is None or not name.isidentifier() else tree_of(site.file)
    if site is None or tree is None:
        return None
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    return place_at(site.code, lines[0]) if len(lines) == 1 else None


def text_of(site: Site | None) -> str:
    """The expression of an instruction, as written."""
    if site is None:
        return ""
    expression, statement = _at(site)
    found = expression or statement
    return "" if found is None else ast.unparse(found)


def statement_of(site: Site | None) -> tuple[str, int, int] | None:
    """File, first and last line of the statement of an instruction."""
    if site is None:
        return None
    _, statement = _at(site)
    if statement is None:
        return site.file, site.line(), site.line()
    return site.file, statement.lineno, statement.end_lineno or statement.lineno
