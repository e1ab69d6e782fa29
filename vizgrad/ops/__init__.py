"""Operations, one family a file; importing this package makes functions and methods of them."""

from vizgrad.ops import forms as forms
from vizgrad.ops import operators as operators
from vizgrad.ops.public import families as families
