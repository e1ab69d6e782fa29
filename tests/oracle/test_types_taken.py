"""Which element types each operation takes, and of what type its result is; the class of what it raises.

One call of each operation with every type. What vizgrad computes in half precision, and PyTorch has no kernel
for, is no difference.
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.compare import same_error

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.rule("T-2"), pytest.mark.filterwarnings("ignore")]

TYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
HALVES = ("float16", "bfloat16")
#: `t` is the module, and F, L, S three of its own; `a` is a matrix of the type `dt`, `i` one of indices.
CALLS = """
t.round(a); t.round(a, decimals=1); t.round(a, decimals=0); S.round(a); S.round(a, decimals=2);
a.round_(decimals=1); F.nll_loss(a, i[0]); F.nll_loss(a, i[0], reduction='none');
F.nll_loss(a[None, :, :, None], i[None, :, :1, ][:, 0:1].reshape(1, 1, 1).expand(1, 2, 1));
F.max_unpool2d(a[None], i[None], 1); F.max_unpool1d(a[None], i[None], 1);
F.max_unpool3d(a[None, None], i[None, None], 1); t.randperm(3, dtype=dt); t.tril_indices(2, 2, dtype=dt);
t.triu_indices(2, 2, dtype=dt); F.threshold(a, 0, 1); t.threshold(a, 0, 1); abs(a); t.abs(a); a.abs_();
t.index_reduce(a, 0, i[0], a, 'amax'); t.index_reduce(a, 0, i[0], a, 'prod');
t.index_reduce(a, 0, i[0], a, 'mean'); t.index_reduce(a, 0, i[0], a, 'amin', include_self=False);
t.scatter_reduce(a, 0, i, a, 'amax'); t.scatter_reduce(a, 0, i, a, 'amin', include_self=False);
t.scatter_reduce(a, 0, i, a, 'prod'); t.scatter_reduce(a, 0, i, a, 'mean');
t.scatter_reduce(a, 0, i, a, 'sum'); t.scatter(a, 0, i, a, reduce='add');
t.scatter(a, 0, i, a, reduce='multiply'); t.scatter(a, 0, i, 1, reduce='multiply'); L.matmul(a, a);
L.matmul(a[None], a[None]); t.addbmm(a, a[None], a[None]); S.gammaincc(a, a); S.gammainc(a, a);
L.cond(a); L.cond(a, 1); L.matrix_norm(a); L.matrix_norm(a, 2); L.matrix_norm(a, 'nuc');
L.matrix_rank(a); L.pinv(a); L.matrix_power(a, 2); L.matrix_power(a, -1); L.matrix_exp(a); L.norm(a);
L.vector_norm(a); L.vecdot(a, a); L.cross(t.cat([a, a], 1)[:, :3], t.cat([a, a], 1)[:, :3]);
L.multi_dot([a, a, a]); L.solve_triangular(a, a, upper=True); L.det(a); L.slogdet(a); L.lstsq(a, a);
L.cholesky_ex(a); L.inv_ex(a); L.solve_ex(a, a); L.lu_solve(a, t.tensor([1, 2], dtype=t.int32), a);
L.tensorinv(a, 1); L.tensorsolve(a, a[0]); L.diagonal(a); L.vander(a); L.householder_product(a, a[0]);
L.qr(a); L.svd(a); L.svdvals(a); L.eigh(a); L.eigvalsh(a); L.eigvals(a); L.lu(a);
t.lu_solve(a, a, t.tensor([1, 2], dtype=t.int32)); t.lu_unpack(a, t.tensor([1, 2], dtype=t.int32));
t.cholesky_inverse(a); t.cholesky_solve(a, a); t.logdet(a); t.trace(a); t.triangular_solve(a, a);
t.geqrf(a); t.ormqr(a, a[0], a); t.orgqr(a, a[0]); t.cdist(a, a); t.pdist(a); t.dist(a, a);
t.renorm(a, 1, 0, 1); t.cov(a); t.corrcoef(a); t.histc(a, 2); t.bincount(a[0]); t.cumprod(a, 0);
t.cumsum(a, 0); t.cummax(a, 0); t.logcumsumexp(a, 0); t.diff(a); t.gradient(a[0]); t.trapezoid(a);
t.median(a); t.nanmedian(a); t.mode(a); t.kthvalue(a, 1); t.topk(a, 1); t.sort(a); t.argsort(a);
t.unique(a); t.unique_consecutive(a); t.quantile(a, .5); t.std(a); t.var(a); t.mean(a); t.prod(a);
t.amax(a); t.aminmax(a); t.argmax(a); t.max(a); t.max(a, 0); t.logsumexp(a, 0); t.norm(a); t.norm(a, 1);
t.nansum(a); t.nanmean(a); t.count_nonzero(a); t.searchsorted(a[0], a[0]); t.bucketize(a, a[0]);
t.isin(a, a); F.one_hot(a); F.conv1d(a[None], a[None]); F.linear(a, a); F.bilinear(a, a, a[None]);
F.embedding(i, a); F.embedding(a, i.float()); F.pad(a, (1, 1)); F.pad(a[None], (1, 1), mode='reflect');
F.pad(a[None], (1, 1), mode='replicate'); F.pad(a[None], (1, 1), mode='circular');
F.max_pool1d(a[None], 1); F.max_pool2d(a[None], 1); F.max_pool3d(a[None, None], 1);
F.avg_pool1d(a[None], 1); F.avg_pool2d(a[None], 1); F.avg_pool3d(a[None, None], 1);
F.adaptive_avg_pool1d(a[None], 1); F.adaptive_avg_pool2d(a[None], 1); F.adaptive_max_pool1d(a[None], 1);
F.adaptive_max_pool2d(a[None], 1); F.lp_pool1d(a[None], 2., 1); F.unfold(a[None, None], 1);
F.fold(a[None], (2, 1), 1); F.interpolate(a[None], scale_factor=2.);
F.interpolate(a[None], scale_factor=2., mode='linear'); F.grid_sample(a[None, None], a[None, :, None]);
F.pixel_shuffle(t.stack([a]*4), 2); F.channel_shuffle(a[None, :, :, None], 2); F.layer_norm(a, (2, ));
F.rms_norm(a, (2, )); F.group_norm(a, 1); F.batch_norm(a, None, None, training=True);
F.instance_norm(a[None]); F.local_response_norm(a[None], 2); F.softmax(a, 0); F.log_softmax(a, 0);
F.mse_loss(a, a); F.l1_loss(a, a); F.smooth_l1_loss(a, a); F.huber_loss(a, a); F.kl_div(a, a);
F.binary_cross_entropy(a, a); F.binary_cross_entropy_with_logits(a, a); F.cross_entropy(a, i[0]);
F.cross_entropy(a, a); F.soft_margin_loss(a, a); F.hinge_embedding_loss(a, a);
F.margin_ranking_loss(a, a, a); F.multi_margin_loss(a, i[0]); F.multilabel_margin_loss(a, i);
F.multilabel_soft_margin_loss(a, a); F.poisson_nll_loss(a, a); F.gaussian_nll_loss(a, a, a);
F.cosine_embedding_loss(a, a, a[0]); F.triplet_margin_loss(a, a, a); F.cosine_similarity(a, a);
F.pairwise_distance(a, a); F.normalize(a); F.scaled_dot_product_attention(a, a, a); F.glu(a);
F.prelu(a, a[0, :1]); F.relu(a); F.relu6(a); F.hardtanh(a); F.hardsigmoid(a); F.hardswish(a);
F.softplus(a); F.gelu(a); F.silu(a); F.mish(a); F.elu(a); F.celu(a); F.selu(a); F.softsign(a);
F.tanhshrink(a); F.logsigmoid(a); F.hardshrink(a); F.softshrink(a); F.leaky_relu(a); t.clamp(a, 0, 1);
t.clamp(a, a, a); t.clamp(a, 0.5); t.lerp(a, a, .5); t.addcmul(a, a, a); t.addcdiv(a, a, a);
t.atan2(a, a); t.hypot(a, a); t.fmod(a, a); t.remainder(a, a); t.floor_divide(a, a);
t.div(a, a, rounding_mode='floor'); t.pow(a, 2); t.pow(a, a); t.pow(2, a); t.float_power(a, 2);
t.copysign(a, a); t.ldexp(a, a); t.frexp(a); t.sign(a); t.sgn(a); t.signbit(a); t.angle(a); t.floor(a);
t.trunc(a); t.frac(a); t.logit(a); t.nan_to_num(a); t.heaviside(a, a); t.maximum(a, a); t.fmax(a, a);
t.gcd(a, a); t.lcm(a, a); t.bitwise_not(a); t.bitwise_and(a, a); t.bitwise_left_shift(a, a);
t.logical_not(a); t.isfinite(a); t.isnan(a); t.isposinf(a); t.isreal(a); t.isclose(a, a);
t.tensor(t.allclose(a, a)); S.entr(a); S.xlogy(a, a); S.xlog1py(a, a); S.i0e(a); S.ndtri(a);
S.log_ndtr(a); S.erfcx(a); S.zeta(a, a); S.polygamma(1, a); S.multigammaln(a+3, 2); S.sinc(a);
S.bessel_j0(a); S.chebyshev_polynomial_t(a, a); S.hermite_polynomial_h(a, 1); S.softmax(a, 0); t.triu(a);
t.rot90(a); t.flip(a, (0, )); t.roll(a, 1); t.kron(a, a); t.einsum('ij, jk', a, a); t.tensordot(a, a, 1);
t.dot(a[0], a[0]); t.vdot(a[0], a[0]); t.inner(a, a); t.outer(a[0], a[0]); t.mv(a, a[0]); t.mm(a, a);
t.addmm(a, a, a); t.addmv(a[0], a, a[0]); t.addr(a, a[0], a[0]); t.baddbmm(a[None], a[None], a[None]);
t.bmm(a[None], a[None]); t.view_as_real(a); t.conj(a); t.real(a); t.imag(a); t.arange(3, dtype=dt);
t.linspace(0, 1, 3, dtype=dt); t.logspace(0, 1, 3, dtype=dt); t.eye(2, dtype=dt);
t.full((2, ), 1, dtype=dt); t.empty_like(a); t.rand(2, dtype=dt); t.randn(2, dtype=dt);
t.randint(2, (2, ), dtype=dt); t.rand_like(a); t.poisson(a); t.multinomial(a, 1); t.normal(a, 1.);
a.clone().uniform_(); a.clone().normal_(); t.hann_window(3, dtype=dt); t.kaiser_window(3, dtype=dt);
t.vander(a[0]); t.combinations(a[0]); t.cartesian_prod(a[0], a[0]); t.block_diag(a, a); t.put(a, i, a);
t.take(a, i); t.take_along_dim(a, i, 0); t.gather(a, 0, i); t.index_add(a, 0, i[0], a);
t.index_copy(a, 0, i[0], a); t.index_fill(a, 0, i[0], 1); t.index_select(a, 0, i[0]);
t.masked_fill(a, i.bool(), 1); t.masked_select(a, i.bool()); t.masked_scatter(a, i.bool(), a);
t.where(i.bool(), a, a); t.where(i.bool(), a, 1); t.fft.fft(a); t.fft.rfft(a); t.fft.irfft(a);
t.fft.hfft(a); t.fft.fftshift(a); t.fft.fftfreq(3, dtype=dt); t.cumulative_trapezoid(a);
t.channel_shuffle(a[None, :, :, None], 2); t.histogram(a, 2); t.matrix_exp(a);
F.ctc_loss(a[:, None], i[:1], (2, ), (1, )); F.embedding_bag(i, a); F.pdist(a);
F.conv_transpose1d(a[None], a[:, None]); F.conv2d(a[None, None], a[None, None]);
t.index_reduce(a[0], 0, i[0], a[0], 'prod'); t.index_reduce(a[0], 0, i[0], a[0], 'amax');
a[0].clone().index_reduce_(0, i[0], a[0], 'prod'); a[0].clone().index_reduce_(0, i[0], a[0], 'amin');
a.clone().index_reduce_(0, i[0], a, 'prod'); t.cumsum(t.ones(2), 0, dtype=dt);
t.cumprod(t.ones(2), 0, dtype=dt); a.clone().cumsum_(0); a.clone().cumprod_(0); a.clone().addcmul_(a, a);
a.clone().addcdiv_(a, a); a.clone().lerp_(a, .5); a.clone().logcumsumexp(0); t.sum(a, 0, dtype=dt);
t.sum(t.ones(2), 0, dtype=dt); t.prod(t.ones(2), 0, dtype=dt); t.mean(t.ones(2), 0, dtype=dt);
t.nansum(t.ones(2), 0, dtype=dt); F.softmax(t.ones(2), 0, dtype=dt);
F.log_softmax(t.ones(2), 0, dtype=dt); t.norm(t.ones(2), dtype=dt); L.norm(t.ones(2), dtype=dt);
L.vector_norm(t.ones(2), dtype=dt); L.matrix_norm(t.ones(2, 2), dtype=dt);
F.adaptive_avg_pool2d(a[None], 2); F.adaptive_avg_pool3d(a[None, None], 2);
F.adaptive_max_pool3d(a[None, None], 2); F.max_pool2d(a[None], 2); F.avg_pool2d(a[None], 2);
F.lp_pool2d(a[None], 2., 2); F.fractional_max_pool2d(a[None], 2, output_size=1); a.clone().clamp_(0, 1);
a.clone().clamp_(a, a); a.clone().clamp_min_(1); t.clamp_min(a, 1); t.clamp_min(a, a);
a.clone().floor_(); a.clone().round_(); a.clone().sqrt_(); a.clone().neg_(); a.clone().sign_();
a.clone().sgn_(); a.clone().frac_(); a.clone().trunc_(); a.clone().reciprocal_(); a.clone().pow_(2);
a.clone().pow_(a); a.clone().mul_(a); a.clone().div_(a); a.clone().add_(a); a.clone().sub_(a);
a.clone().fmod_(a); a.clone().remainder_(a); a.clone().floor_divide_(a); a.clone().atan2_(a);
a.clone().hypot_(a); a.clone().gcd_(a); a.clone().bitwise_and_(a); a.clone().bitwise_left_shift_(a);
a.clone().logical_and_(a); a.clone().nan_to_num_(); a.clone().copysign_(a); a.clone().ldexp_(a);
a.clone().heaviside_(a); a.clone().renorm_(1, 0, 1); a.clone().xlogy_(a); a.clone().igamma_(a);
a.clone().lgamma_(); a.clone().polygamma_(1); a.clone().mvlgamma_(1); a.clone().float_power_(2);
a.clone().tril_(); a.clone().addmm_(a, a); a[0].clone().addmv_(a, a[0]); a.clone().addr_(a[0], a[0]);
a[None].clone().baddbmm_(a[None], a[None]); a.clone().addbmm_(a[None], a[None]);
a.clone().index_add_(0, i[0], a); a.clone().index_copy_(0, i[0], a); a.clone().scatter_(0, i, a);
a.clone().scatter_add_(0, i, a); a.clone().scatter_reduce_(0, i, a, 'prod');
a.clone().masked_scatter_(i.bool(), a); a.clone().put_(i, a); a.clone().erfinv_(); a.clone().sigmoid_();
a.clone().relu_(); a.clone().digamma_(); a.clone().i0_(); a.clone().logit_(); a.clone().sinc_();
a.clone().conj_physical_(); a.clone().square_(); a.clone().exp2_(); a.clone().deg2rad_();
a.clone().rad2deg_(); t.deg2rad(a); t.rad2deg(a); t.exp2(a); t.square(a); t.sqrt(a); t.rsqrt(a);
t.reciprocal(a); t.sigmoid(a); t.lgamma(a); t.digamma(a); t.erfinv(a); t.i0(a); t.sinc(a); t.positive(a);
t.neg(a); t.ceil(a); t.sin(a); t.expm1(a); t.log1p(a); t.exp(a); t.acosh(a); t.softmax(a, 0); t.tanh(a);
t.hardshrink(a); t.celu(a); t.prelu(a, a[0, :1]); t.relu(a); t.selu(a); t.dropout(a, .5, True);
t.layer_norm(a, (2, )); t.group_norm(a, 1); t.pixel_shuffle(t.stack([a]*4), 2);
t.grid_sampler(a[None, None], a[None, :, None], 0, 0, False); t.cosine_similarity(a, a);
t.pairwise_distance(a, a); t.bincount(i[0], a[0]);
t.cross(t.cat([a, a], 1)[:, :3], t.cat([a, a], 1)[:, :3], dim=1); t.addr(a, a[0], a[0], alpha=2);
t.tril(a); t.repeat_interleave(a, 2); t.tensor_split(a, 2)[0]; t.movedim(a, 0, 1);
t.masked_fill(a, a, 1); t.where(a, a, a); t.take(i, a); t.index_select(i, 0, a[0]); t.gather(i, 0, a);
t.nonzero(a); t.any(a); t.all(a, 0); t.logical_xor(a, a); t.tensor(t.equal(a, a)); t.std_mean(a);
t.var_mean(a, 0); t.cov(a, fweights=i[0]); t.nanquantile(a, .5); t.diagonal_scatter(a, a[0]);
t.select_scatter(a, a[0], 0, 0); t.slice_scatter(a, a); t.as_strided_scatter(a, a, (2, 2), (2, 1));
t.fliplr(a); t.trapz(a); t.quantile(a, t.tensor([.5]).to(dt))
"""
#: Where they differ on purpose, and why.
DIFFERENT = {
    ("abs", "bool"): "bools are their own magnitude",
    ("softsign", "bool"): "as abs",
    ("round", "int"): "whole numbers are round, whatever decimals=0 says",
    ("round", "uint8"): "as ints",
    ("index_reduce(a[0]", ""): "PyTorch's kernel for vectors has fewer types than the other",
    ("index_reduce_(0, i[0], a[0]", ""): "as index_reduce",
    ("gradient", "uint8"): "PyTorch has a rule of its own for bytes",
}


def seen(module: Any, call: str, dtype: str) -> Any:
    """The type of the first result, or what was raised."""
    kind = getattr(module, dtype)
    names = {
        "t": module,
        "F": module.nn.functional,
        "L": module.linalg,
        "S": module.special,
        "a": module.tensor([[1, 0], [1, 1]]).to(kind),
        "dt": kind,
        "i": module.tensor([[0, 1], [1, 0]]),
    }
    try:
        result = eval(call, names)
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return error
    first = result[0] if isinstance(result, (tuple, list)) else result
    return str(first.dtype).split(".")[-1]


def alike(theirs: Any, ours: Any, dtype: str) -> bool:
    if isinstance(theirs, Exception) and not isinstance(ours, Exception):
        return dtype in HALVES
    if isinstance(theirs, Exception) and isinstance(ours, Exception):
        return same_error(type(theirs), type(ours)) or dtype in HALVES
    return theirs == ours


@pytest.mark.parametrize("call", [c.strip() for c in CALLS.split(";")])
def test_an_operation_takes_the_types_that_pytorch_takes(call: str) -> None:
    wrong = []
    for dtype in TYPES:
        if any(what in call and dtype.startswith(kind) for what, kind in DIFFERENT):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = (seen(m, call, dtype) for m in (torch, vg))
        if not alike(theirs, ours, dtype):
            wrong.append(f"{dtype}: PyTorch {theirs!r:.120}, vizgrad {ours!r:.120}")
    assert not wrong, "\n".join([call, *wrong])
