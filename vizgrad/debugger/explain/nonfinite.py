"""NaN and Inf: where the first one was born, forwards or backwards, of what, and which advice fits."""

from __future__ import annotations

import re
from math import isinf

from vizgrad.debugger.engines.common.nonfinite_origin import MATRICES
from vizgrad.debugger.explain import arithmetic
from vizgrad.debugger.explain.cause import NOTHING, Cause, Number, Operand, Phrase, cause
from vizgrad.debugger.explain.wording import THE_RESULT, Words, call, operand_of, operation, raw
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Odd, Run, Visit
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.notes import Note

# --- advice ----------------------------------------------------------------------------------------------
# Which advice fits an operation whose value, or derivative, is not finite or zero.
#
# An advice is a row of `phrases.FIXES`. The first row that fits counts.


_LOGS = "log log2 log10 xlogy logit"
#: Operations that made a NaN or Inf of finite values -> advice.
FORWARD: tuple[tuple[str, str], ...] = (
    (_LOGS, "log"),
    ("truediv rtruediv div divide true_divide reciprocal rsqrt itruediv", "quotient"),
    ("sqrt", "sqrt"),
    ("exp exp2 expm1 sinh cosh", "exp"),
    ("pow rpow float_power square", "pow"),
    ("asin acos arcsin arccos atanh arctanh erfinv acosh arccosh", "arc"),
    ("softmax log_softmax scaled_dot_product_attention", "softmax"),
    ("std var normalize norm mean batch_norm cosine_similarity", "reduction"),
    ("to half bfloat16 type", "narrower"),
    ("sub add isub iadd", "sum"),
    ("", "any"),
)
#: Beginnings of names of nodes whose derivative was not finite -> advice.
BACKWARD: tuple[tuple[str, str], ...] = (
    ("Sqrt Pow Rsqrt Std Var", "derivative-of-root"),
    ("LinalgVectorNorm Norm Cdist Dist", "derivative-of-norm"),
    ("Log Div Reciprocal", "derivative-of-log"),
    ("Acos Asin Atanh Erfinv Acosh", "derivative-of-arc"),
    ("Exp Sinh Cosh", "derivative-of-exp"),
    ("", "derivative-of-any"),
)
#: Functions whose derivative is zero wherever it exists.
STEPS = ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "Fix", "Heaviside")
#: Beginnings of names of nodes whose derivative was zero, of all elements -> advice.
ZERO: tuple[tuple[str, str], ...] = (
    ("Relu Threshold Elu Hardshrink Softshrink LeakyRelu Celu Selu", "zero-relu"),
    ("Sigmoid Tanh Softmax LogSoftmax Hardtanh Hardsigmoid Erf LogSigmoid", "zero-saturated"),
    ("Clamp", "zero-clamp"),
    ("Maximum Minimum", "zero-choice"),
    (" ".join(STEPS), "zero-step"),
    ("Mul", "zero-product"),
    ("Mm Addmm Matmul Bmm Linear Mv Dot Convolution Baddbmm", "zero-matrix"),
    ("Where MaskedFill", "zero-mask"),
    ("NativeDropout Dropout", "zero-dropout"),
    ("", "zero-any"),
)


def forward_fix(birth: Note, given: float | None) -> str:
    op = birth.op.strip("_")
    fix = next(fix for ops, fix in FORWARD if not ops or op in ops.split())
    if fix == "log":
        made_by = {each.op for _, each in zip(range(8), birth.ancestors(), strict=False)}
        if "softmax" in made_by:
            return "log-of-softmax"
        if "sigmoid" in made_by:
            return "log-of-sigmoid"
        if given is not None and given < 0:
            return "log-of-negative"
    if fix == "pow" and given is not None and abs(given) > 1 and not birth.detail[1]:
        return "pow-overflowed"
    return fix


def backward_fix(visit: Visit, kind: str) -> str:
    if kind == "nonfinite-masked":
        return "masked"
    if kind == "ill-scaled":
        return "overflown"
    return _by_beginning(BACKWARD, visit.name)


def zero_fix(name: str) -> str:
    return _by_beginning(ZERO, name)


def _by_beginning(table: tuple[tuple[str, str], ...], name: str) -> str:
    return next(fix for names, fix in table if not names or name.startswith(tuple(names.split())))


# --- products --------------------------------------------------------------------------------------------
# Products that are not finite: which factor is to blame.


_ELEMENTWISE = frozenset({"mul", "rmul", "imul", "multiply"})
_OF_MATRICES = frozenset(
    {"matmul", "rmatmul", "mm", "bmm", "mv", "dot", "linear", "addmm", "baddbmm", "einsum", "inner"}
)
#: They square a difference.
_SQUARING = frozenset({"mse_loss", "cdist", "pairwise_distance"})


#: How it is written: `math.inf`, `float("inf")`.
_INFINITY = re.compile(r"\binf(inity)?\b", re.IGNORECASE)


def of(
    birth: Note,
    places: list[tuple[tuple[int, ...], float, float | None]],
    nan: bool,
    passed: Phrase,
) -> Cause | None:
    """None where it is no product, or no factor is known to be the cause. `places`: indices of elements that
    are not finite, with the element and what the operand that was looked at has there.
    """
    op, given = birth.op.strip("_"), places[0][2] if places else None
    if nan and op in _ELEMENTWISE and given is not None and (given == 0.0 or isinf(given)):
        return _zero_times_infinity(birth, passed)
    if not nan and op in _ELEMENTWISE | _OF_MATRICES | _SQUARING:
        return _overflow(birth, places if op in _ELEMENTWISE else [], passed)
    return None


def _zero_times_infinity(birth: Note, passed: Phrase) -> Cause | None:
    factors = source_expressions.factors(birth.site)
    at = _infinite(birth, factors) if len(factors) == 2 else None
    if at is None:
        return None
    infinite, zero = factors[at], factors[1 - at]
    return cause(
        "nonfinite-forward", "zero-times-infinity", birth.site, infinite,
        call=call(birth), infinite=infinite, zero=zero, passed=passed, operand=Operand(infinite),
    )  # fmt: skip


def _infinite(birth: Note, factors: list[str]) -> int | None:
    """Which of two factors it is, where one is not finite and the other is; None if that is not known."""
    odd = [not size < float("inf") for size in birth.sizes]
    if len(odd) == 2:
        return odd.index(True) if odd[0] != odd[1] else None
    if len(odd) != 1:
        return None
    named = [bool(_INFINITY.search(text)) for text in factors]
    if not odd[0] and named[0] != named[1]:
        return named.index(True)
    tensor = {"__mul__": 0, "__imul__": 0, "__rmul__": 1}.get(birth.op)
    if tensor is None:
        return None
    return tensor if odd[0] else 1 - tensor


def _overflow(
    birth: Note, places: list[tuple[tuple[int, ...], float, float | None]], passed: Phrase
) -> Cause | None:
    """Finite factors, and an infinite product."""
    sizes = birth.sizes
    if len(sizes) < 2 or not all(size < float("inf") for size in sizes):
        return None
    at = max(range(len(sizes)), key=lambda each: sizes[each])
    written = source_expressions.operands(birth.site)
    named = len(written) == len(sizes) and len(written[at]) <= source_expressions.SHORT
    shown = written[at] if named else Words("one of the operands")
    element = NOTHING
    if places:
        index, value, given = places[0]
        made = arithmetic.of_operation(birth, given, value)
        if made.row != "made":
            element = Phrase("element", made=made, index=at_index(index), operand=NOTHING)
    return cause(
        "nonfinite-forward", "product-overflowed", birth.site, shown, call=call(birth), factor=shown,
        size=sizes[at], element=element, passed=passed, operand=Operand(shown, sizes[at]),
    )  # fmt: skip


# --- nonfinite -------------------------------------------------------------------------------------------
# NaN and Inf: where the first one was born, forwards or backwards, and of what.


#: So many steps are gone back through.
_STEPS = 128


def of_value(note: Note, name: str, steps: int = 0) -> Cause | None:
    """Why a value is not finite; None if it is. `steps`: how many backwards led here."""
    if note.finite or steps > _STEPS:
        return None
    birth = note.born or note
    if birth.op == "step":
        return _of_step(birth, name, steps)
    if isinstance(birth.detail, Run):
        return _of_grad(birth.detail, name, steps)
    if isinstance(birth.detail, Leaf):
        run = birth.run
        return None if run is None else _of_grad(run, name, steps, -birth.detail.key)
    if not birth.parents:
        taker = None if birth.site is not None else taken_by(note, birth)
        if taker is not None:
            return _given(note, birth, taker, name, steps)
        tensor = source_expressions.assigned(birth.site)
        if not tensor and note is not birth:
            written = source_expressions.text_of(birth.site)
            tensor = written if len(written) <= source_expressions.SHORT else ""
        tensor = tensor or name
        case = "given-not-finite" if birth.site is None else "data"
        return cause(
            "nonfinite-forward", case, birth.site, tensor,
            shown=tensor, passed=_passed_on(note, birth, tensor, name, steps),
        )  # fmt: skip
    places, nan = birth.detail or ([], False)
    passed = _passed_on(note, birth, "", name, steps)
    if birth.half and not nan and (found := _beyond_half(birth, places, passed)) is not None:
        return found
    product = of(birth, places, nan, passed)
    return product or _of_operation(birth, places, nan, passed)


def taken_by(note: Note, birth: Note) -> Note | None:
    """The first result, on the way to `note`, of an operation that took the value `birth`."""
    while note is not birth:
        taken = next((each for each in note.parents if birth in (each, each.born)), None)
        if taken is birth:
            return note
        if taken is None:
            return None
        note = taken
    return None


def taken_as(birth: Note, taker: Note) -> str:
    """How the operation that made `taker` names its operand `birth`; "" where that is not known."""
    written = source_expressions.operands(taker.site)
    if len(written) == len(taker.parents):
        name = written[taker.parents.index(birth)]
    elif len(written) == 1 and written == source_expressions.arguments(taker.site):
        name = "" if birth.requires else written[0]  # of a module, which has parameters beside
    else:
        name = ""
    return name if len(name) <= source_expressions.SHORT else ""


def _given(note: Note, birth: Note, taker: Note, name: str, steps: int) -> Cause:
    """The value came from outside: the culprit is the line that took it."""
    shown = taken_as(birth, taker)
    return cause(
        "nonfinite-forward", "operand-given", taker.site, shown or name,
        shown=shown or Words("an operand"), taker=call(taker),
        passed=_passed_on(note, birth, shown, name, steps),
    )  # fmt: skip


def _of_operation(
    birth: Note,
    places: list[tuple[tuple[int, ...], float, float | None]],
    nan: bool,
    passed: Phrase,
) -> Cause:
    if birth.ignored is not None:
        written = source_expressions.operands(birth.site)
        labels = (
            written[1] if len(written) > 1 and len(written[1]) <= source_expressions.SHORT else ""
        )
        return cause(
            "nonfinite-forward", "all-ignored", birth.site, labels,
            call=call(birth), labels=labels or Words("its targets"), value=birth.ignored, passed=passed,
        )  # fmt: skip
    shown = operand_of(birth)
    element, operand, given = NOTHING, Operand(shown), None
    if places:
        index, value, given = places[0]
        where = NOTHING
        if given is not None:
            where = Phrase("where-operand", shown=shown, value=Number(given, birth.op.strip("_")))
        made = arithmetic.of_operation(birth, given, value)
        if index or where or made.row != "made" or not nan:  # else it would say NaN twice
            element = Phrase("element", made=made, index=at_index(index), operand=where)
        operand = Operand(shown, given, index)
    return cause(
        "nonfinite-forward", "operation", birth.site, shown,
        fix=forward_fix(birth, given), operand=operand, call=call(birth), shown=shown,
        what=Phrase("nan" if nan else "infinite"), element=element, passed=passed,
    )  # fmt: skip


#: Operations whose results may be larger than their operands, and are infinite for no other reason.
_GROWING = _ELEMENTWISE | _OF_MATRICES | {
    "add", "radd", "iadd", "cumsum", "exp", "pow", "square", "sub", "rsub", "isub", "sum",
}  # fmt: skip


def _beyond_half(
    birth: Note, places: list[tuple[tuple[int, ...], float, float | None]], passed: Phrase
) -> Cause | None:
    """Finite operands, and a result beyond the range of float16."""
    if birth.op.strip("_") not in _GROWING or not all(size < float("inf") for size in birth.sizes):
        return None
    index, _, given = places[0] if places else ((), 0.0, None)
    if birth.op.strip("_") in ("pow", "square") and (given is None or abs(given) <= 1.0):
        return None  # a negative power of what is near zero
    shown = operand_of(birth)
    where = NOTHING
    if given is not None and birth.op.strip("_") not in _OF_MATRICES:
        where = Phrase("where-operand", shown=shown, value=Number(given, birth.op.strip("_")))
    element = Phrase("half-element", index=at_index(index), operand=where) if places else NOTHING
    return cause(
        "nonfinite-forward", "beyond-half", birth.site, shown,
        call=call(birth), shown=shown, element=element, passed=passed, operand=Operand(shown, given, index),
    )  # fmt: skip


def at_index(index: tuple[int, ...]) -> Phrase:
    return Phrase("at-index", index=list(index)) if index else NOTHING


def _of_grad(run: Run, name: str, steps: int, key: int | None = None) -> Cause | None:
    """The gradient that a backward gave a leaf, or a call of grad returned, was not finite."""
    for root in run.roots:
        if not root.finite:
            return of_value(root, name, steps + 1)
    if key is None and run.births:
        key = _target(run.births[0])
    return None if key is None else of_gradient(run, key, name)


def _of_step(birth: Note, name: str, steps: int) -> Cause:
    """An optimizer made a parameter infinite: by its gradient, or by too long a step."""
    tensor, run = birth.tensor(), birth.detail
    if isinstance(run, Run):
        for root in run.roots:  # already the loss was not finite: an older birth is the cause
            if not root.finite and (root.born or root) is not birth:
                found = of_value(root, name, steps + 1)
                if found is not None:
                    return found
        found = None if tensor is None else of_gradient(run, -id(tensor), name)
        if found is not None:
            return found
    return cause("nonfinite-forward", "step-diverged", birth.site, name, name=name)


def _passed_on(note: Note, birth: Note, told: str, name: str, steps: int) -> Phrase:
    """`told`: of what the story has spoken. After steps backwards `name` is not that of the note."""
    if (note is birth and not steps) or told == name:
        return Phrase("that-is", name=name) if name and told != name else NOTHING
    return Phrase("from-there", name=name) if name else Phrase("from-there-here")


def of_gradient(run: Run, key: int, name: str, at: int | None = None) -> Cause | None:
    """Why the gradient that arrived at a node is not finite; None if the run does not tell. `at`: the node
    that made it so, where that is known.
    """
    birth = first_birth(run, key, at)
    if birth is None:
        return None
    visit = birth.visit
    inherited = _operand_birth(run, visit)
    masked = birth.masked and behind_a_mask(run, visit.key)
    overflow = not masked and visit.incoming > 1e18
    kind = "nonfinite-masked" if masked else "ill-scaled" if overflow else "nonfinite-backward"
    fix = backward_fix(visit, kind)
    numbers = arithmetic.of_derivative(birth, _operand(visit))
    if inherited is not None and masked:
        shown = operand_of(inherited)
        nan = isinstance(inherited.detail, tuple) and bool(inherited.detail[1])
        times = Phrase("and-zero-times-nan" if nan else "and-zero-times-inf")
        return cause(
            kind, "masked-operand-not-finite", inherited.site, shown,
            fix=fix, operand=Operand(shown), call=call(inherited), masked_at=visit.site, name=name,
            what=Phrase("is-nan" if nan else "is-infinite"), shown=shown, x=raw(shown),
            numbers=numbers or times,
        )  # fmt: skip
    taker = note_of(run, visit.key)
    given = inherited is not None and not inherited.parents and inherited.site is None
    if taker is not None and inherited is not None and given and visit.name.startswith(MATRICES):
        return _given(taker, inherited, taker, name, 0)
    shown = _operand(visit)
    called = operation(visit.site, visit.name)
    if overflow:
        return cause(
            kind, "derivative-overflowed", visit.site, shown,
            fix=fix, operand=Operand(shown), call=called, size=visit.incoming, name=name, shown=shown,
            numbers=numbers,
        )  # fmt: skip
    element, operand = _element(birth, shown)
    return cause(
        kind, "derivative", visit.site, shown,
        fix=fix, operand=operand, call=called, element=element, name=name, shown=shown, x=raw(shown),
        masked=Phrase("masked-out") if masked else NOTHING,
        numbers=numbers or _zero_arrived(birth, masked),
    )  # fmt: skip


def _zero_arrived(birth: Odd, masked: bool) -> Phrase:
    """Where the numbers are not known: what is known of the gradient that arrived."""
    if not birth.masked:
        return NOTHING
    return Phrase("but-zero-times-inf" if masked else "zero-arrived")


def _element(birth: Odd, shown: str) -> tuple[Phrase, Operand]:
    """Where the derivative is not finite, and of what."""
    place = birth.places[0] if birth.places else None
    if place is None:
        return NOTHING, Operand(shown)
    index, _, last = place
    if last is None or birth.visit.name.startswith(MATRICES):
        return NOTHING, Operand(shown)
    # several may have been saved, in an order that each engine has for itself
    which = "other" if source_expressions.divides(birth.visit.name.lower()) else "self"
    value = last
    if which in birth.there:
        value = birth.there[which]
    elif "other" in birth.saved:
        return NOTHING, Operand(shown)  # that is not the operand
    met = shown
    of_result = set(birth.saved) == {"result"}  # it saved no operand
    if of_result and not (birth.visit.name.startswith("Sqrt") and value == 0.0):
        met = THE_RESULT  # that of a root is 0 where its operand is
    return Phrase("where-met", met=met, value=float(value)), Operand(met, value, index)


def _operand(visit: Visit) -> str:
    """The operand of a node's operation, as written, if that is short."""
    return source_expressions.operand(visit.site, visit.name) or visit.name


def _operand_birth(run: Run, visit: Visit) -> Note | None:
    """Where an operand of a node became infinite, or NaN, if one is."""
    note = note_of(run, visit.key) or _note_on_it(run, visit)
    if note is None:
        return None
    return next((parent.born for parent in note.parents if parent.born is not None), None)


def note_of(run: Run, key: int) -> Note | None:
    """The note on what a node made."""
    for root in run.roots:
        for note in root.tracked():
            if note.node == key:
                return note
    return None


def _note_on_it(run: Run, visit: Visit) -> Note | None:
    """The note on what several nodes made together, this one among them: `a @ b` is a product, and views."""
    if visit.site is None:
        return None
    notes = (note for root in run.roots for note in root.tracked())
    made = [note for note in notes if note.site == visit.site and (note.node or 0) > visit.key]
    return min(made, key=lambda note: note.node or 0, default=None)


def first_birth(run: Run, key: int, at: int | None = None) -> Odd | None:
    """The first node on a way to `key` that made what is not finite, or what node `at` made."""
    for birth in run.births:
        if at in (None, birth.visit.key) and reaches(run, _target(birth), key):
            return birth
    return None


def _target(birth: Odd) -> int:
    return next(d.target for d in birth.visit.out if d.edge == birth.edge)


def reaches(run: Run, start: int, key: int) -> bool:
    """Do gradients go from node `start` to node `key`?"""
    seen, todo = {start}, [start]
    for each in todo:
        if each == key:
            return True
        visit = run.visits.get(each)
        for delivered in visit.out if visit is not None else ():
            if delivered.target not in seen:
                seen.add(delivered.target)
                todo.append(delivered.target)
    return False


_MASKS = ("Where", "MaskedFill", "MaskedScatter", "MaskedSelect", "Index", "Gather", "Select", "Slice", "Mul",
          "Clamp", "Maximum", "Minimum", "Max", "Min", "Nansum", "NanToNum", "Nanmean")  # fmt: skip
#: Several of them may take all parts of a value: then they leave none out.
_PARTS = ("Index", "Gather", "Select", "Slice")
#: Nodes that may make a gradient zero by values of their own, and are no masks.
_ZEROING = (
    *STEPS, "Relu", "Threshold", "Elu", "Hard", "Softshrink", "LeakyRelu", "Celu", "Selu", "Gelu", "Silu",
    "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Erf", "NativeDropout", "Dropout", "Pow", "Square", "Abs",
    "Cos", "Prod", "LinalgVectorNorm", "Norm", "MseLoss",
)  # fmt: skip


def behind_a_mask(run: Run, key: int) -> bool:
    """Is it a mask that made the gradient zero which arrived at the node?

    It is where each way from the loss to the node goes through a mask, and nothing between the mask and the
    node may have made the gradient zero. A `where` both branches of which lead to the node masks nothing, and
    neither does a factor that is a number, or that is zero everywhere.
    """
    zero = {kill.visit.key for kill in run.kills if kill.visit.name.startswith("Mul")}
    before: dict[int, list[tuple[Visit, int]]] = {}
    for visit in run.visits.values():
        for delivered in visit.out:
            before.setdefault(delivered.target, []).append((visit, delivered.edge))
    seen, todo = {key}, [key]
    for each in todo:
        came = before.get(each, [])
        if not came:
            return False  # the loss
        parts = sum(visit.name.startswith(_PARTS) for visit, _ in came)
        for visit, edge in came:
            is_part = parts > 1 and visit.name.startswith(_PARTS)
            if visit.name.startswith(_MASKS) and visit.key not in zero and not is_part:
                if _masks(run, visit, key):
                    continue
            elif visit.incoming != 0.0 and _may_zero(visit, edge):
                return False
            if visit.key not in seen:
                seen.add(visit.key)
                todo.append(visit.key)
    return True


def _masks(run: Run, visit: Visit, key: int) -> bool:
    """Does the node keep a part of its gradient from node `key`?"""
    if sum(reaches(run, delivered.target, key) for delivered in visit.out) > 1:
        return False
    made = note_of(run, visit.key) if visit.name.startswith("Mul") else None
    return made is None or len(made.parents) > 1


def _may_zero(visit: Visit, edge: int) -> bool:
    """May it have made a gradient zero that was not? A quotient may, for its divisor."""
    return visit.name.startswith(_ZEROING) or (visit.name.startswith("Div") and edge > 0)
