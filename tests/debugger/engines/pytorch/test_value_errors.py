"""Errors by the values of an argument: the element that breaks the rule is named, and the line to edit."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402

F = torch.nn.functional


def words_beyond_the_table() -> None:
    words = torch.tensor([[3, 7], [11, 2]])  # blame
    torch.nn.Embedding(10, 4)(words.flatten())


def classes_beyond_the_scores() -> None:
    labels = torch.tensor([0, 2]) + 1  # blame
    F.cross_entropy(torch.randn(2, 3), labels)


def negative_classes_without_an_ignored_one() -> None:
    labels = torch.tensor([0, -1])  # blame
    F.nll_loss(torch.randn(2, 3), labels)


def places_beyond_the_dimension() -> None:
    chosen = torch.tensor([[0], [5]])  # blame
    torch.randn(2, 3).gather(1, chosen)


def scores_in_place_of_probabilities() -> None:
    scores = torch.tensor([0.5, 2.5], requires_grad=True)
    F.binary_cross_entropy(scores, torch.ones(2))  # blame


def scores_that_are_sampled() -> None:
    scores = torch.tensor([0.5, -1.5], requires_grad=True)
    torch.multinomial(scores, 1)  # blame


def a_result_for_an_optimizer() -> None:
    prompt = torch.randn(3, requires_grad=True) * 0.1  # blame
    torch.optim.SGD([prompt], 0.1)


CASES: list[tuple[Callable[[], None], str]] = [
    (words_beyond_the_table, "`words` holds 11 at [2], and the table has 10 rows, 0 to 9."),
    (
        classes_beyond_the_scores,
        "`labels` holds 3 at [1], and there are scores of 3 classes, 0 to 2.",
    ),
    (
        negative_classes_without_an_ignored_one,
        "`labels` holds -1 at [1], and there are scores of 3 classes, 0 to 2.",
    ),
    (
        places_beyond_the_dimension,
        "`chosen` holds 5 at [1, 0], and dimension 1 has 3 elements, 0 to 2.",
    ),
    (
        scores_in_place_of_probabilities,
        "`scores` holds 2.5 at [1], and binary_cross_entropy takes probabilities, from 0 to 1.",
    ),
    (
        scores_that_are_sampled,
        "`scores` holds -1.5 at [1], and multinomial takes probabilities, or weights that are not negative.",
    ),
    (
        a_result_for_an_optimizer,
        (
            "`prompt` is the result of `torch.randn(3, requires_grad=True) * 0.1`, and no leaf: a step would "
            "change a result that the next forward replaces."
        ),
    ),
]


def blamed(run: Callable[[], None]) -> int:
    source, first = inspect.getsourcelines(run)
    return next(first + number for number, text in enumerate(source) if "# blame" in text)


@pytest.mark.parametrize(("run", "story"), CASES, ids=[run.__name__ for run, _ in CASES])
def test_the_value_and_the_line_are_told(run: Callable[[], None], story: str) -> None:
    with pytest.raises(Exception) as raised, vizgrad.watch():  # noqa: PT011  each raises its own
        run()
    told: Any = raised.value.explanation  # pyright: ignore[reportAttributeAccessIssue]  a watch gives it
    assert told.story == story
    assert told.culprit.line == blamed(run)
    assert told.fix


def test_other_errors_of_the_same_functions_are_left_as_they_are() -> None:
    scores, labels = torch.randn(2, 3), torch.tensor([0, 1])
    for wrong in (
        lambda: F.cross_entropy(scores, labels.float()[:1]),
        lambda: F.embedding(labels, torch.randn(3)),
        lambda: torch.optim.SGD([], 0.1),
    ):
        with pytest.raises(Exception) as raised, vizgrad.watch():  # noqa: PT011  as above
            wrong()
        assert not hasattr(raised.value, "explanation")
