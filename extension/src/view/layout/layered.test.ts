import { describe, expect, test } from 'vitest';

import { blocks, mlp } from '../../../tests/graphs';
import { openGroups } from '../graph/folding';
import { scopeTree } from '../graph/scopes';
import { sizeOf } from '../graph/sizes';
import { TextMetrics } from '../graph/text';
import { visibleGraph } from '../graph/visible';
import { touches } from './boxes';
import { layered } from './layered';
import type { LayoutInput } from './types';

function inputOf(graph: ReturnType<typeof mlp>): LayoutInput {
  const tree = scopeTree(graph);
  const visible = visibleGraph(graph, tree, openGroups(graph, tree, new Map()));
  const metrics = new TextMetrics();
  return {
    items: visible.items.map(item => ({
      key: item.key,
      parent: item.parent,
      ...sizeOf(item, graph, tree, metrics)
    })),
    links: visible.links,
    clusters: visible.clusters.map(id => ({ id, parent: tree.groups[id]?.parent ?? null }))
  };
}

const bare = (key: string) => ({ key, parent: null, width: 100, height: 40 });

describe('layered', () => {
  test.each([
    ['an MLP', mlp()],
    ['300 nodes', blocks(300)],
    ['1000 nodes', blocks(1000)]
  ])('places %s: nothing overlaps, all lines go down, all is inside', (_, graph) => {
    const input = inputOf(graph);
    const layout = layered(input);
    const boxes = [...layout.items.values()];
    expect(boxes).toHaveLength(input.items.length);
    boxes.forEach((a, i) => {
      expect(boxes.slice(i + 1).some(b => touches(a, b))).toBe(false);
      expect(a.x).toBeGreaterThanOrEqual(0);
      expect(a.x + a.width).toBeLessThanOrEqual(layout.width);
      expect(a.y + a.height).toBeLessThanOrEqual(layout.height);
    });
    for (const { from, to } of input.links) {
      const [a, b] = [layout.items.get(from), layout.items.get(to)];
      expect(a && b && a.y + a.height <= b.y).toBe(true);
    }
    expect(layout.links.size).toBe(input.links.length);
  });

  test('a frame is around what is in its group', () => {
    const input = inputOf(mlp());
    const { items, clusters } = layered(input);
    for (const { key, parent } of input.items) {
      const box = items.get(key);
      const frame = parent === null ? undefined : clusters.get(parent);
      if (box && frame) {
        expect(frame.x < box.x && frame.y < box.y).toBe(true);
        expect(frame.x + frame.width > box.x + box.width).toBe(true);
      }
    }
    expect(clusters.size).toBe(3);
  });

  test('lines in a circle do not hang it', () => {
    const links = ['ab', 'bc', 'ca'].map(([from = '', to = '']) => ({ key: from + to, from, to }));
    const layout = layered({ items: ['a', 'b', 'c'].map(bare), links, clusters: [] });
    expect(layout.items.size).toBe(3);
  });

  test('nothing at all is laid out as nothing', () => {
    expect(layered({ items: [], links: [], clusters: [] }).items.size).toBe(0);
  });

  test('a chain of 20,000 is placed without overflowing the stack', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => bare(`n${i}`));
    const links = items.slice(1).map((item, i) => ({ key: `e${i}`, from: `n${i}`, to: item.key }));
    expect(layered({ items, links, clusters: [] }).items.size).toBe(20_000);
  });
});
