import { expect, test } from 'vitest';

import { box, drawing, line, node } from '../../../tests/drawings';
import { linkText, slotText } from './linkText';
import { pictureOf } from './picture';
import { TextMetrics } from './text';

const meta = (...shape: number[]) => ({ shape, dtype: 'float32', device: 'cpu', batches: [] });
const picture = pictureOf(
  drawing({
    nodes: [node(0), node(1), node(2, { outputs: [meta(3), meta(4)] })],
    boxes: [
      box('n0', { node: 0 }),
      box('n1', { node: 1 }),
      box('n2', { node: 2 }),
      box('g3', { kind: 'group' }),
      box('r0', { kind: 'result' })
    ]
  }),
  new TextMetrics()
);
const other = line(0, 1, { node: 0, name: 'other' });

test('a line says what it stands for and how large its gradient was', () => {
  expect(linkText(picture, other, undefined, false)).toBe('');
  expect(linkText(picture, other, 0.53333, false)).toBe('0.533');
  expect(linkText(picture, other, 0.53333, false, [36.1248])).toBe('0.533 ↓36.1');
  expect(linkText(picture, other, 2, true, [3])).toBe('other · float32 [8, 4] · ‖g‖ 2 ↓3');
  expect(linkText(picture, other, null, false)).toBe('∅');
  expect(linkText(picture, other, 1.73, false, [], 173)).toBe('1.73 → 173');
  expect(linkText(picture, other, 0.53333, true)).toBe('other · float32 [8, 4] · ‖g‖ 0.5333');
  expect(linkText(picture, other, undefined, true)).toBe(
    'other · float32 [8, 4] · no gradient yet'
  );
});

test('a slot is named where there are several', () => {
  const into = line(0, 2, { node: 0, slot: 1 });
  expect(linkText(picture, into, NaN, true)).toBe('slot 1 · float32 [4] · ‖g‖ NaN');
  expect(slotText(picture, into)).toBe('1');
  expect(slotText(picture, other)).toBe('');
});

test('several edges are counted; a line from a result carries nothing', () => {
  expect(linkText(picture, line(0, 3, { edges: 12 }), 2, false)).toBe('×12 · max 2');
  expect(linkText(picture, line(0, 3, { edges: 12 }), undefined, false)).toBe('×12');
  expect(linkText(picture, line(0, 3, { edges: 12 }), 2, true)).toBe('12 edges · largest ‖g‖ 2');
  expect(linkText(picture, line(4, 0), 1, true)).toBe('');
});
