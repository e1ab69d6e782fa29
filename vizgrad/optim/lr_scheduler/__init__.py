"""Learning rate schedules, as torch.optim.lr_scheduler."""

from vizgrad.optim.lr_scheduler.base import LRScheduler as LRScheduler
from vizgrad.optim.lr_scheduler.base import ReduceLROnPlateau as ReduceLROnPlateau
from vizgrad.optim.lr_scheduler.base import _LRScheduler as _LRScheduler
from vizgrad.optim.lr_scheduler.simple import ChainedScheduler as ChainedScheduler
from vizgrad.optim.lr_scheduler.simple import ConstantLR as ConstantLR
from vizgrad.optim.lr_scheduler.simple import CosineAnnealingLR as CosineAnnealingLR
from vizgrad.optim.lr_scheduler.simple import (
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
)
from vizgrad.optim.lr_scheduler.simple import CyclicLR as CyclicLR
from vizgrad.optim.lr_scheduler.simple import ExponentialLR as ExponentialLR
from vizgrad.optim.lr_scheduler.simple import LambdaLR as LambdaLR
from vizgrad.optim.lr_scheduler.simple import LinearLR as LinearLR
from vizgrad.optim.lr_scheduler.simple import MultiplicativeLR as MultiplicativeLR
from vizgrad.optim.lr_scheduler.simple import MultiStepLR as MultiStepLR
from vizgrad.optim.lr_scheduler.simple import OneCycleLR as OneCycleLR
from vizgrad.optim.lr_scheduler.simple import PolynomialLR as PolynomialLR
from vizgrad.optim.lr_scheduler.simple import SequentialLR as SequentialLR
from vizgrad.optim.lr_scheduler.simple import StepLR as StepLR
