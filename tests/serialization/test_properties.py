"""Any geometry comes back, and no damage does more than raise."""

from __future__ import annotations

import io
import pickle
import zipfile
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import vizgrad as vg
from vizgrad import nn

#: What a view may be made by: each takes a tensor, and gives one over the same memory.
STEPS = (
    lambda x: x.t() if x.ndim == 2 else x,
    lambda x: x[1:] if x.ndim and len(x) > 1 else x,
    lambda x: x[::2] if x.ndim else x,
    lambda x: x[..., :-1] if x.ndim else x,
    lambda x: x[0] if x.ndim and len(x) else x,
    lambda x: x.unsqueeze(0),
    lambda x: x.expand(2, *x.shape),
    lambda x: x.detach(),
    lambda x: x.flatten() if x.is_contiguous() else x,
)


@st.composite
def families(draw: Any) -> list[Any]:
    """Some tensors, each a view of an earlier one or of memory of its own."""
    made: list[Any] = []
    for number in range(draw(st.integers(1, 5))):
        if not made or draw(st.booleans()):
            shape = draw(st.sampled_from([(), (1,), (6,), (2, 3), (3, 1, 2), (0, 2)]))
            count = 1
            for length in shape:
                count *= length
            made.append((vg.arange(count, dtype=vg.float64) + 100 * number).reshape(shape).clone())
        else:
            view = draw(st.sampled_from(made))
            for step in draw(st.lists(st.sampled_from(STEPS), max_size=4)):
                view = step(view)
            made.append(view)
    return made


@settings(deadline=None, max_examples=150)
@given(families())
def test_what_shares_elements_shares_them_again(tensors: list[Any]) -> None:
    file = io.BytesIO()
    vg.save(tensors, file)
    file.seek(0)
    back = vg.load(file)
    for before, after in zip(tensors, back, strict=True):
        assert (after.shape, after.tolist()) == (before.shape, before.tolist())
    for number, tensor in enumerate(tensors):
        if not tensor.numel():
            continue
        with vg.no_grad():
            for group in (tensors, back):
                place = (0,) * group[number].ndim
                group[number].detach()[place] = -1.0 - number
        assert [t.tolist() for t in back] == [t.tolist() for t in tensors]


def checkpoint() -> bytes:
    model = nn.Linear(2, 2)
    optimizer = vg.optim.Adam(model.parameters())
    model(vg.ones(1, 2)).sum().backward()
    optimizer.step()
    file = io.BytesIO()
    vg.save(
        {"m": model.state_dict(), "o": optimizer.state_dict(), "n": [1, 2.5, (None, "x")]}, file
    )
    return file.getvalue()


WHOLE = checkpoint()
with zipfile.ZipFile(io.BytesIO(WHOLE)) as _archive:
    PICKLE = _archive.read("archive/data.pkl")
    OTHERS = {n: _archive.read(n) for n in _archive.namelist() if not n.endswith(".pkl")}

changes = st.lists(
    st.tuples(st.integers(0, len(PICKLE) - 1), st.integers(0, 255), st.sampled_from("=+-")),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=300)
@given(changes)
def test_a_damaged_pickle_is_refused_or_read(places: list[tuple[int, int, str]]) -> None:
    damaged = bytearray(PICKLE)
    for anywhere, byte, kind in places:
        place = anywhere % len(damaged)
        if kind == "=":
            damaged[place] = byte
        elif kind == "+":
            damaged.insert(place, byte)
        elif len(damaged) > 1:
            del damaged[place]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", bytes(damaged))
        for name, content in OTHERS.items():
            archive.writestr(name, content)
    file.seek(0)
    with suppress(pickle.UnpicklingError, RuntimeError):
        vg.load(file)


@settings(deadline=None, max_examples=150)
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_a_damaged_archive_is_refused_or_read(place: int, byte: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[place] = byte
    for file in (io.BytesIO(bytes(damaged)), io.BytesIO(WHOLE[:place])):
        with suppress(pickle.UnpicklingError, RuntimeError, EOFError):
            vg.load(file)
