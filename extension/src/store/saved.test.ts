import { beforeEach, expect, test } from 'vitest';

import { drawing, node, saved } from '../../tests/drawings';
import { plainView, RECORDINGS } from '../../tests/recordings';
import type { SaveMark, Standing, Storage, Write } from '../protocol';
import { SavedValues } from './saved';
import { Storages } from './storages';

/** Node 1 is drawn, nodes 5 and 9 are not; all saved what is in storage 3. */
const drawn = drawing({ nodes: [node(1, { saved: [saved('self', { storage: 3 })] })] });
const write: Write = { version: 1, clock: 9, op: 'mul_', place: null, alias: 'w' };

function mark(of: number, fields: Partial<SaveMark> = {}): SaveMark {
  return { node: of, name: 'self', version: 0, clock: of, state: 'alive', ...fields };
}

const storage: Storage = {
  id: 3,
  label: 'w',
  shape: [8, 4],
  dtype: 'float32',
  bytes: 128,
  version: 0,
  writes: [],
  writes_dropped: 0,
  saves_dropped: 0,
  saves: [mark(1), mark(5), mark(9, { state: 'freed' })]
};

let storages: Storages;
let values: SavedValues;
let turned: [number, number][];

function follow(told: readonly Storage[], fields: Partial<Standing> = {}): void {
  const { standing } = plainView(RECORDINGS.mlp).shown;
  const now = { ...standing, storages: told, saved: [], stale: 0, ...fields };
  storages = new Storages(told, 1);
  turned = [];
  values = new SavedValues(drawn, now, storages, (of, by) => turned.push([of, by]));
}

function written(version = 1, opened: Storage | null = null): void {
  const writes = opened ? [] : [write].slice(0, version);
  const change = { storage: 3, version, writes, writes_dropped: 0, saved: [], opened };
  const now = storages.apply(change);
  if (opened) {
    values.meet(now);
  } else {
    values.written(now);
  }
}

beforeEach(() => follow([storage]));

test('of nodes that are not drawn it is known what storages say', () => {
  expect([1, 5, 9, 7].map(of => values.of(of).map(({ state }) => state))).toEqual([
    ['alive'],
    ['alive'],
    ['freed'],
    []
  ]);
  expect(values.savers).toEqual([1]);
  expect(values.count('alive')).toBe(1);
});

test('a write makes all stale that are held, drawn or not; undone, none', () => {
  written();
  expect(turned).toEqual([
    [1, 1],
    [5, 1]
  ]);
  expect(values.stale).toBe(2);
  expect(values.staleNodes).toEqual([1, 5]);
  expect(values.of(5)[0]).toMatchObject({ state: 'stale', culprit: write, version_now: 1 });
  written(0);
  expect(values.stale).toBe(0);
  expect(values.staleNodes).toEqual([]);
});

test('what was released is not stale; given back, it is if it was written meanwhile', () => {
  values.release(5, ['self']);
  written();
  expect(turned).toEqual([[1, 1]]);
  values.giveBack(5, ['self']);
  values.giveBack(9, ['self']);
  expect(turned.slice(1)).toEqual([
    [5, 1],
    [9, 1]
  ]);
  expect(values.stale).toBe(3);
});

test('a storage that was not told of before comes with what became stale in it', () => {
  follow([]);
  expect(storages.follows({ ...change(), opened: null })).toBe(false);
  const saves = [mark(1, { state: 'stale' }), mark(5, { state: 'stale' })];
  written(1, { ...storage, version: 1, writes: [write], saves });
  expect(turned).toEqual([
    [1, 1],
    [5, 1]
  ]);
  expect(storages.written(storages.get(3) as Storage)).toBe(true);
});

test('of a value whose version nobody knows, it is so as the kernel says', () => {
  follow([{ ...storage, saves: [mark(5, { version: null })] }]);
  written();
  expect(turned).toEqual([[1, 1]]);
  const told = { node: 5, name: 'self', version_now: 1, culprit: write };
  values.tell({ ...told, state: 'stale' }, storage);
  values.tell({ ...told, node: 6, state: 'stale' }, storage);
  expect(turned.slice(1)).toEqual([
    [5, 1],
    [6, 1]
  ]);
  values.tell({ ...told, state: 'alive', culprit: null }, storage);
  expect(turned.at(-1)).toEqual([5, -1]);
});

test('what is stale when the view comes is counted by the kernel', () => {
  const saves = [mark(1, { state: 'stale' }), mark(5, { state: 'stale' })];
  follow([{ ...storage, version: 1, writes: [write], saves }], { stale: 2 });
  expect(turned).toEqual([]);
  expect(values.stale).toBe(2);
  expect(values.staleNodes).toEqual([1, 5]);
  values.release(5, ['self']);
  expect(values.stale).toBe(1);
  expect(turned).toEqual([[5, -1]]);
});

function change() {
  return { storage: 3, version: 1, writes: [write], writes_dropped: 0, saved: [] };
}
