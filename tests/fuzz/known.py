"""Where PyTorch is wrong, noisy or says nothing: what is not compared, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference, agree
from tests.fuzz.observe import observed
from tests.fuzz.operations import operations
from tests.fuzz.values import Given

When = Callable[[Call, Difference], bool]


@dataclass(frozen=True)
class Known:
    """Operations and kinds of difference (with `*`), and a reason; `when` narrows it to some calls."""

    operations: str
    kinds: str
    why: str
    when: When | None = None

    def covers(self, call: Call, difference: Difference) -> bool:
        kind = difference.kind
        # what is written into an operand, or into `out`, is the value
        kinds = (kind, "value") if kind.endswith(" after") else (kind,)
        return (
            any(fnmatchcase(call.operation, o) for o in self.operations.split(" "))
            and any(fnmatchcase(word, k) for k in self.kinds.split("|") for word in kinds)
            and (self.when is None or self.when(call, difference))
        )


def says(*phrases: str) -> When:
    """PyTorch's message has one of the phrases."""
    return lambda call, found: any(p in str(found.theirs) for p in phrases)


def not_finite(call: Call, found: Difference) -> bool:
    """They agree where both are finite."""
    there, here = found.theirs, found.ours
    if not (isinstance(there, np.ndarray) and isinstance(here, np.ndarray)):
        return False
    if there.shape != here.shape or there.dtype.kind not in "fc":
        return False
    both = np.isfinite(there) & np.isfinite(here)
    return bool(np.allclose(there[both], here[both], rtol=1e-4)) and not bool(both.all())


def promised_strides(call: Call, found: Difference) -> bool:
    """Not a view, nor an elementwise function of one tensor that lies densely: no strides are promised."""
    operands = call.operands()
    dense = len(operands) == 1 and operands[0].memory in ("plain", "turned", "swapped", "shifted")
    return not (operations()[call.operation].family == "elementwise" and dense)


def ties(call: Call, found: Difference) -> bool:
    """Two elements are equal, or not a number."""
    values = [v for g in call.operands() for v in g.values[: 2 * g.count + 2]]
    return len(set(values)) < len(values) or any(g.memory == "expanded" for g in call.operands())


def singular(call: Call, found: Difference) -> bool:
    """Less than full rank, as rounding goes, or two eigenvalues that are one."""
    import torch

    from tests.fuzz.observe import array, run

    matrix = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"]).astype("D")
    if matrix.ndim < 2 or not matrix.size or not np.isfinite(matrix).all():
        return True
    kept = np.linalg.svd(matrix, compute_uv=False)
    close = np.sort(kept, -1)
    apart = np.min(np.diff(close, axis=-1), initial=np.inf)
    if matrix.shape[-1] == matrix.shape[-2]:
        values = np.linalg.eigvals(matrix)
        differences = np.abs(values[..., :, None] - values[..., None, :])
        apart = min(apart, np.min(differences + 9 * np.eye(matrix.shape[-1])))
    return bool(kept.min() <= 1e-3 * kept.max() or apart < 1e-3)


def circular_and_cut(call: Call, found: Difference) -> bool:
    return ("mode", "circular") in call.words and any(n < 0 for n in call.args[1])


def special(call: Call, found: Difference) -> bool:
    values = (v for g in call.operands() for v in g.values)
    return not all(np.isfinite(v) and (not v or 1e-30 < abs(v) < 1e30) for v in values)


def out_wants_grad(call: Call, found: Difference) -> bool:
    return any(out.grad for out in call.outs)


def no_dims(call: Call, found: Difference) -> bool:
    return any(v in ((), []) for v in (*call.args, *(v for _, v in call.words)))


def two_faults(call: Call, found: Difference) -> bool:
    """Both refuse it, and both still do, and alike, without one of its arguments."""
    if not (isinstance(found.theirs, Exception) and isinstance(found.ours, Exception)):
        return False
    import torch

    import vizgrad

    for less in _with_less(call):
        there, here = (observed(m, less, derivatives=False).get("raises") for m in (torch, vizgrad))
        if there is not None and agree(there, here):
            return True
    return False


def _with_less(call: Call) -> Iterator[Call]:
    """Without one of its keywords; with 1 or nothing in the place of what is no tensor."""
    for k in range(len(call.words)):
        yield replace(call, words=call.words[:k] + call.words[k + 1 :])
    for k, arg in enumerate(call.args):
        if not isinstance(arg, (Given, tuple, list)):
            for value in (1, None):
                yield replace(call, args=(*call.args[:k], value, *call.args[k + 1 :]))


def roughly(call: Call, found: Difference) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.allclose(found.theirs, found.ours, rtol=1e-5, equal_nan=True))


def writes_out(call: Call, found: Difference) -> bool:
    return call.form == "out"


def on_hinge(call: Call, found: Difference) -> bool:
    """Some of the terms are there on one side only, the others are equal."""
    there, here = found.theirs, found.ours
    return there.shape == here.shape and bool(
        (np.isclose(there, here) | (there == 0) | (here == 0)).all()
    )


def both_refuse(call: Call, found: Difference) -> bool:
    import torch

    import vizgrad

    return all(observed(m, call, derivatives=False).get("raises") for m in (torch, vizgrad))


def not_positive(call: Call, found: Difference) -> bool:
    """A matrix that has no Cholesky factor."""
    import torch

    from tests.fuzz.observe import run

    matrix = run(torch, [f"a = {call.operands()[0].source()}"])["a"].detach()
    return bool((torch.linalg.cholesky_ex(matrix)[1] != 0).any())


def but_for_signs(call: Call, found: Difference) -> bool:
    there, here = found.theirs, found.ours
    return there.shape == here.shape and bool(np.allclose(abs(there), abs(here), atol=1e-4))


def single(call: Call, found: Difference) -> bool:
    return any(g.dtype == "float32" for g in call.operands())


def whole_target(call: Call, found: Difference) -> bool:
    return call.operands()[0].dtype.startswith(("int", "uint", "bool"))


def empty(call: Call, found: Difference) -> bool:
    """An operand has no elements."""
    return any(not g.count for g in call.operands())


def formal(call: Call, found: Difference) -> bool:
    """In PyTorch the gradient requires grad, in vizgrad not: nothing but the flag differs."""
    return found.theirs is True and found.ours is False


def none_for_zeros(call: Call, found: Difference) -> bool:
    """PyTorch has no derivative, vizgrad one that is 0 everywhere."""
    return found.theirs is None and isinstance(found.ours, np.ndarray) and not found.ours.any()


def one_by_one(call: Call, found: Difference) -> bool:
    """The matrix has one element; vizgrad has no derivative that is not 0."""
    zeros = isinstance(found.ours, bool) or none_for_zeros(call, found)
    return call.operands()[0].shape[-2:] == (1, 1) and zeros


def steep(call: Call, found: Difference) -> bool:
    """Elements so large that a softmax of their products turns over by rounding."""
    return any(abs(v) > 30 for g in call.operands() for v in g.values[: 2 * g.count + 2])


def at_zero(call: Call, found: Difference) -> bool:
    return any(v == 0 for v in call.operands()[0].values)


def within_rounding(call: Call, found: Difference) -> bool:
    """As far apart as rounding of the summands, which cancel."""
    parts = [abs(v) for g in call.operands() for v in g.values if np.isfinite(v)]
    unit = {"float16": 1e-3, "bfloat16": 8e-3}.get(call.operands()[0].dtype, 1.2e-7)
    apart = np.abs(np.subtract(found.theirs, found.ours))
    return bool((apart <= 4 * unit * sum(parts)).all())


def not_plain(place: int) -> When:
    """The operand at this place is a view that skips or repeats elements."""

    def condition(call: Call, found: Difference) -> bool:
        operands = call.operands()
        return len(operands) > place and operands[place].memory in ("stepped", "expanded")

    return condition


def either(*conditions: When) -> When:
    return lambda call, found: any(c(call, found) for c in conditions)


def whole_numbers(call: Call, found: Difference) -> bool:
    return any(g.dtype.startswith(("int", "uint", "bool")) for g in call.operands())


def half(call: Call, found: Difference) -> bool:
    return any(g.dtype == "float16" for g in call.operands())


def expanded_target(call: Call, found: Difference) -> bool:
    """It is written into memory of which several elements share a place."""
    return "refers to a single memory location" in str(found.ours)


def by_result(call: Call, found: Difference) -> bool:
    return call.path.endswith("_") and found.ours is None


def left_out(call: Call, found: Difference) -> bool:
    """An extreme, without what was there before."""
    extreme = any(v in ("amin", "amax") for v in (*call.args, *(v for _, v in call.words)))
    return extreme and ("include_self", False) in call.words


def huge(call: Call, found: Difference) -> bool:
    """A number is beyond 2 ** 31."""
    return any(abs(v) >= 2**31 - 1 for g in call.operands() for v in g.values)


def ours_says(*phrases: str) -> When:
    return lambda call, found: any(p in str(found.ours) for p in phrases)


def written_view(call: Call, found: Difference) -> bool:
    target = call.operands()[0]
    return call.writes and not target.grad and target.memory != "plain" and found.ours is None


def one_row(call: Call, found: Difference) -> bool:
    given = call.operands()
    return given[0].shape[-2] <= 1 or not all(g.count for g in given)


def at_nan(call: Call, found: Difference) -> bool:
    """They agree wherever no operand is NaN."""
    import torch

    from tests.fuzz.observe import array, run

    values = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"])
    there, here = found.theirs, found.ours
    if not np.isnan(values).any() or not values.shape == np.shape(there) == np.shape(here):
        return False
    usual = ~np.isnan(values)
    return bool(np.allclose(there[usual], here[usual], rtol=1e-3, equal_nan=True))


def hermitian_parts_agree(call: Call, found: Difference) -> bool:
    there, here = found.theirs, found.ours
    if np.shape(there) != np.shape(here) or there.dtype.kind != "c":
        return False
    parts = [(g + np.conj(np.swapaxes(g, -1, -2))) / 2 for g in (there, here)]
    return bool(np.allclose(*parts, rtol=1e-3, atol=1e-4))


def complex_diagonal(call: Call, found: Difference) -> bool:
    import torch

    from tests.fuzz.observe import array, run

    matrix = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"])
    return bool(np.diagonal(matrix, axis1=-2, axis2=-1).imag.any())


def single_and_close(call: Call, found: Difference) -> bool:
    return single(call, found) and bool(np.allclose(found.theirs, found.ours, atol=1e-3))


def complex_numbers(call: Call, found: Difference) -> bool:
    return any(g.dtype.startswith("complex") for g in call.operands())


def converted(call: Call, found: Difference) -> bool:
    return any(name == "dtype" for name, _ in call.words)


def symmetric(call: Call) -> bool:
    import torch

    from tests.fuzz.observe import run

    matrix = run(torch, [f"a = {call.operands()[0].source()}"])["a"].detach()
    return (
        matrix.dim() > 1
        and matrix.shape[-1] == matrix.shape[-2]
        and bool((matrix == matrix.mT).all())
    )


KNOWN: tuple[Known, ...] = (
    # --- of all operations ---
    Known("*", "*raises: NotImplementedError, nothing", "vizgrad has more types and derivatives"),
    Known("*", "*raises: RuntimeError, nothing", "vizgrad has more types and derivatives",
          says("is not implemented", "not implemented for", "not supported on CPU", "nsupported dtype",
               "not yet supported", "does not support automatic differentiation for outputs")),
    Known("*", "raises: TypeError, nothing", "signatures of one function are merged: it takes more names",
          says("invalid combination of arguments", "unexpected keyword argument", "multiple values for",
               "takes no keyword arguments", "positional argument but")),
    Known("*", "raises: TypeError, *", "PyTorch's parser refuses first what vizgrad refuses in the call",
          says("invalid combination of arguments", "unexpected keyword argument", "positional argument but")),
    Known("sum nansum mean nanmean prod", "raises: TypeError, nothing", "`keepdim` without `dim` is of all dims",
          says('missing 1 required positional arguments: "dim"', "'dim' (position 2) must be int, not NoneType")),
    Known("*", "raises: TypeError, *", "a flag is taken by its truth", says("must be bool, not")),
    Known("*", "raises: AttributeError, *|raises: TypeError, ValueError|raises: ValueError, TypeError",
          "two faults, or PyTorch's Python code meets what is no tensor by chance"),
    Known("*", "raises: *", "two faults at once: which is said first is not promised", two_faults),
    Known("*", "second", "of infinities and NaN", special),
    Known("*", "strides", "no promise of how a result that is no view lies in memory", promised_strides),
    Known("*", "second", "inf - inf and 0 * inf in another order", not_finite),
    Known("*", "raises: nothing, RuntimeError", "vizgrad refuses what autograd would lose",
          ours_says("functions with out=... arguments don't support automatic differentiation")),
    Known("*", "raises: RuntimeError, nothing|raises: RuntimeError, *|raises: TypeError, RuntimeError|"
          "raises: NotImplementedError, RuntimeError",
          "which types `out` may have each kernel says for itself; vizgrad's rule is T-5 for all", writes_out),
    Known("*", "raises: *, MemoryError", "more memory than there is: Python's own class of error says so"),
    Known("*", "* after", "what was written before a refusal", both_refuse),
    Known("*", "strides", "of an `out` that was resized", writes_out),
    Known("*", "out* version|out", "how often a composed function writes to `out`", writes_out),
    # --- of some ---
    Known("masked_fill index_fill index_put threshold F.threshold", "raises: nothing, RuntimeError",
          "PyTorch's kernels of these write over memory of which elements share a place (of some it says that they will "
          "refuse)", expanded_target),
    Known("addcdiv", "value|* after|gradient", "complex numbers divided by 0 or by what is near the limits", not_finite),
    Known("addcdiv", "second", "PyTorch multiplies whole numbers in their own type first: 3 * -1 is 253", whole_numbers),
    Known("addcdiv", "gradient", "PyTorch divides by a half in single precision of its own: value / tensor2 is inf", half),
    Known("addcdiv", "gradient raises: RuntimeError, nothing", "PyTorch's backward makes `value` a number of an operand's "
          "type, which need not hold it", says("without overflow")),
    Known("hardshrink F.hardshrink", "gradient|second", "at NaN: in PyTorch it depends on the number of elements", special),
    Known("block_diag", "gradient", "PyTorch's backward counts no row for a vector without elements", empty),
    Known("clamp", "gradient raises: RuntimeError, nothing", "PyTorch's backward writes into a mask of the shape of one bound",
          says("doesn't match the broadcast shape")),
    Known("asarray", "raises: ValueError, nothing", "PyTorch makes no copy of a 0-d array with another dtype, though told to",
          lambda call, found: "can't alias" in str(found.theirs) and ("copy", True) in call.words),
    Known("asarray", "is_view", "PyTorch's asarray(a view, requires_grad=False) is called a view, which detach() is not"),
    Known("scatter_reduce", "gradient|second", "without `include_self` PyTorch counts what was there among those that share "
          "an extreme, if it equals it", left_out),
    Known("scatter_reduce", "second raises: RuntimeError, nothing", "vizgrad has this derivative",
          says("Double backward is unsupported")),
    Known("scatter_reduce cummax cummin", "gradient requires_grad|second", "of no elements: nothing depends on anything", empty),
    Known("ldexp", "value|gradient|second|* after", "2 to an integer power beyond 2 ** 31 is a number by chance", huge),
    Known("ldexp", "value|gradient|second|* after", "PyTorch takes the power in the type of the exponent alone", not_finite),
    Known("ldexp", "gradient|second", "PyTorch's backward makes 2 ** other a whole number: 0 for a negative exponent",
          lambda call, found: call.operands()[1].dtype.startswith("int")),
    Known("ldexp scatter_reduce index_reduce", "second", "of what was written in place, by the result itself: no leaf", by_result),
    Known("einsum", "raises: ValueError, *|raises: KeyError, *", "of more than two operands PyTorch's optimizer of the order "
          "refuses first, in its own words", lambda call, found: len(call.operands()) > 2),
    Known("einsum", "raises: RuntimeError, TypeError", "PyTorch asks whether the wrong thing is true",
          says("Boolean value of Tensor")),
    Known("einsum", "value|gradient|second", "inf - inf and 0 * inf in another order", not_finite),
    Known("fft.*", "raises: RuntimeError, *", "vizgrad transforms numbers of half precision: of two faults it says the other",
          says("Unsupported dtype")),
    Known("fft.fftfreq", "value|out* after", "PyTorch reads an `out` with gaps, or of more dims, as if it were a plain vector",
          lambda call, found: any(out.memory == "stepped" or len(out.shape) != 1 for out in call.outs)),
    Known("scatter_reduce", "gradient|second", "of products, PyTorch gives a gradient to elements that no index names",
          lambda call, found: "prod" in (*call.args, *(v for _, v in call.words))
          and call.operands()[1].shape != call.operands()[2].shape),
    Known("fft.*", "* after", "a transform spreads infinities and NaN in its own order", not_finite),
    Known("lu_solve", "value|gradient|second|* after", "a factor with 0 on the diagonal divides by it", not_finite),
    Known("group_norm", "value|gradient|second", "squares of huge numbers", special),
    Known("selu F.selu", "gradient|second", "PyTorch's derivative of NaN looks at the result", not_finite),
    Known("F.elu elu F.celu celu F.selu selu F.hardswish F.hardshrink hardshrink F.softshrink F.hardtanh F.relu6", "gradient",
          "of many elements PyTorch's derivative at NaN is another than of few", at_nan),
    Known("argsort sort msort", "raises: TypeError, nothing", "with `stable` PyTorch takes `dim` by name alone",
          says("positional arguments but")),
    Known("addmm addmv baddbmm F.multi_margin_loss", "raises: nothing, RuntimeError",
          "PyTorch looks at numbers and types only where there is something to compute", empty),
    Known("cumprod", "value|gradient|second|* after", "0 * inf in another order", not_finite),
    Known("cumprod", "gradient|second", "PyTorch's backward divides by the operand as it was before `dtype`", converted),
    Known("cholesky L.cholesky L.cholesky_ex", "second", "of a gradient that has a part which no Hermitian matrix meets",
          complex_numbers),
    Known("cholesky", "gradient*", "of nothing", empty),
    Known("bilinear F.bilinear", "value|gradient|second", "inf - inf and 0 * inf in another order", special),
    Known("bilinear F.bilinear", "raises: nothing, NotImplementedError", "PyTorch has types only where it computes", empty),
    Known("addr", "gradient raises: RuntimeError, nothing", "PyTorch's backward multiplies two types",
          says("input tensors must have the same dtype")),
    Known("addmm", "raises: RuntimeError, nothing", "PyTorch multiplies only where there is nothing to add", empty),
    Known("T.resize_", "offset", "a larger block begins with the tensor"),
    Known("T.resize_", "raises: nothing, RuntimeError", "elements that share a place", expanded_target),
    Known("T.resize_", "raises: nothing, TypeError", "True is no size", ours_says("not bool")),
    Known("L.lstsq", "gradient requires_grad", "of nothing", empty),
    Known("cholesky L.cholesky L.cholesky_ex", "gradient|second", "PyTorch's gradient has a part that no Hermitian matrix meets",
          hermitian_parts_agree),
    Known("cholesky_inverse", "value|* after", "LAPACK takes the diagonal for real", complex_diagonal),
    Known("L.eig L.eigvals", "gradient raises: *|second raises: *", "eigenvectors that depend on each other", singular),
    Known("L.solve", "raises: _LinAlgError, nothing|raises: nothing, _LinAlgError", "of a singular matrix: rounding decides", singular),
    Known("F.lp_pool*", "second", "differences of powers in single precision", single_and_close),
    Known("normal", "shape|value|strides", "PyTorch leaves an `out` of another shape as it is", writes_out),
    Known("bucketize where", "raises: TypeError, nothing", "a number is taken with out=, too", writes_out),
    Known("asinh acosh atanh arcsinh arccosh arctanh", "gradient raises*", "no derivative of the in-place form"),
    Known("eq ne lt le gt ge greater greater_equal less less_equal not_equal logical_*", "gradient*",
          "of the in-place form: the history of the operand stays, as if nothing was written"),
    Known("eq ne lt le gt ge greater greater_equal less less_equal not_equal", "requires_grad",
          "PyTorch lets an integer tensor require grad that was compared in place", whole_target),
    Known("F.logsigmoid F.alpha_dropout F.feature_alpha_dropout S.multigammaln mvlgamma", "strides", "composed: they lie as the last step left them"),
    Known("T.apply_ T.map_", "a version", "PyTorch does not count these writes: a saved value that changed is used"),
    Known("addmm addmv baddbmm addbmm addr", "value|* after|gradient", "0 * inf where alpha or beta is 0", not_finite),
    Known("householder_product L.householder_product orgqr", "gradient", "0 / 0 of a formula of PyTorch's", not_finite),
    Known("L.solve_triangular triangular_solve", "value|gradient|second|out* after", "x / 0 of complex numbers", not_finite),
    Known("linspace logspace", "value|out* after", "inf - inf; and a power in single precision",
          lambda call, found: not_finite(call, found) or roughly(call, found)),
    Known("gcd lcm", "value|* after", "the absolute value of the least integer overflows",
          lambda call, found: any(abs(v) >= 2**31 for g in call.operands() for v in g.values)),
    Known("std var", "gradient|second", "of one complex number: NaN in one part or in both", not_finite),
    Known("std var std_mean var_mean", "gradient|second|gradient requires_grad",
          "PyTorch's backward of dim=() divides by the size of no dimension", no_dims),
    Known("as_strided_scatter", "gradient|second|gradient raises*|second raises*",
          "PyTorch's backward writes the zeros at the places of its gradient's own strides"),
    Known("L.cholesky_ex", "value|gradient|second|out* after",
          "without a factor: PyTorch has what was left of the work, vizgrad NaN", not_positive),
    Known("L.svd svd", "value|gradient|second", "the signs of singular vectors, and vectors of the value 0",
          lambda call, found: but_for_signs(call, found) or singular(call, found)),
    Known("L.inv_ex L.solve_ex L.lu_factor_ex", "out* after|gradient raises*|gradient|second*",
          "of a matrix that has no inverse or factor: what is left of the work", singular),
    Known("F.cosine_embedding_loss", "value|gradient|second", "1 - 1 in single precision", single),
    Known("F.multi_head_attention_forward", "value|gradient|second", "differences of softmax in single precision", single),
    Known("F.triplet_margin_with_distance_loss F.triplet_margin_loss", "gradient|second",
          "on the hinge rounding decides, and of infinities", lambda call, found: special(call, found) or on_hinge(call, found)),
    Known("F.embedding F.embedding_bag", "value|* after", "a row of infinite length", not_finite),
    Known("scatter_reduce", "gradient raises: RuntimeError, nothing", "PyTorch's backward of an index of nothing",
          says("The size of tensor a")),
    Known("S.airy_ai S.bessel_* S.modified_bessel_* S.scaled_modified_bessel_* S.zeta S.spherical_bessel_j0",
          "value|gradient|second", "PyTorch's approximations are short"),
    Known("digamma polygamma T.polygamma S.polygamma S.digamma S.psi lgamma S.gammaln mvlgamma S.multigammaln",
          "gradient|second|value", "at poles and infinities PyTorch has finite numbers or NaN", not_finite),
    Known("logit S.logit", "second", "outside of (0, 1) the derivative is NaN, and its derivative 0"),
    Known("S.sinc sinc", "second", "NaN at 0: 0 / 0 in the formula of PyTorch's second derivative"),
    Known("S.*polynomial* S.multigammaln", "value", "of infinities, 1 at the limits of x", not_finite),
    Known("topk kthvalue sort argsort mode median nanmedian max min cummax cummin aminmax quantile nanquantile",
          "value|gradient|second", "which of equal elements it is, is not said", ties),
    Known("L.eig L.eigh L.eigvals L.eigvalsh L.svd svd L.svdvals L.qr qr L.pinv pinverse L.cond L.matrix_norm L.lstsq",
          "value|gradient|second", "of matrices with equal eigenvalues or less than full rank", singular),
    Known("L.inv_ex L.cholesky_ex L.solve_ex L.lu_factor_ex", "value",
          "of a matrix that has no inverse or factor: what is left of the work", singular),
    Known("cholesky_inverse cholesky_solve", "gradient|second",
          "PyTorch's gradient has numbers in the triangle that is not read"),
    Known("logdet det slogdet L.slogdet L.det L.inv inverse L.solve L.cond matrix_power L.matrix_power",
          "gradient|second|gradient raises*|second raises*", "of a singular matrix: rounding decides", singular),
    Known("fft.* istft stft", "value|gradient|second", "a transform spreads infinities and NaN in its own order",
          not_finite),
    Known("F.pad", "value", "of circular with one end cut, PyTorch leaves memory unwritten", circular_and_cut),
    Known("F.upsample_bilinear F.interpolate F.upsample F.grid_sample F.upsample_nearest", "value|gradient",
          "0 * inf of a neighbour that has no part", not_finite),
    Known("celu F.celu F.elu F.selu selu", "value|gradient|second", "1 / alpha is rounded to single precision there",
          roughly),
    Known("renorm cov corrcoef cdist F.pdist pdist norm L.norm L.vector_norm dist",
          "value|gradient|second", "of infinities and NaN", not_finite),
    Known("F.soft_margin_loss", "value|gradient", "PyTorch's exp overflows, vizgrad's does not", not_finite),
    Known("F.*_loss F.binary_cross_entropy* F.kl_div", "value|gradient", "inf - inf in another order", not_finite),
    Known("F.binary_cross_entropy", "second", "PyTorch clamps the logarithm, not its second derivative"),
    Known("T.H T.mH adjoint", "shares|is_view|view strides|strides", "conj is computed, not lazy (T-60 [D])"),
    Known("F.batch_norm F.instance_norm", "* version", "running statistics are written below the version counter"),
    Known("vander L.cond corrcoef", "gradient raises*|second raises*",
          "PyTorch's backward finds a value changed in place by its own forward",
          says("modified by an inplace operation")),
    Known("*", "gradient raises: RuntimeError, nothing|second raises: RuntimeError, nothing|"
          "gradient raises: IndexError, nothing", "an internal error of PyTorch's backward",
          says("INTERNAL ASSERT", "invalid gradient at index", "isFloatingType(grad", "Found dtype", "can't be cast to the desired", "Expected a proper Tensor but got",
               "is invalid for input of size", "must have at least 2 dimensions", "returned an invalid gradient",
               "to have non-zero size for non-batch", "depends on Q, which is not", "index out of range in self",
               "Expected dtype int64 for index", "Index to scalar can have only 1 value", "grad_input must be contiguous")),
    Known("*", "raises: RuntimeError, nothing|raises: IndexError, nothing", "an internal error of PyTorch",
          says("INTERNAL ASSERT", "select(): index 0 out of range", "MKL FFT error",
               "view size is not compatible with input tensor's size and stride")),
    Known("index_copy", "raises: RuntimeError, nothing", "int32 indices are taken everywhere", says("got Int")),
    Known("cov", "raises: RuntimeError, nothing", "PyTorch's own writes in place meet a view of a leaf",
          says("used in an in-place operation")),
    Known("L.*", "out* after", "`out` that requires grad: PyTorch drops it silently", out_wants_grad),
    Known("T.apply_ T.map_", "a version", "written below the version counter"),
    Known("as_strided_scatter", "gradient*|second*|value", "PyTorch reads the memory below a view, and keeps the "
          "gradient of what was overwritten instead of the rest"),
    Known("std", "gradient|second", "dim=() is all dims, but not in PyTorch's derivative", no_dims),
    Known("L.householder_product lu_solve L.lu_solve addmm L.lstsq L.solve_triangular", "value|gradient|second",
          "of infinities and huge numbers", special),
    Known("F.triplet_margin_with_distance_loss F.triplet_margin_loss", "gradient|second",
          "exactly at the margin, as rounding goes"),
    Known("F.dropout1d F.dropout3d", "is_view", "what is dropped of no batch is a view of a view"),
    Known("T.view", "is_view", "PyTorch's view of another type does not say that it is one"),
    Known("einsum", "is_view", "of nothing to sum, PyTorch gives the operand's view"),
    Known("gcd lcm", "value", "of the least integer, whose absolute value there is none", special),
    Known("conj", "shares|is_view|view strides|strides", "conj is computed, not lazy (T-60 [D])"),
    Known("heaviside", "gradient raises*", "[D] a step has no derivative; PyTorch gives zeros for values"),
    Known("logsumexp S.logsumexp", "raises: RuntimeError, nothing", "dim=() sums all, as everywhere",
          says("doesn't match the broadcast shape")),
    Known("fill T.fill_ masked_fill as_strided_scatter sum nansum prod cumsum cumprod", "raises: RuntimeError, nothing", "what has no derivative requires no grad",
          says("Autograd not support dtype")),
    Known("F.softplus", "second", "at the threshold itself"),
    # --- layers ---
    Known("F.conv* conv* F.batch_norm F.instance_norm F.group_norm F.scaled_dot_product_attention L.det det",
          "gradient requires_grad|second|second raises: *", "PyTorch takes the derivative of nothing for a constant", empty),
    Known("F.conv* conv*", "raises: nothing, RuntimeError|raises: RuntimeError, nothing",
          "PyTorch looks at sizes and types, or does not, where there is nothing to compute", empty),
    Known("F.conv_transpose* conv_transpose*", "second raises: RuntimeError, nothing", "a derivative of a result without elements",
          says("Only zero batch or zero channel inputs are supported")),
    Known("F.conv_transpose* conv_transpose*", "raises: nothing, RuntimeError", "one of PyTorch's kernels makes a result without elements, "
          "another refuses it", ours_says("Output size is too small")),
    Known("F.conv* conv*", "value|gradient|second", "inf - inf and overflow in another order", special),
    Known("group_norm F.group_norm layer_norm F.layer_norm F.rrelu rrelu", "gradient requires_grad",
          "PyTorch's formula names an operand or a result it does not depend on", formal),
    Known("F.*_norm layer_norm rms_norm group_norm batch_norm instance_norm", "value|gradient|* after", "of infinities, NaN and what overflows", special),
    Known("F.*_norm layer_norm rms_norm group_norm batch_norm instance_norm", "gradient", "of equal elements: rounding times 1 / sqrt(eps)",
          lambda call, found: ties(call, found) and roughly(call, found)),
    Known("F.group_norm group_norm", "gradient", "0 / 0 of groups without elements", empty),
    Known("F.batch_norm", "gradient", "PyTorch's backward reads a weight as if it lay densely", not_plain(3)),
    Known("F.batch_norm", "* after", "running statistics several elements of which are one", either(not_plain(1), not_plain(2))),
    Known("F.batch_norm", "raises: nothing, RuntimeError", "PyTorch checks nothing where there is nothing", empty),
    Known("F.instance_norm", "raises: IndexError, *", "PyTorch's error is that of an index into nothing", empty),
    Known("F.multi_head_attention_forward F.scaled_dot_product_attention", "value|gradient|second",
          "softmax of large numbers turns over by rounding, and infinities", either(steep, special)),
    Known("F.scaled_dot_product_attention", "shape|value|gradient|requires_grad|raises: nothing, RuntimeError",
          "of nothing, PyTorch gives zeros without looking at other sizes", empty),
    Known("F.scaled_dot_product_attention", "raises: nothing, RuntimeError",
          "PyTorch's kernel for four dims does not see that there are more values than keys, and reads what is not there",
          ours_says("shapes cannot be multiplied")),
    Known("F.prelu prelu", "second", "at 0 the derivative is the weight, and its derivative by the weight 0 all the same", at_zero),
    Known("F.rrelu rrelu", "strides", "PyTorch copies into C order"),
    Known("F.rrelu rrelu", "raises: nothing, RuntimeError", "bounds that are not finite are refused by one of PyTorch's two forms",
          ours_says("bound must be finite")),
    Known("F.dropout*", "raises: NotImplementedError, RuntimeError", "complex numbers, and a leaf written in place",
          ours_says("a leaf Variable")),
    Known("F.grid_sample grid_sampler grid_sampler_2d grid_sampler_3d", "second", "of the nearest pixel", none_for_zeros),
    Known("grid_sampler grid_sampler_2d grid_sampler_3d", "value|gradient|second",
          "places that are no number, or beyond all whole ones, are made an int by chance", special),
    Known("F.pixel_unshuffle pixel_unshuffle", "shape|value|strides", "of nothing, PyTorch gives a copy of its input", empty),
    Known("L.det det", "second|gradient requires_grad", "of 1 by 1 matrices: the derivative of a constant", one_by_one),
    Known("L.*", "raises: nothing, NotImplementedError", "of nothing, also in half precision", empty),
    Known("L.solve_triangular", "out* after", "of infinities and huge numbers", special),
    Known("L.*", "raises: nothing, RuntimeError", "which types `out` may have each kernel says for itself",
          ours_says("can't be cast to the desired output type")),
    Known("S.log_ndtr", "second", "far below 0 PyTorch's formula subtracts large numbers",
          lambda call, found: any(v < -30 for v in call.operands()[0].values)),
    Known("F.sigmoid S.expit sigmoid", "value|gradient|second", "of complex numbers whose exponential overflows", not_finite),
    Known("S.logit logit", "gradient", "which infinity at -0", not_finite),
    Known("S.gammainc S.gammaincc igamma igammac", "value|gradient", "NaN beside 0, and PyTorch's derivative at 0 is NaN", not_finite),
    Known("S.gammainc S.gammaincc igamma igammac", "value", "of NaN and infinity beside 0", special),
    Known("S.i1 S.i1e", "gradient|second", "PyTorch's derivative at NaN is a number", not_finite),
    Known("S.zeta", "gradient raises: RuntimeError, nothing", "PyTorch's backward negates a bool",
          says("torch boolean negative")),
    Known("T.sum_to_size", "value", "summed in another order", within_rounding),
    Known("T.map_ T.copy_", "raises: TypeError, nothing", "documented as `tensor` and `src`, and taken as `other` alone", says('"other"')),
    Known("T.view", "raises: RuntimeError, nothing", "of nothing, strides do not matter", empty),
    Known("T.map_", "raises: nothing, RuntimeError", "PyTorch writes one element several times",
          ours_says("more than one element of the written-to tensor")),
    Known("T.narrow_copy", "raises: RuntimeError, IndexError", "an internal check of PyTorch's",
          says("Could this error message be improved")),
    Known("T.set_", "raises: nothing, NotImplementedError", "PyTorch's backward says the same later",
          ours_says("the derivative for 'set_' is not implemented")),
    Known("T.set_", "gradient raises: RuntimeError, nothing", "the tensor's old strides with its new storage",
          says("setStorage")),
    Known("*", "raises: TypeError, *", "True is the whole number 1, as in Python",
          says("must be int, not bool", "must be tuple of ints, not bool")),
    Known("F.ctc_loss", "raises: nothing, IndexError", "PyTorch reads outside of its memory"),
    Known("pow operator?**", "value|gradient|second|* after",
          "PyTorch's powers of complex numbers at 0 and infinity are NaN", not_finite),
    Known("operator?** pow", "second", "with respect to the written view itself: its saved value belongs to the "
          "operation here, in PyTorch to the view", written_view),
    Known("operator?** pow", "gradient|second", "an exponent of False is no 0 for PyTorch's derivative",
          lambda call, found: False in call.args),
    Known("pow float_power", "strides", "a number to the power of a tensor", lambda call, found: not isinstance(call.args[0], Given)),
    Known("view_as_complex view_as_complex_copy", "raises: RuntimeError, nothing", "strides of no elements",
          lambda call, found: not call.operands()[0].count),
    Known("view_copy", "requires_grad|gradient|gradient requires_grad|second", "PyTorch has no derivative of another type",
          lambda call, found: any("torch." in str(v) for v in (*call.args, *(v for _, v in call.words)))),
    Known("narrow_copy", "value|* after", "PyTorch writes to `out` as if it lay densely", writes_out),
    Known("narrow_copy", "raises: RuntimeError, IndexError", "an error without words of its own",
          says("Could this error message be improved")),
    Known("constant_pad_nd", "raises: RuntimeError, nothing", "rows cut off where there are none",
          says("narrow(): length must be non-negative")),
    Known("unsafe_chunk unsafe_split unsafe_split_with_sizes", "shares|view strides|strides|offset|is_view",
          "either the whole or its pieces may be written: who shares memory is not seen (pieces are copies here)"),
    Known("orgqr ormqr", "value|gradient|second|* after", "of infinities and NaN", special),
    Known("orgqr L.householder_product", "gradient requires_grad", "of one column the product is linear in `tau`",
          lambda call, found: formal(call, found) and call.operands()[0].shape[-1] == 1),
    Known("cumsum cumprod", "raises: nothing, RuntimeError", "`out` of integers for sums of floats: the rule is T-5 for all",
          ours_says("can't be cast to the desired output type")),
    Known("add sub rsub", "value|* after", "PyTorch multiplies complex numbers by 1 + 0j: of what is not finite, NaN in both parts",
          not_finite),
    Known("tensordot", "raises: nothing, NotImplementedError", "one of PyTorch's kernels multiplies bools, another refuses them",
          ours_says("for bool")),
    Known("trapezoid trapz cumulative_trapezoid", "value", "PyTorch takes half of the ends from the sum: inf - inf", not_finite),
    Known("std_mean var_mean", "value", "PyTorch's mean here is corrected step by step: inf - inf", not_finite),
    Known("fft.ihfftn fft.ihfft2", "value|out* after", "PyTorch writes nothing into `out`", writes_out),
    Known("floor_divide", "gradient raises: nothing, RuntimeError", "in place of a view, PyTorch loses that there is no derivative",
          lambda call, found: call.path.endswith("_") and call.operands()[0].memory != "plain"),
    Known("scatter", "gradient", "[D] `reduce` has a derivative", lambda call, found: found.theirs is None
          and any(w == "reduce" for w, _ in call.words)),
    Known("mm bmm matmul chain_matmul addmm addmv addbmm baddbmm mv dot", "raises: nothing, NotImplementedError",
          "of nothing, also of bools and in half precision", empty),
    Known("sort", "raises: TypeError, nothing", "PyTorch's parser counts the arguments of another form", says("takes from 1 to 0")),
    Known("orgqr ormqr", "second|gradient requires_grad|requires_grad",
          "of one row the product is linear in `tau`, of none there is nothing", one_row),
    Known("lobpcg", "value|gradient|second*|gradient requires_grad", "of equal eigenvalues, or not symmetric",
          lambda call, found: singular(call, found) or not symmetric(call)),
    Known("lobpcg", "gradient|second", "an iteration ends before the last digit", roughly),
    Known("lobpcg", "raises: _LinAlgError, nothing", "the basic method fails there where directions depend on each other",
          says("not positive-definite")),
    Known("from_numpy", "raises: nothing, TypeError", "uint16 is no element type here"),
)  # fmt: skip


def known(call: Call, difference: Difference) -> bool:
    return any(each.covers(call, difference) for each in KNOWN)


def random_values(call: Call, difference: Difference) -> bool:
    """Of operations that draw, only the form is compared."""
    words = ("value", "gradient", "second", "kind")
    drawn = operations()[call.operation].random
    return drawn and (difference.kind in words or difference.kind.endswith(" after"))


__all__ = ["KNOWN", "Any", "Known", "known", "random_values"]
