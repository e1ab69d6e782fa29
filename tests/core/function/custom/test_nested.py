"""Helpers for nested structures."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

import pytest

import vizgrad as vg
from vizgrad.autograd.function import (
    _iter_filter,
    _iter_None_tensors,
    _iter_tensors,
    _iter_tensors_permissive,
    _map_tensor_data,
    _nested_map,
    _unflatten,
)

Point = namedtuple("Point", "x y")  # noqa: PYI024  fields are positional here
A, B, C = (vg.tensor(float(i)) for i in range(3))


def ids(things):
    return [id(t) for t in things]


@pytest.mark.rule("F-122")
def test_flattening():
    for structure, flat in (
        (A, [A]),
        (None, []),
        ([A, (None, B)], [A, B]),
        ({"k": B, "a": [A]}, [B, A]),
        (Point(A, {"b": B}), [A, B]),
        ([A, A], [A, A]),
    ):
        assert ids(_iter_tensors(structure)) == ids(flat)
    for wrong in (3, "text", [A, object()]):
        with pytest.raises(
            ValueError, match=r"process an input object of type.*Accepted types: Tensors"
        ):
            list(_iter_tensors(wrong))


@pytest.mark.rule("F-126")
def test_rebuilding():
    assert _unflatten([1, 2, 3, 4], [A, (B, None), C]) == [1, (2, None), 3]
    assert _unflatten((i for i in (1, 2)), Point(A, B)) == Point(1, 2)
    assert _unflatten([1, 2], OrderedDict(k=A, a=B)) == OrderedDict(k=1, a=2)
    assert _unflatten([1], None) is None
    assert _unflatten([1, 2], A) == 1
    with pytest.raises(IndexError, match="more places than the 1 items"):
        _unflatten([1], [A, B])


@pytest.mark.rule("F-127")
def test_mapping():
    add = _nested_map(lambda t: isinstance(t, vg.Tensor), lambda t: t.item() + 1, "Tensors")
    assert add([A, (B, None), Point(C, A), OrderedDict(k=B)]) == [
        1, (2, None), Point(3, 1), OrderedDict(k=2),
    ]  # fmt: skip
    assert type(add(OrderedDict(k=B))) is OrderedDict
    with pytest.raises(ValueError, match="Accepted types: Tensors, or lists/tuples of them"):
        add(3)
    silent = _nested_map(lambda t: isinstance(t, vg.Tensor), lambda t: t)
    with pytest.raises(ValueError, match=r"type int(\n|$)"):
        silent(3)
    x = vg.ones(1, requires_grad=True)
    (data,) = _map_tensor_data([x])
    assert not data.requires_grad
    assert data.data_ptr() == x.data_ptr()


@pytest.mark.rule("F-127")
def test_a_mapping_that_cannot_be_made_of_pairs_becomes_a_dict():
    class Named(dict):
        def __init__(self, *, name):
            super().__init__()
            self.name = name

    named = Named(name="n")
    named["a"] = A
    same = _nested_map(lambda t: isinstance(t, vg.Tensor), lambda t: t)
    assert type(same(named)) is dict
    assert _unflatten([1], named) == {"a": 1}


@pytest.mark.rule("F-128")
def test_walking_with_none_or_with_anything():
    assert list(_iter_None_tensors([A, None, (None,)]))[1:] == [None, None]
    assert list(_iter_tensors_permissive([A, 3, ("text", None)]))[1:] == [3, "text"]
    ints = _iter_filter(lambda t: isinstance(t, int), condition_msg="ints")
    assert list(ints([1, {"a": 2}])) == [1, 2]
    with pytest.raises(ValueError, match="Accepted types: ints"):
        list(ints(["text"]))


@pytest.mark.rule("F-128")
def test_wrapped_objects():
    class Wrapped:
        def __init__(self, inner):
            self.inner = inner

        def _jit_unwrap(self):
            return self.inner

    class Proto:
        def _jit_wrap(self, flat):
            return ("wrapped", flat[0]), flat[1:]

    assert ids(_iter_tensors([Wrapped([A, B])])) == ids([A, B])
    assert _unflatten([1, 2, 3], [A, Proto(), B]) == [1, ("wrapped", 2), 3]
