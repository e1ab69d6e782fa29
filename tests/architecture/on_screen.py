"""All texts that users read on screen, from the sources: `python -m tests.architecture.on_screen` writes it.

The table (`on_screen.txt`) is reviewed once, each text for truth and for language; a test fails where a text
is new or another, so that it is read again. ``{x}`` stands for what is filled in, ``…`` in texts of the view.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.architecture.rooms import PACKAGE, tree
from vizgrad.core.errors import HEADINGS
from vizgrad.debugger.commands import COMMANDS, GESTURES

TABLE = Path(__file__).with_name("on_screen.txt")
VIEW = PACKAGE.parent / "extension" / "src"
#: The folders of the view whose strings are shown; `protocol` is generated, and its errors are internal.
DRAWN = ("view", "lab", "mime", "widget", "store", "trace")

# --- the view --------------------------------------------------------------------------------------------

_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"`])//[^\n]*", re.DOTALL)
_TEXT = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`]*)`|>([^<>{}]*)<", re.DOTALL)
_INSERTED = re.compile(r"\$\{[^}]*\}")
#: Code, and names of CSS classes.
_CODE = re.compile(r"=>|;|\bconst\b|\bnew \w|\bvg-|<\w|\(event as|words: |1 \?|CustomEvent|event\.")


def drawn(source: str) -> Iterator[str]:
    """The strings and JSX texts of a TypeScript source that are sentences or parts of them."""
    for match in _TEXT.finditer(_COMMENT.sub("", source)):
        text = _INSERTED.sub("…", next((each for each in match.groups() if each), ""))
        text = " ".join(text.split())
        if re.search(r"[A-Za-z]{2,} [A-Za-z…]", text) and not _CODE.search(text):
            yield text


def view_texts() -> Iterator[tuple[Path, str]]:
    for folder in DRAWN:
        for path in sorted((VIEW / folder).rglob("*.ts*")):
            if ".test." not in path.name:
                yield from ((path, text) for text in drawn(path.read_text("utf-8")))


# --- Python ----------------------------------------------------------------------------------------------

#: They attach the explanation of an error, or are one.
_EXPLAINING = {"explained", "wrong_call", "Explanation"}
_SPOKEN = {"fix", "story", "title"}
#: Two words, or a word and what is filled in, outside of braces.
_WORDS = re.compile(r"[A-Za-z]{2,}[,:;)]? [A-Za-z(`'\"\d{]")
FILLED = re.compile(r"\{[^{}]*(\{[^{}]*\}[^{}]*)*\}")
#: Signs that CSS, regular expressions, names of operations in a row and code have, and texts have not.
_NO_TEXT = re.compile(
    r"[<>]\w|;\w|\w+:\w+[;}]|^\s*[.#@][\w-]|\d,\d|\\[dw]|\.\*|export |readonly |prettier|^def |-src "
    r"|monospace|sans-serif|^[A-Z]\w+( [A-Z]\w+)+$|^(log|exp|sub|pow|std|asin|truediv|softmax log) "
    r"|^to half|ict\["
)
#: They write TypeScript, and pages of documents.
_WRITERS = ("typescript", "commands_page")


def _literal(node: ast.AST) -> str | None:
    """A string as it is read, with ``{x}`` for what is filled in; None for what is no string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [
            str(part.value) if isinstance(part, ast.Constant) else f"{{{_filled(part)}}}"
            for part in node.values
        ]
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left), _literal(node.right)
        return left + right if left is not None and right is not None else None
    return None


def _filled(part: ast.AST) -> str:
    return ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""


def strings(tree: ast.AST) -> Iterator[str]:
    """Strings of a module that are no docstrings, the whole of each."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):  # docstrings, also those of attributes
            left_out |= {each for each in body if isinstance(each, ast.Expr)
                         and isinstance(each.value, ast.Constant)}  # fmt: skip
    todo: list[ast.AST] = [tree]
    for node in todo:
        if node in left_out:
            continue
        text = _literal(node)
        if text is not None:
            yield text
        else:
            todo += ast.iter_child_nodes(node)


def explaining(tree: ast.AST) -> Iterator[str]:
    """What a module says of its errors beside their messages, which are PyTorch's."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in _EXPLAINING:
            said = [each.value for each in node.keywords if each.arg in _SPOKEN]
            said += node.args[1:] if name == "wrong_call" else []
            yield from (text for each in said for text in strings(each))


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        one = " ".join(text.split())
        said = FILLED.sub("{", one)
        if _WORDS.search(said) and not _NO_TEXT.search(said):
            yield one


# --- the table -------------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    for command in COMMANDS:
        yield from (command.label, command.label_on, command.help)
        if command.magic:
            yield command.magic.help
    yield from (gesture.help for gesture in GESTURES)


@cache
def texts() -> dict[str, list[str]]:
    """Where each is said -> texts; those of a folder together, so that they are read together."""
    found: dict[str, set[str]] = {"commands": {each for each in commands() if each}}
    found["headings"] = set(HEADINGS.values())
    for path, text in view_texts():
        found.setdefault(f"view: {path.relative_to(VIEW).parent}", set()).add(text)
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE)
        if "labextension" in where.parts or where.parts[:2] == ("debugger", "commands"):
            continue
        if where.stem.startswith(_WRITERS):
            continue
        parsed = tree(path)
        debugger = where.parts[0] == "debugger"
        said = set(_sentences(strings(parsed) if debugger else explaining(parsed)))
        if said:
            found.setdefault("/".join(where.parts[: 3 if debugger else 2][:-1]), set()).update(said)
    return {where: sorted(said) for where, said in sorted(found.items())}


def table() -> str:
    sections = (f"[{where}]\n" + "\n".join(said) for where, said in texts().items())
    return "\n\n".join(sections) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
