// Made by `make types` from vizgrad/debugger/model/graph.py: do not edit.
/** A whole graph, and the groups that it can be folded into. */
import { array, integer, nullable, oneOf, optional, pair, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readStorage } from './memory';
import type { Storage } from './memory';
import { readNode } from './nodes';
import type { Node } from './nodes';

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
