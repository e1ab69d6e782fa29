"""Differentiable maps between spaces of values, with the logarithms of their Jacobians' determinants."""

from vizgrad.distributions.transforms.compose import ComposeTransform as ComposeTransform
from vizgrad.distributions.transforms.compose import identity_transform as identity_transform
from vizgrad.distributions.transforms.elementwise import AbsTransform as AbsTransform
from vizgrad.distributions.transforms.elementwise import AffineTransform as AffineTransform
from vizgrad.distributions.transforms.elementwise import (
    CumulativeDistributionTransform as CumulativeDistributionTransform,
)
from vizgrad.distributions.transforms.elementwise import ExpTransform as ExpTransform
from vizgrad.distributions.transforms.elementwise import PowerTransform as PowerTransform
from vizgrad.distributions.transforms.elementwise import SigmoidTransform as SigmoidTransform
from vizgrad.distributions.transforms.elementwise import SoftplusTransform as SoftplusTransform
from vizgrad.distributions.transforms.elementwise import TanhTransform as TanhTransform
from vizgrad.distributions.transforms.joined import CatTransform as CatTransform
from vizgrad.distributions.transforms.joined import StackTransform as StackTransform
from vizgrad.distributions.transforms.matrices import (
    CorrCholeskyTransform as CorrCholeskyTransform,
)
from vizgrad.distributions.transforms.matrices import (
    LowerCholeskyTransform as LowerCholeskyTransform,
)
from vizgrad.distributions.transforms.matrices import (
    PositiveDefiniteTransform as PositiveDefiniteTransform,
)
from vizgrad.distributions.transforms.reinterpreted import (
    IndependentTransform as IndependentTransform,
)
from vizgrad.distributions.transforms.reinterpreted import ReshapeTransform as ReshapeTransform
from vizgrad.distributions.transforms.simplex import SoftmaxTransform as SoftmaxTransform
from vizgrad.distributions.transforms.simplex import (
    StickBreakingTransform as StickBreakingTransform,
)
from vizgrad.distributions.transforms.transform import Transform as Transform
