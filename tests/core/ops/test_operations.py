"""The registry says what is so: what is recorded is named there, and the types are those that are taken."""

from __future__ import annotations

import ast

import pytest

import vizgrad as vg
from tests.core.ops.differences import leaves_of, results_of
from tests.specs.checks import check_row
from tests.specs.row import Row, Sample
from tests.specs.table import ROWS
from vizgrad.core.function.primitive import REGISTRY, Primitive
from vizgrad.core.ops import registry
from vizgrad.core.ops.__main__ import main
from vizgrad.core.ops.registry import CallGraph

OPERATIONS = registry.operations()
GRAPH = CallGraph()
FUNCTIONS = {
    id(getattr(module, name)): function
    for module in (vg, vg.linalg, vg.fft, vg.special, vg.nn.functional)
    for name, function in registry.functions(module, GRAPH).items()
}
#: What code writes as operators and methods of tensors: that is not named in it.
OPERATORS = {
    "add", "sub", "mul", "div", "neg", "pow", "pow_number", "rsub", "rsub_number", "mm", "bmm", "abs",
    "sum_all", "sum_dims", "unsqueeze", "expand", "view", "permute", "transpose", "reshape", "select",
    "slice_dim", "clone", "exp", "log", "sqrt", "square", "clamp_min", "masked_fill", "narrow", "mean_all",
}  # fmt: skip


@pytest.mark.rule("T-96")
def test_every_operation_says_what_it_is() -> None:
    assert len(OPERATIONS) > 350
    for name, op in OPERATIONS.items():
        assert op.summary or not op.formulas, name
        assert set(op.formulas) == set(op.differentiable) <= set(op.inputs)
        known = {*op.inputs, *op.outputs, *op.attributes, *(f"{i}_meta" for i in op.inputs)}
        assert set(op.saved) <= known
        assert (op.node is None) == (not op.formulas)


def test_formulas_are_given_as_mathematics_or_as_their_source() -> None:
    assert OPERATIONS["sinh"].formulas == {"self": "grad * cosh(self)"}
    assert OPERATIONS["tanh"].formulas == {"self": "g * (1 - y**2)"}
    assert OPERATIONS["softmax"].formulas == {"self": "y * (g - sum(g * y))"}
    for op in OPERATIONS.values():
        for formula in op.formulas.values():
            assert ast.parse(formula)


def test_types_are_tried() -> None:
    real = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
    assert registry.dtypes("tanh") == (*real, "complex64", "complex128", "bfloat16")
    assert registry.dtypes("maximum") == (*real, "bfloat16")
    assert registry.dtypes("softmax") is None


def what_is_recorded_is_named(row: Row, sample: Sample) -> None:
    function = FUNCTIONS[id(row.call)]
    met: set[str] = set()
    for result in results_of(row, leaves_of(sample)):
        stack = [result.grad_fn]
        while stack:
            node = stack.pop()
            if node is not None and node.name() != "torch::autograd::AccumulateGrad":
                op: Primitive | None = getattr(type(node), "op", None)
                met.add(type(node).__name__ if op is None else op.name)
                stack.extend(following for following, _ in node.next_functions)
    assert (
        met - {"AccumulateGrad", "CopySlices"}
        <= {*function.operations, *function.nodes} | OPERATORS
    )


@pytest.mark.parametrize(
    "row", [r for r in ROWS if id(r.call) in FUNCTIONS], ids=lambda row: row.name
)
def test_row(row: Row) -> None:
    check_row(row, what_is_recorded_is_named)


def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["neg", "nothing"]) == 1
    out, err = capsys.readouterr()
    line = REGISTRY["neg"].formulas["self"].__code__.co_firstlineno
    assert out == (
        "vizgrad.neg(input: Tensor, *, out: Tensor | None = None) -> Tensor\n"
        "    -input; not for bools.\n"
        "    also: Tensor.neg, Tensor.neg_, out=\n"
        "    records: neg\n"
        "operation neg(self)\n"
        "    -x.\n"
        f"    declared in: vizgrad/core/ops/arithmetic.py:{line}\n"
        "    node: NegBackward0\n"
        "    types: keep; uint8 int8 int16 int32 int64 float16 float32 float64 complex64 "
        "complex128 bfloat16\n"
        "    facts: linear, pointwise\n"
        "    tangent: pointwise\n"
        "    batching: pointwise\n"
        "    gradient of self:\n"
        "        -grad\n"
    )
    assert err == "No operation or function is called nothing\n"


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{len(OPERATIONS)} operations" in lines
    assert any(line.split() == ["linalg.det", "det"] for line in lines)
