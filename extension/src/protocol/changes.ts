// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/changes.py: do not edit.
/** The changes of a run that the browser may request: its stops, values and branches. */
import type { BreakpointKind } from './model/breakpoints';

export interface SetBreakpoint {
  readonly type: 'set_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly node: number;
  readonly enabled: boolean;
}

/**
 * Continue is to stop before nodes that were recorded at `line` of `file`, or not any more.
 * `condition` is read as `vizgrad.debugger.session.breakpoints.conditions` says, and never run;
 * empty: always.
 */
export interface SetLineBreakpoint {
  readonly type: 'set_line_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly file: string;
  readonly line: number;
  readonly enabled: boolean;
  readonly condition: string;
  readonly hits: number;
}

/**
 * `text` is, for each kind, as a person writes it: "op", a name or pattern (`Mul*`); "node", a
 * number; "line", `In [3]:7` or `train.py:7`; "when", a condition behind each visit, and
 * `condition` is empty then. "tensor" and "data" name a leaf by its label: before it takes its
 * gradient, or when its memory is written.
 */
export interface AddBreakpoint {
  readonly type: 'add_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly kind: BreakpointKind;
  readonly text: string;
  readonly condition: string;
  readonly hits: number;
}

/** Switches a breakpoint of the list, by its `id`. */
export interface EnableBreakpoint {
  readonly type: 'enable_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly breakpoint: number;
  readonly enabled: boolean;
}

export interface RemoveBreakpoint {
  readonly type: 'remove_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly breakpoint: number;
}

/**
 * Change what waits at a slot of a node, and go on on a branch. `value` is read as
 * `vizgrad.debugger.expressions` says (`g * 0.5`, `clip to 1`), and never run.
 */
export interface SetGrad {
  readonly type: 'set_grad';
  readonly request: number;
  readonly session: string;
  readonly node: number;
  readonly value: string;
  readonly slot: number;
}

/** The same of a saved value of a node that has not run. */
export interface SetSaved {
  readonly type: 'set_saved';
  readonly request: number;
  readonly session: string;
  readonly node: number;
  readonly name: string;
  readonly value: string;
}

/** The same of the memory of a leaf. */
export interface SetLeaf {
  readonly type: 'set_leaf';
  readonly request: number;
  readonly session: string;
  readonly node: number;
  readonly value: string;
}

/** Go on on a branch from here. Without a name it is given one. */
export interface BeginBranch {
  readonly type: 'begin_branch';
  readonly request: number;
  readonly session: string;
  readonly name: string;
}

/** Go to where the branch `name`, or the "original", was left. */
export interface SwitchBranch {
  readonly type: 'switch_branch';
  readonly request: number;
  readonly session: string;
  readonly name: string;
}

/** Throw it away, with those that left it. */
export interface DropBranch {
  readonly type: 'drop_branch';
  readonly request: number;
  readonly session: string;
  readonly name: string;
}

/**
 * What arrived at each node on the branch, or in the trace, `name`, beside the line `other` (empty:
 * the one that it left; for a trace the one that the run is on)?
 */
export interface GetDifferences {
  readonly type: 'get_differences';
  readonly request: number;
  readonly session: string;
  readonly name: string;
  readonly other: string;
}

/** Continue is to stop where a NaN or an infinity is born, or not. */
export interface SetNonfinite {
  readonly type: 'set_nonfinite';
  readonly request: number;
  readonly session: string;
  readonly enabled: boolean;
}
