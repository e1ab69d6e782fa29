import { expect, test } from 'vitest';

import { edgeTowards } from './Following';
import type { Box } from './geometry';

const screen = { width: 600, height: 400 };
const view = { x: 0, y: 0, zoom: 1 };

test('the arrow at the upper edge leaves the titles of frames that begin above it free', () => {
  const outer = { x: 0, y: 0, width: 2000, height: 3000 };
  const inner = { x: 20, y: 30, width: 1000, height: 2000 };
  const beside = { ...inner, x: 1500, width: 100 };
  const above = { x: 300, y: 10, width: 50, height: 20 };
  const look = { x: 0, y: -500, zoom: 1 };
  const at = (frames: Box[]) =>
    edgeTowards(above, look, { width: 800, height: 400 }, frames)?.place;
  expect(at([])).toEqual({ x: 325, y: 18 });
  expect(at([outer, inner, beside])).toEqual({ x: 325, y: 18 + 2 * 22 });
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
