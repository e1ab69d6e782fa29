import { describe, expect, test } from 'vitest';

import { whyNext, whyNot } from './why';

const queue = (...priorities: (number | null)[]) =>
  priorities.map((priority, node) => ({ node, priority }));

describe('why a node is next', () => {
  test.each([
    [queue(), ''],
    [queue(3), 'It is the only node that is ready.'],
    [queue(7, 5, 2), 'Of the 3 nodes that are ready it was recorded last.'],
    [queue(7, 7), 'Of the 2 nodes that are ready it was the first to be.'],
    [queue(null, 7), 'It is a leaf: leaves run as soon as they are ready.'],
    [
      queue(null, null, 7),
      'It is a leaf, and leaves run before all others; of 2 leaves it was the first to be ready.'
    ]
  ])('%j', (ready, words) => {
    expect(whyNext(ready)).toBe(words);
  });
});

test('what a node waits for', () => {
  expect(whyNot(1, 2)).toBe('waits for 1 more of 2');
  expect(whyNot(0, 3)).toBe('waits for all of 3');
});
