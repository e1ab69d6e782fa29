"""Connectionist temporal classification, where it is defined by convention."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="T-42", each=["none", "sum", "mean"])
def ctc_where_no_alignment_fits(torch, see, reduction):
    targets = torch.tensor([[1, 1], [1, 2]])  # a repeated label needs a blank between: three steps
    for zero in (False, True):
        see.derivatives(
            f"zero_infinity {zero}",
            lambda x, zero=zero: torch.nn.functional.ctc_loss(
                x, targets, (2, 2), (2, 2), reduction=reduction, zero_infinity=zero
            ),
            torch.tensor(wave(2, 2, 3)).log_softmax(-1).tolist(),
            twice=False,
        )


@program(rules="T-42")
def ctc_of_scores_that_are_no_probabilities(torch, see):
    def loss(scores):
        return torch.nn.functional.ctc_loss(
            scores, torch.tensor([[1, 2], [2, 2]]), torch.tensor([5, 4]), torch.tensor([2, 1])
        )

    see.derivatives("raw", loss, wave(5, 2, 3), twice=False)
    see.derivatives("log_softmax", lambda x: loss(x.log_softmax(2)), wave(5, 2, 3), twice=False)


@program(rules="T-42", each=["none", "sum", "mean"])
def ctc_without_steps(torch, see, reduction):
    targets, scores = torch.tensor([[1, 2], [1, 2], [2, 0]]), wave(3, 3, 3)
    for zero in (False, True):
        see.derivatives(
            f"zero_infinity {zero}",
            lambda x, zero=zero: torch.nn.functional.ctc_loss(
                x, targets, (0, 0, 3), (0, 2, 1), reduction=reduction, zero_infinity=zero
            ),
            torch.tensor(scores).log_softmax(-1).tolist(),
            twice=False,
        )


@program(rules="T-42")
def ctc_is_one_node(torch, see):
    scores = torch.tensor(wave(4, 2, 3), requires_grad=True)
    loss = torch.nn.functional.ctc_loss(
        scores, torch.tensor([1, 2, 1]), (4, 3), (2, 1), reduction="none"
    )
    see("node", loss.grad_fn.name())
    see("log_alpha", loss.grad_fn._saved_result1[0])
    see("log_probs", loss.grad_fn._saved_log_probs.shape)
