"""Told when the program has imported a framework: only then can its tensors be watched."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _Loader(Loader):
    """Loads a module as its own loader does, and calls back."""

    def __init__(self, own: Any, then: Callable[[], None]) -> None:
        self._own = own
        self._then = then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = self._own
        module.__loader__ = self._own
        self._own.exec_module(module)
        self._then()


class AfterImport(MetaPathFinder):
    """In a ``with`` block: `then()` is called each time one of the modules `names` has been imported."""

    def __init__(self, names: Sequence[str], then: Callable[[], None]) -> None:
        self._names = set(names)
        self._then = then

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names:
            return None
        self._names.remove(fullname)  # the others find it
        try:
            spec = find_spec(fullname)
        finally:
            self._names.add(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._then)
        return spec
