"""`vg.card`: what is proven, failed, untested; as data, text and picture."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import vizgrad as vg
from tests.debugger.check import right, wrong
from vizgrad.autograd import Function
from vizgrad.debugger.engines.api.abilities import CAPABILITIES


class Plain(Function):
    """A square, without jvp and vmap."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


def states(card) -> dict[str, str]:
    return {c.name: c.state for c in card.capabilities}


def test_all_is_proven() -> None:
    cls, inputs = next(c for c in right.CASES if c[0] is right.Linear)
    card = vg.card(cls, *inputs)
    assert states(card) == dict.fromkeys(CAPABILITIES, "proven")
    assert card.data.failures == ()


def test_what_is_missing_is_untested() -> None:
    card = vg.card(Plain, right.x)
    assert {n for n, s in states(card).items() if s == "untested"} == {"jvp", "vmap"}
    assert "no jvp: forward mode" in card["jvp"].detail
    assert "1 writes noticed" not in card["forward"].detail


def test_what_failed_has_its_case() -> None:
    card = vg.card(wrong.Intermediate, right.x)
    failed = card["double backward"]
    assert failed.state == "failed"
    assert failed.failures[0].kind == "second-order-cut"
    assert card["backward"].state == "proven"


def test_a_refusal_is_no_finding() -> None:
    card = vg.card(right.Numpy, right.x)
    assert card["double backward"].state == "untested"
    assert "once_differentiable" in card["double backward"].detail


def test_work_for_nothing_is_said_of_what_is_right() -> None:
    cls, inputs = next((c, i) for _, c, i in wrong.CASES if c is wrong.IgnoresWhatIsNeeded)
    backward = vg.card(cls, *inputs)["backward"]
    assert (backward.state, backward.failures) == ("proven", ())
    assert backward.detail == (
        "4 derivatives agree with differences; "
        "the gradient of `weight` is computed even where it is not needed"
    )
    assert [each.kind for each in backward.remarks] == ["needless-gradient"]
    text = repr(vg.card(cls, *inputs))
    assert "of_weight = x.T @ g" in text
    assert "fix: Compute it only where ctx.needs_input_grad[1] is True" in text
    assert "x.T @ g" in vg.card(cls, *inputs).to_svg()


def test_a_pass_over_elements_is_mentioned_and_no_finding() -> None:
    cls, inputs = next(c for c in right.CASES if c[0] is right.TwoOutputs)
    backward = vg.card(cls, *inputs)["backward"]
    assert backward.detail.endswith(
        "; gradients of `a`, `b` are computed even where they are not needed"
    )
    assert backward.remarks == ()


def test_a_batch_that_is_wrong() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def vmap(info, in_dims, *args):
            return args[0] * 3, 0

    card = vg.card(Wrong, right.x)
    assert card["vmap"].state == "failed"
    assert [f.kind for f in vg.check(Wrong, right.x)] == ["function-return"]


def test_a_gradient_that_is_meant_to_be_another() -> None:
    assert "on purpose" in vg.card(right.StraightThrough, right.x)["backward"].detail


def test_data_has_a_json_form() -> None:
    card = vg.card(wrong.Intermediate, right.x)
    data = json.loads(json.dumps(card.to_json()))
    assert data["function"] == "Intermediate"
    assert data["example"] == "float64[3]"
    assert [c["name"] for c in data["capabilities"]] == list(CAPABILITIES)
    assert data["capabilities"][2]["failures"][0]["culprit"]["line"] > 0


def test_text_says_all() -> None:
    text = repr(vg.card(wrong.Intermediate, right.x))
    assert "Intermediate(float64[3]): 4 proven, 1 failed, 2 untested" in text
    assert "✗ double backward  failed" in text
    assert re.search(r"fix: .*again in backward", text)
    assert repr(vg.check(Plain, right.x)) == "No problems found"


def test_the_picture_is_as_the_house_draws() -> None:
    shown = vg.card(wrong.Intermediate, right.x)._repr_mimebundle_()
    svg = shown["image/svg+xml"]
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    spoken = root.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert all(f"{name}: " in spoken for name in CAPABILITIES)
    assert 'class="capability done"' in svg
    assert 'class="capability error"' in svg
    assert 'class="capability skipped"' in svg
    assert "ctx.save_for_backward(x, e)" in svg
    assert shown["text/plain"].startswith("Intermediate(")


def test_a_name_is_data() -> None:
    class Odd(Plain):
        pass

    Odd.__name__ = "<b>&"
    assert "&lt;b&gt;&amp;" in vg.card(Odd, right.x).to_svg()
