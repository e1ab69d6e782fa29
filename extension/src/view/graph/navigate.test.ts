import { expect, test } from 'vitest';

import { box, drawing, frame, line } from '../../../tests/drawings';
import { ends, neighbour, outwards } from './navigate';
import { frameKey, pictureOf } from './picture';
import { TextMetrics } from './text';

//   r
//   a
//  b c     frame 1 around b, frame 2 in it around d
//  d   e
const picture = pictureOf(
  drawing({
    boxes: [
      box('r', { kind: 'result', x: 200, y: 0, height: 20 }),
      box('a', { x: 200, y: 60 }),
      box('b', { x: 100, y: 160, frame: 0 }),
      box('c', { x: 300, y: 160 }),
      box('d', { x: 100, y: 260, frame: 1 }),
      box('e', { x: 330, y: 260, kind: 'pin' })
    ],
    lines: [line(0, 1), line(1, 2), line(1, 3), line(2, 4), line(1, 5)],
    frames: [frame(1), frame(2, { parent: 0 })]
  }),
  new TextMetrics()
);

test('up and down go along lines, to the nearest end', () => {
  expect(neighbour(picture, 'a', 'down')).toBe('b');
  expect(neighbour(picture, 'e', 'up')).toBe('a');
  expect(neighbour(picture, 'c', 'down')).toBe('e'); // no line: the nearest below
  expect(neighbour(picture, 'd', 'down')).toBeNull();
});

test('left and right go to what stands beside', () => {
  expect(neighbour(picture, 'b', 'right')).toBe('c');
  expect(neighbour(picture, 'e', 'left')).toBe('d');
});

test('results are no places to go to', () => {
  expect(neighbour(picture, 'a', 'up')).toBeNull();
  expect(ends(picture)).toEqual({ first: 'a', last: 'd' });
});

test('one gets out to the title of a group, and back in', () => {
  expect(outwards(picture, 'd')).toBe(frameKey(2));
  expect(outwards(picture, frameKey(2))).toBe(frameKey(1));
  expect(outwards(picture, frameKey(1))).toBeNull();
  expect(outwards(picture, 'a')).toBeNull();
  expect(neighbour(picture, frameKey(1), 'down')).toBe('b');
  expect(neighbour(picture, frameKey(2), 'down')).toBe('d');
  expect(neighbour(picture, frameKey(2), 'up')).toBeNull();
});
