import { expect, test } from 'vitest';

import { flowOf, lineWidth } from './flow';

test('a line had a gradient, an undefined one, or none yet', () => {
  expect([undefined, null, 2, NaN].map(flowOf)).toEqual(['none', 'undefined', 'value', 'value']);
});

test('width grows with the logarithm of the norm, within bounds', () => {
  const widths = [0, 1e-9, 1e-3, 1, 1e3, 1e9, Infinity, NaN].map(lineWidth);
  expect(widths).toEqual([1.3, 1.3, 2.4, 3.4, 4.5, 4.5, 4.5, 4.5]);
  expect(lineWidth(null)).toBe(1.3);
  expect(lineWidth(undefined)).toBe(1.3);
});
