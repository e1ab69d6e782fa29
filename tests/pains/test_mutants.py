"""A few planted bugs, of each kind: `python -m tests.pains.mutants` plants a thousand."""

from __future__ import annotations

from tests.pains.mutants.planting import PLANTS
from tests.pains.mutants.running import Verdict, campaign

#: Programs that run in a few hundredths of a second, and give most bugs a place.
QUICK = [
    "vae",
    "losses_by_hand",
    "rnn_by_hand",
    "hooks_on_gradients",
    "early_stopping",
    "lists_of_modules",
]


def test_planted_bugs_are_explained() -> None:
    verdicts: list[Verdict] = []
    alarms = campaign(24, 5, verdicts.append, QUICK)
    assert alarms == []
    assert len({verdict.plant for verdict in verdicts}) >= len(PLANTS) // 4
    assert len(verdicts) == 24
    assert [problem for verdict in verdicts for problem in verdict.wrong] == []
    assert sum(verdict.read[1] for verdict in verdicts) >= 50  # code quotes
    explained = sum(verdict.line for verdict in verdicts)
    assert explained >= 19, [f"{v.program}, {v.plant}: {v.said}" for v in verdicts if not v.line]
