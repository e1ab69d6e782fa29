import { expect, test } from 'vitest';

import { mlp, saved } from '../../../tests/graphs';
import type { Storage } from '../../protocol';
import { timelineOf } from './timeline';

const storage = mlp().storages[0] as Storage;

test('saves and writes in the order of the clock; stale from the write that did it', () => {
  const { ticks, staleFrom } = timelineOf(storage, new Map());
  expect(ticks.map(tick => tick.kind)).toEqual(['save', 'write']);
  expect(staleFrom).toBe(ticks[1]?.at);
});

test('a saved value that the run has released is no longer stale', () => {
  const now = new Map([[2, [saved('mat2', { state: 'freed' })]]]);
  const { ticks, staleFrom } = timelineOf(storage, now);
  expect(ticks[0]).toMatchObject({ kind: 'save', state: 'freed' });
  expect(staleFrom).toBeNull();
});

test('a write that is no longer kept makes it stale from the beginning', () => {
  expect(timelineOf({ ...storage, writes: [], writes_dropped: 1 }, new Map()).staleFrom).toBe(0);
});
