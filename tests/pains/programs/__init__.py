"""The programs, by theme."""

from tests.pains.programs import cuts, gradients, nonfinite, shapes, steps, writes

ALL = (cuts, gradients, nonfinite, shapes, steps, writes)
