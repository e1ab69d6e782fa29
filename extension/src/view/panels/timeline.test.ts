import { expect, test } from 'vitest';

import { saved } from '../../../tests/drawings';
import { RECORDINGS } from '../../../tests/recordings';
import { Storages } from '../../store';
import type { Saved, SaveMark, Storage, Write } from '../../protocol';
import { labelled, ranked, timelineOf } from './timeline';

/** The weight that was written after it was saved. */
const storage = RECORDINGS.stale.storages.storages.find(each =>
  each.saves.some(mark => mark.state === 'stale')
) as Storage;

/** What is known of saved values: nothing, or this one. */
const savedAs = (mark?: SaveMark, value?: Saved) => ({
  of: (node: number): readonly Saved[] => (node === mark?.node && value ? [value] : []),
  stale: 1,
  staleStorages: new Set(mark ? [] : [storage.id])
});

test('saves and writes in the order of the clock; stale from the write that did it', () => {
  const { ticks, staleFrom } = timelineOf(storage, savedAs());
  expect(ticks.map(tick => tick.kind)).toEqual(['save', 'write']);
  expect(staleFrom).toBe(ticks[1]?.at);
});

test('a saved value that the run has released is no longer stale', () => {
  const [mark] = storage.saves as [SaveMark];
  const freed = savedAs(mark, saved(mark.name, { state: 'freed' }));
  const { ticks, staleFrom } = timelineOf(storage, freed);
  expect(ticks[0]).toMatchObject({ kind: 'save', state: 'freed' });
  expect(staleFrom).toBeNull();
});

test('of a crowd of writes only those that concern a saved value are drawn', () => {
  const [write] = storage.writes as [Write];
  const writes = Array.from({ length: 60 }, (_, i) => ({
    ...write,
    version: i + 601,
    clock: 10 * i
  }));
  const [mark] = storage.saves as [SaveMark];
  const crowded = {
    ...storage,
    version: 660,
    writes_dropped: 600,
    writes,
    saves: [{ ...mark, clock: 505, version: 651 }]
  };
  const { ticks, untold } = timelineOf(crowded, savedAs());
  const drawn = ticks.map(tick => (tick.kind === 'write' ? tick.write.version : 'save'));
  expect(drawn).toEqual([651, 'save', 652, 660]);
  expect(untold).toBe(657);
});

test('of a crowd of saves some are drawn, and one that is stale is found among all', () => {
  const [mark] = storage.saves as [SaveMark];
  const saves = Array.from({ length: 5000 }, (_, i) => ({
    ...mark,
    node: i,
    clock: 2 * i,
    state: i === 1234 ? ('stale' as const) : ('alive' as const)
  }));
  const writes = [{ ...(storage.writes[0] as Write), clock: 3001 }];
  const { ticks, unseen, staleFrom } = timelineOf({ ...storage, saves, writes }, savedAs());
  expect(ticks.length).toBeLessThan(60);
  expect(ticks.length + unseen).toBe(5001);
  expect(staleFrom).toBe(ticks.find(tick => tick.kind === 'write')?.at);
});

test('of saves that are not told of it is known how many there are, and that one is stale', () => {
  const told = { ...storage, saves: [], saves_dropped: 300 };
  const { ticks, unseen, staleFrom } = timelineOf(told, savedAs());
  expect(unseen).toBe(300);
  expect(staleFrom).toBe(ticks[0]?.at);
});

test('a write that is no longer kept makes it stale from the beginning', () => {
  expect(timelineOf({ ...storage, writes: [], writes_dropped: 1 }, savedAs()).staleFrom).toBe(0);
});

test('a save at a version that nobody knows any more is stale from the save on', () => {
  const [write] = storage.writes as [Write];
  const [mark] = storage.saves as [SaveMark];
  const old = {
    ...storage,
    version: 5000,
    writes_dropped: 4999,
    writes: [{ ...write, clock: 900, version: 5000 }],
    saves: [{ ...mark, clock: 5, version: null, state: 'stale' as const }]
  };
  const { ticks, staleFrom } = timelineOf(old, savedAs());
  expect(ticks.map(tick => tick.kind)).toEqual(['save', 'write']);
  expect(staleFrom).toBe(ticks[0]?.at);
});

test('stale first, then what was written since; the rest, by node, apart', () => {
  const [mark] = storage.saves as [SaveMark];
  const saves = (node: number): SaveMark[] => [{ ...mark, node, state: 'alive' }];
  const plain = { ...storage, writes: [], version: 3 };
  const opened = [
    { ...plain, id: 21, saves: saves(9) },
    { ...plain, id: 22, saves: saves(5) },
    { ...plain, id: 23, saves: [] },
    { ...plain, id: 24, saves: [] },
    { ...storage, id: 25 }
  ];
  const storages = new Storages(opened);
  const change = {
    storage: 24,
    version: 4,
    writes: [],
    writes_dropped: 4,
    saved: [],
    opened: null
  };
  storages.apply(change);
  const { shown, quiet } = ranked(storages, { ...savedAs(), staleStorages: new Set([25]) });
  expect(shown.map(({ id }) => id)).toEqual([25, 24]);
  expect(quiet.map(({ id }) => id)).toEqual([22, 21, 23]);
});

test('labels of writes never overlap, and the last write keeps its own', () => {
  const [write] = storage.writes as [Write];
  const writes = Array.from({ length: 8 }, (_, i) => ({ ...write, version: 654 + i, clock: i }));
  const line = timelineOf({ ...storage, writes, saves: [], version: 661 }, savedAs());
  const labels = labelled(line, 120);
  expect(labels.has(line.ticks[7] as (typeof line.ticks)[0])).toBe(true);
  const places = [...labels].map(tick => tick.at * 120).sort((a, b) => a - b);
  places.slice(1).forEach((place, i) => expect(place - (places[i] ?? 0)).toBeGreaterThan(29));
  expect(labelled(line, 2000).size).toBe(8);
});
