/** From Graphviz's `json0` output to a `Layout`. Points up become pixels down. */
import type { Box, Layout, LayoutInput, Point, Route } from './types';

interface Json0 {
  readonly bb?: string;
  readonly objects?: readonly { name?: string; bb?: string; pos?: string }[];
  readonly edges?: readonly { id?: string; pos?: string }[];
}

export function readGraphviz(json: string, input: LayoutInput): Layout {
  const parsed = JSON.parse(json) as Json0;
  const [, , width = 0, height = 0] = numbers(parsed.bb ?? '');
  const sizes = new Map(input.items.map(item => [item.key, item]));
  const items = new Map<string, Box>();
  const clusters = new Map<number, Box>();
  for (const { name = '', bb, pos } of parsed.objects ?? []) {
    const size = sizes.get(name);
    if (size && pos !== undefined) {
      const [x = 0, y = 0] = numbers(pos);
      const { width: w, height: h } = size;
      items.set(name, { x: x - w / 2, y: height - y - h / 2, width: w, height: h });
    } else if (name.startsWith('cluster_') && bb) {
      const [left = 0, bottom = 0, right = 0, top = 0] = numbers(bb);
      const box = { x: left, y: height - top, width: right - left, height: top - bottom };
      clusters.set(Number(name.slice('cluster_'.length)), box);
    }
  }
  if (items.size !== input.items.length) {
    throw new Error(`Graphviz placed ${items.size} of ${input.items.length} boxes`);
  }
  const links = new Map<string, Route>();
  for (const { id, pos } of parsed.edges ?? []) {
    if (id !== undefined && pos !== undefined) {
      links.set(id, route(pos, height));
    }
  }
  return { engine: 'graphviz', width, height, items, links, clusters };
}

/** `pos` is `[e,x,y] [s,x,y] x,y x,y ...`: the arrow's tip, then the points of the curve. */
function route(pos: string, height: number): Route {
  const points: Point[] = [];
  let tip: Point | null = null;
  for (const part of pos.split(' ')) {
    const [x = 0, y = 0] = numbers(part.replace(/^[es],/, ''));
    const point = { x, y: height - y };
    if (part.startsWith('e,')) {
      tip = point;
    } else if (!part.startsWith('s,')) {
      points.push(point);
    }
  }
  // Graphviz ends the curve at the arrow's base. A last straight piece carries it to the tip.
  const last = points[points.length - 1];
  if (tip && last) {
    points.push(last, tip, tip);
  }
  return { points, curved: true };
}

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}
