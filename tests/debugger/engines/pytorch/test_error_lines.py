"""Errors of PyTorch's backward in a watch: five lines, as of vizgrad's own, and the same line to edit."""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import vizgrad
from vizgrad.core.errors import own_line
from vizgrad.debugger import model
from vizgrad.debugger.session.session import Session

torch = pytest.importorskip("torch")


def leaf() -> torch.Tensor:
    return torch.zeros(3, requires_grad=True)


class Raises(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise ValueError("mine")  # blame


class Two(Raises):
    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, grad  # blame


class Short(Raises):
    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad[:2]  # blame


def raising() -> None:
    Raises.apply(leaf()).sum().backward()


def too_many() -> None:
    Two.apply(leaf()).sum().backward()


def too_short() -> None:
    Short.apply(leaf()).sum().backward()


def cuts(grad: Any) -> Any:
    return grad[:2]  # blame


def fails(grad: Any) -> Any:
    return grad + grad.nothing  # blame


def a_hook_that_cuts() -> None:
    y = leaf() * 2
    y.register_hook(cuts)
    y.sum().backward()


def a_hook_without_a_name() -> None:
    y = leaf() * 2
    y.register_hook(lambda grad: grad[:2])  # blame
    y.sum().backward()


class Cuts:
    def __call__(self, grad: Any) -> Any:
        return grad[:2]


def a_hook_that_is_no_function() -> None:
    y = leaf() * 2
    y.register_hook(Cuts())  # blame
    y.sum().backward()


def a_hook_that_fails() -> None:
    y = leaf() * 2
    y.register_hook(fails)
    y.sum().backward()


def a_nan() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            y = leaf().sqrt() * 0  # blame
            y.sum().backward()


def no_scalar() -> None:
    (leaf() * 2).backward()  # blame


def no_scalar_of_several() -> None:
    torch.autograd.backward([leaf() * 2])  # blame


def written() -> None:
    y = leaf().exp()
    y += 1  # blame
    y.sum().backward()


def twice() -> None:
    y = leaf().exp().sum()
    y.backward()  # blame
    y.backward()


def no_history() -> None:
    y = leaf().detach()  # blame
    y.sum().backward()


def a_leaf() -> None:
    x = leaf()
    x += 1  # blame


WRONG: list[tuple[Callable[[], None], type[BaseException], str, int]] = [
    (raising, ValueError, "", 4),
    (too_many, RuntimeError, "function-return", 5),
    (too_short, RuntimeError, "function-return", 5),
    (a_hook_that_cuts, RuntimeError, "hook-effect", 5),
    (a_hook_without_a_name, RuntimeError, "hook-effect", 5),
    (a_hook_that_is_no_function, RuntimeError, "hook-effect", 5),
    (a_hook_that_fails, AttributeError, "", 4),
    (a_nan, RuntimeError, "nonfinite-backward", 4),
    (no_scalar, RuntimeError, "not-scalar", 3),
    (no_scalar_of_several, RuntimeError, "not-scalar", 3),
    (written, RuntimeError, "saved-overwritten", 5),
    (twice, RuntimeError, "graph-freed", 4),
    (no_history, RuntimeError, "cut-detach", 4),
    (a_leaf, RuntimeError, "forbidden-write", 4),
]


@pytest.mark.parametrize(
    ("program", "error", "kind", "lines"), WRONG, ids=[row[0].__name__ for row in WRONG]
)
def test_five_lines_name_the_line_to_edit(
    program: Callable[[], None], error: type[BaseException], kind: str, lines: int
) -> None:
    with pytest.raises(error) as raised, vizgrad.watch():
        program()
    value: Any = raised.value
    text = "".join(traceback.format_exception_only(value)).rstrip("\n").split("\n")
    assert len(text) == lines <= 5, text
    (where,) = (line for line in text if line.startswith("  where: "))
    assert where.startswith(f"  where: {__file__}:")
    assert where.endswith("# blame")
    assert getattr(getattr(value, "explanation", None), "kind", "") == kind
    if kind in ("", "function-return", "hook-effect"):
        own = own_line(value)
        assert own is not None
        assert own.text.endswith("# blame")
    else:
        assert own_line(value) is None


def test_nothing_is_added_where_nobody_watches() -> None:
    with pytest.raises(ValueError, match="mine") as raised:
        raising()
    assert not hasattr(raised.value, "__notes__")


def test_a_session_marks_the_line_that_raised() -> None:
    session = vizgrad.debug(Raises.apply(leaf()).sum(), display=False)
    with pytest.raises(ValueError, match="mine"):
        session.continue_()
    mark = mark_of(session)
    assert mark is not None
    assert (mark.kind, mark.name) == ("error", "RaisesBackward")
    assert mark.inside is not None
    source, first = inspect.getsourcelines(Raises.backward)
    assert mark.inside.line == first + len(source) - 1
    assert mark.inside.file.file == __file__
    session.back()
    back = mark_of(session)
    assert back is None or back.kind == "next"


def mark_of(session: Session) -> model.LineMark | None:
    with session.at_rest() as (_, look):
        return look.mark
