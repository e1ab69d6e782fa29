// Made by `make types` from vizgrad/debugger/model: do not edit.
/**
 * The facts of a backward pass for a debugger, as frozen data.
 *
 * Everything a person sees is drawn from these classes and from nothing else: an engine fills them
 * (`protocols.py`), `vizgrad.debugger.drawing` turns them into text and SVG,
 * `vizgrad.debugger.jupyter.widget` sends their JSON form to the browser, whose own types are made
 * from these files. They hold numbers and strings only, never a tensor or a node, so that keeping
 * one keeps nothing else alive.
 *
 * The unit of truth about a run is the `StepRecord`: what one step did, said once by the engine
 * that did it. A `Run`, the whole state between two steps, is `Start` with the records before it
 * folded in (`fold.py`).
 *
 * Every string in here (tensor names, scopes, reprs, source lines) is *data* written by strangers:
 * a renderer escapes it, and never parses it.
 *
 * Sizes are in bytes, times in seconds, clocks are ticks of a counter of the engine's (vizgrad's is
 * `vizgrad.core.tensor.storage`: nodes take a tick when recorded, in-place writes when they write).
 */

export * from './arrays';
export * from './blocks';
export * from './collectives';
export * from './lines';
export * from './memory';
export * from './nodes';
export * from './place';
export * from './run';
export * from './trace';
export * from './training';
export * from './update';
export * from './watches';
