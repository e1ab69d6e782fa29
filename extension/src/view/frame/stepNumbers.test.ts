import { expect, test } from 'vitest';

import type { SessionState } from '../../store';
import { inSteps } from './stepNumbers';

const ran = new Map([
  [2, 2],
  [3, null]
]);
const session = {
  fold: {
    knows: (node: number) => ran.has(node),
    node: (node: number) => ({ order: ran.get(node) })
  }
} as unknown as SessionState;

test.each([
  ['rank 1 leaves the others at MulBackward0 (node 2), In [1], line 4', 'MulBackward0 #3, In'],
  ['next is SqrtBackward0 (node 3)', 'next is SqrtBackward0'],
  ['sent by LogBackward0 (node 7), which', 'sent by LogBackward0, which'],
  ['no rank leaves the others (5 nodes compared)', '(5 nodes compared)']
])('nodes are numbered as in the view: %s', (text, said) => {
  expect(inSteps(text, session)).toContain(said);
  expect(inSteps(text, session)).not.toContain('(node');
});
