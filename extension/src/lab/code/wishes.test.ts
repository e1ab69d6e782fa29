import { beforeEach, expect, test } from 'vitest';

import type { LineStop } from '../../protocol';
import { PLAIN, Wishes } from './wishes';
import type { Kept, KnownLine, Missing } from './wishes';

let wishes: Wishes;
const OFF: Kept = { ...PLAIN, enabled: false };
const ASKS: Kept = { ...PLAIN, condition: 'grad.norm() > 1', hits: 2 };
const LOGS: Kept = { ...PLAIN, log: 'norm {grad.norm()}' };

/** A line as a session has it. */
const known = (line: number, ...set: Kept[]): KnownLine => ({
  line,
  set: set.map((each, id): LineStop => ({ ...each, line: 0, id, refused: '' }))
});
const plain = (line: number): Missing => ({ line, kept: PLAIN });

beforeEach(() => {
  wishes = new Wishes();
});

test('what is wished before there is a session is asked of the one that comes, once', () => {
  wishes.set('a', 2, true);
  expect(wishes.meet('s1', 'a', [known(1)])).toEqual([]);
  expect(wishes.meet('s1', 'a', [known(2)])).toEqual([plain(2)]);
  expect(wishes.meet('s1', 'a', [known(2)])).toEqual([]);
  expect(wishes.meet('s1', 'a', [known(2, PLAIN)])).toEqual([]);
  expect(wishes.meet('s2', 'a', [known(2)])).toEqual([plain(2)]);
});

test('what the session was told as it was wished is not asked for again', () => {
  wishes.meet('s1', 'a', [known(2)]);
  wishes.set('a', 2, true, true);
  expect(wishes.meet('s1', 'a', [known(2)])).toEqual([]);
  expect(wishes.meet('s2', 'a', [known(2)])).toEqual([plain(2)]);
});

test('what a session has refused is asked of it again, and not of another', () => {
  wishes.set('a', 2, true);
  expect(wishes.meet('s1', 'a', [known(2)])).toEqual([plain(2)]);
  wishes.refused('s0', 'a', plain(2));
  expect(wishes.meet('s1', 'a', [known(2)])).toEqual([]);
  wishes.refused('s1', 'a', plain(2));
  expect(wishes.meet('s1', 'a', [known(2)])).toEqual([plain(2)]);
});

test('what is set in code is kept for the next session', () => {
  wishes.meet('s1', 'a', [known(4, OFF)]);
  expect([...wishes.of('a').keys()]).toEqual([4]);
  expect(wishes.meet('s2', 'a', [known(4)])).toEqual([{ line: 4, kept: OFF }]);
});

test('what is taken away elsewhere is not wished any more', () => {
  wishes.set('a', 2, true);
  wishes.meet('s1', 'a', [known(2)]);
  wishes.meet('s1', 'a', [known(2, PLAIN)]);
  wishes.meet('s1', 'a', [known(2)]);
  expect([...wishes.of('a').keys()]).toEqual([]);
  expect(wishes.meet('s2', 'a', [known(2)])).toEqual([]);
});

test('cells have lines of their own, which move with their text', () => {
  wishes.set('a', 2, true);
  wishes.set('b', 3, true);
  wishes.move('a', new Map([[5, [PLAIN]]]));
  expect([...wishes.of('a').keys()]).toEqual([5]);
  expect([...wishes.of('b').keys()]).toEqual([3]);
});

test('all that is set of a breakpoint is asked of the session that comes, as it was last', () => {
  wishes.set('a', 2, true, true);
  wishes.meet('s1', 'a', [known(2, PLAIN)]);
  wishes.meet('s1', 'a', [known(2, ASKS)]);
  expect(wishes.meet('s2', 'a', [known(2)])).toEqual([{ line: 2, kept: ASKS }]);
  wishes.meet('s2', 'a', [known(2, { ...ASKS, enabled: false })]);
  const off = { ...ASKS, enabled: false };
  expect(wishes.meet('s3', 'a', [known(2)])).toEqual([{ line: 2, kept: off }]);
});

test('a line has one that stops and one that logs, and each is kept, and taken away, alone', () => {
  wishes.meet('s1', 'a', [known(2, OFF, LOGS)]);
  expect(wishes.meet('s2', 'a', [known(2)])).toEqual([
    { line: 2, kept: OFF },
    { line: 2, kept: LOGS }
  ]);
  wishes.meet('s2', 'a', [known(2, OFF, LOGS)]);
  wishes.meet('s2', 'a', [known(2, LOGS)]);
  expect(wishes.of('a').get(2)).toEqual([LOGS]);
  wishes.set('a', 2, true, true);
  wishes.set('a', 2, false, true);
  expect(wishes.of('a').get(2)).toEqual([LOGS]);
  wishes.set('a', 2, false); // no session has the line: nothing else can take them away
  expect(wishes.of('a').size).toBe(0);
});
