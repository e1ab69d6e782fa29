import { describe, expect, test } from 'vitest';

import { whyNext, whyNot } from './why';

const queue = (...priorities: (number | null)[]) =>
  priorities.map((priority, node) => ({ node, priority }));

describe('why a node is next', () => {
  test.each([
    [queue(), ''],
    [queue(3), 'Only this node is ready.'],
    [queue(7, 5, 2), 'Chosen from 3 ready nodes: recorded last.'],
    [queue(7, 7), 'Chosen from 2 ready nodes: ready first.'],
    [queue(null, 7), 'Leaves run as soon as they are ready.'],
    [queue(null, null, 7), 'Leaves run first; of 2 leaves, this one was ready first.']
  ])('%j', (ready, words) => {
    expect(whyNext(ready)).toBe(words);
  });
});

test('what a node waits for', () => {
  expect(whyNot(1, 2)).toBe('waiting for 1 more of 2');
  expect(whyNot(0, 3)).toBe('waiting for all of 3');
});
