/**
 * Groups: stretches of the graph that can be folded into one box.
 *
 * A scope (a module, a `vg.scope` block) is often entered many times: a shared cell of an RNN, a
 * block called in a loop. Folding all nodes with one path into one box would draw a box with an
 * edge to itself, and a graph with cycles. So a group is one *visit* of a scope: a stretch of
 * nodes, consecutive in the order they were recorded, that share the path. Stretches are intervals
 * of that order, edges only point back in it, and so whatever is folded the picture stays acyclic.
 */
import type { Graph, Node } from '../../protocol';

export interface Group {
  readonly id: number;
  /** The last part of the path; with a number when the scope was entered several times. */
  readonly title: string;
  readonly path: readonly string[];
  readonly parent: number | null;
  /** 1 for a group that is in no other. */
  readonly depth: number;
  /** Nodes inside, at any depth, leaves not counted. */
  readonly size: number;
}

export interface ScopeTree {
  readonly groups: readonly Group[];
  /** The innermost group of each node; leaves belong to whoever uses them and are in none. */
  readonly groupOf: readonly (number | null)[];
}

/** Deeper paths are cut: a path is data, and nobody reads the 33rd box in a box. */
const MAX_LEVEL = 32;
/** More than this side by side are cut into parts, so that a graph without scopes folds as well. */
const MAX_CHILDREN = 400;
const PART = 50;

/** What is directly in a group: a single node, or a stretch that becomes a group of its own. */
interface Unit {
  readonly title: string | null;
  readonly nodes: readonly Node[];
}

export function scopeTree(graph: Graph): ScopeTree {
  const groups: Group[] = [];
  const groupOf: (number | null)[] = graph.nodes.map(() => null);

  function open(title: string, path: readonly string[], parent: number | null, size: number) {
    const depth = parent === null ? 1 : (groups[parent] as Group).depth + 1;
    groups.push({ id: groups.length, title, path, parent, depth, size });
    return groups.length - 1;
  }

  function place(units: readonly Unit[], level: number, parent: number | null): void {
    if (units.length > MAX_CHILDREN) {
      const size = Math.max(PART, Math.ceil((2 * units.length) / MAX_CHILDREN));
      const parts = Math.ceil(units.length / size);
      const path = parent === null ? [] : (groups[parent] as Group).path;
      for (let i = 0; i < parts; i++) {
        const some = units.slice(i * size, (i + 1) * size);
        const nodes = some.reduce((sum, unit) => sum + unit.nodes.length, 0);
        place(some, level, open(`part ${i + 1} of ${parts}`, path, parent, nodes));
      }
      return;
    }
    for (const { title, nodes } of units) {
      const first = nodes[0] as Node;
      if (title === null) {
        groupOf[first.id] = parent;
      } else {
        const path = first.scope.slice(0, level + 1);
        place(unitsOf(nodes, level + 1), level + 1, open(title, path, parent, nodes.length));
      }
    }
  }

  const recorded = graph.nodes
    .filter(node => node.kind !== 'leaf' && node.kind !== 'root')
    .sort((a, b) => a.sequence_nr - b.sequence_nr || a.id - b.id);
  place(unitsOf(recorded, 0), 0, null);
  return { groups, groupOf };
}

function unitsOf(nodes: readonly Node[], level: number): Unit[] {
  const stretches: { name: string | undefined; nodes: Node[] }[] = [];
  for (const node of nodes) {
    const name = level < MAX_LEVEL ? node.scope[level] : undefined;
    const last = stretches[stretches.length - 1];
    if (last && last.name === name) {
      last.nodes.push(node);
    } else {
      stretches.push({ name, nodes: [node] });
    }
  }
  const entered = new Map<string, number>();
  for (const { name } of stretches) {
    if (name !== undefined) {
      entered.set(name, (entered.get(name) ?? 0) + 1);
    }
  }
  const nth = new Map<string, number>();
  return stretches.flatMap(({ name, nodes: members }): Unit[] => {
    if (name !== undefined) {
      nth.set(name, (nth.get(name) ?? 0) + 1);
    }
    if (name === undefined || members.length < 2) {
      // A box around one node says nothing that its inspector does not.
      return members.map(node => ({ title: null, nodes: [node] }));
    }
    const again = (entered.get(name) ?? 1) > 1;
    return [{ title: again ? `${name} (${nth.get(name)})` : name, nodes: members }];
  });
}
