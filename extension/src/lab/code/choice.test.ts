import { expect, test } from 'vitest';

import type { LineNodes } from '../../protocol';
import { called, choiceOf, inWords, isEqual } from './choice';
import type { LineText } from './program';

const TOLD: LineNodes = {
  type: 'line_nodes',
  request: 1,
  session: 's1',
  line: 7,
  total: 4,
  nodes: [
    { node: 2, turn: 1, name: 'TanhBackward0', done: true },
    { node: 3, turn: 1, name: 'MulBackward0', done: true },
    { node: 5, turn: 0, name: 'MulBackward0', done: false },
    { node: 6, turn: 0, name: 'MulBackward0', done: false }
  ]
};
const TEXT = { line: 12, turns: 2 } as LineText;

test('what is looked at is chosen, else what was recorded last', () => {
  expect(choiceOf(TOLD, TEXT, [null, 99, 5, 3]).node).toBe(5);
  expect(choiceOf(TOLD, TEXT, [undefined]).node).toBe(2);
  expect(choiceOf({ ...TOLD, nodes: [] }, TEXT, []).node).toBeNull();
});

test('nodes are told apart by their turn, and by their place where that does not', () => {
  const choice = choiceOf(TOLD, TEXT, []);
  expect(choice.nodes.map(each => called(each, choice))).toEqual([
    '2 of 2: TanhBackward0',
    '2 of 2: MulBackward0',
    '1 of 2: MulBackward0 1 of 2',
    '1 of 2: MulBackward0 2 of 2'
  ]);
  const once = choiceOf(TOLD, { ...TEXT, turns: 1 }, []);
  expect(called(TOLD.nodes[0] as LineNodes['nodes'][0], once)).toBe('TanhBackward0');
});

test('how many there are is said, those that were too many to be told with them', () => {
  expect(inWords(choiceOf(TOLD, TEXT, []))).toBe('Line 12 recorded 4 nodes in 2 turns:');
  const many = choiceOf({ ...TOLD, total: 2500 }, { ...TEXT, turns: 1 }, []);
  expect(many.more).toBe(2496);
  expect(inWords(many)).toBe('Line 12 recorded 2,500 nodes:');
});

test('a choice is the same as long as the same is chosen of the same', () => {
  const choice = choiceOf(TOLD, TEXT, []);
  expect(isEqual(choice, { ...choice })).toBe(true);
  expect(isEqual(choice, { ...choice, node: 3 })).toBe(false);
  expect(isEqual(choice, null)).toBe(false);
  expect(isEqual(null, null)).toBe(true);
});
