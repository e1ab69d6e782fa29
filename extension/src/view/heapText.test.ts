import { expect, test } from 'vitest';

import type { HeapAlias, HeapKeeper, HeapStorage } from '../protocol';
import { alike, bytesOf, cycleText, eachText, keepsText, sessionsText, treeOf } from './heapText';

const KEEPER: HeapKeeper = {
  names: ['total'],
  names_more: 0,
  nodes: 312,
  node_bytes: 89e3,
  bytes: 48e6,
  sessions: [],
  through: 'total',
  since: null
};

function alias(name: string, of: number | null): HeapAlias {
  return { name, relation: 'view', of, shape: [2], dtype: 'float32', version: 0, maker: '' };
}

test('what a variable keeps alone, what several keep, and what sessions keep, too', () => {
  expect(keepsText(KEEPER)).toBe('keeps 312 nodes (89 kB) and 48 MB of tensors');
  expect(sessionsText(KEEPER)).toBe('');
  const shared = { ...KEEPER, names: ['a', 'b'], nodes: 1 };
  expect(keepsText(shared)).toBe('keep the same 1 node (89 kB) and 48 MB of tensors');
  expect(keepsText({ ...shared, names_more: 1200 })).toMatch(/^and 1,200 more keep the same/);
  expect(sessionsText({ ...KEEPER, sessions: ['loss'] })).toBe(
    '; the open session of loss keeps them, too, until closed'
  );
  expect(sessionsText({ ...KEEPER, names: [], sessions: ['a', 'b'] })).toBe(
    'the open sessions of a, b'
  );
});

test('a cycle that is held, and one that is garbage', () => {
  const cycle = { path: ['w', '.grad', 'w'], nodes: 5, bytes: 800, held: ['w'], place: null };
  expect(cycleText(cycle)).toBe(
    'w → .grad → w: 5 nodes and 800 B; only the garbage collector frees it, after w is deleted'
  );
  expect(cycleText({ ...cycle, held: [] })).toContain('gc.collect() frees it');
});

test('leaves of a tree that are alike are one', () => {
  const [root] = treeOf([
    alias('w', null),
    alias('a', 0),
    alias('a', 0),
    alias('a', 0),
    alias('b', 2)
  ]);
  expect(root?.under.map(({ count, under }) => [count, under.length])).toEqual([
    [2, 0],
    [1, 1]
  ]);
});

test('a tree of aliases, and none that goes round', () => {
  const tree = treeOf([alias('a', null), alias('b', 0), alias('c', 1), alias('d', 0)]);
  expect(tree.map(({ alias: { name }, under }) => [name, under.length])).toEqual([['a', 2]]);
  expect(tree[0]?.under[0]?.under[0]?.alias.name).toBe('c');
  expect(treeOf([alias('a', 0), alias('b', 5), alias('c', -1)])).toHaveLength(3);
});

test('what a loop has saved is one row, and it comes where all of it belongs', () => {
  const holders = [
    { kind: 'saved' as const, text: 'saved `mat1`', place: null, graphs: ['total'], graphs_more: 0 }
  ];
  const saved = (id: number): HeapStorage => ({
    id,
    name: 'saved `mat1`',
    use: 'saved',
    bytes: 4000,
    shape: [10, 100],
    dtype: 'float32',
    device: 'cpu',
    version: 0,
    holders,
    holders_more: 0,
    aliases: [],
    aliases_more: 0
  });
  const weight: HeapStorage = { ...saved(0), name: 'w', bytes: 8000, shape: [2000] };
  const groups = alike([weight, saved(1), saved(2), saved(3)]);
  expect(groups.map(group => group.map(({ id }) => id))).toEqual([[1, 2, 3], [0]]);
  expect(groups.map(bytesOf)).toEqual([12000, 8000]);
  expect(groups.map(eachText)).toEqual(['[10, 100] float32 v0, 4.0 kB each', '[2000] float32 v0']);
  expect(eachText([saved(1), { ...saved(2), version: 1 }])).toBe('[10, 100] float32, 4.0 kB each');
});
