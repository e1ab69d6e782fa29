// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/lanes.py: do not edit.
/** Lanes beside the graph: what ran within a node, and the graph of second order. */
import { array, boolean, integer, nullable, optional, record, string, word } from './check';
import type { Reader } from './check';
import { readMade } from './model/nodes';
import type { Made } from './model/nodes';
import { readDrawing, readFolding } from './drawing';
import type { Drawing, Folding } from './drawing';

/** The lane of the node that the run is in, so folded; if it is in none, that of second order. */
export interface GetLane {
  readonly type: 'get_lane';
  readonly request: number;
  readonly session: string;
  readonly folding: Folding;
}

/**
 * The created nodes, in order; nodes of `drawing` are numbers in `made`, and it is None where there
 * are none.
 *
 * `node` is the node that it ran within; None: it is of second order. Number i is there where
 * `at[i]` steps are done, within a node where `Within.made` is so large. `left_out` earlier ones
 * are not told. `can_debug`: its backward can be opened (`OpenSecond`).
 */
export interface Lane {
  readonly type: 'lane';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly node: number | null;
  readonly made: readonly Made[];
  readonly at: readonly number[];
  readonly drawing: Drawing | null;
  readonly left_out: number;
  readonly can_debug: boolean;
}

/** Open the backward of the gradients that this one has made so far, as a session of its own. */
export interface OpenSecond {
  readonly type: 'open_second';
  readonly request: number;
  readonly session: string;
}

/** It is session `opened`. */
export interface Opened {
  readonly type: 'opened';
  readonly request: number;
  readonly session: string;
  readonly opened: string;
}

export const readGetLane: Reader<GetLane> = record<GetLane>({
  type: word('get_lane'),
  request: integer,
  session: string,
  folding: optional(readFolding, readFolding({}))
});

export const readLane: Reader<Lane> = record<Lane>({
  type: word('lane'),
  request: integer,
  session: string,
  revision: integer,
  node: nullable(integer),
  made: array(readMade),
  at: array(integer),
  drawing: nullable(readDrawing),
  left_out: optional(integer, 0),
  can_debug: optional(boolean, false)
});

export const readOpenSecond: Reader<OpenSecond> = record<OpenSecond>({
  type: word('open_second'),
  request: integer,
  session: string
});

export const readOpened: Reader<Opened> = record<Opened>({
  type: word('opened'),
  request: integer,
  session: string,
  opened: string
});
