"""Operations, one family a file; importing this package attaches them to Tensor as methods."""

from vizgrad.ops import methods as methods
