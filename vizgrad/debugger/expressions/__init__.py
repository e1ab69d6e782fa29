"""Expressions: one small language for conditions (of breakpoints, of ``--when``) and for new values.

An expression is written in Python: numbers, texts, names, ``+ - * / // % **``, comparisons, ``and or not``,
``in``, ``is None``, tuples, an index, `FUNCTIONS` (as ``isnan(loss)`` or ``torch.isnan(loss)``), `METHODS` of
tensors (``loss.item()``) and attributes that are plain data (``loss.shape``, ``self.epoch``).

The text is parsed by `ast` and interpreted here, node by node; nothing of it is ever run as code, since it
may come from a browser. Evaluating is read-only: elements of a tensor are read where they lie, through the
engine that has registered its type (`engines.api.summarizer`), so no operation of a framework runs, no node
is recorded, no version is counted and no property or method of the user's own classes is called.

None stands for what is undefined: an attribute of None, and a result computed with None, is None, and None
is neither smaller nor larger than anything. The same holds of a text and a number.
"""

from vizgrad.debugger.expressions.elements import FUNCTIONS as FUNCTIONS
from vizgrad.debugger.expressions.elements import METHODS as METHODS
from vizgrad.debugger.expressions.elements import Elements as Elements
from vizgrad.debugger.expressions.elements import Gradient as Gradient
from vizgrad.debugger.expressions.interpreter import CONSTANTS as CONSTANTS
from vizgrad.debugger.expressions.interpreter import Expression as Expression
from vizgrad.debugger.expressions.interpreter import evaluate_value as evaluate_value
from vizgrad.debugger.expressions.interpreter import parse as parse
from vizgrad.debugger.expressions.interpreter import parse_value as parse_value
