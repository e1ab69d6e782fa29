"""Probability distributions with PyTorch's names: sampling, densities, divergences."""
# T-43

from vizgrad.distributions import constraint_registry as constraint_registry
from vizgrad.distributions import constraints as constraints
from vizgrad.distributions import transforms as transforms
from vizgrad.distributions import utils as utils
from vizgrad.distributions.bernoulli import Bernoulli as Bernoulli
from vizgrad.distributions.beta import Beta as Beta
from vizgrad.distributions.binomial import Binomial as Binomial
from vizgrad.distributions.categorical import Categorical as Categorical
from vizgrad.distributions.cauchy import Cauchy as Cauchy
from vizgrad.distributions.chi2 import Chi2 as Chi2
from vizgrad.distributions.constraint_registry import biject_to as biject_to
from vizgrad.distributions.constraint_registry import transform_to as transform_to
from vizgrad.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from vizgrad.distributions.dirichlet import Dirichlet as Dirichlet
from vizgrad.distributions.distribution import Distribution as Distribution
from vizgrad.distributions.exp_family import ExponentialFamily as ExponentialFamily
from vizgrad.distributions.exponential import Exponential as Exponential
from vizgrad.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from vizgrad.distributions.gamma import Gamma as Gamma
from vizgrad.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from vizgrad.distributions.geometric import Geometric as Geometric
from vizgrad.distributions.gumbel import Gumbel as Gumbel
from vizgrad.distributions.half_cauchy import HalfCauchy as HalfCauchy
from vizgrad.distributions.half_normal import HalfNormal as HalfNormal
from vizgrad.distributions.independent import Independent as Independent
from vizgrad.distributions.inverse_gamma import InverseGamma as InverseGamma
from vizgrad.distributions.kl import kl_divergence as kl_divergence
from vizgrad.distributions.kl import register_kl as register_kl
from vizgrad.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from vizgrad.distributions.laplace import Laplace as Laplace
from vizgrad.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from vizgrad.distributions.log_normal import LogNormal as LogNormal
from vizgrad.distributions.logistic_normal import LogisticNormal as LogisticNormal
from vizgrad.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal as LowRankMultivariateNormal,
)
from vizgrad.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from vizgrad.distributions.multinomial import Multinomial as Multinomial
from vizgrad.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from vizgrad.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from vizgrad.distributions.normal import Normal as Normal
from vizgrad.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
from vizgrad.distributions.one_hot_categorical import (
    OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
)
from vizgrad.distributions.pareto import Pareto as Pareto
from vizgrad.distributions.poisson import Poisson as Poisson
from vizgrad.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from vizgrad.distributions.relaxed_categorical import (
    RelaxedOneHotCategorical as RelaxedOneHotCategorical,
)
from vizgrad.distributions.studentT import StudentT as StudentT
from vizgrad.distributions.transformed_distribution import (
    TransformedDistribution as TransformedDistribution,
)
from vizgrad.distributions.transforms import AbsTransform as AbsTransform
from vizgrad.distributions.transforms import AffineTransform as AffineTransform
from vizgrad.distributions.transforms import CatTransform as CatTransform
from vizgrad.distributions.transforms import ComposeTransform as ComposeTransform
from vizgrad.distributions.transforms import CorrCholeskyTransform as CorrCholeskyTransform
from vizgrad.distributions.transforms import (
    CumulativeDistributionTransform as CumulativeDistributionTransform,
)
from vizgrad.distributions.transforms import ExpTransform as ExpTransform
from vizgrad.distributions.transforms import IndependentTransform as IndependentTransform
from vizgrad.distributions.transforms import LowerCholeskyTransform as LowerCholeskyTransform
from vizgrad.distributions.transforms import PositiveDefiniteTransform as PositiveDefiniteTransform
from vizgrad.distributions.transforms import PowerTransform as PowerTransform
from vizgrad.distributions.transforms import ReshapeTransform as ReshapeTransform
from vizgrad.distributions.transforms import SigmoidTransform as SigmoidTransform
from vizgrad.distributions.transforms import SoftmaxTransform as SoftmaxTransform
from vizgrad.distributions.transforms import SoftplusTransform as SoftplusTransform
from vizgrad.distributions.transforms import StackTransform as StackTransform
from vizgrad.distributions.transforms import StickBreakingTransform as StickBreakingTransform
from vizgrad.distributions.transforms import TanhTransform as TanhTransform
from vizgrad.distributions.transforms import Transform as Transform
from vizgrad.distributions.transforms import identity_transform as identity_transform
from vizgrad.distributions.uniform import Uniform as Uniform
from vizgrad.distributions.von_mises import VonMises as VonMises
from vizgrad.distributions.weibull import Weibull as Weibull
from vizgrad.distributions.wishart import Wishart as Wishart
