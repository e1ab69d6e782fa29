"""Derivatives of functions: products with vectors, Jacobians, Hessians (spec 05 B)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from vizgrad.autograd.grad_mode import enable_grad, set_grad_enabled
from vizgrad.autograd.running import grad
from vizgrad.core.arrays import xp
from vizgrad.core.errors import explained, function_place
from vizgrad.core.ops.public.from_values import zeros_like
from vizgrad.core.ops.public.joining import stack
from vizgrad.core.tensor.modes import is_grad_enabled
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Arguments and results of functions of functions: checked, cut off, filled with zeros (spec 05 B).

Tensors = tuple[Tensor, ...]
Maybe = Sequence[Tensor | None]
Function = Callable[..., Any]

OUTPUTS = "outputs of the user-provided function"


def as_tensors(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """(is it a tuple, its tensors); TypeError for anything but a Tensor or a tuple of Tensors."""
    if isinstance(value, Tensor):
        return False, (value,)
    if not isinstance(value, tuple):
        bad = f"the given {what} has type {type(value)}"
    else:
        others = [n for n, each in enumerate(value) if not isinstance(each, Tensor)]
        if not others:
            return True, value
        bad = f"the value at index {others[0]} has type {type(value[others[0]])}"
    raise wrong_call(
        TypeError(
            f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but {bad}."
        ),
        "give a Tensor, or several in a tuple",
    )


def cut_off(tensors: Tensors, keep: bool, requires_grad: bool = True) -> Tensors:
    """Tensors of the same memory that require grad; with `keep` those that do stay in the caller's graph."""
    return tuple(
        t.view_as(t) if keep and t.requires_grad else t.detach().requires_grad_(requires_grad)
        for t in tensors
    )


def plain(tensors: Tensors, keep: bool) -> Tensors:
    """Without a graph, unless it is to be kept."""
    return tensors if keep else tuple(t.detach() for t in tensors)


def vectors(
    v: Any, like: Tensors, several: bool, what: str, name: str, create_graph: bool
) -> tuple[Tensor | None, ...]:
    """`v` as one vector for each of `like`. It may be left out for a single one-element tensor.

    RuntimeError for other numbers and sizes; `what` says what `v` belongs to.
    """
    bad = ""
    given: tuple[Tensor, ...] = ()
    if v is None:
        if len(like) == 1 and like[0].numel() == 1:
            return (None,)
        bad = f"The vector v can only be None if the {what} a single Tensor with a single element."
    else:
        given = cut_off(as_tensors(v, "v", name)[1], create_graph, requires_grad=False)
        if len(given) != len(like):
            bad = f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}."
            if not several:
                bad = "The given v should contain a single Tensor."
    for number, (one, other) in enumerate(zip(given, like, strict=False)):
        if not bad and one.shape != other.shape:
            entry = f"Entry {number} in " if several else ""
            bad = f"{entry}v has invalid size: should be {other.shape} but got {one.shape}."
    if bad:
        raise wrong_call(
            RuntimeError(bad),
            f"give {name} a v of the shapes of its inputs or outputs",
        )
    return given


def independent(function: Function, message: str) -> RuntimeError:
    """The error of strict mode."""
    return explained(
        RuntimeError(message),
        kind="unused",
        culprit=function_place(function),
        fix="let the result depend on every input, or leave strict=True out: then there are zeros",
    )


def require_grad(function: Function, tensors: Maybe, stage: str, strict: bool) -> None:
    """In strict mode RuntimeError for what does not depend on the inputs: `outputs`, `grad_input`,
    `jacobian` or `hessian` is what `tensors` are.
    """
    for number, tensor in enumerate(tensors if strict else ()):
        if tensor is not None and tensor.requires_grad:
            continue
        if tensor is None:
            bad = (
                f"The output of the user-provided function is independent of input {number}. This is not "
                "allowed in strict mode."
            )
        elif stage == "outputs":
            bad = (
                f"Output {number} of the user-provided function does not require gradients. The outputs must "
                "be computed in a differentiable manner from the input when running in strict mode."
            )
        elif stage == "jacobian":
            bad = (
                "While computing the hessian, found that the jacobian of the user-provided function with "
                f"respect to input {number} is independent of the input. This is not allowed in strict mode."
            )
        else:
            bad = (
                f"The {stage} of the user-provided function with respect to input {number} is independent of "
                "the input. This is not allowed in strict mode."
            )
        raise independent(function, bad)


def gradients(
    outputs: Maybe, inputs: Tensors, weights: Maybe | None = None, *,
    create_graph: bool, retain_graph: bool | None = None,
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """`grad` of those outputs that there are and that require grad; None where nothing arrives."""
    weights = (None,) * len(outputs) if weights is None else weights
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, weights, strict=True)
        if output is not None and output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [output for output, _ in pairs],
        inputs,
        [weight for _, weight in pairs],
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )


def filled(
    function: Function, found: Maybe, like: Tensors, create_graph: bool, strict: bool
) -> Tensors:
    """The gradients with zeros where there are none; in strict mode RuntimeError for these, and with
    `create_graph` for those that do not depend on anything.
    """
    for number, one in enumerate(found if strict else ()):
        if one is None or (create_graph and not one.requires_grad):
            what, more = ("output", "") if one is None else ("jacobian", " when create_graph=True")
            raise independent(
                function,
                f"The {what} of the user-provided function is independent of input {number}. This is not "
                f"allowed in strict mode{more}.",
            )
    return tuple(
        zeros_like(other) if one is None else one for one, other in zip(found, like, strict=True)
    )


def single(function: Function, outputs: Any, name: str, strict: bool) -> Tensor:
    """The one element that a function returned of which there is to be a Hessian."""
    several, tensors = as_tensors(outputs, OUTPUTS, name)
    require_grad(function, tensors, "outputs", strict)
    bad = ""
    if several:
        bad = f"The function given to {name} should return a single Tensor"
    elif tensors[0].numel() != 1:
        bad = f"The Tensor returned by the function given to {name} should contain a single element"
    if bad:
        raise explained(
            RuntimeError(bad),
            kind="not-scalar",
            culprit=function_place(function),
            fix="return one number, e.g. the sum",
        )
    return tensors[0]


def _shaped(tensors: Any, several: bool) -> Any:
    """A tuple if there was one to begin with."""
    return tensors if several else tensors[0]


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(func(*inputs), the vector `v` times its Jacobian), the product shaped as `inputs`.

    `v` is shaped as the output, and may be left out if that is one element. With `create_graph` both stay in
    the graph; `strict` makes an error (RuntimeError) of an input that the output does not depend on, where
    there are zeros otherwise. TypeError for anything but Tensors and tuples of Tensors.
    """
    with enable_grad():
        several, given = as_tensors(inputs, "inputs", "vjp")
        given = cut_off(given, create_graph)
        severally, outputs = as_tensors(func(*given), OUTPUTS, "vjp")
        require_grad(func, outputs, "outputs", strict)
        what = "user-provided function returns"
        weights = vectors(v, outputs, severally, what, "vjp", create_graph)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(outputs, given, weights, create_graph=create_graph)
        product = filled(func, found, given, create_graph, strict)
    return (
        _shaped(plain(outputs, create_graph), severally),
        _shaped(plain(product, create_graph), several),
    )


_OF_INPUT = "input to the user-provided function is"


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(func(*inputs), its Jacobian times the vector `v`), both shaped as the output.

    `v` is shaped as `inputs`, and may be left out if that is one element. The product is found by two
    backwards: that of `u` J, which is linear in `u`, and its derivative in `u`. Otherwise as `vjp`.
    """
    with enable_grad():
        several, given = as_tensors(inputs, "inputs", "jvp")
        given = cut_off(given, create_graph)
        weights = vectors(v, given, several, _OF_INPUT, "jvp", create_graph)
        severally, outputs = as_tensors(func(*given), OUTPUTS, "jvp")
        require_grad(func, outputs, "outputs", strict)
        any_vector = tuple(zeros_like(output, requires_grad=True) for output in outputs)
        backwards = gradients(outputs, given, any_vector, create_graph=True)
        require_grad(func, backwards, "gradient", strict)
        product = _derivative(func, backwards, any_vector, weights, outputs, create_graph, strict)
    return (
        _shaped(plain(outputs, create_graph), severally),
        _shaped(plain(product, create_graph), severally),
    )


def _derivative(
    func: Function, linear: Maybe, of: Tensors, weights: Maybe, like: Tensors, create: bool, strict: bool
) -> Tensors:  # fmt: skip
    """The derivative of what is linear in `of`."""
    ones = _ones(linear, weights)
    found = gradients(linear, of, ones, create_graph=create)
    return filled(func, found, like, create, strict)


def _ones(tensors: Maybe, weights: Maybe) -> Maybe:
    """A vector left out is of one element: one."""
    return [
        new_tensor(xp.ones_like(t._array)) if w is None and t is not None else w
        for t, w in zip(tensors, weights, strict=True)
    ]


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(func(*inputs), the vector `v` times its Hessian), the product shaped as `inputs`.

    `func` returns one element (RuntimeError otherwise); `v` is shaped as `inputs`. Otherwise as `vjp`.
    """
    with enable_grad():
        several, given = as_tensors(inputs, "inputs", "vhp")
        given = cut_off(given, create_graph)
        weights = vectors(v, given, several, _OF_INPUT, "vhp", create_graph)
        output = single(func, func(*given), "vhp", strict)
        firsts = gradients((output,), given, create_graph=True)
        require_grad(func, firsts, "jacobian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(firsts, given, _ones(firsts, weights), create_graph=create_graph)
        product = filled(func, found, given, create_graph, strict)
    return plain((output,), create_graph)[0], _shaped(plain(product, create_graph), several)


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(func(*inputs), its Hessian times the vector `v`): as `vhp`, by one backward more.

    The two products are the same where the Hessian is symmetric: `vhp` is faster.
    """
    with enable_grad():
        several, given = as_tensors(inputs, "inputs", "hvp")
        given = cut_off(given, create_graph)
        weights = vectors(v, given, several, _OF_INPUT, "hvp", create_graph)
        output = single(func, func(*given), "hvp", strict)
        firsts = gradients((output,), given, create_graph=True)
        require_grad(func, firsts, "jacobian", strict)
        any_vector = tuple(zeros_like(one, requires_grad=True) for one in given)
        backwards = gradients(firsts, given, any_vector, create_graph=True)
        require_grad(func, backwards, "hessian", strict)
        product = _derivative(func, backwards, any_vector, weights, given, create_graph, strict)
    return plain((output,), create_graph)[0], _shaped(plain(product, create_graph), several)


# --- whole matrices ----------------------------------------------------------------------------------

_STRATEGIES = ("forward-mode", "reverse-mode")


def _check_strategy(
    strategy: str, name: str, create_graph: bool, strict: bool, vectorize: bool
) -> None:
    """AssertionError for a strategy that there is not, NotImplementedError for what does not go together,
    RuntimeError for strict with `vectorize`.
    """
    error: Exception | None = None
    fix = 'pass strategy="reverse-mode"'
    where = f"vizgrad.autograd.functional.{name}"
    if strategy not in _STRATEGIES:
        error = AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: the first takes one run '
            "for each element of the inputs, the second one for each of the outputs"
        )
    elif strategy == "forward-mode":
        if create_graph:
            error = NotImplementedError(
                f'{where}: `create_graph=True` and `strategy="forward-mode"` are not supported together.'
            )
        elif strict:
            error = RuntimeError(
                f'{where}: `strict=True` and `strategy="forward-mode"` are not supported together.'
            )
        elif not vectorize:
            error = NotImplementedError(
                f"{where}: forward mode is only implemented for `vectorize=True`."
            )
    elif strict and vectorize:
        error = RuntimeError(
            f"{where}: `strict=True` and `vectorized=True` are not supported together."
        )
        fix = "leave out strict, or vectorize"
    if error is not None:
        raise wrong_call(error, fix)


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func` at `inputs`, of shape output.shape + input.shape.

    A tuple over outputs and one over inputs where these are tuples. One backward for each element of the
    outputs; `vectorize` asks for all of them in one call (`is_grads_batched`), which gives the same.
    `strict` as in `vjp`, not with `vectorize` (RuntimeError). With "forward-mode" the function runs once,
    with a tangent for each element of the inputs: cheaper where they are fewer than those of the outputs. It
    wants `vectorize`, and makes no graph (NotImplementedError). AssertionError for another strategy.
    """
    _check_strategy(strategy, "jacobian", create_graph, strict, vectorize)
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs)
    with enable_grad():
        several, given = as_tensors(inputs, "inputs", "jacobian")
        given = cut_off(given, create_graph)
        severally, outputs = as_tensors(func(*given), OUTPUTS, "jacobian")
        require_grad(func, outputs, "outputs", strict)
        if vectorize:
            blocks = _batched(outputs, given, create_graph)
        else:
            blocks = tuple(
                _rows(func, number, output, given, create_graph, strict)
                for number, output in enumerate(outputs)
            )
    return _shaped(
        tuple(_shaped(plain(block, create_graph), several) for block in blocks), severally
    )


def _forward_jacobian(func: Function, inputs: Any, requires_grad: bool = False) -> Any:
    """By columns: the tangents of all unit vectors, in one run. A function that takes gradients
    inside gets its inputs with `requires_grad`.
    """
    from vizgrad.autograd.gradcheck_forward import jacobian_blocks

    several, given = as_tensors(inputs, "inputs", "jacobian")
    given = cut_off(given, False, requires_grad)
    severally = False

    def checked(*arguments: Tensor) -> Tensors:
        nonlocal severally
        severally, outputs = as_tensors(func(*arguments), OUTPUTS, "jacobian")
        return outputs

    _, blocks = jacobian_blocks(checked, given)
    return _shaped(tuple(_shaped(plain(block, False), several) for block in blocks), severally)


def _rows(
    func: Function, number: int, output: Tensor, inputs: Tensors, create_graph: bool, strict: bool
) -> Tensors:
    """The blocks of one output, a backward for each of its elements."""
    rows: list[list[Tensor]] = [[] for _ in inputs]
    flat = output.reshape(-1)
    for place in range(output.numel()):
        found = gradients((flat[place],), inputs, create_graph=create_graph, retain_graph=True)
        if strict and any(one is None for one in found):
            raise independent(
                func,
                f"Output {number} of the user-provided function is independent of input "
                f"{[one is None for one in found].index(True)}. This is not allowed in strict mode.",
            )
        for row, one in zip(rows, filled(func, found, inputs, create_graph, strict), strict=True):
            row.append(one)
    return tuple(_block(r, output, input) for r, input in zip(rows, inputs, strict=True))


def _block(rows: list[Tensor], output: Tensor, input: Tensor) -> Tensor:
    shape = (*output.shape, *input.shape)
    return stack(rows).view(shape) if rows else input.new_zeros(shape)


def _batched(outputs: Tensors, inputs: Tensors, create_graph: bool) -> tuple[Tensors, ...]:
    """All blocks by one call: a batch of unit vectors for all elements of all outputs."""
    sizes = [prod(output.shape) for output in outputs]
    count = sum(sizes)
    known: list[Tensor] = []
    units: list[Tensor] = []
    begin = 0
    for output, size in zip(outputs, sizes, strict=True):
        if output.requires_grad:
            unit = xp.zeros_like(output._array, shape=(count, size))
            ones = slice(begin * size, (begin + size) * size + size, size + 1)
            unit.reshape(-1)[ones][:size] = 1  # a diagonal, from row `begin`
            known.append(output)
            units.append(new_tensor(unit.reshape((count, *output.shape))))
        begin += size
    found: Any = (None,) * len(inputs)
    if known and count:
        found = grad(
            known,
            inputs,
            units,
            create_graph=create_graph,
            allow_unused=True,
            is_grads_batched=True,
        )
    blocks: list[Tensors] = []
    begin = 0
    for output, size in zip(outputs, sizes, strict=True):
        blocks.append(
            tuple(
                input.new_zeros((*output.shape, *input.shape))
                if one is None
                else one[begin : begin + size].reshape((*output.shape, *input.shape))
                for one, input in zip(found, inputs, strict=True)
            )
        )
        begin += size
    return tuple(blocks)


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of `func`, which returns one element: shape input.shape + input.shape.

    For a tuple of inputs a tuple of tuples: [i][j] holds the derivatives in input i and then in input j.
    Settings as in `jacobian`, of which this is two.
    """
    _check_strategy(outer_jacobian_strategy, "hessian", create_graph, strict, vectorize)
    several, given = as_tensors(inputs, "inputs", "hessian")

    def value(*arguments: Tensor) -> Tensor:
        return single(func, func(*arguments), "hessian", strict).squeeze()

    def firsts(*arguments: Tensor) -> Tensors:
        found = jacobian(value, arguments, create_graph=True)
        require_grad(func, found, "jacobian", strict)
        return found

    if outer_jacobian_strategy == "forward-mode":
        with enable_grad():
            found = _forward_jacobian(firsts, given, requires_grad=True)
    else:
        found = jacobian(firsts, given, create_graph, strict, vectorize)
    return _shaped(tuple(_shaped(row, several) for row in found), several)
