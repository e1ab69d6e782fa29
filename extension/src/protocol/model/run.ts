// Made by `make types` from vizgrad/debugger/model/run.py: do not edit.
/** The whole state of a run between two steps. */
import {
  array,
  boolean,
  float,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  string
} from '../check';
import type { Reader } from '../check';
import { readSavedRun } from './memory';
import type { SavedRun } from './memory';
import { readBuffer, readNodeState, readReady } from './records';
import type { Buffer, NodeState, Ready } from './records';
import { readStopped } from './stops';
import type { Stopped } from './stops';

export const RUN_STATUSES = ['paused', 'finished', 'failed', 'closed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const readRunStatus = oneOf(RUN_STATUSES);

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
  /** In forward mode: the norms of the tangents of that gradient, by level. */
  readonly tangents: readonly (number | null)[];
}

/**
 * A gradient that went over edge number `edge` of node `node`; norm None: it was undefined.
 * `tangents` as in `NodeRun`.
 */
export interface EdgeRun {
  readonly node: number;
  readonly edge: number;
  readonly norm: number | null;
  readonly tangents: readonly (number | null)[];
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

export const readNodeRun: Reader<NodeRun> = record<NodeRun>({
  state: readNodeState,
  delivered: optional(integer, 0),
  needed: optional(integer, 0),
  order: optional(nullable(integer), null),
  reason: optional(string, ''),
  grad_norm: optional(nullable(float), null),
  tangents: optional(array(nullable(float)), [])
});

export const readEdgeRun: Reader<EdgeRun> = record<EdgeRun>({
  node: integer,
  edge: integer,
  norm: nullable(float),
  tangents: optional(array(nullable(float)), [])
});

export const readModes: Reader<Modes> = record<Modes>({
  grad: optional(boolean, true),
  inference: optional(boolean, false),
  anomaly: optional(boolean, false),
  forward_level: optional(integer, -1),
  multithreading: optional(boolean, true)
});

export const readRun: Reader<Run> = record<Run>({
  status: readRunStatus,
  position: integer,
  recorded: integer,
  total: integer,
  current: nullable(integer),
  nodes: array(readNodeRun),
  ready: optional(array(readReady), []),
  buffers: optional(array(readBuffer), []),
  edges: optional(array(readEdgeRun), []),
  saved: optional(array(readSavedRun), []),
  breakpoints: optional(array(integer), []),
  earliest: optional(integer, 0),
  error: optional(string, ''),
  modes: optional(readModes, readModes({})),
  stopped: optional(nullable(readStopped), null)
});
