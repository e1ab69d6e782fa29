/**
 * How large each box is drawn, before layout. Sizes depend on the graph alone, never on the run:
 * a step must not move anything.
 */
import type { Graph, Node } from '../../protocol';
import { isTensor } from '../../store';
import type { ScopeTree } from './scopes';
import type { TextMetrics } from './text';
import type { Item } from './visible';

export interface Size {
  readonly width: number;
  readonly height: number;
}

const NODE_HEIGHT = 46;
const CHIP_ROW = 23;
/** Left of the text: room for the state's sign. Right of it: air. */
export const TEXT_LEFT = 32;
const TEXT_RIGHT = 12;
export const HOOK_WIDTH = 18;
const MIN_WIDTH = 122;
const MAX_WIDTH = 270;

/** Names are drawn up to this much larger when zoomed out, as far as the box has room. */
const FAR = 1.25;

/** How much larger a name of this width may be drawn without being cut. */
export function farScale(width: number, room: number): number {
  return Math.min(Math.max(room / width, 1), FAR);
}

/** The variable's name for a leaf, else the node's. */
export function mainText(node: Node): string {
  return node.kind === 'leaf' && node.label ? node.label : node.name;
}

export function sizeOf(item: Item, graph: Graph, tree: ScopeTree, text: TextMetrics): Size {
  switch (item.kind) {
    case 'node': {
      const node = graph.nodes[item.node] as Node;
      const hooks = node.hooks.length > 0 ? HOOK_WIDTH : 0;
      const width = clamp(text.width(node.name, 'name') + TEXT_LEFT + TEXT_RIGHT + hooks);
      return { width, height: NODE_HEIGHT + (node.saved.some(isTensor) ? CHIP_ROW : 0) };
    }
    case 'pin': {
      const node = graph.nodes[item.node] as Node;
      const width = text.width(mainText(node), 'leaf') + TEXT_LEFT + 20;
      return { width: Math.round(Math.min(Math.max(width, 116), 220)), height: 40 };
    }
    case 'group': {
      const title = tree.groups[item.group]?.title ?? '';
      const width = clamp(text.width(title, 'name') + TEXT_LEFT + TEXT_RIGHT + 24);
      return { width: Math.max(width, 172), height: 56 };
    }
    case 'result':
      return { width: 78, height: 24 };
  }
}

function clamp(width: number): number {
  return Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH));
}
