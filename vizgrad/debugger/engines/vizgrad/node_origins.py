"""From the scopes and sites of the engine's nodes to what groups are made from."""

from __future__ import annotations

from os import sep
from sysconfig import get_path
from types import CodeType

from vizgrad.core.tensor.modes import BatchedScope, Scope
from vizgrad.debugger.engines.api.node_origin import MOST_CALLS, NOWHERE, Call, Origin, Spot


class Origins:
    """Makes one Origin for all nodes of one place. Keeps scopes and code objects."""

    def __init__(self) -> None:
        #: By scope, identity of the code object (to hash one takes long), and offset.
        self._known: dict[tuple[Scope | None, int, int], Origin] = {(None, id(None), 0): NOWHERE}
        self._calls: dict[Scope | None, tuple[Call, ...]] = {None: ()}

    def of(self, scope: Scope | None, code: CodeType | None, offset: int) -> Origin:
        """Of what was recorded in a scope, by an instruction of a person's code object."""
        if isinstance(scope, BatchedScope):
            scope = scope.around
        key = scope, id(code), offset
        known = self._known.get(key)
        if known is None:
            spot = None if code is None else Spot(code, offset)
            if scope is not None and scope.site == spot:  # the line that called a module of ours
                spot = None
            if code is not None and _is_hosts(code):
                spot = None
            known = self._known[key] = Origin(self._calls_of(scope), spot)
        return known

    def _calls_of(self, scope: Scope | None) -> tuple[Call, ...]:
        unknown: list[Scope] = []
        while scope not in self._calls:
            assert scope is not None  # is known
            unknown.append(scope)
            scope = scope.parent
        calls = self._calls[scope]
        for inner in reversed(unknown):
            if len(calls) < MOST_CALLS:
                calls = (*calls, _call(inner))
            self._calls[inner] = calls
        return calls


def _is_hosts(code: CodeType) -> bool:
    """Is it of what carries a step that a view asked for, and none of a person's lines?"""
    return (
        code.co_filename.startswith(_LIBRARY) and not code.co_filename.startswith(_PACKAGES)
    ) or any(f"{sep}{name}{sep}" in code.co_filename for name in ("tornado", "ipykernel"))


_LIBRARY = get_path("stdlib")
_PACKAGES = (get_path("purelib"), get_path("platlib"))


def _call(scope: Scope) -> Call:
    site = scope.site
    if site is None or (scope.parent is not None and scope.parent.site is site):
        return Call(scope.name, scope.kind)  # a module of ours called it
    return Call(scope.name, scope.kind, Spot(*site))
