"""The sentences on faults of a training loop and on memory that it keeps. See `sentences.py`."""

from __future__ import annotations

TRAINING: dict[str, tuple[str, str]] = {
    # --- training -------------------------------------------------------------------------------------------
    "gradient-not-there": (
        (
            "{shown} is None, and nothing was noted that tells why: no backward has run, or the way from the "
            "loss to {name} is cut."
        ),
        "run the block inside vizgrad.watch(), and ask again",
    ),
    "parameter-given": (
        (
            "{shown} held values that are not finite before the block began, so all that it computed from "
            "them is not finite either."
        ),
        (
            "run the cells again that make the model and its optimizer, and then this block: an earlier run "
            "may have left NaN or infinite weights"
        ),
    ),
    "grad-accumulated": (
        (
            "backward on {at} added to a gradient of {name} that a step had already used, and "
            "the step on {stepped} used the sum: the previous gradient is counted twice."
        ),
        "call zero_grad() (or set .grad = None) before each backward",
    ),
    "steps-in-vain": (
        "The step on {stepped} found no gradient for {whom}: {why}",
        "{why:fix}",
    ),
    "no-loss-of-its-own": (
        (
            "The step on {stepped} found no gradient for {whom}: {because} {other:raw} has used the "
            "gradients of that loss, so the {cut:raw} may be right."
        ),
        (
            "compute a loss for {optimizer:raw} without the {cut:raw}, and call backward on it before this "
            "step; leave the step out until there is one"
        ),
    ),
    "zero-for-long": (
        "{because} So it was in each of the last {count} backwards, with steps between them, {whom}.",
        "{because:fix}",
    ),
    "never-backward": (
        "The {count} steps of {optimizer} on {stepped} found no gradient: no backward has run.",
        "call backward() on the loss before {optimizer} steps",
    ),
    "cleared-before-step": (
        (
            "The {count} steps of {optimizer} on {stepped} found no gradient: backward gave "
            "gradients to its parameters, and all were cleared before each step."
        ),
        "call zero_grad() before backward or after step(), and not between the two",
    ),
    "steps-of-another": (
        (
            "The {count} steps of {optimizer} on {stepped} found no gradient: its parameters are also "
            "those of {other} on {at}, whose steps alone used their gradients."
        ),
        (
            "look at which parameters {optimizer:raw} was made with: give it those of the model that it is "
            "to train"
        ),
    ),
    "other-parameters": (
        (
            "{name} was made on {at} with parameters that no computation has used since: the {count} "
            "steps of {optimizer} on {stepped} found no gradient."
        ),
        "make {name} after the model, of the parameters that the loss is computed with",
    ),
    "not-optimized": (
        (
            "{name}{used} received a gradient in {count} backwards, and no optimizer has it: {name} "
            "never changes, and its gradients add up unused."
        ),
        (
            "give {name} to the optimizer, too; or say that it is fixed: "
            "{name:raw}.requires_grad_(False)"
        ),
    ),
    "came-later": (
        (
            "{name}{others} received a gradient in {count} backwards, and no optimizer has it: "
            "{optimizer:raw} was given the parameters of {model} on {at}, and {name} was not yet among "
            "them, or did not require grad."
        ),
        (
            "make the optimizer once {model} is complete, or give it {name}, too: "
            "add_param_group({{'params': ...}})"
        ),
    ),
    "not-registered": (
        (
            "{name} received a gradient in {count} backwards, and no optimizer has it: it is {what}, and so "
            "{module:raw}.parameters() leaves it out."
        ),
        "",
    ),
    "no-step-uses": (
        (
            "{call} on {at} brought gradients to {name}{others} {count} times, and no step has used one of "
            "them."
        ),
        "call step() of the optimizer that has {name} after it, or leave the backward out",
    ),
    "never-steps": (
        (
            "Backwards brought gradients to the parameters of {optimizer:raw} {count} times, its zero_grad() "
            "on {cleared} cleared them each time, and its step() was never called{named}: nothing is trained."
        ),
        "call step() of {optimizer:raw} after each backward, with parentheses",
    ),
    "without-a-rate": (
        (
            "The {count} steps of {optimizer:raw} on {stepped} had a learning rate of 0: none of them "
            "changed a parameter."
        ),
        "look at what sets the rate: lr=... of {optimizer:raw}, or the scheduler that multiplies it",
    ),
    "unused-in-replicas": (
        (
            "{name}{others} got no gradient: the DistributedDataParallel called on {at} waits for one of "
            "each parameter, and raises when it is called again."
        ),
        (
            "let the loss depend on {name}, call requires_grad_(False) on it before the module is wrapped, "
            "or wrap with find_unused_parameters=True"
        ),
    ),
    "shared-parameters": (
        (
            "{name} and {other} are two parameters over the same memory{since}: each has a gradient of its "
            "own, and each step changes both."
        ),
        (
            "assign the parameter itself if they are to be one ({other:raw} = {name:raw}); else give each "
            "its own memory: .data.clone(), or copy.deepcopy(...)"
        ),
    ),
    "written-from-itself": (
        (
            "The write on {at} computes {name} from {other}, which lies in the same memory: both are always "
            "the same values."
        ),
        "give each its own memory before: copy.deepcopy(...) of the module, or .data.clone()",
    ),
    "clipped-while-scaled": (
        (
            "{call} on {at} clipped gradients that the scaler had multiplied by {scale}{later}: for the "
            "gradients themselves the limit of {limit} was one of {effective}."
        ),
        "call scaler.unscale_(optimizer) after backward and before the clipping",
    ),
    "clipped-after-step": (
        (
            "{call} on {at} clipped gradients that the step on {other} had used already: it changes nothing."
        ),
        "clip between backward() and step()",
    ),
    "clipped-nothing": (
        (
            "{call} on {at} clipped nothing: the iterator that it was given had no parameters left, since an "
            "iterator (model.parameters()) can be read once."
        ),
        "call parameters() again for the clipping, or keep a list: list(model.parameters())",
    ),
    "stepped-while-scaled": (
        (
            "The step of {optimizer} on {at} used gradients that the scaler had multiplied by {scale}."
        ),
        "call scaler.step(optimizer) in place of this step, and scaler.update() after it",
    ),
    "stepped-without-scale": (
        (
            "{call} on {at} divided gradients by {scale}, and the loss of the backward on {other} had not "
            "been multiplied by it."
        ),
        "call scaler.scale(loss).backward(), so that the gradients are scaled",
    ),
    "frozen-yet-moved": (
        (
            "{name} does not require grad since {at}, and {count} steps of {optimizer:raw} on {stepped} have "
            "changed it all the same: its .grad still holds the gradient of before."
        ),
        "set {name:raw}.grad = None when it is frozen, or leave it out of the optimizer",
    ),
    "step-too-large": (
        (
            "{long} of {steps} steps on {at} changed {name} by more than half its size, the largest{longest} "
            "by {worst} times its size; the loss went from {first} to {last}."
        ),
        (
            "reduce the learning rate of {optimizer:raw}{group}, first by a factor of 10, or clip the "
            "gradients (clip_grad_norm_) before the step"
        ),
    ),
    "step-exploded": (
        (
            "One step on {at} moved {name} by {worst} times its size{longest}. The largest loss was {first} "
            "before that round{own} and {last} after it."
        ),
        "",
    ),
    "left-in-evaluation": (
        (
            "{name} was switched to evaluation on {at} and never back: from then on it was "
            "trained with {layer:raw} in evaluation mode ({called}), unlike before."
        ),
        "call {name:raw}.train() after the evaluation, before training goes on",
    ),
    "evaluated-in-training": (
        (
            "{call} on {at} is evaluated in training mode: its {layer:raw} {does}, so that the "
            "figure is not that of the model."
        ),
        "call {name:raw}.eval() before the evaluation, and {name:raw}.train() after it",
    ),
    # --- memory ---------------------------------------------------------------------------------------------
    "carried": (
        (
            "{name} carries the graphs of {steps} steps along: on {at} it is computed from its "
            "value of the step before, with history ({kept})."
        ),
        "",
    ),
    "kept-in-a-container": (
        "{holder} keeps each {name} with its graph: {at} adds the tensor itself.",
        "keep a plain number there: {name:raw}.item() (or {name:raw}.detach()) for {name:raw}",
    ),
    "carried-over": (
        (
            "{name}, made on {at} before the backward on {freed} released its graph, was used "
            "again on {again}: the new loss leads back into the released graph."
        ),
        "cut it at the start of each step: {name:raw} = {name:raw}.detach()",
    ),
    "used-after-release": (
        (
            "{name}, made on {at} before the backward on {freed} released its graph, was used "
            "again on {again}: the new loss leads back into the released graph."
        ),
        (
            "compute {name} again in each step, use {name:raw}.detach(), add the losses and call "
            "backward once, or give the earlier backward retain_graph=True"
        ),
    ),
    "released-too-early": (
        (
            "The backward on {at} released the graph of {name}, made on {made}, and {name} was used "
            "again on {again}: the new loss leads back into the released graph."
        ),
        "add the losses and call backward once, or give the backward on {at} retain_graph=True",
    ),
    "gradient-holds-its-leaf": (
        (
            "backward on {at} gave {name} a .grad with a history, and that leads back to {name}: "
            "only the garbage collector can free them."
        ),
        "use autograd.grad(..., create_graph=True), or set .grad = None when you are done",
    ),
    "hook-holds-its-tensor": (
        (
            "The hook registered on {at} holds {name}, whose graph holds the hook: only the "
            "garbage collector can free them."
        ),
        (
            "let the hook refer to {name} weakly (weakref.ref), or take what it needs as a plain "
            "value before"
        ),
    ),
    "ctx-holds-its-output": (
        (
            "{function:raw} keeps its output on ctx, as {attribute}: output, node and ctx hold "
            "each other, and only the garbage collector can free them."
        ),
        "keep it with ctx.save_for_backward({name:raw})",
    ),
}
