import { expect, test } from 'vitest';

import { FakeKernel } from '../../../tests/fakeKernel';
import { graphOf, saved } from '../../../tests/graphs';
import { readAnswer } from '../../protocol';
import type { Snapshot } from '../../protocol';
import { fromSnapshot, withRun } from '../../store/session';
import { memoryCurve } from './memoryCurve';

const graph = graphOf(
  [
    { name: 'A', edges: [1], shape: [], saved: [saved('x', { bytes: 100, storage: 1 })] },
    {
      name: 'B',
      edges: [2],
      shape: [],
      saved: [saved('x', { bytes: 100, storage: 1 }), saved('n', { bytes: 8 })]
    },
    { name: 'AccumulateGrad', edges: [], shape: [] }
  ],
  [[0, 0]]
);

function after(steps: number) {
  const kernel = new FakeKernel(graph);
  const session = fromSnapshot(readAnswer(kernel.snapshot(1)) as Snapshot, null);
  kernel.send({ type: 'step', request: 1, session: 's1', count: steps });
  return withRun(session, 2, kernel.run());
}

test('a storage saved twice counts once, and until the last lets go', () => {
  expect(memoryCurve(after(3))).toEqual({ held: [108, 108, 0, 0], peak: 108, holders: [] });
});

test('tells who holds what now', () => {
  expect(memoryCurve(after(0)).holders).toEqual([
    { node: 1, bytes: 108 },
    { node: 0, bytes: 100 }
  ]);
  expect(memoryCurve(after(1)).holders).toEqual([{ node: 1, bytes: 108 }]);
});
