"""The programs, by theme."""

from tests.pains.programs import (
    cuts,
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

ALL = (cuts, functions, gradients, minima, nonfinite, optimizers, shapes, steps, training, writes)
