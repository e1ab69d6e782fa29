"""`see`: what a program may say about what it sees."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any

from tests.oracle.compare import meets, shown
from tests.oracle.derive import derivatives
from tests.oracle.observations import GraphSeen, Raised, TensorSeen, describe, graph_of

_NOTHING = object()


class Recorder:
    """Collects the observations of one run of a program on one module.

    `seen` maps a name to plain data; `broken` lists the claims of the program itself (`expect=`, phrases)
    that do not hold on this module.
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        self.seen: dict[str, Any] = {}
        self.broken: list[str] = []

    def __call__(self, name: str, thing: Any, *, expect: Any = _NOTHING) -> None:
        """Records a tensor, a number, a string, a node's name, or a nest of such things."""
        self._keep(name, describe(self.module, thing), expect)

    def graph(self, name: str, tensor_or_node: Any, *, expect: str | Any = _NOTHING) -> None:
        """Records the shape of the graph above a tensor: names, edges, which nodes are shared."""
        node = getattr(tensor_or_node, "grad_fn", tensor_or_node)
        self._keep(name, GraphSeen(()) if node is None else graph_of(node), expect)

    def layout(self, name: str, tensor: Any) -> None:
        """Records strides, offset and contiguity."""
        self(
            name,
            {
                "stride": tuple(tensor.stride()),
                "offset": tensor.storage_offset(),
                "contiguous": tensor.is_contiguous(),
            },
        )

    def derivatives(
        self,
        name: str,
        fn: Callable[..., Any],
        *inputs: Any,
        twice: bool = True,
        dtype: str = "float64",
    ) -> None:
        """Records `fn` of leaves made from nested lists, its gradients and (`twice`) their gradients."""
        found = derivatives(self.module, fn, inputs, twice=twice, dtype=dtype)
        for part, tensors in found.items():
            self(f"{name}: {part}", tensors)

    def raises(self, name: str, fn: Callable[[], Any], *, phrase: str = "") -> None:
        """`fn()` must raise; the class is compared, the phrase must be in both messages."""
        try:
            fn()
        except Exception as error:  # noqa: BLE001 (the error is what is observed)
            raised = Raised(type(error), str(error))
            self._forget(error)
            if not raised.says(phrase):
                self.broken.append(f"{name}: the message lacks {phrase!r}: {raised}")
            self._keep(name, raised)
        else:
            self.broken.append(f"{name}: nothing was raised")
            self._keep(name, "nothing was raised")

    def attempt(self, name: str, fn: Callable[[], Any]) -> None:
        """Records the result of `fn()`, or the error it raises."""
        self._keep(name, self.outcome(fn))

    def outcome(self, fn: Callable[[], Any]) -> Any:
        """The description of `fn()`, or of the error it raises."""
        try:
            return describe(self.module, fn())
        except Exception as error:  # noqa: BLE001 (the error is what is observed)
            raised = Raised(type(error), str(error))
            self._forget(error)
            return raised

    def warns(
        self,
        name: str,
        fn: Callable[[], Any],
        category: type[Warning] = UserWarning,
        *,
        phrase: str = "",
    ) -> Any:
        """`fn()` must warn with exactly this category, with the phrase; gives its result."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fn()
        found = [
            w
            for w in caught
            if w.category is category and Raised(Warning, str(w.message)).says(phrase)
        ]
        if not found:
            others = [f"{w.category.__name__}: {str(w.message)[:100]}" for w in caught]
            self.broken.append(f"{name}: no {category.__name__} with {phrase!r}, but {others}")
        self._keep(name, f"{category.__name__} {bool(found)}")
        return result

    def silent(self, name: str, fn: Callable[[], Any]) -> Any:
        """`fn()` must not warn; gives its result."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fn()
        self._keep(name, [w.category.__name__ for w in caught], [])
        return result

    def differs(self, name: str, thing: Any, *, torch: Any, vizgrad: Any, because: str) -> None:
        """A rule marked [D]: asserts PyTorch's behaviour on PyTorch and vizgrad's on vizgrad.

        An expected error is given by its class.
        """
        known = isinstance(thing, (Raised, TensorSeen))  # as `outcome` gives them
        seen = thing if known else describe(self.module, thing)
        on_torch = self.module.__name__ == "torch"
        expected = torch if on_torch else vizgrad
        if isinstance(expected, type) and issubclass(expected, BaseException):
            holds = isinstance(seen, Raised) and issubclass(seen.kind, expected)
        else:
            holds = meets(seen, expected)
        if not holds:
            self.broken.append(f"{name}: expected {expected!r} ({because}), seen {shown(seen)}")
        self._keep(name, f"differs on purpose: {because}")

    def _keep(self, name: str, seen: Any, expect: Any = _NOTHING) -> None:
        if name in self.seen:
            raise ValueError(f"the program sees {name!r} twice")
        self.seen[name] = seen
        if expect is not _NOTHING and not meets(seen, expect):
            self.broken.append(f"{name}: expected {expect!r}, seen {shown(seen)}")

    @staticmethod
    def _forget(error: BaseException) -> None:
        """A traceback holds the frames of the program, and so its tensors: lifetimes would differ."""
        error.__traceback__ = None
        if error.__context__ is not None:
            gc.collect(0)
