"""One program and its twin, asserted: on either engine."""

from __future__ import annotations

from pathlib import Path

from tests.pains.twins.known import NOT_EXPLAINED
from tests.pains.twins.reading import Program
from tests.pains.twins.running import judge, run_edited, run_twin

#: What a tensor is in a program that is all right: fine, or a loss without a gradient of its own.
_FINE = ("", "a result")


def assert_explained_and_twin_in_peace(program: Program, engine: str, folder: Path) -> None:
    """The symptom shows and its answer is right, or known not to be, and the line that it suggests takes the
    symptom away; the twin has neither.
    """
    verdicts, run = judge(program, engine, folder)
    twin = run_twin(program, engine, folder)
    assert twin.error is None
    for verdict, shown, mended in zip(verdicts, run.symptoms, twin.symptoms, strict=True):
        asked = verdict.question.ask
        assert shown or not asked.startswith(("error", "why"))
        assert mended in _FINE
        assert not shown or shown != mended
        known = (program.name, asked) in NOT_EXPLAINED[engine]
        assert verdict.right is not known, [str(each) for each in verdict.said]
    for nr, verdict in enumerate(verdicts):
        for said in verdict.said[:1]:
            edited = run_edited(program, said, engine, folder / f"question_{nr}")
            if edited is not None:
                shown = edited.symptoms[nr]
                assert shown in _FINE or shown != run.symptoms[nr], said.mended
    assert [str(each) for said in twin.said for each in said] == []
