"""The user's program, found and run as `python script.py` or `python -m module` would."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

from vizgrad.debugger.shell.arguments import Options

_HERE = str(Path(__file__).parent)


class NotFound(Exception):
    """There is no such program; the message says what is missing."""


class Program:
    """Code that is to run as ``__main__``. `path` is its file, `name` what the user calls it."""

    def __init__(
        self, name: str, path: str, code: CodeType, first: str, spec: ModuleSpec | None
    ) -> None:
        self.name = name
        self.path = path
        self._code = code
        #: The folder from which it imports first.
        self._first = first
        self.module = module = ModuleType("__main__")
        module.__dict__.update(
            __file__=path,
            __builtins__=builtins,
            __cached__=None if spec is None else spec.cached,
            __loader__=SourceFileLoader("__main__", path) if spec is None else spec.loader,
            __package__=None if spec is None else spec.parent,
            __spec__=spec,
        )

    @property
    def namespace(self) -> dict[str, Any]:
        """Its global variables."""
        return self.module.__dict__

    def run(self, arguments: tuple[str, ...]) -> None:
        """Runs it. Raises what it raises, with a traceback that begins in it.

        ``sys.argv``, ``sys.path[0]`` and ``sys.modules["__main__"]`` are the program's from now on: its
        threads and functions that run at exit may read them.
        """
        sys.argv[:] = [self.path if self._of_a_module else self.name, *arguments]
        if not sys.flags.safe_path:
            sys.path[:1] = [self._first]
        sys.modules["__main__"] = self.module
        try:
            exec(self._code, self.namespace)  # noqa: S102  it is what the user wants to run
        except BaseException as error:
            error.__traceback__ = _without_callers(error.__traceback__)
            raise

    @property
    def _of_a_module(self) -> bool:
        return self.module.__spec__ is not None and self.module.__package__ is not None


def _without_callers(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the program on."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HERE):
        trace = trace.tb_next
    return trace


def find(options: Options) -> Program:
    """Raises NotFound, and what compiling the program raises: SyntaxError, ValueError, UnicodeDecodeError."""
    if options.is_module:
        return _of_module(options.script)
    path = os.path.abspath(options.script)  # noqa: PTH100  `resolve` follows links
    if Path(path).is_dir() or path.endswith((".zip", ".pyz", ".egg")):
        spec = PathFinder.find_spec("__main__", [path])
        if spec is None:
            raise NotFound(f"there is no '__main__' module in {options.script!r}")
        return Program(options.script, str(spec.origin), _code_of(spec), path, spec)
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        raise NotFound(f"can't open {options.script!r}: {error.strerror}") from None
    code = compile(source, path, "exec", dont_inherit=True)
    return Program(options.script, path, code, str(Path(path).resolve().parent), None)


def _of_module(name: str) -> Program:
    with _importing_from_here():
        try:
            spec = find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                name = f"{name}.__main__"
                spec = find_spec(name)
        except ModuleNotFoundError as error:
            if not name.startswith(str(error.name)):
                raise
            spec = None
    if spec is None:
        raise NotFound(f"there is no module named {name}")
    return Program(name, str(spec.origin), _code_of(spec), str(Path.cwd()), spec)


@contextmanager
def _importing_from_here() -> Generator[None]:
    """Modules are looked for in the working folder first."""
    before = list(sys.path)
    if not sys.flags.safe_path:
        sys.path[:1] = [str(Path.cwd())]
    try:
        yield
    finally:
        sys.path[:] = before


def _code_of(spec: ModuleSpec) -> CodeType:
    get_code = getattr(spec.loader, "get_code", None)
    code = None if get_code is None else get_code(spec.name)
    if code is None:
        raise NotFound(f"{spec.name} has no Python code")
    return code
