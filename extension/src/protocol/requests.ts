// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/requests.py: do not edit.
/** The requests of the browser about a session, and which. */
import type { ArrayName } from './model/arrays';
import type { BreakpointKind } from './model/run';
import type { Folding } from './drawing';

/** Which sessions exist? Answered by `Sessions`. */
export interface ListSessions {
  readonly type: 'list_sessions';
  readonly request: number;
}

/**
 * Send me the events of `session` (None: the newest), and what is to be seen of it.
 *
 * `view`: the widget in whose place this shows it (`SavedView.view`).
 */
export interface Attach {
  readonly type: 'attach';
  readonly request: number;
  readonly session: string | null;
  readonly folding: Folding;
  readonly view: string;
}

/** I show no session any more: one that nobody holds may go. */
export interface Detach {
  readonly type: 'detach';
  readonly request: number;
}

/**
 * Is this backward of a watched block kept still? Failed, with what to do instead, where it is not.
 */
export interface IsKept {
  readonly type: 'is_kept';
  readonly request: number;
  readonly session: string;
}

/** What is to be seen of it, so folded? The drawing `digest` is there already. */
export interface Look {
  readonly type: 'look';
  readonly request: number;
  readonly session: string;
  readonly folding: Folding;
  readonly digest: string;
}

/** What was told after `revision`? */
export interface Since {
  readonly type: 'since';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
}

/**
 * Nodes whose name, variable, scope or source place has `query` in it (`*` stands for anything).
 */
export interface Find {
  readonly type: 'find';
  readonly request: number;
  readonly session: string;
  readonly query: string;
}

/** What are these nodes called? */
export interface GetNames {
  readonly type: 'get_names';
  readonly request: number;
  readonly session: string;
  readonly nodes: readonly number[];
}

/** Which nodes were run at positions `first` ... `first + count - 1`? */
export interface GetVisits {
  readonly type: 'get_visits';
  readonly request: number;
  readonly session: string;
  readonly first: number;
  readonly count: number;
}

/** What do saved values hold, now and step by step? */
export interface GetMemory {
  readonly type: 'get_memory';
  readonly request: number;
  readonly session: string;
}

/** The timelines of all storages of the graph, at most `most`. */
export interface GetStorages {
  readonly type: 'get_storages';
  readonly request: number;
  readonly session: string;
  readonly most: number;
}

/**
 * Tell me the lines of whichever session is moved, from now on; `session`: of this one first, which
 * a person looks at.
 */
export interface FollowLines {
  readonly type: 'follow_lines';
  readonly request: number;
  readonly session: string | null;
}

/** The message with this number has arrived: more may be sent at once. */
export interface LinesSeen {
  readonly type: 'lines_seen';
  readonly request: number;
  readonly number: number;
}

/** Which nodes has this line (its number in `Lines.lines`) recorded? */
export interface GetLineNodes {
  readonly type: 'get_line_nodes';
  readonly request: number;
  readonly session: string;
  readonly line: number;
}

/** Which line has recorded this node? */
export interface GetNodeLine {
  readonly type: 'get_node_line';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/**
 * What stands in this file (`CodeFile.file`)? Only files that recorded nodes of the session are
 * allowed, or that of the line which comes next within a node.
 */
export interface GetSource {
  readonly type: 'get_source';
  readonly request: number;
  readonly session: string;
  readonly file: string;
}

/** What is a notebook to show that is read without a kernel? `first`: it has no picture yet. */
export interface GetPicture {
  readonly type: 'get_picture';
  readonly request: number;
  readonly session: string;
  readonly first: boolean;
}

/** All about one node. */
export interface Inspect {
  readonly type: 'inspect';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/**
 * A part of an array: `at` these indices of its leading dimensions (see `Part`), and of the matrix
 * that this is these rows and columns (first, and behind the last; None: all).
 */
export interface GetPart {
  readonly type: 'get_part';
  readonly request: number;
  readonly session: string;
  readonly of: ArrayName;
  readonly at: readonly (number | null)[];
  readonly rows: readonly [number, number] | null;
  readonly columns: readonly [number, number] | null;
}

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
 * empty: always. With a `log` it does not stop, and writes that message. `disabled`: it is set, and
 * passed by.
 *
 * It may be one that was kept from an earlier session: where a condition or a message is not
 * understood, it is set with it all the same, and `LineStop.refused` says why.
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
  readonly log: string;
  readonly disabled: boolean;
}

/**
 * `text` is, for each kind, as a person writes it: "op", a name or pattern (`Mul*`); "node", a
 * number; "line", `In [3]:7` or `train.py:7`; "when", a condition behind each visit, and
 * `condition` is empty then. "tensor" and "data" name a leaf by its label: before it takes its
 * gradient, or when its memory is written. With a `log` it does not stop, and writes that message.
 */
export interface AddBreakpoint {
  readonly type: 'add_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly kind: BreakpointKind;
  readonly text: string;
  readonly condition: string;
  readonly hits: number;
  readonly log: string;
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

/** Forget the messages that breakpoints have written. */
export interface ClearLog {
  readonly type: 'clear_log';
  readonly request: number;
  readonly session: string;
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

/**
 * Take back the last change that was made where the run stands. Refused once the run has gone on.
 */
export interface UndoChange {
  readonly type: 'undo_change';
  readonly request: number;
  readonly session: string;
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

/** Run the branch `name`, or the "original", to its end, and go back to where the run stands. */
export interface FinishBranch {
  readonly type: 'finish_branch';
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

/** Which expressions are watched, and what are their values where the run stands? */
export interface GetWatches {
  readonly type: 'get_watches';
  readonly request: number;
  readonly session: string;
}

/**
 * The value of one expression where the run stands? It is read as `vizgrad.debugger.expressions`
 * says, and never run.
 */
export interface GetValue {
  readonly type: 'get_value';
  readonly request: number;
  readonly session: string;
  readonly expression: string;
}

/** Watch an expression. It is read as `vizgrad.debugger.expressions` says, and never run. */
export interface AddWatch {
  readonly type: 'add_watch';
  readonly request: number;
  readonly session: string;
  readonly expression: string;
}

/** Put another expression in the place of one of the list, by its `id`. */
export interface EditWatch {
  readonly type: 'edit_watch';
  readonly request: number;
  readonly session: string;
  readonly watch: number;
  readonly expression: string;
}

export interface RemoveWatch {
  readonly type: 'remove_watch';
  readonly request: number;
  readonly session: string;
  readonly watch: number;
}

/** What have breakpoints that log written last? */
export interface GetLog {
  readonly type: 'get_log';
  readonly request: number;
  readonly session: string;
}

/** Who wrote this array last? */
export interface GetWriter {
  readonly type: 'get_writer';
  readonly request: number;
  readonly session: string;
  readonly of: ArrayName;
}
