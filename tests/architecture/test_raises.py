"""Ranks, dims and types of indices are declared in annotations: no new error of these classes by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import raises
from tests.architecture.raises import Raise, inventory

#: (file, function) -> why its annotations cannot say it.
KEPT = {
    "rank": {
        ("core/ops/indices.py", "parse"): "a key may hold another index before it",
        ("core/ops/public/dimensions.py", "t"): "in a call so short one more would be felt",
        ("core/ops/public/dimensions.py", "mT"): "the same, and a warning for no dimensions comes first",
        ("core/ops/public/gather_scatter.py", "_check_copied"): "after the dimension and the leaf",
        ("core/ops/public/histograms.py", "_given_sequences"): "names the dimension",
        ("core/ops/public/linalg_functions.py", "check"): "one for all matrices, after their type",
        ("core/ops/public/linalg_functions.py", "multi_dot"): "the first and the last may be vectors",
        ("core/ops/public/reshape.py", "_check_sizes_of_elements"): "where two types have other sizes",
        ("core/ops/public/sparse.py", "sparse_coo_tensor"): "of the tensor that is made of a list",
        ("core/ops/public/spectral.py", "stft"): "after the setting that real signals need",
        ("core/tensor/tensor.py", "__len__"): "a method of Tensor, which requirements know",
        ("nn/functional/attention.py", "_check_dims"): "says whether the query is of a batch",
        ("nn/functional/dropout.py", "feature_alpha_dropout"): "where something is dropped",
        ("nn/functional/linear.py", "bilinear"): "says first which dimension is missing",
        ("nn/functional/pooling.py", "_geometry"): "for pools of one, two and three dimensions",
        ("nn/functional/pooling.py", "_pool"): "for two and three dimensions",
        ("core/ops/public/linalg_functions.py", "solve"): "a stack of vectors is one by its shape beside A",
        ("nn/functional/windows.py", "_unpool"): "for two and three dimensions, with the indices",
        ("nn/modules/recurrent.py", "_run"): "names the layer",
        ("nn/modules/recurrent.py", "_batched"): "names the cell",
        ("nn/modules/syncbatchnorm.py", "_check"): "names the layer's fewest dimensions, as batchnorm's does",
        ("nn/utils/prune.py", "compute_mask"): "of a parameter that is given by its name",
        ("nn/utils/parametrizations.py", "orthogonal"): "of a parameter that is given by its name",
    },
    "dim": {
        ("core/ops/public/creation.py", "empty_permuted"): "an order of all dims, each with its place",
        ("core/ops/public/matrix_products.py", "_check_ranks"): "one text for two stacks of matrices",
        ("core/ops/public/slicing.py", "narrow"): "of a start, not of a dim",
        ("nn/functional/normalization.py", "batch_norm"): "another class where there are parameters",
        ("nn/utils/parametrizations.py", "__init__"): "no dim is right for a weight without dimensions",
    },
    "index dtype": {
        ("core/ops/indices.py", "check_index_type"): "one of several keys of an index",
        ("core/ops/public/gather_scatter.py", "_check_copied"): "after the dimension and the leaf",
        ("nn/functional/sparse.py", "_check_indices"): "of indices and offsets, after their ranks",
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", KEPT)
def test_what_annotations_can_say_is_not_raised_by_hand(kind: str) -> None:
    found = [(each.file, each.function) for each in inventory() if each.kind == kind]
    new = sorted(set(found) - set(KEPT[kind]))
    assert new == [], "say it in the annotation: vizgrad/core/tensor/requirements.py"
    assert sorted(found) == sorted(KEPT[kind]), "mended: take it off the list"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("if x.ndim != 2: raise ValueError('a')", "rank"),
        ("a = x._array\n    if a.ndim not in (1, 2): raise ValueError('a')", "rank"),
        ("if not 1 <= x.ndim <= 3: raise ValueError('a')", "rank"),
        ("if y is not None and len(y.shape) < 2: raise ValueError('a')", "rank"),
        ("if not x.dim(): raise IndexError('Dimension specified as 0')", "dim"),
        ("if x.ndim != y.ndim: raise ValueError('a')", "agreement of shapes"),
        ("if x._array.dtype not in (xp.int64, xp.int32): raise ValueError('a')", "index dtype"),
        ("if x.dtype.kind not in 'fc': raise ValueError('a')", "dtype"),
        ("if x.dtype is not y.dtype: raise ValueError('a')", "same dtype"),
        ("if p < 0: raise ValueError('a')", "range"),
        ("if p not in ('a', 'b'): raise ValueError('a')", "choice"),
        ("raise error", ""),
    ],
)
def test_the_test_before_a_raise_says_what_it_is_about(
    body: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "module.py"
    file.write_text(f"def function(x, y, p):\n    {body}\n", "utf-8")
    monkeypatch.setattr(raises, "PACKAGE", tmp_path)
    found = list(raises.of_file(file))
    assert [each.kind for each in found] == [kind] * bool(kind)
    assert all(isinstance(each, Raise) and each.function == "function" for each in found)
