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
