"""The programs, by theme."""

from tests.pains.programs import (
    cuts,
    dead,
    functions,
    gradients,
    minima,
    nonfinite,
    optimizers,
    shapes,
    steps,
    training,
    writes,
)

ALL = (
    cuts,
    dead,
    functions,
    gradients,
    minima,
    nonfinite,
    optimizers,
    shapes,
    steps,
    training,
    writes,
)
