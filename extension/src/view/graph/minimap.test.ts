import { expect, test } from 'vitest';

import { freeCorner } from './Minimap';

const screen = { width: 800, height: 600 };
const map = { width: 140, height: 120 };
const view = { x: 0, y: 0, zoom: 1 };
const box = (x: number, y: number) => ({ x, y, width: 150, height: 150 });
const corner = (boxes: ReturnType<typeof box>[], now: 'right' | 'left' | 'top' = 'right') =>
  freeCorner(boxes, view, screen, map, now);

test('the map stands in a corner that no box is in, and stays there', () => {
  expect(corner([])).toBe('right');
  expect(corner([], 'left')).toBe('left');
  expect(corner([box(640, 450)])).toBe('left');
  expect(corner([box(640, 450), box(0, 450)])).toBe('top');
});

test('where every corner is taken there is no place for it', () => {
  expect(corner([box(640, 450), box(0, 450), box(640, 0)])).toBeNull();
});

test('where boxes are follows from where one looks', () => {
  expect(freeCorner([box(640, 450)], { x: -640, y: 0, zoom: 1 }, screen, map, 'right')).toBe(
    'right'
  );
  expect(freeCorner([box(640, 450)], { x: -640, y: 0, zoom: 1 }, screen, map, 'left')).toBe(
    'right'
  );
});
