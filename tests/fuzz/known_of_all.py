"""Of all operations: where PyTorch is wrong, noisy or says nothing."""

from __future__ import annotations

from tests.fuzz.conditions import (
    all_of,
    both_refuse,
    empty,
    halves,
    no_nonsense,
    not_finite,
    ours_says,
    promised_strides,
    says,
    special,
    two_faults,
    writes_out,
)
from tests.fuzz.known_entry import Known

OF_ALL: tuple[Known, ...] = (
    Known("*", "*raises: NotImplementedError, nothing|*raises: RuntimeError, nothing",
          "vizgrad computes in half precision what PyTorch has not for it",
          all_of(halves, says("not implemented for", "not supported on CPU", "nsupported dtype"))),
    Known("cdist pdist F.pdist", "second raises: NotImplementedError, nothing", "vizgrad has this derivative"),
    Known("unique unique_consecutive", "gradient raises: NotImplementedError, nothing",
          "[D] the gradient of a value goes to its first occurrence"),
    Known("abs absolute operator?abs* F.softsign", "raises: NotImplementedError, nothing", "bools are their own magnitude",
          says("'Bool'")),
    Known("round S.round", "raises: NotImplementedError, nothing", "whole numbers, with decimals=0 given",
          lambda call, found: ("decimals", 0) in call.words or call.operation == "S.round"),
    Known("*", "*raises: RuntimeError, nothing", "vizgrad has more types and derivatives",
          says("is not implemented", "not implemented for", "not supported on CPU", "nsupported dtype",
               "not yet supported", "does not support automatic differentiation for outputs")),
    Known("F.gaussian_nll_loss clamp clip T.apply_ argsort sort where scatter bernoulli normal max min all any rsub bitwise_* diag_embed tril_indices triu_indices dsplit hsplit vsplit arange hamming_window "
          "tensor_split isin searchsorted kaiser_window mean sum prod randint_like remainder float_power std std_mean var var_mean selu "
          "repeat_interleave", "raises: TypeError, nothing",
          "signatures of one function are one: names that PyTorch documents, `out`, and a number go with each",
          all_of(says("invalid combination of arguments", "unexpected keyword argument", "multiple values for",
                      "takes no keyword arguments", "positional argument but"), no_nonsense)),
    Known("*", "raises: TypeError, RuntimeError|raises: TypeError, ValueError|raises: TypeError, IndexError|"
          "raises: TypeError, NotImplementedError", "two faults: PyTorch's parser refuses first",
          says("invalid combination of arguments", "unexpected keyword argument", "positional argument but")),
    Known("sum nansum mean nanmean prod median nanmedian", "raises: TypeError, nothing", "`keepdim` without `dim` is of all dims",
          says('missing 1 required positional arguments: "dim"', "'dim' (position 2) must be int, not NoneType", "argument 'dim' must be int, not NoneType")),
    Known("*", "raises: TypeError, *", "flags of what is called often are taken by their truth",
          says("argument 'keepdim'", "argument 'full'", "argument 'largest'", "argument 'requires_grad'", "argument 'copy'", "argument 'non_blocking'")),
    Known("*", "raises: AttributeError, *|raises: TypeError, ValueError|raises: ValueError, TypeError",
          "two faults, or PyTorch's Python code meets what is no tensor by chance"),
    Known("*", "raises: TypeError, RuntimeError", "two faults: arguments that are missing or none at all, and memory that is not to be written",
          all_of(says("missing", "must be tuple of ints, not str", "must be int, not ", "must be Tensor, not list"), ours_says("a leaf Variable", "more than one element of the written-to"))),
    Known("*", "kind|dtype", "numpy has no complex numbers of half precision", lambda call, found: found.theirs == "complex32"),
    Known("T.to", "raises: nothing, TypeError", "PyTorch takes True and 2.5 for the number of a device", ours_says("got (bool)", "got (float)")),
    Known("*", "raises: *", "two faults at once: which is said first is not promised", two_faults),
    Known("*", "second", "of infinities and NaN", special),
    Known("*", "strides", "no promise of how a result that is no view lies in memory", promised_strides),
    Known("*", "second", "inf - inf and 0 * inf in another order", not_finite),
    Known("*", "raises: nothing, RuntimeError", "vizgrad refuses what autograd would lose",
          ours_says("functions with out=... arguments don't support automatic differentiation")),
    Known("*", "raises: NotImplementedError, nothing|raises: RuntimeError, nothing|raises: RuntimeError, *|raises: TypeError, RuntimeError|"
          "raises: NotImplementedError, RuntimeError",
          "which types `out` may have each kernel says for itself; vizgrad's rule is T-5 for all",
          all_of(writes_out, says("dtype", "can't be cast", "scalar type", "scalar_type", "Expected out type", "non-boolean outputs", "same type as input", "output tensor", "for complex tensors", "Long tensor", "bool tensor", "indices must be",
                                  "not implemented for"))),
    Known("*", "raises: *, MemoryError", "more memory than there is: Python's own class of error says so"),
    Known("*", "* after", "what was written before a refusal", both_refuse),
    Known("*", "strides", "of an `out` that was resized", writes_out),
    Known("*", "out* version|out", "how often a composed function writes to `out`", writes_out),
    Known("*", "raises: nothing, NotImplementedError", "of nothing PyTorch asks for no kernel",
          all_of(empty, ours_says("not implemented for", "Expected a floating point", "Low precision dtypes"))),
    Known("*", "raises: TypeError, nothing", "one int for a tuple of one", says("must be tuple of ints, not int")),
)  # fmt: skip
