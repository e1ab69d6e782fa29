"""Who wants to be told of something: one mechanism for views, watchers of a backward and recorders.

An observer never breaks what it looks at. One that raises is told nothing more, and that is said: once as a
warning, and to its owner, who may begin anew.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Observer:
    """A callback that is called for as long as it is `active`. `owner` says in a warning who it was.

    `failed(error)` is called when it has raised, `removed()` when it is told nothing more, for whichever
    reason.
    """

    __slots__ = ("_failed", "_removed", "active", "owner")

    def __init__(
        self,
        owner: str,
        *,
        failed: Callable[[Exception], None] | None = None,
        removed: Callable[[], None] | None = None,
    ) -> None:
        self.owner = owner
        self.active = True
        self._failed = failed
        self._removed = removed

    def ask(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """The result of the observer's `call`; None if it raises, and then it is not called again."""
        if not self.active:
            return None
        try:
            return call(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  whatever it was, it is reported
            self.raised(error)
        return None

    def raised(self, error: Exception) -> None:
        """It has raised in a call without `ask`: it is not called again."""
        if not self.active:
            return
        failed = self._failed
        self.end()
        warnings.warn(
            f"{self.owner} was removed because it raised {error!r}",
            RuntimeWarning,
            stacklevel=4,
        )
        if failed is not None:
            failed(error)

    def end(self) -> None:
        """Nothing is told any more, and nothing is kept. Calling it twice is harmless."""
        removed, self._removed = self._removed, None
        self.active = False
        self._failed = None
        if removed is not None:
            removed()


class Observers(Generic[P]):
    """Those who want to be told of one thing, in the order in which they came."""

    def __init__(self) -> None:
        self._calls: dict[Observer, Callable[P, Any]] = {}

    def add(
        self,
        owner: str,
        call: Callable[P, Any],
        failed: Callable[[Exception], None] | None = None,
    ) -> Observer:
        """`call` is called each time; `.end()` of what this returns ends that."""
        made = Observer(owner, failed=failed, removed=lambda: self._drop(made))
        self._calls[made] = call
        return made

    def _drop(self, observer: Observer) -> None:
        self._calls.pop(observer, None)

    def __len__(self) -> int:
        return len(self._calls)

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tells them all. Never raises: a view that is gone does not stop what it looked at."""
        for observer, call in list(self._calls.items()):
            observer.ask(call, *args, **kwargs)
