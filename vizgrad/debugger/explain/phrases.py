"""Shared parts of sentences: advice by operation, and phrases. See `sentences.py`."""

from __future__ import annotations

CREATE_GRAPH = "take the gradient with create_graph=True"

#: The advice, where a case has several: by operation, or by its surroundings.
FIXES: dict[str, str] = {
    # an operation made a NaN or an infinite value of finite ones
    "log": "keep {shown:input} positive: add a small eps, or clamp(min=eps), before it",
    "quotient": (
        "keep the divisor {shown:input} away from zero: add a small eps or clamp(min=eps), "
        "or mask it with where before dividing"
    ),
    "sqrt": (
        "keep {shown:input} from going negative: clamp(min=eps), as at 0 the derivative of the root is "
        "infinite"
    ),
    "exp": (
        "keep {shown:input} small: subtract the maximum first, clamp it, or use logsumexp, "
        "softmax or log_softmax"
    ),
    "pow": (
        "keep {shown:input} in the domain of the power: clamp it to positive values, or "
        "scale it down"
    ),
    "pow-overflowed": (
        "scale {shown:input} down, or compute in a wider type; if it has grown from step to step, lower the "
        "learning rate"
    ),
    "arc": "clamp {shown:input} into the domain, e.g. clamp(-1 + eps, 1 - eps)",
    "softmax": (
        "leave at least one entry of each row unmasked, or mask with a large negative number "
        "in place of -inf"
    ),
    "reduction": (
        "do not reduce over nothing or one element: check the size, use correction=0, or add an eps"
    ),
    "narrower": (
        "{shown:input} does not fit into the narrower type: scale it down, or stay in float32"
    ),
    "sum": "infinite values meet here: clamp {shown:input} before, or scale the values down",
    "any": (
        "keep the values of {shown:input} finite here: scale them down, clamp them, or add a "
        "small eps"
    ),
    "log-of-softmax": (
        "use log_softmax (or cross_entropy on the logits), which never takes the log of 0"
    ),
    "log-of-sigmoid": (
        "use logsigmoid (or binary_cross_entropy_with_logits), or clamp the argument above an eps"
    ),
    "log-of-negative": (
        "keep {shown:input} positive: clamp it above a small eps, or use log1p where it is a "
        "change around 1"
    ),
    # the derivative of an operation was not finite
    "derivative-of-root": (
        "add a small eps (1e-12) to {shown:input} before it, or mask where it is zero: the "
        "derivative at 0 is infinite"
    ),
    "derivative-of-norm": "add a small eps under the root: the norm has no derivative at 0",
    "derivative-of-log": "keep {shown:input} away from zero: add a small eps, or clamp(min=eps)",
    "derivative-of-arc": (
        "clamp {shown:input} strictly inside its domain (1 - 1e-6): the derivative at the "
        "border is infinite"
    ),
    "derivative-of-exp": (
        "clamp {shown:input}, or subtract its maximum first: the derivative overflows"
    ),
    "derivative-of-any": (
        "keep {shown:input} away from where the derivative is infinite: add a small eps, or "
        "clamp it"
    ),
    "batch-of-step": (
        "look at the data of that round, whose loss was large before the step, and clip the gradients "
        "(clip_grad_norm_) before the step"
    ),
    "shorter-step": (
        "reduce the learning rate of {optimizer:raw}{group}, first by a factor of 10, or clip the "
        "gradients (clip_grad_norm_) before the step"
    ),
    "masked": (
        "mask the input too, before the operation: give it where(mask, {x:raw}, 1), a safe "
        "value inside, so that the branch that is not taken has a finite derivative"
    ),
    "overflown": (
        "clip the gradient, or use smaller (normalised, orthogonal) weights so that the gain "
        "per step is near 1"
    ),
    # the derivative of an operation was zero
    "zero-relu": (
        "raise the bias, or use leaky_relu or gelu, or another initialisation: all its "
        "inputs are negative"
    ),
    "zero-saturated": (
        "bring {shown:input} to where it is not saturated: smaller weights, a normalisation, "
        "or scaled inputs"
    ),
    "zero-clamp": (
        "all of {shown:input} lies outside the limits: widen the clamp, or scale the values into it"
    ),
    "zero-choice": (
        "the other operand is chosen everywhere: check both, or scale {shown:input} into its range"
    ),
    "zero-softmax-of-one": (
        "the softmax is taken over one entry, and so is 1 whatever {shown:input} is: choose another dim, or "
        "sigmoid for a single score"
    ),
    "zero-step": (
        "a step function has derivative 0: pass the gradient straight through, {x:raw} + "
        "(rounded - {x:raw}).detach()"
    ),
    "zero-product": (
        "one factor is exactly zero: check the mask or coefficient, or, if it is a "
        "parameter, initialise it with small random values"
    ),
    "zero-matrix": (
        "the other factor is all zero: initialise weights with small random "
        "values, and check inputs where the data comes from"
    ),
    "zero-mask": "the mask selects the other branch everywhere: check the condition",
    "zero-dropout": "everything was dropped: lower the probability of dropout",
    "zero-any": "the derivative is zero here: check the values of {shown:input}",
    "zero-constant": (
        "the factor {factor} makes all of it zero: leave the term out, or give it another factor"
    ),
    "zero-factor": (
        "{factor} is zero where the gradient arrives: check it if it is a mask, a "
        "coefficient or data; if it is a parameter, initialise it with small random values"
    ),
    "hook-zero": (
        "let the hook return None, or the gradient itself, where the gradient is not to be changed"
    ),
    "hook-nonfinite": "look at what the hook returns: a division, a logarithm or an overflow in it",
    # a gradient grew or shrank
    "grows": (
        "keep the gain per step at or below 1 (orthogonal or smaller initial weights), clip "
        "the gradient, or truncate"
    ),
    "shrinks": (
        "keep the gain per step near 1: a better initialisation or normalisation, relu in "
        "place of sigmoid, gates or residual connections, or a larger scale"
    ),
    # a history was lost
    "copied-one": ("go on with `{of:raw}` itself, or with {of:raw}.clone(): both keep the history"),
    "copied-several": "make one tensor of several with stack() or cat(): both keep the history",
    "create-graph": CREATE_GRAPH,
    "linear": "leave out what is computed from it: its derivative is zero",
    "save-inputs": (
        "save the inputs themselves, ctx.save_for_backward(...), and compute in backward from them"
    ),
    # a history is carried along
    "add-number": ("add a plain number: {name:raw} += {term:raw}.item() (or {term:raw}.detach())"),
    "add-detached": "add it without its history: {name:raw} += {term:raw}.detach()",
    "compute-number": (
        "compute with a plain number there: {term:raw}.item() (or {term:raw}.detach()) for "
        "{term:raw}"
    ),
    "compute-detached": "compute without its history: {term:raw}.detach() for {term:raw}",
    "cut-each-step": "cut it at the start of a step: {name:raw} = {name:raw}.detach()",
    "cut-each-of-several": (
        "cut it at the start of each step: {name:raw} = tuple(each.detach() for each in {name:raw})"
    ),
    # numpy wrote, a checkpoint differed
    "register-tensor": (
        "make it a parameter, {name:raw} = nn.Parameter(...), before the optimizer is made; or call "
        "requires_grad_(False) on it if it is fixed"
    ),
    "register-modules": (
        "keep the modules in nn.ModuleList or nn.ModuleDict, so that {module:raw}.parameters() has theirs; "
        "or give the optimizer their parameters, too"
    ),
    "copy-foreign": "copy it first: {name:raw}.copy()",
    "copy-own": "copy before writing: {name:raw}.numpy().copy(), or {name:raw}.clone()",
    "random-state": (
        "leave preserve_rng_state=True, or draw the random numbers outside and pass them in"
    ),
    "arguments-alone": (
        "let the function depend on its arguments alone: pass in what changes between the two runs"
    ),
}

#: Parts of sentences.
PHRASES: dict[str, str] = {
    "nothing": "",
    "found-elsewhere": "Nothing is wrong at this node. Found in this backward: {story}",
    "round": "round {number} of {title}",
    "round-within": "{inner} in {outer}",
    "backward-number": "backward {number}",
    "rounds": "first in {first}, last in {last}, {count} times",
    "rounds-of-one": "first in {first}, last in round {last}, in {count} rounds",
    "nan": "NaN",
    "infinite": "an infinite value",
    "is-nan": "NaN",
    "is-infinite": "infinite",
    "that-is": " That is {name}.",
    "from-there": " From there it reached {name}.",
    "from-there-here": " From there it reached this value.",
    "element": ": {made}{index}{operand}",
    "made": "{made}",
    "call": "{op:raw}({value}) = {made}",
    "infix": "{first} {op:raw} {second} = {made}",
    "element-operand": ": {operand:input} is {value}{index}",
    "at-index": " at {index:raw}",
    "half-element": "{index}{operand}",
    "with-itself": "compares a value with itself",
    "of-equals": "compares a value with one that was computed from it, and found them equal",
    "where-operand": ", where {shown} is {value}",
    "where-met": " where {met:input} is {value}",
    "masked-out": "; the branch is masked out",
    "zero-arrived": "; the gradient that arrived there is 0, and 0 * inf is NaN",
    "but-zero-times-inf": ", but 0 * inf is NaN",
    "and-zero-times-inf": ", and in its derivative 0 * inf is NaN",
    "and-zero-times-nan": ", and in its derivative 0 * NaN is NaN",
    "derivative": (
        "; {place}gradient {arrived} arrived, {formula:raw} is {factor} at {at}, {arrived} * "
        "{factor} = {made}"
    ),
    "product": "; {place}gradient {arrived} arrived and met {factor}: {arrived} * {factor} = {made}",
    "at-element": "at {index:raw}: ",
    "no-line": " Its line was not noted: {how:raw}.",
    "on": " on {at}",
    "recorded": ", recorded on {at},",
    "value-of": "{name:raw} = {value}",
    "met": (
        " In {node}{at:recorded} {where}this value met the gradient, and so reached that of {name}."
    ),
    "where-values": "where {values:raw}, ",
    "last-written": " The last write to {leaf} was {op:raw}{at:on}.",
    "came-into": " It reached the gradient of {name}.",
    "not-finite": "elements that are not finite",
    "elements": "{which} of {count} elements",
    "one-element": "{which} of 1 element",
    "nans": "{nans} NaN",
    "infs": "{infs} infinite",
    "both": "{nans} NaN and {infs} infinite",
    "since": "something has written to it since",
    "since-or-before": "they were there before, or something has written to it since",
    "zeros": "zeros",
    "finite-gradient": "a finite gradient",
    "of-size": "a gradient of size {size}",
    "not-finite-gradient": "a gradient that is not finite",
    "everywhere": "everywhere",
    "at-values": "at all these values",
    "dead-units": ": {dead} of {units} activations are zero",
    "grows": "grows",
    "shrinks": "shrinks",
    "one-step": "its size is multiplied by {factor}",
    "steps": (
        "{count} operations there multiply its size by {factor}, each by {single} on average"
    ),
    "empty": "is empty so far",
    "earlier": "holds an earlier gradient so far",
    "of-loss": " of {title}",
    "before-node": " before {node:raw}",
    "stores": "The gradient has arrived, and the next step stores it.",
    "stored-later": (
        "The gradient is still to come: all of it has arrived, and a later step stores it."
    ),
    "one-delivers": "The gradient is still to come: the step of {who} will deliver it.",
    "several-deliver": "The gradient is still to come: the steps of {who} will deliver it.",
    "name": "{name:raw}",
    "name-line": "{name:raw} ({at})",
    "comma": "{first}, {last}",
    "and": "{first} and {last}",
    "and-more": "{first} and {more} more",
    "value": ": {value}",
    "no-history": "so {name} has no history",
    "way-ends": "so no gradient reaches {name}",
    "values-of": "the values of {name}",
    "values": "values",
    "booleans": "booleans",
    "integers": "integers",
    "bool-dtype": "a bool dtype",
    "integer-dtype": "an integer dtype",
    "result-called": ", {result},",
    "taken-without-graph": "was taken on {at} without create_graph",
    "taken-of-linear": (
        "was taken on {at} with create_graph=True, of a function that is linear, whose derivative "
        "does not depend on its input"
    ),
    "taken-of-values": (
        "was taken on {at} with create_graph=True, but {function:raw}.backward computed it "
        "from values without history"
    ),
    "neither": ", and neither has {loss}, which is computed from it",
    "reader": "{call} ({at})",
    "since-line": " since {at}",
    "only-since": ": it does since {at}",
    "on-line": "on {at}",
    "after-line": "after {at}",
    "write": "{op:raw} on {at}",
    "any-of": "any of the {count} parameters of {optimizer:raw}",
    "the-one": "the one parameter of {optimizer:raw}",
    "all-of-them": "for all {every} parameters that they reached",
    "some-of-them": "for {count} of the {every} parameters that they reached",
    "plain-tensor": "a plain tensor",
    "in-a-plain-container": "in a module in a plain list or dictionary",
    "and-others": " (and {more} more)",
    "named-without-a-call": " (on {at} it is named and not called)",
    "unscaled-later": ": unscale_ came after it, on {at}",
    "loss-in-round": ", {loss} in it,",
    "longest-step": " (step {number}{rate})",
    "with-rate": ", lr={rate}",
    "for-group": " for parameter group {group} of {groups}",
    "used-on": ", which is used on {at},",
    "drops": "drops units at random",
    "normalises": "normalises by the batch, and moves its running statistics",
    "operations-by-now": "{nodes} operations by now",
    "weighed": (
        "{nodes} operations{size}{after}, about {more} operations{more_size} more with each step"
    ),
    "and-bytes": " and {size:raw}",
    "after-steps": " after {steps} steps",
    "after-one-step": " after 1 step",
    "is-of-size": "A gradient of size {size} arrived at this node",
    "is-zero": "A zero gradient arrived at this node",
    "skipped": "This backward does not need this node, and skips it",
    "not-run": "This node has not run yet, and its saved tensors are unchanged",
    "all-finite": "The recorded steps of this node made no NaN and no Inf",
}
