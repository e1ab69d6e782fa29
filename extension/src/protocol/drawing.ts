// Made by `make types` from vizgrad/debugger/jupyter/widget/drawing.py: do not edit.
/**
 * The drawing for a live view: as much of a graph as is open, with a place for everything.
 *
 * The kernel folds and lays out, as for the static picture: a view draws what it is told, and asks
 * again when a person opens or closes something. A `Drawing` holds what a step does not change; a
 * `Standing` is the run as far as it is seen there, to which a view adds the records that follow.
 *
 * Coordinates are CSS pixels, x to the right and y down.
 */
import { array, boolean, float, integer, nullable, oneOf, optional, record, string } from './check';
import type { Reader } from './check';
import { readSavedRun, readStorage } from './model/memory';
import type { SavedRun, Storage } from './model/memory';
import { readBuffer, readGroup, readName, readNode, readReady, readWithin } from './model/nodes';
import type { Buffer, Group, Name, Node, Ready, Within } from './model/nodes';
import {
  readBranch,
  readBreakpoint,
  readModes,
  readNodeRun,
  readRunStatus,
  readStopped
} from './model/run';
import type { Branch, Breakpoint, Modes, NodeRun, RunStatus, Stopped } from './model/run';

export const BOX_KINDS = ['node', 'pin', 'group', 'cells', 'result', 'collective'] as const;
export type BoxKind = (typeof BOX_KINDS)[number];
export const readBoxKind = oneOf(BOX_KINDS);

/**
 * Number `cell` (counted from 0 in run order) of the equal children of an open `group` is shown.
 */
export interface Cell {
  readonly group: number;
  readonly cell: number;
}

/**
 * The groups that the user opened and closed; the rest opens by itself as long as there is room.
 *
 * Groups around `near` (a node that is to be seen) are opened too.
 */
export interface Folding {
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  readonly cells: readonly Cell[];
  readonly near: number | null;
}

/**
 * A box with a place.
 *
 * - "node": one node. "pin": one use of a leaf `node`, by edge number `edge` of node `user`; it is
 *   use `use` of `uses` in the whole graph.
 * - "group": a closed group. "cells": some equal children of the open group `group`, `cell` ...
 *   `cell + cells - 1`, in one box.
 * - "result": output `slot` of node `node`, from which the backward starts.
 * - "collective": number `collective` of `Drawing.collectives`.
 *
 * Behind a group or cells are nodes `first` ... `last - 1`. `frame` is the place in
 * `Drawing.frames` of the open group that it is in; None: in none. `key` is the same for the same
 * thing in every drawing.
 */
export interface DrawnBox {
  readonly key: string;
  readonly kind: BoxKind;
  readonly frame: number | null;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly node: number | null;
  readonly user: number | null;
  readonly edge: number;
  readonly use: number;
  readonly uses: number;
  readonly slot: number;
  readonly group: number | null;
  readonly cell: number;
  readonly cells: number;
  readonly first: number;
  readonly last: number;
  readonly title: string;
  /**
   * Names of the lines that leave a node, from left to right, as they start; empty where there is
   * one.
   */
  readonly ports: readonly string[];
  readonly collective: number | null;
}

/**
 * A line from box number `source` down to box number `target`; it stands for `edges` edges.
 *
 * `points` are x and y in turn of a chain of cubic Béziers: the start, then three points for each
 * piece. A single edge is identified: number `edge` of node `node`, to input slot `slot`, of the
 * forward input `name`.
 */
export interface DrawnLine {
  readonly key: string;
  readonly source: number;
  readonly target: number;
  readonly points: readonly number[];
  readonly edges: number;
  readonly node: number | null;
  readonly edge: number;
  readonly slot: number;
  readonly name: string;
}

/**
 * An open group, around what is in it; `parent` is the place of the frame around it. In a group of
 * equal children, `cell` is the one that is shown, None if all are. Its title and the curve of its
 * children have room where no line comes in; offsets are from its left edge.
 */
export interface DrawnFrame {
  readonly group: number;
  readonly parent: number | null;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly cell: number | null;
  readonly title_left: number;
  readonly title_room: number;
  readonly curve_left: number;
  readonly curve_room: number;
}

/**
 * A collective of the run: number `number` of its `group`. Step `step`, of node `node`, has called
 * it; it had ended when step `end` was over (None: it has not). `rows` are the texts of its box;
 * `begun` is instead of the last of them until it ends. `details` are lines that say more, `nodes`
 * the leaves whose gradients it carries.
 */
export interface DrawnCollective {
  readonly group: string;
  readonly number: number;
  readonly node: number;
  readonly step: number;
  readonly end: number | null;
  readonly rows: readonly string[];
  readonly begun: string;
  readonly details: readonly string[];
  readonly nodes: readonly number[];
  readonly failed: boolean;
}

/**
 * The visible graph with places. `digest` names it: equal ones are the same drawing.
 *
 * `groups` are those drawn, closed or open, with all around them; `nodes` those with a box or pin.
 * `collectives` are those that the run has called so far, also in steps that were taken back.
 */
export interface Drawing {
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
  readonly frames: readonly DrawnFrame[];
  readonly groups: readonly Group[];
  readonly nodes: readonly Node[];
  readonly collectives: readonly DrawnCollective[];
}

/**
 * How the nodes behind a box, or in a frame, are doing: how many are in each state (the rest of
 * `nodes` are "waiting", and one may be "current"), how many saved tensors are stale, and to how
 * many nodes a gradient came whose norm is not finite.
 *
 * For equal children (a closed group of them, a frame, or a box of cells) `norms` has one entry
 * each, in run order, and for more than 128 children 128 entries, each for as many nodes in a row:
 * node n belongs to entry `(n - first) * len(norms) // (last - first)`. It is the norm of the
 * gradient that arrived at the node that ran first there; None before that, or if it was undefined.
 * `firsts` are those nodes, None before.
 */
export interface Tally {
  readonly nodes: number;
  readonly done: number;
  readonly ready: number;
  readonly captured: number;
  readonly skipped: number;
  readonly error: number;
  readonly nonfinite: number;
  readonly stale: number;
  readonly norms: readonly (number | null)[];
  readonly firsts: readonly (number | null)[];
}

/**
 * The gradient that went over the line at this place of `Drawing.lines`, and from which node. norm
 * None: an undefined gradient. For several edges there is one for each gradient that was larger
 * than all before it (NaN is the largest), in the order of the run: the last is the largest of all.
 * `tangents` are the norms of its tangents, in forward mode.
 */
export interface Flow {
  readonly line: number;
  readonly node: number;
  readonly norm: number | null;
  readonly tangents: readonly (number | null)[];
}

/** A node that some gradients have reached, but not all. */
export interface Reached {
  readonly node: number;
  readonly delivered: number;
  readonly needed: number;
}

/**
 * The run as a view of one drawing needs it.
 *
 * `nodes` stand where those of `Drawing.nodes` do, `boxes` (of groups and cells; None for others)
 * and `frames` where theirs do. `counts` is the number of nodes in each state, as listed in
 * `NodeState`. `storages` are those that were written or hold something stale, and those of the
 * nodes drawn; `quiet` is how many others there are. `stale` counts stale saved tensors of the
 * whole graph. `saved` are those of nodes drawn that are not as `Drawing.nodes` says. `names` are
 * of the nodes that are spoken of here and not drawn. `ending` says why a closed session was
 * closed. `grows`: the run records a graph of second order, which has a lane (`GetLane`);
 * `recomputes`: a checkpoint computes values again in it, which has one, too. `can_change`: a
 * gradient can be changed at a pause; `one_way`: only where the run has come to, as it runs no node
 * twice. `nonfinite`: Continue stops where a NaN or an infinity is born. `breakpoints` are the
 * nodes before which it may stop, `breakpoint_list` what was set; `logged`: how many messages
 * breakpoints have written.
 */
export interface Standing {
  readonly status: RunStatus;
  readonly position: number;
  readonly recorded: number;
  readonly total: number;
  readonly current: number | null;
  readonly earliest: number;
  readonly error: string;
  readonly modes: Modes;
  readonly breakpoints: readonly number[];
  readonly counts: readonly number[];
  readonly nodes: readonly NodeRun[];
  readonly boxes: readonly (Tally | null)[];
  readonly frames: readonly Tally[];
  readonly flows: readonly Flow[];
  readonly ready: readonly Ready[];
  readonly buffers: readonly Buffer[];
  readonly reached: readonly Reached[];
  readonly saved: readonly SavedRun[];
  readonly storages: readonly Storage[];
  readonly quiet: number;
  readonly stale: number;
  readonly names: readonly Name[];
  readonly ending: string;
  readonly stopped: Stopped | null;
  readonly nonfinite: boolean;
  readonly breakpoint_list: readonly Breakpoint[];
  readonly branches: readonly Branch[];
  readonly within: Within | null;
  readonly grows: boolean;
  readonly recomputes: boolean;
  readonly one_way: boolean;
  readonly can_change: boolean;
  readonly logged: number;
}

export const readCell: Reader<Cell> = record<Cell>({
  group: integer,
  cell: integer
});

export const readFolding: Reader<Folding> = record<Folding>({
  opened: optional(array(integer), []),
  closed: optional(array(integer), []),
  cells: optional(array(readCell), []),
  near: optional(nullable(integer), null)
});

export const readDrawnBox: Reader<DrawnBox> = record<DrawnBox>({
  key: string,
  kind: readBoxKind,
  frame: nullable(integer),
  x: float,
  y: float,
  width: float,
  height: float,
  node: optional(nullable(integer), null),
  user: optional(nullable(integer), null),
  edge: optional(integer, 0),
  use: optional(integer, 1),
  uses: optional(integer, 1),
  slot: optional(integer, 0),
  group: optional(nullable(integer), null),
  cell: optional(integer, 0),
  cells: optional(integer, 0),
  first: optional(integer, 0),
  last: optional(integer, 0),
  title: optional(string, ''),
  ports: optional(array(string), []),
  collective: optional(nullable(integer), null)
});

export const readDrawnLine: Reader<DrawnLine> = record<DrawnLine>({
  key: string,
  source: integer,
  target: integer,
  points: array(float),
  edges: optional(integer, 1),
  node: optional(nullable(integer), null),
  edge: optional(integer, 0),
  slot: optional(integer, 0),
  name: optional(string, '')
});

export const readDrawnFrame: Reader<DrawnFrame> = record<DrawnFrame>({
  group: integer,
  parent: nullable(integer),
  x: float,
  y: float,
  width: float,
  height: float,
  cell: optional(nullable(integer), null),
  title_left: optional(float, 0),
  title_room: optional(float, 0),
  curve_left: optional(float, 0),
  curve_room: optional(float, 0)
});

export const readDrawnCollective: Reader<DrawnCollective> = record<DrawnCollective>({
  group: string,
  number: integer,
  node: integer,
  step: integer,
  end: nullable(integer),
  rows: array(string),
  begun: string,
  details: array(string),
  nodes: optional(array(integer), []),
  failed: optional(boolean, false)
});

export const readDrawing: Reader<Drawing> = record<Drawing>({
  digest: string,
  width: float,
  height: float,
  boxes: array(readDrawnBox),
  lines: array(readDrawnLine),
  frames: array(readDrawnFrame),
  groups: array(readGroup),
  nodes: array(readNode),
  collectives: optional(array(readDrawnCollective), [])
});

export const readTally: Reader<Tally> = record<Tally>({
  nodes: integer,
  done: optional(integer, 0),
  ready: optional(integer, 0),
  captured: optional(integer, 0),
  skipped: optional(integer, 0),
  error: optional(integer, 0),
  nonfinite: optional(integer, 0),
  stale: optional(integer, 0),
  norms: optional(array(nullable(float)), []),
  firsts: optional(array(nullable(integer)), [])
});

export const readFlow: Reader<Flow> = record<Flow>({
  line: integer,
  node: integer,
  norm: nullable(float),
  tangents: optional(array(nullable(float)), [])
});

export const readReached: Reader<Reached> = record<Reached>({
  node: integer,
  delivered: integer,
  needed: integer
});

export const readStanding: Reader<Standing> = record<Standing>({
  status: readRunStatus,
  position: integer,
  recorded: integer,
  total: integer,
  current: nullable(integer),
  earliest: integer,
  error: string,
  modes: readModes,
  breakpoints: array(integer),
  counts: array(integer),
  nodes: array(readNodeRun),
  boxes: array(nullable(readTally)),
  frames: array(readTally),
  flows: array(readFlow),
  ready: array(readReady),
  buffers: array(readBuffer),
  reached: array(readReached),
  saved: array(readSavedRun),
  storages: array(readStorage),
  quiet: integer,
  stale: integer,
  names: array(readName),
  ending: optional(string, ''),
  stopped: optional(nullable(readStopped), null),
  nonfinite: optional(boolean, true),
  breakpoint_list: optional(array(readBreakpoint), []),
  branches: optional(array(readBranch), []),
  within: optional(nullable(readWithin), null),
  grows: optional(boolean, false),
  recomputes: optional(boolean, false),
  one_way: optional(boolean, false),
  can_change: optional(boolean, true),
  logged: optional(integer, 0)
});
