import { expect, test } from 'vitest';

import { enqueue } from './moves';

test('steps add up, and steps there and back are none', () => {
  const two = enqueue(enqueue([], { kind: 'steps', count: 1 }), { kind: 'steps', count: 1 });
  expect(two).toEqual([{ kind: 'steps', count: 2 }]);
  expect(enqueue(two, { kind: 'steps', count: -2 })).toEqual([]);
});

test('a new place to be replaces what was queued; steps from there come after', () => {
  const queue = enqueue([{ kind: 'steps', count: 3 }], { kind: 'seek', position: 5 });
  expect(queue).toEqual([{ kind: 'seek', position: 5 }]);
  expect(enqueue(queue, { kind: 'steps', count: -1 })).toEqual([
    { kind: 'seek', position: 5 },
    { kind: 'steps', count: -1 }
  ]);
});
