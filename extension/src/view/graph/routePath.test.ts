import { expect, test } from 'vitest';

import { headPath, linePath, pointAt } from './routePath';

const down = [10, 0, 10, 50, 10, 50, 10, 100];

test('a line ends inside its arrow head, whose tip is the end of the route', () => {
  expect(linePath(down)).toBe('M10,0C10 50 10 50 10 94.4');
  expect(headPath(down)).toBe('M10,100L6.4,92 13.6,92Z');
});

test('a label lies on the line', () => {
  expect(pointAt(down, 0.5)).toEqual({ x: 10, y: 50 });
  const two = [...down, 10, 150, 30, 150, 30, 200];
  expect(pointAt(two, 1)).toEqual({ x: 30, y: 200 });
  expect(pointAt(two, 0.75).x).toBe(20);
});

test('a route without length draws nothing', () => {
  expect(linePath([])).toBe('');
  expect(headPath([5, 5, 5, 5, 5, 5, 5, 5])).toBe('');
});
