"""Probability distributions with PyTorch's names: sampling, densities, divergences (spec T-43)."""

from vizgrad.distributions import constraints as constraints
from vizgrad.distributions.bernoulli import Bernoulli as Bernoulli
from vizgrad.distributions.categorical import Categorical as Categorical
from vizgrad.distributions.categorical import OneHotCategorical as OneHotCategorical
from vizgrad.distributions.categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from vizgrad.distributions.dirichlet import Beta as Beta
from vizgrad.distributions.dirichlet import Dirichlet as Dirichlet
from vizgrad.distributions.distribution import Distribution as Distribution
from vizgrad.distributions.exponential import Exponential as Exponential
from vizgrad.distributions.gamma import Gamma as Gamma
from vizgrad.distributions.independent import Independent as Independent
from vizgrad.distributions.kl import kl_divergence as kl_divergence
from vizgrad.distributions.kl import register_kl as register_kl
from vizgrad.distributions.laplace import Laplace as Laplace
from vizgrad.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from vizgrad.distributions.normal import Normal as Normal
from vizgrad.distributions.poisson import Poisson as Poisson
from vizgrad.distributions.uniform import Uniform as Uniform
