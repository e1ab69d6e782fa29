import { expect, test } from 'vitest';

import { movedHeads } from './sticky';
import type { Head } from './sticky';

const outer: Head = { frame: { x: 0, y: 0, width: 1000, height: 800 }, left: 12, width: 100 };
const inner: Head = { ...outer, frame: { x: 40, y: 22, width: 400, height: 300 } };
const moved = (x: number, y: number) =>
  movedHeads([outer, inner], { x, y, width: 500, height: 400 }, 5);

test('what is in sight stays where it is', () => {
  expect(moved(-20, -20)).toEqual([0, 0]);
  expect(moved(0, 0)).toEqual([0, 0]);
});

test('of a frame that begins left of the screen it stands at the edge, up to where the frame ends', () => {
  expect(moved(200, 0)).toEqual([193, 153]);
  expect(moved(430, 0)[1]).toBe(400 - 100 - 5 - 12);
});

test('of a frame that begins above the screen it does not come down among the boxes', () => {
  expect(moved(0, 100)).toEqual([0, 0]);
  expect(moved(0, 790)).toEqual([0, 0]);
});

test('one that is as wide as its frame is left alone', () => {
  const small: Head = { ...outer, frame: { x: 0, y: 0, width: 50, height: 10 } };
  expect(movedHeads([small], { x: 20, y: 5, width: 500, height: 400 }, 5)).toEqual([0]);
});
