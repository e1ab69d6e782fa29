"""PyTorch's module of helpers for distributions of one's own."""

from vizgrad.distributions.distribution import broadcast_all as broadcast_all
from vizgrad.distributions.distribution import clamp_probs as clamp_probs
from vizgrad.distributions.distribution import lazy_property as lazy_property
from vizgrad.distributions.distribution import logits_to_probs as logits_to_probs
from vizgrad.distributions.distribution import probs_to_logits as probs_to_logits
from vizgrad.distributions.triangles import tril_matrix_to_vec as tril_matrix_to_vec
from vizgrad.distributions.triangles import vec_to_tril_matrix as vec_to_tril_matrix
