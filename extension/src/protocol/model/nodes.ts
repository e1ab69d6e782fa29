// Made by `make types` from vizgrad/debugger/model/nodes.py: do not edit.
/** A node of the backward graph: where its gradients go, its formulas, what it is called. */
import { array, float, integer, nullable, oneOf, optional, pair, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readTensorSummary } from './arrays';
import type { TensorSummary } from './arrays';
import { readSaved, readStorage } from './memory';
import type { Saved, Storage } from './memory';
import { readCollective } from './collectives';
import type { Collective } from './collectives';

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

export const GROUP_KINDS = [
  'module',
  'scope',
  'transform',
  'function',
  'loop',
  'turn',
  'equal',
  'part'
] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];
export const readGroupKind = oneOf(GROUP_KINDS);

export const MADE_KINDS = ['operation', 'visit', 'recorded', 'recomputed', 'input'] as const;
export type MadeKind = (typeof MADE_KINDS)[number];
export const readMadeKind = oneOf(MADE_KINDS);

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
export const readNodeState = oneOf(NODE_STATES);

/** "taken", "copied", "added in place", "new tensor", "dropped", "undefined" */
export type Accumulation = string;

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
 * The examples of one `vmap`: `size` of them along dimension `dim`, in which each has so many
 * `rows`.
 */
export interface Batch {
  readonly dim: number;
  readonly size: number;
  readonly rows: number;
}

/**
 * Shape and dtype the gradient for one output slot must have, and where it must be ("unknown" for a
 * node that leads nowhere). A dtype "unknown": the engine does not tell any of it. `batches` are
 * those of each `vmap` that it was computed in, the outermost first.
 */
export interface OutputMeta {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly batches: readonly Batch[];
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
 * The name of a node: its own, and for a leaf its variable's.
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
 * - "module", "scope": one call of a module, one `vg.scope` block. "transform": one call of what
 *   `vmap`, `grad` or `jvp` have made.
 * - "function", "loop": one stretch of a function, one run of a loop of it, as far as source lines
 *   tell.
 * - "turn": one turn of a loop, or one of several calls in a row.
 * - "equal": children of equal structure; `cells` says how many, and all have the same number of
 *   nodes.
 * - "part": so many nodes in a row, where nothing better is known.
 *
 * A "loop" whose turns are of equal structure has `cells`, too. `title` is complete: `17 of 200`;
 * only the number of a loop's turns is not in it.
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

/**
 * One thing of a lane: what ran while a node was visited, in the order in which it ran.
 *
 * - "operation": one that a line of a person's called. "visit": a node that a backward within the
 *   visit ran. "recorded": one that create_graph=True recorded, a node of the graph of second
 *   order.
 * - "recomputed": what a checkpoint computed again, because a node read a value that it had let go
 *   of.
 * - "input": a value from outside, before what uses it; `node` is the node of the graph that it is
 *   of, if it is of one.
 *
 * `inputs` are the numbers of those in the lane that its inputs come from. `value` is what it gave
 * (of a visit what arrived there), None where that is not known; `output` what it gives. `label` is
 * the name that a person gave to it.
 */
export interface Made {
  readonly name: string;
  readonly kind: MadeKind;
  readonly inputs: readonly number[];
  readonly value: TensorSummary | null;
  readonly output: OutputMeta | null;
  readonly label: string;
  readonly node: number | null;
}

/** The variables that a line has assigned. */
export interface BoundValue {
  readonly name: string;
  readonly value: TensorSummary;
}

/**
 * A line of a person's that a node has run, in stage number `stage` of its visit: a hook's or a
 * custom Function's. `values` are the tensors that it gave a name to, `made` what ran since the
 * line before: the lane within the node is that of all its lines, one after another.
 */
export interface CodeStep {
  readonly stage: number;
  readonly place: Place;
  readonly values: readonly BoundValue[];
  readonly made: readonly Made[];
}

/** The effect of one stage of a visit, in a few words; `before`/`after` when a value changed. */
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

/** The decision of AccumulateGrad about `.grad`, and its reason (spec E-60, E-61). */
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

/**
 * The change that a delivery made at slot `input_nr` of `node`: the gradient that waited before it,
 * and after.
 */
export interface Arrival {
  readonly node: number;
  readonly input_nr: number;
  readonly before: TensorSummary | null;
  readonly after: TensorSummary | null;
}

/**
 * The whole effect of one step: enough to go over it forwards and backwards without a request.
 *
 * `ready` is the entry of the queue that it took out. `arrived` has one entry a delivery with a
 * defined gradient, in order; `visit.routed` one an edge. `released` are names of saved values of
 * the node. `current` is the node that comes next; None at the end. `code` are the lines of a
 * person's that the node ran, if they were noted. `made` is what it recorded with
 * create_graph=True, and what a checkpoint computed again for it: the lane beside the graph is what
 * all steps have made, one after another. `collectives` are those that the node called, and those
 * called before that had ended when it was done.
 */
export interface StepRecord {
  readonly visit: Visit;
  readonly ready: Ready;
  readonly state: NodeState;
  readonly arrived: readonly Arrival[];
  readonly readied: readonly Ready[];
  readonly released: readonly string[];
  readonly current: number | null;
  readonly code: readonly CodeStep[];
  readonly made: readonly Made[];
  readonly collectives: readonly Collective[];
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
 * The first `done` of the `stages` of the visit of `node` are shown as done, and the first `lines`
 * of the `code` of a person's that it ran; of what these and the next line made the first `made`.
 *
 * The node has run as a whole when it was gone into: what later stages did to `.grad` and saved
 * values is undone as long as they are not done here, what they did to other objects of Python is
 * not.
 */
export interface Within {
  readonly node: number;
  readonly done: number;
  readonly stages: readonly StageRecord[];
  readonly lines: number;
  readonly code: readonly CodeStep[];
  readonly made: number;
}

export const readEdge: Reader<Edge> = record<Edge>({
  node: nullable(integer),
  input_nr: optional(integer, 0),
  name: optional(string, '')
});

export const readFormula: Reader<Formula> = record<Formula>({
  input: string,
  source: string,
  math: optional(string, '')
});

export const readMathematics: Reader<Mathematics> = record<Mathematics>({
  input: string,
  mathml: string,
  text: string,
  where: optional(string, '')
});

export const readBatch: Reader<Batch> = record<Batch>({
  dim: integer,
  size: integer,
  rows: optional(integer, 1)
});

export const readOutputMeta: Reader<OutputMeta> = record<OutputMeta>({
  shape: array(integer),
  dtype: string,
  device: string,
  batches: optional(array(readBatch), [])
});

export const readNode: Reader<Node> = record<Node>({
  id: integer,
  name: string,
  kind: string,
  sequence_nr: integer,
  topological_nr: integer,
  edges: array(readEdge),
  outputs: array(readOutputMeta),
  saved: optional(array(readSaved), []),
  formulas: optional(array(readFormula), []),
  scope: optional(array(string), []),
  place: optional(nullable(readPlace), null),
  label: optional(string, ''),
  hooks: optional(array(string), [])
});

export const readName: Reader<Name> = record<Name>({
  node: integer,
  name: string,
  label: optional(string, ''),
  needed: optional(integer, 0)
});

export const readGroup: Reader<Group> = record<Group>({
  id: integer,
  parent: nullable(integer),
  kind: readGroupKind,
  title: string,
  first: integer,
  last: integer,
  place: optional(nullable(readPlace), null),
  cells: optional(integer, 0)
});

export const readGraph: Reader<Graph> = record<Graph>({
  nodes: array(readNode),
  roots: array(pair(integer, integer)),
  storages: optional(array(readStorage), []),
  title: optional(string, ''),
  truncated: optional(integer, 0),
  groups: optional(array(readGroup), [])
});

export const readMade: Reader<Made> = record<Made>({
  name: string,
  kind: optional(readMadeKind, 'operation'),
  inputs: optional(array(integer), []),
  value: optional(nullable(readTensorSummary), null),
  output: optional(nullable(readOutputMeta), null),
  label: optional(string, ''),
  node: optional(nullable(integer), null)
});

export const readBoundValue: Reader<BoundValue> = record<BoundValue>({
  name: string,
  value: readTensorSummary
});

export const readCodeStep: Reader<CodeStep> = record<CodeStep>({
  stage: integer,
  place: readPlace,
  values: optional(array(readBoundValue), []),
  made: optional(array(readMade), [])
});

export const readStageRecord: Reader<StageRecord> = record<StageRecord>({
  stage: string,
  detail: optional(string, ''),
  before: optional(nullable(readTensorSummary), null),
  after: optional(nullable(readTensorSummary), null)
});

export const readRouted: Reader<Routed> = record<Routed>({
  edge: readEdge,
  computed: nullable(readTensorSummary),
  routed: nullable(readTensorSummary),
  note: optional(string, ''),
  index: optional(integer, 0)
});

export const readAccumulateRecord: Reader<AccumulateRecord> = record<AccumulateRecord>({
  decision: string,
  reason: string,
  before: nullable(readTensorSummary),
  after: nullable(readTensorSummary)
});

export const readVisit: Reader<Visit> = record<Visit>({
  index: integer,
  node: integer,
  incoming: array(nullable(readTensorSummary)),
  routed: array(readRouted),
  stages: optional(array(readStageRecord), []),
  accumulate: optional(nullable(readAccumulateRecord), null),
  released_bytes: optional(integer, 0),
  seconds: optional(float, 0),
  error: optional(string, '')
});

export const readReady: Reader<Ready> = record<Ready>({
  node: integer,
  priority: nullable(integer)
});

export const readBuffer: Reader<Buffer> = record<Buffer>({
  node: integer,
  input_nr: integer,
  value: nullable(readTensorSummary)
});

export const readArrival: Reader<Arrival> = record<Arrival>({
  node: integer,
  input_nr: integer,
  before: nullable(readTensorSummary),
  after: nullable(readTensorSummary)
});

export const readStepRecord: Reader<StepRecord> = record<StepRecord>({
  visit: readVisit,
  ready: readReady,
  state: optional(readNodeState, 'done'),
  arrived: optional(array(readArrival), []),
  readied: optional(array(readReady), []),
  released: optional(array(string), []),
  current: optional(nullable(integer), null),
  code: optional(array(readCodeStep), []),
  made: optional(array(readMade), []),
  collectives: optional(array(readCollective), [])
});

export const readStart: Reader<Start> = record<Start>({
  total: integer,
  current: nullable(integer),
  ready: optional(array(readReady), []),
  buffers: optional(array(readBuffer), []),
  needed: optional(array(integer), []),
  skipped: optional(array(integer), [])
});

export const readWithin: Reader<Within> = record<Within>({
  node: integer,
  done: integer,
  stages: array(readStageRecord),
  lines: optional(integer, 0),
  code: optional(array(readCodeStep), []),
  made: optional(integer, 0)
});
