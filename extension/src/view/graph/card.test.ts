import { expect, test } from 'vitest';

import { box, node, saved } from '../../../tests/drawings';
import type { Batch } from '../../protocol';
import { chipsOf, farText, mainText, portsOf, typeIn, typeText } from './card';
import { TextMetrics } from './text';

const metrics = new TextMetrics(text => 6 * text.length);
const texts = (chips: ReturnType<typeof chipsOf>) => chips.chips.map(chip => chip.text);

test('the type of what a node takes, in few letters', () => {
  const meta = (shape: number[], dtype = 'float32', batches: readonly Batch[] = []) => ({
    shape,
    dtype,
    device: 'cpu',
    batches
  });
  expect(typeText([meta([2, 3])])).toBe('[2, 3] f32');
  expect(typeText([meta([], 'float8_e5m2'), meta([1])])).toBe('[] float8_e5m2 ×2');
  expect(typeText([])).toBe('');
  expect(typeText([meta([], 'unknown'), meta([2])])).toBe('type unknown ×2');
  const batch = { dim: 0, size: 32, rows: 1 };
  expect(typeText([meta([32, 10], 'float32', [batch])])).toBe('[B: 32] × [10] f32');
});

test('where there is little room the shape is told before what it is of', () => {
  const outputs = [{ shape: [2, 3], dtype: 'float32', device: 'cpu', batches: [] }];
  expect(typeIn(outputs, 60, metrics)).toBe('[2, 3] f32');
  expect(typeIn(outputs, 59, metrics)).toBe('[2, 3]');
  expect(typeIn(outputs, 30, metrics)).toBe('[2…3]');
  expect(typeIn([...outputs, ...outputs], 48, metrics)).toBe('[2, … ×2');
});

test('a leaf is called as its variable; from far away endings that all have are left out', () => {
  expect(mainText(node(0, { kind: 'leaf', name: 'AccumulateGrad', label: 'w' }))).toBe('w');
  expect(mainText(node(0, { name: 'TanhBackward0' }))).toBe('TanhBackward0');
  expect(farText(node(0, { name: 'TanhBackward0' }))).toBe('Tanh');
  expect(farText(node(0, { name: 'Backward0' }))).toBe('Backward0');
});

test('chips fill rows from the left', () => {
  const chips = chipsOf(
    [saved('self'), saved('other')],
    box('n0', { width: 100, height: 79 }),
    10,
    metrics
  );
  expect(chips.chips.map(({ text, x, y }) => [text, x, y])).toEqual([
    ['self v0', 0, 0],
    ['other v0', 0, 20]
  ]);
});

test('plain values are beside tensors where there is room; what says how an input looked never is', () => {
  const plain = (name: string) => saved(name, { value: '1' });
  const values = [plain('dim'), saved('result'), plain('index'), plain('self_meta')];
  const wide = box('n0', { width: 150, height: 59 });
  expect(texts(chipsOf(values, wide, 10, metrics))).toEqual(['result v0', 'dim=1']);
  const bare = box('n0', { width: 200, height: 41 });
  expect(texts(chipsOf([plain('self_meta')], bare, 10, metrics))).toEqual([]);
});

test('a value that became stale finds room in a card that was sized before', () => {
  const stale = saved('self', { state: 'stale', version_now: 1 });
  const wide = box('n0', { width: 160, height: 59 });
  expect(texts(chipsOf([stale], wide, 10, metrics))).toEqual(['self v0→v1']);
  const both = chipsOf([saved('other'), stale], wide, 10, metrics);
  expect(texts(both)).toEqual(['self', 'other']);
  expect(both.more).toBe(0);
});

test('what finds no room is counted, what is stale last', () => {
  const values = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => saved(name));
  const chips = chipsOf(
    [...values, saved('bad', { state: 'stale' })],
    box('n0', { width: 120, height: 59 }),
    10,
    metrics
  );
  expect(texts(chips)[0]).toBe('bad');
  expect(chips.more).toBe(7 - chips.chips.length);
  expect(chips.more).toBeGreaterThan(0);
  expect(chips.x + 3 * 6).toBeLessThanOrEqual(100);
});

test('names of lines stand where these start, and are cut only where their neighbours need the room', () => {
  const card = box('n0', { x: 100, ports: ['self', 'other', ''] });
  const texts = (starts: number[]) => portsOf(card, starts, metrics).map(({ text }) => text);
  expect(portsOf(card, [120, 160, 200], metrics)).toEqual([
    { text: 'self', x: 20 },
    { text: 'other', x: 60 }
  ]);
  expect(texts([120, 152, 200])).toEqual(['self', 'other']);
  expect(texts([120, 135, 200])).toEqual([
    expect.stringMatching(/…$/),
    expect.stringMatching(/…$/)
  ]);
});

test('names of lines are left out rather than cut where type is larger than the box was made for', () => {
  const card = box('n0', { x: 100, ports: ['self', 'other'] });
  const far = metrics.atLeast(20);
  expect(portsOf(card, [120, 220], far).map(({ text }) => text)).toEqual(['self', 'other']);
  expect(portsOf(card, [120, 155], far)).toEqual([]);
});
