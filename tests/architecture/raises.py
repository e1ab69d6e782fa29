"""All errors that functions raise by hand, by what they look at (`python -m tests.architecture.raises`).

The test before a `raise` says which class it is of. Rank, dtype and dim of an argument belong into its
annotation (`vizgrad/core/tensor/requirements.py`); so `test_raises.py` lets no new ones in.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.architecture.rooms import PACKAGE, tree

#: Where functions with PyTorch's signatures stand.
ROOMS = ("core/ops", "core/tensor", "nn")

_PLACE = r"(\w+(\.\w+|\[\w+\])*?(\._array)?)"
_RANK = rf"({_PLACE}\.(ndim|dim\(\))|len\({_PLACE}\.shape\))"
_CONSTANT = r"([-\d]+|[({][-\d, ]+[)}]|\w+\(dims.*|\(dims.*|ranks|least|most)"
_DTYPE = r"(\.dtype|is_floating_point|is_complex|\bkinds?\b)"

#: In order: the first whose pattern is found in the test names the class.
_CLASSES: tuple[tuple[str, str], ...] = (
    ("rank", rf"^(not )?{_RANK}( (<|>|<=|>=|==|!=|in|not in) {_CONSTANT})?$"),
    ("rank", rf"^(not )?{_CONSTANT} <=? {_RANK} <=? {_CONSTANT}$"),
    ("same dtype", rf"{_PLACE}\.dtype(\.name)? (!=|is not) {_PLACE}\.dtype"),
    ("index dtype", r"\.dtype(\.name)? .*('?int(32|64)'?)"),
    ("dtype", _DTYPE),
    ("type", r"isinstance|callable|__class__|hasattr|type\("),
    ("device, layout, grad", r"device|layout|requires_grad|is_leaf|grad_fn|is_sparse|MODES"),
    ("agreement of shapes", r"shape|ndim|\.dim\(\)|numel|\.size\b|len\(|sizes?\b"),
    ("choice", r"^\w+ (not in|in) |^\w+ [!=]= '"),
    ("range", r"[<>]|isfinite|== 0|== 1|!= 1"),
)


@dataclass(frozen=True)
class Raise:
    """One `raise` of an error that was made there."""

    file: str
    line: int
    function: str
    kind: str
    #: What was looked at, and the error, as source.
    test: str
    error: str


def of_file(path: Path) -> Iterator[Raise]:
    yield from _within(tree(path), path.relative_to(PACKAGE).as_posix(), "", "", {})


def _within(
    node: ast.AST, file: str, function: str, test: str, names: dict[str, str]
) -> Iterator[Raise]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef):
            yield from _within(each, file, each.name, "", _aliases(each))
        elif isinstance(each, ast.If):
            at = _spelled(each.test, names)
            yield from _within(_block(each.body), file, function, at, names)
            yield from _within(_block(each.orelse), file, function, f"else {at}", names)
        elif isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call):
            error = ast.unparse(each.exc)
            yield Raise(file, each.lineno, function, _kind(test, error), test, error)
        else:
            yield from _within(each, file, function, test, names)


def _block(body: list[ast.stmt]) -> ast.Module:
    return ast.Module(body, [])


def _aliases(function: ast.FunctionDef) -> dict[str, str]:
    """Local names for an attribute of an argument: `x = input._array`, `x, w = input._array, ...`."""
    found: dict[str, str] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        for name, source in pairs:
            if isinstance(name, ast.Name) and re.fullmatch(
                r"\w+(\._array)?(\.\w+(\(\))?)*|len\([\w.]+\)", text := ast.unparse(source)
            ):
                found[name.id] = text
    return found


def _spelled(test: ast.expr, names: dict[str, str]) -> str:
    """The test with arguments for local names, without questions whether an argument was given."""
    text = ast.unparse(test)
    for name, source in names.items():
        text = re.sub(rf"(?<![\w.]){name}\b", source, text)
    return re.sub(r"\w+ is not None and ", "", text)


def _kind(test: str, error: str) -> str:
    if re.search(r"Dimension (out of range|specified as)", error):
        return "dim"
    return next((kind for kind, pattern in _CLASSES if re.search(pattern, test)), "other")


@cache
def inventory() -> list[Raise]:
    """Every raise of the rooms, in the order of files and lines."""
    files = [path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py"))]
    return [each for path in files for each in of_file(path)]


def main() -> None:
    """Prints them, and how many there are of each class."""
    found = inventory()
    for each in sorted(found, key=lambda r: r.kind):
        print(f"{each.kind}\t{each.file}:{each.line} {each.function}\t{each.test}\t{each.error}")
    print(*Counter(each.kind for each in found).most_common(), sep="\n")


if __name__ == "__main__":
    main()
