"""The sentences on each cause and its fix, by case, in the order of the kinds.

In a sentence ``{x}`` is a fact of the cause, said by its type (`wording.say`): text of the program in code
quotes (`Words` and names of nodes without), a line as "line 3" (None: one that is not known), a number in the
fewest digits that are true, a `Phrase` as its row of `phrases.PHRASES` says it. ``{x:raw}`` is text as it is,
``{x:input}`` the operand of an operation. ``{x:on}`` and ``{x:recorded}`` are " on line 3" and ", recorded on
line 3,", or nothing where the line is not known.
"""

from __future__ import annotations

from vizgrad.debugger.explain.phrases import CREATE_GRAPH
from vizgrad.debugger.explain.training_sentences import TRAINING

_OUT_OF_PLACE = (
    "write out of place there (e.g. `x = x + y` for `x += y`), or clone before the write"
)
_ASK_IN_A_WATCH = "run the block inside vizgrad.watch(), and ask again"

#: Cases that a line belongs to: where it is not known, they say how to know it.
OF_A_LINE = frozenset(
    {
        "derivative", "derivative-overflowed", "masked-operand-not-finite", "saved-values",
        "saved-values-masked", "scale", "sum-overflowed", "zero",
    }
)  # fmt: skip

#: Case of a cause -> what is said of it, and what to do about it ("": a row of `FIXES`, named by the cause).
SENTENCES: dict[str, tuple[str, str]] = {
    "nothing": ("There is nothing to explain.", ""),
    "unread": (
        (
            "The values of {shown} cannot be read here, so nothing is known about them: it is a tensor of a "
            "transform (vmap, grad), on the meta device, quantized, or of a class of its own."
        ),
        "in a transform, return the tensor and ask about the result outside",
    ),
    # --- values that are not finite ---------------------------------------------------------------------
    "data": (
        "{shown} holds values that are not finite from the start ({at}).{passed}",
        "clean the data first: look for missing values with isfinite(), and replace or drop them",
    ),
    "zero-times-infinity": (
        (
            "{call} made NaN on {at}: {infinite} is infinite where {zero} is 0, and 0 * inf is "
            "NaN.{passed}"
        ),
        (
            "do not multiply by {infinite}: take a large finite number in its place, or choose "
            "with where()"
        ),
    ),
    "product-overflowed": (
        (
            "{call} overflowed on {at}: values of {factor} are as large as {size}, and the "
            "result is infinite{element}.{passed}"
        ),
        "scale {factor} down, or compute in a wider type: the result is too large for its type",
    ),
    "all-ignored": (
        (
            "{call} on {at} is a mean over no class, and so NaN: each element of {labels} is {value}, the "
            "ignore_index.{passed}"
        ),
        (
            "pass over batches without a label, or use reduction='sum' and divide by the number of labels, "
            "at least 1"
        ),
    ),
    "beyond-half": (
        (
            "{call} on {at} is beyond the range of float16, whose largest number is 65504, and so became "
            "infinite{element}.{passed}"
        ),
        "compute {call} in float32 or bfloat16, or scale {shown:input} down before",
    ),
    "operation": ("{call} made {what} on {at}{element}.{passed}", ""),
    "step-diverged": (
        (
            "The step on {at} made a parameter infinite, and from there it reached {name}: the "
            "training diverged."
        ),
        "lower the learning rate, or clip the gradients (clip_grad_norm_) before the step",
    ),
    # ... as far as the graph alone shows
    "no-operation-known": (
        "{name} holds values that are not finite, and no operation is known that made them.",
        (
            "look at the data, or run the operation inside vizgrad.watch(), outside of transforms of "
            "func, and ask again"
        ),
    ),
    "given-not-finite": (
        (
            "{shown} held values that are not finite when the watch saw it first; the operation that "
            "made them was not recorded.{passed}"
        ),
        (
            "clean the data first: look for missing values with isfinite(); or, if a transform of "
            "func made {shown}, call the function without the transform and ask again"
        ),
    ),
    "operand-given": (
        (
            "{shown} held values that are not finite when {taker} took it on {at}; the operation that made "
            "them was not recorded.{passed}"
        ),
        (
            "clean the data first: look for missing values with isfinite(); or, if a transform of func made "
            "it, call the function without the transform and ask again"
        ),
    ),
    "operand-not-finite": (
        "{name} is not finite: {which} of {call} on {at} was not already, and has no history.",
        "clean the data first: look for missing values with isfinite(), and replace or drop them",
    ),
    "first-known": (
        (
            "{name} is not finite. The first result that is known not to be finite is that of {call} on "
            "{at}; the saved tensors do not show its operands."
        ),
        "look at what goes in there, or run the block inside vizgrad.watch() and ask again",
    ),
    "leaf-not-finite": (
        "{name} was computed from {leaf}, which is not finite.{last}{met}",
        "look at the leaf: what wrote to it, and with which gradient",
    ),
    "saved-values": (
        "{call}{at:on} made values that are not finite from finite ones{element}.{met}",
        "keep {shown:input} in the domain of the operation: clamp it, or add a small eps",
    ),
    "saved-values-masked": (
        (
            "{call}{at:on} made values that are not finite from finite ones{element}.{met} That branch "
            "is masked out{numbers}."
        ),
        "",
    ),
    "leaf-not-finite-masked": (
        (
            "{name} was computed from {leaf}, which is not finite.{last}{met} That branch is masked "
            "out{numbers}."
        ),
        "",
    ),
    "value-not-noted": (
        "{shown} has {count}; nothing was noted of the operation that made them.",
        "run the lines that compute and write it within vizgrad.watch(), and ask again",
    ),
    # --- gradients that are not finite --------------------------------------------------------------------
    "masked-operand-not-finite": (
        (
            "{call}{at:on} is {what} in the branch that is masked out on "
            "{masked_at}{numbers}. It reached the gradient of {name}."
        ),
        "",
    ),
    "derivative-overflowed": (
        (
            "The derivative of {call}{at:on} overflowed: gradients had grown to {size} "
            "there{numbers}. It reached the gradient of {name}."
        ),
        "",
    ),
    "derivative": (
        (
            "The derivative of {call}{at:on} is not finite{element}{masked}{numbers}. It reached "
            "the gradient of {name}."
        ),
        "",
    ),
    "sum-overflowed": (
        (
            "Gradients that met at the input of {node}{at:recorded} overflowed when they were added "
            "up. The sum reached the gradient of {name}."
        ),
        "clip the gradient, or scale the loss down: what comes from here is too large for its type",
    ),
    "hook-made": (
        (
            "Hook {hook:raw} of {node}{at:recorded} returned values that are not finite. They reached "
            "the gradient of {name}."
        ),
        "look at what the hook returns: a division, a logarithm or an overflow in it",
    ),
    "not-told-by-steps": (
        (
            "The gradient of {name} is not finite, and none of the recorded steps made it so from a "
            "finite one: the gradient that the backward was started with was not finite, or an earlier "
            "step made it so."
        ),
        "look at the gradient that was given to backward, or run it inside vizgrad.watch()",
    ),
    "forward-value": (
        (
            "A value of the forward pass was not finite.{met} The saved tensors do not show which "
            "operation made it."
        ),
        _ASK_IN_A_WATCH,
    ),
    "step-made": (
        "{birth:raw}.{came}",
        "keep what the operation is applied to away from where its derivative is not finite",
    ),
    "came-in": (
        (
            "The gradient of {name} has {count}, and none of the recorded steps made it so from a "
            "finite one: the gradient that the backward was started with had them, or `.grad` had them "
            "before."
        ),
        "look at the gradient that was given to backward, and at what `.grad` held",
    ),
    "gradient-not-noted": (
        "{shown} has {count}; nothing was noted of the backward that made them.",
        "run the forward and the backward within vizgrad.watch(), and ask again",
    ),
    "gradient-made-elsewhere": (
        (
            "{shown} has {count}; nothing was noted of the backward that made them: it ran "
            "outside the watch, on another thread, or in a debugging session."
        ),
        (
            "call backward within the watch, on its thread; for a backward in a debugging session, ask "
            "while the session is open"
        ),
    ),
    "gradient-passed-through": (
        (
            "{shown} has {count}; the backward on {at} brought them, and none of the operations "
            "in it made them of finite numbers."
        ),
        "look at the gradient that backward was started with, and at hooks",
    ),
    "gradient-written": (
        "{shown} has {count}; the backward on {at} brought finite numbers: {since}.",
        (
            "look at what writes to it after the backward: hooks, clipping and scaling; if gradients are "
            "averaged over processes, call vizgrad.compare_ranks(loss) on all of them before backward(): it "
            "names the rank that made them"
        ),
    ),
    # --- gradients that are zero, or badly scaled -----------------------------------------------------------
    "zero": (
        (
            "{call}{at:on} has derivative zero {where}{dead}, so the whole gradient of {name} "
            "is zero."
        ),
        "",
    ),
    "no-difference": (
        "{call} on {at} {how}: the loss has been 0 since the first backward, and all gradients are zero.",
        "give {call} what the result is to be compared with: the target, not the result itself",
    ),
    "zero-cancelled": (
        (
            "The gradients that {call} on {at} sends to {shown} along several paths cancel: the "
            "result does not change with {shown}, so the whole gradient of {name} is zero."
        ),
        (
            "check what is subtracted from {shown} there: the mean of one element, for example, is that "
            "element"
        ),
    ),
    "scale": (
        "The gradient {verb} at {call}{at:on}: {steps}. At {name} it is {size}.",
        "",
    ),
    # --- no gradient --------------------------------------------------------------------------------------
    "waits": (
        (
            "{shown} {holds}: the backward{loss} is paused{before}, {done} of {total} nodes are "
            "done. {what}"
        ),
        "",
    ),
    "result-finite": (
        (
            "{shown} is finite{value}. Its .grad is None, as that of every result: backward "
            "fills .grad of leaves alone."
        ),
        "",
    ),
    "not-a-leaf": (
        (
            "{shown} is the result of {call} on {at}, not a leaf: backward fills .grad of leaves "
            "alone."
        ),
        (
            "make {it} a leaf (compute it first, then .detach().requires_grad_()), or call "
            "{mine:raw}.retain_grad() before backward"
        ),
    ),
    "not-differentiable": (
        "{call} on {at} gives {type}, which are not differentiable, {ends}.",
        "stay in floating point, or pass the gradient straight through: x + (rounded - x).detach()",
    ),
    "choice": (
        "{call} on {at} gives {type}, which are not differentiable, {ends}.",
        (
            "compute the loss from the values themselves: softmax, cross_entropy or "
            "gumbel_softmax in place of {op:raw}"
        ),
    ),
    "switched-off": (
        (
            "Gradient mode was turned off on {off} and never restored: {call} on {at} was not "
            "recorded, {ends}."
        ),
        (
            "turn it on again after that code, set_grad_enabled(True), or put the code into "
            "`with no_grad():`"
        ),
    ),
    "grad-mode": (
        "{call} on {at} ran under {mode:raw} and was not recorded, {ends}.",
        "remove {mode:raw} (or enter enable_grad) around it, at least for training",
    ),
    "module-without-grad": (
        "{call} on {at} ran under {mode:raw}: {within} on {made} was not recorded, {ends}.",
        "remove {mode:raw} (or enter enable_grad) around {call}, at least for training",
    ),
    "frozen": (
        "{name} does not require grad{since}, so no backward computes a gradient for it.",
        "call requires_grad_() on {name} before the forward pass, if {name} is to be trained",
    ),
    "requires-too-late": (
        ("{call} on {at} was computed when {name} did not require grad yet{later}, {ends}."),
        "call requires_grad_() on {name} before {call}, or make {name} with requires_grad=True",
    ),
    "off-meanwhile": (
        (
            "{call} on {at} was computed while {count} tensors did not require grad that do so now: {off} "
            "switched them off, and {on} on again after it, {ends}."
        ),
        "compute the loss before they are switched off, or after they are on again",
    ),
    "unrecorded-function": (
        (
            "{name} was used within {call} on {at}, a custom Function or a reentrant checkpoint. No operand "
            "of the call requires grad: the call was not recorded, {ends}."
        ),
        "let an operand of the call require grad; or, of a checkpoint, pass use_reentrant=False",
    ),
    "no-operand": (
        (
            "{name} was used within {call} on {at}, a custom Function, and is no operand of the call. Its "
            "backward gives gradients to operands alone, {ends}."
        ),
        "hand {name} to apply() as an operand, and return its gradient from backward",
    ),
    "all-frozen": (
        (
            "{name} has no history: the parameters that it was computed from ({count} of them) do not "
            "require grad{since}."
        ),
        "call requires_grad_() on those that are to be trained, before {name} is computed",
    ),
    "inference-tensor": (
        "The result of {call} on {at} is an inference tensor: autograd may not use it.",
        "compute it under no_grad in place of inference_mode, or clone it outside",
    ),
    "other-thread": (
        (
            "The code on {at} ran on another thread and was recorded, although gradients were off on the "
            "thread that started it: each thread has its own grad mode."
        ),
        "enter no_grad (or inference_mode) within the function that the thread runs",
    ),
    "gradient-without-history": (
        "the gradient taken on {at} has no history, because it was taken without create_graph.",
        CREATE_GRAPH,
    ),
    "new-leaf": (
        "{call} on {at} made a new leaf of {values}, {ends}.",
        "compute with {itself} itself: a tensor made of its values has no history",
    ),
    "copied": ("{call} on {at} copies values without their history, {ends}.", ""),
    "no-derivative": (
        "{call} on {at} has no derivative, {ends}.",
        (
            "use an operation that has a derivative in place of {op:raw}, or pass the gradient "
            "straight through: x + (rounded - x).detach()"
        ),
    ),
    "detached": (
        "{cut:raw} in {call} on {at} cuts the history, {ends}.",
        (
            "remove the {cut:raw} here: detach only what is logged, not what the loss is computed "
            "from"
        ),
    ),
    "numbers": (
        (
            "{by:raw} on {at} converts {source} to plain numbers, and {call} on {again} starts a new "
            "graph from them, {ends}."
        ),
        (
            "compute with the tensor itself in place of {by:raw}: numbers and numpy arrays have "
            "no history (stack or cat makes one tensor of several)"
        ),
    ),
    "used-in-vain": (
        "{name} is used on {at}, but the result{result} never reaches {loss}.",
        "feed {feed} into what follows, so that it reaches {loss}",
    ),
    "not-used": (
        "Nothing that {loss} was computed from used {name}.",
        "use {name} in the computation of {loss}, or leave it out of the parameters",
    ),
    # --- gradients of gradients -----------------------------------------------------------------------------
    "constant-term": (
        (
            "{gradient} {how}, so it is a constant: the part of {loss} that is computed from it "
            "has no gradient."
        ),
        "",
    ),
    "no-second-order": ("{gradient} {how}, so it has no history{neither}.", ""),
    "stored-gradient": (
        (
            "the .grad that backward on {at} stored has no history, so the part of {loss} that "
            "is computed from it has no gradient."
        ),
        (
            "call that backward with create_graph=True, or take the gradient with "
            "autograd.grad(..., create_graph=True)"
        ),
    ),
    # --- writes ---------------------------------------------------------------------------------------------
    "step-overwrote": (
        "{known:raw}; the step on {at} changed {name} before this backward read it.",
        (
            "call every backward that needs the old values before step() (or add the losses), "
            "detach what a loss only reads, or run the forward again after it"
        ),
    ),
    "saved-overwritten": (
        (
            "{node} saved {saved:raw} for its backward, at version {before}; {by} changed it in "
            "place, and it is at version {now} now. The node raises when it runs."
        ),
        _OUT_OF_PLACE,
    ),
    "data-replaced": (
        (
            "`{name:raw}.data` was replaced on {at}, past the version counter; {reader} had "
            "saved {name}, and its gradient was computed with the new values."
        ),
        (
            "replace it after backward, or copy into a clone: {name} must keep what the graph "
            "has saved"
        ),
    ),
    "written-through-data": (
        (
            "The write on {at} went through .data, so the version counter did not see it; "
            "{reader} had saved the old value, and its gradient was computed with the new one."
        ),
        (
            "write to a clone, or after backward: use `with no_grad():` on {name} itself, so "
            "that it is counted"
        ),
    ),
    "written-by-numpy": (
        (
            "Memory of {name}, shared with numpy since {lent}, was written {where}, past the "
            "version counter; {reader} had saved the old value, and its gradient was computed "
            "with the new one."
        ),
        "",
    ),
    "dirty-input": (
        (
            "{function:raw} changed its input {name} in place on {at} without ctx.mark_dirty(): "
            "autograd keeps the history of the old value."
        ),
        "call ctx.mark_dirty({name:raw}) and return it, or write to a clone",
    ),
    **TRAINING,
    # --- hooks, checkpoints, shapes -------------------------------------------------------------------------
    "hook-edits": (
        (
            "A hook changed the gradient that it was given in place on {at}: all that share its memory "
            "see the change, too."
        ),
        (
            "return a new gradient from the hook (out of place: `return grad * 2`), and leave "
            "the given one as it is"
        ),
    ),
    "hook-returned": (
        (
            "The hook of {shown} that was registered on {at} was given {given}, "
            "and returned {what}, which reached the gradient of {name}."
        ),
        "",
    ),
    "hook-before-write": (
        (
            "The hook was registered on {at}, and {write} on {written} then wrote {name} in "
            "place: the hook belongs to the value before, and was shown its gradient."
        ),
        "register the hook after the write on {written}, or write out of place",
    ),
    "other-result": (
        (
            "The checkpointed function ran again in backward, and the result of {call} on {at} differed "
            "from that of the forward pass: the gradient would be that of another computation."
        ),
        "",
    ),
    "other-operations": (
        (
            "The checkpointed function ran again in backward, and did something else: {op:raw}, "
            "which {call} on {at} ran, was not run again: the gradient would be that of another "
            "computation."
        ),
        (
            "let both runs be the same: call train() or eval() after backward, not before, and "
            "let nothing that changes in between decide what the function does"
        ),
    ),
    "broadcast": (
        (
            "{call} on {at} broadcast {one} {first:raw} and {other} {second:raw} to {both:raw}, "
            "a shape that neither has: every element of one is combined with every element of the other."
        ),
        "give both the same shape: {column:raw}.squeeze() or {row:raw}.reshape({column:raw}.shape)",
    ),
    "normalised-twice": (
        (
            "{op:raw} on {at} is a normalisation, and {name} is a {inner:raw} already "
            "({before}): gradients become small and the loss cannot reach zero."
        ),
        "normalise once: remove this {op:raw}, or the {inner:raw} before it",
    ),
    "normalised-before": (
        (
            "{op:raw} on {at} applies a normalisation of its own, and {name} is a {inner:raw} "
            "already ({before}): gradients become small and the loss cannot reach zero."
        ),
        "pass the raw logits: give {op:raw} {given}, without {inner:raw}",
    ),
    "no-logarithms": (
        (
            "{op:raw} on {loss} takes logarithms of probabilities, and {name} is a {inner:raw} "
            "({at}): the loss is no likelihood, and its gradients are those of another loss."
        ),
        "use {log:raw} in place of {inner:raw}, or cross_entropy on the scores",
    ),
    "target-no-logarithms": (
        (
            "{op:raw} on {at} with log_target=True takes logarithms of probabilities as its target, "
            "and {name} is a {inner:raw} ({before}): the target is no distribution, the loss no divergence."
        ),
        "leave log_target away, or give the logarithms: log_{inner:raw} in place of {inner:raw}",
    ),
    "target-of-logarithms": (
        (
            "{op:raw} on {at} takes probabilities as its target, and {name} is a {inner:raw} ({before}): "
            "all of the target is negative, and the loss no divergence."
        ),
        "say log_target=True, or give {name}.exp()",
    ),
    "probabilities-as-logits": (
        (
            "{op:raw} on {at} takes {name} as logits, and it is a {inner:raw} already ({before}): "
            "normalised once more, the probabilities are nearly equal."
        ),
        "give the scores as logits, or {name} as probs=",
    ),
    "told": ("{story:raw}", "{fix:raw}"),  # by an error
    # --- a node of a session --------------------------------------------------------------------------------
    "raised": ("{node} raised {error:raw}: {message:raw}", ""),
    "node-healthy": ("{what}: there is nothing to explain.", ""),
}
