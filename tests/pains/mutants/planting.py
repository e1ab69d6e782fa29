"""How bugs are planted: each kind changes one place of a program's syntax."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

#: Stands at what was planted, until the text is written: then it says which line is to blame.
MARK = "__planted__"


class Site(NamedTuple):
    """A statement, the list it stands in, and the function around it."""

    body: list[ast.stmt]
    at: int
    function: ast.FunctionDef
    loop: ast.stmt | None

    @property
    def statement(self) -> ast.stmt:
        return self.body[self.at]


#: Changes the program at one of its sites; False if there is none for it.
Plant = Callable[[list[Site], Random], bool]
PLANTS: dict[str, tuple[str, Plant]] = {}


def plant(name: str, kinds: str) -> Callable[[Plant], Plant]:
    """`kinds`: what may be said, in words of the table, with | between them."""

    def add(function: Plant) -> Plant:
        PLANTS[name] = kinds, function
        return function

    return add


def sites(tree: ast.Module) -> list[Site]:
    found: list[Site] = []

    def walk(node: ast.AST, function: ast.FunctionDef | None, loop: ast.stmt | None) -> None:
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if not isinstance(body, list):
                continue
            for index, each in enumerate(body):
                if function is not None:
                    found.append(Site(body, index, function, loop))
                inner = each if isinstance(each, ast.FunctionDef) else function
                turns = each if isinstance(each, (ast.For, ast.While)) else loop
                walk(each, inner, None if isinstance(each, ast.FunctionDef) else turns)

    walk(tree, None, None)
    return found


def made(site: Site) -> ast.Assign | None:
    """The statement, if it gives a name to what looks like a result of floating-point operations."""
    each = site.statement
    if not isinstance(each, ast.Assign) or len(each.targets) != 1:
        return None
    if not isinstance(each.targets[0], ast.Name) or site.function.name == "__init__":
        return None
    if not isinstance(each.value, (ast.Call, ast.BinOp)):
        return None
    text = ast.unparse(each.value)
    words = ("optim.", "range(", "zeros", "ones", "Linear", "Loss(", "list(", "len(", "int(", "RandomState",
             "numbers(", "tensor(", "long(", "argmax", "nn.", "state_dict", "zip(", "iter(", "next(", "randn",
             "rand(", "dict(", "enumerate", "detach", "from_numpy", "shape", "size(")  # fmt: skip
    return None if any(word in text for word in words) else each


def wrapped(template: str, words: str = "") -> Plant:
    """Puts the value of an assignment into an expression; `{}` stands for it."""

    def change(places: list[Site], draw: Random) -> bool:
        options = [each for place in places if (each := made(place)) is not None]
        options = [each for each in options if not words or words in ast.unparse(each)]
        if not options:
            return False
        each = draw.choice(options)
        new = ast.parse(template.format(f"({ast.unparse(each.value)})"), mode="eval").body
        each.value = marked(new)
        return True

    return change


def marked(expression: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(MARK, ast.Load()), [expression], [])


def statement(text: str) -> ast.stmt:
    """One statement that is to blame: its expression, or the right-hand side, is marked."""
    each = ast.parse(text).body[0]
    assert isinstance(each, (ast.Expr, ast.Assign, ast.AugAssign))
    each.value = marked(each.value)
    return each


def calls(places: list[Site], name: str) -> list[Site]:
    """Statements that are nothing but `X.name(...)`."""
    return [
        place
        for place in places
        if isinstance(each := place.statement, ast.Expr)
        and isinstance(each.value, ast.Call)
        and isinstance(each.value.func, ast.Attribute)
        and each.value.func.attr == name
    ]


def callee(site: Site) -> str:
    """`X` of `X.backward()`."""
    each = site.statement
    assert isinstance(each, ast.Expr)
    assert isinstance(each.value, ast.Call)
    assert isinstance(each.value.func, ast.Attribute)
    return ast.unparse(each.value.func.value)


def inner(places: list[Site], name: str, module: str = "") -> Iterator[ast.Call]:
    """Calls of a function or method anywhere."""
    for place in places:
        for each in ast.walk(place.statement):
            if isinstance(each, ast.Call):
                text = ast.unparse(each.func)
                if text.rpartition(".")[2] == name and module in text:
                    yield each


# --- cuts ---------------------------------------------------------------------------------------------------

plant("detach", "cut-detach")(wrapped("{}.detach()"))
plant("data", "cut-detach|hidden-write")(wrapped("{}.data"))
plant("tolist", "cut-detach")(wrapped("torch.tensor({}.tolist())"))
plant("numpy", "cut-detach")(wrapped("torch.from_numpy({}.detach().numpy() * 1)"))
plant("integers", "cut-dtype")(wrapped("{}.mul(8).long().float().div(8)"))
plant("comparison", "cut-dtype")(wrapped("({} > 0).float()"))


@plant("no_grad", "grad-mode")
def _no_grad(places: list[Site], draw: Random) -> bool:
    options = [place for place in places if made(place) is not None]
    if not options:
        return False
    place = draw.choice(options)
    each = place.statement
    assert isinstance(each, ast.Assign)
    each.value = marked(each.value)
    block = ast.parse("with torch.no_grad():\n    pass").body[0]
    assert isinstance(block, ast.With)
    block.body = [each]
    place.body[place.at] = block
    return True


# --- values -------------------------------------------------------------------------------------------------

plant("log of zero", "nonfinite-forward")(wrapped("torch.log({} * 0)"))
plant("division by zero", "nonfinite-forward")(wrapped("{0} / ({0} - {0})"))
plant("exp of much", "nonfinite-forward")(wrapped("torch.exp({} * 0 + 1000)"))
plant("root of a negative", "nonfinite-forward")(wrapped("torch.sqrt({} * 0 - 1)"))
plant("root at zero", "nonfinite-backward")(wrapped("{0} + torch.sqrt({0} * 0)"))
plant("masked log", "nonfinite-masked|nonfinite-backward")(
    wrapped("{0} + torch.where({0} * 0 > 0, torch.log({0} * 0), {0} * 0)")
)
plant("dead relu", "zero-derivative")(wrapped("torch.relu({} - 1e6)"))
plant("saturated", "zero-derivative")(wrapped("torch.sigmoid({} * 0 + 500.0)"))
plant("step function", "zero-derivative")(wrapped("torch.round({} * 3) / 3"))
plant("zero factor", "zero-derivative")(wrapped("{0} * torch.zeros(())"))
plant("tiny scale", "ill-scaled")(wrapped("{} * 1e-12"))
plant("huge scale", "ill-scaled")(wrapped("{} * 1e9"))


# --- writes -------------------------------------------------------------------------------------------------


def _before_backward(text: str) -> Plant:
    """A statement on an earlier result, in front of `loss.backward()`; `{}` stands for its name."""

    def change(places: list[Site], draw: Random) -> bool:
        runs = calls(places, "backward")
        draw.shuffle(runs)
        for run in runs:
            names = [
                ast.unparse(each.targets[0])
                for place in places
                if place.body is run.body and place.at < run.at
                if (each := made(place)) is not None
            ]
            names = [name for name in names if name != callee(run)]
            if names:
                run.body.insert(run.at, statement(text.format(draw.choice(names))))
                return True
        return False

    return change


plant("write in place", "saved-overwritten|hook-effect")(_before_backward("{}.mul_(0.5)"))
plant("numpy write", "hidden-write")(
    _before_backward(
        "__import__('numpy').multiply({0}.detach().numpy(), 0.5, out={0}.detach().numpy())"
    )
)
plant("data write", "hidden-write")(_before_backward("{}.data.mul_(0.5)"))


@plant("leaf write", "forbidden-write")
def _leaf_write(places: list[Site], draw: Random) -> bool:
    steps = [each for each in calls(places, "step") if "opt" in callee(each)]
    if not steps:
        return False
    step = draw.choice(steps)
    step.body.insert(
        step.at + 1, statement(f"{callee(step)}.param_groups[0]['params'][0].mul_(0.9)")
    )
    return True


# --- loops --------------------------------------------------------------------------------------------------


@plant("no zero_grad", "grad-accumulated")
def _no_zero_grad(places: list[Site], draw: Random) -> bool:
    clears = [each for each in calls(places, "zero_grad") if each.loop is not None]
    runs = calls(places, "backward")
    if not clears or not runs:
        return False
    clear = draw.choice(clears)
    clear.body[clear.at] = ast.Pass()
    for run in runs:
        each = run.statement
        assert isinstance(each, ast.Expr)
        each.value = marked(each.value)
    return True


@plant("running total", "history-kept|graph-freed")
def _total(places: list[Site], draw: Random) -> bool:
    return _gathered(places, draw, "total_ = 0.0", "total_ = total_ + {}")


@plant("list of losses", "history-kept")
def _list(places: list[Site], draw: Random) -> bool:
    return _gathered(places, draw, "kept_ = []", "kept_.append({})")


def _gathered(places: list[Site], draw: Random, begun: str, goes_on: str) -> bool:
    """Losses of a loop, with all their history, come together in something that begins before it."""
    runs = [each for each in calls(places, "backward") if each.loop and callee(each).isidentifier()]
    if not runs:
        return False
    run = draw.choice(runs)
    run.body.insert(run.at + 1, statement(goes_on.format(callee(run))))
    run.function.body.insert(0, ast.parse(begun).body[0])
    return True


@plant("backward twice", "graph-freed")
def _twice(places: list[Site], draw: Random) -> bool:
    runs = calls(places, "backward")
    if not runs:
        return False
    run = draw.choice(runs)
    each = run.statement
    assert isinstance(each, ast.Expr)
    again = copy.deepcopy(each)
    again.value, each.value = marked(again.value), marked(each.value)
    run.body.insert(run.at + 1, again)
    return True


@plant(
    "rate times 10000",
    "step-too-large|nonfinite-forward|nonfinite-backward|ill-scaled|zero-derivative",
)
def _rate(places: list[Site], draw: Random) -> bool:
    rates = [
        keyword
        for place in places
        for each in ast.walk(place.statement)
        if isinstance(each, ast.Call)
        for keyword in each.keywords
        if keyword.arg == "lr" and isinstance(keyword.value, ast.Constant)
    ]
    steps = calls(places, "step")
    if not rates or not steps:
        return False
    rate = draw.choice(rates).value
    assert isinstance(rate, ast.Constant)
    assert isinstance(rate.value, (int, float))
    rate.value = rate.value * 10_000
    for step in steps:
        each = step.statement
        assert isinstance(each, ast.Expr)
        each.value = marked(each.value)
    return True


@plant("never switched back", "module-mode")
def _eval(places: list[Site], draw: Random) -> bool:
    switches = [each for each in calls(places, "train") if each.loop is not None]
    if switches:
        place = draw.choice(switches)
        name = callee(place)
        place.body[place.at] = ast.Pass()
        for each in calls(places, "eval"):
            found = each.statement
            if callee(each) == name and isinstance(found, ast.Expr):
                found.value = marked(found.value)
        return True
    steps = [each for each in calls(places, "step") if each.loop is not None]
    if not steps or not any("model" in ast.unparse(each.statement) for each in places):
        return False
    place = draw.choice(steps)
    place.body.insert(place.at + 1, statement("model.eval()"))
    return True


# --- losses, Functions, hooks -------------------------------------------------------------------------------


@plant("softmax before the loss", "double-normalised")
def _softmax(places: list[Site], draw: Random) -> bool:
    options = [each for each in inner(places, "cross_entropy") if each.args]
    options += [each for each in inner(places, "criterion") if each.args]
    if not options:
        return False
    each = draw.choice(options)
    each.args[0] = ast.parse(f"torch.softmax({ast.unparse(each.args[0])}, -1)", mode="eval").body
    _mark_call(each)
    return True


@plant("sigmoid before the loss", "double-normalised")
def _sigmoid(places: list[Site], draw: Random) -> bool:
    options = [each for each in inner(places, "binary_cross_entropy_with_logits") if each.args]
    if not options:
        return False
    each = draw.choice(options)
    each.args[0] = ast.parse(f"torch.sigmoid({ast.unparse(each.args[0])})", mode="eval").body
    _mark_call(each)
    return True


@plant("target of another shape", "shape-broadcast")
def _shape(places: list[Site], draw: Random) -> bool:
    options = [each for each in inner(places, "mse_loss") if len(each.args) > 1]
    if not options:
        return False
    each = draw.choice(options)
    each.args[1] = ast.parse(f"({ast.unparse(each.args[1])}).unsqueeze(-2)", mode="eval").body
    each.args[0] = ast.parse(f"({ast.unparse(each.args[0])}).unsqueeze(-1)", mode="eval").body
    _mark_call(each)
    return True


def _mark_call(call: ast.Call) -> None:
    """Marks a call where it stands."""
    old = ast.Call(call.func, list(call.args), list(call.keywords))
    call.func, call.args, call.keywords = ast.Name(MARK, ast.Load()), [old], []


@plant("a hook edits in place", "hook-effect")
def _hook(places: list[Site], draw: Random) -> bool:
    options = [place for place in places if made(place) is not None]
    if not options:
        return False
    place = draw.choice(options)
    each = place.statement
    assert isinstance(each, ast.Assign)
    name = ast.unparse(each.targets[0])
    text = f"{name}.register_hook(lambda g: None if g.mul_(0.5) is None else None)"
    place.body.insert(place.at + 1, statement(text))
    return True


@plant("one gradient too many", "function-return")
def _too_many(places: list[Site], draw: Random) -> bool:
    return _return_of_backward(places, draw, "({0}, None, None, None, torch.ones(()))")


@plant("a gradient of another shape", "function-return")
def _other_shape(places: list[Site], draw: Random) -> bool:
    def first(value: ast.expr) -> str:
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        texts = [ast.unparse(each) for each in parts]
        texts[0] = f"torch.cat([({texts[0]}).reshape(-1)] * 2)"
        return ", ".join(texts) + ("," if len(texts) == 1 else "")

    return _return_of_backward(places, draw, first)


def _return_of_backward(
    places: list[Site], draw: Random, change: str | Callable[[ast.expr], str]
) -> bool:
    options = [
        each
        for place in places
        if place.function.name == "backward" and isinstance(each := place.statement, ast.Return)
        if each.value is not None
    ]
    if not options:
        return False
    each = draw.choice(options)
    value = each.value
    assert value is not None
    text = change.format(ast.unparse(value)) if isinstance(change, str) else change(value)
    each.value = marked(ast.parse(f"({text})", mode="eval").body)
    return True


@plant("input written unmarked", "function-dirty|forbidden-write|saved-overwritten")
def _dirty(places: list[Site], draw: Random) -> bool:
    options = [
        place
        for place in places
        if place.function.name == "forward"
        and place.function.args.args
        and place.function.args.args[0].arg == "ctx"
        and len(place.function.args.args) > 1
        and place.at == 0
        and place.body is place.function.body
    ]
    if not options:
        return False
    place = draw.choice(options)
    place.body.insert(0, statement(f"{place.function.args.args[1].arg}.mul_(1.5)"))
    return True


@plant("no create_graph", "second-order-cut")
def _no_graph(places: list[Site], draw: Random) -> bool:
    options = [
        (each, keyword)
        for each in inner(places, "grad")
        for keyword in each.keywords
        if keyword.arg == "create_graph"
    ]
    if not options:
        return False
    each, keyword = draw.choice(options)
    keyword.value = ast.Constant(False)
    _mark_call(each)
    return True
