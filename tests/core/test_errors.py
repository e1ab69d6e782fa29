"""The lines that errors blame."""

from __future__ import annotations

from pathlib import Path

from vizgrad.autograd.function import once_differentiable
from vizgrad.core import errors


def plain(x):
    return x


def _line(text):
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.strip() == text)


def test_the_line_of_a_function():
    place = errors.function_place(plain)
    assert place is not None
    assert place.file == __file__
    assert place.line == _line("def plain(x):")
    assert place.function == "plain"
    assert errors.function_place(len) is None
    assert errors.function_place(staticmethod(plain)) == place

    @once_differentiable
    def backward(ctx, g):
        return g

    inner = errors.function_place(backward)
    assert inner is not None
    assert inner.text == "def backward(ctx, g):"
    double = lambda x: 2 * x  # noqa: E731
    shown = errors.function_place(double)
    assert shown is not None
    assert shown.text.startswith("double = lambda x")


def test_the_line_that_returns():
    one = errors.returning_place(plain)
    assert one is not None
    assert one.text == "return x"

    def two(x):
        if x:
            return 1
        return 2

    several = errors.returning_place(two)
    assert several is not None
    assert several.text == "def two(x):"
    assert errors.returning_place(len) is None


def test_the_line_of_a_class():
    class Mine:
        @property
        def value(self):
            return 1

        def method(self):
            return 2

    class Empty:
        pass

    for cls in (Mine, Empty):
        place = errors.class_place(cls)
        assert place is not None
        assert place.text == f"class {cls.__name__}:"
    assert errors.class_place(int) is None
