"""How a tree of modules prints: one line a module, children indented below their parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module


def indented(text: str, spaces: int = 2) -> str:
    """All lines but the first moved right."""
    return text.replace("\n", "\n" + " " * spaces)


def module_repr(self: Module) -> str:
    extra = self.extra_repr()
    lines = extra.split("\n") if extra else []
    below = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
    name = self._get_name()
    if not below and len(lines) <= 1:
        return f"{name}({extra})"
    return f"{name}(\n  " + "\n  ".join(lines + below) + "\n)"


def grouped_repr(self: Module) -> str:
    """As `module_repr`, but runs of equal neighbours become one line: ``(0-2): 3 x Linear(...)``."""
    groups: list[tuple[int, int, str]] = []
    for index, module in enumerate(self._modules.values()):
        text = repr(module)
        if groups and groups[-1][2] == text:
            groups[-1] = (groups[-1][0], index, text)
        else:
            groups.append((index, index, text))
    if not groups:
        return f"{self._get_name()}()"
    lines = [
        indented(
            f"({first}): {text}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
        )
        for first, last, text in groups
    ]
    return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"
