"""Written by `python -m vizgrad.ops.stub` from what operations say of themselves: do not edit."""

from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import Any as _Any
from vizgrad import accelerator as accelerator
from vizgrad import amp as amp
from vizgrad import backends as backends
from vizgrad import compiler as compiler
from vizgrad import cpu as cpu
from vizgrad import cuda as cuda
from vizgrad import distributed as distributed
from vizgrad import distributions as distributions
from vizgrad import func as func
from vizgrad import futures as futures
from vizgrad import integrations as integrations
from vizgrad import multiprocessing as multiprocessing
from vizgrad import nn as nn
from vizgrad import optim as optim
from vizgrad import profiler as profiler
from vizgrad import quasirandom as quasirandom
from vizgrad import random as random
from vizgrad import serialization as serialization
from vizgrad import signal as signal
from vizgrad import sparse as sparse
from vizgrad import testing as testing
from vizgrad import utils as utils
from vizgrad.amp import GradScaler as GradScaler
from vizgrad.amp import autocast as autocast
from vizgrad.amp.mode import clear_autocast_cache as clear_autocast_cache
from vizgrad.amp.mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from vizgrad.amp.mode import get_autocast_dtype as get_autocast_dtype
from vizgrad.amp.mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from vizgrad.amp.mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from vizgrad.amp.mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from vizgrad.amp.mode import is_autocast_enabled as is_autocast_enabled
from vizgrad.amp.mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from vizgrad.amp.mode import set_autocast_dtype as set_autocast_dtype
from vizgrad.amp.mode import set_autocast_enabled as set_autocast_enabled
from vizgrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from vizgrad.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from vizgrad.autograd.anomaly_mode import set_detect_anomaly as set_anomaly_enabled
from vizgrad.autograd.grad_mode import enable_grad as enable_grad
from vizgrad.autograd.grad_mode import inference_mode as inference_mode
from vizgrad.autograd.grad_mode import no_grad as no_grad
from vizgrad.autograd.grad_mode import reset_modes as reset_modes
from vizgrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from vizgrad.compiler import compile as compile
from vizgrad.core import ops as ops
from vizgrad.core.arrays.backend import Device as device
from vizgrad.core.arrays.backend import get_default_device as get_default_device
from vizgrad.core.arrays.backend import set_default_device as set_default_device
from vizgrad.core.arrays.device_memory import OutOfMemoryError as OutOfMemoryError
from vizgrad.core.arrays.dtypes import DType as dtype
from vizgrad.core.arrays.dtypes import bfloat16 as bfloat16
from vizgrad.core.arrays.dtypes import bool_ as bool
from vizgrad.core.arrays.dtypes import complex128 as complex128
from vizgrad.core.arrays.dtypes import complex64 as complex64
from vizgrad.core.arrays.dtypes import finfo as finfo
from vizgrad.core.arrays.dtypes import float16 as float16
from vizgrad.core.arrays.dtypes import float32 as float32
from vizgrad.core.arrays.dtypes import float64 as float64
from vizgrad.core.arrays.dtypes import float8_e4m3fn as float8_e4m3fn
from vizgrad.core.arrays.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from vizgrad.core.arrays.dtypes import float8_e5m2 as float8_e5m2
from vizgrad.core.arrays.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from vizgrad.core.arrays.dtypes import float8_e8m0fnu as float8_e8m0fnu
from vizgrad.core.arrays.dtypes import get_default_dtype as get_default_dtype
from vizgrad.core.arrays.dtypes import iinfo as iinfo
from vizgrad.core.arrays.dtypes import int16 as int16
from vizgrad.core.arrays.dtypes import int32 as int32
from vizgrad.core.arrays.dtypes import int64 as int64
from vizgrad.core.arrays.dtypes import int8 as int8
from vizgrad.core.arrays.dtypes import promote_types as promote_types
from vizgrad.core.arrays.dtypes import set_default_dtype as set_default_dtype
from vizgrad.core.arrays.dtypes import uint8 as uint8
from vizgrad.core.errors import is_warn_always_enabled as is_warn_always_enabled
from vizgrad.core.errors import set_warn_always as set_warn_always
from vizgrad.core.ops.inplace import abs_ as abs_
from vizgrad.core.ops.inplace import abs_ as absolute_
from vizgrad.core.ops.inplace import clamp_ as clamp_
from vizgrad.core.ops.inplace import clamp_ as clip_
from vizgrad.core.ops.inplace import clamp_max_ as clamp_max_
from vizgrad.core.ops.inplace import clamp_min_ as clamp_min_
from vizgrad.core.ops.inplace import nan_to_num_ as nan_to_num_
from vizgrad.core.ops.inplace import round_ as round_
from vizgrad.core.ops.inplace import square_ as square_
from vizgrad.core.ops.public import fft as fft
from vizgrad.core.ops.public import linalg as linalg
from vizgrad.core.ops.public import special as special
from vizgrad.core.ops.public.arithmetic import add as add
from vizgrad.core.ops.public.arithmetic import addcdiv as addcdiv
from vizgrad.core.ops.public.arithmetic import addcmul as addcmul
from vizgrad.core.ops.public.arithmetic import div as div
from vizgrad.core.ops.public.arithmetic import div as divide
from vizgrad.core.ops.public.arithmetic import div as true_divide
from vizgrad.core.ops.public.arithmetic import float_power as float_power
from vizgrad.core.ops.public.arithmetic import floor_divide as floor_divide
from vizgrad.core.ops.public.arithmetic import fmod as fmod
from vizgrad.core.ops.public.arithmetic import frexp as frexp
from vizgrad.core.ops.public.arithmetic import ldexp as ldexp
from vizgrad.core.ops.public.arithmetic import lerp as lerp
from vizgrad.core.ops.public.arithmetic import logit as logit
from vizgrad.core.ops.public.arithmetic import mul as mul
from vizgrad.core.ops.public.arithmetic import mul as multiply
from vizgrad.core.ops.public.arithmetic import neg as neg
from vizgrad.core.ops.public.arithmetic import neg as negative
from vizgrad.core.ops.public.arithmetic import polygamma as polygamma
from vizgrad.core.ops.public.arithmetic import positive as positive
from vizgrad.core.ops.public.arithmetic import pow as pow
from vizgrad.core.ops.public.arithmetic import remainder as remainder
from vizgrad.core.ops.public.arithmetic import round as round
from vizgrad.core.ops.public.arithmetic import rsub as rsub
from vizgrad.core.ops.public.arithmetic import square as square
from vizgrad.core.ops.public.arithmetic import sub as sub
from vizgrad.core.ops.public.arithmetic import sub as subtract
from vizgrad.core.ops.public.broadcasting import broadcast_shapes as broadcast_shapes
from vizgrad.core.ops.public.broadcasting import broadcast_tensors as broadcast_tensors
from vizgrad.core.ops.public.broadcasting import broadcast_to as broadcast_to
from vizgrad.core.ops.public.broadcasting import meshgrid as meshgrid
from vizgrad.core.ops.public.broadcasting import repeat_interleave as repeat_interleave
from vizgrad.core.ops.public.broadcasting import tile as tile
from vizgrad.core.ops.public.complexes import adjoint as adjoint
from vizgrad.core.ops.public.complexes import allclose as allclose
from vizgrad.core.ops.public.complexes import angle as angle
from vizgrad.core.ops.public.complexes import complex as complex
from vizgrad.core.ops.public.complexes import conj as conj
from vizgrad.core.ops.public.complexes import conj_physical as conj_physical
from vizgrad.core.ops.public.complexes import equal as equal
from vizgrad.core.ops.public.complexes import imag as imag
from vizgrad.core.ops.public.complexes import is_conj as is_conj
from vizgrad.core.ops.public.complexes import is_neg as is_neg
from vizgrad.core.ops.public.complexes import isclose as isclose
from vizgrad.core.ops.public.complexes import isreal as isreal
from vizgrad.core.ops.public.complexes import polar as polar
from vizgrad.core.ops.public.complexes import real as real
from vizgrad.core.ops.public.complexes import resolve_conj as resolve_conj
from vizgrad.core.ops.public.complexes import resolve_neg as resolve_neg
from vizgrad.core.ops.public.complexes import view_as_complex as view_as_complex
from vizgrad.core.ops.public.complexes import view_as_real as view_as_real
from vizgrad.core.ops.public.conversion import can_cast as can_cast
from vizgrad.core.ops.public.conversion import clone as clone
from vizgrad.core.ops.public.conversion import detach as detach
from vizgrad.core.ops.public.conversion import detach_ as detach_
from vizgrad.core.ops.public.conversion import fill_ as fill_
from vizgrad.core.ops.public.conversion import is_complex as is_complex
from vizgrad.core.ops.public.conversion import is_floating_point as is_floating_point
from vizgrad.core.ops.public.conversion import is_tensor as is_tensor
from vizgrad.core.ops.public.conversion import numel as numel
from vizgrad.core.ops.public.conversion import result_type as result_type
from vizgrad.core.ops.public.conversion import zero_ as zero_
from vizgrad.core.ops.public.creation import arange as arange
from vizgrad.core.ops.public.creation import empty as empty
from vizgrad.core.ops.public.creation import empty_permuted as empty_permuted
from vizgrad.core.ops.public.creation import empty_strided as empty_strided
from vizgrad.core.ops.public.creation import eye as eye
from vizgrad.core.ops.public.creation import fill as fill
from vizgrad.core.ops.public.creation import full as full
from vizgrad.core.ops.public.creation import linspace as linspace
from vizgrad.core.ops.public.creation import logspace as logspace
from vizgrad.core.ops.public.creation import ones as ones
from vizgrad.core.ops.public.creation import scalar_tensor as scalar_tensor
from vizgrad.core.ops.public.creation import tril_indices as tril_indices
from vizgrad.core.ops.public.creation import triu_indices as triu_indices
from vizgrad.core.ops.public.creation import zeros as zeros
from vizgrad.core.ops.public.differences import cummax as cummax
from vizgrad.core.ops.public.differences import cummin as cummin
from vizgrad.core.ops.public.differences import cumprod as cumprod
from vizgrad.core.ops.public.differences import cumsum as cumsum
from vizgrad.core.ops.public.differences import cumulative_trapezoid as cumulative_trapezoid
from vizgrad.core.ops.public.differences import diff as diff
from vizgrad.core.ops.public.differences import gradient as gradient
from vizgrad.core.ops.public.differences import logcumsumexp as logcumsumexp
from vizgrad.core.ops.public.differences import trapezoid as trapezoid
from vizgrad.core.ops.public.differences import trapezoid as trapz
from vizgrad.core.ops.public.dimensions import atleast_1d as atleast_1d
from vizgrad.core.ops.public.dimensions import atleast_2d as atleast_2d
from vizgrad.core.ops.public.dimensions import atleast_3d as atleast_3d
from vizgrad.core.ops.public.dimensions import flip as flip
from vizgrad.core.ops.public.dimensions import fliplr as fliplr
from vizgrad.core.ops.public.dimensions import flipud as flipud
from vizgrad.core.ops.public.dimensions import movedim as moveaxis
from vizgrad.core.ops.public.dimensions import movedim as movedim
from vizgrad.core.ops.public.dimensions import permute as permute
from vizgrad.core.ops.public.dimensions import roll as roll
from vizgrad.core.ops.public.dimensions import rot90 as rot90
from vizgrad.core.ops.public.dimensions import squeeze as squeeze
from vizgrad.core.ops.public.dimensions import swapaxes as swapaxes
from vizgrad.core.ops.public.dimensions import t as t
from vizgrad.core.ops.public.dimensions import transpose as swapdims
from vizgrad.core.ops.public.dimensions import transpose as transpose
from vizgrad.core.ops.public.dimensions import tril as tril
from vizgrad.core.ops.public.dimensions import triu as triu
from vizgrad.core.ops.public.dimensions import unsqueeze as unsqueeze
from vizgrad.core.ops.public.einsum import einsum as einsum
from vizgrad.core.ops.public.exchange import from_dlpack as from_dlpack
from vizgrad.core.ops.public.exchange import to_dlpack as to_dlpack
from vizgrad.core.ops.public.from_values import as_tensor as as_tensor
from vizgrad.core.ops.public.from_values import asarray as asarray
from vizgrad.core.ops.public.from_values import empty_like as empty_like
from vizgrad.core.ops.public.from_values import from_numpy as from_numpy
from vizgrad.core.ops.public.from_values import frombuffer as frombuffer
from vizgrad.core.ops.public.from_values import full_like as full_like
from vizgrad.core.ops.public.from_values import ones_like as ones_like
from vizgrad.core.ops.public.from_values import tensor as tensor
from vizgrad.core.ops.public.from_values import zeros_like as zeros_like
from vizgrad.core.ops.public.gather_scatter import gather as gather
from vizgrad.core.ops.public.gather_scatter import index_add as index_add
from vizgrad.core.ops.public.gather_scatter import index_copy as index_copy
from vizgrad.core.ops.public.gather_scatter import index_fill as index_fill
from vizgrad.core.ops.public.gather_scatter import index_reduce as index_reduce
from vizgrad.core.ops.public.gather_scatter import index_select as index_select
from vizgrad.core.ops.public.gather_scatter import scatter as scatter
from vizgrad.core.ops.public.gather_scatter import scatter_add as scatter_add
from vizgrad.core.ops.public.gather_scatter import scatter_reduce as scatter_reduce
from vizgrad.core.ops.public.gather_scatter import take_along_dim as take_along_dim
from vizgrad.core.ops.public.generators import Generator as Generator
from vizgrad.core.ops.public.generators import get_rng_state as get_rng_state
from vizgrad.core.ops.public.generators import initial_seed as initial_seed
from vizgrad.core.ops.public.generators import manual_seed as manual_seed
from vizgrad.core.ops.public.generators import seed as seed
from vizgrad.core.ops.public.generators import set_rng_state as set_rng_state
from vizgrad.core.ops.public.histograms import histc as histc
from vizgrad.core.ops.public.histograms import histogram as histogram
from vizgrad.core.ops.public.histograms import histogramdd as histogramdd
from vizgrad.core.ops.public.indexing import as_strided_scatter as as_strided_scatter
from vizgrad.core.ops.public.indexing import diagflat as diagflat
from vizgrad.core.ops.public.indexing import index_put as index_put
from vizgrad.core.ops.public.indexing import index_put_ as index_put_
from vizgrad.core.ops.public.indexing import narrow_copy as narrow_copy
from vizgrad.core.ops.public.indexing import put as put
from vizgrad.core.ops.public.indexing import unravel_index as unravel_index
from vizgrad.core.ops.public.inplace_methods import addmv_ as addmv_
from vizgrad.core.ops.public.inplace_methods import as_strided_ as as_strided_
from vizgrad.core.ops.public.inplace_methods import ldexp_ as ldexp_
from vizgrad.core.ops.public.inplace_methods import logit_ as logit_
from vizgrad.core.ops.public.joining import block_diag as block_diag
from vizgrad.core.ops.public.joining import cartesian_prod as cartesian_prod
from vizgrad.core.ops.public.joining import cat as cat
from vizgrad.core.ops.public.joining import cat as concat
from vizgrad.core.ops.public.joining import cat as concatenate
from vizgrad.core.ops.public.joining import chunk as chunk
from vizgrad.core.ops.public.joining import column_stack as column_stack
from vizgrad.core.ops.public.joining import combinations as combinations
from vizgrad.core.ops.public.joining import dsplit as dsplit
from vizgrad.core.ops.public.joining import dstack as dstack
from vizgrad.core.ops.public.joining import hsplit as hsplit
from vizgrad.core.ops.public.joining import hstack as hstack
from vizgrad.core.ops.public.joining import split as split
from vizgrad.core.ops.public.joining import split_with_sizes as split_with_sizes
from vizgrad.core.ops.public.joining import stack as stack
from vizgrad.core.ops.public.joining import tensor_split as tensor_split
from vizgrad.core.ops.public.joining import unbind as unbind
from vizgrad.core.ops.public.joining import vander as vander
from vizgrad.core.ops.public.joining import vsplit as vsplit
from vizgrad.core.ops.public.joining import vstack as row_stack
from vizgrad.core.ops.public.joining import vstack as vstack
from vizgrad.core.ops.public.lapack import cholesky as cholesky
from vizgrad.core.ops.public.lapack import det as det
from vizgrad.core.ops.public.lapack import geqrf as geqrf
from vizgrad.core.ops.public.lapack import inverse as inverse
from vizgrad.core.ops.public.lapack import lobpcg as lobpcg
from vizgrad.core.ops.public.lapack import lu as lu
from vizgrad.core.ops.public.lapack import lu_solve as lu_solve
from vizgrad.core.ops.public.lapack import matrix_power as matrix_power
from vizgrad.core.ops.public.lapack import orgqr as orgqr
from vizgrad.core.ops.public.lapack import ormqr as ormqr
from vizgrad.core.ops.public.lapack import pinverse as pinverse
from vizgrad.core.ops.public.lapack import qr as qr
from vizgrad.core.ops.public.lapack import slogdet as slogdet
from vizgrad.core.ops.public.lapack import svd as svd
from vizgrad.core.ops.public.lapack import triangular_solve as triangular_solve
from vizgrad.core.ops.public.linalg_factors import cholesky_inverse as cholesky_inverse
from vizgrad.core.ops.public.linalg_factors import cholesky_solve as cholesky_solve
from vizgrad.core.ops.public.linalg_factors import lu_unpack as lu_unpack
from vizgrad.core.ops.public.linalg_functions import chain_matmul as chain_matmul
from vizgrad.core.ops.public.linalg_functions import logdet as logdet
from vizgrad.core.ops.public.linalg_functions import matrix_exp as matrix_exp
from vizgrad.core.ops.public.lowrank import pca_lowrank as pca_lowrank
from vizgrad.core.ops.public.lowrank import svd_lowrank as svd_lowrank
from vizgrad.core.ops.public.matrix_products import addbmm as addbmm
from vizgrad.core.ops.public.matrix_products import addmm as addmm
from vizgrad.core.ops.public.matrix_products import addmv as addmv
from vizgrad.core.ops.public.matrix_products import addr as addr
from vizgrad.core.ops.public.matrix_products import baddbmm as baddbmm
from vizgrad.core.ops.public.matrix_products import bmm as bmm
from vizgrad.core.ops.public.matrix_products import cross as cross
from vizgrad.core.ops.public.matrix_products import dot as dot
from vizgrad.core.ops.public.matrix_products import inner as inner
from vizgrad.core.ops.public.matrix_products import kron as kron
from vizgrad.core.ops.public.matrix_products import matmul as matmul
from vizgrad.core.ops.public.matrix_products import mm as mm
from vizgrad.core.ops.public.matrix_products import mv as mv
from vizgrad.core.ops.public.matrix_products import outer as ger
from vizgrad.core.ops.public.matrix_products import outer as outer
from vizgrad.core.ops.public.matrix_products import tensordot as tensordot
from vizgrad.core.ops.public.matrix_products import vdot as vdot
from vizgrad.core.ops.public.old_names import norm as norm
from vizgrad.core.ops.public.old_names import range as range
from vizgrad.core.ops.public.padding import constant_pad_nd as constant_pad_nd
from vizgrad.core.ops.public.padding import grid_sampler as grid_sampler
from vizgrad.core.ops.public.padding import grid_sampler_2d as grid_sampler_2d
from vizgrad.core.ops.public.padding import grid_sampler_3d as grid_sampler_3d
from vizgrad.core.ops.public.random_sampling import bernoulli as bernoulli
from vizgrad.core.ops.public.random_sampling import binomial as binomial
from vizgrad.core.ops.public.random_sampling import multinomial as multinomial
from vizgrad.core.ops.public.random_sampling import normal as normal
from vizgrad.core.ops.public.random_sampling import poisson as poisson
from vizgrad.core.ops.public.random_sampling import rand as rand
from vizgrad.core.ops.public.random_sampling import rand_like as rand_like
from vizgrad.core.ops.public.random_sampling import randint as randint
from vizgrad.core.ops.public.random_sampling import randint_like as randint_like
from vizgrad.core.ops.public.random_sampling import randn as randn
from vizgrad.core.ops.public.random_sampling import randn_like as randn_like
from vizgrad.core.ops.public.random_sampling import randperm as randperm
from vizgrad.core.ops.public.reduction import all as all
from vizgrad.core.ops.public.reduction import amax as amax
from vizgrad.core.ops.public.reduction import amin as amin
from vizgrad.core.ops.public.reduction import aminmax as aminmax
from vizgrad.core.ops.public.reduction import any as any
from vizgrad.core.ops.public.reduction import argmax as argmax
from vizgrad.core.ops.public.reduction import argmin as argmin
from vizgrad.core.ops.public.reduction import count_nonzero as count_nonzero
from vizgrad.core.ops.public.reduction import kthvalue as kthvalue
from vizgrad.core.ops.public.reduction import log_softmax as log_softmax
from vizgrad.core.ops.public.reduction import max as max
from vizgrad.core.ops.public.reduction import mean as mean
from vizgrad.core.ops.public.reduction import median as median
from vizgrad.core.ops.public.reduction import min as min
from vizgrad.core.ops.public.reduction import mode as mode
from vizgrad.core.ops.public.reduction import nanmean as nanmean
from vizgrad.core.ops.public.reduction import nanmedian as nanmedian
from vizgrad.core.ops.public.reduction import nansum as nansum
from vizgrad.core.ops.public.reduction import prod as prod
from vizgrad.core.ops.public.reduction import softmax as softmax
from vizgrad.core.ops.public.reduction import sum as sum
from vizgrad.core.ops.public.reduction import trace as trace
from vizgrad.core.ops.public.reshape import flatten as flatten
from vizgrad.core.ops.public.reshape import ravel as ravel
from vizgrad.core.ops.public.reshape import reshape as reshape
from vizgrad.core.ops.public.reshape import unflatten as unflatten
from vizgrad.core.ops.public.segments import segment_max as segment_max
from vizgrad.core.ops.public.segments import segment_mean as segment_mean
from vizgrad.core.ops.public.segments import segment_softmax as segment_softmax
from vizgrad.core.ops.public.segments import segment_sum as segment_sum
from vizgrad.core.ops.public.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from vizgrad.core.ops.public.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from vizgrad.core.ops.public.settings import get_float32_matmul_precision as get_float32_matmul_precision
from vizgrad.core.ops.public.settings import get_num_interop_threads as get_num_interop_threads
from vizgrad.core.ops.public.settings import get_num_threads as get_num_threads
from vizgrad.core.ops.public.settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from vizgrad.core.ops.public.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from vizgrad.core.ops.public.settings import set_float32_matmul_precision as set_float32_matmul_precision
from vizgrad.core.ops.public.settings import set_num_interop_threads as set_num_interop_threads
from vizgrad.core.ops.public.settings import set_num_threads as set_num_threads
from vizgrad.core.ops.public.settings import use_deterministic_algorithms as use_deterministic_algorithms
from vizgrad.core.ops.public.slicing import as_strided as as_strided
from vizgrad.core.ops.public.slicing import diag as diag
from vizgrad.core.ops.public.slicing import diag_embed as diag_embed
from vizgrad.core.ops.public.slicing import diagonal as diagonal
from vizgrad.core.ops.public.slicing import diagonal_scatter as diagonal_scatter
from vizgrad.core.ops.public.slicing import narrow as narrow
from vizgrad.core.ops.public.slicing import select as select
from vizgrad.core.ops.public.slicing import select_scatter as select_scatter
from vizgrad.core.ops.public.slicing import slice_scatter as slice_scatter
from vizgrad.core.ops.public.sort_search import argsort as argsort
from vizgrad.core.ops.public.sort_search import argwhere as argwhere
from vizgrad.core.ops.public.sort_search import bincount as bincount
from vizgrad.core.ops.public.sort_search import bucketize as bucketize
from vizgrad.core.ops.public.sort_search import isin as isin
from vizgrad.core.ops.public.sort_search import masked_scatter as masked_scatter
from vizgrad.core.ops.public.sort_search import masked_select as masked_select
from vizgrad.core.ops.public.sort_search import msort as msort
from vizgrad.core.ops.public.sort_search import nonzero as nonzero
from vizgrad.core.ops.public.sort_search import searchsorted as searchsorted
from vizgrad.core.ops.public.sort_search import sort as sort
from vizgrad.core.ops.public.sort_search import take as take
from vizgrad.core.ops.public.sort_search import topk as topk
from vizgrad.core.ops.public.sort_search import unique as unique
from vizgrad.core.ops.public.sort_search import unique_consecutive as unique_consecutive
from vizgrad.core.ops.public.sparse import sparse_bsc_tensor as sparse_bsc_tensor
from vizgrad.core.ops.public.sparse import sparse_bsr_tensor as sparse_bsr_tensor
from vizgrad.core.ops.public.sparse import sparse_compressed_tensor as sparse_compressed_tensor
from vizgrad.core.ops.public.sparse import sparse_coo_tensor as sparse_coo_tensor
from vizgrad.core.ops.public.sparse import sparse_csc_tensor as sparse_csc_tensor
from vizgrad.core.ops.public.sparse import sparse_csr_tensor as sparse_csr_tensor
from vizgrad.core.ops.public.sparse import spmm as dsmm
from vizgrad.core.ops.public.sparse import spmm as spmm
from vizgrad.core.ops.public.special import mvlgamma as mvlgamma
from vizgrad.core.ops.public.spectral import bartlett_window as bartlett_window
from vizgrad.core.ops.public.spectral import blackman_window as blackman_window
from vizgrad.core.ops.public.spectral import hamming_window as hamming_window
from vizgrad.core.ops.public.spectral import hann_window as hann_window
from vizgrad.core.ops.public.spectral import istft as istft
from vizgrad.core.ops.public.spectral import kaiser_window as kaiser_window
from vizgrad.core.ops.public.spectral import stft as stft
from vizgrad.core.ops.public.statistics import cdist as cdist
from vizgrad.core.ops.public.statistics import corrcoef as corrcoef
from vizgrad.core.ops.public.statistics import cov as cov
from vizgrad.core.ops.public.statistics import dist as dist
from vizgrad.core.ops.public.statistics import logsumexp as logsumexp
from vizgrad.core.ops.public.statistics import nanquantile as nanquantile
from vizgrad.core.ops.public.statistics import quantile as quantile
from vizgrad.core.ops.public.statistics import renorm as renorm
from vizgrad.core.ops.public.statistics import std as std
from vizgrad.core.ops.public.statistics import std_mean as std_mean
from vizgrad.core.ops.public.statistics import var as var
from vizgrad.core.ops.public.statistics import var_mean as var_mean
from vizgrad.core.ops.public.storage import resize_as_ as resize_as_
from vizgrad.core.ops.public.tensor_properties import is_distributed as is_distributed
from vizgrad.core.ops.public.tensor_properties import is_inference as is_inference
from vizgrad.core.ops.public.tensor_properties import is_nonzero as is_nonzero
from vizgrad.core.ops.public.tensor_properties import is_same_size as is_same_size
from vizgrad.core.ops.public.tensor_properties import is_signed as is_signed
from vizgrad.core.ops.public.tensor_properties import typename as typename
from vizgrad.core.ops.public.typed_storage import BFloat16Storage as BFloat16Storage
from vizgrad.core.ops.public.typed_storage import BoolStorage as BoolStorage
from vizgrad.core.ops.public.typed_storage import ByteStorage as ByteStorage
from vizgrad.core.ops.public.typed_storage import CharStorage as CharStorage
from vizgrad.core.ops.public.typed_storage import ComplexDoubleStorage as ComplexDoubleStorage
from vizgrad.core.ops.public.typed_storage import ComplexFloatStorage as ComplexFloatStorage
from vizgrad.core.ops.public.typed_storage import DoubleStorage as DoubleStorage
from vizgrad.core.ops.public.typed_storage import FloatStorage as FloatStorage
from vizgrad.core.ops.public.typed_storage import HalfStorage as HalfStorage
from vizgrad.core.ops.public.typed_storage import IntStorage as IntStorage
from vizgrad.core.ops.public.typed_storage import LongStorage as LongStorage
from vizgrad.core.ops.public.typed_storage import ShortStorage as ShortStorage
from vizgrad.core.ops.public.typed_storage import TypedStorage as TypedStorage
from vizgrad.core.ops.public.typed_storage import UntypedStorage as UntypedStorage
from vizgrad.core.ops.public.typed_storage import is_storage as is_storage
from vizgrad.core.ops.public.typed_tensors import BFloat16Tensor as BFloat16Tensor
from vizgrad.core.ops.public.typed_tensors import BoolTensor as BoolTensor
from vizgrad.core.ops.public.typed_tensors import ByteTensor as ByteTensor
from vizgrad.core.ops.public.typed_tensors import CharTensor as CharTensor
from vizgrad.core.ops.public.typed_tensors import DoubleTensor as DoubleTensor
from vizgrad.core.ops.public.typed_tensors import FloatTensor as FloatTensor
from vizgrad.core.ops.public.typed_tensors import HalfTensor as HalfTensor
from vizgrad.core.ops.public.typed_tensors import IntTensor as IntTensor
from vizgrad.core.ops.public.typed_tensors import LongTensor as LongTensor
from vizgrad.core.ops.public.typed_tensors import ShortTensor as ShortTensor
from vizgrad.core.ops.public.typed_tensors import set_default_tensor_type as set_default_tensor_type
from vizgrad.core.ops.public.view_copies import alias_copy as alias_copy
from vizgrad.core.ops.public.view_copies import as_strided_copy as as_strided_copy
from vizgrad.core.ops.public.view_copies import ccol_indices_copy as ccol_indices_copy
from vizgrad.core.ops.public.view_copies import col_indices_copy as col_indices_copy
from vizgrad.core.ops.public.view_copies import crow_indices_copy as crow_indices_copy
from vizgrad.core.ops.public.view_copies import detach_copy as detach_copy
from vizgrad.core.ops.public.view_copies import diagonal_copy as diagonal_copy
from vizgrad.core.ops.public.view_copies import expand_copy as expand_copy
from vizgrad.core.ops.public.view_copies import indices_copy as indices_copy
from vizgrad.core.ops.public.view_copies import permute_copy as permute_copy
from vizgrad.core.ops.public.view_copies import row_indices_copy as row_indices_copy
from vizgrad.core.ops.public.view_copies import select_copy as select_copy
from vizgrad.core.ops.public.view_copies import slice_copy as slice_copy
from vizgrad.core.ops.public.view_copies import split_copy as split_copy
from vizgrad.core.ops.public.view_copies import split_with_sizes_copy as split_with_sizes_copy
from vizgrad.core.ops.public.view_copies import squeeze_copy as squeeze_copy
from vizgrad.core.ops.public.view_copies import t_copy as t_copy
from vizgrad.core.ops.public.view_copies import transpose_copy as transpose_copy
from vizgrad.core.ops.public.view_copies import unbind_copy as unbind_copy
from vizgrad.core.ops.public.view_copies import unfold_copy as unfold_copy
from vizgrad.core.ops.public.view_copies import unsafe_chunk as unsafe_chunk
from vizgrad.core.ops.public.view_copies import unsafe_split as unsafe_split
from vizgrad.core.ops.public.view_copies import unsafe_split_with_sizes as unsafe_split_with_sizes
from vizgrad.core.ops.public.view_copies import unsqueeze_copy as unsqueeze_copy
from vizgrad.core.ops.public.view_copies import values_copy as values_copy
from vizgrad.core.ops.public.view_copies import view_as_complex_copy as view_as_complex_copy
from vizgrad.core.ops.public.view_copies import view_as_real_copy as view_as_real_copy
from vizgrad.core.ops.public.view_copies import view_copy as view_copy
from vizgrad.core.ops.public.where_clamp import clamp as clamp
from vizgrad.core.ops.public.where_clamp import clamp as clip
from vizgrad.core.ops.public.where_clamp import clamp_max as clamp_max
from vizgrad.core.ops.public.where_clamp import clamp_min as clamp_min
from vizgrad.core.ops.public.where_clamp import heaviside as heaviside
from vizgrad.core.ops.public.where_clamp import masked_fill as masked_fill
from vizgrad.core.ops.public.where_clamp import nan_to_num as nan_to_num
from vizgrad.core.ops.public.where_clamp import where as where
from vizgrad.core.tensor.in_memory import channels_last as channels_last
from vizgrad.core.tensor.in_memory import channels_last_3d as channels_last_3d
from vizgrad.core.tensor.in_memory import contiguous_format as contiguous_format
from vizgrad.core.tensor.in_memory import layout as layout
from vizgrad.core.tensor.in_memory import memory_format as memory_format
from vizgrad.core.tensor.in_memory import preserve_format as preserve_format
from vizgrad.core.tensor.in_memory import sparse_coo as sparse_coo
from vizgrad.core.tensor.in_memory import sparse_csc as sparse_csc
from vizgrad.core.tensor.in_memory import sparse_csr as sparse_csr
from vizgrad.core.tensor.in_memory import strided as strided
from vizgrad.core.tensor.modes import is_grad_enabled as is_grad_enabled
from vizgrad.core.tensor.modes import is_inference_mode_enabled as is_inference_mode_enabled
from vizgrad.core.tensor.printing import set_printoptions as set_printoptions
from vizgrad.core.tensor.tensor import Size as Size
from vizgrad.core.tensor.tensor import Tensor as Tensor
from vizgrad.debugger.api import card as card
from vizgrad.debugger.api import check as check
from vizgrad.debugger.api import compare as compare
from vizgrad.debugger.api import debug as debug
from vizgrad.debugger.api import graph as graph
from vizgrad.debugger.api import memory as memory
from vizgrad.debugger.api import record as record
from vizgrad.debugger.api import scope as scope
from vizgrad.debugger.api import versions as versions
from vizgrad.debugger.api import watch as watch
from vizgrad.debugger.api import why as why
from vizgrad.debugger.attach import attach as attach
from vizgrad.debugger.demo import demo as demo
from vizgrad.debugger.jupyter.magics import load_ipython_extension as load_ipython_extension
from vizgrad.debugger.jupyter.magics import unload_ipython_extension as unload_ipython_extension
from vizgrad.debugger.ranks import compare_ranks as compare_ranks
from vizgrad.debugger.ranks import load_traces as load_traces
from vizgrad.debugger.ranks import ranks as ranks
from vizgrad.debugger.report import report as report
from vizgrad.debugger.traces import load_trace as load_trace
from vizgrad.func import vmap as vmap
from vizgrad.nn.functional import adaptive_avg_pool1d as adaptive_avg_pool1d
from vizgrad.nn.functional import avg_pool1d as avg_pool1d
from vizgrad.nn.functional import bilinear as bilinear
from vizgrad.nn.functional import celu as celu
from vizgrad.nn.functional import celu_ as celu_
from vizgrad.nn.functional import channel_shuffle as channel_shuffle
from vizgrad.nn.functional import conv1d as conv1d
from vizgrad.nn.functional import conv2d as conv2d
from vizgrad.nn.functional import conv3d as conv3d
from vizgrad.nn.functional import conv_transpose1d as conv_transpose1d
from vizgrad.nn.functional import conv_transpose2d as conv_transpose2d
from vizgrad.nn.functional import conv_transpose3d as conv_transpose3d
from vizgrad.nn.functional import cosine_similarity as cosine_similarity
from vizgrad.nn.functional import hardshrink as hardshrink
from vizgrad.nn.functional import layer_norm as layer_norm
from vizgrad.nn.functional import max_pool1d as max_pool1d
from vizgrad.nn.functional import max_pool2d as max_pool2d
from vizgrad.nn.functional import max_pool3d as max_pool3d
from vizgrad.nn.functional import pairwise_distance as pairwise_distance
from vizgrad.nn.functional import pdist as pdist
from vizgrad.nn.functional import pixel_shuffle as pixel_shuffle
from vizgrad.nn.functional import pixel_unshuffle as pixel_unshuffle
from vizgrad.nn.functional import prelu as prelu
from vizgrad.nn.functional import rms_norm as rms_norm
from vizgrad.nn.functional import rrelu as rrelu
from vizgrad.nn.functional import rrelu_ as rrelu_
from vizgrad.nn.functional import selu as selu
from vizgrad.nn.functional import selu_ as selu_
from vizgrad.nn.functional import threshold as threshold
from vizgrad.nn.functional import threshold_ as threshold_
from vizgrad.nn.functional.top_level import adaptive_max_pool1d as adaptive_max_pool1d
from vizgrad.nn.functional.top_level import alpha_dropout as alpha_dropout
from vizgrad.nn.functional.top_level import dropout as dropout
from vizgrad.nn.functional.top_level import group_norm as group_norm
from vizgrad.random import default_generator as default_generator
from vizgrad.serialization import load as load
from vizgrad.serialization import save as save
from vizgrad.version import __version__ as __version__

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos_(input: Tensor) -> Tensor: ...
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acosh_(input: Tensor) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asin_(input: Tensor) -> Tensor: ...
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asinh_(input: Tensor) -> Tensor: ...
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan2(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def atan_(input: Tensor) -> Tensor: ...
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atanh_(input: Tensor) -> Tensor: ...
def bitwise_and(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_left_shift(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_or(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_right_shift(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_xor(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ceil_(input: Tensor) -> Tensor: ...
def conj_physical_(input: Tensor) -> Tensor: ...
def copysign(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cos_(input: Tensor) -> Tensor: ...
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosh_(input: Tensor) -> Tensor: ...
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def deg2rad_(input: Tensor) -> Tensor: ...
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def eq(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erf_(input: Tensor) -> Tensor: ...
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfc_(input: Tensor) -> Tensor: ...
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2_(input: Tensor) -> Tensor: ...
def exp_(input: Tensor) -> Tensor: ...
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def expm1_(input: Tensor) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor_(input: Tensor) -> Tensor: ...
def fmax(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def fmin(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def frac_(input: Tensor) -> Tensor: ...
def gcd(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def gcd_(input: Tensor, other: _Any) -> Tensor: ...
def ge(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def gt(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def hypot(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def i0_(input: Tensor) -> Tensor: ...
def igamma(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def igammac(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lcm(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def lcm_(input: Tensor, other: _Any) -> Tensor: ...
def le(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10_(input: Tensor) -> Tensor: ...
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log1p_(input: Tensor) -> Tensor: ...
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log2_(input: Tensor) -> Tensor: ...
def log_(input: Tensor) -> Tensor: ...
def logaddexp(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def logaddexp2(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def logical_and(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_or(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def logical_xor(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def lt(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def maximum(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def minimum(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def ne(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def neg_(input: Tensor) -> Tensor: ...
def nextafter(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rad2deg_(input: Tensor) -> Tensor: ...
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def reciprocal_(input: Tensor) -> Tensor: ...
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def relu_(input: Tensor) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor: ...
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid_(input: Tensor) -> Tensor: ...
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin_(input: Tensor) -> Tensor: ...
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinc_(input: Tensor) -> Tensor: ...
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinh_(input: Tensor) -> Tensor: ...
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sqrt_(input: Tensor) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tan_(input: Tensor) -> Tensor: ...
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor: ...
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def trunc_(input: Tensor) -> Tensor: ...
def xlogy(input: Tensor, other: _Any, *, out: Tensor | None = None) -> Tensor: ...
def xlogy_(input: Tensor, other: _Any) -> Tensor: ...
absolute = abs
arccos = acos
arccos_ = acos_
arccosh = acosh
arccosh_ = acosh_
arcsin = asin
arcsin_ = asin_
arcsinh = asinh
arcsinh_ = asinh_
arctan = atan
arctan2 = atan2
arctan_ = atan_
arctanh = atanh
arctanh_ = atanh_
fix = trunc
fix_ = trunc_
greater = gt
greater_equal = ge
less = lt
less_equal = le
negative_ = neg_
not_equal = ne

half = float16
float = float32
double = float64
short = int16
int = int32
long = int64
cfloat = complex64
cdouble = complex128
newaxis = None
