"""Sums, extremes, norms, running totals, orders, counts."""

from __future__ import annotations

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first, shaped, tensors
from tests.fuzz.values import Given


def _one_more_or_less(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """For `prepend` and `append`: as the first, with another size along `dim`."""
    shape = list(first(so_far).shape)
    at = so_far.get("dim", -1)
    if shape and isinstance(at, int) and -len(shape) <= at < len(shape):
        shape[at] = d.size()
    return tuple(shape)


def sorted_edges(d: Draw, so_far: SoFar) -> Given:
    given = d.tensor((d.size(1),), d.dtype("double"), grad=False)
    values = tuple(
        sorted((v for v in given.values if v == v), key=lambda v: complex(v).real) or [0.0]
    )
    return Given((min(given.shape[0], len(values)),), given.dtype, values)


def rows_of_edges(d: Draw, so_far: SoFar) -> Given:
    """Sorted along the last dim: each row the same."""
    made = sorted_edges(d, so_far)
    return (
        Given((2, *made.shape), made.dtype, made.values[: made.shape[0]]) if d.chance(0.3) else made
    )


def _rows_to_find(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    edges = first(so_far).shape
    return (2, d.size()) if len(edges) == 2 else d.shape((0, 3))


def ascending(d: Draw, so_far: SoFar) -> Given:
    """Places of a 1-d tensor, or one of the input's shape."""
    x = first(so_far)
    shape = x.shape if d.chance(0.3) or not x.rank else x.shape[-1:]
    return Given(shape, "float64", tuple(0.5 * k * (k + 1) for k in range(12)))


more = shaped(_one_more_or_less)
to_find = shaped(_rows_to_find, "double")
bins = tensors(counts=(1, 2))

TABLE = """
sum nansum : input=t() dim=dims(none=True)? keepdim=flag? *dtype=dtype()??
sum nansum prod mean : input=t() *dtype=dtype()?
mean nanmean : input=t('inexact') dim=dims(none=True)? keepdim=flag? *dtype=dtype('inexact')??
prod : input=t() dim=dim() keepdim=flag? *dtype=dtype()??
all any : input=t() dim=dims(none=True)? keepdim=flag?
amax amin : input=t('real') dim=dims()? keepdim=flag?
aminmax : input=t('real') *dim=dim()? *keepdim=flag?
max min : input=t('real')
max min cummax cummin : input=t('real') dim=dim()
max min : input=t('real') dim=dim() keepdim=flag
max min : input=t('real') other=meets('real')
argmax argmin : input=t('real') dim=none_or(dim())? keepdim=flag?
median nanmedian mode : input=t('real') dim=dim() keepdim=flag?
median nanmedian : input=t('real')
mode : input=t('real')
var std : input=t('inexact') dim=dims(none=True)? *correction=pick(0,1,2,0.5,None)? *keepdim=flag?
var std : input=t('inexact') unbiased=flag
var std var_mean std_mean : input=t('inexact') dim=dims() unbiased=flag keepdim=flag?
var_mean std_mean : input=t('inexact') dim=dims(none=True)? *correction=pick(0,1,2,0.5,None)? *keepdim=flag?
var_mean std_mean : input=t('inexact') unbiased=flag
logsumexp S.logsumexp : input=t() dim=dims() keepdim=flag?
logcumsumexp : input=t('inexact') dim=dim()
cumsum cumprod : input=t() dim=dim() *dtype=dtype()??
softmax log_softmax S.softmax S.log_softmax : input=t('float') dim=dim() dtype=dtype('float')??
F.softmax F.log_softmax F.softmin : input=t('float') dim=dim()? _stacklevel=pick(3)?? dtype=dtype('float')??
norm : input=t('inexact') p=pick(0,1,2,3,0.5,2.5,-1,'fro',float('inf'),-float('inf'))? dim=dims()?
    keepdim=flag?
L.norm : A=t('inexact',rank=(0,4)) ord=pick(0,1,2,-1,2.5,'fro',float('inf'),None)? dim=dims(none=True)?
    keepdim=flag?
    *dtype=dtype('inexact')??
L.vector_norm : x=t('inexact') ord=pick(0,1,2,3,0.5,-1,2.5,float('inf'),-float('inf'))? dim=dims(none=True)?
    keepdim=flag? *dtype=dtype('inexact')??
renorm : input=t('inexact',rank=(2,4)) p=pick(1,2,0.5,3,float('inf')) dim=dim() maxnorm=real(0,3)
F.normalize : input=t('inexact') p=pick(1,2,3.0,0.5,float('inf'))? dim=dim()? eps=pick(1e-12,0.1)?
count_nonzero : input=t() dim=dims(none=True)?
nonzero argwhere : input=t()
nonzero : input=t() *as_tuple=flag
sort : input=t('real') dim=dim()? descending=flag?
argsort : input=t('real') dim=dim()? descending=flag?
sort argsort : input=t('real') *stable=pick(True) dim=dim()? descending=flag?
msort : input=t('real',rank=(1,4))
topk : input=t('real',rank=(0,4)) k=integer(0,2) dim=dim()? largest=flag? sorted=pick(True)?
kthvalue : input=t('real',rank=(0,4)) k=integer(1,2) dim=dim()? keepdim=flag?
quantile nanquantile : input=t('double') q=pick(0,1,0.5,0.3,0.9) dim=none_or(dim())? keepdim=flag?
    *interpolation=pick('linear','lower','higher','nearest','midpoint')?
quantile nanquantile : input=t('double') q=same_quantiles dim=none_or(dim())? keepdim=flag?
    *interpolation=pick('linear','lower','higher','nearest','midpoint')?
unique : input=t('real') sorted=pick(True)? return_inverse=flag? return_counts=flag? dim=dim()?
unique_consecutive : input=t('real') return_inverse=flag? return_counts=flag? dim=dim()?
bincount : input=t('whole',rank=1,low=0,high=5) weights=same('real')? minlength=integer(0,6)?
histc : input=t('double') bins=integer(1,5)? min=real(-3,0)? max=real(0,3)?
histogram : input=t('double') bins=integer(1,5) *range=pick((-2.0,2.0))? *density=flag?
histogram : input=t('double') bins=sorted_edges *density=flag?
histogramdd : input=t('double',rank=(2,3)) bins=integer(1,4) *density=flag?
bucketize : input=t('double') boundaries=sorted_edges *out_int32=flag? *right=flag?
bucketize : input=real() boundaries=sorted_edges *out_int32=flag? *right=flag?
searchsorted : sorted_sequence=rows_of_edges input=to_find *out_int32=flag? *right=flag?
    *side=pick('left','right')??
searchsorted : sorted_sequence=sorted_edges input=real() *out_int32=flag? *right=flag?
diff : input=t(rank=(1,4)) n=integer(0,3)? dim=dim()? prepend=more? append=more?
trapezoid trapz cumulative_trapezoid : y=t('inexact',rank=(1,4)) x=ascending *dim=pick(-1)?
trapezoid trapz cumulative_trapezoid : y=t('inexact') *dx=real()? *dim=dim()?
gradient : input=t('inexact',rank=(1,3),least=2) *spacing=pick(1,2.0,0.5)? *dim=dims(least=1)?
    *edge_order=pick(1,1,2)?
gradient : input=t('inexact',rank=(1,3),least=2) *spacing=spacings *edge_order=pick(1,2)?
cov : input=t('inexact',rank=(0,2)) *correction=pick(0,1,2)? *fweights=frequencies? *aweights=weights_of?
corrcoef : input=t('inexact',rank=(0,2))
trace : input=t(rank=2)
T.sum_to_size : input=t() _0=summed
S.polygamma : n=pick(1) input=t('real',low=0.2,high=3)
"""


def same_quantiles(d: Draw, so_far: SoFar) -> Given:
    shape = (d.size(),) if d.chance(0.8) else ()
    return d.tensor(shape, first(so_far).dtype, 0, 1, grad=False)


def spacings(d: Draw, so_far: SoFar) -> list:
    """One for each dim: numbers, or places of the elements."""
    x = first(so_far)
    if d.chance(0.5):
        return [d.pick((1.0, 2.0, 0.5)) for _ in x.shape]
    return [Given((n,), "float64", tuple(k * (k + 1.5) for k in range(10))) for n in x.shape]


def _observations(so_far: SoFar) -> tuple[int, ...]:
    return first(so_far).shape[-1:] or (1,)


def frequencies(d: Draw, so_far: SoFar) -> Given:
    return d.tensor(_observations(so_far), "int64", 0, 4)


def weights_of(d: Draw, so_far: SoFar) -> Given:
    return d.tensor(_observations(so_far), d.dtype("double"), 0.1, 3)


def summed(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    shape = [1 if d.chance(0.4) else n for n in first(so_far).shape]
    return tuple(shape[d.whole(0, len(shape)) if d.chance(0.4) else 0 :])
