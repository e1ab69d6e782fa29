/** Finding nodes by what a person remembers of them. */
import type { Graph, Node } from '../../protocol';

/**
 * Nodes whose name, variable, scope path or source place contains the query, in execution order
 * as far as the graph tells (latest recorded first). `*` stands for anything, as in `s.break_at`.
 */
export function searchNodes(graph: Graph, query: string): readonly number[] {
  const parts = query.trim().toLowerCase().split('*');
  if (parts.every(part => part === '')) {
    return [];
  }
  return graph.nodes
    .filter(node => texts(node).some(text => contains(text.toLowerCase(), parts)))
    .sort((a, b) => rank(a) - rank(b) || b.sequence_nr - a.sequence_nr || a.id - b.id)
    .map(node => node.id);
}

/** Leaves have the largest sequence numbers, but run last in a reader's mind. */
function rank(node: Node): number {
  return node.kind === 'leaf' ? 1 : 0;
}

function texts(node: Node): string[] {
  const place = node.place ? `${node.place.cell ?? node.place.file}:${node.place.line}` : '';
  return [node.name, node.label, node.scope.join('.'), place];
}

/** All parts, in this order, without overlap: a glob without a regular expression made of data. */
function contains(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) {
      return false;
    }
    from = at + part.length;
  }
  return true;
}
