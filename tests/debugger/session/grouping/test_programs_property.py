"""Random programs of loops and scopes: what is told of them is what they did, and nothing is missing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from textwrap import indent

from hypothesis import given
from hypothesis import strategies as st

from tests.debugger.session.grouping.programs import groups, no_programs, run

OPERATIONS = ("x * w", "x + 1", "x.tanh()", "x.exp()")


@dataclass(frozen=True)
class Op:
    """One node; `odd`: only at odd turns of the loop around it."""

    what: str
    odd: bool = False


@dataclass(frozen=True)
class Block:
    """A loop of so many turns; 0: a scope."""

    turns: int
    body: tuple[Statement, ...]


Statement = Op | Block


def can_be_told(loop: Block) -> bool:
    """Turns of a loop that may do nothing but loop cannot be told from those of the inner one."""
    inner = [s for s in loop.body if isinstance(s, Block) and s.turns]
    always = [s for s in loop.body if always_records(s)]
    return not inner or len(always) > 1 or (len(always) == 1 and always[0] not in inner)


def always_records(statement: Statement) -> bool:
    """At even turns, too?"""
    if isinstance(statement, Op):
        return not statement.odd
    return any(map(always_records, statement.body))


def blocks(inside: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    bodies = st.lists(inside, min_size=1, max_size=3).map(tuple)
    loops = st.builds(Block, st.integers(2, 4), bodies)
    return st.one_of(
        loops.filter(can_be_told),
        st.builds(Block, st.just(0), bodies),
    )


statements = st.recursive(
    st.builds(Op, st.sampled_from(OPERATIONS), st.sampled_from((False, False, True))),
    blocks,
    max_leaves=6,
)


def text_of(body: tuple[Statement, ...], loops: tuple[str, ...] = ()) -> str:
    lines: list[str] = []
    for statement in body:
        if isinstance(statement, Op):
            line = f"x = {statement.what}"
            odd = statement.odd and loops
            lines.append(f"if {loops[-1]} % 2:\n    {line}" if odd else line)
            continue
        name = f"i{len(loops)}"
        if statement.turns:
            head, around = f"for {name} in range({statement.turns}):", (*loops, name)
        else:
            head, around = 'with vg.scope("s"):', loops
        lines.append(head + "\n" + indent(text_of(statement.body, around), "    "))
    return "\n".join(lines)


@dataclass
class Truth:
    """What is recorded, counted as it is: stretches of loops with several turns, of turns, of scopes."""

    count: int = 0

    def __post_init__(self) -> None:
        self.loops: set[tuple[int, int]] = set()
        self.turns: set[tuple[int, int]] = set()
        self.scopes: set[tuple[int, int]] = set()

    def do(self, body: tuple[Statement, ...], turn: int | None = None) -> None:
        for statement in body:
            first = self.count
            if isinstance(statement, Op):
                self.count += not statement.odd or turn is None or turn % 2
            elif statement.turns:
                ends = [first]
                for i in range(statement.turns):
                    self.do(statement.body, i)
                    ends += [self.count] if self.count > ends[-1] else []
                if len(ends) > 2:
                    self._note(self.loops, first)
                    self.turns |= {(a, b) for a, b in pairwise(ends) if b - a > 1}
            else:
                self.do(statement.body, turn)
                self._note(self.scopes, first)

    def _note(self, where: set[tuple[int, int]], first: int) -> None:
        if self.count - first > 1:
            where.add((first, self.count))


@given(st.lists(statements, min_size=1, max_size=4).map(tuple))
def test_what_is_told_is_true(body: tuple[Statement, ...]) -> None:
    truth = Truth()
    truth.do(body)
    with no_programs():
        found = groups(run("x = w\n" + text_of(body) + "\ny = x.sum()"))
    count = truth.count + 1
    told: dict[str, set[tuple[int, int]]] = {}
    for group in found:
        told.setdefault(group.kind, set()).add((count - group.last, count - group.first))
    everything = set[tuple[int, int]]().union(*told.values())
    assert told.get("loop", set()) <= truth.loops
    assert told.get("scope", set()) <= truth.scopes
    assert truth.loops <= everything
    assert truth.scopes <= everything
    assert truth.turns <= everything
