"""The one way to say things."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.debugger.drawing import describe
from vizgrad.debugger.model import Place, Saved, TensorSummary, Write


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_540, "1.5 kB"),
        (15_500, "16 kB"),
        (102_400, "102 kB"),
        (999_600, "1.0 MB"),
        (5 * 10**9, "5.0 GB"),
        (3 * 10**12, "3.0 TB"),
        (5 * 10**16, "50000 TB"),
    ],
)
def test_bytes(size: int, text: str) -> None:
    assert describe.bytes_text(size) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.53127, "0.5313"),
        (-0.25, "-0.25"),
        (0.0123456, "0.01235"),
        (100.0, "100"),
        (12_346.0, "12350"),
        (123_456.0, "1.23e5"),
        (1e10, "1e10"),
        (1e-7, "1e-7"),
        (-1.5e-7, "-1.5e-7"),
        (99_999.9, "1e5"),
        (-2.0, "-2"),
        (math.nan, "NaN"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (None, "undefined"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert describe.number_text(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.5, "1.5 s"), (0.0032, "3.2 ms"), (1.25e-5, "12.5 µs"), (0.0, "0 µs")]
)
def test_seconds(seconds: float, text: str) -> None:
    assert describe.seconds_text(seconds) == text


def test_counts() -> None:
    assert describe.count_text(1, "node") == "1 node"
    assert describe.count_text(10_240, "node") == "10,240 nodes"
    assert describe.count_text(0, "leaf", "leaves") == "0 leaves"


def test_shapes_and_dtypes() -> None:
    assert describe.type_text((2, 3), "float32") == "[2, 3] f32"
    assert describe.type_text((), "float64") == "[] f64"
    assert describe.type_text((1,), "float8_e4m3fn") == "[1] float8_e4m3fn"


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (None, ""),
        (Place("some/where/train.py", 12), "train.py:12"),
        (Place("cell.py", 2, cell="In [3]"), "In [3], line 2"),
        (Place("", 2), ":2"),
    ],
)
def test_places(place: Place | None, text: str) -> None:
    assert describe.place_text(place) == text


WRITE = Write(1, 3, "add_", Place("train.py", 12), "view of w")


@pytest.mark.parametrize(
    ("saved", "text"),
    [
        (Saved("self", "alive", version_saved=2, version_now=2), "self v2"),
        (Saved("self", "freed"), "self v0 freed"),
        (Saved("self", "packed"), "self v0 packed"),
        (Saved("dim", "alive", value="(0, 1)"), "dim=(0, 1)"),
        (Saved("w", "stale", version_now=1), "w v0→v1 STALE"),
        (
            Saved("w", "stale", version_now=1, culprit=WRITE),
            "w v0→v1 STALE (add_ at train.py:12 through view of w)",
        ),
    ],
)
def test_saved_values(saved: Saved, text: str) -> None:
    assert describe.saved_text(saved) == text


def summary(**more: object) -> TensorSummary:
    return TensorSummary((2,), "float32", "cpu", 8, **more)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "undefined"),
        (summary(), "[2] f32"),
        (summary(norm=2.5, min=-1.0, max=2.0), "[2] f32  norm 2.5  -1 … 2"),
        (summary(norm=math.nan, min=0.0, max=0.0, nans=3), "[2] f32  norm NaN  3 NaN"),
        (
            summary(norm=math.inf, min=-1.0, max=2.0, infs=1),
            "[2] f32  norm inf  1 inf  others -1 … 2",
        ),
        (summary(norm=math.inf, values=(math.inf,), infs=1), "[2] f32  = inf  1 inf"),
        (summary(values=(7.0,), norm=7.0), "[2] f32  = 7"),
        (summary(infs=1_000), "[2] f32  1,000 inf"),
    ],
)
def test_summaries(value: TensorSummary | None, text: str) -> None:
    assert describe.summary_text(value) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain <b> & \\n", "plain <b> & \\n"),
        ("a\nb", "a\\nb"),
        ("\x1b[0m", "\\x1b[0m"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
        ("名前", "名前"),
        ("שלום", "\u2068שלום\u2069"),
    ],
)
def test_every_character_is_visible(text: str, shown: str) -> None:
    assert describe.plain(text) == shown


def test_long_text_is_cut() -> None:
    assert describe.plain("abcdef", 4) == "abc…"
    assert describe.plain("abcd", 4) == "abcd"


@given(st.text(st.characters(codec=None)))
def test_plain_text_stays_plain(text: str) -> None:
    once = describe.plain(text)
    assert all(c.isprintable() or c in "\u2068\u2069" for c in once)


def test_terminal_columns() -> None:
    assert [describe.columns(text) for text in ("ab", "名前", "e\u0301", "\u2068ש\u2069")] == [
        2, 4, 1, 1,
    ]  # fmt: skip


def test_few_values_are_written_and_many_are_summed_up() -> None:
    few = TensorSummary(
        (2, 2), "float32", "cpu", 16, 5.0, -1, 4, values=(1, -1, 4, float("nan")), nans=1
    )
    assert describe.summary_text(few) == "[2, 2] f32  = [1, -1, 4, NaN]  1 NaN"
    one = TensorSummary((), "complex64", "cpu", 8, 2.0, 2, 2, values=(2.0,))
    assert describe.summary_text(one) == "[] c64  magnitude = 2"
    many = TensorSummary((9,), "float32", "cpu", 36, 5.0, -1, 4)
    assert describe.summary_text(many) == "[9] f32  norm 5  -1 … 4"
