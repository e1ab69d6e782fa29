"""Sentences of the package's prose: docstrings, comments and READMEs."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

_FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
# A sentence ends before a space and a capital. Paragraphs, list items and cells of tables end one, too.
_END = re.compile(r"(?<=[.!?])[)\"'*]*\s+(?=[A-Z*`\"'(])|\n\s*\n|\n\s*(?:[-*#]+|\d+\.)\s+|\s*\|\s*")


def sentences(path: Path) -> Iterator[str]:
    """The sentences of a Python file's docstrings and comments, or of a Markdown file."""
    text = path.read_text("utf-8")
    blocks = (
        [_FENCED.sub("\n\n", text)]
        if path.suffix == ".md"
        else [*_docstrings(text), *_comments(text)]
    )
    for block in blocks:
        for sentence in _END.split("\n\n" + block):
            if words := " ".join(sentence.split()).lstrip("#*-\"'( "):
                yield words


def _docstrings(text: str) -> Iterator[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds) and (docstring := ast.get_docstring(node)):
            yield docstring


def _comments(text: str) -> Iterator[str]:
    """Each run of lines that hold nothing but a comment is one; a comment beside code is one."""
    run: list[str] = []
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        row, column = token.start
        alone = not token.line[:column].strip()
        if run and not (alone and row == last + 1):
            yield "\n".join(run)
            run = []
        run.append(token.string.lstrip("#: "))
        last = row if alone else -1
    if run:
        yield "\n".join(run)
