// Made by `make types` from vizgrad/inspection/model.py and publishing.py: do not edit.
/**
 * What a debugger can know about a backward pass, as frozen data.
 *
 * Everything a person sees is drawn from these classes and from nothing else: an engine fills them
 * (`protocols.py`), `vizgrad.rendering` turns them into text and SVG, `vizgrad.widgets` sends their
 * JSON form to the browser, whose own types are made from this file. They hold numbers and strings
 * only, never a tensor or a node, so that keeping one keeps nothing else alive.
 *
 * The unit of truth about a run is the `StepRecord`: what one step did, said once by the engine
 * that did it. A `Run`, the whole state between two steps, is `Start` with the records before it
 * folded in (`fold.py`).
 *
 * Every string in here (tensor names, scopes, reprs, source lines) is *data* written by strangers:
 * a renderer escapes it, and never parses it.
 *
 * Sizes are in bytes, times in seconds, clocks are ticks of a counter of the engine's (vizgrad's is
 * `vizgrad.tensor.clock`: nodes take a tick when recorded, in-place writes when they write).
 */

/** Version of the JSON form of everything in this module; a reader refuses a larger one. */
export const MODEL_VERSION = 3;

/** The eleven stages of one visit of a vizgrad node, in order (spec E-50). */
export const STAGES = [
  'tensor_hooks',
  'retain_grad',
  'capture',
  'prehooks',
  'formula',
  'validate',
  'post_accumulate',
  'posthooks',
  'release',
  'nan_check',
  'deliver'
] as const;

/** "op", "function", "leaf", "copy_slices", "root" */
export type NodeKind = string;

export const NODE_STATES = [
  'waiting',
  'ready',
  'current',
  'done',
  'skipped',
  'captured',
  'error'
] as const;
export type NodeState = (typeof NODE_STATES)[number];

export const SAVED_STATES = ['alive', 'stale', 'freed', 'packed'] as const;
export type SavedState = (typeof SAVED_STATES)[number];

export const RUN_STATUSES = ['paused', 'finished', 'failed', 'closed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STOP_KINDS = [
  'nonfinite',
  'breakpoint',
  'condition',
  'interrupt',
  'pause',
  'error'
] as const;
export type StopKind = (typeof STOP_KINDS)[number];

export const GROUP_KINDS = [
  'module',
  'scope',
  'function',
  'loop',
  'turn',
  'equal',
  'part'
] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** "taken", "copied", "added in place", "new tensor", "dropped", "undefined" */
export type Accumulation = string;

export const ARRAY_KINDS = [
  'incoming',
  'waiting',
  'computed',
  'routed',
  'grad',
  'grad_before',
  'grad_after',
  'saved'
] as const;
export type ArrayKind = (typeof ARRAY_KINDS)[number];

/** A line of somebody's code. `cell` is e.g. `In [3]` when the file is a notebook cell. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly cell: string | null;
  readonly text: string;
}

/**
 * A part of a matrix: `rows` and `columns` are its first and the one behind its last.
 *
 * A block has `size` elements (rows, columns), those at the end may have fewer. `values` has its
 * element of the largest magnitude, to six digits: NaN if one of its elements is NaN, otherwise inf
 * or -inf if one is infinite. Of complex numbers it is the magnitude, and `phases` has the angle,
 * in radians.
 */
export interface Blocks {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
  readonly size: readonly [number, number];
  readonly values: readonly (readonly number[])[];
  readonly phases: readonly (readonly number[])[];
}

/**
 * Statistics of one array, of the absolute values of a complex one. Computed once and cheap to
 * keep.
 *
 * `norm` is over all elements: NaN if one is NaN, otherwise inf if one is infinite, 0 if there are
 * none; None if nobody has looked. `min`, `max` and `mean` are over the finite elements, None
 * without any. `values` holds all elements in row-major order when there are at most 8.
 *
 * Only who looks closely is told more: `histogram` counts finite elements in equal bins from `min`
 * to `max`; `heat` is the array as a matrix in blocks, None if it is empty; `phases` are those of
 * complex `values`, in radians.
 */
export interface TensorSummary {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly bytes: number;
  readonly norm: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly zeros: number;
  readonly nans: number;
  readonly infs: number;
  readonly histogram: readonly number[];
  readonly heat: Blocks | null;
  readonly values: readonly number[] | null;
  readonly phases: readonly number[] | null;
  /**
   * Of a "sparse_coo" tensor and the like `nnz` values are stored: `bytes` are theirs and their
   * places'; norm, min, max, mean and histogram are over them (equal places added up), `heat` is
   * empty.
   */
  readonly layout: string;
  readonly nnz: number | null;
}

/** An array that can be looked at: `nr` of `kind`, or a saved value `name`, of a node. */
export interface ArrayName {
  readonly node: number;
  readonly kind: ArrayKind;
  readonly nr: number;
  readonly name: string;
}

/**
 * A part of an array of this `shape`. `at` has an index for each dimension before the last two, or
 * None: all of it, one under another in the rows of the matrix. `blocks` is None where there is
 * nothing.
 *
 * `text` makes it again with numpy: all of it, or, if it was `cut`, the first part.
 */
export interface Part {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly at: readonly (number | null)[];
  readonly blocks: Blocks | null;
  readonly text: string;
  readonly cut: boolean;
}

/** One in-place write to a storage: `version` is the counter's value after it. */
export interface Write {
  readonly version: number;
  readonly clock: number;
  readonly op: string;
  readonly place: Place | null;
  /** Name of the variable written through, or a description such as `view of w`. */
  readonly alias: string;
}

/**
 * One saved value of a node. `value` is the repr of a plain (non-tensor) one, else empty.
 *
 * `culprit` is the first write after the save: the one that made it stale. After more than a
 * thousand writes it, and `version_saved`, may not be known any more: both are None then.
 */
export interface Saved {
  readonly name: string;
  readonly state: SavedState;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly storage: number | null;
  readonly version_saved: number | null;
  readonly version_now: number;
  readonly culprit: Write | null;
  readonly value: string;
}

/** Where the gradient of one input goes: slot `input_nr` of node `node`; None: nowhere. */
export interface Edge {
  readonly node: number | null;
  readonly input_nr: number;
  /** Name of the forward input this edge stands for (`self`, `other`, `weight`). */
  readonly name: string;
}

/** The derivative for one input: its source text, and the same as a line of mathematics. */
export interface Formula {
  readonly input: string;
  readonly source: string;
  readonly math: string;
}

/**
 * The derivative for one input as mathematics: the text of a `math` element (MathML), the same as a
 * line of text, and what the letters stand for.
 */
export interface Mathematics {
  readonly input: string;
  readonly mathml: string;
  readonly text: string;
  readonly where: string;
}

/**
 * Shape and dtype the gradient for one output slot must have, and where it must be ("unknown" for a
 * node that leads nowhere).
 */
export interface OutputMeta {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
}

/**
 * One node of the backward graph. `id` is its index in `Graph.nodes`.
 *
 * `label` is the variable's name for a leaf (empty if unknown), `scope` the path of module names
 * and `vg.scope` blocks it was recorded in, outermost first.
 */
export interface Node {
  readonly id: number;
  readonly name: string;
  readonly kind: NodeKind;
  readonly sequence_nr: number;
  readonly topological_nr: number;
  readonly edges: readonly Edge[];
  readonly outputs: readonly OutputMeta[];
  readonly saved: readonly Saved[];
  readonly formulas: readonly Formula[];
  readonly scope: readonly string[];
  readonly place: Place | null;
  readonly label: string;
  readonly hooks: readonly string[];
}

/**
 * What a node is called: its own name, and for a leaf its variable's.
 *
 * `needed` gradients have to arrive at it in this run before it is run; 0 for one that is skipped.
 */
export interface Name {
  readonly node: number;
  readonly name: string;
  readonly label: string;
  readonly needed: number;
}

/**
 * A stretch of the graph that can be folded into one box: nodes `first` ... `last - 1`.
 *
 * `id` is its place in `Graph.groups`; a group comes before those in it, and `parent` is the one
 * around it.
 *
 * - "module", "scope": one call of a module, one `vg.scope` block.
 * - "function", "loop": one stretch of a function, one run of a loop of it, as far as source lines
 *   tell.
 * - "turn": one turn of a loop, or one of several calls in a row.
 * - "equal": children of equal structure; `cells` says how many, and all have the same number of
 *   nodes.
 * - "part": so many nodes in a row, where nothing better is known.
 *
 * A "loop" whose turns are of equal structure has `cells`, too. `title` is complete: `17 of 200`.
 */
export interface Group {
  readonly id: number;
  readonly parent: number | null;
  readonly kind: GroupKind;
  readonly title: string;
  readonly first: number;
  readonly last: number;
  readonly place: Place | null;
  readonly cells: number;
}

/**
 * A mark on a storage's timeline: node `node` saved the value as `name` at `version` (None: it is
 * not known any more).
 */
export interface SaveMark {
  readonly node: number;
  readonly name: string;
  readonly version: number | null;
  readonly clock: number;
  readonly state: SavedState;
}

/**
 * One memory block: its version counter, the writes that moved it, the saves that rely on it.
 *
 * `writes` may be shorter than `version`: the latest are told, and of older ones those that came
 * first after a save (`writes_dropped` says how many are not). Of many `saves` a view is told those
 * that matter to it, and some of the others (`saves_dropped`).
 */
export interface Storage {
  readonly id: number;
  readonly label: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly version: number;
  readonly writes: readonly Write[];
  readonly writes_dropped: number;
  readonly saves: readonly SaveMark[];
  readonly saves_dropped: number;
}

/**
 * A backward graph at one moment. `roots` are (node id, output_nr) of the tensors shown.
 *
 * Nodes come in the order in which they were recorded, the latest first, and leaves behind all
 * others: edges lead to larger numbers, and what was recorded in one stretch of the program is one
 * stretch here, a group.
 */
export interface Graph {
  readonly nodes: readonly Node[];
  readonly roots: readonly (readonly [number, number])[];
  readonly storages: readonly Storage[];
  readonly title: string;
  /** Nodes left out because the graph was larger than the limit asked for. */
  readonly truncated: number;
  readonly groups: readonly Group[];
}

/** What one stage of a visit did, in a few words; `before`/`after` when a value changed. */
export interface StageRecord {
  readonly stage: string;
  readonly detail: string;
  readonly before: TensorSummary | null;
  readonly after: TensorSummary | null;
}

/**
 * One gradient on its way out: to `edge`, number `index` of the node, after the engine reduced or
 * cast it (`note`). Edges that lead nowhere, or to what is not run, have none.
 */
export interface Routed {
  readonly edge: Edge;
  readonly computed: TensorSummary | null;
  readonly routed: TensorSummary | null;
  readonly note: string;
  readonly index: number;
}

/** What AccumulateGrad decided about `.grad`, and why (spec E-60, E-61). */
export interface AccumulateRecord {
  readonly decision: Accumulation;
  readonly reason: string;
  readonly before: TensorSummary | null;
  readonly after: TensorSummary | null;
}

/** One executed node. `index` counts from 0 in execution order. */
export interface Visit {
  readonly index: number;
  readonly node: number;
  readonly incoming: readonly (TensorSummary | null)[];
  readonly routed: readonly Routed[];
  readonly stages: readonly StageRecord[];
  readonly accumulate: AccumulateRecord | null;
  readonly released_bytes: number;
  readonly seconds: number;
  readonly error: string;
}

/**
 * An entry of the ready queue: larger priorities run first, and None before all of them (leaves),
 * in the order in which they became ready.
 */
export interface Ready {
  readonly node: number;
  readonly priority: number | null;
}

/** The gradient that waits at slot `input_nr` of a node, added up from what has been delivered. */
export interface Buffer {
  readonly node: number;
  readonly input_nr: number;
  readonly value: TensorSummary | null;
}

/** What a delivery changed at slot `input_nr` of `node`: what waited there before it, and after. */
export interface Arrival {
  readonly node: number;
  readonly input_nr: number;
  readonly before: TensorSummary | null;
  readonly after: TensorSummary | null;
}

/**
 * What one step did, whole: enough to go over it forwards and backwards without asking anybody.
 *
 * `ready` is the entry of the queue that it took out. `arrived` has one entry a delivery with a
 * defined gradient, in order; `visit.routed` one an edge. `released` are names of saved values of
 * the node. `current` is the node that comes next; None at the end.
 */
export interface StepRecord {
  readonly visit: Visit;
  readonly ready: Ready;
  readonly state: NodeState;
  readonly arrived: readonly Arrival[];
  readonly readied: readonly Ready[];
  readonly released: readonly string[];
  readonly current: number | null;
}

/**
 * A run before its first step. `needed` has the number of edges that lead to each node of the
 * graph; `skipped` are nodes that this run does not visit.
 */
export interface Start {
  readonly total: number;
  readonly current: number | null;
  readonly ready: readonly Ready[];
  readonly buffers: readonly Buffer[];
  readonly needed: readonly number[];
  readonly skipped: readonly number[];
}

/**
 * A storage of the graph was written: its counter now (that of all saved values in it), the writes
 * since it was last told of, and the saved values whose state that changed. `opened` is the whole
 * timeline of one that was not told of before.
 */
export interface StorageChange {
  readonly storage: number;
  readonly version: number;
  readonly writes: readonly Write[];
  readonly writes_dropped: number;
  readonly saved: readonly SavedRun[];
  readonly opened: Storage | null;
}

/** Where one node stands in the run. `order` is its visit index once executed, else None. */
export interface NodeRun {
  readonly state: NodeState;
  readonly delivered: number;
  readonly needed: number;
  readonly order: number | null;
  /** Why a node is skipped or captured; empty otherwise. */
  readonly reason: string;
  /** Norm of the total gradient that arrived (after its visit), for drawing; None if undefined. */
  readonly grad_norm: number | null;
}

/** A gradient that went over edge number `edge` of node `node`; norm None: it was undefined. */
export interface EdgeRun {
  readonly node: number;
  readonly edge: number;
  readonly norm: number | null;
}

/** A saved value whose state is not what `Graph` says (it was released, or became stale). */
export interface SavedRun {
  readonly node: number;
  readonly name: string;
  readonly state: SavedState;
  readonly version_now: number;
  readonly culprit: Write | null;
}

/** What a formula had at one place. */
export interface Operand {
  readonly name: string;
  readonly value: number;
}

/**
 * A step of which all that arrived was finite made numbers that are not.
 *
 * They are `nans` NaN and `infs` infinite of `size`, in its gradient number `edge` (None: in a
 * leaf's `.grad`, or in what waits at the next node, where it was added up), the first of them at
 * `index`, where `operands` are the saved values that say why. `forward`: one of these was not
 * finite itself, so it came up in the forward pass. `hook` has made them, if it is named.
 */
export interface Birth {
  readonly node: number;
  readonly nans: number;
  readonly infs: number;
  readonly size: number;
  readonly edge: number | null;
  readonly index: readonly number[] | null;
  readonly operands: readonly Operand[];
  readonly forward: boolean;
  readonly hook: string;
}

/**
 * Why a run stands where it does, if something stopped it there. `text` says it all in one line.
 *
 * `node` is the one that it is about, recorded at `place`:
 *
 * - "nonfinite": it has run, and made a NaN or an infinity (`birth`).
 * - "breakpoint": it is about to run. "condition": a condition was true after it had run.
 * - "pause", "interrupt": it is about to run, and somebody asked to stop.
 * - "error": it raised.
 */
export interface Stopped {
  readonly kind: StopKind;
  readonly text: string;
  readonly position: number;
  readonly node: number | null;
  readonly place: Place | null;
  readonly birth: Birth | null;
}

/** The thread's modes, for the status strip. */
export interface Modes {
  readonly grad: boolean;
  readonly inference: boolean;
  readonly anomaly: boolean;
  readonly forward_level: number;
  readonly multithreading: boolean;
}

/**
 * The whole state of a stepped backward between two visits.
 *
 * `position` visits are done; `total` will have been done at the end; `recorded` have been done at
 * some time (stepping back lowers `position`, not `recorded`). `earliest` is the smallest position
 * that can still be stepped back to. `current` is the node that Step would run next; None at the
 * end. `stopped` says why it stands here, if something stopped it.
 */
export interface Run {
  readonly status: RunStatus;
  readonly position: number;
  readonly recorded: number;
  readonly total: number;
  readonly current: number | null;
  readonly nodes: readonly NodeRun[];
  readonly ready: readonly Ready[];
  readonly buffers: readonly Buffer[];
  readonly edges: readonly EdgeRun[];
  readonly saved: readonly SavedRun[];
  readonly breakpoints: readonly number[];
  readonly earliest: number;
  readonly error: string;
  readonly modes: Modes;
  readonly stopped: Stopped | null;
}

/** One line of the log: forward op recorded, node run, hook called, write, save released... */
export interface Event {
  readonly index: number;
  readonly kind: string;
  readonly text: string;
  readonly node: number | null;
  readonly place: Place | null;
}

/**
 * A recorded stretch of work: the graph it made or walked, its steps and its events.
 *
 * Of a stepped backward `start` is there too: each of its states is that with records folded in.
 */
export interface Trace {
  readonly graph: Graph;
  readonly records: readonly StepRecord[];
  readonly events: readonly Event[];
  readonly title: string;
  readonly version: number;
  readonly start: Start | null;
}

/**
 * One change of a session. `revision` is one more than that of the update before.
 *
 * The run went from position `before` to `position`. `records` are those of the steps that lie
 * between, in order; with `jumped` there were too many, and `records` is empty. `names` are of the
 * nodes that were run, of those that they gave gradients to, and of the one that comes next.
 * `ending` says why a closed one was closed. `nonfinite`: Continue stops where a NaN or an infinity
 * is born.
 */
export interface Update {
  readonly revision: number;
  readonly status: RunStatus;
  readonly before: number;
  readonly position: number;
  readonly recorded: number;
  readonly total: number;
  readonly earliest: number;
  readonly jumped: boolean;
  readonly records: readonly StepRecord[];
  readonly changes: readonly StorageChange[];
  readonly breakpoints: readonly number[];
  readonly error: string;
  readonly modes: Modes;
  readonly stopped: Stopped | null;
  readonly nonfinite: boolean;
  readonly names: readonly Name[];
  readonly ending: string;
}
