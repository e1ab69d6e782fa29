"""The programs, by theme."""

from tests.pains.programs import cuts, functions, gradients, nonfinite, shapes, steps, writes

ALL = (cuts, functions, gradients, nonfinite, shapes, steps, writes)
