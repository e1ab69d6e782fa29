"""`einsum`: products of tensors summed over named dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.ops import matrix_products as products
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import dimensions, reshape, slicing
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.reduction import sum as sum_dims
from vizgrad.core.tensor.tensor import Tensor


@public
@takes_tensors
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Sums of products by the Einstein convention, e.g. ``einsum("ij,jk->ik", a, b)``.

    Labels may be given as lists of numbers below 52 instead: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
    More than two operands are multiplied pair by pair, in the order that opt_einsum finds cheapest; a
    label that nothing else needs is summed as soon as possible, by one `bmm`.
    """
    if not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand "
            "and its subscripts list"
        )
    if isinstance(equation, Tensor):
        equation, operands = _of_lists((equation, *operands))
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}"
        )
    if len(operands) == 1 and not isinstance(operands[0], Tensor):
        operands = tuple(operands[0])
    for position, each in enumerate(operands):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"einsum(): expected Tensor as operand {position}, but got {type(each).__name__}"
            )
    inputs, output = _parse(equation, [o._array.ndim for o in operands])
    rest = list(zip(inputs, operands, strict=True))
    for step in _cheapest_order(inputs, output, operands):
        chosen = [rest[i] for i in step]
        rest = [pair for i, pair in enumerate(rest) if i not in step]
        # a label that the others have with size 1 alone is summed at once
        wanted = {
            c for names, o in rest for c, n in zip(names, o._array.shape, strict=True) if n != 1
        }
        wanted.update(output)
        names = [c for c in dict.fromkeys(c for n, _ in chosen for c in n) if c in wanted]
        if not rest:
            names = output
        rest.append((names, _contract([n for n, _ in chosen], names, [o for _, o in chosen])))
    return rest[0][1]


def _of_lists(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The equation that lists of label numbers say, and the operands between them."""
    pairs = len(given) // 2 * 2
    terms = ",".join(_letters(labels) for labels in given[1:pairs:2])
    output = "" if pairs == len(given) else "->" + _letters(given[-1])
    return terms + output, given[:pairs:2]


def _letters(labels: Any) -> str:
    found = []
    for label in labels:
        if label is Ellipsis:
            found.append("...")
        elif 0 <= label < 52:
            found.append(chr(ord("A") + label if label < 26 else ord("a") + label - 26))
        else:
            raise ValueError(
                "einsum(): subscript in subscript list is not within the valid range [0, 52)"
            )
    return "".join(found)


def _cheapest_order(
    inputs: list[list[Any]], output: list[Any], operands: Sequence[Tensor]
) -> list[tuple[int, ...]]:
    """Which operands to multiply next, as numbers into the list that is left; results go to its end."""
    if len(operands) < 3:
        return [tuple(range(len(operands)))]
    from opt_einsum import contract_path, get_symbol  # late: needed for three operands or more

    symbols: dict[Any, str] = {}
    for label in (c for names in inputs for c in names):
        symbols.setdefault(label, get_symbol(len(symbols)))
    terms = ["".join(symbols[c] for c in names) for names in (*inputs, output)]
    equation = ",".join(terms[:-1]) + "->" + terms[-1]
    path, _ = contract_path(equation, *(o._array.shape for o in operands), shapes=True)
    return [tuple(step) for step in path]


def _contract(inputs: list[list[Any]], output: list[Any], operands: Sequence[Tensor]) -> Tensor:
    """The product of the operands, summed over the labels that the output does not have."""
    labels = list(output) + [
        c for c in dict.fromkeys(x for i in inputs for x in i) if c not in output
    ]
    sizes: dict[Any, int] = {}
    aligned: list[Tensor] = []
    last_use: dict[Any, int] = {}
    for position, (given, tensor) in enumerate(zip(inputs, operands, strict=True)):
        operand, names = _diagonals(tensor, given)
        for label, length in zip(names, operand._array.shape, strict=True):
            known = sizes.setdefault(label, length)
            if known == 1:
                sizes[label] = length
            elif length not in (1, known):
                raise RuntimeError(
                    f"einsum(): operands do not broadcast with remapped shapes: label {label!r} "
                    f"has sizes {known} and {length}"
                )
            last_use[label] = position
        aligned.append(_aligned(operand, names, labels, alone=len(operands) == 1))
    kept = len(output)
    result = aligned[0]
    summed = [d for d in range(kept, len(labels)) if last_use[labels[d]] == 0]
    if len(operands) == 1:  # its sums are no views, not even over one element
        result = sum_dims(result, summed, keepdim=True) if summed else result
    else:
        result = _sum_dims(result, summed)
    for position, operand in enumerate(aligned[1:], 1):
        summed = [d for d in range(kept, len(labels)) if last_use[labels[d]] == position]
        result = _product(result, operand, summed)
    if len(labels) > kept:
        result = reshape.reshape(result, result._array.shape[:kept])
    return result


def _aligned(operand: Tensor, names: list[Any], labels: list[Any], *, alone: bool) -> Tensor:
    """The operand with one dimension per label, in their order; of size 1 where it has none.

    An only operand is never handed back itself: the result is a view of it, as in PyTorch (X-41).
    """
    order = [names.index(c) for c in labels if c in names]
    if alone or order != list(range(len(order))):
        operand = dimensions.permute(operand, order)
    for at, label in enumerate(labels):
        if label not in names:
            operand = dimensions.unsqueeze(operand, at)
    return operand


def _parse(equation: str, ranks: list[int]) -> tuple[list[list[Any]], list[Any]]:
    """Labels of each operand and of the result; dimensions of an ellipsis are labelled by numbers."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise RuntimeError(
            f"einsum(): {'more' if len(terms) < len(ranks) else 'fewer'} operands were provided "
            f"than specified in the equation: {len(ranks)} for {len(terms)}"
        )
    inputs: list[list[Any]] = []
    widest = 0
    for term, rank in zip(terms, ranks, strict=True):
        head, dots, tail = term.partition("...")
        _check_labels(head + tail)
        hidden = rank - len(head) - len(tail)
        if hidden < 0 or (hidden and not dots):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(head) + len(tail)}) "
                f"does not match the number of dimensions ({rank}) for an operand"
            )
        widest = max(widest, hidden)
        inputs.append([*head, *range(-hidden, 0), *tail] if dots else list(head))
    ellipsis = list(range(-widest, 0))
    if arrow:
        head, dots, tail = right.partition("...")
        _check_labels(head + tail)
        output = [*head, *ellipsis, *tail] if dots else list(head)
        for label in output:
            if output.count(label) > 1:
                raise RuntimeError(
                    f"einsum(): output subscript {label} appears more than once in the output"
                )
            if not any(label in names for names in inputs):
                raise RuntimeError(
                    f"einsum(): output subscript {label} does not appear in the equation for "
                    "any input operand"
                )
    else:
        every = [c for names in inputs for c in names]
        output = [
            *ellipsis,
            *sorted(c for c in set(every) if isinstance(c, str) and every.count(c) == 1),
        ]
    return inputs, output


def _check_labels(labels: str) -> None:
    for label in labels:
        if not (label.isascii() and label.isalpha()):
            raise RuntimeError(
                f"einsum(): invalid subscript given: {label!r}; subscripts must be in [a-zA-Z]"
            )


def _diagonals(operand: Tensor, names: list[Any]) -> tuple[Tensor, list[Any]]:
    """A label that an operand has twice stands for its diagonal."""
    names = list(names)
    for label in dict.fromkeys(names):
        while names.count(label) > 1:
            first = names.index(label)
            second = names.index(label, first + 1)
            n, m = operand._array.shape[first], operand._array.shape[second]
            if n != m:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for an operand of shape "
                    f"{list(operand._array.shape)} but the sizes don't match, {m} != {n}"
                )
            operand = dimensions.movedim(slicing.diagonal(operand, 0, first, second), -1, first)
            del names[second]
    return operand, names


def _sum_dims(tensor: Tensor, dims: list[int]) -> Tensor:
    dims = [d for d in dims if tensor._array.shape[d] != 1]
    return sum_dims(tensor, dims, keepdim=True) if dims else tensor


def _product(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """Elementwise product of two aligned tensors, summed over `summed` (kept as size 1)."""
    a = _sum_dims(a, [d for d in summed if b._array.shape[d] == 1])
    b = _sum_dims(b, [d for d in summed if a._array.shape[d] == 1])
    sa, sb = a._array.shape, b._array.shape
    both = [d for d in range(len(sa)) if sa[d] != 1 and sb[d] != 1]
    contract = [d for d in both if d in summed]
    if not contract:
        return a * b  # types are promoted, as for every product of elements
    batch = [d for d in both if d not in summed]
    left = [d for d in range(len(sa)) if d not in both and sb[d] == 1 and sa[d] != 1]
    right = [d for d in range(len(sa)) if d not in both and d not in left]
    first = _fold(a, (batch, left, contract), right)
    second = _fold(b, (batch, contract, right), left)
    out = products.bmm.record(first, second)
    order = [*batch, *left, *right, *contract]
    lengths = [
        *(sa[d] for d in batch),
        *(sa[d] for d in left),
        *(sb[d] for d in right),
        *(1 for _ in contract),
    ]
    out = reshape.reshape(out, tuple(lengths))
    back = [order.index(d) for d in range(len(sa))]
    return dimensions.permute(out, *back) if back != list(range(len(back))) else out


def _fold(tensor: Tensor, groups: tuple[list[int], ...], rest: list[int]) -> Tensor:
    """Dimensions brought together in three groups; those of `rest` have size 1."""
    shape = tensor._array.shape
    sizes = []
    for group in groups:
        n = 1
        for d in group:
            n *= shape[d]
        sizes.append(n)
    order = [*(d for g in groups for d in g), *rest]
    if order != list(range(len(order))):
        tensor = dimensions.permute(tensor, *order)
    return reshape.reshape(tensor, tuple(sizes))
