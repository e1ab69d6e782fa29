// Made by `make types` from vizgrad/debugger/model/records.py: do not edit.
/** The record of one step: the unit of truth about a run. And the run before its first step. */
import { array, float, integer, nullable, oneOf, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readTensorSummary } from './arrays';
import type { TensorSummary } from './arrays';
import { readEdge } from './nodes';
import type { Edge } from './nodes';
import { readCodeStep, readMade } from './code';
import type { CodeStep, Made } from './code';

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
 * all steps have made, one after another.
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
  made: optional(array(readMade), [])
});

export const readStart: Reader<Start> = record<Start>({
  total: integer,
  current: nullable(integer),
  ready: optional(array(readReady), []),
  buffers: optional(array(readBuffer), []),
  needed: optional(array(integer), []),
  skipped: optional(array(integer), [])
});
