"""The package asks no system for what only some have."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.rooms import tree

PACKAGE = Path(__file__).parents[2] / "vizgrad"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "labextension" not in path.parts)
#: Modules of the standard library that Windows lacks.
POSIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
#: Each has another answer where the system has none: a bound for memory; "attaching needs Unix sockets".
READY = {
    "debugger/session/history/history.py",
    "debugger/attach/places.py",
    "debugger/shell/listener.py",
}

#: The nodes that may ask a system for something.
ASKING = (ast.Import, ast.ImportFrom, ast.Attribute, ast.Constant)


#: A file in whose text none of these is asks for none of it, and is not parsed.
WORDS = re.compile(
    rf"\b({'|'.join(POSIX)}|fork|getuid|setsid|killpg|SIGALRM|alarm|setitimer)\b|/proc/|/dev/|/tmp/"
)


def where(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_no_two_files_differ_by_case_alone() -> None:
    names = [where(path) for path in FILES]
    assert len({name.lower() for name in names}) == len(names)


def _asks(node: ast.AST) -> set[str]:
    """The modules of which a line of code asks something."""
    match node:
        case ast.Import():
            return {alias.name for alias in node.names}
        case ast.ImportFrom():
            return {node.module or ""}
        case ast.Attribute(ast.Name("os"), "fork" | "getuid" | "setsid" | "killpg"):
            return {"posix"}
        case ast.Attribute(ast.Name("signal"), "SIGALRM" | "alarm" | "setitimer"):
            return {"posix"}
        case ast.Constant(str(text)) if text.startswith(("/proc/", "/dev/", "/tmp/")):
            return {"posix"}
    return set()


def test_no_module_of_posix_is_imported_and_no_process_forked() -> None:
    found = [
        f"{where(path)}:{node.lineno}"
        for path in FILES
        if where(path) not in READY and WORDS.search(path.read_text("utf-8"))
        for node in ast.walk(tree(path))
        if isinstance(node, ASKING) and _asks(node) & POSIX
    ]
    assert found == []


def test_texts_are_read_and_written_in_utf_8() -> None:
    """Not in what the system happens to use: on Windows that is another encoding."""
    found = []
    for path in FILES:
        text = path.read_text("utf-8")
        for node in ast.walk(tree(path)) if "read_text" in text or "write_text" in text else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            given = {keyword.arg for keyword in node.keywords}
            needed = {"read_text": 1, "write_text": 2}.get(node.func.attr)
            if needed and "encoding" not in given and len(node.args) < needed:
                found.append(f"{where(path)}:{node.lineno}")
    assert found == []
