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
import { readPlace } from './place';
import type { Place } from './place';
import { readSavedRun } from './memory';
import type { SavedRun } from './memory';
import { readCalledCollective } from './collectives';
import type { CalledCollective } from './collectives';
import { readBuffer, readNodeState, readReady } from './nodes';
import type { Buffer, NodeState, Ready } from './nodes';

export const STOP_KINDS = [
  'nonfinite',
  'breakpoint',
  'condition',
  'written',
  'interrupt',
  'pause',
  'error'
] as const;
export type StopKind = (typeof STOP_KINDS)[number];
export const readStopKind = oneOf(STOP_KINDS);

export const RUN_STATUSES = ['paused', 'finished', 'failed', 'closed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const readRunStatus = oneOf(RUN_STATUSES);

export const BREAKPOINT_KINDS = ['op', 'node', 'tensor', 'line', 'when', 'data'] as const;
export type BreakpointKind = (typeof BREAKPOINT_KINDS)[number];
export const readBreakpointKind = oneOf(BREAKPOINT_KINDS);

/** The value in a formula at one place. */
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
 * finite itself, so it came up in the forward pass: in the operation that node `born` stands for,
 * if that can be told. `hook` has made them, if it is named.
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
  readonly born: number | null;
}

/**
 * Why a run stands where it does, if something stopped it there. `text` says it all in one line.
 *
 * `node` is the one that it is about, recorded at `place`; of a birth in the forward pass that is
 * the line of the forward operation (`Birth.born`). `breakpoint` is the number of the one that
 * stopped it.
 *
 * - "nonfinite": it has run, and made a NaN or an infinity (`birth`).
 * - "breakpoint": it is about to run. "condition": a condition was true after it had run.
 * - "written": it has run, and memory was written that a breakpoint watches.
 * - "pause", "interrupt": it is about to run, and the user asked to stop.
 * - "error": it raised.
 */
export interface Stopped {
  readonly kind: StopKind;
  readonly text: string;
  readonly position: number;
  readonly node: number | null;
  readonly place: Place | null;
  readonly birth: Birth | null;
  readonly breakpoint: number | null;
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
 * end. `stopped` says why it stands here, if something stopped it. `collectives` are those of all
 * steps that have been done at some time. `edits` are the user's changes that this position
 * includes.
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
  readonly collectives: readonly CalledCollective[];
  readonly edits: readonly Edit[];
}

/**
 * One breakpoint of a session, known there by its `id`. `text` says in a few words where it stops:
 *
 * - "op", "node", "tensor", "line": before one of `nodes` (the first of `total`, if they are many),
 *   if `condition` holds of what has arrived there. "line": `place` is the line that recorded them.
 * - "when": behind a visit for which `condition` holds.
 * - "data": behind a visit in which a storage was written.
 *
 * It stops when that has come about for the `hits`th time (0: each time); `hit` is how often
 * Continue has come there, up to where the run stands. A `condition` that is a function is told by
 * its name. With a `log` it does not stop, and writes that message. `refused`: it was kept from an
 * earlier session, and this is why its condition, which then never holds, or its message is not
 * understood here.
 */
export interface Breakpoint {
  readonly id: number;
  readonly kind: BreakpointKind;
  readonly text: string;
  readonly condition: string;
  readonly hits: number;
  readonly hit: number;
  readonly enabled: boolean;
  readonly nodes: readonly number[];
  readonly total: number;
  readonly place: Place | null;
  readonly log: string;
  readonly refused: string;
}

/**
 * A message that a breakpoint has written, after `position` steps; `node` is the one that it is
 * about, which the step of number `step` runs, counted from 1.
 */
export interface Logged {
  readonly breakpoint: number;
  readonly position: number;
  readonly node: number;
  readonly text: string;
  readonly step: number;
}

/** The user's change after `position` steps, in words; `node` is the one that it is about. */
export interface Edit {
  readonly position: number;
  readonly text: string;
  readonly node: number | null;
}

/**
 * One line of a run. The original has no `parent`; others left theirs after `left` steps.
 *
 * `position` is where it stands, or stood when it was left; `recorded` how far it has been. `edits`
 * are its own and those of its parents that it began with. `trace`: it is another run, laid beside
 * this one to be compared with it: nothing goes on there.
 */
export interface Branch {
  readonly name: string;
  readonly current: boolean;
  readonly parent: string;
  readonly left: number;
  readonly position: number;
  readonly recorded: number;
  readonly edits: readonly Edit[];
  readonly trace: boolean;
}

/**
 * The gradients that arrived at `node` in one line of a run and in another: the norms, and the norm
 * of the difference in parts of the first. None where one of them has not run the node, or nothing
 * arrived; infinite where the first is 0 and the other is not. The gradients of all slots count
 * together. `what` says why, where numbers do not: another shape.
 */
export interface Difference {
  readonly node: number;
  readonly relative: number | null;
  readonly here: number | null;
  readonly there: number | null;
  readonly what: string;
}

export const readOperand: Reader<Operand> = record<Operand>({
  name: string,
  value: float
});

export const readBirth: Reader<Birth> = record<Birth>({
  node: integer,
  nans: integer,
  infs: integer,
  size: integer,
  edge: optional(nullable(integer), null),
  index: optional(nullable(array(integer)), null),
  operands: optional(array(readOperand), []),
  forward: optional(boolean, false),
  hook: optional(string, ''),
  born: optional(nullable(integer), null)
});

export const readStopped: Reader<Stopped> = record<Stopped>({
  kind: readStopKind,
  text: string,
  position: integer,
  node: optional(nullable(integer), null),
  place: optional(nullable(readPlace), null),
  birth: optional(nullable(readBirth), null),
  breakpoint: optional(nullable(integer), null)
});

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

export const readEdit: Reader<Edit> = record<Edit>({
  position: integer,
  text: string,
  node: optional(nullable(integer), null)
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
  stopped: optional(nullable(readStopped), null),
  collectives: optional(array(readCalledCollective), []),
  edits: optional(array(readEdit), [])
});

export const readBreakpoint: Reader<Breakpoint> = record<Breakpoint>({
  id: integer,
  kind: readBreakpointKind,
  text: string,
  condition: optional(string, ''),
  hits: optional(integer, 0),
  hit: optional(integer, 0),
  enabled: optional(boolean, true),
  nodes: optional(array(integer), []),
  total: optional(integer, 0),
  place: optional(nullable(readPlace), null),
  log: optional(string, ''),
  refused: optional(string, '')
});

export const readLogged: Reader<Logged> = record<Logged>({
  breakpoint: integer,
  position: integer,
  node: integer,
  text: string,
  step: integer
});

export const readBranch: Reader<Branch> = record<Branch>({
  name: string,
  current: boolean,
  parent: optional(string, ''),
  left: optional(integer, 0),
  position: optional(integer, 0),
  recorded: optional(integer, 0),
  edits: optional(array(readEdit), []),
  trace: optional(boolean, false)
});

export const readDifference: Reader<Difference> = record<Difference>({
  node: integer,
  relative: nullable(float),
  here: nullable(float),
  there: nullable(float),
  what: optional(string, '')
});
