import { expect, test } from 'vitest';

import { farScale } from './sizes';

test('a name seen from far away grows as far as its box has room, and is never cut for it', () => {
  expect(farScale(100, 300)).toBe(1.25);
  expect(farScale(100, 110)).toBeCloseTo(1.1);
  expect(farScale(100, 90)).toBe(1);
});
