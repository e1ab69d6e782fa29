"""The programs of `tests/pains`, each backward run by a session, nobody watching: asked of every leaf."""

from __future__ import annotations

import warnings
from typing import Any

import vizgrad as vg
from tests.pains import programs
from tests.pains.corpus import FINE, PAINS, Program
from vizgrad.autograd.running import Call, asking
from vizgrad.core.errors import Explanation
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session import Session

assert len(programs.ALL) > 1  # they are there


#: Backwards of a program that have a session: the first, and then fewer. Loops of 300 rounds are watched as a
#: whole elsewhere; what a session says of round 40 it says of all.
ASKED = {*range(5), *range(5, 40, 7), 39}


class Sessions:
    """Runs the backwards of a program that are ASKED about."""

    def __init__(self) -> None:
        self.opened: list[Session] = []
        self._within = False
        self._count = 0

    def ask(self, call: Call) -> bool:
        if self._within:
            return False
        self._count += 1
        if self._count - 1 not in ASKED:
            return False
        self._within = True
        try:
            session = vg.debug(
                call.tensors,
                call.gradient,
                retain_graph=call.retain_graph,
                create_graph=call.create_graph,
                inputs=call.inputs,
                display=False,
            )
            self.opened.append(session)
            while session.status == "paused":
                session.continue_()
        finally:
            self._within = False
        return True

    def of_leaves(self) -> list[Explanation]:
        said: list[Explanation] = []
        for session in self.opened:
            with session.at_rest() as (_, look):
                source = look.source if isinstance(look, Live) else None
                nodes = source.nodes if isinstance(source, EngineGraph) else []
                leaves = [node.variable for node in nodes if isinstance(node, AccumulateGrad)]
                said += [vg.why(leaf, name="leaf") for leaf in leaves]
            session.close()
        return said


def said_of(run: Program) -> tuple[list[Explanation], int]:
    """What is odd by the answers of the program and of every leaf; and how many sessions there were."""
    sessions = Sessions()
    said: list[Any] = []
    with warnings.catch_warnings(), asking(sessions.ask):
        warnings.simplefilter("ignore")
        try:
            answer = run()
        except (RuntimeError, TypeError, ValueError) as error:
            said.append(getattr(error, "explanation", None))
        else:
            said += answer if isinstance(answer, (list, tuple)) else [answer]
    count = len(sessions.opened)
    said += sessions.of_leaves()
    return [each for each in said if isinstance(each, Explanation) and each], count


def test_nothing_is_said_of_correct_programs() -> None:
    opened = 0
    for run in FINE:
        said, count = said_of(run)
        opened += count > 0
        assert count == 0 or said == [], (run.__name__, said)
    assert opened >= 30


def test_bugs_in_gradients_are_explained_by_the_steps_alone() -> None:
    kinds = ("nonfinite-backward", "nonfinite-masked", "zero-derivative", "ill-scaled")
    # what is told of many backwards, a watch alone knows
    alone = [pain for pain in PAINS if not pain.run.__module__.endswith(".dead")]
    asked = [pain for pain in alone if pain.kind in kinds]
    right = 0
    for pain in asked:
        said, _ = said_of(pain.run)
        found = [each for each in said if each.kind == pain.kind and each.culprit is not None]
        right += any(each.culprit and each.culprit.line in pain.lines for each in found)
    assert right >= 0.9 * len(asked), (right, len(asked))
    assert len(asked) >= 10
