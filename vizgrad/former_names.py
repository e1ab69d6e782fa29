"""Names that modules had before they moved to `core/` and `debugger/`. Each still imports its module.

Only documented names are listed, and what lies below them: `vizgrad.ops.pointwise` follows from
`vizgrad.ops`. An old name and the new one import the same module object.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType

#: The old name of a module or a package, and its name now.
MOVED = {
    "vizgrad.arrays": "vizgrad.core.arrays",
    "vizgrad.batching": "vizgrad.core.batching",
    "vizgrad.checking": "vizgrad.debugger.check",
    "vizgrad.commands": "vizgrad.debugger.commands",
    "vizgrad.debugger.engines.vizgrad.variable_names": "vizgrad.debugger.engines.common.variable_names",
    "vizgrad.debugger.session.breakpoints.expressions": "vizgrad.debugger.expressions",
    "vizgrad.engine": "vizgrad.core.engine",
    "vizgrad.errors": "vizgrad.core.errors",
    "vizgrad.explaining": "vizgrad.debugger.explain",
    "vizgrad.function": "vizgrad.core.function",
    "vizgrad.graph": "vizgrad.core.graph",
    "vizgrad.heap": "vizgrad.debugger.memory",
    "vizgrad.inspection": "vizgrad.debugger.session",
    "vizgrad.inspection.abilities": "vizgrad.debugger.engines.api.abilities",
    "vizgrad.inspection.branches": "vizgrad.debugger.session.history.branches",
    "vizgrad.inspection.conditions": "vizgrad.debugger.session.breakpoints.conditions",
    "vizgrad.inspection.expressions": "vizgrad.debugger.expressions",
    "vizgrad.inspection.fold": "vizgrad.debugger.session.history.fold",
    "vizgrad.inspection.frameworks": "vizgrad.debugger.engines.api.frameworks",
    "vizgrad.inspection.history": "vizgrad.debugger.session.history.history",
    "vizgrad.inspection.model": "vizgrad.debugger.model",
    "vizgrad.inspection.openers": "vizgrad.debugger.engines.api.openers",
    "vizgrad.inspection.protocols": "vizgrad.debugger.engines.api.protocols",
    "vizgrad.inspection.summarizer": "vizgrad.debugger.engines.api.summarizer",
    "vizgrad.inspection.wire": "vizgrad.debugger.wire.wire",
    "vizgrad.interactive": "vizgrad.debugger.api",
    "vizgrad.magics": "vizgrad.debugger.jupyter.magics",
    "vizgrad.observing": "vizgrad.core.observing",
    "vizgrad.ops": "vizgrad.core.ops",
    "vizgrad.progress": "vizgrad.core.progress",
    "vizgrad.provenance": "vizgrad.debugger.watch",
    "vizgrad.pytorch": "vizgrad.debugger.engines.pytorch",
    "vizgrad.rendering": "vizgrad.debugger.drawing",
    "vizgrad.stepping": "vizgrad.debugger.engines.vizgrad",
    "vizgrad.tensor": "vizgrad.core.tensor",
    "vizgrad.traces": "vizgrad.debugger.traces",
    "vizgrad.widgets": "vizgrad.debugger.jupyter.widget",
    "vizgrad.widgets.server": "vizgrad.debugger.jupyter.server",
}


def name_now(name: str) -> str | None:
    """The present name of a module that was called `name`, or None if `name` is no old name."""
    head, rest = name, ""
    while head:
        if head in MOVED:
            return MOVED[head] + rest
        head, _, tail = head.rpartition(".")
        rest = f".{tail}{rest}"
    return None


class _Moved(Loader):
    """Gives the module at its new place; the module keeps its own name and spec."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has put the spec of the old name there

    def get_code(self, fullname: str) -> CodeType | None:
        """The code that `python -m` runs."""
        spec = find_spec(self.name)
        return spec.loader.get_code(self.name) if spec and spec.loader else None  # type: ignore[attr-defined]


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        now = name_now(fullname) if fullname.startswith("vizgrad.") else None
        found = now and find_spec(now)
        if not now or not found:
            return None
        spec = ModuleSpec(fullname, _Moved(now), origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec


def install() -> None:
    """Makes the old names importable. Called once, by `import vizgrad`.

    The finder comes first: a package that was imported under its old name knows its folder, and the usual
    finder would load the files in it a second time.
    """
    sys.meta_path.insert(0, _Finder())
    # Packages with the name of a public function: imported later, they would take its place in `vizgrad`.
    for name in ("vizgrad.graph", "vizgrad.tensor"):
        sys.modules[name] = sys.modules[MOVED[name]]
