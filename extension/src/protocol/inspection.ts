// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/inspection.py: do not edit.
/** All that the inspector shows of one node. */
import { array, integer, nullable, optional, record, string, word } from './check';
import type { Reader } from './check';
import { readPlace } from './model/place';
import type { Place } from './model/place';
import { readTensorSummary } from './model/arrays';
import type { TensorSummary } from './model/arrays';
import { readStorage } from './model/memory';
import type { Storage } from './model/memory';
import { readMathematics, readName, readNode, readVisit } from './model/nodes';
import type { Mathematics, Name, Node, Visit } from './model/nodes';
import { readWriter } from './model/watches';
import type { Writer } from './model/watches';

/** A node that uses a leaf, and the line that recorded it. */
export interface LeafUse {
  readonly node: number;
  readonly place: Place | null;
}

/**
 * The history of a leaf's tensor. `users` are the first of the `used` nodes that use it and send it
 * their gradients. `made` and `written` are the operation that made it and the last one that wrote
 * to it in place, by name (None: nobody noted it). `unnoted` says how the line that made it can be
 * had the next time.
 */
export interface LeafFacts {
  readonly users: readonly LeafUse[];
  readonly used: number;
  readonly made: Writer | null;
  readonly written: Writer | null;
  readonly unnoted: string;
}

/**
 * `visit` is the node's visit once executed (at the current position), else None. `buffers` holds
 * what has arrived so far, one entry per output slot; `grad` is the leaf's `.grad` now, for a leaf.
 * `storages` are those of its saved values, `groups` the groups around it, outermost first.
 * `unnoted` says how its line can be had the next time, where the engine has not noted it. `leaf`:
 * it is one.
 */
export interface Inspection {
  readonly type: 'inspection';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly node: Node;
  readonly visit: Visit | null;
  readonly buffers: readonly (TensorSummary | null)[];
  readonly grad: TensorSummary | null;
  readonly storages: readonly Storage[];
  readonly groups: readonly number[];
  readonly names: readonly Name[];
  /** The formulas of the node that can be written so. */
  readonly maths: readonly Mathematics[];
  readonly unnoted: string;
  readonly leaf: LeafFacts | null;
}

export const readLeafUse: Reader<LeafUse> = record<LeafUse>({
  node: integer,
  place: optional(nullable(readPlace), null)
});

export const readLeafFacts: Reader<LeafFacts> = record<LeafFacts>({
  users: array(readLeafUse),
  used: integer,
  made: optional(nullable(readWriter), null),
  written: optional(nullable(readWriter), null),
  unnoted: optional(string, '')
});

export const readInspection: Reader<Inspection> = record<Inspection>({
  type: word('inspection'),
  request: integer,
  session: string,
  revision: integer,
  node: readNode,
  visit: nullable(readVisit),
  buffers: array(nullable(readTensorSummary)),
  grad: optional(nullable(readTensorSummary), null),
  storages: optional(array(readStorage), []),
  groups: optional(array(integer), []),
  names: optional(array(readName), []),
  maths: optional(array(readMathematics), []),
  unnoted: optional(string, ''),
  leaf: optional(nullable(readLeafFacts), null)
});
