import { beforeEach, expect, test } from 'vitest';

import { Wishes } from './wishes';

let wishes: Wishes;
beforeEach(() => {
  wishes = new Wishes();
});

test('what is wished before there is a session is asked of the one that comes, once', () => {
  wishes.set('a', 2, true);
  expect(wishes.meet('s1', 'a', [{ line: 1, stop: 'none' }])).toEqual([]);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }])).toEqual([2]);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }])).toEqual([]);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'on' }])).toEqual([]);
  expect(wishes.meet('s2', 'a', [{ line: 2, stop: 'none' }])).toEqual([2]);
});

test('what the session was told as it was wished is not asked for again', () => {
  wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }]);
  wishes.set('a', 2, true, true);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }])).toEqual([]);
  expect(wishes.meet('s2', 'a', [{ line: 2, stop: 'none' }])).toEqual([2]);
});

test('what a session has refused is asked of it again, and not of another', () => {
  wishes.set('a', 2, true);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }])).toEqual([2]);
  wishes.refused('s0', 'a', 2);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }])).toEqual([]);
  wishes.refused('s1', 'a', 2);
  expect(wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }])).toEqual([2]);
});

test('what is set in code is kept for the next session', () => {
  wishes.meet('s1', 'a', [{ line: 4, stop: 'off' }]);
  expect([...wishes.of('a')]).toEqual([4]);
  expect(wishes.meet('s2', 'a', [{ line: 4, stop: 'none' }])).toEqual([4]);
});

test('what is taken away elsewhere is not wished any more', () => {
  wishes.set('a', 2, true);
  wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }]);
  wishes.meet('s1', 'a', [{ line: 2, stop: 'on' }]);
  wishes.meet('s1', 'a', [{ line: 2, stop: 'none' }]);
  expect([...wishes.of('a')]).toEqual([]);
  expect(wishes.meet('s2', 'a', [{ line: 2, stop: 'none' }])).toEqual([]);
});

test('cells have lines of their own, which move with their text', () => {
  wishes.set('a', 2, true);
  wishes.set('b', 3, true);
  wishes.move('a', new Set([5]));
  expect([...wishes.of('a')]).toEqual([5]);
  expect([...wishes.of('b')]).toEqual([3]);
});
