"""One element after the other: of one operand, of two that broadcast, of three."""

from __future__ import annotations

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first, shaped


def _channels(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """One weight, or one for each channel."""
    return first(so_far).shape[1:2] or (1,) if d.chance(0.5) else (1,)


def _even(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return tuple(2 * n for n in d.shape((1, 3), most=12))


def _pairs(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return (*d.shape((0, 3)), 2)


def _as_first(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return first(so_far).shape


per_channel = shaped(_channels)
even = shaped(_even, "float")
pairs = shaped(_pairs, "double")
as_first = shaped(_as_first)

TABLE = """
abs absolute neg negative positive sign sgn square reciprocal conj conj_physical resolve_conj resolve_neg
    real imag angle isnan isinf isfinite isreal isposinf isneginf signbit ceil floor trunc fix frac
    logical_not bitwise_not exp exp2 expm1 sin cos tan sinh cosh tanh asinh arcsinh atan arctan sinc
    sigmoid deg2rad rad2deg relu F.relu F.sigmoid F.tanh S.exp2 S.expm1 S.sinc S.expit : input=t()
frexp : input=t()
log log2 log10 log1p sqrt rsqrt S.log1p : input=t(low=-1,high=4)
asin acos arcsin arccos atanh arctanh : input=t(low=-1.2,high=1.2)
acosh arccosh : input=t(low=0.5,high=4)
erf erfc S.erf S.erfc S.erfcx S.entr S.ndtr S.log_ndtr i0 S.i0 S.i0e S.i1 S.i1e S.bessel_j0 S.bessel_j1
    S.modified_bessel_i0 S.modified_bessel_i1 S.airy_ai S.spherical_bessel_j0 : input=t('real')
erfinv S.erfinv : input=t('real',low=-1.2,high=1.2)
S.ndtri : input=t('real',low=-0.2,high=1.2)
lgamma digamma S.digamma S.psi S.gammaln : input=t('real',low=-2,high=5)
S.bessel_y0 S.bessel_y1 S.modified_bessel_k0 S.modified_bessel_k1 S.scaled_modified_bessel_k0
    S.scaled_modified_bessel_k1 : input=t('real',low=-0.5,high=5)
round S.round : input=t() *decimals=integer(-1,2)?
logit S.logit : input=t('real',low=-0.2,high=1.2) eps=pick(0.1,0.3,None,0.0)?
nan_to_num : input=t() nan=real()? posinf=real()? neginf=real()?
polygamma S.polygamma : n=integer(0,4) input=t('real',low=0.1,high=4)
T.polygamma : input=t('real',low=0.1,high=4) n=integer(0,4)
mvlgamma S.multigammaln : input=t('real',low=2,high=6) p=integer(1,3)
add sub subtract : input=t() other=operand() *alpha=number()?
mul multiply div divide true_divide : input=t() other=operand()
div divide : input=t() other=operand() *rounding_mode=pick('trunc','floor',None)
floor_divide remainder fmod : input=t('real') other=operand('real')
remainder : self=real() other=t('real')
rsub : input=t() other=operand() *alpha=number()?
pow float_power : input=t(low=-2,high=3) exponent=operand(low=-2,high=3)
pow float_power : self=number() exponent=t(low=-2,high=3)
eq ne lt le gt ge not_equal less less_equal greater greater_equal : input=t() other=operand()
logical_and logical_or logical_xor : input=t() other=meets()
bitwise_and bitwise_or bitwise_xor : input=t('whole') other=operand('whole')
bitwise_and bitwise_or bitwise_xor : self=integer(0,5) other=t('whole')
bitwise_left_shift bitwise_right_shift : input=t('int') other=operand('int',low=0,high=5)
maximum minimum fmax fmin hypot atan2 arctan2 copysign nextafter logaddexp logaddexp2 heaviside :
    input=t('real') other=meets('real')
copysign : input=t('real') other=real()
ldexp : input=t() other=meets()
gcd lcm : input=t('int') other=meets('int')
xlogy S.xlogy S.xlog1py : input=t('real') other=operand('real',low=-0.5,high=4)
xlogy S.xlogy S.xlog1py : self=real() other=t('real',low=-0.5,high=4)
S.zeta : input=t('real',low=1.1,high=5) other=operand('real',low=0.2,high=5)
S.zeta : self=real(1.1,4) other=t('real',low=0.2,high=4)
igamma igammac S.gammainc S.gammaincc : input=t('float',low=0.1,high=4) other=meets('float',low=0,high=5)
S.chebyshev_polynomial_t S.chebyshev_polynomial_u S.chebyshev_polynomial_v S.chebyshev_polynomial_w
    S.hermite_polynomial_h S.hermite_polynomial_he S.laguerre_polynomial_l S.legendre_polynomial_p
    S.shifted_chebyshev_polynomial_t S.shifted_chebyshev_polynomial_u S.shifted_chebyshev_polynomial_v
    S.shifted_chebyshev_polynomial_w : input=t('real',low=-1.2,high=1.2) n=operand('real',low=0,high=6)
S.chebyshev_polynomial_t S.hermite_polynomial_h S.legendre_polynomial_p :
    self=real(-1,1) n=t('real',low=0,high=6)
clamp clip : input=t('real') min=none_or(real()) max=none_or(real())?
clamp clip : input=t('real') *min=real()? *max=real()?
clamp clip : input=t('real') min=none_or(meets('real')) max=none_or(meets('real'))?
clamp_min : input=t('real') min=operand('real')
clamp_max : input=t('real') max=operand('real')
lerp : input=t('wide') end=meets('wide') weight=operand('wide')
addcmul addcdiv : input=t() tensor1=meets() tensor2=meets() *value=number()?
where : condition=t('bool') input=operand() other=operand()
where : condition=t()
T.where : input=t() condition=meets('bool') other=operand()
isclose : input=t() other=meets() rtol=real(0,1)? atol=real(0,1)? equal_nan=flag?
allclose : input=t() other=same() rtol=real(0,1)? atol=real(0,1)? equal_nan=flag?
equal : input=t() other=meets()
isin : elements=t() test_elements=t() *assume_unique=pick(False)? *invert=flag?
isin : elements=real() test_elements=t()
isin : elements=t() test_elements=number()
complex polar : real=t('double') imag=as_first
view_as_real : input=t('complex')
view_as_complex : input=pairs
is_complex is_floating_point is_conj is_neg is_signed is_inference is_tensor numel is_nonzero : input=t()
is_same_size : input=t() other=meets()
result_type : tensor1=operand() tensor2=t()
promote_types can_cast : type1=dtype() type2=dtype()
fill : input=t() value=number()
fill : input=t() value=shaped((),'any')
dist : input=t('inexact') other=meets() p=pick(0,1,2,3,0.5,float('inf'))?
clone : input=t() *memory_format=code('torch.contiguous_format','torch.preserve_format')??
detach : input=t()
threshold F.threshold : input=t('real') threshold=real() value=real()
prelu F.prelu : input=t('float',rank=(0,4)) weight=per_channel
celu F.celu F.elu : input=t('float') alpha=real()?
selu F.silu F.mish F.hardsigmoid F.hardswish F.relu6 F.selu : input=t('float') inplace=flag?
F.logsigmoid F.softsign F.tanhshrink : input=t('float')
F.relu : input=t() inplace=flag
F.elu F.celu F.leaky_relu F.hardtanh F.threshold : input=t('float') *inplace=pick(True)
F.leaky_relu : input=t('float') negative_slope=real()?
F.hardtanh : input=t('real') min_val=real(-2,0)? max_val=real(0,2)?
F.gelu : input=t('float') *approximate=pick('none','tanh')?
F.softplus : input=t('float') beta=real(-1,3)? threshold=real(0,3)?
hardshrink F.hardshrink F.softshrink : input=t('float') lambd=real(0,2)?
F.glu : input=even dim=dim()?
~F.rrelu ~rrelu : input=t('float') lower=real(0,1)? upper=real(1,2)? training=flag?
~F.dropout ~F.alpha_dropout ~F.feature_alpha_dropout : input=t('float') p=real(0,1)? training=flag?
    inplace=flag??
~dropout ~alpha_dropout : input=t('float') p=real(0,1) train=flag
F.dropout : input=t('float') p=pick(0,1,0.0,1.0,0.5) training=pick(False)
~F.dropout1d : input=t('float',rank=(2,3)) p=real(0,1)? training=flag? inplace=flag??
~F.dropout2d : input=t('float',rank=(2,4)) p=real(0,1)? training=flag? inplace=flag??
~F.dropout3d : input=t('float',rank=(4,5)) p=real(0,1)? training=flag? inplace=flag??
atleast_1d atleast_2d atleast_3d : _=tensors(other='any',counts=(1,3))
atleast_1d atleast_2d atleast_3d : input=t()
"""
