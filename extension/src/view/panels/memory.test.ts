import { expect, test } from 'vitest';

import { peakText } from './Memory';

test('the curve says when most was held, and where it went', () => {
  const curve = [
    [0, 1.5e6],
    [2, 1e6],
    [4, 0]
  ] as const;
  expect(peakText({ held: 1.5e6, peak: 1.5e6, curve })).toBe(
    'At most 1.5 MB was held, before the first node.'
  );
  expect(peakText({ held: 1e6, peak: 1.5e6, curve })).toBe(
    'At most 1.5 MB was held, before the first node. 500 kB of it is released: a node releases what it saved when it has run.'
  );
  expect(peakText({ held: 0, peak: 1.5e6, curve })).toContain('All of it is released');
  expect(
    peakText({
      held: 1,
      peak: 1,
      curve: [
        [0, 0],
        [3, 1]
      ]
    })
  ).toBe('At most 1 B was held, after 3 nodes.');
  expect(peakText({ held: 1, peak: 2, curve: [[0, 1]] })).toMatch(/^At most 2 B was held\. /);
});
