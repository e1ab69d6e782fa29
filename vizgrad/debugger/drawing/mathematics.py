"""The derivative that a node computes, as mathematics: MathML made of the formula's own text.

A formula is a line of mathematics where its declaration gives one, else a Python function; both are read as
Python and never run. Code that is no mathematics (a branch, a loop, a call of an internal function) stays
source only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache

from vizgrad.debugger.drawing.scene import escape
from vizgrad.debugger.model import Formula, Mathematics

#: How tightly an expression holds together: what is looser than asked for gets parentheses.
LOOSE, SUM, PRODUCT, POWER, ATOM = range(5)

_LETTERS = {
    "grad": "g", "self": "x", "result": "y", "target": "t",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eps": "ε", "lambd": "λ", "sigma": "σ",
    "mu": "μ", "theta": "θ", "pi": "π", "Phi": "Φ", "phi": "φ", "inf": "∞", "rho": "ρ", "tau": "τ",
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Add: ("+", SUM), ast.Sub: ("−", SUM), ast.Mult: ("⋅", PRODUCT), ast.Mod: ("mod", PRODUCT),
    ast.MatMult: ("", PRODUCT), ast.BitAnd: ("∧", LOOSE), ast.BitOr: ("∨", LOOSE),
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥",
}  # fmt: skip
#: Calls that are written as their first argument: they change how it is kept, not what it is.
_TRANSPARENT = frozenset({"raw", "cast"})
_TRANSPOSED = frozenset({"t", "mT", "transpose"})
_THIN = '<mspace width="0.2em"/>'
#: Names without a mathematical notation.
_PROGRAMS = frozenset({"isinstance", "len", "enumerate", "tuple", "slice"})
_PRODUCTS = frozenset({"mm", "bmm", "matmul", "mv"})
#: Functions that users know by these names. A formula that calls any other one says nothing to them.
_READ = frozenset(
    """
    acos asin atan cos cosh erf erfinv i0 i0e i1 i1e ldexp log log10 log1p log2 max mean min pi polygamma
    sin sinc sinh softplus tan tanh xlogy zeta
    cat cross cumsum diagonal diagonal_scatter expand flip gather index_fill index_select inv inverse_order
    masked_select permute pixel_shuffle pixel_unshuffle reshape rot90 select select_scatter slice_scatter
    solve solve_triangular squeeze tril triu unfold unsqueeze view_as_complex view_as_real
    """.split()  # noqa: SIM905  a list of strings is longer by half
)
_FUNCTIONS = {
    "sgn": "sgn", "sign": "sgn", "sigmoid": "σ", "digamma": "ψ", "Phi": "Φ", "phi": "φ",
    "real_part": "Re", "imag_part": "Im", "sum_to": "sum_to_size", "squeeze_dims": "squeeze",
}  # fmt: skip
#: Functions of two arguments that are operators.
_AS_OPERATORS: dict[str, type[ast.operator]] = {
    "scaled": ast.Mult, "mul_number": ast.Mult, "div_number": ast.Div,
}  # fmt: skip
#: Letters of declared lines that no input has.
_MEANS = {"c": "c a class", "n": "n the number of elements averaged (1 in a sum)"}


class NotMathematics(ValueError):
    """The text says how to compute something, not what it is."""


@lru_cache(1024)
def mathematics(formula: Formula) -> Mathematics | None:
    """The derivative as mathematics; None where its text is none."""
    try:
        lines = [(name, _Operators().visit(line)) for name, line in _lines(formula)]
        if not formula.math and not all(_is_read(line) for _, line in lines):
            return None
        seen = _names(lines)
        variable = "p" if formula.input == "self" and "p" in seen - {"x", "self"} else formula.input
        whole = f"∂L/∂{_letter(variable)}"
        left = (
            f"<mfrac><mrow><mo>∂</mo><mi>L</mi></mrow>"
            f"<mrow><mo>∂</mo>{_identifier(variable)}</mrow></mfrac>"
        )
        rows = [(left if name is None else _identifier(name), _markup(e)) for name, e in lines]
    except (NotMathematics, SyntaxError, RecursionError):
        return None
    text = "; ".join(
        f"{whole if name is None else name} = {_renamed(ast.unparse(e))}" for name, e in lines
    )
    body = "".join(
        f"<mtr><mtd>{name}</mtd><mtd><mo>=</mo></mtd><mtd>{value}</mtd></mtr>"
        for name, value in rows
    )
    if len(rows) == 1:
        ((name, value),) = rows
        body = f"<mrow>{name}<mo>=</mo>{value}</mrow>"
    else:
        body = f"<mtable>{body}</mtable>"
    return Mathematics(
        formula.input,
        f'<math displaystyle="true">{body}</math>',
        text,
        _where(seen, formula.input, variable, declared=bool(formula.math)),
    )


# --- reading ------------------------------------------------------------------------------------------


def _lines(formula: Formula) -> list[tuple[str | None, ast.expr]]:
    """(name, expression) of each line; the last has no name: it is the derivative."""
    if formula.math:
        return [(None, ast.parse(formula.math, mode="eval").body)]
    tree = ast.parse(formula.source.strip())
    match tree.body:
        case [ast.FunctionDef(body=body)]:
            return _statements(body)
        case [ast.Assign(value=ast.Lambda(body=expression))]:
            return [(None, expression)]
        case _:
            raise NotMathematics


def _statements(body: list[ast.stmt]) -> list[tuple[str | None, ast.expr]]:
    lines: list[tuple[str | None, ast.expr]] = []
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Constant()):  # a docstring
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                lines.append((name, value))
            case ast.Return(value=ast.expr() as value):
                lines.append((None, value))
            case _:
                raise NotMathematics
    if not lines or lines[-1][0] is not None:
        raise NotMathematics
    return lines


class _Operators(ast.NodeTransformer):
    """Writes functions that are operators as these: a product is read, `scaled` is not."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        operator = _AS_OPERATORS.get(_name(node))
        operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        if operator is None or len(operands) != 2:
            return node
        left, right = operands
        if isinstance(right, ast.Name) and operator is ast.Mult:
            left, right = right, left  # a number stands first
        return ast.BinOp(left, operator(), right)


def _name(call: ast.Call) -> str:
    """The function's; "" where it has none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math" | "xp" | "np"), attr=name):
            return name
        case _:
            return ""


def _is_read(line: ast.expr) -> bool:
    """Does a user know each function in it?"""
    calls = [node for node in ast.walk(line) if isinstance(node, ast.Call)]
    return all(_name(call) in _KNOWN_NAMES for call in calls)


def _names(lines: list[tuple[str | None, ast.expr]]) -> set[str]:
    called = {id(n.func) for _, e in lines for n in ast.walk(e) if isinstance(n, ast.Call)}
    return {
        n.id
        for _, e in lines
        for n in ast.walk(e)
        if isinstance(n, ast.Name) and id(n) not in called
    }


def _where(seen: set[str], input: str, variable: str, *, declared: bool) -> str:
    """The meaning of letters that the declaration does not use itself."""
    parts = ["g the incoming gradient"] if seen & {"g", "grad"} else []
    if input == "self" or seen & {"x", "self"}:
        parts.append(f"{_letter(variable) if input == 'self' else 'x'} the input self")
    if input == "target" or seen & {"t", "target"}:
        parts.append("t the target")
    if seen & {"y", "result"}:
        parts.append("y the result")
    if declared:
        parts += [text for letter, text in _MEANS.items() if letter in seen]
    return ", ".join(parts)


# --- writing ------------------------------------------------------------------------------------------


def _markup(node: ast.expr, least: int = LOOSE) -> str:
    """An expression; in parentheses if it holds together less than asked for."""
    text, strength = _written(node)
    return text if strength >= least else _fenced("(", text, ")")


def _written(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.Name(id=name):
            return _identifier(name), ATOM
        case ast.Constant(value=value):
            return _constant(value)
        case ast.BinOp():
            return _binary(node)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"<mrow><mo>−</mo>{_markup(operand, PRODUCT)}</mrow>", SUM
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            return f"<mrow><mo>¬</mo>{_markup(operand, ATOM)}</mrow>", PRODUCT
        case ast.Compare():
            return _comparison(node), ATOM
        case ast.IfExp():
            return _cases(node), ATOM
        case ast.Call():
            return _call(node)
        case _:
            return _part(node), ATOM


def _part(node: ast.expr) -> str:
    match node:
        case ast.Attribute(value=ast.Name(id="math" | "xp" | "np"), attr=attribute):
            return _identifier(attribute)
        case ast.Attribute(value=value, attr=attribute):
            return f"<mrow>{_markup(value, ATOM)}<mo>.</mo>{_identifier(attribute)}</mrow>"
        case ast.Subscript(value=value, slice=index):
            return f"<msub>{_markup(value, ATOM)}{_row(_markup(index))}</msub>"
        case ast.Tuple(elts=elements):
            return _fenced("(", _listed([_markup(e) for e in elements]), ")")
        case _:
            raise NotMathematics


def _comparison(node: ast.Compare) -> str:
    """A truth value, in brackets: in a product it is 1 where it holds, else 0."""
    parts = [_markup(node.left, SUM)]
    for op, other in zip(node.ops, node.comparators, strict=True):
        sign = _COMPARISONS.get(type(op))
        if sign is None:
            raise NotMathematics
        parts += [_operator(sign), _markup(other, SUM)]
    return _fenced("[", "".join(parts), "]")


def _binary(node: ast.BinOp) -> tuple[str, int]:
    match node.op:
        case ast.Div():
            return f"<mfrac>{_row(_markup(node.left))}{_row(_markup(node.right))}</mfrac>", POWER
        case ast.Pow():
            return f"<msup>{_markup(node.left, ATOM)}{_row(_markup(node.right))}</msup>", POWER
        case op:
            if type(op) not in _OPERATORS:
                raise NotMathematics
            sign, strength = _OPERATORS[type(op)]
            above = strength + (not isinstance(op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr))
            if isinstance(node.right, ast.UnaryOp):
                above = POWER  # no two signs side by side
            left = _markup(node.left, SUM if isinstance(node.left, ast.UnaryOp) else strength)
            right = _markup(node.right, above)
            joint = _operator(sign) if sign else _THIN
            return f"<mrow>{left}{joint}{right}</mrow>", strength


def _call(node: ast.Call) -> tuple[str, int]:
    name = _name(node)
    if not name:
        raise NotMathematics
    written = _KNOWN.get(name)
    if written is not None and len(node.args) == 1:
        return written(node.args[0])
    if name in _TRANSPARENT and node.args:
        return _written(node.args[0])
    if name in _TRANSPOSED and len(node.args) == 1:
        return f"<msup>{_markup(node.args[0], ATOM)}<mo>⊤</mo></msup>", POWER
    if name in _PRODUCTS and len(node.args) == 2:
        left, right = (_markup(argument, PRODUCT + 1) for argument in node.args)
        return f"<mrow>{left}{_THIN}{right}</mrow>", PRODUCT
    if name in ("keep", "drop") and len(node.args) == 1 and len(node.keywords) == 1:
        return _masked(node.args[0], node.keywords[0].value, name == "keep"), PRODUCT
    if name in _PROGRAMS:
        raise NotMathematics
    arguments = [_markup(argument) for argument in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            raise NotMathematics
        value = _markup(keyword.value)
        same = isinstance(keyword.value, ast.Name) and keyword.value.id == keyword.arg
        arguments.append(value if same else f"{_identifier(keyword.arg)}<mo>=</mo>{value}")
    head = _identifier(_FUNCTIONS.get(name, name.strip("_")))
    return f"<mrow>{head}{_fenced('(', _listed(arguments), ')')}</mrow>", ATOM


def _masked(value: ast.expr, mask: ast.expr, keep: bool) -> str:
    """Elements that are kept, or dropped, where the mask holds: a product with 1 or 0."""
    held = _markup(mask if keep else ast.UnaryOp(ast.Not(), mask))
    inside = held if held.startswith("<mrow><mo>[</mo>") else _fenced("[", held, "]")
    return f"<mrow>{_markup(value, PRODUCT)}<mo>⋅</mo>{inside}</mrow>"


def _exponential(node: ast.expr) -> tuple[str, int]:
    return f"<msup><mi>e</mi>{_row(_markup(node))}</msup>", POWER


def _root(node: ast.expr) -> tuple[str, int]:
    return f"<msqrt>{_markup(node)}</msqrt>", ATOM


def _one_over_root(node: ast.expr) -> tuple[str, int]:
    return f"<mfrac><mn>1</mn>{_root(node)[0]}</mfrac>", POWER


def _magnitude(node: ast.expr) -> tuple[str, int]:
    return _fenced("|", _markup(node), "|"), ATOM


def _conjugate(node: ast.expr) -> tuple[str, int]:
    return f"<mover>{_markup(node, ATOM)}<mo>¯</mo></mover>", ATOM


def _sum(node: ast.expr) -> tuple[str, int]:
    return f"<mrow><mo>∑</mo>{_markup(node, PRODUCT)}</mrow>", PRODUCT


def _nothing(node: ast.expr) -> tuple[str, int]:
    return "<mn>0</mn>", ATOM


_KNOWN: dict[str, Callable[[ast.expr], tuple[str, int]]] = {
    "exp": _exponential,
    "sqrt": _root,
    "rsqrt": _one_over_root,
    "abs": _magnitude,
    "conj": _conjugate,
    "sum": _sum,
    "zeros_like": _nothing,
}


_KNOWN_NAMES = frozenset(
    {*_KNOWN, *_FUNCTIONS, *_READ, *_TRANSPARENT, *_TRANSPOSED, *_PRODUCTS, "keep", "drop"}
)


def _cases(node: ast.expr) -> str:
    """A value for each condition, the last one otherwise."""
    rows: list[str] = []
    while isinstance(node, ast.IfExp):
        condition = (
            _markup(node.test).removeprefix("<mrow><mo>[</mo>").removesuffix("<mo>]</mo></mrow>")
        )
        rows.append(f"<mtd>{_markup(node.body)}</mtd><mtd><mtext>if\u00a0</mtext>{condition}</mtd>")
        node = node.orelse
    rows.append(f"<mtd>{_markup(node)}</mtd><mtd><mtext>otherwise</mtext></mtd>")
    table = "".join(f"<mtr>{row}</mtr>" for row in rows)
    return f"<mrow><mo>{{</mo><mtable>{table}</mtable></mrow>"


def _constant(value: object) -> tuple[str, int]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return f"<mtext>{escape(str(value))}</mtext>", ATOM
    text = repr(value)
    power = re.fullmatch(r"(\d[\d.]*)e([+-]?)0*(\d+)", text)
    if power is None:
        return f"<mn>{escape(text)}</mn>", ATOM
    factor, sign, exponent = power.groups()
    minus = "<mo>−</mo>" if sign == "-" else ""
    ten = f"<msup><mn>10</mn><mrow>{minus}<mn>{exponent}</mn></mrow></msup>"
    if factor == "1":
        return ten, POWER
    return f"<mrow><mn>{factor}</mn><mo>⋅</mo>{ten}</mrow>", PRODUCT


def _letter(name: str) -> str:
    return _LETTERS.get(name, name)


def _identifier(name: str) -> str:
    return f"<mi>{escape(_letter(name.removesuffix('_meta')))}</mi>"


def _renamed(text: str) -> str:
    """The letters of the mathematics, in a line of text."""
    text = text.replace(" ** ", "**")
    text = re.sub(r"\b(\w+)_meta\b", r"\1", text)
    return re.sub(r"\b(grad|self|result|target)\b", lambda found: _LETTERS[found[0]], text)


def _operator(sign: str) -> str:
    return f"<mo>{escape(sign)}</mo>"


def _fenced(left: str, inner: str, right: str) -> str:
    return f"<mrow>{_operator(left)}{inner}{_operator(right)}</mrow>"


def _listed(items: list[str]) -> str:
    return "<mo>,</mo>".join(items)


def _row(text: str) -> str:
    return f"<mrow>{text}</mrow>"
