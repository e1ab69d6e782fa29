"""vizgrad: PyTorch's autograd machine, made of glass.

`import vizgrad as torch` runs ordinary dense PyTorch code; `vizgrad.debug(loss)` opens the backward pass
of `loss` in a notebook and steps it node by node, forwards and backwards.
"""

from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from sys import modules as _modules
from typing import TYPE_CHECKING

from vizgrad import autograd as autograd
from vizgrad import cuda as cuda
from vizgrad import ops as ops
from vizgrad.arrays.backend import Device as device
from vizgrad.arrays.backend import get_default_device as get_default_device
from vizgrad.arrays.backend import set_default_device as set_default_device
from vizgrad.arrays.dtypes import DType as dtype
from vizgrad.arrays.dtypes import bool_ as bool
from vizgrad.arrays.dtypes import complex64 as cfloat
from vizgrad.arrays.dtypes import complex64 as complex64
from vizgrad.arrays.dtypes import complex128 as cdouble
from vizgrad.arrays.dtypes import complex128 as complex128
from vizgrad.arrays.dtypes import float16 as float16
from vizgrad.arrays.dtypes import float16 as half
from vizgrad.arrays.dtypes import float32 as float
from vizgrad.arrays.dtypes import float32 as float32
from vizgrad.arrays.dtypes import float64 as double
from vizgrad.arrays.dtypes import float64 as float64
from vizgrad.arrays.dtypes import get_default_dtype as get_default_dtype
from vizgrad.arrays.dtypes import int8 as int8
from vizgrad.arrays.dtypes import int16 as int16
from vizgrad.arrays.dtypes import int16 as short
from vizgrad.arrays.dtypes import int32 as int
from vizgrad.arrays.dtypes import int32 as int32
from vizgrad.arrays.dtypes import int64 as int64
from vizgrad.arrays.dtypes import int64 as long
from vizgrad.arrays.dtypes import promote_types as promote_types
from vizgrad.arrays.dtypes import set_default_dtype as set_default_dtype
from vizgrad.arrays.dtypes import uint8 as uint8
from vizgrad.arrays.limits import finfo as finfo
from vizgrad.arrays.limits import iinfo as iinfo
from vizgrad.autograd.anomaly_mode import (
    is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled,
)
from vizgrad.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from vizgrad.autograd.anomaly_mode import set_detect_anomaly as set_anomaly_enabled
from vizgrad.autograd.grad_mode import enable_grad as enable_grad
from vizgrad.autograd.grad_mode import inference_mode as inference_mode
from vizgrad.autograd.grad_mode import no_grad as no_grad
from vizgrad.autograd.grad_mode import reset_modes as reset_modes
from vizgrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from vizgrad.errors import is_warn_always_enabled as is_warn_always_enabled
from vizgrad.errors import set_warn_always as set_warn_always
from vizgrad.interactive import debug as debug
from vizgrad.interactive import graph as graph
from vizgrad.interactive import on_import as _on_import
from vizgrad.interactive import record as record
from vizgrad.interactive import scope as scope
from vizgrad.interactive import versions as versions
from vizgrad.magics import load_ipython_extension as load_ipython_extension
from vizgrad.magics import unload_ipython_extension as unload_ipython_extension
from vizgrad.ops.inplace import FUNCTIONS as _FUNCTIONS
from vizgrad.ops.public import fft as fft
from vizgrad.ops.public import linalg as linalg
from vizgrad.ops.public import special as special
from vizgrad.ops.public.arithmetic import add as add
from vizgrad.ops.public.arithmetic import addcdiv as addcdiv
from vizgrad.ops.public.arithmetic import addcmul as addcmul
from vizgrad.ops.public.arithmetic import div as div
from vizgrad.ops.public.arithmetic import div as divide
from vizgrad.ops.public.arithmetic import div as true_divide
from vizgrad.ops.public.arithmetic import float_power as float_power
from vizgrad.ops.public.arithmetic import floor_divide as floor_divide
from vizgrad.ops.public.arithmetic import fmod as fmod
from vizgrad.ops.public.arithmetic import frexp as frexp
from vizgrad.ops.public.arithmetic import ldexp as ldexp
from vizgrad.ops.public.arithmetic import lerp as lerp
from vizgrad.ops.public.arithmetic import logit as logit
from vizgrad.ops.public.arithmetic import mul as mul
from vizgrad.ops.public.arithmetic import mul as multiply
from vizgrad.ops.public.arithmetic import neg as neg
from vizgrad.ops.public.arithmetic import neg as negative
from vizgrad.ops.public.arithmetic import polygamma as polygamma
from vizgrad.ops.public.arithmetic import positive as positive
from vizgrad.ops.public.arithmetic import pow as pow
from vizgrad.ops.public.arithmetic import remainder as remainder
from vizgrad.ops.public.arithmetic import round as round
from vizgrad.ops.public.arithmetic import rsub as rsub
from vizgrad.ops.public.arithmetic import square as square
from vizgrad.ops.public.arithmetic import sub as sub
from vizgrad.ops.public.arithmetic import sub as subtract
from vizgrad.ops.public.broadcasting import broadcast_shapes as broadcast_shapes
from vizgrad.ops.public.broadcasting import broadcast_tensors as broadcast_tensors
from vizgrad.ops.public.broadcasting import broadcast_to as broadcast_to
from vizgrad.ops.public.broadcasting import meshgrid as meshgrid
from vizgrad.ops.public.broadcasting import repeat_interleave as repeat_interleave
from vizgrad.ops.public.broadcasting import tile as tile
from vizgrad.ops.public.combinations import block_diag as block_diag
from vizgrad.ops.public.combinations import cartesian_prod as cartesian_prod
from vizgrad.ops.public.combinations import combinations as combinations
from vizgrad.ops.public.combinations import vander as vander
from vizgrad.ops.public.comparison import allclose as allclose
from vizgrad.ops.public.comparison import equal as equal
from vizgrad.ops.public.comparison import isclose as isclose
from vizgrad.ops.public.complexes import adjoint as adjoint
from vizgrad.ops.public.complexes import angle as angle
from vizgrad.ops.public.complexes import complex as complex
from vizgrad.ops.public.complexes import conj as conj
from vizgrad.ops.public.complexes import conj_physical as conj_physical
from vizgrad.ops.public.complexes import imag as imag
from vizgrad.ops.public.complexes import is_conj as is_conj
from vizgrad.ops.public.complexes import is_neg as is_neg
from vizgrad.ops.public.complexes import isreal as isreal
from vizgrad.ops.public.complexes import polar as polar
from vizgrad.ops.public.complexes import real as real
from vizgrad.ops.public.complexes import resolve_conj as resolve_conj
from vizgrad.ops.public.complexes import resolve_neg as resolve_neg
from vizgrad.ops.public.complexes import view_as_complex as view_as_complex
from vizgrad.ops.public.complexes import view_as_real as view_as_real
from vizgrad.ops.public.conversion import can_cast as can_cast
from vizgrad.ops.public.conversion import clone as clone
from vizgrad.ops.public.conversion import detach as detach
from vizgrad.ops.public.conversion import is_complex as is_complex
from vizgrad.ops.public.conversion import is_floating_point as is_floating_point
from vizgrad.ops.public.conversion import is_tensor as is_tensor
from vizgrad.ops.public.conversion import numel as numel
from vizgrad.ops.public.conversion import result_type as result_type
from vizgrad.ops.public.covariance import corrcoef as corrcoef
from vizgrad.ops.public.covariance import cov as cov
from vizgrad.ops.public.covariance import renorm as renorm
from vizgrad.ops.public.creation import as_tensor as as_tensor
from vizgrad.ops.public.creation import asarray as asarray
from vizgrad.ops.public.creation import empty as empty
from vizgrad.ops.public.creation import empty_like as empty_like
from vizgrad.ops.public.creation import empty_strided as empty_strided
from vizgrad.ops.public.creation import fill as fill
from vizgrad.ops.public.creation import from_numpy as from_numpy
from vizgrad.ops.public.creation import frombuffer as frombuffer
from vizgrad.ops.public.creation import full as full
from vizgrad.ops.public.creation import full_like as full_like
from vizgrad.ops.public.creation import ones as ones
from vizgrad.ops.public.creation import ones_like as ones_like
from vizgrad.ops.public.creation import scalar_tensor as scalar_tensor
from vizgrad.ops.public.creation import tensor as tensor
from vizgrad.ops.public.creation import zeros as zeros
from vizgrad.ops.public.creation import zeros_like as zeros_like
from vizgrad.ops.public.cumulative import cummax as cummax
from vizgrad.ops.public.cumulative import cummin as cummin
from vizgrad.ops.public.cumulative import cumprod as cumprod
from vizgrad.ops.public.cumulative import cumsum as cumsum
from vizgrad.ops.public.cumulative import logcumsumexp as logcumsumexp
from vizgrad.ops.public.determinism import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
)
from vizgrad.ops.public.determinism import (
    use_deterministic_algorithms as use_deterministic_algorithms,
)
from vizgrad.ops.public.differences import cumulative_trapezoid as cumulative_trapezoid
from vizgrad.ops.public.differences import diff as diff
from vizgrad.ops.public.differences import gradient as gradient
from vizgrad.ops.public.differences import trapezoid as trapezoid
from vizgrad.ops.public.differences import trapz as trapz
from vizgrad.ops.public.dimensions import atleast_1d as atleast_1d
from vizgrad.ops.public.dimensions import atleast_2d as atleast_2d
from vizgrad.ops.public.dimensions import atleast_3d as atleast_3d
from vizgrad.ops.public.dimensions import flip as flip
from vizgrad.ops.public.dimensions import fliplr as fliplr
from vizgrad.ops.public.dimensions import flipud as flipud
from vizgrad.ops.public.dimensions import moveaxis as moveaxis
from vizgrad.ops.public.dimensions import movedim as movedim
from vizgrad.ops.public.dimensions import permute as permute
from vizgrad.ops.public.dimensions import roll as roll
from vizgrad.ops.public.dimensions import rot90 as rot90
from vizgrad.ops.public.dimensions import squeeze as squeeze
from vizgrad.ops.public.dimensions import swapaxes as swapaxes
from vizgrad.ops.public.dimensions import swapdims as swapdims
from vizgrad.ops.public.dimensions import t as t
from vizgrad.ops.public.dimensions import transpose as transpose
from vizgrad.ops.public.dimensions import tril as tril
from vizgrad.ops.public.dimensions import triu as triu
from vizgrad.ops.public.dimensions import unsqueeze as unsqueeze
from vizgrad.ops.public.einsum import einsum as einsum
from vizgrad.ops.public.gather_scatter import gather as gather
from vizgrad.ops.public.gather_scatter import index_add as index_add
from vizgrad.ops.public.gather_scatter import index_copy as index_copy
from vizgrad.ops.public.gather_scatter import index_fill as index_fill
from vizgrad.ops.public.gather_scatter import index_reduce as index_reduce
from vizgrad.ops.public.gather_scatter import index_select as index_select
from vizgrad.ops.public.gather_scatter import scatter as scatter
from vizgrad.ops.public.gather_scatter import scatter_add as scatter_add
from vizgrad.ops.public.gather_scatter import scatter_reduce as scatter_reduce
from vizgrad.ops.public.gather_scatter import take_along_dim as take_along_dim
from vizgrad.ops.public.indexing import index_put as index_put
from vizgrad.ops.public.joining import cat as cat
from vizgrad.ops.public.joining import column_stack as column_stack
from vizgrad.ops.public.joining import concat as concat
from vizgrad.ops.public.joining import concatenate as concatenate
from vizgrad.ops.public.joining import dstack as dstack
from vizgrad.ops.public.joining import hstack as hstack
from vizgrad.ops.public.joining import row_stack as row_stack
from vizgrad.ops.public.joining import stack as stack
from vizgrad.ops.public.joining import vstack as vstack
from vizgrad.ops.public.lapack import cholesky as cholesky
from vizgrad.ops.public.lapack import det as det
from vizgrad.ops.public.lapack import inverse as inverse
from vizgrad.ops.public.lapack import lu as lu
from vizgrad.ops.public.lapack import lu_solve as lu_solve
from vizgrad.ops.public.lapack import matrix_power as matrix_power
from vizgrad.ops.public.lapack import pinverse as pinverse
from vizgrad.ops.public.lapack import qr as qr
from vizgrad.ops.public.lapack import slogdet as slogdet
from vizgrad.ops.public.lapack import svd as svd
from vizgrad.ops.public.lapack import triangular_solve as triangular_solve
from vizgrad.ops.public.linalg import cholesky_inverse as cholesky_inverse
from vizgrad.ops.public.linalg import cholesky_solve as cholesky_solve
from vizgrad.ops.public.linalg import logdet as logdet
from vizgrad.ops.public.linalg import lu_unpack as lu_unpack
from vizgrad.ops.public.linalg import matrix_exp as matrix_exp
from vizgrad.ops.public.matrix_products import addbmm as addbmm
from vizgrad.ops.public.matrix_products import addmm as addmm
from vizgrad.ops.public.matrix_products import addmv as addmv
from vizgrad.ops.public.matrix_products import addr as addr
from vizgrad.ops.public.matrix_products import baddbmm as baddbmm
from vizgrad.ops.public.matrix_products import bmm as bmm
from vizgrad.ops.public.matrix_products import cdist as cdist
from vizgrad.ops.public.matrix_products import chain_matmul as chain_matmul
from vizgrad.ops.public.matrix_products import cross as cross
from vizgrad.ops.public.matrix_products import dot as dot
from vizgrad.ops.public.matrix_products import ger as ger
from vizgrad.ops.public.matrix_products import inner as inner
from vizgrad.ops.public.matrix_products import kron as kron
from vizgrad.ops.public.matrix_products import matmul as matmul
from vizgrad.ops.public.matrix_products import mm as mm
from vizgrad.ops.public.matrix_products import mv as mv
from vizgrad.ops.public.matrix_products import outer as outer
from vizgrad.ops.public.matrix_products import tensordot as tensordot
from vizgrad.ops.public.matrix_products import vdot as vdot
from vizgrad.ops.public.order_statistics import amax as amax
from vizgrad.ops.public.order_statistics import amin as amin
from vizgrad.ops.public.order_statistics import aminmax as aminmax
from vizgrad.ops.public.order_statistics import argmax as argmax
from vizgrad.ops.public.order_statistics import argmin as argmin
from vizgrad.ops.public.order_statistics import kthvalue as kthvalue
from vizgrad.ops.public.order_statistics import max as max
from vizgrad.ops.public.order_statistics import median as median
from vizgrad.ops.public.order_statistics import min as min
from vizgrad.ops.public.order_statistics import mode as mode
from vizgrad.ops.public.order_statistics import nanmedian as nanmedian
from vizgrad.ops.public.pointwise import abs as abs
from vizgrad.ops.public.pointwise import abs as absolute
from vizgrad.ops.public.pointwise import acos as acos
from vizgrad.ops.public.pointwise import acos as arccos
from vizgrad.ops.public.pointwise import acosh as acosh
from vizgrad.ops.public.pointwise import acosh as arccosh
from vizgrad.ops.public.pointwise import asin as arcsin
from vizgrad.ops.public.pointwise import asin as asin
from vizgrad.ops.public.pointwise import asinh as arcsinh
from vizgrad.ops.public.pointwise import asinh as asinh
from vizgrad.ops.public.pointwise import atan as arctan
from vizgrad.ops.public.pointwise import atan as atan
from vizgrad.ops.public.pointwise import atan2 as arctan2
from vizgrad.ops.public.pointwise import atan2 as atan2
from vizgrad.ops.public.pointwise import atanh as arctanh
from vizgrad.ops.public.pointwise import atanh as atanh
from vizgrad.ops.public.pointwise import bitwise_and as bitwise_and
from vizgrad.ops.public.pointwise import bitwise_left_shift as bitwise_left_shift
from vizgrad.ops.public.pointwise import bitwise_not as bitwise_not
from vizgrad.ops.public.pointwise import bitwise_or as bitwise_or
from vizgrad.ops.public.pointwise import bitwise_right_shift as bitwise_right_shift
from vizgrad.ops.public.pointwise import bitwise_xor as bitwise_xor
from vizgrad.ops.public.pointwise import ceil as ceil
from vizgrad.ops.public.pointwise import copysign as copysign
from vizgrad.ops.public.pointwise import cos as cos
from vizgrad.ops.public.pointwise import cosh as cosh
from vizgrad.ops.public.pointwise import deg2rad as deg2rad
from vizgrad.ops.public.pointwise import digamma as digamma
from vizgrad.ops.public.pointwise import eq as eq
from vizgrad.ops.public.pointwise import erf as erf
from vizgrad.ops.public.pointwise import erfc as erfc
from vizgrad.ops.public.pointwise import erfinv as erfinv
from vizgrad.ops.public.pointwise import exp as exp
from vizgrad.ops.public.pointwise import exp2 as exp2
from vizgrad.ops.public.pointwise import expm1 as expm1
from vizgrad.ops.public.pointwise import floor as floor
from vizgrad.ops.public.pointwise import frac as frac
from vizgrad.ops.public.pointwise import gcd as gcd
from vizgrad.ops.public.pointwise import ge as ge
from vizgrad.ops.public.pointwise import ge as greater_equal
from vizgrad.ops.public.pointwise import gt as greater
from vizgrad.ops.public.pointwise import gt as gt
from vizgrad.ops.public.pointwise import heaviside as heaviside
from vizgrad.ops.public.pointwise import hypot as hypot
from vizgrad.ops.public.pointwise import isfinite as isfinite
from vizgrad.ops.public.pointwise import isinf as isinf
from vizgrad.ops.public.pointwise import isnan as isnan
from vizgrad.ops.public.pointwise import isneginf as isneginf
from vizgrad.ops.public.pointwise import isposinf as isposinf
from vizgrad.ops.public.pointwise import lcm as lcm
from vizgrad.ops.public.pointwise import le as le
from vizgrad.ops.public.pointwise import le as less_equal
from vizgrad.ops.public.pointwise import lgamma as lgamma
from vizgrad.ops.public.pointwise import log as log
from vizgrad.ops.public.pointwise import log1p as log1p
from vizgrad.ops.public.pointwise import log2 as log2
from vizgrad.ops.public.pointwise import log10 as log10
from vizgrad.ops.public.pointwise import logaddexp as logaddexp
from vizgrad.ops.public.pointwise import logaddexp2 as logaddexp2
from vizgrad.ops.public.pointwise import logical_and as logical_and
from vizgrad.ops.public.pointwise import logical_not as logical_not
from vizgrad.ops.public.pointwise import logical_or as logical_or
from vizgrad.ops.public.pointwise import logical_xor as logical_xor
from vizgrad.ops.public.pointwise import lt as less
from vizgrad.ops.public.pointwise import lt as lt
from vizgrad.ops.public.pointwise import ne as ne
from vizgrad.ops.public.pointwise import ne as not_equal
from vizgrad.ops.public.pointwise import nextafter as nextafter
from vizgrad.ops.public.pointwise import rad2deg as rad2deg
from vizgrad.ops.public.pointwise import reciprocal as reciprocal
from vizgrad.ops.public.pointwise import relu as relu
from vizgrad.ops.public.pointwise import rsqrt as rsqrt
from vizgrad.ops.public.pointwise import sgn as sgn
from vizgrad.ops.public.pointwise import sigmoid as sigmoid
from vizgrad.ops.public.pointwise import sign as sign
from vizgrad.ops.public.pointwise import signbit as signbit
from vizgrad.ops.public.pointwise import sin as sin
from vizgrad.ops.public.pointwise import sinc as sinc
from vizgrad.ops.public.pointwise import sinh as sinh
from vizgrad.ops.public.pointwise import sqrt as sqrt
from vizgrad.ops.public.pointwise import tan as tan
from vizgrad.ops.public.pointwise import tanh as tanh
from vizgrad.ops.public.pointwise import trunc as fix
from vizgrad.ops.public.pointwise import trunc as trunc
from vizgrad.ops.public.pointwise import xlogy as xlogy
from vizgrad.ops.public.put import as_strided_scatter as as_strided_scatter
from vizgrad.ops.public.put import diagflat as diagflat
from vizgrad.ops.public.put import put as put
from vizgrad.ops.public.put import unravel_index as unravel_index
from vizgrad.ops.public.quantiles import nanquantile as nanquantile
from vizgrad.ops.public.quantiles import quantile as quantile
from vizgrad.ops.public.random_sampling import Generator as Generator
from vizgrad.ops.public.random_sampling import bernoulli as bernoulli
from vizgrad.ops.public.random_sampling import binomial as binomial
from vizgrad.ops.public.random_sampling import get_rng_state as get_rng_state
from vizgrad.ops.public.random_sampling import initial_seed as initial_seed
from vizgrad.ops.public.random_sampling import manual_seed as manual_seed
from vizgrad.ops.public.random_sampling import multinomial as multinomial
from vizgrad.ops.public.random_sampling import normal as normal
from vizgrad.ops.public.random_sampling import poisson as poisson
from vizgrad.ops.public.random_sampling import rand as rand
from vizgrad.ops.public.random_sampling import rand_like as rand_like
from vizgrad.ops.public.random_sampling import randint as randint
from vizgrad.ops.public.random_sampling import randint_like as randint_like
from vizgrad.ops.public.random_sampling import randn as randn
from vizgrad.ops.public.random_sampling import randn_like as randn_like
from vizgrad.ops.public.random_sampling import randperm as randperm
from vizgrad.ops.public.random_sampling import seed as seed
from vizgrad.ops.public.random_sampling import set_rng_state as set_rng_state
from vizgrad.ops.public.ranges import arange as arange
from vizgrad.ops.public.ranges import eye as eye
from vizgrad.ops.public.ranges import linspace as linspace
from vizgrad.ops.public.ranges import logspace as logspace
from vizgrad.ops.public.ranges import tril_indices as tril_indices
from vizgrad.ops.public.ranges import triu_indices as triu_indices
from vizgrad.ops.public.reduction import all as all
from vizgrad.ops.public.reduction import any as any
from vizgrad.ops.public.reduction import count_nonzero as count_nonzero
from vizgrad.ops.public.reduction import mean as mean
from vizgrad.ops.public.reduction import nanmean as nanmean
from vizgrad.ops.public.reduction import nansum as nansum
from vizgrad.ops.public.reduction import prod as prod
from vizgrad.ops.public.reduction import sum as sum
from vizgrad.ops.public.reduction import trace as trace
from vizgrad.ops.public.reshape import flatten as flatten
from vizgrad.ops.public.reshape import ravel as ravel
from vizgrad.ops.public.reshape import reshape as reshape
from vizgrad.ops.public.reshape import unflatten as unflatten
from vizgrad.ops.public.segments import segment_max as segment_max
from vizgrad.ops.public.segments import segment_mean as segment_mean
from vizgrad.ops.public.segments import segment_softmax as segment_softmax
from vizgrad.ops.public.segments import segment_sum as segment_sum
from vizgrad.ops.public.slice_scatter import diagonal_scatter as diagonal_scatter
from vizgrad.ops.public.slice_scatter import select_scatter as select_scatter
from vizgrad.ops.public.slice_scatter import slice_scatter as slice_scatter
from vizgrad.ops.public.slicing import as_strided as as_strided
from vizgrad.ops.public.slicing import diag as diag
from vizgrad.ops.public.slicing import diag_embed as diag_embed
from vizgrad.ops.public.slicing import diagonal as diagonal
from vizgrad.ops.public.slicing import narrow as narrow
from vizgrad.ops.public.slicing import select as select
from vizgrad.ops.public.softmax import log_softmax as log_softmax
from vizgrad.ops.public.softmax import softmax as softmax
from vizgrad.ops.public.sort_search import argsort as argsort
from vizgrad.ops.public.sort_search import argwhere as argwhere
from vizgrad.ops.public.sort_search import bincount as bincount
from vizgrad.ops.public.sort_search import bucketize as bucketize
from vizgrad.ops.public.sort_search import masked_scatter as masked_scatter
from vizgrad.ops.public.sort_search import masked_select as masked_select
from vizgrad.ops.public.sort_search import msort as msort
from vizgrad.ops.public.sort_search import nonzero as nonzero
from vizgrad.ops.public.sort_search import searchsorted as searchsorted
from vizgrad.ops.public.sort_search import sort as sort
from vizgrad.ops.public.sort_search import take as take
from vizgrad.ops.public.sort_search import topk as topk
from vizgrad.ops.public.special import gammainc as igamma
from vizgrad.ops.public.special import gammaincc as igammac
from vizgrad.ops.public.special import i0 as i0
from vizgrad.ops.public.special import multigammaln as mvlgamma
from vizgrad.ops.public.spectral import istft as istft
from vizgrad.ops.public.spectral import stft as stft
from vizgrad.ops.public.splitting import chunk as chunk
from vizgrad.ops.public.splitting import dsplit as dsplit
from vizgrad.ops.public.splitting import hsplit as hsplit
from vizgrad.ops.public.splitting import split as split
from vizgrad.ops.public.splitting import split_with_sizes as split_with_sizes
from vizgrad.ops.public.splitting import tensor_split as tensor_split
from vizgrad.ops.public.splitting import unbind as unbind
from vizgrad.ops.public.splitting import vsplit as vsplit
from vizgrad.ops.public.statistics import dist as dist
from vizgrad.ops.public.statistics import logsumexp as logsumexp
from vizgrad.ops.public.statistics import norm as norm
from vizgrad.ops.public.statistics import std as std
from vizgrad.ops.public.statistics import std_mean as std_mean
from vizgrad.ops.public.statistics import var as var
from vizgrad.ops.public.statistics import var_mean as var_mean
from vizgrad.ops.public.storage import UntypedStorage as UntypedStorage
from vizgrad.ops.public.tensor_properties import is_inference as is_inference
from vizgrad.ops.public.tensor_properties import is_nonzero as is_nonzero
from vizgrad.ops.public.tensor_properties import is_same_size as is_same_size
from vizgrad.ops.public.tensor_properties import is_signed as is_signed
from vizgrad.ops.public.typed_tensors import BoolTensor as BoolTensor
from vizgrad.ops.public.typed_tensors import ByteTensor as ByteTensor
from vizgrad.ops.public.typed_tensors import CharTensor as CharTensor
from vizgrad.ops.public.typed_tensors import DoubleTensor as DoubleTensor
from vizgrad.ops.public.typed_tensors import FloatTensor as FloatTensor
from vizgrad.ops.public.typed_tensors import HalfTensor as HalfTensor
from vizgrad.ops.public.typed_tensors import IntTensor as IntTensor
from vizgrad.ops.public.typed_tensors import LongTensor as LongTensor
from vizgrad.ops.public.typed_tensors import ShortTensor as ShortTensor
from vizgrad.ops.public.typed_tensors import set_default_tensor_type as set_default_tensor_type
from vizgrad.ops.public.unique_histogram import histc as histc
from vizgrad.ops.public.unique_histogram import histogram as histogram
from vizgrad.ops.public.unique_histogram import isin as isin
from vizgrad.ops.public.unique_histogram import unique as unique
from vizgrad.ops.public.unique_histogram import unique_consecutive as unique_consecutive
from vizgrad.ops.public.where_clamp import clamp as clamp
from vizgrad.ops.public.where_clamp import clamp_max as clamp_max
from vizgrad.ops.public.where_clamp import clamp_min as clamp_min
from vizgrad.ops.public.where_clamp import clip as clip
from vizgrad.ops.public.where_clamp import fmax as fmax
from vizgrad.ops.public.where_clamp import fmin as fmin
from vizgrad.ops.public.where_clamp import masked_fill as masked_fill
from vizgrad.ops.public.where_clamp import maximum as maximum
from vizgrad.ops.public.where_clamp import minimum as minimum
from vizgrad.ops.public.where_clamp import nan_to_num as nan_to_num
from vizgrad.ops.public.where_clamp import where as where
from vizgrad.ops.public.windows import bartlett_window as bartlett_window
from vizgrad.ops.public.windows import blackman_window as blackman_window
from vizgrad.ops.public.windows import hamming_window as hamming_window
from vizgrad.ops.public.windows import hann_window as hann_window
from vizgrad.ops.public.windows import kaiser_window as kaiser_window
from vizgrad.tensor.formats import contiguous_format as contiguous_format
from vizgrad.tensor.formats import layout as layout
from vizgrad.tensor.formats import memory_format as memory_format
from vizgrad.tensor.formats import preserve_format as preserve_format
from vizgrad.tensor.formats import strided as strided
from vizgrad.tensor.modes import is_grad_enabled as is_grad_enabled
from vizgrad.tensor.modes import is_inference_mode_enabled as is_inference_mode_enabled
from vizgrad.tensor.printing import set_printoptions as set_printoptions
from vizgrad.tensor.tensor import Size as Size
from vizgrad.tensor.tensor import Tensor as Tensor
from vizgrad.version import __version__ as __version__

newaxis = None

if TYPE_CHECKING:  # what `__getattr__` loads
    from vizgrad import distributions as distributions
    from vizgrad import nn as nn
    from vizgrad import optim as optim
    from vizgrad import serialization as serialization
    from vizgrad import utils as utils
    from vizgrad.serialization import load as load
    from vizgrad.serialization import save as save

_on_import()

# They lie below what is built on them; here they are modules, too: `from vizgrad.linalg import solve`
_modules |= {"vizgrad.fft": fft, "vizgrad.linalg": linalg, "vizgrad.special": special}

for _name in _FUNCTIONS:  # abs_, acos_, ...: the methods
    globals()[_name] = getattr(Tensor, _name)


#: Loaded when first asked for: `import vizgrad` alone stays quick.
_LATER = {
    "nn": "",
    "distributions": "",
    "optim": "",
    "serialization": "",
    "utils": "",
    **dict.fromkeys(
        (
            "adaptive_avg_pool1d",
            "adaptive_max_pool1d",
            "avg_pool1d",
            "bilinear",
            "celu",
            "celu_",
            "channel_shuffle",
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
            "cosine_similarity",
            "group_norm",
            "hardshrink",
            "layer_norm",
            "max_pool1d",
            "max_pool2d",
            "max_pool3d",
            "pairwise_distance",
            "pdist",
            "pixel_shuffle",
            "pixel_unshuffle",
            "prelu",
            "rms_norm",
            "rrelu",
            "rrelu_",
            "selu",
            "selu_",
            "threshold",
            "threshold_",
        ),
        "nn.functional",
    ),
    "alpha_dropout": "nn.functional.train",
    "dropout": "nn.functional.train",
    "save": "serialization",
    "load": "serialization",
}


def __getattr__(name: str) -> object:
    """What is loaded when first asked for: packages, and functions of such packages."""
    from importlib import import_module

    package = _LATER.get(name)
    if package is None:
        raise AttributeError(f"module 'vizgrad' has no attribute {name!r}")
    if not package:
        return import_module(f"vizgrad.{name}")
    return getattr(import_module(f"vizgrad.{package}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
