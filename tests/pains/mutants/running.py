"""Runs programs, correct and with a planted bug, within a watch, and judges what is said."""

from __future__ import annotations

import ast
import copy
import linecache
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import vizgrad as vg
from tests.debugger.explain import texts
from tests.pains.mutants.planting import MARK, PLANTS, sites
from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import watch_block

FOLDER = Path(__file__).parents[2] / "oracle" / "ordinary"
#: They take long, or run their steps where nothing can be planted.
SLOW = {"checkpointed_transformer", "unet", "cnn_train_and_eval", "actor_critic", "dqn"}
#: Variables of what asks, by which it calls a tensor that the program gave no name.
_OF_THE_RUNNER = re.compile(r"`(each|own|variables\[.*?\])(\.grad)?` is no code")
#: So many answers are read, as in the corpus.
READ = 3


@dataclass
class Outcome:
    """What one run gave: results by name, or the error; and what was said."""

    results: dict[str, Any]
    error: BaseException | None
    said: list[Explanation]
    findings: list[Explanation]
    kept: int
    sizes: Sizes | None = None


def programs() -> dict[str, str]:
    names = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in ("__init__", "given"))
    return {name: (FOLDER / f"{name}.py").read_text() for name in names if name not in SLOW}


def asking(tree: ast.Module) -> None:
    """Has `main` show its variables before it returns."""
    main = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "main")
    for node in ast.walk(main):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for index, each in enumerate(body):
                if isinstance(each, ast.Return) and _innermost(main, each):
                    body.insert(index, ast.parse("__asked__(locals())").body[0])
                    break


def _innermost(main: ast.FunctionDef, found: ast.Return) -> bool:
    """Does it return from `main` itself?"""
    inside = [
        n for n in ast.walk(main) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not main
    ]
    return not any(found in ast.walk(n) for n in inside)


def text_of(tree: ast.Module) -> tuple[str, list[int]]:
    """The program without its marks, and the lines that were marked."""
    shown = ast.parse(ast.unparse(ast.fix_missing_locations(tree)))  # lines as they are written
    lines = [
        n.lineno
        for n in ast.walk(shown)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == MARK
    ]

    class Unmark(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            marked = isinstance(node.func, ast.Name) and node.func.id == MARK
            return node.args[0] if marked else node

    return ast.unparse(Unmark().visit(copy.deepcopy(shown))), lines


def put(name: str, text: str) -> str:
    """Where a text is found as if it were a file; call `linecache.cache.pop` with that afterwards."""
    file = f"<mutant of {name} {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return file


def run(name: str, text: str) -> Outcome:
    """As a file of its own, so that lines are known."""
    file = put(name, text)
    said: list[Explanation] = []
    kept, sizes = [0], []

    def asked(variables: dict[str, Any]) -> None:
        found, how = answers(variables)
        said.extend(found)
        sizes.append(how)
        kept[0] = graphs(variables)

    scope: dict[str, Any] = {"__name__": "mutant", "__asked__": asked, "torch": vg}
    results: dict[str, Any] = {}
    error: BaseException | None = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message=".*was removed because it raised")
        exec(compile(text, file, "exec"), scope)
        with vg.watch() as watch:
            try:
                results = scope["main"](vg)
            except Exception as raised:  # noqa: BLE001  planted
                error = raised
                known = getattr(raised, "explanation", None)
                if isinstance(known, Explanation):
                    said.insert(0, known)
    linecache.cache.pop(file, None)
    return Outcome(results, error, said, list(watch.findings), kept[0], sizes[0] if sizes else None)


class Sizes(NamedTuple):
    """How gradients look: how many there are none of, zero and not finite, and how large the others are."""

    none: int
    zero: int
    odd: int
    least: float
    most: float


def leaves(variables: dict[str, Any]) -> list[tuple[Any, float | None]]:
    """All that are alive, and how large their gradients are."""
    found: dict[int, Any] = {}
    noting = watch_block.known(vg.zeros(1))
    for value in variables.values():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(each, vg.Tensor) and each.is_leaf:
                found[id(each)] = each
            elif isinstance(each, vg.nn.Module):
                found.update({id(p): p for p in each.parameters()})
    for leaf in noting.gradients.all() if noting is not None else ():
        if (tensor := leaf.tensor()) is not None and tensor.is_leaf:
            found.setdefault(id(tensor), tensor)
    sizes: list[tuple[Any, float | None]] = []
    for each in found.values():
        if each.requires_grad:
            grad = None if each.grad is None else each.grad.detach()
            whole = grad.to_dense() if grad is not None and grad.is_sparse else grad
            sizes.append((each, None if whole is None else float(whole.abs().max())))
    return sizes


def answers(variables: dict[str, Any]) -> tuple[list[Explanation], Sizes]:
    """What a person would ask of what looks odd: a loss, and leaves with odd gradients."""
    said: list[Explanation] = []
    for name in ("loss", "total", "out", "error"):
        value = variables.get(name)
        if isinstance(value, vg.Tensor) and not bool(value.detach().isfinite().all()):
            said.append(vg.why(value))
    sizes = leaves(variables)
    odd = [each for each, size in sizes if size is not None and not size < float("inf")]
    zero = [each for each, size in sizes if size == 0.0]
    none = [each for each, size in sizes if size is None]
    said += [vg.why(each) for each in [*odd, *zero, *none][:12]]
    known = sorted(
        (size, number)
        for number, (_, size) in enumerate(sizes)
        if size is not None and 0.0 < size < float("inf")
    )
    if known:
        said += [vg.why(sizes[known[which][1]][0]) for which in (0, -1)]
    distinct: list[Explanation] = []
    for each in said:
        if each and each not in distinct:
            distinct.append(each)
    least, most = (known[0][0], known[-1][0]) if known else (1.0, 1.0)
    return distinct, Sizes(len(none), len(zero), len(odd), least, most)


def graphs(variables: dict[str, Any]) -> int:
    """Nodes that what was planted keeps."""
    roots = [variables.get("total_"), *(variables.get("kept_") or [])]
    seen: set[Any] = set()
    todo = [each.grad_fn for each in roots if isinstance(each, vg.Tensor)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return len(seen)


def differs(plain: Any, other: Any) -> bool:
    if isinstance(plain, dict):
        return any(differs(plain[key], other.get(key)) for key in plain)
    if isinstance(plain, (list, tuple)):
        if not isinstance(other, (list, tuple)) or len(plain) != len(other):
            return True
        return any(differs(a, b) for a, b in zip(plain, other, strict=True))
    if isinstance(plain, vg.Tensor):
        if not isinstance(other, vg.Tensor) or plain.shape != other.shape:
            return True
        plain, other = plain.detach().to_dense().numpy(), other.detach().to_dense().numpy()
        return not np.array_equal(plain, other, equal_nan=plain.dtype.kind in "fc")
    return not (plain == other or (plain != plain and other != other))


#: These bugs show by an error or not at all; and these errors show that the program cannot be run as planted.
_RAISE = frozenset({"write in place", "leaf write"})
_OTHER = frozenset({"wrong-call", "internal"})
_IMPOSSIBLE = ("cannot register a hook", "can't retain_grad", "expected scalar type")


def shows(kinds: str, plain: Outcome, found: Outcome) -> bool:
    """Is there something that a person would notice, and ask about? What is left of a gradient that was
    cut on one of several ways, say, looks like any other.
    """
    if not kinds.startswith(("cut", "grad-mode", "zero", "nonfinite", "ill-scaled")):
        return True
    old, new = plain.sizes, found.sizes
    if found.findings or old is None or new is None:
        return bool(found.findings)
    if kinds.startswith("ill-scaled"):
        return new.least < 1e-5 * old.least or new.most > 1e5 * old.most
    return (new.none, new.zero, new.odd) != (old.none, old.zero, old.odd)


@dataclass
class Verdict:
    program: str
    plant: str
    effective: bool
    kind: bool = False
    line: bool = False
    text: str = ""
    said: str = ""
    #: What is wrong with the texts about it; and how many were read, how many code quotes and numbers.
    wrong: tuple[str, ...] = ()
    read: tuple[int, int, int] = (0, 0, 0)


def judge(name: str, text: str, plain: Outcome, plant: str, draw: Random) -> Verdict | None:
    """None if there is no place for this bug in this program."""
    kinds, change = PLANTS[plant]
    tree = ast.parse(text)
    if not change(sites(tree), draw):
        return None
    asking(tree)
    planted, lines = text_of(tree)
    found = run(name, planted)
    if found.error is not None:
        explained = isinstance(getattr(found.error, "explanation", None), Explanation)
        effective = explained and found.error.explanation.kind not in _OTHER
        effective = effective and not any(text in str(found.error) for text in _IMPOSSIBLE)
    elif plant in _RAISE:
        effective = False  # what was overwritten was not needed
    else:
        effective = differs(plain.results, found.results) or found.kept > 8
        effective = effective and shows(kinds, plain, found)
    verdict = Verdict(name, plant, effective)
    if not effective:
        return verdict
    before = {(each.kind, each.tensor) for each in plain.said}
    asked = [each for each in found.said if (each.kind, each.tensor) not in before]
    said = [*asked[:READ], *found.findings[:READ]]
    told = list(dict.fromkeys(each for each in (*found.said, *found.findings) if each))
    file = put(name, planted)
    wrong = (problem for each in told for problem in texts.problems(each, file))
    verdict.wrong = tuple(each for each in wrong if not _OF_THE_RUNNER.match(each))
    linecache.cache.pop(file, None)
    numbers = sum(map(texts.numbers, told)) + sum(map(texts.arithmetic, told))
    verdict.read = len(told), sum(map(texts.quoted, told)), numbers
    right = [each for each in said if each.kind in kinds.split("|")]
    verdict.kind = bool(right)
    verdict.line = any(e.culprit is not None and e.culprit.line in lines for e in right)
    if not verdict.line:
        verdict.text = planted
        verdict.said = f"wanted {kinds} at {lines}; error {found.error!r:.100}; said " + "; ".join(
            f"{e.kind} at {e.culprit.line if e.culprit else None} of {e.tensor}" for e in said
        )
    return verdict


def baseline(name: str, text: str) -> Outcome:
    tree = ast.parse(text)
    asking(tree)
    return run(name, ast.unparse(ast.fix_missing_locations(tree)))


Report = Callable[[Verdict], None]


def campaign(count: int, seed: int, report: Report, names: list[str] | None = None) -> list[str]:
    """Judges `count` mutants that change something; gives the correct programs of which something is said."""
    draw = Random(seed)
    written = programs()
    if names is not None:
        written = {name: written[name] for name in names}
    plain = {name: baseline(name, text) for name, text in written.items()}
    alarms = [name for name, one in plain.items() if one.findings or one.error]
    done, tried = 0, 0
    seen: set[str] = set()
    while done < count and tried < 20 * count:
        tried += 1
        plant = list(PLANTS)[tried % len(PLANTS)]
        name = draw.choice(list(written))
        verdict = judge(name, written[name], plain[name], plant, draw)
        if verdict is None or not verdict.effective:
            continue
        key = f"{name}{plant}{verdict.text}"
        if verdict.text and key in seen:
            continue
        seen.add(key)
        done += 1
        report(verdict)
    return alarms
