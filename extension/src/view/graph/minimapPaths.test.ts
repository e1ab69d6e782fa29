import { expect, test } from 'vitest';

import { box, drawing, frame, tally, WAITING } from '../../../tests/drawings';
import type { NodeRun, Tally } from '../../protocol';
import { framesPath, statePaths } from './minimapPaths';

const some = drawing({
  boxes: [
    box('a', { node: 0, x: 0, y: 0, width: 100, height: 50 }),
    box('b', { node: 1, x: 0, y: 100, width: 2, height: 2 }),
    box('g', { kind: 'group', x: 200, y: 0, width: 100, height: 50, first: 2, last: 12 }),
    box('r', { kind: 'result', node: 0 })
  ],
  frames: [frame(0, { x: 10, y: 20, width: 30, height: 40 })]
});
const nodes: readonly NodeRun[] = [
  { ...WAITING, state: 'done', grad_norm: NaN },
  { ...WAITING, state: 'ready' }
];
const fold = (group: Tally) => ({
  node: (node: number) => nodes[node] as NodeRun,
  tally: (index: number) => (index === 2 ? group : null)
});

test('structure is outlined', () => {
  expect(framesPath(some, 0.1, 0.5)).toBe('M1.0,10.0h3.0v20.0h-3.0z');
});

test('boxes are where they are, by state, and none is too small to be seen', () => {
  const paths = statePaths(some, fold(tally(10, { done: 5 })), null, 0.1, 0.1);
  expect(paths).toEqual({
    done: 'M0.0,0.0h10.0v5.0h-10.0zM20.0,0.0h5.0v5.0h-5.0z',
    odd: 'M0.0,0.0h10.0v5.0h-10.0z',
    ready: 'M0.0,10.0h1.5v1.5h-1.5z',
    waiting: 'M20.0,0.0h10.0v5.0h-10.0z'
  });
});

test('a group is current while the run is in it', () => {
  const paths = statePaths(some, fold(tally(10, { nonfinite: 1 })), 11, 0.1, 0.1);
  expect(paths.current).toBe('M20.0,0.0h10.0v5.0h-10.0z');
  expect(paths.odd).toContain('M20.0,0.0h10.0v5.0h-10.0z');
});
