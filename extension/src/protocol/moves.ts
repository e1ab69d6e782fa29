// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/moves.py: do not edit.
/** Where the browser may send a run. */

/** Run `count` more nodes. */
export interface Step {
  readonly type: 'step';
  readonly request: number;
  readonly session: string;
  readonly count: number;
}

export interface StepBack {
  readonly type: 'step_back';
  readonly request: number;
  readonly session: string;
  readonly count: number;
}

/** Go `count` stages of the visit of a node on (negative: back). */
export interface Stage {
  readonly type: 'stage';
  readonly request: number;
  readonly session: string;
  readonly count: number;
}

/** Into the code of a person's that the next node runs, and on in it by a line. */
export interface StepIn {
  readonly type: 'step_in';
  readonly request: number;
  readonly session: string;
}

/** Out of that code, else to behind the node. */
export interface StepOut {
  readonly type: 'step_out';
  readonly request: number;
  readonly session: string;
}

/** Run until a leaf is the next to take its gradient. */
export interface RunToLeaf {
  readonly type: 'run_to_leaf';
  readonly request: number;
  readonly session: string;
}

/** Run until a node comes next that was recorded at `line` of `file` (the cursor). */
export interface RunToLine {
  readonly type: 'run_to_line';
  readonly request: number;
  readonly session: string;
  readonly file: string;
  readonly line: number;
}

/** Run to the next breakpoint, or to the end. */
export interface Continue {
  readonly type: 'continue';
  readonly request: number;
  readonly session: string;
}

/** Run (or step back) until `node` is the next to be run. */
export interface RunTo {
  readonly type: 'run_to';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/** Go to `position` (the scrubber), forwards or backwards. */
export interface Seek {
  readonly type: 'seek';
  readonly request: number;
  readonly session: string;
  readonly position: number;
}

export interface Restart {
  readonly type: 'restart';
  readonly request: number;
  readonly session: string;
}

/** Close the session: abandon the rest of the backward and release what it holds. */
export interface Stop {
  readonly type: 'stop';
  readonly request: number;
  readonly session: string;
}

/**
 * Stop between two nodes, and within one that runs Python of a person's and takes long. Answered at
 * once, before what was asked earlier.
 */
export interface Pause {
  readonly type: 'pause';
  readonly request: number;
  readonly session: string;
}
