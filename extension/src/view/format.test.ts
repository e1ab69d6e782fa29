import { expect, test } from 'vitest';

import * as format from './format';

test.each([
  [0, '0'],
  [1, '1'],
  [-0.25, '-0.25'],
  [0.0123456, '0.01235'],
  [123456, '1.23e5'],
  [1e-7, '1e-7'],
  [-1.5e-7, '-1.5e-7'],
  [100, '100'],
  [12346, '12350'],
  [99999.9, '1e5'],
  [1e10, '1e10'],
  [1.5e10, '1.5e10'],
  [NaN, 'NaN'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
  [null, '–']
])('number %s is %s', (value, text) => {
  expect(format.number(value)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9_960, '10 kB'],
  [102_400, '102 kB'],
  [15_500, '16 kB'],
  [999_600, '1.0 MB'],
  [3e12, '3.0 TB'],
  [5e16, '50000 TB']
])('%s bytes are %s', (count, text) => {
  expect(format.bytes(count)).toBe(text);
});

test.each([
  [2, '2.00 s'],
  [0.0123, '12.3 ms'],
  [0.000042, '42 µs']
])('%s seconds are %s', (value, text) => {
  expect(format.seconds(value)).toBe(text);
});

test('a place is a cell and line, or a file and line', () => {
  const place = { file: '/home/me/net.py', line: 3, function: '', cell: null, text: '' };
  expect(format.place(place)).toBe('net.py:3');
  expect(format.place({ ...place, file: 'C:\\me\\net.py' })).toBe('net.py:3');
  expect(format.place({ ...place, cell: 'In [7]' })).toBe('In [7], line 3');
});

test('a shape tells where the examples of a vmap lie', () => {
  const batch = (dim: number, size: number, rows = 1) => ({ dim, size, rows });
  expect(format.batched([3, 4], [])).toBe('[3, 4]');
  expect(format.batched([5, 3, 4], [batch(0, 5)])).toBe('[B: 5] × [3, 4]');
  expect(format.batched([5], [batch(0, 5)])).toBe('[B: 5] × []');
  expect(format.batched([2, 6, 4], [batch(0, 2), batch(1, 6)])).toBe('[B: 2] × [B: 6] × [4]');
  expect(format.batched([20, 2], [batch(0, 5, 4)])).toBe('[B: 5 · 4] × [2]');
  expect(format.batched([10], [batch(0, 5, 2)])).toBe('[B: 5 · 2]');
  expect(format.batched([2, 20, 6], [batch(1, 5, 4)])).toBe('[2] × [B: 5 · 4] × [6]');
  expect(format.batched([48, 2], [batch(0, 2, 24), batch(0, 3, 4)])).toBe(
    '[B: 2 · 2 · B: 3 · 4] × [2]'
  );
});

test('states in words, long and short', () => {
  const run = {
    state: 'waiting',
    delivered: 1,
    needed: 3,
    order: null,
    reason: '',
    grad_norm: null,
    tangents: []
  } as const;
  expect(format.nodeState(run)).toBe('waiting, 1 of 3');
  expect(format.nodeBrief(run)).toBe('waiting 1/3');
  const done = { ...run, state: 'done', order: 4, grad_norm: 0.123456 } as const;
  expect(format.nodeState(done)).toBe('done #5, ‖g‖ 0.1235');
  expect(format.nodeBrief(done)).toBe('#5  ‖g‖ 0.123');
  const dual = { ...done, tangents: [36.1248, null] };
  expect(format.nodeState(dual)).toBe('done #5, ‖g‖ 0.1235 ↓36.12 ↓–');
  expect(format.nodeBrief({ ...done, tangents: [36.1248] })).toBe('#5  ‖g‖ 0.123 ↓36.1');
  expect(format.nodeState({ ...done, grad_norm: null })).toBe('done #5, no gradient');
  const skipped = { ...run, state: 'skipped', reason: 'no target behind it' } as const;
  expect(format.nodeState(skipped)).toBe('skipped: no target behind it');
  const error = { ...run, state: 'error', reason: 'saved `x` is stale' } as const;
  expect(format.nodeState(error)).toBe('error: saved x is stale');
});

test('a node that is running, and one that was next until it began', () => {
  const waiting = {
    state: 'waiting',
    delivered: 1,
    needed: 1,
    order: null,
    reason: '',
    grad_norm: null,
    tangents: []
  } as const;
  const current = { ...waiting, state: 'current' } as const;
  expect(format.nodeState(current)).toBe('runs next');
  expect(format.nodeBrief(current, format.whereRuns(3, current, 3))).toBe('running');
  // What was next is done when another one runs: one node runs at a time.
  expect(format.nodeBrief(current, format.whereRuns(3, current, 2))).toBe('done');
  expect(format.drawnState(current, format.whereRuns(3, current, 2))).toBe('done');
  expect(format.drawnState(waiting, format.whereRuns(3, waiting, 3))).toBe('current');
  expect(format.nodeBrief(waiting, format.whereRuns(3, waiting, 3))).toBe('running');
  expect(format.whereRuns(3, waiting, 2)).toBeNull();
  expect(format.whereRuns(null, current, 2)).toBeNull();
  // A trace without steps has no run in which it could wait.
  const alone = { ...waiting, delivered: 0, needed: 0 } as const;
  expect([format.nodeState(alone), format.nodeBrief(alone)]).toEqual(['not run', 'not run']);
});

test('a node that raised is not counted as done', () => {
  expect(format.doneCount({ position: 3, status: 'failed' })).toBe(2);
  expect(format.doneCount({ position: 3, status: 'paused' })).toBe(3);
});
