"""Scope names: how the graph calls the part of the forward that a module ran.

A module is called as its parent names it, with its class: ``0: Linear``, ``encoder: Encoder``. Parents
that are never called themselves (ModuleList, ModuleDict) show in the name: ``layers.0: Block``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module


def name_child(parent: Module, name: str, child: Module) -> None:
    """Remembers under which name `parent` holds `child`; a shared module keeps the latest."""
    if not parent._is_called:
        name = f"{parent._held_as}.{name}" if parent._held_as else name
    _name(child, name)


def _name(module: Module, name: str) -> None:
    slots = module.__dict__
    slots["_held_as"] = name
    slots["_scope_name"] = f"{name}: {type(module).__name__}"
    if not module._is_called:
        for own, child in module._modules.items():
            if child is not None:
                _name(child, f"{name}.{own}")
