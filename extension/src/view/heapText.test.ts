import { expect, test } from 'vitest';

import type { HeapAlias, HeapKeeper } from '../protocol';
import { cycleText, keepsText, treeOf } from './heapText';

const KEEPER: HeapKeeper = {
  name: 'total',
  nodes: 312,
  bytes: 48e6,
  shared_nodes: 0,
  shared_bytes: 0,
  shared_with: [],
  through: 'total',
  since: null
};

function alias(name: string, of: number | null): HeapAlias {
  return { name, relation: 'view', of, shape: [2], dtype: 'float32', version: 0, maker: '' };
}

test('what a variable keeps alone, and what together with others', () => {
  expect(keepsText(KEEPER)).toBe('keeps 312 nodes and 48 MB alive');
  const shared = { ...KEEPER, shared_nodes: 3, shared_bytes: 500, shared_with: ['loss'] };
  expect(keepsText(shared)).toBe(
    'keeps 312 nodes and 48 MB alive, and 3 nodes and 500 B more together with loss'
  );
  expect(keepsText({ ...shared, nodes: 0 })).toBe(
    'keeps 3 nodes and 500 B alive together with loss'
  );
});

test('a cycle that is held, and one that is garbage', () => {
  const cycle = { path: ['w', '.grad', 'w'], nodes: 5, bytes: 800, held: ['w'], place: null };
  expect(cycleText(cycle)).toBe(
    'w → .grad → w: 5 nodes and 800 B; only the collector frees it, once w is gone'
  );
  expect(cycleText({ ...cycle, held: [] })).toContain('gc.collect() frees it');
});

test('a tree of aliases, and none that goes round', () => {
  const tree = treeOf([alias('a', null), alias('b', 0), alias('c', 1), alias('d', 0)]);
  expect(tree.map(({ alias: { name }, under }) => [name, under.length])).toEqual([['a', 2]]);
  expect(tree[0]?.under[0]?.under[0]?.alias.name).toBe('c');
  expect(treeOf([alias('a', 0), alias('b', 5), alias('c', -1)])).toHaveLength(3);
});
