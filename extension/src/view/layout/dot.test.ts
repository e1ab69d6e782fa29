// @vitest-environment node
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { expect, test } from 'vitest';

import { touches } from './boxes';
import { writeDot } from './dot';
import { readGraphviz } from './graphvizJson';
import type { LayoutInput } from './types';

const input: LayoutInput = {
  items: [
    { key: 'n0', width: 144, height: 72, parent: null },
    { key: 'n1', width: 144, height: 36, parent: 0 },
    { key: 'p1_0', width: 72, height: 36, parent: 1 }
  ],
  links: [
    { key: 'e0_0', from: 'n0', to: 'n1' },
    { key: 'e1_0', from: 'n1', to: 'p1_0' },
    { key: 'e1_1', from: 'n1', to: 'p1_0' }
  ],
  clusters: [
    { id: 0, parent: null },
    { id: 1, parent: 0 }
  ]
};

test('writes sizes in inches, groups as clusters, lines by our own keys', () => {
  expect(writeDot(input).split('\n').slice(4)).toEqual([
    'n0 [width=2.0000 height=1.0000]',
    'subgraph cluster_0 {',
    'margin=18',
    'n1 [width=2.0000 height=0.5000]',
    'subgraph cluster_1 {',
    'margin=18',
    'p1_0 [width=1.0000 height=0.5000]',
    '}',
    '}',
    'n0 -> n1 [id=e0_0]',
    'n1 -> p1_0 [id=e1_0]',
    'n1 -> p1_0 [id=e1_1]',
    '}'
  ]);
});

test('Graphviz places it, and its answer is read back: boxes in frames, lines from top to bottom', async () => {
  const graphviz = await Graphviz.load();
  const layout = readGraphviz(graphviz.layout(writeDot(input), 'json0' as 'json', 'dot'), input);
  const [a, b, c] = ['n0', 'n1', 'p1_0'].map(key => layout.items.get(key));
  expect(a && b && c && a.y < b.y && b.y < c.y).toBe(true);
  expect(a).toMatchObject({ width: 144, height: 72 });
  const outer = layout.clusters.get(0);
  const inner = layout.clusters.get(1);
  expect(outer && inner && b && c && touches(outer, b) && touches(inner, c)).toBe(true);
  expect(outer && inner && outer.height > inner.height).toBe(true);
  const { points = [] } = layout.links.get('e0_0') ?? {};
  expect(points.length % 3).toBe(1);
  expect(points[0]?.y).toBeCloseTo(72, 0);
  expect(points[points.length - 1]?.y).toBeCloseTo(b?.y ?? 0, 0);
});

test('an answer that lacks a box is refused', () => {
  expect(() => readGraphviz('{"bb": "0,0,1,1", "objects": []}', input)).toThrow('0 of 3');
});
