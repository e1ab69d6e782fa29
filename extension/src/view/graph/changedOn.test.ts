import { expect, test } from 'vitest';

import { box, drawing, line, node } from '../../../tests/drawings';
import type { SessionState } from '../../store';
import { changedOn } from './changedOn';
import { pictureOf } from './picture';
import { TextMetrics } from './text';

const picture = pictureOf(
  drawing({
    nodes: [node(0), node(1), node(2)],
    boxes: [
      box('n0', { node: 0 }),
      box('n1', { node: 1 }),
      box('n2', { node: 2 }),
      box('p3', { kind: 'pin', node: 3, uses: 2 })
    ],
    lines: [
      line(0, 1, { node: 0 }),
      line(0, 2, { node: 0 }),
      line(1, 2, { node: 1 }),
      line(1, 3, { node: 1 })
    ]
  }),
  new TextMetrics()
);

/** All lines carried 2; 200 is what is there now, before the node has run or after. */
const session = (order: number | null): Pick<SessionState, 'fold' | 'visits'> =>
  ({
    visits: new Map(),
    fold: {
      node: () => ({ order, grad_norm: order === null ? null : 200 }),
      arrived: () => [{ norm: 200 }],
      flow: () => 2
    }
  }) as unknown as Pick<SessionState, 'fold' | 'visits'>;
const edited = new Set([1, 2, 3]);

test('a line says what the user has made of its gradient, before the node runs and after', () => {
  expect(changedOn(picture, session(null), edited, 0)).toBe(200);
  expect(changedOn(picture, session(4), edited, 0)).toBe(200);
  expect(changedOn(picture, session(4), new Set(), 0)).toBe(undefined);
});

test('of a sum it is not said what one part became', () => {
  expect(changedOn(picture, session(null), edited, 1)).toBe(undefined);
  expect(changedOn(picture, session(null), edited, 2)).toBe(undefined);
  expect(changedOn(picture, session(null), edited, 3)).toBe(undefined);
});
