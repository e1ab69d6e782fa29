import { expect, test } from 'vitest';

import { movedHeads } from './sticky';
import type { Head } from './sticky';

const outer: Head = {
  frame: { x: 0, y: 0, width: 1000, height: 800 },
  parent: -1,
  left: 12,
  width: 100,
  height: 22,
  least: 100
};
const IN_PLACE = { x: 0, y: 0, width: 100 };
const inner: Head = { ...outer, frame: { x: 40, y: 22, width: 400, height: 300 }, parent: 0 };
const screen = (x: number, y: number) => ({ x, y, width: 500, height: 400 });
const moved = (x: number, y: number) => movedHeads([outer, inner], screen(x, y), 5);
const at = (x: number, y: number, width = 100) => ({ x, y, width });

test('what is in sight stays where it is', () => {
  expect(moved(-20, -20)).toEqual([IN_PLACE, IN_PLACE]);
  expect(moved(0, 0)).toEqual([IN_PLACE, IN_PLACE]);
});

test('of a frame that begins left of the screen it stands at the edge, up to where the frame ends', () => {
  expect(moved(200, 0)).toEqual([at(193, 0), at(153, 0)]);
  expect(moved(430, 0)[1]).toEqual(at(400 - 100 - 5 - 12, 0));
});

test('of frames that begin above it they stand below each other, and go with the end of theirs', () => {
  expect(moved(0, 100)).toEqual([at(0, 100), at(0, 100)]);
  expect(moved(0, 310)).toEqual([at(0, 310), null]); // it would lie over that of the frame around it
  const beside = { ...inner, left: 200 };
  expect(movedHeads([outer, beside], screen(0, 310), 5)[1]).toEqual(at(0, 300 - 22));
  expect(moved(0, 790)[0]).toEqual(at(0, 800 - 22));
});

test('one that is narrower or lower than its title is left alone', () => {
  const small: Head = { ...outer, frame: { x: 0, y: 0, width: 50, height: 10 } };
  expect(movedHeads([small], screen(20, 5), 5)).toEqual([IN_PLACE]);
});

test('it covers no box where there is room beside it', () => {
  const box = (x: number, width: number) => ({ x, y: 90, width, height: 60 });
  const beside = (...boxes: ReturnType<typeof box>[]) =>
    movedHeads([outer], screen(0, 100), 5, boxes)[0];
  expect(beside(box(200, 80))).toEqual(at(0, 100));
  expect(beside(box(50, 80))).toEqual(at(50 + 80 + 5 - 12, 100));
  expect(beside(box(50, 80), box(180, 100))).toEqual(at(280 + 5 - 12, 100));
  expect(movedHeads([outer], screen(0, -20), 5, [box(0, 480)])).toEqual([IN_PLACE]);
});

test('it goes below boxes that have none beside them, and those in it below it', () => {
  const wide = (y: number, height: number) => ({ x: 0, y, width: 490, height });
  const below = (...boxes: ReturnType<typeof wide>[]) =>
    movedHeads([outer, inner], screen(0, 100), 5, boxes);
  expect(below(wide(90, 60))).toEqual([at(0, 155), at(0, 155)]);
  expect(below(wide(90, 60), wide(170, 10))).toEqual([at(0, 185), at(0, 185)]);
});

test('where it covers a box wherever it goes it has no place, and takes none from those in it', () => {
  expect(
    movedHeads([outer], screen(0, 100), 5, [{ x: 0, y: 90, width: 490, height: 300 }])
  ).toEqual([null]);
  const narrow = { x: 110, y: 90, width: 380, height: 300 };
  const wide: Head = { ...outer, width: 300, least: 300 };
  expect(
    movedHeads([wide, { ...inner, width: 40, least: 40 }], screen(0, 100), 5, [narrow])
  ).toEqual([null, at(0, 100 - 22, 40)]);
});

test('it is made narrower before it goes elsewhere, but not narrower than can be read', () => {
  const long: Head = { ...outer, width: 300, least: 80 };
  const beside = (x: number) =>
    movedHeads([long], screen(0, 100), 5, [{ x, y: 90, width: 380, height: 60 }])[0];
  expect(beside(400)).toEqual(at(0, 100, 300));
  expect(beside(200)).toEqual(at(0, 100, 200 - 5 - 12));
  expect(beside(90)).toEqual(at(0, 155, 300));
});

test('a title is never outside of its frame, nor another over it at the edge', () => {
  for (let x = -100; x < 1000; x += 37) {
    for (let y = -100; y < 900; y += 29) {
      const [first, second] = moved(x, y);
      const tops = [(first?.y ?? 0) + 0, (second?.y ?? 0) + 22];
      expect(tops[0]).toBeGreaterThanOrEqual(0);
      expect(tops[0]).toBeLessThanOrEqual(800 - 22);
      expect(tops[1]).toBeLessThanOrEqual(22 + 300 - 22);
      if (second !== null && (tops[1] as number) < 22 + 300 - 22) {
        expect(tops[1]).toBeGreaterThanOrEqual((tops[0] as number) + 22);
      }
      expect(12 + (first?.x ?? 0) + 100).toBeLessThanOrEqual(1000 - 5);
    }
  }
});
