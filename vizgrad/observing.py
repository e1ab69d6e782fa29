"""Who wants to be told of something: one mechanism for views, watchers of a backward and recorders.

An observer never breaks what it looks at. One that raises is told nothing more, and that is said: once as a
warning, and to its owner, who may begin anew.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Generic, ParamSpec

P = ParamSpec("P")


class Observer(Generic[P]):
    """Somebody who is told, for as long as `active`. `owner` says in a warning who it was."""

    __slots__ = ("_call", "_failed", "_removed", "active", "owner")

    def __init__(
        self,
        owner: str,
        call: Callable[P, Any],
        *,
        failed: Callable[[Exception], None] | None = None,
        removed: Callable[[], None] | None = None,
    ) -> None:
        self.owner = owner
        self.active = True
        self._call: Callable[P, Any] | None = call
        self._failed = failed
        self._removed = removed

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """What the observer answers; None, and nothing more is told, if it raises."""
        call = self._call
        if call is None:
            return None
        try:
            return call(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  whatever it was, it is reported
            failed = self._failed
            self.end()
            warnings.warn(
                f"{self.owner} was removed because it raised {error!r}",
                RuntimeWarning,
                stacklevel=3,
            )
            if failed is not None:
                failed(error)
        return None

    def end(self) -> None:
        """Nothing is told any more, and nothing is kept. Calling it twice is harmless."""
        removed, self._removed = self._removed, None
        self.active = False
        self._call = self._failed = None
        if removed is not None:
            removed()


class Observers(Generic[P]):
    """Those who want to be told of one thing, in the order in which they came."""

    def __init__(self) -> None:
        self._observers: dict[int, Observer[P]] = {}

    def add(
        self,
        owner: str,
        call: Callable[P, Any],
        failed: Callable[[Exception], None] | None = None,
    ) -> Observer[P]:
        """`call` is called each time; `.end()` of what this returns ends that."""
        made: Observer[P] = Observer(owner, call, failed=failed, removed=lambda: self._drop(made))
        self._observers[id(made)] = made
        return made

    def _drop(self, observer: Observer[P]) -> None:
        self._observers.pop(id(observer), None)

    def __len__(self) -> int:
        return len(self._observers)

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tells them all. Never raises: a view that is gone does not stop what it looked at."""
        for observer in list(self._observers.values()):
            observer.tell(*args, **kwargs)
