"""Losses and distributions that are given probabilities for logarithms, or logarithms for probabilities."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg


@pytest.fixture(params=["vizgrad", "torch"])
def engine(request: pytest.FixtureRequest) -> Any:
    pytest.importorskip(request.param)
    importlib.import_module(f"{request.param}.distributions")
    return importlib.import_module(request.param)


def findings(engine: Any, loss_of: Callable[[Any, Any, Any], Any]) -> list[Any]:
    engine.manual_seed(0)
    net, x = engine.nn.Linear(3, 4), engine.randn(5, 3)
    with warnings.catch_warnings(), vg.watch() as watch:
        warnings.simplefilter("ignore")  # of the mean over all elements
        loss_of(engine, net(x), engine.randn(5, 4)).backward()
    return watch.findings


def log_target_of_probabilities(engine: Any, scores: Any, other: Any) -> Any:
    F = engine.nn.functional
    wanted = other.softmax(dim=-1)
    return F.kl_div(scores.log_softmax(-1), wanted, reduction="batchmean", log_target=True)


def log_target_in_its_place(engine: Any, scores: Any, other: Any) -> Any:
    F = engine.nn.functional
    wanted = F.softmax(other, dim=-1)
    return F.kl_div(scores.log_softmax(-1), wanted, None, None, "sum", True)


def log_target_of_a_module(engine: Any, scores: Any, other: Any) -> Any:
    loss = engine.nn.KLDivLoss(reduction="batchmean", log_target=True)
    wanted = other.softmax(dim=-1)
    return loss(scores.log_softmax(-1), wanted)


@pytest.mark.parametrize(
    "program", [log_target_of_probabilities, log_target_in_its_place, log_target_of_a_module]
)
def test_probabilities_as_logarithms_of_a_target(engine: Any, program: Any) -> None:
    (found,) = findings(engine, program)
    assert found.kind == "wrong-call"
    assert found.tensor == "wanted"
    assert "with log_target=True takes logarithms of probabilities as its target" in found.story
    assert "and `wanted` is a softmax" in found.story
    assert "log_softmax in place of softmax" in found.fix


def test_logarithms_as_a_target_of_probabilities(engine: Any) -> None:
    def program(engine: Any, scores: Any, other: Any) -> Any:
        F = engine.nn.functional
        wanted = F.log_softmax(other, dim=-1)
        return F.kl_div(F.log_softmax(scores, dim=-1), wanted, reduction="batchmean")  # blame

    (found,) = findings(engine, program)
    assert found.kind == "wrong-call"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# blame")
    assert "`wanted` is a log_softmax" in found.story
    assert "log_target=True" in found.fix


def a_policy(engine: Any, scores: Any, other: Any) -> Any:
    odds = scores.softmax(dim=-1)
    policy = engine.distributions.Categorical(logits=odds)  # blame
    return -policy.log_prob(policy.sample()).mean()


def a_vector_of_zeros_and_a_one(engine: Any, scores: Any, other: Any) -> Any:
    odds = scores.softmax(dim=-1)
    policy = engine.distributions.OneHotCategorical(logits=odds)  # blame
    return -policy.log_prob(policy.sample()).mean()


@pytest.mark.parametrize("program", [a_policy, a_vector_of_zeros_and_a_one])
def test_probabilities_as_logits_of_a_distribution(engine: Any, program: Any) -> None:
    (found,) = findings(engine, program)
    assert found.kind == "double-normalised"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# blame")
    assert "Categorical on line" in found.story
    assert "takes `odds` as logits, and it is a softmax already" in found.story
    assert "`odds` as probs=" in found.fix


def both_of_logarithms(engine: Any, scores: Any, other: Any) -> Any:
    F = engine.nn.functional
    return F.kl_div(scores.log_softmax(-1), other.log_softmax(-1), reduction="sum", log_target=True)


def a_target_of_probabilities(engine: Any, scores: Any, other: Any) -> Any:
    F = engine.nn.functional
    return F.kl_div(scores.log_softmax(-1), other.softmax(-1), reduction="sum")


def a_target_turned_back(engine: Any, scores: Any, other: Any) -> Any:
    F = engine.nn.functional
    wanted = other.log_softmax(-1)
    return F.kl_div(scores.log_softmax(-1), wanted.exp(), reduction="sum")


def a_target_whose_logarithm_is_taken(engine: Any, scores: Any, other: Any) -> Any:
    F = engine.nn.functional
    wanted = other.softmax(-1)
    return F.kl_div(scores.log_softmax(-1), wanted.log(), reduction="sum", log_target=True)


def of_probabilities(engine: Any, scores: Any, other: Any) -> Any:
    policy = engine.distributions.Categorical(probs=scores.softmax(-1))
    return -policy.log_prob(policy.sample()).mean()


def of_scores(engine: Any, scores: Any, other: Any) -> Any:
    policy = engine.distributions.Categorical(logits=scores)
    return -policy.log_prob(policy.sample()).mean()


def of_logarithms(engine: Any, scores: Any, other: Any) -> Any:
    policy = engine.distributions.Categorical(logits=scores.log_softmax(-1))
    return -policy.log_prob(policy.sample()).mean()


def a_smooth_maximum_of_probabilities(engine: Any, scores: Any, other: Any) -> Any:
    return scores.softmax(-1).logsumexp(-1).mean()


@pytest.mark.parametrize(
    "program",
    [
        both_of_logarithms, a_target_of_probabilities, a_target_turned_back,
        a_target_whose_logarithm_is_taken, of_probabilities, of_scores, of_logarithms,
        a_smooth_maximum_of_probabilities,
    ],
)  # fmt: skip
def test_what_is_right_is_passed_over(engine: Any, program: Any) -> None:
    assert findings(engine, program) == []
