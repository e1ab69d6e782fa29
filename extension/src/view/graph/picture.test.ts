import { expect, test } from 'vitest';

import { box, drawing, frame, line } from '../../../tests/drawings';
import { frameKey, frameOf, pictureOf, placeOf } from './picture';
import { TextMetrics } from './text';

const picture = pictureOf(
  drawing({
    boxes: [
      box('n0', { node: 0 }),
      box('r', { kind: 'result', node: 0 }),
      box('g7', { kind: 'group', group: 7, first: 40, last: 90 }),
      box('g2', { kind: 'cells', group: 2, first: 3, last: 12 }),
      box('p1', { kind: 'pin', node: 200 }),
      box('p2', { kind: 'pin', node: 200 })
    ],
    lines: [line(0, 2, { points: [70, 52, 70, 100, 20, 100, 20, 150] }), line(0, 3)],
    frames: [frame(9), frame(5, { parent: 0, x: 33 }), frame(6, { parent: 1 })]
  }),
  new TextMetrics()
);

test('a node is drawn in its box, at its pins, or in a closed group', () => {
  expect([0, 200, 3, 11, 12, 40, 89, 90, 1].map(picture.keysOf)).toEqual([
    ['n0'],
    ['p1', 'p2'],
    ['g2'],
    ['g2'],
    [],
    ['g7'],
    ['g7'],
    [],
    []
  ]);
});

test('frames have keys and depths', () => {
  expect(picture.depths).toEqual([0, 1, 2]);
  expect(frameOf(picture, frameKey(5))?.x).toBe(33);
  expect(placeOf(picture, frameKey(5))?.x).toBe(33);
  expect(placeOf(picture, 'n0')?.width).toBe(140);
  expect(placeOf(picture, frameKey(1))).toBeUndefined();
});

test('lines cover an extent, and are known to the boxes at their ends', () => {
  expect(picture.extents[0]).toEqual({ x: 20, y: 52, width: 50, height: 98 });
  expect(picture.leaving[0]).toEqual([0, 1]);
  expect(picture.arriving[2]).toEqual([0]);
});

test('a line enters the frames around its end, not those it never left', () => {
  const { entering } = pictureOf(
    drawing({
      boxes: [box('a'), box('b', { frame: 1 }), box('c', { frame: 1 }), box('d', { frame: 0 })],
      lines: [line(0, 1), line(1, 2), line(3, 2), line(2, 3)],
      frames: [frame(9), frame(5, { parent: 0 })]
    }),
    new TextMetrics()
  );
  expect(entering).toEqual([[0], [0, 2]]);
});
