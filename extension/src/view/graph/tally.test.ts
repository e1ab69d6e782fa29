import { expect, test } from 'vitest';

import { tally as tallyOf } from '../../../tests/drawings';
import type { Tally } from '../../protocol';
import { concerns, countWithin, groupState, progressText } from './tally';

const tally = (fields: Partial<Tally> = {}): Tally => tallyOf(4, fields);

test('a group is as urgent as the most urgent node in it', () => {
  expect(groupState(tally({ error: 1, ready: 1 }), true)).toBe('error');
  expect(groupState(tally({ ready: 1 }), true)).toBe('current');
  expect(groupState(tally({ ready: 1, done: 2 }), false)).toBe('ready');
  expect(groupState(tally({ done: 3 }), false)).toBe('waiting');
});

test('a group is done when nothing in it is left to do', () => {
  expect(groupState(tally({ done: 4 }), false)).toBe('done');
  expect(groupState(tally({ done: 1, skipped: 3 }), false)).toBe('done');
  expect(groupState(tally({ captured: 1, skipped: 3 }), false)).toBe('captured');
  expect(groupState(tally({ skipped: 4 }), false)).toBe('skipped');
});

test('says how far it is, and what is wrong', () => {
  expect(progressText(tally({ done: 3 }))).toBe('3 of 4 nodes done');
  expect(concerns(tally(), 0)).toEqual([]);
  expect(concerns(tally({ nonfinite: 2, stale: 1, error: 1 }), 2)).toEqual([
    '1 error',
    '2 not finite',
    '1 stale',
    '2 breakpoints'
  ]);
  expect(countWithin([1, 4, 7, 8], 4, 8)).toBe(2);
});
