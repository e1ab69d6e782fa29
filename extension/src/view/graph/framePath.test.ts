import { expect, test } from 'vitest';

import { framePath } from './framePath';
import type { Picture } from './picture';

const frame = (
  group: number,
  parent: number | null,
  x: number,
  y: number,
  width: number,
  height: number
) => ({
  group,
  parent,
  x,
  y,
  width,
  height
});

const PICTURE = {
  drawing: {
    frames: [
      frame(0, null, 0, 0, 400, 1000),
      frame(1, 0, 20, 100, 150, 300),
      frame(2, 0, 200, 100, 150, 300),
      frame(3, 1, 30, 150, 100, 100)
    ]
  },
  groups: new Map([0, 1, 2, 3].map(group => [group, { title: 'abcd'[group] ?? '' }]))
} as unknown as Picture;

const at = (x: number, y: number, width = 400) => framePath(PICTURE, { x, y, width, height: 200 });

test('titles above the screen are said, the outermost first', () => {
  expect(at(0, -20)).toEqual([]);
  expect(at(0, 50)).toEqual(['a']);
  expect(at(0, 130, 180)).toEqual(['a', 'b']);
  expect(at(0, 170, 180)).toEqual(['a', 'b', 'd']);
  expect(at(0, 500)).toEqual(['a']);
  expect(at(0, 1100)).toEqual([]);
});

test('of groups beside each other that of which most is seen', () => {
  expect(at(100, 130, 300)).toEqual(['a', 'c']);
});
