"""Causes that lie in how a model was called: the line to edit is the user's, though its sign is within."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402

F = torch.nn.functional


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.second(self.first(x).tanh())


def a_model_is_called_without_grad() -> Any:
    torch.manual_seed(0)
    model, head = Model(), torch.nn.Linear(2, 1)
    with torch.no_grad():
        seen = model(torch.randn(5, 3))  # blame
    head(seen).sum().backward()
    return vizgrad.why(model.first.weight)


def an_input_requires_grad_after_the_model() -> Any:
    torch.manual_seed(0)
    model, x = Model(), torch.randn(5, 3)
    out = model(x)
    x.requires_grad_()  # blame
    out.sum().backward()
    return vizgrad.why(x)


def parameters_are_off_while_the_loss_is_computed() -> Any:
    torch.manual_seed(0)
    model = Model()
    model.requires_grad_(False)  # blame
    loss = model(torch.randn(5, 3)).sum()
    model.requires_grad_(True)
    with pytest.raises(RuntimeError, match="does not require grad") as raised:
        loss.backward()
    return raised.value.explanation  # pyright: ignore[reportAttributeAccessIssue]  a watch gives it


def features_are_inference_tensors() -> Any:
    torch.manual_seed(0)
    model, head = Model(), torch.nn.Linear(2, 1)
    with torch.inference_mode():
        seen = model(torch.randn(5, 3))  # blame
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved") as raised:
        head(seen)
    return raised.value.explanation  # pyright: ignore[reportAttributeAccessIssue]  a watch gives it


def half_precision_overflows() -> Any:
    x = torch.full((3,), 300.0, requires_grad=True)
    energy = x.half().pow(2)  # blame
    loss = energy.float().mean()
    loss.backward()
    return vizgrad.why(loss)


def no_class_is_left() -> Any:
    scores = torch.randn(4, 3, requires_grad=True)
    loss = F.cross_entropy(scores, torch.full((4,), -100))  # blame
    loss.backward()
    return vizgrad.why(loss)


def _train(loss_of: Callable[[Any], Any], rate: float = 0.1) -> None:
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), rate)
    for _ in range(5):
        optimizer.zero_grad()
        loss_of(model(torch.randn(5, 3))).backward()
        optimizer.step()


def a_loss_compares_a_result_with_itself() -> None:
    _train(lambda seen: F.mse_loss(seen, seen))  # blame


def a_target_is_the_result() -> None:
    _train(lambda seen: F.l1_loss(seen, seen.detach()))  # blame


CASES: list[tuple[Callable[[], Any], str]] = [
    (a_model_is_called_without_grad, "ran under no_grad"),
    (an_input_requires_grad_after_the_model, "did not require grad yet: it does since line"),
    (parameters_are_off_while_the_loss_is_computed, "4 tensors did not require grad"),
    (features_are_inference_tensors, "is an inference tensor"),
    (half_precision_overflows, "beyond the range of float16, whose largest number is 65504"),
    (no_class_is_left, "is -100, the ignore_index"),
    (a_loss_compares_a_result_with_itself, "compares a value with itself"),
    (a_target_is_the_result, "compares a value with one that was computed from it"),
]


@pytest.mark.parametrize(("run", "words"), CASES, ids=[run.__name__ for run, _ in CASES])
def test_the_line_of_the_user_is_blamed(run: Callable[[], Any], words: str) -> None:
    with vizgrad.watch() as watch:
        said = run()
    found = watch.findings[0] if said is None else said
    assert words in found.story
    source, first = inspect.getsourcelines(run)
    blamed = next(first + number for number, text in enumerate(source) if "# blame" in text)
    assert found.culprit is not None
    assert found.culprit.line == blamed


def test_a_step_beyond_all_measure_is_blamed_for_what_follows() -> None:
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with vizgrad.watch() as watch:
        for step in range(4):
            optimizer.param_groups[0]["lr"] = 1e30 if step == 1 else 0.1
            optimizer.zero_grad()
            F.layer_norm(model(torch.randn(5, 3)), (2,)).pow(3).sum().backward()
            optimizer.step()
    assert watch.findings[0].kind == "step-too-large"
    assert "lr=1e+30" in watch.findings[0].story


def test_an_overflow_in_half_precision_is_a_finding_where_its_gradient_is_finite() -> None:
    with vizgrad.watch() as watch:
        x = torch.full((3,), 300.0, requires_grad=True)
        loss = x.half().pow(2).float().mean()
        loss.backward()
    assert loss.isinf()
    assert [each.title for each in watch.findings] == ["Overflow in float16"]


def test_losses_at_their_minimum_and_others_that_are_infinite_are_passed_over() -> None:
    same = torch.nn.Linear(3, 3, bias=False)
    torch.nn.init.eye_(same.weight)
    optimizer = torch.optim.SGD(same.parameters(), 0.1)
    with vizgrad.watch() as watch:
        for _ in range(5):
            x = torch.randn(4, 3)
            optimizer.zero_grad()
            F.mse_loss(same(x), x).backward()  # as an autoencoder that begins as the identity
            optimizer.step()
        w = torch.ones(3, requires_grad=True)
        (w.sum() + torch.zeros(2).log().sum()).backward()
        some = F.cross_entropy(torch.randn(4, 3), torch.tensor([-100, -100, 1, 2]))
    assert watch.findings == []
    assert some.isfinite()
