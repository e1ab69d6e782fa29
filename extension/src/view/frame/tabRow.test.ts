import { expect, test } from 'vitest';

import { tabsWithin } from './tabRow';

const WIDE = [50, 40, 40, 60, 30];

test('all tabs have room, or the first and the one that is shown', () => {
  expect(tabsWithin(WIDE, 220, 0)).toBeNull();
  expect(tabsWithin(WIDE, 219, 0)).toBe(4);
  expect(tabsWithin(WIDE, 140, 0)).toBe(3);
  expect(tabsWithin(WIDE, 140, 2)).toBe(3);
  expect(tabsWithin(WIDE, 140, 3)).toBe(1); // 50, and 60 of the one that is shown: 40 more are too many
  expect(tabsWithin(WIDE, 151, 3)).toBe(2);
  expect(tabsWithin(WIDE, 140, 4)).toBe(2);
  expect(tabsWithin(WIDE, 20, 4)).toBe(0);
});
