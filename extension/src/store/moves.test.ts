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

test('stages add up; of other small steps that wait one is enough', () => {
  const stages = enqueue([{ kind: 'steps', count: 1 }], { kind: 'stages', count: 1 });
  expect(enqueue(stages, { kind: 'stages', count: 2 })).toEqual([
    { kind: 'steps', count: 1 },
    { kind: 'stages', count: 3 }
  ]);
  const into = enqueue(stages, { kind: 'step_in' });
  expect(enqueue(into, { kind: 'step_in' })).toEqual(into);
  expect(enqueue(into, { kind: 'restart' })).toEqual([{ kind: 'restart' }]);
});
