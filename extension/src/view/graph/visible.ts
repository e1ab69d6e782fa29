/**
 * The visible graph: what is drawn once some groups are folded and shared leaves are pinned.
 *
 * A leaf used by many nodes is drawn as a pin at each use: one shared box makes every layered
 * layout explode (no result within 60 s for 305 nodes, 0.13 s with pins).
 */
import type { Graph, Node } from '../../protocol';
import { foldedInto } from './folding';
import type { ScopeTree } from './scopes';

export type Item = NodeItem | PinItem | GroupItem | ResultItem;

interface Placed {
  /** Unique in the picture, made of numbers only. */
  readonly key: string;
  /** The open group it is drawn in. */
  readonly parent: number | null;
}

export interface NodeItem extends Placed {
  readonly kind: 'node';
  readonly node: number;
}

/** One use of a leaf: by edge number `edge` of node `user`. */
export interface PinItem extends Placed {
  readonly kind: 'pin';
  readonly node: number;
  readonly user: number;
  readonly edge: number;
  /** This is use `use` of `uses` visible ones, counted from 1. */
  readonly use: number;
  readonly uses: number;
}

export interface GroupItem extends Placed {
  readonly kind: 'group';
  readonly group: number;
  readonly nodes: readonly number[];
  /** Leaves used inside; they may be used elsewhere, too. */
  readonly leaves: ReadonlySet<number>;
}

/** A tensor the backward starts from. */
export interface ResultItem extends Placed {
  readonly kind: 'result';
  readonly node: number;
  readonly output: number;
}

export interface EdgeRef {
  readonly node: number;
  readonly edge: number;
}

export interface Link {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  /** The graph's edges it stands for; empty for the line from a result. */
  readonly edges: readonly EdgeRef[];
}

export interface Visible {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
  /** Open groups with something in them, outer before inner. */
  readonly clusters: readonly number[];
  /** Where each node is drawn; several places for a leaf, its group's box when folded. */
  readonly keysOf: (node: number) => readonly string[];
}

export function visibleGraph(graph: Graph, tree: ScopeTree, open: ReadonlySet<number>): Visible {
  const items: Item[] = [];
  const links: Link[] = [];
  const keys = new Map<number, string[]>();
  const folded = new Map<number, { key: string; nodes: number[]; leaves: Set<number> }>();

  const drawnAt = (node: number, key: string): void => {
    const list = keys.get(node);
    if (!list) {
      keys.set(node, [key]);
    } else if (list[list.length - 1] !== key) {
      list.push(key);
    }
  };

  // Boxes first: nodes on their own, and one box for each folded group.
  for (const node of graph.nodes) {
    if (node.kind === 'leaf') {
      continue;
    }
    const parent = tree.groupOf[node.id] ?? null;
    const group = foldedInto(tree, open, parent);
    if (group === null) {
      items.push({ kind: 'node', key: `n${node.id}`, node: node.id, parent });
      drawnAt(node.id, `n${node.id}`);
      continue;
    }
    let box = folded.get(group);
    if (!box) {
      box = { key: `g${group}`, nodes: [], leaves: new Set() };
      folded.set(group, box);
      const outer = tree.groups[group]?.parent ?? null;
      items.push({ kind: 'group', ...box, group, parent: outer });
    }
    box.nodes.push(node.id);
    drawnAt(node.id, box.key);
  }

  // Then edges, and a pin for each visible use of a leaf.
  const merged = new Map<string, EdgeRef[]>();
  const pins: (Omit<PinItem, 'uses' | 'use'> & { use: number })[] = [];
  const uses = new Map<number, number>();
  for (const node of graph.nodes) {
    const from = (keys.get(node.id) ?? [])[0];
    if (node.kind === 'leaf' || from === undefined) {
      continue;
    }
    const parent = tree.groupOf[node.id] ?? null;
    node.edges.forEach((edge, i) => {
      if (edge.node === null) {
        return;
      }
      const ref = { node: node.id, edge: i };
      if (graph.nodes[edge.node]?.kind === 'leaf') {
        if (from.startsWith('g')) {
          folded.get(Number(from.slice(1)))?.leaves.add(edge.node);
          drawnAt(edge.node, from);
          return;
        }
        const use = (uses.get(edge.node) ?? 0) + 1;
        uses.set(edge.node, use);
        const key = `p${node.id}_${i}`;
        pins.push({ kind: 'pin', key, node: edge.node, user: node.id, edge: i, parent, use });
        drawnAt(edge.node, key);
        links.push({ key: `e${node.id}_${i}`, from, to: key, edges: [ref] });
        return;
      }
      const to = (keys.get(edge.node) as string[])[0] as string;
      if (from.startsWith('n') && to.startsWith('n')) {
        links.push({ key: `e${node.id}_${i}`, from, to, edges: [ref] });
      } else if (from !== to) {
        const pair = `${from} ${to}`;
        const refs = merged.get(pair);
        if (refs) {
          refs.push(ref);
        } else {
          const list = [ref];
          merged.set(pair, list);
          links.push({ key: `m${from}_${to}`, from, to, edges: list });
        }
      }
    });
  }
  for (const pin of pins) {
    items.push({ ...pin, uses: uses.get(pin.node) ?? 1 });
  }

  // Leaves nobody visible uses: only one that is itself a result.
  for (const node of graph.nodes) {
    if (node.kind === 'leaf' && !keys.has(node.id)) {
      const key = `n${node.id}`;
      items.push({ kind: 'node', key, node: node.id, parent: null });
      drawnAt(node.id, key);
    }
  }
  addResults(graph, keys, items, links);
  return {
    items,
    links,
    clusters: clustersOf(tree, items),
    keysOf: node => keys.get(node) ?? []
  };
}

function addResults(
  graph: Graph,
  keys: ReadonlyMap<number, readonly string[]>,
  items: Item[],
  links: Link[]
): void {
  graph.roots.forEach(([id, output], i) => {
    const to = (keys.get(id) ?? [])[0];
    const node = graph.nodes[id] as Node;
    if (to !== undefined && node.kind !== 'root') {
      const key = `r${i}`;
      items.push({ kind: 'result', key, node: id, output, parent: null });
      links.push({ key: `x${i}`, from: key, to, edges: [] });
    }
  });
}

function clustersOf(tree: ScopeTree, items: readonly Item[]): number[] {
  const used = new Set<number>();
  for (const item of items) {
    for (let at = item.parent; at !== null; at = tree.groups[at]?.parent ?? null) {
      used.add(at);
    }
  }
  return [...used].sort((a, b) => a - b); // A parent is numbered before its children.
}
