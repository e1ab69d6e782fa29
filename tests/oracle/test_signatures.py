"""Every public name that PyTorch has, too, takes what PyTorch's takes: names, order, keywords, defaults."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.signatures import missing, ways_of_pytorch

torch = pytest.importorskip("torch")

#: Module -> what the schemas of its functions are called before their names.
MODULES = {
    "": "", "Tensor": "", "linalg": "linalg_", "fft": "fft_", "special": "special_", "nn": "",
    "nn.functional": "", "nn.init": "", "nn.utils": "", "nn.utils.rnn": "", "optim": "",
    "optim.lr_scheduler": "", "distributions": "", "autograd": "", "autograd.graph": "",
    "utils.data": "", "utils.checkpoint": "", "autograd.functional": "", "func": "",
}  # fmt: skip

_ONE_FOR_ALL = "one Python signature for several ways to call it"
_GPU = "PyTorch has it for reduced precision on GPUs only"
_SAME = "says the same"
_NO_OUT = "a schema has `out`, and Python's function refuses it"
_SCRIPT = "a schema of TorchScript, which Python does not reach"
#: (module, name): reason.
DIFFERENT = {
    ("", "addmm"): _GPU, ("", "baddbmm"): _GPU, ("", "bmm"): _GPU, ("", "mm"): _GPU,
    ("Tensor", "addmm"): _GPU, ("Tensor", "baddbmm"): _GPU, ("Tensor", "bmm"): _GPU,
    ("Tensor", "mm"): _GPU,
    ("", "arange"): _ONE_FOR_ALL, ("", "randint"): _ONE_FOR_ALL, ("", "randint_like"): _ONE_FOR_ALL,
    ("", "normal"): _ONE_FOR_ALL, ("", "isin"): _ONE_FOR_ALL, ("", "result_type"): _ONE_FOR_ALL,
    ("", "std"): _ONE_FOR_ALL, ("", "var"): _ONE_FOR_ALL, ("", "std_mean"): _ONE_FOR_ALL,
    ("", "var_mean"): _ONE_FOR_ALL, ("Tensor", "std"): _ONE_FOR_ALL, ("Tensor", "var"): _ONE_FOR_ALL,
    ("", "tensor_split"): _ONE_FOR_ALL, ("Tensor", "tensor_split"): _ONE_FOR_ALL,
    ("", "repeat_interleave"): _ONE_FOR_ALL,
    ("Tensor", "repeat_interleave"): _ONE_FOR_ALL,
    ("", "empty_strided"): "`out` would make its strides meaningless",
    ("", "rand_like"): _NO_OUT, ("", "randn_like"): _NO_OUT, ("", "empty_permuted"): _NO_OUT,
    ("", "tensordot"): "`out` is keyword-only, as everywhere else",
    ("", "randperm"): _SAME, ("", "tril_indices"): _SAME, ("", "triu_indices"): _SAME,
    ("Tensor", "contiguous"): _SAME, ("utils.data", "random_split"): _SAME,
    ("", "ldexp"): _SCRIPT, ("", "mul"): _SCRIPT, ("", "sort"): _SCRIPT, ("Tensor", "add_"): _SCRIPT,
    ("Tensor", "sort"): _SCRIPT,
    ("nn.functional", "elu_"): "`scale` and `input_scale` are selu's, fused",
    ("nn.functional", "rrelu_"): "numbers come from vizgrad's one generator",
    ("", "rrelu"): "numbers come from vizgrad's one generator",
    ("", "rrelu_"): "numbers come from vizgrad's one generator",
    ("", "layer_norm"): "`cudnn_enable` chooses between kernels",
    ("nn", "Hardtanh"): "`min_value` and `max_value` were deprecated in 2017",
    ("nn", "RNNCellBase"): "a base class, whose `num_chunks` is PyTorch's way of stacking weights",
}  # fmt: skip


def _owner(root: Any, module: str) -> Any:
    if not module:
        return root
    found = root
    for part in module.split("."):
        found = getattr(found, part, None) or import_module(f"{found.__name__}.{part}")
    return found


def pairs(module: str) -> Iterator[tuple[str, Any, Any, bool]]:
    """(name, our function, PyTorch's, whether both are methods) for each name that both have."""
    ours, theirs = _owner(vg, module), _owner(torch, module)
    for name in sorted(n for n in dir(ours) if n[0] != "_" and hasattr(theirs, n)):
        own, other = getattr(ours, name), getattr(theirs, name)
        if inspect.isclass(own) and inspect.isclass(other):
            yield name, own.__init__, other.__init__, True
            if hasattr(own, "forward"):
                yield f"{name}.forward", own.forward, other.forward, True
        elif callable(own) and callable(other):
            yield name, own, other, inspect.isclass(ours)


@pytest.mark.rule("T-96")
@pytest.mark.parametrize("module", MODULES)
def test_functions_take_what_those_of_pytorch_take(module: str) -> None:
    wrong: dict[str, list[str]] = {}
    compared = 0
    for name, own, other, method in pairs(module):
        ways = ways_of_pytorch(other, MODULES[module] + name, method=method)
        compared += ways is not None
        if ways and (lines := missing(own, ways, method=method)):
            wrong[name] = lines
    listed = {name for at, name in DIFFERENT if at == module}
    assert {name: lines for name, lines in wrong.items() if name not in listed} == {}
    assert listed - set(wrong) == set()
    assert compared > 1


#: Calls with numpy's words, and the same with PyTorch's.
NUMPY_WORDS = [
    ("sum", {"axis": 0}), ("mean", {"axis": 1, "keepdims": True}), ("prod", {"axis": 0}),
    ("max", {"axis": 1}), ("amax", {"axis": 1}), ("argmax", {"axis": 0, "keepdims": True}),
    ("std", {"axis": 0, "keepdims": True}), ("logsumexp", {"axis": 1}), ("cumsum", {"axis": 1}),
    ("sort", {"axis": 0}), ("softmax", {"axis": 1}), ("any", {"axis": 0}), ("median", {"axis": 0}),
    ("unbind", {"axis": 1}), ("chunk", {"chunks": 2, "axis": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "words"), NUMPY_WORDS)
def test_words_of_numpy(name: str, words: dict[str, Any]) -> None:
    values = [[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]
    found = getattr(vg, name)(vg.tensor(values), **words)
    expected = getattr(torch, name)(torch.tensor(values), **words)
    several = isinstance(expected, tuple)
    for own, other in zip(
        *((found, expected) if several else ((found,), (expected,))), strict=True
    ):
        assert own.numpy() == pytest.approx(other.numpy())
        assert own.shape == other.shape


def test_lists_of_tensors_take_axis() -> None:
    for name in ("cat", "stack"):
        made = getattr(vg, name)([vg.ones(2, 1), vg.zeros(2, 1)], axis=1)
        assert (
            made.tolist()
            == getattr(torch, name)([torch.ones(2, 1), torch.zeros(2, 1)], axis=1).tolist()
        )


#: Calls whose sizes or dimensions are keywords.
SIZES = [
    ("permute", {"dims": (1, 0)}), ("reshape", {"shape": (3, 2)}), ("flip", {"dims": (0,)}),
    ("tile", {"dims": (2, 1)}), ("squeeze", {"dim": 0}), ("broadcast_to", {"size": (2, 3)}),
    ("hsplit", {"sections": 3}), ("tensor_split", {"indices": (1,), "dim": 1}),
    ("split_with_sizes", {"split_sizes": [1, 1]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "words"), SIZES)
@pytest.mark.parametrize("method", [False, True])
def test_sizes_as_keywords(name: str, words: dict[str, Any], method: bool) -> None:
    results = []
    for module in (vg, torch):
        x = module.arange(6.0).reshape(2, 3)
        made = getattr(x, name)(**words) if method else getattr(module, name)(x, **words)
        results.append([t.tolist() for t in made] if isinstance(made, tuple) else made.tolist())
    assert results[0] == results[1]


def test_rank_and_pseudoinverse_take_their_older_tolerances() -> None:
    results = []
    for module in (vg, torch):
        stack = module.tensor([[[4.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 0.5]]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append([
                module.linalg.pinv(stack, 0.3).tolist(),
                module.linalg.pinv(stack, atol=0.6).tolist(),
                module.linalg.pinv(stack, atol=0.6, rtol=0.3, hermitian=True).tolist(),
                module.linalg.matrix_rank(stack, 0.7).tolist(),
                module.linalg.matrix_rank(stack, tol=0.7, hermitian=True).tolist(),
            ])  # fmt: skip
    assert results[0] == results[1]


@pytest.mark.parametrize("name", ["dropout", "alpha_dropout"])
def test_dropout_of_the_package_itself_says_train(name: str) -> None:
    for module in (vg, torch):
        x = module.ones(4)
        assert getattr(module, name)(x, 0.5, False).tolist() == [1.0] * 4
        with pytest.raises(TypeError, match="train"):
            getattr(module, name)(x, 0.5)
