/** Which groups are open: by hand where a person said so, else so that not too much is visible. */
import type { Graph } from '../../protocol';
import type { Group, ScopeTree } from './scopes';

/** Beyond about this many boxes a layered picture stops being readable, and layout slow. */
export const VISIBLE_LIMIT = 500;

/**
 * Open every group down to the deepest level that keeps the picture under the limit. All groups
 * of a level are treated alike: twelve blocks open and twelve closed would look like a difference
 * between them.
 */
export function openGroups(
  graph: Graph,
  tree: ScopeTree,
  byHand: ReadonlyMap<number, boolean>,
  limit = VISIBLE_LIMIT
): ReadonlySet<number> {
  const level = automaticLevel(graph, tree, limit);
  const open = new Set<number>();
  for (const group of tree.groups) {
    if (byHand.get(group.id) ?? group.depth <= level) {
      open.add(group.id);
    }
  }
  return open;
}

function automaticLevel(graph: Graph, tree: ScopeTree, limit: number): number {
  const loose: number[] = [];
  const groups: number[] = [];
  for (const node of graph.nodes) {
    if (node.kind === 'leaf') {
      continue;
    }
    const group = tree.groupOf[node.id] ?? null;
    const depth = group === null ? 0 : (tree.groups[group] as Group).depth;
    const pins = node.edges.filter(
      edge => edge.node !== null && graph.nodes[edge.node]?.kind === 'leaf'
    );
    loose[depth] = (loose[depth] ?? 0) + 1 + pins.length;
  }
  for (const group of tree.groups) {
    groups[group.depth] = (groups[group.depth] ?? 0) + 1;
  }
  let shown = 0;
  for (let level = 0; level < loose.length; level++) {
    shown += loose[level] ?? 0;
    if (shown + (groups[level + 1] ?? 0) > limit) {
      return Math.max(0, level - 1);
    }
  }
  return loose.length;
}

/** The outermost closed group around `group` (itself included), or null if all are open. */
export function foldedInto(
  tree: ScopeTree,
  open: ReadonlySet<number>,
  group: number | null
): number | null {
  let folded: number | null = null;
  for (let at = group; at !== null; at = (tree.groups[at] as Group).parent) {
    if (!open.has(at)) {
      folded = at;
    }
  }
  return folded;
}

/** By-hand settings under which `node` is visible: every group around it opened. */
export function reveal(
  tree: ScopeTree,
  byHand: ReadonlyMap<number, boolean>,
  group: number | null
): ReadonlyMap<number, boolean> {
  const next = new Map(byHand);
  for (let at = group; at !== null; at = (tree.groups[at] as Group).parent) {
    next.set(at, true);
  }
  return next;
}
