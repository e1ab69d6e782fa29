/**
 * A simple layered layout, for when Graphviz gives up or may not run.
 *
 * Longest-path layers, a few barycentre sweeps, then boxes pulled towards their neighbours. It
 * never fails and is linear but for the sorting inside layers; it is not as good as `dot`.
 */
import { around, padded } from './boxes';
import type { Box, Layout, LayoutInput, LayoutItem, Point, Route } from './types';

const GAP_X = 22;
const GAP_Y = 52;
const SWEEPS = 6;
const CLUSTER_MARGIN = 14;

export function layered(input: LayoutInput): Layout {
  const index = new Map(input.items.map((item, i) => [item.key, i]));
  const below: number[][] = input.items.map(() => []);
  const above: number[][] = input.items.map(() => []);
  for (const { from, to } of input.links) {
    const a = index.get(from);
    const b = index.get(to);
    if (a !== undefined && b !== undefined && a !== b) {
      (below[a] as number[]).push(b);
      (above[b] as number[]).push(a);
    }
  }
  const layers = layersOf(below, above);
  order(layers, below, above);
  const boxes = place(layers, input.items, below, above);
  const items = new Map(input.items.map((item, i) => [item.key, boxes[i] as Box]));
  const clusters = clusterBoxes(input, boxes);
  const whole = around([...boxes, ...clusters.values()]);
  const shift = (box: Box): Box => ({ ...box, x: box.x - whole.x, y: box.y - whole.y });
  const shifted = new Map([...items].map(([key, box]) => [key, shift(box)]));
  return {
    engine: 'layered',
    width: whole.width,
    height: whole.height,
    items: shifted,
    links: routes(input, shifted),
    clusters: new Map([...clusters].map(([id, box]) => [id, shift(box)]))
  };
}

/** Each box one layer below the lowest of those above it. Lines that close a cycle are ignored. */
function layersOf(below: readonly number[][], above: readonly number[][]): number[][] {
  const waiting = above.map(list => list.length);
  const depth = below.map(() => 0);
  const seen = below.map(() => false);
  let queue = waiting.flatMap((count, i) => (count === 0 ? [i] : []));
  let next = 0;
  for (;;) {
    for (const i of queue) {
      seen[i] = true; // The queue grows while it is walked.
      for (const j of below[i] as number[]) {
        depth[j] = Math.max(depth[j] as number, (depth[i] as number) + 1);
        waiting[j] = (waiting[j] as number) - 1;
        if (waiting[j] === 0 && !seen[j]) {
          queue.push(j);
        }
      }
    }
    while (next < seen.length && seen[next]) {
      next++;
    }
    if (next === seen.length) {
      break;
    }
    seen[next] = true; // In a cycle: start it here.
    queue = [next];
  }
  const layers = new Map<number, number[]>();
  depth.forEach((d, i) => {
    const layer = layers.get(d);
    if (layer) {
      layer.push(i);
    } else {
      layers.set(d, [i]);
    }
  });
  return [...layers].sort(([a], [b]) => a - b).map(([, layer]) => layer);
}

/** Sort each layer by the mean place of its neighbours, downwards and upwards in turn. */
function order(layers: number[][], below: readonly number[][], above: readonly number[][]): void {
  const place: number[] = [];
  const number = (layer: readonly number[]): void =>
    layer.forEach((i, at) => {
      place[i] = layer.length > 1 ? at / (layer.length - 1) : 0.5;
    });
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const neighbours = down ? above : below;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wish = new Map(layer.map(i => [i, mean(neighbours[i] as number[], place)]));
      layer.sort(
        (a, b) => (wish.get(a) ?? place[a] ?? 0) - (wish.get(b) ?? place[b] ?? 0) || a - b
      );
      number(layer);
    }
  }
}

function mean(indices: readonly number[], values: readonly number[]): number | undefined {
  if (indices.length === 0) {
    return undefined;
  }
  return indices.reduce((sum, i) => sum + (values[i] ?? 0), 0) / indices.length;
}

function place(
  layers: readonly number[][],
  items: readonly LayoutItem[],
  below: readonly number[][],
  above: readonly number[][]
): Box[] {
  const centre: number[] = items.map(() => 0);
  const width = (i: number): number => (items[i] as LayoutItem).width;
  for (const layer of layers) {
    const total = layer.reduce((sum, i) => sum + width(i) + GAP_X, -GAP_X);
    let x = -total / 2;
    for (const i of layer) {
      centre[i] = x + width(i) / 2;
      x += width(i) + GAP_X;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const neighbours = down ? above : below;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wish = layer.map(i => mean(neighbours[i] as number[], centre) ?? (centre[i] as number));
      spread(layer, wish, width).forEach((x, at) => {
        centre[layer[at] as number] = x;
      });
    }
  }
  const boxes: Box[] = [];
  let y = 0;
  for (const layer of layers) {
    const height = Math.max(...layer.map(i => (items[i] as LayoutItem).height));
    for (const i of layer) {
      const item = items[i] as LayoutItem;
      boxes[i] = {
        x: Math.round((centre[i] as number) - item.width / 2),
        y: Math.round(y + (height - item.height) / 2),
        width: item.width,
        height: item.height
      };
    }
    y += height + GAP_Y;
  }
  return boxes;
}

/**
 * Centres as near to what is wished for as keeping order and distance allows: neighbours that
 * would overlap are merged into blocks that sit at the mean of their members' wishes.
 */
function spread(
  layer: readonly number[],
  wish: readonly number[],
  width: (i: number) => number
): number[] {
  const blocks: { start: number; count: number; sum: number; offset: number[] }[] = [];
  const centreOf = (block: (typeof blocks)[number]): number => block.sum / block.count;
  layer.forEach((_, at) => {
    let block = { start: at, count: 1, sum: wish[at] as number, offset: [0] };
    for (let last = blocks[blocks.length - 1]; last; last = blocks[blocks.length - 1]) {
      const edge = last.offset[last.count - 1] as number;
      const before = layer[last.start + last.count - 1] as number;
      const gap = width(before) / 2 + GAP_X + width(layer[block.start] as number) / 2;
      if (centreOf(last) + edge + gap <= centreOf(block)) {
        break;
      }
      blocks.pop();
      const moved = edge + gap;
      block = {
        start: last.start,
        count: last.count + block.count,
        sum: last.sum + block.sum - moved * block.count,
        offset: [...last.offset, ...block.offset.map(offset => offset + moved)]
      };
    }
    blocks.push(block);
  });
  return blocks.flatMap(block => block.offset.map(offset => centreOf(block) + offset));
}

function clusterBoxes(input: LayoutInput, boxes: readonly Box[]): Map<number, Box> {
  const inside = new Map<number, Box[]>(input.clusters.map(({ id }) => [id, []]));
  input.items.forEach((item, i) => {
    if (item.parent !== null) {
      inside.get(item.parent)?.push(boxes[i] as Box);
    }
  });
  const out = new Map<number, Box>();
  for (const { id, parent } of [...input.clusters].reverse()) {
    const members = inside.get(id) as Box[];
    if (members.length > 0) {
      const box = padded(around(members), CLUSTER_MARGIN);
      out.set(id, box);
      if (parent !== null) {
        inside.get(parent)?.push(box);
      }
    }
  }
  return out;
}

function routes(input: LayoutInput, boxes: ReadonlyMap<string, Box>): Map<string, Route> {
  const out = new Map<string, Route>();
  for (const { key, from, to } of input.links) {
    const a = boxes.get(from);
    const b = boxes.get(to);
    if (a && b) {
      const start: Point = { x: a.x + a.width / 2, y: a.y + a.height };
      const end: Point = { x: b.x + b.width / 2, y: b.y };
      const bend = Math.max(18, Math.abs(end.y - start.y) / 2);
      const points = [start, { ...start, y: start.y + bend }, { ...end, y: end.y - bend }, end];
      out.set(key, { points, curved: true });
    }
  }
  return out;
}
