/**
 * The visible graph as DOT, for the layout engine only.
 *
 * No name of a node, scope or tensor goes into it: boxes have a size and no label, identifiers are
 * our own keys. So there is nothing to escape, and nothing a hostile name could do.
 */
import type { LayoutCluster, LayoutInput, LayoutItem } from './types';

const POINTS_PER_INCH = 72;
/** Above this many lines, splines cost more than they please. */
const MAX_SPLINES = 900;

export function writeDot(input: LayoutInput): string {
  const splines = input.links.length <= MAX_SPLINES ? 'spline' : 'polyline';
  const lines = [
    'digraph {',
    `graph [rankdir=TB nodesep=0.25 ranksep=0.48 splines=${splines} remincross=true margin=0]`,
    'node [shape=box fixedsize=true label=""]',
    'edge [arrowsize=0.6]'
  ];
  const inside = groupBy(input.items);
  const nested = new Map<number | null, LayoutCluster[]>();
  for (const cluster of input.clusters) {
    nested.set(cluster.parent, [...(nested.get(cluster.parent) ?? []), cluster]);
  }
  const write = (parent: number | null): void => {
    for (const { key, width, height } of inside.get(parent) ?? []) {
      lines.push(`${key} [width=${inches(width)} height=${inches(height)}]`);
    }
    for (const cluster of nested.get(parent) ?? []) {
      // The margin leaves room for the group's title above its boxes.
      lines.push(`subgraph cluster_${cluster.id} {`, 'margin=18');
      write(cluster.id);
      lines.push('}');
    }
  };
  write(null);
  for (const { key, from, to } of input.links) {
    lines.push(`${from} -> ${to} [id=${key}]`);
  }
  lines.push('}');
  return lines.join('\n');
}

function groupBy(items: readonly LayoutItem[]): ReadonlyMap<number | null, LayoutItem[]> {
  const out = new Map<number | null, LayoutItem[]>();
  for (const item of items) {
    const list = out.get(item.parent);
    if (list) {
      list.push(item);
    } else {
      out.set(item.parent, [item]);
    }
  }
  return out;
}

function inches(pixels: number): string {
  return (pixels / POINTS_PER_INCH).toFixed(4);
}
