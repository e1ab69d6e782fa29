"""Fused kernels: their text, how many there are, and that they compute what the function does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from tests.fixtures.interpreted import interpreted
from vizgrad.core.arrays.fusion import launch
from vizgrad.core.arrays.fusion.elements import fused, largest, total, traced
from vizgrad.core.arrays.fusion.program import (
    Argument,
    Program,
    Result,
    Trace,
    Traced,
    Untraceable,
    Value,
)
from vizgrad.core.arrays.kernels.activation import TANH_CUBIC


@pytest.fixture
def cuda() -> Iterator[Any]:
    with strict_module.as_cuda() as module:
        strict_module.launches.clear()
        yield module


def on_device(*shape: int, dtype: str = "f4") -> Any:
    """An array of the fake device."""
    values = np.linspace(-2, 2, int(np.prod(shape)))
    return strict_array.closed(values.reshape(shape).astype(dtype))


def program_of(function: Callable[..., Any], **arguments: Any) -> Program:
    made = traced(function, arguments, ("rate",))
    assert made is not None
    return made[0]


# --- text -----------------------------------------------------------------------------------------


def test_text_over_elements(cuda: Any) -> None:
    def step(param: Any, grad: Any, mask: Any, rate: float) -> None:
        param -= np.where(mask, grad * rate, np.maximum(grad, 0.1))

    program = program_of(
        step, param=on_device(3), grad=on_device(3), mask=on_device(3, dtype="?"), rate=0.5
    )
    inputs, outputs, body = launch.elementwise(program)
    assert inputs == "float32 a0, float32 a1, bool a2, float64 a3"
    assert outputs == "float32 r0"
    assert body == (
        "float t0 = a1 * (float)(a3);\n"
        "float t1 = (a1 > (0.1f) || a1 != a1) ? a1 : (0.1f);\n"
        "float t2 = a2 ? t0 : t1;\n"
        "float t3 = a0 - t2;\n"
        "r0 = t3;"
    )


def test_text_over_rows() -> None:
    trace = Trace()
    x = trace.argument(Argument(Value("x", np.dtype("f8")), "elements", 0))
    shift = trace.argument(Argument(Value("shift", np.dtype("f8"), per_row=True), "rows", 1))
    raised = np.exp(x - largest(x) - shift)
    results = (Result((raised / total(raised)).value, None),)
    text = launch.rows(Program("kernel", (*trace.arguments,), (*trace.steps,), results))
    assert text[text.index('extern "C"') :] == (
        'extern "C" __global__ void kernel(const double* __restrict__ p_x, '
        "const double* __restrict__ p_shift, double* __restrict__ r0, "
        "const long long rows, const long long n) {\n"
        "  const long long stride = gridDim.x;\n"
        "  for (long long row = blockIdx.x; row < rows; row += stride) {\n"
        "    const double shift = p_shift[row];\n"
        "    double t0 = -endless<double>();\n"
        "    for (long long i = threadIdx.x; i < n; i += blockDim.x) {\n"
        "      const double x = p_x[row * n + i];\n"
        "      t0 = (t0 > x || t0 != t0) ? t0 : x;\n"
        "    }\n"
        "    t0 = block_max(t0);\n"
        "    double t4 = 0;\n"
        "    for (long long i = threadIdx.x; i < n; i += blockDim.x) {\n"
        "      const double x = p_x[row * n + i];\n"
        "      double t1 = x - t0;\n"
        "      double t2 = t1 - shift;\n"
        "      double t3 = exp(t2);\n"
        "      t4 = t4 + t3;\n"
        "    }\n"
        "    t4 = block_sum(t4);\n"
        "    for (long long i = threadIdx.x; i < n; i += blockDim.x) {\n"
        "      const double x = p_x[row * n + i];\n"
        "      double t1 = x - t0;\n"
        "      double t2 = t1 - shift;\n"
        "      double t3 = exp(t2);\n"
        "      double t5 = t3 / t4;\n"
        "      r0[row * n + i] = t5;\n"
        "    }\n"
        "  }\n"
        "}\n"
    )


def test_text_over_all() -> None:
    trace = Trace()
    x = trace.argument(Argument(Value("x", np.dtype("f4")), "elements", 0)).astype("f8")
    results = (Result(largest(x).value, None), Result(total(x * x).value, None))
    text = launch.whole(Program("kernel", (*trace.arguments,), (*trace.steps,), results))
    assert text[text.index('extern "C"') :] == (
        'extern "C" __global__ void kernel(const float* __restrict__ p_x, '
        "double* __restrict__ memory, unsigned int* stored, const long long n) {\n"
        "  const long long row = 0;\n"
        "  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  const long long stride = (long long)gridDim.x * blockDim.x;\n"
        "  double t1 = -endless<double>();\n"
        "  double t3 = 0;\n"
        "  for (long long i = first; i < n; i += stride) {\n"
        "    const float x = p_x[row * n + i];\n"
        "    double t0 = (double)(x);\n"
        "    double t2 = t0 * t0;\n"
        "    t1 = (t1 > t0 || t1 != t1) ? t1 : t0;\n"
        "    t3 = t3 + t2;\n"
        "  }\n"
        "  t1 = block_max(t1);\n"
        "  t3 = block_sum(t3);\n"
        "  volatile double* parts = memory + 2;\n"
        "  __shared__ bool last;\n"
        "  if (threadIdx.x == 0) {\n"
        "    parts[blockIdx.x * 2 + 0] = t1;\n"
        "    parts[blockIdx.x * 2 + 1] = t3;\n"
        "    __threadfence();\n"
        "    last = atomicAdd(stored, 1u) == gridDim.x - 1;\n"
        "    if (last) *stored = 0;\n"
        "  }\n"
        "  __syncthreads();\n"
        "  if (!last) return;\n"
        "  __threadfence();\n"
        "  t1 = -endless<double>();\n"
        "  t3 = 0;\n"
        "  for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {\n"
        "    const double part_t1 = parts[b * 2 + 0];\n"
        "    t1 = (t1 > part_t1 || t1 != t1) ? t1 : part_t1;\n"
        "    const double part_t3 = parts[b * 2 + 1];\n"
        "    t3 = t3 + part_t3;\n"
        "  }\n"
        "  t1 = block_max(t1);\n"
        "  t3 = block_sum(t3);\n"
        "  if (threadIdx.x == 0) {\n"
        "    memory[0] = t1;\n"
        "    memory[1] = t3;\n"
        "  }\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("number", "dtype", "text"),
    [
        (0.1, "f8", "(0.1)"), (TANH_CUBIC, "f4", "(0.044715f)"), (3, "f4", "(3.0f)"),
        (1e-12, "f4", "(1e-12f)"),
        (-2, "i8", "(long long)(-2LL)"), (True, "?", "true"), (-np.inf, "f4", "(-endless<float>())"),
        (np.nan, "f8", "(endless<double>() - endless<double>())"),
    ],
)  # fmt: skip
def test_a_number_is_written_to_its_last_bit(number: Any, dtype: str, text: str) -> None:
    assert launch.literal(number, np.dtype(dtype)) == text


@pytest.mark.parametrize(("n", "threads"), [(0, 32), (1, 32), (33, 64), (64, 64), (5000, 256)])
def test_threads_can_be_halved(n: int, threads: int) -> None:
    assert launch.threads_for(n) == threads


# --- what is one launch -----------------------------------------------------------------------------


def launched(work: Callable[[], Any]) -> list[str]:
    strict_module.launches.clear()
    work()
    return [name.removeprefix("vizgrad_") for name in strict_module.launches]


def test_activations_and_their_gradients_are_one_launch_each(cuda: Any) -> None:
    x = vg.randn(3, 4, device="cuda", requires_grad=True)
    for function in (
        vg.nn.functional.gelu,
        vg.nn.functional.silu,
        vg.nn.functional.mish,
        vg.sigmoid,
    ):
        out = function(x)
        assert len(launched(lambda function=function: function(x))) == 1
        found = launched(lambda out=out: out.backward(vg.ones_like(out)))
        assert found == ["grad_self"]


def test_softmax_layer_norm_and_cross_entropy_are_one_launch_of_rows(cuda: Any) -> None:
    x = vg.randn(5, 4, device="cuda", requires_grad=True)
    norm = vg.nn.LayerNorm(4, device="cuda")
    target = vg.tensor([0, 3, 1, -100, 2], device="cuda")
    for forward, there, back in (
        (lambda: vg.softmax(x, 1), ["softmax"], ["softmax_gradient"]),
        (lambda: norm(x), ["layer_norm"], ["layer_norm_gradient"]),
        (
            lambda: vg.nn.functional.cross_entropy(x, target),
            ["log_softmax", "nll"],
            ["nll_gradient", "log_softmax_gradient"],
        ),
    ):
        found: list[Any] = []
        assert launched(lambda f=forward, found=found: found.append(f())) == there
        assert launched(lambda found=found: found[0].sum().backward()) == back


@pytest.mark.parametrize(
    ("make", "kernel"),
    [
        (lambda p: vg.optim.Adam(p, weight_decay=0.1, amsgrad=True), "adam_step"),
        (vg.optim.AdamW, "adam_step"),
        (lambda p: vg.optim.SGD(p, momentum=0.9, nesterov=True), "sgd_step"),
    ],
)
def test_a_step_of_an_optimizer_is_one_launch(cuda: Any, make: Any, kernel: str) -> None:
    x = vg.randn(3, device="cuda", requires_grad=True)
    optimizer = make([x])
    for _ in range(3):
        x.grad = vg.ones_like(x)
        optimizer.param_groups[0]["lr"] *= 0.5  # is given to the kernel: no new one is compiled
        assert launched(optimizer.step) == [kernel]


def test_on_the_host_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Traced, "__init__", None)
    x = vg.randn(3, 4, requires_grad=True)
    vg.softmax(vg.nn.functional.gelu(x), 1).sum().backward()
    vg.optim.Adam([x]).step()


def test_a_class_that_is_not_there_is_nan_and_reads_no_other_memory(cuda: Any) -> None:
    x = vg.zeros(3, 4, device="cuda")
    target = vg.tensor([0, 7, -3], device="cuda")
    losses = vg.nn.functional.nll_loss(x, target, reduction="none").tolist()
    assert losses[0] == 0
    assert np.isnan(losses[1:]).all()


# --- what is not fused ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f2", "c8"])
def test_other_types_run_as_they_are(cuda: Any, dtype: str) -> None:
    x = on_device(4, dtype=dtype)

    def cube(x: Any) -> Any:
        return x * x * x

    assert launched(lambda: fused()(cube)(x)) == []
    np.testing.assert_array_equal(fused()(cube)(x).get(), cube(x.get()))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * x.sum() + 1,
        lambda x: x * x + 1 if x.any() else x,
        lambda x: x * x.shape[0] + 1,
        lambda x: (x * x)[1:] + 1,
        lambda x: x + x.reshape(-1) * 2,
        lambda x: np.sort(x) + x * 2,
        lambda x: x + np.asarray(1.0) * np.where(np.array([True] * 4), 1, 2) + x,
    ],
)
def test_what_cannot_be_one_kernel_is_not(cuda: Any, function: Any) -> None:
    assert traced(function, {"x": on_device(4)}, ()) is None


def test_a_single_operation_is_a_launch_of_cupys_own(cuda: Any) -> None:
    assert launched(lambda: fused()(lambda x: x * 2)(on_device(4))) == []


def test_a_function_of_ever_new_numbers_is_not_compiled_for_each(cuda: Any) -> None:
    def shifted(x: Any, by: float) -> Any:
        return (x + by) * x

    function, x = fused()(shifted), on_device(4)
    for number in range(100):
        np.testing.assert_array_equal(
            function(x, float(number)).get(), shifted(x.get(), float(number))
        )
    assert 0 < len(strict_module.launches) < 50


def test_numbers_that_come_again_are_one_launch_though_others_came_before(cuda: Any) -> None:
    @fused()
    def scaled(x: Any, by: float) -> Any:
        return np.exp(x * by) + by

    x = on_device(3)
    for number in range(60):
        scaled(x, float(number))
    strict_module.launches.clear()
    for _ in range(3):  # one after the other is used: none replaces another
        for number in (100.0, 101.0, 102.0):
            scaled(x, number)
    assert len(strict_module.launches) == 6
    strict_module.launches.clear()
    for number in range(200, 300):
        scaled(x, float(number))
    assert strict_module.launches == []
    np.testing.assert_allclose(scaled(x, 1.0).get(), np.exp(x.get()) + 1)


def test_only_arrays_of_the_trace_are_written() -> None:
    trace = Trace()
    x = trace.argument(Argument(Value("x", np.dtype("f4")), "elements", 0))
    outside = np.zeros(3, np.float32)
    with pytest.raises(Untraceable):
        np.add(x, x, out=outside)
    assert not outside.any()


# --- that it computes the same ----------------------------------------------------------------------

UNARY = (
    "negative",
    "absolute",
    "sign",
    "exp",
    "tanh",
    "square",
    "floor",
    "isnan",
    "logical_not",
    "sqrt",
)
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "logical_and",
          "copysign", "hypot")  # fmt: skip
DTYPES = ("f4", "f8", "?", "i4", "u1")


@st.composite
def functions(draw: Any) -> list[tuple[Any, ...]]:
    """Lines of a function over x and y: operations on what came before, some of them in place."""
    lines: list[tuple[Any, ...]] = []
    for count in range(2, draw(st.integers(4, 9))):
        before = st.integers(0, count - 1)
        number = st.sampled_from([0, 2, -1.5, np.float32(0.25)])
        line = draw(
            st.one_of(
                st.tuples(st.just("unary"), st.sampled_from(UNARY), before),
                st.tuples(st.just("binary"), st.sampled_from(BINARY), before, before),
                st.tuples(st.just("number"), st.sampled_from(BINARY), before, number),
                st.tuples(st.just("where"), before, before, number),
                st.tuples(st.just("in place"), before, before),
                st.tuples(st.just("cast"), before, st.sampled_from(DTYPES)),
            )
        )
        lines.append(line)
    return lines


def run(lines: list[tuple[Any, ...]], x: Any, y: Any) -> Any:
    made: list[Any] = [x, y]
    for kind, *rest in lines:
        if kind == "unary":
            made.append(getattr(np, rest[0])(made[rest[1]]))
        elif kind == "binary":
            made.append(getattr(np, rest[0])(made[rest[1]], made[rest[2]]))
        elif kind == "number":
            made.append(getattr(np, rest[0])(made[rest[1]], rest[2]))
        elif kind == "where":
            made.append(np.where(made[rest[0]] > 0, made[rest[1]], rest[2]))
        elif kind == "cast":
            made.append(made[rest[0]].astype(rest[1]))
        else:  # what another name for the same array sees
            target = made[rest[0]]
            alias = target
            if target.dtype.kind == "f":
                target += made[rest[1]]
            made.append(alias)
    return made[-1]


@given(lines=functions(), dtypes=st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)))
def test_a_program_does_what_the_function_does(
    lines: list[tuple[Any, ...]], dtypes: tuple[str, str]
) -> None:
    values = np.array([-3.0, -0.0, 0.0, 0.5, 2.0, 7.0])
    with np.errstate(all="ignore"):
        x, y = values.astype(dtypes[0]), values[::-1].astype(dtypes[1])
        expected_x, expected_y = x.copy(), y.copy()
        try:
            expected = run(lines, expected_x, expected_y)
        except TypeError:  # no such operation on these types: the trace says so too
            stand_ins = _stand_ins(Trace(), x, y)
            with pytest.raises((TypeError, Untraceable)):
                run(lines, *stand_ins)
            return
    trace = Trace()
    stand_ins = _stand_ins(trace, x, y)
    try:
        found = run(lines, *stand_ins)
    except Untraceable:
        return
    results = [Result(found.value, None)]
    results += [Result(s.value, i) for i, s in enumerate(stand_ins) if s.value.name[0] != "a"]
    program = Program("test", (*trace.arguments,), (*trace.steps,), tuple(results))
    out = interpreted(program, [x, y], None)[0]
    assert out.dtype == expected.dtype
    np.testing.assert_array_equal(out, np.broadcast_to(expected, out.shape))
    np.testing.assert_array_equal(x, expected_x)
    np.testing.assert_array_equal(y, expected_y)


def _stand_ins(trace: Trace, *arrays: np.ndarray) -> list[Traced]:
    return [
        trace.argument(Argument(Value(f"a{i}", a.dtype), "elements", i))
        for i, a in enumerate(arrays)
    ]
