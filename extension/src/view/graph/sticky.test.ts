import { expect, test } from 'vitest';

import { IN_PLACE, movedHeads } from './sticky';
import type { Head } from './sticky';

const outer: Head = {
  frame: { x: 0, y: 0, width: 1000, height: 800 },
  parent: -1,
  left: 12,
  width: 100,
  height: 22
};
const inner: Head = { ...outer, frame: { x: 40, y: 22, width: 400, height: 300 }, parent: 0 };
const screen = (x: number, y: number) => ({ x, y, width: 500, height: 400 });
const moved = (x: number, y: number) => movedHeads([outer, inner], screen(x, y), 5);

test('what is in sight stays where it is', () => {
  expect(moved(-20, -20)).toEqual([IN_PLACE, IN_PLACE]);
  expect(moved(0, 0)).toEqual([IN_PLACE, IN_PLACE]);
});

test('of a frame that begins left of the screen it stands at the edge, up to where the frame ends', () => {
  expect(moved(200, 0)).toEqual([
    { x: 193, y: 0 },
    { x: 153, y: 0 }
  ]);
  expect(moved(430, 0)[1]).toEqual({ x: 400 - 100 - 5 - 12, y: 0 });
});

test('of frames that begin above it they stand below each other, and go with the end of theirs', () => {
  expect(moved(0, 100)).toEqual([
    { x: 0, y: 100 },
    { x: 0, y: 100 }
  ]);
  expect(moved(0, 310)).toEqual([
    { x: 0, y: 310 },
    { x: 0, y: 300 - 22 }
  ]);
  expect(moved(0, 790)[0]).toEqual({ x: 0, y: 800 - 22 });
});

test('one that is narrower or lower than its title is left alone', () => {
  const small: Head = { ...outer, frame: { x: 0, y: 0, width: 50, height: 10 } };
  expect(movedHeads([small], screen(20, 5), 5)).toEqual([IN_PLACE]);
});

test('it covers no box where there is room beside it', () => {
  const box = (x: number, width: number) => ({ x, y: 90, width, height: 60 });
  const beside = (...boxes: ReturnType<typeof box>[]) =>
    movedHeads([outer], screen(0, 100), 5, boxes)[0];
  expect(beside(box(200, 80))).toEqual({ x: 0, y: 100 });
  expect(beside(box(50, 80))).toEqual({ x: 50 + 80 + 5 - 12, y: 100 });
  expect(beside(box(50, 80), box(180, 100))).toEqual({ x: 280 + 5 - 12, y: 100 });
  expect(beside(box(0, 480))).toEqual({ x: 0, y: 100 });
  expect(movedHeads([outer], screen(0, -20), 5, [box(0, 480)])).toEqual([IN_PLACE]);
});

test('a title is never outside of its frame, nor another over it at the edge', () => {
  for (let x = -100; x < 1000; x += 37) {
    for (let y = -100; y < 900; y += 29) {
      const [first, second] = moved(x, y);
      const tops = [(first?.y ?? 0) + 0, (second?.y ?? 0) + 22];
      expect(tops[0]).toBeGreaterThanOrEqual(0);
      expect(tops[0]).toBeLessThanOrEqual(800 - 22);
      expect(tops[1]).toBeLessThanOrEqual(22 + 300 - 22);
      if ((tops[1] as number) < 22 + 300 - 22) {
        expect(tops[1]).toBeGreaterThanOrEqual((tops[0] as number) + 22);
      }
      expect(12 + (first?.x ?? 0) + 100).toBeLessThanOrEqual(1000 - 5);
    }
  }
});
