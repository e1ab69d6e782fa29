"""The core imports at the top of its files; imports inside functions are listed here, with reasons."""

from __future__ import annotations

import ast
from collections import Counter

from tests.architecture.rooms import PACKAGE, statements, tree

#: (file, imported module) -> why the import waits until the function is called.
ALLOWED = {
    (
        "core/arrays/magnitude.py",
        "vizgrad.core.arrays.fusion.inspection",
    ): "needed only on a device",
    ("core/arrays/statistics.py", "vizgrad.core.arrays.fusion.look"): "needed only on a device",
    ("core/arrays/kernels/sobol.py", "scipy.stats"): "slow to import, and rarely asked for",
    ("core/arrays/threads.py", "threadpoolctl"): "it looks for libraries, which takes long",
    (
        "core/function/custom/apply.py",
        "vizgrad.core.function.custom",
    ): "needed only in forward mode",
    ("core/ops/public/einsum.py", "opt_einsum"): "needed only for three operands or more",
    ("core/ops/public/sparse.py", "vizgrad.core.ops"): "needed only with sparse tensors",
    ("core/progress.py", "tqdm.auto"): "needed only for what takes seconds",
}


def late_imports(file: ast.Module) -> Counter[str]:
    """The modules that functions of a file import."""
    functions = [
        n for n in statements(file) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = {
        id(n): n
        for function in functions
        for n in statements(function)
        if isinstance(n, ast.Import | ast.ImportFrom)
    }
    return Counter(
        name
        for n in found.values()
        for name in (
            [alias.name for alias in n.names] if isinstance(n, ast.Import) else [n.module or "."]
        )
    )


def in_core() -> set[tuple[str, str]]:
    return {
        (path.relative_to(PACKAGE).as_posix(), module)
        for path in sorted((PACKAGE / "core").rglob("*.py"))
        for module in late_imports(tree(path))
    }


def test_the_core_imports_late_only_where_it_is_listed() -> None:
    """An upward call goes through `vizgrad.core.upcalls`; a circle is no reason."""
    assert in_core() - ALLOWED.keys() == set()


def test_no_reason_outlives_its_import() -> None:
    assert ALLOWED.keys() - in_core() == set()


def test_imports_in_functions_and_methods_are_found() -> None:
    text = """
import a
from b import c

def f():
    import d.e
    def inner():
        from g import h

class C:
    async def method(self):
        from . import i
"""
    assert late_imports(ast.parse(text)) == {"d.e": 1, "g": 1, ".": 1}
