import { expect, test } from 'vitest';

import { edgeTowards } from './Following';

const screen = { width: 600, height: 400 };
const view = { x: 0, y: 0, zoom: 1 };

test('the arrow is at the upper edge, also within frames: their titles stay above with their edges', () => {
  const above = { x: 300, y: 10, width: 50, height: 20 };
  const look = { x: 0, y: -500, zoom: 1 };
  expect(edgeTowards(above, look, { width: 800, height: 400 })?.place).toEqual({ x: 325, y: 18 });
});

test('nothing points to what can be seen, even a little', () => {
  expect(edgeTowards({ x: 590, y: 390, width: 100, height: 40 }, view, screen)).toBeNull();
});

test('an arrow at the edge points to what is out of sight', () => {
  const below = edgeTowards({ x: 250, y: 2000, width: 100, height: 40 }, view, screen);
  expect(below).toEqual({ place: { x: 300, y: 382 }, turn: 90 });
  const left = edgeTowards({ x: -900, y: 180, width: 100, height: 40 }, view, screen);
  expect(left).toEqual({ place: { x: 106, y: 200 }, turn: 180 });
});

test('it stays on a screen that is smaller than itself, and away where there is none', () => {
  const box = { x: 0, y: 900, width: 10, height: 10 };
  expect(edgeTowards(box, view, { width: 50, height: 20 })?.place).toEqual({ x: 106, y: 18 });
  expect(edgeTowards(box, view, { width: 0, height: 0 })).toBeNull();
});
