/**
 * How large each box is drawn, before layout. Sizes depend on the graph alone, never on the run:
 * a step must not move anything.
 */
import type { Graph, Node } from '../../protocol';
import type { ScopeTree } from './scopes';
import type { Item } from './visible';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Average advance of a character at 12 px; SVG text cannot be measured before it is drawn. */
export const CHAR_12 = 6.7;
export const CHAR_11 = 6.1;

const NODE_HEIGHT = 46;
const CHIP_ROW = 24;
const MIN_WIDTH = 128;
const MAX_WIDTH = 268;

/** The variable's name for a leaf, else the node's. */
export function mainText(node: Node): string {
  return node.kind === 'leaf' && node.label ? node.label : node.name;
}

export function sizeOf(item: Item, graph: Graph, tree: ScopeTree): Size {
  switch (item.kind) {
    case 'node': {
      const node = graph.nodes[item.node] as Node;
      const width = clamp(node.name.length * CHAR_12 + 62);
      return { width, height: NODE_HEIGHT + (node.saved.length ? CHIP_ROW : 0) };
    }
    case 'pin': {
      const node = graph.nodes[item.node] as Node;
      const width = Math.max(mainText(node).length * CHAR_12 + 52, 108);
      return { width: Math.min(width, 200), height: 40 };
    }
    case 'group': {
      const title = tree.groups[item.group]?.title ?? '';
      return { width: Math.max(clamp(title.length * CHAR_12 + 62), 168), height: 56 };
    }
    case 'result':
      return { width: 84, height: 24 };
  }
}

function clamp(width: number): number {
  return Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH));
}

/** Cut `text` to what fits in `width` pixels. Counts code points, so that no pair is split. */
export function fit(text: string, width: number, char = CHAR_12): string {
  const room = Math.max(1, Math.floor(width / char));
  if (text.length <= room) {
    return text;
  }
  const points = Array.from(text);
  return points.length <= room ? text : `${points.slice(0, room - 1).join('')}…`;
}
