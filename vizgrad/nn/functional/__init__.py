"""Layers as functions, as torch.nn.functional."""

from vizgrad.core.ops.public.padding import pad as pad
from vizgrad.core.ops.public.sort_search import one_hot as one_hot
from vizgrad.nn.functional.activation import celu as celu
from vizgrad.nn.functional.activation import celu_ as celu_
from vizgrad.nn.functional.activation import elu as elu
from vizgrad.nn.functional.activation import elu_ as elu_
from vizgrad.nn.functional.activation import gelu as gelu
from vizgrad.nn.functional.activation import glu as glu
from vizgrad.nn.functional.activation import gumbel_softmax as gumbel_softmax
from vizgrad.nn.functional.activation import hardshrink as hardshrink
from vizgrad.nn.functional.activation import hardsigmoid as hardsigmoid
from vizgrad.nn.functional.activation import hardswish as hardswish
from vizgrad.nn.functional.activation import hardtanh as hardtanh
from vizgrad.nn.functional.activation import hardtanh_ as hardtanh_
from vizgrad.nn.functional.activation import leaky_relu as leaky_relu
from vizgrad.nn.functional.activation import leaky_relu_ as leaky_relu_
from vizgrad.nn.functional.activation import log_softmax as log_softmax
from vizgrad.nn.functional.activation import logsigmoid as logsigmoid
from vizgrad.nn.functional.activation import mish as mish
from vizgrad.nn.functional.activation import prelu as prelu
from vizgrad.nn.functional.activation import relu as relu
from vizgrad.nn.functional.activation import relu6 as relu6
from vizgrad.nn.functional.activation import relu_ as relu_
from vizgrad.nn.functional.activation import rrelu as rrelu
from vizgrad.nn.functional.activation import rrelu_ as rrelu_
from vizgrad.nn.functional.activation import selu as selu
from vizgrad.nn.functional.activation import selu_ as selu_
from vizgrad.nn.functional.activation import sigmoid as sigmoid
from vizgrad.nn.functional.activation import silu as silu
from vizgrad.nn.functional.activation import softmax as softmax
from vizgrad.nn.functional.activation import softmin as softmin
from vizgrad.nn.functional.activation import softplus as softplus
from vizgrad.nn.functional.activation import softshrink as softshrink
from vizgrad.nn.functional.activation import softsign as softsign
from vizgrad.nn.functional.activation import tanh as tanh
from vizgrad.nn.functional.activation import tanhshrink as tanhshrink
from vizgrad.nn.functional.activation import threshold as threshold
from vizgrad.nn.functional.activation import threshold_ as threshold_
from vizgrad.nn.functional.attention import (
    multi_head_attention_forward as multi_head_attention_forward,
)
from vizgrad.nn.functional.attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from vizgrad.nn.functional.classification import cross_entropy as cross_entropy
from vizgrad.nn.functional.classification import ctc_loss as ctc_loss
from vizgrad.nn.functional.classification import linear_cross_entropy as linear_cross_entropy
from vizgrad.nn.functional.classification import nll_loss as nll_loss
from vizgrad.nn.functional.convolution import conv1d as conv1d
from vizgrad.nn.functional.convolution import conv2d as conv2d
from vizgrad.nn.functional.convolution import conv3d as conv3d
from vizgrad.nn.functional.convolution import conv_transpose1d as conv_transpose1d
from vizgrad.nn.functional.convolution import conv_transpose2d as conv_transpose2d
from vizgrad.nn.functional.convolution import conv_transpose3d as conv_transpose3d
from vizgrad.nn.functional.dropout import alpha_dropout as alpha_dropout
from vizgrad.nn.functional.dropout import dropout as dropout
from vizgrad.nn.functional.dropout import dropout1d as dropout1d
from vizgrad.nn.functional.dropout import dropout2d as dropout2d
from vizgrad.nn.functional.dropout import dropout3d as dropout3d
from vizgrad.nn.functional.dropout import feature_alpha_dropout as feature_alpha_dropout
from vizgrad.nn.functional.linear import bilinear as bilinear
from vizgrad.nn.functional.linear import cosine_similarity as cosine_similarity
from vizgrad.nn.functional.linear import linear as linear
from vizgrad.nn.functional.linear import normalize as normalize
from vizgrad.nn.functional.linear import pairwise_distance as pairwise_distance
from vizgrad.nn.functional.linear import pdist as pdist
from vizgrad.nn.functional.losses import binary_cross_entropy as binary_cross_entropy
from vizgrad.nn.functional.losses import (
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
)
from vizgrad.nn.functional.losses import huber_loss as huber_loss
from vizgrad.nn.functional.losses import kl_div as kl_div
from vizgrad.nn.functional.losses import l1_loss as l1_loss
from vizgrad.nn.functional.losses import mse_loss as mse_loss
from vizgrad.nn.functional.losses import smooth_l1_loss as smooth_l1_loss
from vizgrad.nn.functional.margins import cosine_embedding_loss as cosine_embedding_loss
from vizgrad.nn.functional.margins import gaussian_nll_loss as gaussian_nll_loss
from vizgrad.nn.functional.margins import hinge_embedding_loss as hinge_embedding_loss
from vizgrad.nn.functional.margins import margin_ranking_loss as margin_ranking_loss
from vizgrad.nn.functional.margins import multi_margin_loss as multi_margin_loss
from vizgrad.nn.functional.margins import multilabel_margin_loss as multilabel_margin_loss
from vizgrad.nn.functional.margins import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from vizgrad.nn.functional.margins import poisson_nll_loss as poisson_nll_loss
from vizgrad.nn.functional.margins import soft_margin_loss as soft_margin_loss
from vizgrad.nn.functional.margins import triplet_margin_loss as triplet_margin_loss
from vizgrad.nn.functional.margins import (
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from vizgrad.nn.functional.normalization import batch_norm as batch_norm
from vizgrad.nn.functional.normalization import group_norm as group_norm
from vizgrad.nn.functional.normalization import instance_norm as instance_norm
from vizgrad.nn.functional.normalization import layer_norm as layer_norm
from vizgrad.nn.functional.normalization import local_response_norm as local_response_norm
from vizgrad.nn.functional.normalization import rms_norm as rms_norm
from vizgrad.nn.functional.pool_indices import (
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices,
)
from vizgrad.nn.functional.pool_indices import (
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
)
from vizgrad.nn.functional.pool_indices import (
    adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices,
)
from vizgrad.nn.functional.pool_indices import (
    fractional_max_pool2d_with_indices as fractional_max_pool2d_with_indices,
)
from vizgrad.nn.functional.pool_indices import (
    fractional_max_pool3d_with_indices as fractional_max_pool3d_with_indices,
)
from vizgrad.nn.functional.pool_indices import max_pool1d_with_indices as max_pool1d_with_indices
from vizgrad.nn.functional.pool_indices import max_pool2d_with_indices as max_pool2d_with_indices
from vizgrad.nn.functional.pool_indices import max_pool3d_with_indices as max_pool3d_with_indices
from vizgrad.nn.functional.pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from vizgrad.nn.functional.pooling import adaptive_avg_pool2d as adaptive_avg_pool2d
from vizgrad.nn.functional.pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from vizgrad.nn.functional.pooling import avg_pool1d as avg_pool1d
from vizgrad.nn.functional.pooling import avg_pool2d as avg_pool2d
from vizgrad.nn.functional.pooling import avg_pool3d as avg_pool3d
from vizgrad.nn.functional.pooling import fractional_max_pool2d as fractional_max_pool2d
from vizgrad.nn.functional.pooling import fractional_max_pool3d as fractional_max_pool3d
from vizgrad.nn.functional.pooling import lp_pool1d as lp_pool1d
from vizgrad.nn.functional.pooling import lp_pool2d as lp_pool2d
from vizgrad.nn.functional.pooling import lp_pool3d as lp_pool3d
from vizgrad.nn.functional.pooling import max_pool1d as max_pool1d
from vizgrad.nn.functional.pooling import max_pool2d as max_pool2d
from vizgrad.nn.functional.pooling import max_pool3d as max_pool3d
from vizgrad.nn.functional.sparse import embedding as embedding
from vizgrad.nn.functional.sparse import embedding_bag as embedding_bag
from vizgrad.nn.functional.vision import affine_grid as affine_grid
from vizgrad.nn.functional.vision import channel_shuffle as channel_shuffle
from vizgrad.nn.functional.vision import grid_sample as grid_sample
from vizgrad.nn.functional.vision import interpolate as interpolate
from vizgrad.nn.functional.vision import pixel_shuffle as pixel_shuffle
from vizgrad.nn.functional.vision import pixel_unshuffle as pixel_unshuffle
from vizgrad.nn.functional.vision import upsample as upsample
from vizgrad.nn.functional.vision import upsample_bilinear as upsample_bilinear
from vizgrad.nn.functional.vision import upsample_nearest as upsample_nearest
from vizgrad.nn.functional.windows import adaptive_max_pool1d as adaptive_max_pool1d
from vizgrad.nn.functional.windows import adaptive_max_pool2d as adaptive_max_pool2d
from vizgrad.nn.functional.windows import adaptive_max_pool3d as adaptive_max_pool3d
from vizgrad.nn.functional.windows import fold as fold
from vizgrad.nn.functional.windows import max_unpool1d as max_unpool1d
from vizgrad.nn.functional.windows import max_unpool2d as max_unpool2d
from vizgrad.nn.functional.windows import max_unpool3d as max_unpool3d
from vizgrad.nn.functional.windows import unfold as unfold
