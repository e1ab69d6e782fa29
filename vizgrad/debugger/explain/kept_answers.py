"""Why a node of a kept backward is as it is: what the findings of its block say, as they say it elsewhere.

The trace of a kept backward has statistics alone, of which less can be said than the watch knew.
"""

from __future__ import annotations

from dataclasses import replace

from vizgrad.core.errors import Explanation
from vizgrad.debugger import model
from vizgrad.debugger.explain.node_answers import Told
from vizgrad.debugger.explain.phrases import PHRASES


def with_finding(told: Told, node: model.Node, findings: tuple[Explanation, ...]) -> Told:
    """The answer about a node of a backward with these findings, worst first."""
    own = told.explanation
    if not own:
        named = [each for each in findings if node.label and each.tensor == node.label]
        if named:
            return told._replace(explanation=replace(named[0], chain=own.chain))
        if findings:
            story = PHRASES["found-elsewhere"].format(story=findings[0].story)
            return Told(replace(findings[0], chain=(), story=story), check=told.check)
        return told
    alike = [each for each in findings if _family(each) == _family(own)]
    if not alike:
        return told
    lines = {(place.file, place.line) for place in (own.culprit, node.place) if place is not None}
    there = [each for each in alike if (at := each.culprit) and (at.file, at.line) in lines]
    # the way to the cause, and its step, are of this node
    return told._replace(explanation=replace((there or alike)[0], chain=own.chain))


def _family(explanation: Explanation) -> str:
    """``nonfinite``: a finding knows whether it began in the forward pass, and a trace does not."""
    return explanation.kind.partition("-")[0]
